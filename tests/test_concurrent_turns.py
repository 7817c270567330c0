"""Turns that are learned at once, what a turn costs, and who waits for whom."""

from __future__ import annotations

import asyncio
import inspect
import io
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from langmem_ext import AddResult, ChatMessage, ChatReply, LongTermMemory, ReplySchema, UserMemory
from langmem_ext.record_rows import NewRecord, RecordName
from langmem_ext.state import Outbox
from langmem_ext.stores.chroma import ChromaStore
from langmem_ext.testing import FakeEmbedder, ScriptedChatModel
from tests.support.living_loop import LivingLoop
from tests.support.memories import FINGERPRINT, OpenMemory, actions, contents, fact, listed, reply, soon

SAID = "I drink oat milk."
TEXT = "The user drinks oat milk"
OATS = reply(fact(TEXT, "drink oat milk"))
TEN = 10


# -- what a turn costs


@pytest.mark.parametrize(
    ("said", "script", "status", "calls"),
    [
        (SAID, [OATS], "learned", 1),
        ("It rains in Lyon and my umbrella is broken.", [reply()], "nothing", 1),
        (SAID, ["Sure!", OATS], "learned", 2),
        (SAID, ["Sure!", "Sure!!"], "failed", 2),
        (SAID, [""], "failed", 1),
        ("thanks, great!", [], "nothing", 0),
        ("the code they texted me is 481920", [], "nothing", 0),
        ([("user", " "), ("assistant", "I drink oat milk.")], [], "nothing", 0),
    ],
)
@pytest.mark.parametrize("door", ["add", "aadd", "add_later"])
async def test_a_turn_costs_one_call_and_one_more_for_a_repair(
    open_memory: OpenMemory, said: Any, script: list[str], status: str, calls: int, door: str
) -> None:
    llm = ScriptedChatModel(script)  # one call more than these would raise
    memory = open_memory(llm=llm)
    user = memory.for_user("u1")
    user.remember("The user lives in Paris")
    if door == "add_later":
        user.add_later(said)
        assert memory.flush().learned == (status != "failed" or script == [])
    else:
        result = user.add(said) if door == "add" else await user.aadd(said)
        assert (result.status, result.usage.calls) == (status, calls)
    assert (len(llm.calls), llm.remaining) == (calls, 0)
    assert (TEXT in listed(user)) == (status == "learned")


# -- the same turn at once


class MeetingModel:
    """Answers once all are asked: nobody has stored anything before."""

    name = "meeting"

    def __init__(self, count: int) -> None:
        self.calls = 0
        self._threads, self._tasks = threading.Barrier(count), asyncio.Barrier(count)

    def complete(self, messages: Sequence[ChatMessage], schema: ReplySchema | None) -> ChatReply:
        self._threads.wait(20)
        self.calls += 1
        return ChatReply(OATS)

    async def acomplete(self, messages: Sequence[ChatMessage], schema: ReplySchema | None) -> ChatReply:
        await asyncio.wait_for(self._tasks.wait(), 20)
        self.calls += 1
        return ChatReply(OATS)


def check_one(user: UserMemory, results: list[AddResult]) -> None:
    assert sorted(actions(result)[0] for result in results) == ["added", *["touched"] * (TEN - 1)]
    assert {result.status for result in results} == {"learned"}
    assert len({result.memories[0].memory_id for result in results}) == 1
    (item,) = user.list_memories(include_expired=True).memories
    assert (item.content, len(item.source)) == (TEXT, 1)


@pytest.mark.parametrize("key", ["turn-17", None])
def test_ten_threads_with_one_turn_store_it_once(open_memory: OpenMemory, key: str | None) -> None:
    model = MeetingModel(TEN)
    user = open_memory(llm=model).for_user("u1")
    with ThreadPoolExecutor(TEN) as pool:
        turns = [pool.submit(user.add, SAID, idempotency_key=key) for _ in range(TEN)]
        check_one(user, [turn.result(30) for turn in turns])
    assert model.calls == TEN
    assert actions(user.add(SAID, idempotency_key=key)) == ["touched"]
    assert model.calls == TEN  # what was learned is not asked about again


@pytest.mark.parametrize("key", ["turn-17", None])
async def test_ten_tasks_with_one_turn_store_it_once(open_memory: OpenMemory, key: str | None) -> None:
    model = MeetingModel(TEN)
    user = open_memory(llm=model).for_user("u1")
    turns = (user.aadd(SAID, idempotency_key=key) for _ in range(TEN))
    check_one(user, await asyncio.wait_for(asyncio.gather(*turns), 30))
    assert model.calls == TEN


@pytest.mark.parametrize("key", ["turn-17", None])
def test_ten_tickets_of_one_turn_store_it_once_for_one_call(open_memory: OpenMemory, key: str | None) -> None:
    memory = open_memory(llm=ScriptedChatModel([OATS]))
    user = memory.for_user("u1")
    with ThreadPoolExecutor(TEN) as pool:
        tickets = list(pool.map(lambda _: user.add_later(SAID, idempotency_key=key), range(TEN)))
    assert len({ticket.ticket_id for ticket in tickets}) == TEN
    assert memory.flush().learned == TEN
    (item,) = user.list_memories().memories
    assert (item.content, len(item.source)) == (TEXT, 1)


# -- who waits for whom


class HeldModel:
    """Keeps one user waiting, in threads and in tasks; answers all others at once."""

    name = "held"

    def __init__(self) -> None:
        self.asked, self.go_on = threading.Event(), threading.Event()

    def complete(self, messages: Sequence[ChatMessage], schema: ReplySchema | None) -> ChatReply:
        if "Alice" in messages[-1].content:
            self.asked.set()
            assert self.go_on.wait(20)
        return ChatReply(OATS)

    async def acomplete(self, messages: Sequence[ChatMessage], schema: ReplySchema | None) -> ChatReply:
        return await asyncio.to_thread(self.complete, messages, schema)


