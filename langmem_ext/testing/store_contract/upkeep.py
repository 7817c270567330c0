"""Turns, barriers, erasing, repairing, closing, opening again."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import Any
from unittest import SkipTest

from langmem_ext.errors import StorageError, StoreClosedError
from langmem_ext.ports import MemoryStore
from langmem_ext.receipts import ErasureReceipt, RepairReport
from langmem_ext.testing.store_contract.checks import assert_same, ids, raises, run_at_once
from langmem_ext.testing.store_contract.examples import EMBEDDER, LOOK_ALIKES, START, full_row, row


class UpkeepContract:
    """What `exclusive`, `barrier`, `erase`, `repair` and `close` must do, and what outlasts a `close`."""

    fingerprint = EMBEDDER.fingerprint
    patience = 30.0

    def reopen(self, store: MemoryStore) -> MemoryStore | None:
        """Open the place of this store once more; None when it has none that lasts."""
        return None

    def test_it_is_a_memory_store(self, store: MemoryStore) -> None:
        assert isinstance(store, MemoryStore), "an operation of the port is missing"
        assert store.fingerprint == self.fingerprint, "open the store with `self.fingerprint`"
        assert store.shared in (True, False)
        assert store.users() == [], "the fixture `store` must give an empty store"

    # -- exclusive and barriers

    def test_different_users_are_exclusive_at_once(self, store: MemoryStore) -> None:
        users = [f"u{number}" for number in range(6)]
        all_inside = threading.Barrier(len(users))

        def wait_inside(name: str) -> None:
            with store.exclusive(name):
                all_inside.wait(self.patience)
                store.write(name, [row("m", user_id=name)])

        otherwise = "one user kept another one waiting"
        try:
            run_at_once([partial(wait_inside, name) for name in users], 2 * self.patience, otherwise)
        except threading.BrokenBarrierError:
            raise AssertionError(otherwise) from None
        assert store.users() == users

    def test_exclusive_ends_also_after_an_error(self, store: MemoryStore) -> None:
        for number in range(3):
            try:
                with store.exclusive("u1"):
                    store.write("u1", [row(f"m{number}")])
                    raise KeyError(number)
            except KeyError as error:
                assert error.args == (number,), "what is raised inside passes through as it is"
            run_at_once([partial(take_exclusively, store)], self.patience, "it was not free again")
        assert store.find_ids("u1") == ["m0", "m1", "m2"]

    def test_a_barrier_rises_for_its_user_only(self, store: MemoryStore) -> None:
        assert [store.barrier(name) for name in LOOK_ALIKES] == [0] * len(LOOK_ALIKES)
        store.write("u1", [row("a")])
        heights = [store.barrier("u1")]
        for _ in range(3):
            with store.exclusive("u1"):
                store.raise_barrier("u1")
            heights.append(store.barrier("u1"))
        assert heights == sorted(set(heights)) and heights[0] == 0, "it rises with every `raise_barrier`"
        store.delete("u1", ["a"])
        store.erase("u1")
        assert store.barrier("u1") == heights[-1], "it stays, whatever becomes of the rows"
        others = [name for name in LOOK_ALIKES if name != "u1"]
        assert [name for name in others if store.barrier(name) != 0] == []
        assert store.users() == [], "a barrier is no row"

    # -- erasing and repairing

    def test_erasing_keeps_what_was_not_deleted(self, store: MemoryStore) -> None:
        kept = [full_row("k1"), row("k2", metadata={"n": 1}), full_row("k3"), row("k4")]
        store.write("u1", [row("gone1", "a secret"), *kept[:2], full_row("gone2"), *kept[2:]])
        store.write("u2", [row("k1", user_id="u2"), full_row("k2", user_id="u2")])
        before, others = store.find("u1"), store.find("u2")
        deleted = store.read("u1", ["gone1", "gone2"])
        store.delete("u1", ["gone1", "gone2"])
        receipt = store.erase("u1", deleted)
        assert isinstance(receipt, ErasureReceipt)
        assert receipt.traces == (), "something of the deleted rows was left in a file"
        found = store.find("u1")
        assert_same(found, kept)
        assert [one.sequence for one in found] == [
            one.sequence for one in before if one.item.memory_id.startswith("k")
        ]
        assert store.find_ids("u1", {"turn_ids": "t1"}) == ["k1", "k3"]
        assert store.find_ids("u1", {"n": 1}) == ["k2"]
        assert_same(store.find("u2"), others)
        assert store.read("u1", ["gone1", "gone2"]) == []

    def test_writes_go_on_after_erasing(self, store: MemoryStore) -> None:
        store.write("u1", [row("b"), row("gone"), row("a")])
        deleted = store.read("u1", ["gone"])
        store.delete("u1", ["gone"])
        for number in range(2):
            store.erase("u1", deleted)
            store.write("u1", [row(f"later{number}")])
            store.write("u1", [replace(store.read("u1", ["b"])[0], chain_id=f"changed{number}")])
            assert store.find_ids("u1", {"chain_id": f"changed{number}"}) == ["b"]
        assert ids(store.find("u1")) == store.find_ids("u1") == ["b", "a", "later0", "later1"]
        assert store.delete("u1", ["later0"]) == 1

    def test_erasing_takes_a_user_without_rows_and_all_users(self, store: MemoryStore) -> None:
        assert isinstance(store.erase("nobody"), ErasureReceipt)
        assert isinstance(store.erase(), ErasureReceipt)
        owners = LOOK_ALIKES[:6]
        for name in owners:
            store.write(name, [full_row("stays", user_id=name), row("gone", user_id=name)])
            store.delete(name, ["gone"])
        assert isinstance(store.erase("nobody"), ErasureReceipt)
        assert isinstance(store.erase(), ErasureReceipt)
        for name in owners:
            assert_same(store.find(name), [full_row("stays", user_id=name)])
        deleted = store.read("u1", ["stays"])
        store.delete("u1", ["stays"])
        assert isinstance(store.erase("u1", deleted), ErasureReceipt)
        assert store.users() == sorted(set(owners) - {"u1"})

    def test_repairing_a_healthy_store_changes_nothing(self, store: MemoryStore) -> None:
        def embed(texts: Sequence[str]) -> Any:
            raise AssertionError(f"nothing is broken, but {len(texts)} texts were to be embedded")

        def repair() -> None:
            try:
                assert store.repair(embed) == RepairReport((), 0)
            except StorageError:  # a store that cannot be repaired from here says so
                pass

        repair()
        store.write("u1", [full_row("a"), row("b")])
        store.write("u2", [row("a", user_id="u2")])
        before = {name: store.find(name) for name in store.users()}
        repair()
        for name, rows in before.items():
            assert_same(store.find(name), rows)
            assert [one.sequence for one in store.find(name)] == [one.sequence for one in rows]
        store.write("u1", [row("c")])
        assert store.find_ids("u1") == ["a", "b", "c"]

    # -- closing and opening again

    def test_close_twice_and_use_after_it(self, store: MemoryStore) -> None:
        store.write("u1", [row("a")])
        store.close()
        store.close()
        calls: dict[str, Callable[[], object]] = {
            "write": lambda: store.write("u1", [row("b")]),
            "read": lambda: store.read("u1", ["a"]),
            "find": lambda: store.find("u1"),
            "find_ids": lambda: store.find_ids("u1"),
            "delete": lambda: store.delete("u1", ["a"]),
            "count_accesses": lambda: store.count_accesses("u1", {"a": (1, START)}),
            "users": store.users,
            "exclusive": lambda: take_exclusively(store),
            "barrier": lambda: store.barrier("u1"),
            "raise_barrier": lambda: store.raise_barrier("u1"),
            "erase": lambda: store.erase("u1"),
            "repair": lambda: store.repair(EMBEDDER.embed_documents),
        }
        for name, call in calls.items():
            with raises(StoreClosedError, "closed", f"{name} after close"):
                call()

    def test_rows_outlast_the_store(self, store: MemoryStore) -> None:
        kept = [full_row(), row("plain")]
        store.write("u1", [*kept, row("gone")])
        store.delete("u1", ["gone"])
        store.close()
        with closing(self._reopened(store)) as again:
            assert_same(again.find("u1"), kept)
            again.erase("u1")
            again.write("u1", [row("later")])
        with closing(self._reopened(store)) as third:
            assert_same(third.find("u1"), [*kept, row("later")])

    def test_pages_have_no_gap_when_the_clock_was_set_back(self, store: MemoryStore) -> None:
        from unittest.mock import patch

        store.write("u1", [row("a"), row("b"), row("c")])
        store.close()
        hour_ago = time.time() - 3600
        with patch("time.time", lambda: hour_ago), closing(self._reopened(store)) as again:
            again.write("u1", [row("d"), row("e")])
            seen: list[str] = []
            after = 0.0
            while page := again.find("u1", {"sequence": {"$gt": after}}, limit=1):
                seen.append(page[0].item.memory_id)
                after = page[0].sequence
        assert seen == ["a", "b", "c", "d", "e"]

    def test_two_that_share_a_store_see_each_other(self, store: MemoryStore) -> None:
        if not store.shared:
            raise SkipTest("this store is not shared with other processes")
        inside = threading.Event()

        def wait_for_it() -> None:
            with other.exclusive("u1"):
                inside.set()

        with closing(self._reopened(store)) as other:
            store.write("u1", [row("a")])
            assert ids(other.find("u1")) == ["a"]
            other.write("u1", [row("b")])
            assert ids(store.find("u1")) == ["a", "b"]
            waiting = threading.Thread(target=wait_for_it, daemon=True)
            with store.exclusive("u1"):
                waiting.start()
                assert not inside.wait(min(1.0, self.patience)), "both are alone with one user"
                store.raise_barrier("u1")
            assert inside.wait(self.patience), "it did not pass on"
            waiting.join()
            assert store.barrier("u1") == other.barrier("u1") > 0

    def _reopened(self, store: MemoryStore) -> MemoryStore:
        again = self.reopen(store)
        if again is None:
            raise SkipTest("this store does not last: `reopen` returns None")
        return again


def take_exclusively(store: MemoryStore) -> None:
    """Enter `exclusive` and leave it."""
    with store.exclusive("u1"):
        pass
