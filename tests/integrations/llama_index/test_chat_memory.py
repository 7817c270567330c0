from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from llama_index.core.base.llms import types
from llama_index.core.base.llms.types import ChatMessage, ImageBlock, MessageRole, TextBlock
from llama_index.core.memory import BaseMemory, ChatMemoryBuffer, Memory
from pydantic import ValidationError
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import StaticPool

from langmem_ext import InvalidInputError, LongTermMemory, ModelError, UserMemory
from langmem_ext.testing import ScriptedChatModel
from llama_index_langmem_ext import LongTermChatMemory, LongTermMemoryRetriever
from tests.integrations.helpers import BLOCK, NOTHING, contents, make_memory, messages_in, recalls
from tests.integrations.llama_index.models import answered, calls, said


@pytest.fixture
def user(memory: LongTermMemory) -> UserMemory:
    return memory.for_user("ann")


@pytest.fixture(params=["buffer", "memory"])
async def short_term(request: pytest.FixtureRequest) -> AsyncIterator[BaseMemory]:
    if request.param == "buffer":
        yield ChatMemoryBuffer.from_defaults()
    else:
        engine = create_async_engine("sqlite+aiosqlite:///:memory:", poolclass=StaticPool)
        yield Memory.from_defaults(async_engine=engine)
        await engine.dispose()


@pytest.mark.parametrize("input", ["Do I like tea?", said("Do I like tea?")], ids=["str", "message"])
async def test_the_input_can_be_a_text_or_a_message(user: UserMemory, input: str | ChatMessage) -> None:
    user.remember("The user likes tea")
    for history in (
        LongTermChatMemory.from_defaults(user=user).get(input=input),
        await LongTermChatMemory.from_defaults(user=user).aget(input=input),
    ):
        (system,) = history
        assert system.role == MessageRole.SYSTEM
        assert "likes tea" in (system.content or "")


async def test_nothing_said_yet_is_no_error(memory: LongTermMemory, user: UserMemory) -> None:
    chat = LongTermChatMemory.from_defaults(user=user)
    assert chat.get() == []
    assert await chat.aget() == []
    assert chat.get(input="") == []
    assert recalls(memory) == 0


async def test_without_an_input_the_latest_message_of_the_user_counts(user: UserMemory) -> None:
    user.remember("The user likes tea")
    chat = LongTermChatMemory.from_defaults(user=user, learn="off")
    await chat.aput_messages([said("Hello"), answered("Hi"), said("Do I like tea?")])
    history = await chat.aget()
    assert [m.role.value for m in history] == ["user", "assistant", "user"]
    assert history[-1].blocks[0] == TextBlock(text=history[-1].blocks[0].text)  # type: ignore[union-attr]
    assert "likes tea" in (history[-1].content or "")
    assert (history[-1].content or "").endswith("Do I like tea?")


async def test_the_block_never_enters_the_conversation(user: UserMemory) -> None:
    user.remember("The user likes tea")
    chat = LongTermChatMemory.from_defaults(user=user)
    chat.put(said("Do I like tea?"))
    shown = chat.get()
    shown[-1].blocks[-1].text = "an agent writes into it"  # type: ignore[union-attr]
    await chat.aput(answered("You do."))
    assert [m.content for m in await chat.aget_all()] == ["Do I like tea?", "You do."]
    assert BLOCK not in str(chat.get_all())


async def test_one_recall_per_message_however_often_it_is_read(
    memory: LongTermMemory, user: UserMemory
) -> None:
    user.remember("The user likes tea")
    chat = LongTermChatMemory.from_defaults(user=user, learn="off")
    for turn in range(1, 3):  # the same words a second time are a new message
        await chat.aput(said("Do I like tea?"))
        shown = [await chat.aget(), await chat.aget(input="Do I like tea?"), chat.get()]
        assert shown[0] == shown[1] == shown[2]
        assert recalls(memory) == turn
        await chat.aput(answered("You do."))