@pytest.fixture
def held() -> Iterator[HeldModel]:
    model = HeldModel()
    yield model
    model.go_on.set()


ALICE = {"role": "user", "name": "Alice", "content": SAID}


@pytest.mark.parametrize("way", ["add", "aadd", "add_later"])
async def test_nobody_waits_for_a_user_whose_model_thinks(
    open_memory: OpenMemory, held: HeldModel, way: str
) -> None:
    memory = open_memory(llm=held)
    alice, bob = memory.for_user("alice"), memory.for_user("bob")
    pending: asyncio.Future[Any] | None = None
    if way == "add_later":
        alice.add_later(ALICE)
    else:
        turn = asyncio.to_thread(alice.add, ALICE) if way == "add" else alice.aadd(ALICE)
        pending = asyncio.ensure_future(turn)
    assert await asyncio.to_thread(held.asked.wait, 20)

    assert bob.add(SAID).status == "learned"
    assert (await asyncio.wait_for(bob.aadd(f"Again: {SAID}"), 20)).status == "learned"
    bob.add_later(f"Once more: {SAID}")
    await asyncio.to_thread(soon, lambda: memory._rooms.workers().outbox.counts("bob").waiting == 0)
    assert contents(bob.search("oat milk")) == [TEXT]
    # Alice herself waits for no thought of her model either:
    assert alice.remember("Alice likes tea").content in alice.context("tea").text
    assert alice.forget("forget that Alice likes tea").status in ("deleted", "confirm")
    assert TEXT not in listed(alice)
    assert pending is None or not pending.done()

    held.go_on.set()
    if pending is not None:
        assert (await pending).status == "learned"
    await memory.aflush()
    assert TEXT in listed(alice)


# -- who holds up the event loop


def calls_of(memory: LongTermMemory, user: UserMemory, ids: Sequence[str]) -> dict[str, Callable[[], Any]]:
    """Every asynchronous method, called so that it has work to do; in this order."""
    file = io.StringIO()
    name = RecordName(("notes",), "n1")

    async def iterate() -> None:
        assert [item async for item in user.aiter_memories()]

    async def bring_back() -> None:
        file.seek(0)
        assert (await user.aimport_memories(file)).imported

    return {
        "aadd": lambda: user.aadd(SAID),
        "aadd_later": lambda: user.aadd_later(f"And {SAID}"),
        "aflush": memory.aflush,
        "aremember": lambda: user.aremember("The user owns a kayak"),
        "aremember_many": lambda: user.aremember_many(["The user owns a boat", "The user owns a van"]),
        "asearch": lambda: user.asearch("tea", filters={"n": 1}),
        "acontext": lambda: user.acontext("tea", filters={"n": 1}),
        "aget": lambda: user.aget(ids[0]),
        "alist_memories": user.alist_memories,
        "aiter_memories": iterate,
        "aupdate": lambda: user.aupdate(ids[0], content="The user likes green tea"),
        "ahistory": lambda: user.ahistory(ids[0]),
        "aexport_memories": lambda: user.aexport_memories(file),
        "awrite_records": lambda: user.awrite_records([NewRecord(name, {"text": "tea"}, ("tea",))]),
        "aread_records": lambda: user.aread_records([name]),
        "akeep_records": lambda: user.akeep_records([name]),
        "asearch_records": lambda: user.asearch_records(query="tea"),
        "alist_namespaces": user.alist_namespaces,
        "aforget": lambda: user.aforget("forget that the user likes plums"),
        "adelete": lambda: user.adelete(ids[0]),
        "adelete_source": lambda: user.adelete_source("m1"),
        "adelete_all": user.adelete_all,
        "aimport_memories": bring_back,
        "ausers": memory.ausers,
        "afailed_turns": memory.afailed_turns,
        "aretry_failed": memory.aretry_failed,
        "adiscard_failed": lambda: memory.adiscard_failed("nothing"),
        "asweep": memory.asweep,
        "aerase": memory.aerase,
        "arepair": memory.arepair,
        "aclose": memory.aclose,
    }


async def test_no_method_holds_up_the_event_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loop = LivingLoop()
    open_file = Outbox._open

    def watched_open(outbox: Outbox) -> AbstractContextManager[sqlite3.Connection]:
        loop.ask("Outbox")
        return open_file(outbox)

    monkeypatch.setattr(Outbox, "_open", watched_open)
    store, embedder = ChromaStore.embedded(tmp_path / "db", FINGERPRINT), FakeEmbedder()
    memory = LongTermMemory(
        store=loop.watch(store),
        state_path=tmp_path / "turns",
        embedder=loop.watch(embedder),
        llm=ScriptedChatModel([OATS, OATS]),
    )
    user = memory.for_user("u1")
    made = await user.aremember_many(
        [{"content": "The user likes tea", "metadata": {"n": 1}}, "The user likes plums"]
    )
    calls = calls_of(memory, user, [item.memory_id for item in made])
    for name, call in calls.items():
        loop.worked.clear()
        await asyncio.wait_for(call(), 60)
        assert loop.blocked == [], name
        # There was something that could have held it up; or the answer was in RAM.
        assert loop.worked or name == "alist_namespaces", name
    methods = {**vars_of(UserMemory), **vars_of(LongTermMemory)}
    waiting = {name for name, method in methods.items() if is_async(method) and not name.startswith("_")}
    assert calls.keys() == waiting


def vars_of(kind: type) -> dict[str, Any]:
    return {name: getattr(kind, name) for name in dir(kind)}


def is_async(method: Any) -> bool:
    return inspect.iscoroutinefunction(method) or inspect.isasyncgenfunction(method)
