"""A part that fails: said by its kind, nothing lost, nothing twice."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from langmem_ext import InvalidInputError, LongTermMemory, OpenAIChat, StorageError, StoredMemory
from langmem_ext.stores.chroma import ChromaStore
from langmem_ext.testing import FakeEmbedder, ManualClock, ScriptedChatModel
from tests.support.memories import FINGERPRINT, OpenMemory, actions, contents, fact, listed, reply, row
from tests.support.openai_server import OpenAIServer, Reply

SAID = "I drink oat milk."
TEXT = "The user drinks oat milk"
OATS = reply(fact(TEXT, "drink oat milk"))


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as running:
        yield running


def asking(server: OpenAIServer, **options: Any) -> OpenAIChat:
    return OpenAIChat("test-model", base_url=server.base_url, api_key="x", **options)


def test_a_busy_server_is_asked_again_with_a_pause(server: OpenAIServer, open_memory: OpenMemory) -> None:
    busy = Reply(status=429, headers={"retry-after-ms": "10"})
    server.script(busy, busy, OATS)
    user = open_memory(llm=asking(server, max_retries=2)).for_user("u1")
    assert user.add(SAID).status == "learned"
    assert (len(server.requests), listed(user)) == (3, [TEXT])


def test_a_wrong_key_is_told_after_one_request(server: OpenAIServer, open_memory: OpenMemory) -> None:
    server.script(Reply(status=401))
    result = open_memory(llm=asking(server, max_retries=2)).for_user("u1").add(SAID)
    assert (result.status, result.error and result.error.kind) == ("failed", "auth")
    assert result.error is not None and not result.error.retryable
    assert len(server.requests) == 1


def test_a_server_that_never_answers_is_a_timeout(server: OpenAIServer, open_memory: OpenMemory) -> None:
    """The server would answer after half a minute: only a limit of ours ends it before the test's own."""
    server.script(*[Reply(OATS, delay=1.0)] * 2)
    result = open_memory(llm=asking(server, timeout=0.1, max_retries=1)).for_user("u1").add(SAID)
    assert (result.status, result.error and result.error.kind) == ("failed", "timeout")
    assert result.error is not None and result.error.retryable


def test_nothing_to_learn_is_no_failure(server: OpenAIServer, open_memory: OpenMemory) -> None:
    server.script(reply())
    result = open_memory(llm=asking(server)).for_user("u1").add("It rains in Lyon and my umbrella is broken.")
    assert (result.status, result.error, result.usage.calls) == ("nothing", None, 1)


class LateStore:
    """Writes, and then says that it could not, for as long as `late` is set."""

    late = False

    def __init__(self) -> None:
        self._inner = ChromaStore.in_memory(FINGERPRINT)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def write(self, user_id: str, rows: Sequence[StoredMemory]) -> None:
        self._inner.write(user_id, rows)
        if self.late:
            raise StorageError("no answer in time")


@pytest.mark.parametrize("key", ["t-17", None])
def test_a_turn_that_was_stored_without_an_answer_is_not_stored_again(
    open_memory: OpenMemory, key: str | None
) -> None:
    store, llm = LateStore(), ScriptedChatModel([OATS])
    user = open_memory(store=store, llm=llm).for_user("u1")
    store.late = True
    with pytest.raises(StorageError, match="in time"):
        user.add(SAID, idempotency_key=key)
    store.late = False
    assert contents(user.search("oats")) == [TEXT]  # what may have been written is looked up again
    again = user.add(SAID, idempotency_key=key)
    assert (again.status, actions(again), contents(again.memories)) == ("learned", ["touched"], [TEXT])
    assert (len(llm.calls), listed(user)) == (1, [TEXT])


class FragileEmbedder(FakeEmbedder):
    """Has no answer for texts with one word while it is down."""

    down = True

    def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        if self.down and any("violin" in text for text in texts):
            raise ConnectionError("no route")
        return super().embed_documents(texts)


def test_a_step_that_fails_loses_no_turn_and_doubles_none(open_memory: OpenMemory) -> None:
    things = ["kayak", "piano", "violin", "bicycle"]
    answers = {thing: reply(fact(f"The user owns a {thing}", f"own a {thing}")) for thing in things}

    def answer(messages: Any, schema: Any) -> str:
        return next(text for thing, text in answers.items() if f"own a {thing}" in messages[-1].content)

    embedder = FragileEmbedder()
    memory = open_memory(llm=ScriptedChatModel([answer] * 8), embedder=embedder)
    user = memory.for_user("u1")
    for thing in things:
        user.add_later(f"I own a {thing}, by the way.")
    report = memory.flush()
    assert (report.learned, report.waiting, report.failed) == (2, 2, 0)  # in order: the last waits too
    assert report.error is not None and report.error.startswith("unavailable")
    assert listed(user) == ["The user owns a kayak", "The user owns a piano"]
    embedder.down = False
    assert memory.flush()[1:4] == (2, 0, 0)
    assert listed(user) == [f"The user owns a {thing}" for thing in things]


def test_a_blank_row_from_elsewhere_stops_nobody(
    tmp_path: Path, open_memory: OpenMemory, clock: ManualClock
) -> None:
    with open_memory(tmp_path) as memory:
        users = [memory.for_user(name) for name in ("u1", "u2")]
        with pytest.raises(InvalidInputError, match="blank"):
            users[0].remember("   ")
        for user in users:
            user.remember_many(["The user likes tea", "The user likes milk"])
        memory._workspace.store.write("u1", [row("bad", "")])
        file = io.StringIO()
        assert users[0].export_memories(file) == 3
        assert memory.sweep().removed == 0
        assert "The user likes tea" in contents(users[0].search("tea"))
        assert "tea" in users[0].context("tea").text
    other = FakeEmbedder(64, name="other")
    LongTermMemory.reembed(tmp_path, embedder=other)
    again = open_memory(tmp_path, embedder=other)
    for name in ("u1", "u2"):
        assert {"The user likes tea", "The user likes milk"} <= set(listed(again.for_user(name)))
        assert "The user likes milk" in contents(again.for_user(name).search("milk"))
    number = [json.loads(line)["memory_id"] for line in file.getvalue().splitlines()].index("bad") + 1
    with pytest.raises(InvalidInputError, match=f"line {number} .*content"):
        open_memory().for_user("u1").import_memories(io.StringIO(file.getvalue()))