async def test_a_turn_is_learned_once_whatever_else_is_put(short_term: BaseMemory) -> None:
    llm = ScriptedChatModel([NOTHING] * 2)
    with make_memory(llm) as memory:
        chat = LongTermChatMemory.from_defaults(user=memory.for_user("ann"), short_term=short_term)
        await chat.aput(said("I like tea, what does it cost?"))
        await chat.aput_messages(
            [
                calls("price", "1", text="Let me see."),
                ChatMessage(role=MessageRole.TOOL, content="I live in a tool."),
                answered("Five euros."),
                answered("Thought: that was it."),
            ]
        )
        await chat.aput_messages([said("I like coffee too."), answered("Noted.")])
        assert [messages_in(call.messages[-1].content) for call in llm.calls] == [
            [("user", "I like tea, what does it cost?"), ("assistant", "Five euros.")],
            [("user", "I like coffee too."), ("assistant", "Noted.")],
        ]
        assert len(await chat.aget_all()) == 7


def test_a_tool_call_that_is_a_block_is_no_answer(user: UserMemory) -> None:
    if not hasattr(types, "ToolCallBlock"):
        pytest.skip("this release of LlamaIndex has no such block")
    call = types.ToolCallBlock(tool_name="price", tool_kwargs={})
    chat = LongTermChatMemory.from_defaults(user=user)
    chat.put_messages(
        [
            said("I live in Lyon."),
            ChatMessage(role=MessageRole.ASSISTANT, blocks=[TextBlock(text="Let me see."), call]),
        ]
    )
    assert contents(user) == []
    chat.put(answered("Ok."))
    assert contents(user) == ["The user lives in Lyon."]


def test_two_turns_in_one_call_are_both_learned(user: UserMemory) -> None:
    chat = LongTermChatMemory.from_defaults(user=user)
    chat.put_messages([said("I live in Lyon."), answered("Ok."), said("I like tea."), answered("Ok.")])
    assert contents(user) == ["The user lives in Lyon.", "The user likes tea."]


def test_the_same_words_in_a_later_turn_are_learned_again(user: UserMemory) -> None:
    chat = LongTermChatMemory.from_defaults(user=user)
    for text in ("I live in Lyon.", "I live in Nantes.", "I live in Lyon."):
        chat.put(said(text))
        chat.put(answered("Ok."))
    assert contents(user) == ["The user lives in Lyon."]


async def test_a_question_without_an_answer_is_learned_with_the_next(user: UserMemory) -> None:
    chat = LongTermChatMemory.from_defaults(user=user)
    await chat.aput(said("I live in Lyon."))
    assert contents(user) == []
    await chat.aput_messages([said("I like tea."), answered("Ok.")])
    assert contents(user) == ["The user lives in Lyon.", "The user likes tea."]


@pytest.mark.parametrize("door", ["set", "aset"])
async def test_set_learns_nothing_and_starts_over(user: UserMemory, door: str) -> None:
    chat = LongTermChatMemory.from_defaults(user=user)
    chat.put(said("I live in Lyon."))
    history = [said("I live in Paris."), answered("Ok.")]
    if door == "set":
        chat.set(history)
    else:
        await chat.aset(history)
    chat.put(answered("More."))
    assert contents(user) == []
    assert [m.content for m in chat.get_all()] == ["I live in Paris.", "Ok.", "More."]


async def test_reset_clears_the_chat_only(user: UserMemory) -> None:
    chat = LongTermChatMemory.from_defaults(user=user)
    for reset in (chat.reset, chat.areset):
        chat.put_messages([said("I live in Lyon."), answered("Ok.")])
        done = reset()
        if done is not None:
            await done
        assert chat.get_all() == []
        assert contents(user) == ["The user lives in Lyon."]


def test_a_history_from_before_is_not_learned(user: UserMemory) -> None:
    history = [said("I live in Lyon."), answered("Ok.")]
    chat = LongTermChatMemory.from_defaults(user=user, chat_history=history)
    assert len(chat.get_all()) == 2
    assert contents(user) == []


def test_a_picture_without_words_is_kept_and_not_learned(memory: LongTermMemory, user: UserMemory) -> None:
    chat = LongTermChatMemory.from_defaults(user=user)
    picture = ChatMessage(
        role=MessageRole.USER, blocks=[ImageBlock(image=b"AAAA", image_mimetype="image/png")]
    )
    chat.put(picture)
    assert chat.get() == [picture]
    chat.put(answered("A cat."))
    assert (contents(user), recalls(memory)) == ([], 0)


