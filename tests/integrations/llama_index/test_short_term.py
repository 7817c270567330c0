"""The conversation under way: a store that does as LlamaIndex's own does, what is cut, how it is learned."""

from __future__ import annotations

import os
import threading
from collections.abc import AsyncIterator
from typing import Any

import pytest
from llama_index.core.base.llms.types import MessageRole
from llama_index.core.memory import ChatMemoryBuffer, Memory
from llama_index.core.storage.chat_store.sql import SQLAlchemyChatStore
from pydantic import ValidationError
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import StaticPool

from langmem_ext import LongTermMemory, ModelError, UserMemory
from langmem_ext.testing import ScriptedChatModel
from llama_index_langmem_ext import LongTermChatMemory
from llama_index_langmem_ext._chat_store import MessageStatus, RamChatStore
from tests.integrations.helpers import BLOCK, NOTHING, contents, make_memory, messages_in, recalls
from tests.integrations.llama_index.models import SeenLLM, answered, said
from tests.support.memories import run_python


@pytest.fixture
def user(memory: LongTermMemory) -> UserMemory:
    return memory.for_user("ann")


@pytest.fixture
async def database() -> AsyncIterator[SQLAlchemyChatStore]:
    engine = create_async_engine("sqlite+aiosqlite:///:memory:", poolclass=StaticPool)
    yield SQLAlchemyChatStore(table_name="messages", async_engine=engine)
    await engine.dispose()


async def test_the_store_in_ram_answers_as_the_database_does(database: SQLAlchemyChatStore) -> None:
    steps: list[tuple[str, tuple[Any, ...]]] = [
        ("add_message", ("a", said("one"))),
        ("add_messages", ("a", [answered("two"), said("three"), answered("four")])),
        ("add_message", ("b", said("another"))),
        ("archive_oldest_messages", ("a", 2)),
        ("get_messages", ("a",)),
        ("get_messages", ("a", None)),
        ("get_messages", ("a", MessageStatus.ARCHIVED)),
        ("get_messages", ("a", None, 2, 1)),
        ("get_messages", ("unknown",)),
        ("count_messages", ("a",)),
        ("count_messages", ("a", None)),
        ("archive_oldest_messages", ("a", 9)),
        ("archive_oldest_messages", ("unknown", 1)),
        ("add_messages", ("a", [said("five"), answered("six")])),
        ("delete_oldest_messages", ("a", 1)),
        ("get_messages", ("a", None)),
        ("delete_messages", ("a", MessageStatus.ARCHIVED)),
        ("get_messages", ("a", None)),
        ("set_messages", ("b", [said("new")])),
        ("get_messages", ("b", None)),
        ("get_keys", ()),
        ("delete_messages", ("b",)),
        ("get_keys", ()),
    ]
    ram = RamChatStore()
    for name, arguments in steps:
        assert await getattr(ram, name)(*arguments) == await getattr(database, name)(*arguments), name


def test_what_is_read_from_the_conversation_is_a_copy(user: UserMemory) -> None:
    chat = LongTermChatMemory.from_defaults(user=user)
    mine = said("Hello.")
    chat.put(mine)
    mine.blocks = []
    chat.get_all()[0].blocks = []
    chat.get()[0].blocks = []
    assert chat.get_all()[0].content == "Hello."


def test_by_default_it_is_a_memory_of_llama_index(user: UserMemory) -> None:
    before = threading.active_count()
    chats = [LongTermChatMemory.from_defaults(user=user) for _ in range(5)]
    for chat in chats:
        chat.put(said("Hello."))
        assert len(chat.get()) == 1
    assert all(type(chat.short_term) is Memory for chat in chats)
    assert threading.active_count() <= before + 1  # no thread for each of them (one may be ending)
    assert chats[0].short_term.token_limit == 30_000  # type: ignore[attr-defined]
    by_llm = LongTermChatMemory.from_defaults(user=user, llm=SeenLLM([]))  # its window is 4,000
    assert by_llm.short_term.token_limit == 3_000  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", ["memory", "buffer"])
async def test_the_oldest_turns_make_room(user: UserMemory, kind: str) -> None:
    user.remember("The user likes tea")
    limit = 400
    short_term = None if kind == "memory" else ChatMemoryBuffer.from_defaults(token_limit=limit)
    chat = LongTermChatMemory.from_defaults(
        user=user, short_term=short_term, token_limit=limit if kind == "memory" else None, learn="off"
    )
    for number in range(20):
        await chat.aput_messages([said(f"Tell me about tea number {number}"), answered("A fine tea.")])
    await chat.aput(said("Do I like tea?"))
    sizes = []
    for taken in (0, 150, 300, 390, 4000):
        for history in (await chat.aget(initial_token_count=taken), chat.get(initial_token_count=taken)):
            assert history[0].role == history[-1].role == MessageRole.USER
            assert str(history[-1].content).endswith("Do I like tea?")
            assert len(chat.tokenizer_fn(" ".join(str(m.content) for m in history))) <= max(
                limit - taken, 100
            )
        sizes.append(len(history))
        assert len(await chat.aget_all()) == 41
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[1] > sizes[-1] == 1


