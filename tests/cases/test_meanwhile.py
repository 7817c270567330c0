"""What happens while a model is still thinking, or another process is writing."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import pytest

from langmem_ext import AddResult, MemoryNotFoundError, UserMemory
from langmem_ext.testing import ScriptedChatModel
from tests.support.memories import OpenMemory, contents, fact, listed, reply, run_python


class Thinking:
    """An answer that a model gives when it is let go."""

    def __init__(self, answer: str) -> None:
        self.asked, self.go_on, self._answer = threading.Event(), threading.Event(), answer

    def __call__(self, messages: Any, schema: Any) -> str:
        self.asked.set()
        assert self.go_on.wait(20)
        return self._answer


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as pool:
        yield pool


def begun(pool: ThreadPoolExecutor, user: UserMemory, said: str, thinking: Thinking) -> Future[AddResult]:
    """An `add` whose model has been asked."""
    turn = pool.submit(user.add, said)
    assert thinking.asked.wait(20), repr(turn.result(1))
    return turn


def test_a_chat_does_not_wait_for_what_is_learned_later(open_memory: OpenMemory) -> None:
    thinking = Thinking(reply(fact("The user drinks oat milk", "drink oat milk")))
    memory = open_memory(llm=ScriptedChatModel([thinking]))
    user = memory.for_user("u1")
    user.add_later("I drink oat milk.")  # returns, though nobody let the model answer
    assert thinking.asked.wait(20)
    assert listed(user) == []
    thinking.go_on.set()
    assert memory.flush().learned == 1
    assert listed(user) == ["The user drinks oat milk"]


def test_a_slow_answer_does_not_undo_what_was_changed_meanwhile(
    open_memory: OpenMemory, pool: ThreadPoolExecutor
) -> None:
    thinking = Thinking(reply(fact("The user hates coriander soup", "hate coriander soup", replaces=1)))
    user = open_memory(llm=ScriptedChatModel([thinking])).for_user("u1")
    deleted = user.remember("The user loves coriander soup")
    updated = user.remember("The user works at night")
    turn = begun(pool, user, "I hate coriander soup now.", thinking)
    user.remember("The user owns a kayak")
    user.delete(deleted.memory_id)
    user.update(updated.memory_id, content="The user works by day")
    thinking.go_on.set()
    assert turn.result(20).outcomes[0].previous is None
    assert sorted(listed(user)) == [
        "The user hates coriander soup",
        "The user owns a kayak",
        "The user works by day",
    ]
    with pytest.raises(MemoryNotFoundError):
        user.get(deleted.memory_id)
    assert "loves coriander" not in repr(user.list_memories(include_expired=True).memories)


def test_a_slow_answer_replaces_what_was_updated_meanwhile_and_keeps_the_update(
    open_memory: OpenMemory, pool: ThreadPoolExecutor
) -> None:
    thinking = Thinking(reply(fact("The user lives in Nantes", "live in Nantes", key="residence.city")))
    user = open_memory(llm=ScriptedChatModel([thinking])).for_user("u1")
    item = user.remember("The user lives in Lyon", key="residence.city")
    turn = begun(pool, user, "I live in Nantes now.", thinking)
    user.update(item.memory_id, metadata={"seen": True})
    thinking.go_on.set()
    (outcome,) = turn.result(20).outcomes
    assert outcome.previous is not None and outcome.previous.metadata == {"seen": True}
    assert listed(user) == ["The user lives in Nantes"]


def test_a_count_that_is_written_late_brings_nothing_back(open_memory: OpenMemory) -> None:
    memory = open_memory()
    user = memory.for_user("u1")
    kept = user.remember("The user likes plums")
    gone = user.remember("The user likes pears")
    assert len(user.search("plums pears")) == 2  # the counts wait
    user.delete(gone.memory_id)
    assert memory.flush().access_counts == 1
    with pytest.raises(MemoryNotFoundError):
        user.get(gone.memory_id)
    items = user.list_memories(include_expired=True).memories
    assert [(item.memory_id, item.content) for item in items] == [(kept.memory_id, "The user likes plums")]


ANOTHER = """
    import sys
    from langmem_ext import LongTermMemory
    from langmem_ext.testing import FakeEmbedder

    with LongTermMemory(url=sys.argv[1], embedder=FakeEmbedder()) as memory:
        memory.for_user("two-processes").remember("The user likes plums")
"""


def test_what_another_process_wrote_is_found_by_meaning(chroma_url: str, open_memory: OpenMemory) -> None:
    user = open_memory(url=chroma_url, clock=lambda: datetime.now(UTC)).for_user("two-processes")
    try:
        user.remember("The user likes pears")
        assert contents(user.search("plums")) == ["The user likes pears"]
        done = run_python(ANOTHER, chroma_url)
        assert done.returncode == 0, done.stderr
        assert user.search("plums")[0].content == "The user likes plums"
    finally:
        user.delete_all()