@pytest.mark.parametrize("taken", [0, 500, 950, 5000])
async def test_a_full_prompt_is_never_an_error(user: UserMemory, taken: int) -> None:
    for number in range(40):
        user.remember(f"The user likes tea number {number} very much indeed, more than any other")
    chat = LongTermChatMemory.from_defaults(user=user, token_limit=1000, top_k=40, learn="off")
    for number in range(60):
        chat.put_messages(
            [said(f"Tell me about tea number {number}"), answered("It is a fine tea, as most of them are.")]
        )
    chat.put(said("Do I like tea?"))
    for history in (chat.get(initial_token_count=taken), await chat.aget(initial_token_count=taken)):
        text = " ".join(str(message.content) for message in history)
        assert text.endswith("Do I like tea?")
        if taken < 950:
            assert BLOCK in text
            # A few more or less: tokens of parts do not add up to those of the whole.
            assert len(chat.tokenizer_fn(text)) + taken <= 1005
        else:
            assert BLOCK not in text


async def test_failures_stay_out_of_the_chat(caplog: pytest.LogCaptureFixture) -> None:
    with make_memory(ScriptedChatModel([ModelError("words", kind="timeout")] * 2)) as memory:
        chat = LongTermChatMemory.from_defaults(user=memory.for_user("ann"))
        chat.put_messages([said("I live in Lyon."), answered("Ok.")])
        assert isinstance(chat.last_error, ModelError)
        assert chat.last_error.kind == "timeout"
        await chat.aput_messages([said("I live in Nantes."), answered("Ok.")])
        assert len(chat.get_all()) == 4
    chat.put(said("Where do I live?"))  # the memory is closed by now
    assert chat.get()[-1].content == "Where do I live?"
    assert (await chat.aget())[-1].content == "Where do I live?"
    assert type(chat.last_error).__name__ == "StoreClosedError"
    await chat.aput(answered("I do not know."))
    assert "could not learn from a turn (timeout)" in caplog.text
    assert "could not recall (StoreClosedError)" in caplog.text
    assert "words" not in caplog.text


def test_two_users_never_meet(memory: LongTermMemory) -> None:
    for name, city in (("ann", "Lyon"), ("ben", "Nantes")):
        chat = LongTermChatMemory.from_defaults(user=memory.for_user(name))
        chat.put_messages([said(f"I live in {city}."), answered("Ok.")])
    chat = LongTermChatMemory.from_defaults(user=memory.for_user("ann"))
    shown = str(chat.get(input="Where do I live?")[0].content)
    assert "Lyon" in shown
    assert "Nantes" not in shown


def test_a_system_message_of_the_conversation_is_extended(user: UserMemory) -> None:
    user.remember("The user likes tea")
    chat = LongTermChatMemory.from_defaults(
        user=user, chat_history=[ChatMessage(role=MessageRole.SYSTEM, content="Be brief.")]
    )
    (system,) = chat.get(input="Do I like tea?")
    assert str(system.content).startswith("Be brief.")
    assert BLOCK in str(system.content)


def test_mistakes_are_told_when_it_is_made(user: UserMemory) -> None:
    with pytest.raises(ValidationError, match="max_token"):
        LongTermChatMemory.from_defaults(user=user, max_token=3)
    with pytest.raises(TypeError, match="user"):
        LongTermChatMemory.from_defaults()  # type: ignore[call-arg]


def test_it_is_dumped_without_its_user(user: UserMemory) -> None:
    dumped: dict[str, Any] = LongTermChatMemory.from_defaults(user=user, max_tokens=300).to_dict()
    assert dumped["max_tokens"] == 300
    assert "ann" not in str(dumped)


@pytest.mark.parametrize("wrong", ["u1", 5, object()])
def test_what_is_no_memory_is_refused_at_once(wrong: Any) -> None:
    with pytest.raises(InvalidInputError, match="user must be"):
        LongTermChatMemory.from_defaults(user=wrong)
    with pytest.raises(InvalidInputError, match="user must be"):
        LongTermMemoryRetriever(user=wrong)