def test_where_no_message_fits_the_memories_go_first(user: UserMemory) -> None:
    user.remember("The user likes tea")
    chat = LongTermChatMemory.from_defaults(user=user, token_limit=50)
    chat.put(said("Do I like tea? " * 40))
    (message,) = chat.get()
    assert BLOCK not in str(message.content)
    assert str(message.content).count("Do I like tea?") == 40


async def test_later_learns_in_the_background() -> None:
    llm = ScriptedChatModel([NOTHING] * 2)
    with make_memory(llm) as memory:
        chat = LongTermChatMemory.from_defaults(user=memory.for_user("ann"), learn="later")
        chat.put_messages([said("I live in Lyon."), answered("Ok.")])
        await chat.aput_messages([said("I like tea."), answered("Ok.")])
        assert memory.flush().learned == 2
        assert [messages_in(call.messages[-1].content) for call in llm.calls] == [
            [("user", "I live in Lyon."), ("assistant", "Ok.")],
            [("user", "I like tea."), ("assistant", "Ok.")],
        ]


async def test_later_does_not_wait_for_the_llm() -> None:
    answer = threading.Event()

    def slow(*_: Any) -> str:
        assert answer.wait(20)
        return NOTHING

    with make_memory(ScriptedChatModel([slow])) as memory:
        chat = LongTermChatMemory.from_defaults(user=memory.for_user("ann"), learn="later")
        await chat.aput_messages([said("I live in Lyon."), answered("Ok.")])
        answer.set()  # it would never come to this
        assert memory.flush().learned == 1


async def test_later_says_when_a_turn_cannot_be_kept(
    user: UserMemory, caplog: pytest.LogCaptureFixture
) -> None:
    memory = make_memory()
    chat = LongTermChatMemory.from_defaults(user=memory.for_user("ann"), learn="later")
    memory.close()
    await chat.aput_messages([said("I live in Lyon."), answered("Ok.")])
    assert type(chat.last_error).__name__ == "StoreClosedError"
    assert "could not learn from a turn (StoreClosedError)" in caplog.text


def test_off_only_recalls(memory: LongTermMemory, user: UserMemory) -> None:
    chat = LongTermChatMemory.from_defaults(user=user, learn="off")
    chat.put_messages([said("I live in Lyon."), answered("Ok."), said("Hello.")])
    chat.flush()
    chat.get()
    assert (contents(user), recalls(memory)) == ([], 1)
    with pytest.raises(ValidationError, match="'now', 'later' or 'off'"):
        LongTermChatMemory.from_defaults(user=user, learn=True)


@pytest.mark.parametrize("learn", ["now", "later"])
async def test_a_flush_learns_what_has_no_answer(
    memory: LongTermMemory, user: UserMemory, learn: Any
) -> None:
    chat = LongTermChatMemory.from_defaults(user=user, learn=learn)
    chat.put(said("I live in Lyon."))
    await chat.aflush()
    await chat.aput(said("I like tea."))
    chat.flush()
    chat.flush()
    memory.flush()
    assert contents(user) == ["The user lives in Lyon.", "The user likes tea."]
    await chat.aput(answered("Ok."))  # nothing of it is left to learn
    assert chat.last_error is None
    assert len(chat.get_all()) == 3


async def test_a_failed_flush_is_told() -> None:
    with make_memory(ScriptedChatModel([ModelError("down", kind="timeout")])) as memory:
        chat = LongTermChatMemory.from_defaults(user=memory.for_user("ann"))
        chat.put(said("I live in Lyon."))
        await chat.aflush()
        assert isinstance(chat.last_error, ModelError)


def test_a_script_without_async_leaves_nothing_open() -> None:
    code = """
        import asyncio
        import gc
        from llama_index.core.base.llms.types import ChatMessage
        from langmem_ext import LongTermMemory
        from langmem_ext.testing import FakeEmbedder
        from llama_index_langmem_ext import LongTermChatMemory
        with LongTermMemory(embedder=FakeEmbedder()) as memory:
            chat = LongTermChatMemory.from_defaults(user=memory.for_user("ann"))
            chat.put(ChatMessage(role="user", content="Hello."))
            assert len(chat.get()) == 1
        del chat
        asyncio.set_event_loop(None)
        gc.collect()
    """
    done = run_python(code, env={**os.environ, "PYTHONWARNINGS": "always::ResourceWarning"})
    assert done.returncode == 0, done.stderr
    assert "event loop" not in done.stderr and "Connection" not in done.stderr
