from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from langmem_ext.errors import StoreClosedError
from langmem_ext.items import Filters
from langmem_ext.ports import StoredMemory
from langmem_ext.stores.chroma import ChromaStore
from langmem_ext.workspace import Workspace, release_workspace, take_workspace
from tests.support.memories import FINGERPRINT, START, row


class Counting(ChromaStore):
    """A store that counts its reads."""

    finds = 0
    shared = False

    def find(self, user_id: str, filters: Filters | None = None, **options: Any) -> list[StoredMemory]:
        self.finds += 1
        return super().find(user_id, filters, **options)


@pytest.fixture
def store() -> Counting:
    return Counting.in_memory(FINGERPRINT)


@pytest.fixture
def workspace(store: Counting) -> Iterator[Workspace]:
    taken = take_workspace(store)
    yield taken
    release_workspace(taken, own_hold=False)


def allowed(workspace: Workspace, filters: Filters | None = None, user_id: str = "u1") -> list[str]:
    index, mask = workspace.candidates(user_id, START, filters, current=True)
    return [one.item.memory_id for one, yes in zip(index.rows, mask, strict=True) if yes]


def test_the_index_in_ram_follows_every_write(workspace: Workspace, store: Counting) -> None:
    workspace.write("u1", [row("a"), row("b")])
    assert allowed(workspace) == ["a", "b"]
    finds = store.finds
    workspace.write("u1", [row("c"), row("a", retracted_at=START)])
    assert allowed(workspace) == ["b", "c"]
    workspace.remove("u1", ["b"])
    assert allowed(workspace) == ["c"]
    workspace.write("u1", [row("b", "again")])
    assert allowed(workspace) == ["c", "b"]
    assert store.finds == finds


def test_a_filter_narrows_the_index(workspace: Workspace) -> None:
    workspace.write(
        "u1", [row("a", metadata={"n": 1}), row("b", metadata={"n": 2}), row("c", expires_at=START)]
    )
    assert allowed(workspace, {"n": {"$gt": 1}}) == ["b"]
    assert allowed(workspace, {"$not": {"n": 1}}) == ["b"]
    assert allowed(workspace, {"n": 3}) == []


def test_an_index_read_while_somebody_writes_is_not_kept(
    workspace: Workspace, store: Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace.write("u1", [row("a")])
    original = store.find

    def find_then_write(user_id: str, filters: Filters | None = None, **options: Any) -> list[StoredMemory]:
        rows = original(user_id, filters, **options)
        monkeypatch.setattr(store, "find", original)
        workspace.write("u1", [row("b")])
        return rows

    monkeypatch.setattr(store, "find", find_then_write)
    assert allowed(workspace) == ["a"]
    assert allowed(workspace) == ["a", "b"]


def test_a_store_that_others_write_to_is_read_every_time(workspace: Workspace, store: Counting) -> None:
    store.shared = True
    workspace.write("u1", [row("a")])
    assert allowed(workspace) == ["a"]
    store.write("u1", [row("b")])
    assert allowed(workspace) == ["a", "b"]


def test_one_store_has_one_workspace_and_the_last_holder_closes_it(store: Counting) -> None:
    first = take_workspace(store)
    second = take_workspace(store)
    assert first is second
    release_workspace(first, own_hold=False)
    second.submit("u1", lambda: second.write("u1", [row("a")])).result(5)
    assert [found.item.memory_id for found in store.find("u1")] == ["a"]
    release_workspace(second, own_hold=False)
    with pytest.raises(StoreClosedError):
        store.find("u1")
    with pytest.raises(StoreClosedError):
        second.submit("u1", lambda: None)


def test_access_counts_are_added_up_and_do_not_bring_rows_back(
    workspace: Workspace, store: Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace.write("u1", [row("a", access_count=2), row("b"), row("c")])
    workspace.note_access("u1", ["a", "b", "c"], START)
    workspace.note_access("u1", ["a"], START)
    workspace.remove("u1", ["b"])

    read = store.read

    def read_and_lose(user_id: str, memory_ids: Sequence[str]) -> list[StoredMemory]:
        rows = read(user_id, memory_ids)
        store.delete(user_id, ["c"])  # another process, between the read and the write
        return rows

    monkeypatch.setattr(store, "read", read_and_lose)
    workspace.flush_accesses()
    (kept,) = store.find("u1")
    assert (kept.item.memory_id, kept.item.access_count, kept.item.last_accessed_at) == ("a", 4, START)
    assert workspace.flush_accesses() == 0


def test_barriers_belong_to_one_user(workspace: Workspace) -> None:
    first, second = workspace.guard("u1"), workspace.guard("u2")
    for handed_in in (first, second):
        handed_in.note_shared()
    workspace.raise_local_barrier("u1")
    assert (first.still_holds(), second.still_holds()) == (False, True)
    later = workspace.guard("u1")
    later.note_shared()
    assert later.still_holds()


def test_searching_while_others_write_never_shows_half_a_write(workspace: Workspace) -> None:
    """Two rows are written together and retired together; a search sees both or none."""
    stop = threading.Event()
    odd: list[list[str]] = []

    def look() -> None:
        while not stop.is_set():
            ids = allowed(workspace)
            if len(ids) % 2:
                odd.append(ids)

    looker = threading.Thread(target=look)
    looker.start()
    for number in range(15):
        pair = [f"x{number}", f"y{number}"]
        workspace.write("u1", [row(name) for name in pair])
        workspace.remove("u1", pair)
    stop.set()
    looker.join()
    assert odd == []
