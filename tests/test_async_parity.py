"""Every door has its async twin, and the twin does not hold up the event loop."""

from __future__ import annotations

import asyncio
import inspect
import io
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from langmem_ext import ChatMessage, ChatReply, LongTermMemory, MemoryStore, ReplySchema, UserMemory
from langmem_ext.stores.chroma import ChromaStore
from langmem_ext.testing import FakeEmbedder, ScriptedChatModel
from tests.support.memories import FINGERPRINT, OpenMemory, actions, contents, fact, listed, reply

TEA = reply(fact("The user drinks oat milk", "drink oat milk"))
WITHOUT_WAITING = {"for_user", "recall_log"}  # no I/O, so no twin


def public_methods(kind: type) -> dict[str, Any]:
    return {
        name: member
        for name, member in vars(kind).items()
        if not name.startswith("_") and inspect.isfunction(member)
    }


def awaits(function: Any) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)


@pytest.mark.parametrize("kind", [UserMemory, LongTermMemory])
def test_every_method_has_a_twin_with_the_same_parameters(kind: type) -> None:
    methods = public_methods(kind)
    sync = {name for name, method in methods.items() if not awaits(method)}
    twins = {name for name, method in methods.items() if awaits(method)}
    assert sync - WITHOUT_WAITING == {name[1:] for name in twins}
    assert all(name.startswith("a") for name in twins)
    for name in sync - WITHOUT_WAITING:
        one, other = inspect.signature(methods[name]), inspect.signature(methods[f"a{name}"])
        assert one.parameters == other.parameters, name
        if not inspect.isasyncgenfunction(methods[f"a{name}"]):
            assert one.return_annotation == other.return_annotation, name
        assert methods[f"a{name}"].__doc__, name


async def test_the_twins_do_the_same(open_memory: OpenMemory, tmp_path: Any) -> None:
    async with open_memory(llm=ScriptedChatModel([TEA])) as memory:
        user = memory.for_user("u1")
        assert actions(await user.aadd("I drink oat milk.")) == ["added"]
        item = await user.aremember("User owns a kayak", metadata={"n": 1})
        assert contents(await user.aremember_many(["A", "B"])) == ["A", "B"]
        assert (await user.aget(item.memory_id)) == item
        assert contents(await user.asearch("kayak", top_k=1)) == ["User owns a kayak"]
        assert "kayak" in (await user.acontext("kayak")).text
        assert len((await user.alist_memories(limit=2)).memories) == 2
        assert [found.content async for found in user.aiter_memories(filters={"n": 1})] == [
            "User owns a kayak"
        ]
        assert (
            await user.aupdate(item.memory_id, content="User owns two kayaks")
        ).memory_id == item.memory_id
        assert len(await user.ahistory(item.memory_id)) == 3
        assert (await user.adelete(item.memory_id)).versions == 2
        file = io.StringIO()
        assert await user.aexport_memories(file) == 3
        file.seek(0)
        assert await user.aimport_memories(file) == (0, 3)
        assert await memory.ausers() == ["u1"]
        assert (await memory.aflush()).access_counts == 3  # found by the two searches and still there
        assert (await user.adelete_all()).memories == 3
        assert await memory.ausers() == []


def blocking(seconds: float) -> float:
    time.sleep(seconds)
    return seconds


class SlowEmbedder(FakeEmbedder):
    def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        blocking(0.3)
        return super().embed_documents(texts)


class SlowModel:
    """Blocks a thread when called, and only waits when awaited."""

    name = "slow"

    def complete(self, messages: Sequence[ChatMessage], schema: ReplySchema | None) -> ChatReply:
        blocking(0.3)
        return ChatReply(TEA)

    async def acomplete(self, messages: Sequence[ChatMessage], schema: ReplySchema | None) -> ChatReply:
        await asyncio.sleep(0.3)
        return ChatReply(TEA)


class SlowStore:
    """Every call of the store takes 300 ms."""

    def __init__(self, inner: MemoryStore) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        member = getattr(self._inner, name)
        if not callable(member):
            return member

        def slow(*arguments: Any, **options: Any) -> Any:
            blocking(0.3)
            return member(*arguments, **options)

        return slow


async def widest_gap(work: Callable[[], Awaitable[object]]) -> float:
    """The longest time for which a task that wakes every 10 ms was kept waiting."""
    gaps: list[float] = []
    done = asyncio.Event()

    async def tick() -> None:
        while not done.is_set():
            before = time.perf_counter()
            await asyncio.sleep(0.01)
            gaps.append(time.perf_counter() - before)

    ticker = asyncio.create_task(tick())
    await asyncio.sleep(0.05)
    await work()
    done.set()
    await ticker
    return max(gaps)


