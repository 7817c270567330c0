"""The door of an application: opening, users, closing, and what threads see."""

from __future__ import annotations

import contextlib
import shutil
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from langmem_ext import (
    EmbedderMismatchError,
    InvalidInputError,
    InvalidUserError,
    LongTermMemory,
    MemoryNotFoundError,
    StorageError,
    StoreClosedError,
    UserMemory,
)
from langmem_ext.stores.chroma import ChromaStore
from langmem_ext.testing import FakeEmbedder, ScriptedChatModel
from tests.support.memories import FINGERPRINT, OpenMemory, contents, fact, listed, reply


class GatedEmbedder(FakeEmbedder):
    """Waits at a gate while it is shut."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = threading.Event()
        self.gate.set()
        self.waiting = threading.Event()

    def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        if not self.gate.is_set():
            self.waiting.set()
            assert self.gate.wait(20)
        return super().embed_documents(texts)


@pytest.mark.parametrize("user_id", [None, "", "  ", 42, True, b"u1"])
def test_no_user_no_door(memory: LongTermMemory, user_id: Any) -> None:
    with pytest.raises(InvalidUserError):
        memory.for_user(user_id)


def test_a_user_is_positional_and_nothing_reaches_memories_without_one(memory: LongTermMemory) -> None:
    with pytest.raises(TypeError):
        memory.for_user()  # type: ignore[call-arg]
    for name in ("search", "list_memories", "get", "delete", "delete_all", "add", "remember", "context"):
        assert not hasattr(memory, name)


def test_users_are_listed(memory: LongTermMemory) -> None:
    assert memory.users() == []
    for name in ("b", "a", "用户"):
        memory.for_user(name).remember("x")
    assert memory.users() == ["a", "b", "用户"]
    memory.for_user("a").delete_all()
    assert memory.users() == ["b", "用户"]


@pytest.mark.parametrize(
    "places", [("path", "url"), ("path", "store"), ("url", "store"), ("path", "url", "store")]
)
def test_one_place_at_most(tmp_path: Path, embedder: FakeEmbedder, places: tuple[str, ...]) -> None:
    given: dict[str, Any] = {"path": tmp_path, "url": "http://127.0.0.1:9", "store": object()}
    with pytest.raises(InvalidInputError, match="one of path, url and store"):
        LongTermMemory(embedder=embedder, **{place: given[place] for place in places})


@pytest.mark.parametrize("timezone", ["Mars/Olympus", "", 8, "../etc/passwd"])
def test_an_unknown_zone_is_refused_before_anything_is_opened(
    tmp_path: Path, embedder: FakeEmbedder, timezone: Any
) -> None:
    with pytest.raises(InvalidInputError, match="timezone"):
        LongTermMemory(tmp_path / "db", embedder=embedder, timezone=timezone)
    assert not (tmp_path / "db").exists()
    LongTermMemory(tmp_path / "db", embedder=embedder, timezone=ZoneInfo("Asia/Tokyo")).close()


def test_an_unknown_option_is_a_type_error(tmp_path: Path, embedder: FakeEmbedder) -> None:
    with pytest.raises(TypeError, match="pth"):
        LongTermMemory(pth=tmp_path, embedder=embedder)  # type: ignore[call-arg]


def test_memories_outlast_the_object(tmp_path: Path, open_memory: OpenMemory) -> None:
    with open_memory(tmp_path) as first:
        item = first.for_user("u1").remember("用户住在杭州", metadata={"n": 1})
    second = open_memory(str(tmp_path))
    assert second.for_user("u1").list_memories().memories == (item,)
    assert contents(second.for_user("u1").search("杭州")) == ["用户住在杭州"]


def test_two_objects_on_one_path_see_each_other(tmp_path: Path, open_memory: OpenMemory) -> None:
    first, second = open_memory(tmp_path), open_memory(f"{tmp_path}/", llm=ScriptedChatModel())
    first.for_user("u1").remember("Vim", key="editor")
    assert contents(second.for_user("u1").search("Vim")) == ["Vim"]
    second.for_user("u1").remember("Helix", key="editor")
    assert contents(first.for_user("u1").search("Vim Helix")) == ["Helix"]
    first.close()
    assert listed(second.for_user("u1")) == ["Helix"]
    with pytest.raises(StoreClosedError):
        first.for_user("u1").list_memories()


def test_two_memories_in_ram_share_nothing(open_memory: OpenMemory) -> None:
    first, second = open_memory(), open_memory()
    first.for_user("u1").remember("x")
    assert listed(second.for_user("u1")) == []
    first.close()
    assert listed(open_memory().for_user("u1")) == []


def test_another_embedder_is_refused_and_nothing_is_lost(tmp_path: Path, open_memory: OpenMemory) -> None:
    with open_memory(tmp_path, embedder=FakeEmbedder(384, name="m1")) as memory:
        memory.for_user("u1").remember_many(["A", "B", "C"])
    with pytest.raises(EmbedderMismatchError, match=r"m1 \(384.*m2 \(768"):
        open_memory(tmp_path, embedder=FakeEmbedder(768, name="m2"))
    again = open_memory(tmp_path, embedder=FakeEmbedder(384, name="m1"))
    assert contents(again.for_user("u1").search("B", top_k=1)) == ["B"]


def test_a_server_serves_several_objects_at_once(chroma_url: str, open_memory: OpenMemory) -> None:
    first, second = open_memory(url=chroma_url), open_memory(url=chroma_url)
    try:
        assert listed(first.for_user("door")) == listed(second.for_user("door")) == []
        first.for_user("door").remember("User likes plums")
        assert contents(second.for_user("door").search("plums")) == ["User likes plums"]
        item = second.for_user("door").remember("User likes pears")
        first.for_user("door").delete(item.memory_id)
        assert contents(second.for_user("door").search("plums pears")) == ["User likes plums"]
    finally:
        first.for_user("door").delete_all()


def test_a_store_of_ones_own(open_memory: OpenMemory) -> None:
    store = ChromaStore.in_memory(FINGERPRINT)
    memory = open_memory(store=store)
    memory.for_user("u1").remember("x")
    assert contents(store.find("u1")) == ["x"]
    memory.close()
    with pytest.raises(StoreClosedError):
        store.find("u1")


def test_a_closed_memory_says_so(user: UserMemory, memory: LongTermMemory, tmp_path: Path) -> None:
    item = user.remember("x")
    memory.close()
    memory.close()
    calls: list[Any] = [
        lambda: user.add("I drink tea."),
        lambda: user.remember("y"),
        lambda: user.remember_many(["y"]),
        lambda: user.search("x"),
        lambda: user.context("x"),
        lambda: user.get(item.memory_id),
        lambda: user.list_memories(),
        lambda: list(user.iter_memories()),
        lambda: user.history(item.memory_id),
        lambda: user.update(item.memory_id, content="y"),
        lambda: user.delete(item.memory_id),
        lambda: user.delete_all(),
        lambda: user.export_memories(tmp_path / "file"),
        lambda: user.import_memories(tmp_path / "file"),
        memory.users,
        memory.flush,
    ]
    for call in calls:
        with pytest.raises(StoreClosedError, match="closed"):
            call()
    assert not (tmp_path / "file").exists()


def test_close_gives_the_directory_back_even_when_it_can_not_write(
    tmp_path: Path, open_memory: OpenMemory
) -> None:
    memory = open_memory(tmp_path / "db")
    memory.for_user("u1").remember("x")
    memory.for_user("u1").search("x")  # an access count is waiting to be written
    shutil.rmtree(tmp_path / "db")
    with contextlib.suppress(StorageError):
        memory.close()
    again = open_memory(tmp_path / "db")
    again.for_user("u1").remember("y")
    assert listed(again.for_user("u1")) == ["y"]


def test_close_while_the_embedder_works_gives_a_clear_error(open_memory: OpenMemory) -> None:
    embedder = GatedEmbedder()
    memory = open_memory(embedder=embedder)
    user = memory.for_user("u1")
    embedder.gate.clear()
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(user.remember, "x")
        assert embedder.waiting.wait(10)
        memory.close()
        embedder.gate.set()
        with pytest.raises(StoreClosedError):
            future.result(10)


def test_threads_of_the_library_end_with_it(open_memory: OpenMemory) -> None:
    open_memory().close()
    before = threading.active_count()
    memory = open_memory()
    for number in range(30):
        memory.for_user(f"u{number % 5}").remember(f"x{number}")
        memory.for_user(f"u{number % 5}").search("x")
    assert threading.active_count() <= before + 9
    memory.close()
    assert threading.active_count() <= before


def test_users_do_not_wait_for_each_other(open_memory: OpenMemory) -> None:
    """Two users meet inside the LLM: were they served one by one, they never would."""
    meeting = threading.Barrier(2)

    def answer(messages: Any, schema: Any) -> str:
        meeting.wait(10)
        return reply(fact("The user drinks oat milk", "I drink oat milk"))

    memory = open_memory(llm=ScriptedChatModel([answer, answer]))
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda name: memory.for_user(name).add("I drink oat milk."), ["u1", "u2"]))
    assert [result.status for result in results] == ["learned", "learned"]


def test_delete_all_drops_a_turn_that_is_still_being_learned(open_memory: OpenMemory) -> None:
    asked, gate = threading.Event(), threading.Event()

    def answer(messages: Any, schema: Any) -> str:
        asked.set()
        assert gate.wait(20)
        return reply(fact("The user drinks oat milk", "I drink oat milk"))

    memory = open_memory(
        llm=ScriptedChatModel([answer, reply(fact("The user drinks oat milk", "I drink oat milk"))])
    )
    alice, bob = memory.for_user("alice"), memory.for_user("bob")
    alice.remember("Alice likes tea")
    bob.remember("Bob likes tea")
    with ThreadPoolExecutor(1) as pool:
        turn = pool.submit(alice.add, "I drink oat milk.")
        assert asked.wait(10), repr(turn.result(1))
        alice.delete_all()
        gate.set()
        result = turn.result(10)
    assert (result.status, [outcome.action for outcome in result.outcomes]) == ("nothing", ["skipped"])
    assert listed(alice) == []
    assert listed(bob) == ["Bob likes tea"]
    assert alice.add("I drink oat milk.").status == "learned"  # what is said after it counts


def test_delete_while_an_update_waits_wins(open_memory: OpenMemory) -> None:
    embedder = GatedEmbedder()
    user = open_memory(embedder=embedder).for_user("u1")
    item = user.remember("User plays badminton")
    embedder.gate.clear()
    with ThreadPoolExecutor(1) as pool:
        change = pool.submit(user.update, item.memory_id, content="User plays padel")
        assert embedder.waiting.wait(10)
        user.delete(item.memory_id)
        embedder.gate.set()
        with pytest.raises(MemoryNotFoundError):
            change.result(10)
    assert listed(user, include_expired=True) == []


def test_a_memory_deleted_while_its_successor_is_learned_stays_deleted(open_memory: OpenMemory) -> None:
    asked, gate = threading.Event(), threading.Event()

    def answer(messages: Any, schema: Any) -> str:
        asked.set()
        assert gate.wait(20)
        return reply(fact("The user hates coriander now", "hate coriander now", replaces=1))

    user = open_memory(llm=ScriptedChatModel([answer])).for_user("u1")
    old = user.remember("The user loves coriander")
    with ThreadPoolExecutor(1) as pool:
        turn = pool.submit(user.add, "I hate coriander now.")
        assert asked.wait(10)
        user.delete(old.memory_id)
        gate.set()
        assert turn.result(10).status == "learned"
    assert listed(user, include_expired=True) == ["The user hates coriander now"]
