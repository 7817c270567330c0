"""The block in LlamaIndex's own `Memory`: what it shows, what it learns, and what it keeps to itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.memory import Memory

from langmem_ext import InvalidUserError, LongTermMemory, ModelError, StorageError, UserMemory
from langmem_ext.testing import ScriptedChatModel
from llama_index_langmem_ext import LongTermMemoryBlock
from llama_index_langmem_ext._chat_store import RamChatStore
from tests.integrations.helpers import BLOCK, NOTHING, contents, make_memory, messages_in
from tests.integrations.llama_index.loops import watch
from tests.integrations.llama_index.models import SeenLLM, answered, calls, said
from tests.support.memories import OpenMemory


def conversation(*texts: str) -> list[ChatMessage]:
    return [message for text in texts for message in (said(text), answered("Noted."))]


def short(*blocks: LongTermMemoryBlock, session_id: str = "one", token_limit: int = 30_000) -> Memory:
    """A `Memory` in RAM, where nothing has to be closed."""
    return Memory(
        token_limit=token_limit,
        token_flush_size=1,  # one turn at a time
        memory_blocks=list(blocks),
        session_id=session_id,
        sql_store=RamChatStore(),
    )


def shown(history: Sequence[ChatMessage]) -> str:
    return "\n".join(str(message.content) for message in history)


@pytest.fixture
def user(memory: LongTermMemory) -> UserMemory:
    return memory.for_user("ann")


async def test_it_shows_what_belongs_to_the_last_message(user: UserMemory) -> None:
    user.remember("The user likes tea")
    chat = short(LongTermMemoryBlock(user=user))
    await chat.aput_messages(conversation("Hello"))
    await chat.aput(said("Do I like tea?"))
    assert shown(await chat.aget()).count("likes tea") == 1
    assert "likes tea" in shown(await chat.aget(input="Do I like tea?"))
    user.delete_all()  # read anew each time
    assert BLOCK not in shown(await chat.aget())


async def test_nothing_said_or_known_shows_nothing(user: UserMemory) -> None:
    chat = short(LongTermMemoryBlock(user=user))
    assert await chat.aget() == []
    await chat.aput(said("Hello"))
    assert shown(await chat.aget()) == "Hello"


async def test_it_learns_from_what_overflows(memory: LongTermMemory, user: UserMemory) -> None:
    chat = short(LongTermMemoryBlock(user=user), token_limit=60)
    for text in ("I live in Lyon.", "I like tea.", *(f"Tell me more about number {n}." for n in range(6))):
        await chat.aput_messages(conversation(text))
    memory.flush()
    assert contents(user) == ["The user lives in Lyon.", "The user likes tea."]
    assert len(await chat.aget_all()) == 16


async def test_a_flush_learns_from_what_did_not_overflow(memory: LongTermMemory, user: UserMemory) -> None:
    block = LongTermMemoryBlock(user=user)
    chat = short(block)
    await chat.aput_messages([*conversation("I live in Lyon."), said("I like tea.")])
    assert contents(user) == []
    await block.aflush(chat)
    memory.flush()
    assert contents(user) == ["The user lives in Lyon.", "The user likes tea."]
    assert len(await chat.aget()) == 4  # the block is a message of its own


def test_a_flush_without_async(user: UserMemory) -> None:
    block = LongTermMemoryBlock(user=user, learn="now")
    chat = short(block)
    chat.put_messages(conversation("I live in Lyon."))
    block.flush(chat)
    assert contents(user) == ["The user lives in Lyon."]


async def test_a_turn_is_learned_once_whether_it_is_flushed_or_overflows_later() -> None:
    llm = ScriptedChatModel([NOTHING] * 4)
    with make_memory(llm) as memory:
        block = LongTermMemoryBlock(user=memory.for_user("ann"), learn="now")
        chat = short(block, token_limit=60)
        await chat.aput_messages(conversation("I live in Lyon."))
        await block.aflush(chat)
        await block.aflush(chat)
        await chat.aput_messages(conversation("I like tea."))
        await block.aflush(chat)
        for number in range(2):
            await chat.aput_messages(conversation(f"I own {number} of the cats that live in Lyon."))
        await block.aflush(chat)
        turns = [messages_in(call.messages[-1].content)[0][1] for call in llm.calls]
        assert turns == [
            "I live in Lyon.",
            "I like tea.",
            "I own 0 of the cats that live in Lyon.",
            "I own 1 of the cats that live in Lyon.",
        ]


async def test_another_process_does_not_learn_a_turn_again(open_memory: OpenMemory, tmp_path: Any) -> None:
    versions = []
    for _ in range(2):
        memory = open_memory(tmp_path / "db")
        user = memory.for_user("ann")
        block = LongTermMemoryBlock(user=user, learn="now")
        chat = short(block)
        await chat.aput_messages(conversation("I live in Lyon.", "I live in Nantes."))
        await block.aflush(chat)
        assert contents(user) == ["The user lives in Nantes."]
        versions.append(user.history(user.list_memories().memories[0].memory_id))
        memory.close()
    assert versions[0] == versions[1]


async def test_a_conversation_that_was_replaced_is_learned_from(user: UserMemory) -> None:
    block = LongTermMemoryBlock(user=user, learn="now")
    chat = short(block)
    await chat.aput_messages(conversation("I live in Lyon.", "Hello."))
    await block.aflush(chat)
    await chat.areset()
    await chat.aput_messages(conversation("I like tea."))
    await block.aflush(chat)
    assert contents(user) == ["The user lives in Lyon.", "The user likes tea."]


async def test_tools_are_no_facts() -> None:
    llm = ScriptedChatModel([NOTHING])
    with make_memory(llm) as memory:
        block = LongTermMemoryBlock(user=memory.for_user("ann"), learn="now")
        chat = short(block)
        await chat.aput_messages(
            [
                said("I like tea, what does it cost?"),
                calls("price", "1", text="Let me see."),
                ChatMessage(role=MessageRole.TOOL, content="I live in a tool."),
                answered("Five euros."),
            ]
        )
        await block.aflush(chat)
        (call,) = llm.calls
        assert messages_in(call.messages[-1].content) == [
            ("user", "I like tea, what does it cost?"),
            ("assistant", "Five euros."),
        ]


async def test_a_block_that_several_users_share_shows_each_their_own(memory: LongTermMemory) -> None:
    block = LongTermMemoryBlock(user=memory.for_user, learn="now")  # a session is called like its user
    for name, city in (("ann", "Lyon"), ("ben", "Nantes")):
        chat = short(block, session_id=name)
        await chat.aput_messages(conversation(f"I live in {city}."))
        await chat.aget(input="Where do I live?")
        await block.aflush(chat)
    for name, city, other in (("ann", "Lyon", "Nantes"), ("ben", "Nantes", "Lyon")):
        history = await short(block, session_id=name).aget(input="Where do I live?")
        assert f"lives in {city}" in shown(history)
        assert other not in shown(history)
        assert contents(memory.for_user(name)) == [f"The user lives in {city}."]


async def test_two_conversations_of_a_user_do_not_mix_their_turns(user: UserMemory) -> None:
    block = LongTermMemoryBlock(user=user, learn="now")
    one, two = short(block, session_id="one"), short(block, session_id="two")
    await one.aput_messages(conversation("I live in Lyon."))
    await two.aput_messages(conversation("I like tea."))
    await block.aflush(one)
    await block.aflush(two)
    assert contents(user) == ["The user lives in Lyon.", "The user likes tea."]


async def test_who_it_is_must_be_told() -> None:
    block = LongTermMemoryBlock(user=lambda session_id: None)  # type: ignore[arg-type, return-value]
    with pytest.raises(InvalidUserError, match="NoneType"):
        await short(block).aget(input="Hello")
    with pytest.raises(InvalidUserError, match="NoneType"):
        await block.aput(conversation("Hello"))


@pytest.mark.parametrize("learn", ["now", "later"])
async def test_a_failure_loses_no_turn(learn: Any, caplog: pytest.LogCaptureFixture) -> None:
    down = ModelError("words", kind="unavailable")
    llm = ScriptedChatModel([down, NOTHING, NOTHING] if learn == "now" else [NOTHING] * 2)
    with make_memory(llm) as memory:
        user = memory.for_user("ann")
        block = LongTermMemoryBlock(user=user, learn=learn)
        outbox = Outage(user)
        await block.aput(conversation("I live in Lyon.", "I like tea."))
        assert isinstance(block.last_error, StorageError if learn == "later" else ModelError)
        outbox.over()
        await block.aflush(short(block, session_id=""))
        memory.flush()
        turns = [messages_in(call.messages[-1].content)[0][1] for call in llm.calls]
        assert turns == ["I live in Lyon."] * (learn == "now") + ["I live in Lyon.", "I like tea."]
        assert block.last_error is None
        assert "could not learn from a turn" in caplog.text
        assert "words" not in caplog.text


class Outage:
    """The disk is full."""

    def __init__(self, user: UserMemory) -> None:
        self._user = user
        user.add_later = self._refuse  # type: ignore[method-assign]

    def _refuse(self, *args: Any, **kwargs: Any) -> Any:
        raise StorageError("full")

    def over(self) -> None:
        del self._user.add_later


async def test_what_fails_now_waits_in_the_outbox() -> None:
    llm = ScriptedChatModel([ModelError("down", kind="timeout"), NOTHING])
    with make_memory(llm) as memory:
        block = LongTermMemoryBlock(user=memory.for_user("ann"), learn="now")
        await block.aput(conversation("I live in Lyon."))
        assert isinstance(block.last_error, ModelError)
        assert memory.flush().learned == 1
        assert len(llm.calls) == 2


async def test_recall_that_fails_stays_out_of_the_chat(caplog: pytest.LogCaptureFixture) -> None:
    memory = make_memory()
    block = LongTermMemoryBlock(user=memory.for_user("ann"))
    memory.close()
    assert shown(await short(block).aget(input="Hello")) == ""
    assert "could not recall (StoreClosedError)" in caplog.text


async def test_its_budget_is_its_own(user: UserMemory) -> None:
    for number in range(30):
        user.remember(f"The user likes tea number {number} more than any other tea in the world")
    block = LongTermMemoryBlock(user=user, max_tokens=200, top_k=30)
    chat = short(block, token_limit=250)
    await chat.aput(said("Which tea do I like? " * 20))  # fills most of it: LlamaIndex would cut blocks
    text = shown(await chat.aget())
    assert block.priority == 0
    assert 100 < len(chat.tokenizer_fn(text[: text.index("</long_term_memory>")])) <= 230


async def test_it_learns_nothing_when_that_is_off(memory: LongTermMemory, user: UserMemory) -> None:
    block = LongTermMemoryBlock(user=user, learn="off")
    chat = short(block, token_limit=30)
    await chat.aput_messages(conversation("I live in Lyon.", "I like tea.", "Hello."))
    await block.aflush(chat)
    memory.flush()
    assert contents(user) == []


async def test_it_never_blocks_the_loop(
    open_memory: OpenMemory, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_memory(tmp_path / "db")
    blocking = watch(monkeypatch.setattr)
    for learn in ("now", "later"):
        block = LongTermMemoryBlock(user=memory.for_user("ann"), learn=learn)
        chat = short(block, session_id=learn)
        await chat.aput_messages(conversation("I live in Lyon."))
        await chat.aget(input="Where do I live?")
        await block.aflush(chat)
    assert blocking == []


def test_it_serves_an_engine(memory: LongTermMemory, user: UserMemory) -> None:
    user.remember("The user likes tea")
    llm = SeenLLM(["You do."])
    chat = short(LongTermMemoryBlock(user=user))
    SimpleChatEngine.from_defaults(llm=llm, memory=chat).chat("Do I like tea?")
    assert "likes tea" in str(llm.seen[0])


def test_mistakes_are_told_when_it_is_made(user: UserMemory) -> None:
    with pytest.raises(ValueError, match="max_token"):
        LongTermMemoryBlock(user=user, max_token=3)
    with pytest.raises(ValueError, match="user must be"):
        LongTermMemoryBlock(user="ann")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="learn"):
        LongTermMemoryBlock(user=user, learn="sometimes")