@pytest.mark.parametrize(
    "call",
    [
        lambda user: user.aadd("I drink oat milk."),
        lambda user: user.aremember("User owns a kayak"),
        lambda user: user.asearch("kayak"),
        lambda user: user.acontext("kayak", filters={"n": 1}),
        lambda user: user.alist_memories(),
        lambda user: user.adelete_all(),
        lambda user: user.aexport_memories(io.StringIO()),
    ],
    ids=["add", "remember", "search", "context", "list", "delete_all", "export"],
)
async def test_slow_parts_do_not_hold_up_the_loop(call: Callable[[UserMemory], Awaitable[object]]) -> None:
    store = SlowStore(ChromaStore.in_memory(FINGERPRINT))
    memory = LongTermMemory(store=store, llm=SlowModel(), embedder=SlowEmbedder())
    user = memory.for_user("u1")
    started = time.perf_counter()
    gap = await widest_gap(lambda: call(user))
    assert time.perf_counter() - started > 0.3  # it did work
    assert gap < 0.2
    await asyncio.to_thread(memory.close)


async def test_ten_tasks_with_one_turn_store_one_memory(open_memory: OpenMemory) -> None:
    memory = open_memory(llm=ScriptedChatModel([TEA] * 10))
    turns = [memory.for_user("u1").aadd("I drink oat milk.") for _ in range(10)]
    results = await asyncio.wait_for(asyncio.gather(*turns), 30)
    assert len({result.memories[0].memory_id for result in results}) == 1
    assert listed(memory.for_user("u1")) == ["The user drinks oat milk"]


async def test_many_tasks_of_one_user_do_not_starve_others_or_the_pool(open_memory: OpenMemory) -> None:
    memory = open_memory(embedder=FakeEmbedder())
    loop = asyncio.get_running_loop()
    loop.set_default_executor(ThreadPoolExecutor(2))  # fewer threads than tasks that wait
    busy = [memory.for_user("busy").aremember(f"fact {number}") for number in range(40)]
    others = [memory.for_user(f"u{number}").aremember("fact") for number in range(10)]
    await asyncio.wait_for(asyncio.gather(*busy, *others), 30)
    assert len(listed(memory.for_user("busy"))) == 40
    assert len(memory.users()) == 11


async def test_users_of_slow_models_are_served_side_by_side(open_memory: OpenMemory) -> None:
    memory = open_memory(llm=SlowModel())
    await memory.for_user("warm").aadd("I drink oat milk.")
    started = time.perf_counter()
    await memory.for_user("one").aadd("I drink oat milk.")
    alone = time.perf_counter() - started
    started = time.perf_counter()
    results = await asyncio.gather(*(memory.for_user(f"u{n}").aadd("I drink oat milk.") for n in range(10)))
    assert [result.status for result in results] == ["learned"] * 10
    assert time.perf_counter() - started < 3 * alone


async def test_sync_methods_work_inside_a_running_loop(open_memory: OpenMemory, tmp_path: Any) -> None:
    memory = open_memory(llm=ScriptedChatModel([TEA]))
    user = memory.for_user("u1")
    assert user.add("I drink oat milk.").status == "learned"
    item = user.remember("User owns a kayak")
    assert len(user.search("kayak")) == 2
    assert user.context("kayak").text
    user.update(item.memory_id, content="x")
    user.delete(item.memory_id)
    user.export_memories(tmp_path / "file")
    user.import_memories(tmp_path / "file")
    user.delete_all()
    memory.flush()
    assert "nest_asyncio" not in sys.modules


def test_one_memory_serves_several_loops(open_memory: OpenMemory) -> None:
    user = open_memory(llm=ScriptedChatModel([TEA, TEA])).for_user("u1")

    async def turn(key: str) -> str:
        return (await user.aadd("I drink oat milk.", idempotency_key=key)).status

    assert [asyncio.run(turn(key)) for key in ("a", "b")] == ["learned", "learned"]
    assert listed(user) == ["The user drinks oat milk"]


async def test_a_cancelled_call_leaves_the_user_usable(open_memory: OpenMemory) -> None:
    user = open_memory(llm=SlowModel()).for_user("u1")
    task = asyncio.create_task(user.aadd("I drink oat milk."))
    await asyncio.sleep(0.1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (await user.aadd("I drink oat milk.")).status == "learned"
    assert listed(user) == ["The user drinks oat milk"]
