"""Faults in exclusive, barriers, erasing, repairing, closing and opening again."""

from __future__ import annotations

import itertools
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from langmem_ext.errors import StorageError
from langmem_ext.ports import EmbedderFingerprint, StoredMemory
from langmem_ext.receipts import ErasureReceipt, RepairReport
from langmem_ext.testing import InMemoryStore
from tests.stores.wrong_stores.base import LastingStore, seen_by


@seen_by("it_is_a_memory_store")
class NamesAnotherEmbedder(InMemoryStore):
    def __init__(self, fingerprint: EmbedderFingerprint) -> None:
        super().__init__(replace(fingerprint, model="another"))


@seen_by("different_users_are_exclusive_at_once")
class OneTurnForAll(InMemoryStore):
    def __init__(self, fingerprint: EmbedderFingerprint) -> None:
        super().__init__(fingerprint)
        one = threading.Lock()
        self._user_locks = defaultdict(lambda: one)


@seen_by("exclusive_ends_also_after_an_error")
class StaysExclusiveAfterAnError(InMemoryStore):
    @contextmanager
    def exclusive(self, user_id: str) -> Iterator[None]:
        self._user_locks[user_id].acquire()
        yield
        self._user_locks[user_id].release()


@seen_by("a_barrier_rises_for_its_user_only")
class OneBarrierForAll(InMemoryStore):
    def barrier(self, user_id: str) -> int:
        return sum(self._barriers.values())


@seen_by("a_barrier_rises_for_its_user_only")
class ErasesTheBarrier(InMemoryStore):
    def erase(self, user_id: str | None = None, deleted: Sequence[StoredMemory] = ()) -> ErasureReceipt:
        self._barriers.clear()
        return super().erase(user_id, deleted)


@seen_by("erasing_keeps_what_was_not_deleted", "erasing_takes_a_user_without_rows_and_all_users")
class ErasesTheUser(InMemoryStore):
    def erase(self, user_id: str | None = None, deleted: Sequence[StoredMemory] = ()) -> ErasureReceipt:
        for name in list(self._rows) if user_id is None else [user_id]:
            self._rows[name].clear()
        return super().erase(user_id, deleted)


@seen_by("erasing_keeps_what_was_not_deleted")
class ErasesOthers(InMemoryStore):
    def erase(self, user_id: str | None = None, deleted: Sequence[StoredMemory] = ()) -> ErasureReceipt:
        for name in set(self._rows) - {user_id}:
            self._rows[name].clear()
        return super().erase(user_id, deleted)


@seen_by("writes_go_on_after_erasing")
class CountsFromOneAfterErasing(InMemoryStore):
    def erase(self, user_id: str | None = None, deleted: Sequence[StoredMemory] = ()) -> ErasureReceipt:
        self._numbers = itertools.count(1)
        return super().erase(user_id, deleted)


@seen_by("erasing_takes_a_user_without_rows_and_all_users")
class ErasesKnownUsersOnly(InMemoryStore):
    def erase(self, user_id: str | None = None, deleted: Sequence[StoredMemory] = ()) -> ErasureReceipt:
        if user_id is not None and not self.find(user_id):
            raise StorageError("nobody of this name")
        return super().erase(user_id, deleted)


@seen_by("repairing_a_healthy_store_changes_nothing")
class RepairsTheHealthy(InMemoryStore):
    def repair(self, embed: Callable[[Sequence[str]], Any]) -> RepairReport:
        embed([row.item.content for rows in self._rows.values() for row in rows.values()])
        return super().repair(embed)


@seen_by("close_twice_and_use_after_it")
class StaysOpen(InMemoryStore):
    def close(self) -> None:
        pass


@seen_by("rows_outlast_the_store")
class OpensEmpty(LastingStore):
    def hand_over(self, other: LastingStore) -> None:
        pass


@seen_by("pages_have_no_gap_when_the_clock_was_set_back")
class NumbersByTheClock(LastingStore):
    def __init__(self, fingerprint: EmbedderFingerprint) -> None:
        super().__init__(fingerprint)
        self._numbers = iter(self.now, None)

    @staticmethod
    def now() -> Any:
        time.sleep(1e-4)
        return time.time()

    def hand_over(self, other: LastingStore) -> None:
        super().hand_over(other)
        other._numbers = iter(self.now, None)


@seen_by("two_that_share_a_store_see_each_other")
class TurnsOfItsOwn(LastingStore):
    def hand_over(self, other: LastingStore) -> None:
        locks = other._user_locks
        super().hand_over(other)
        other._user_locks = locks


@seen_by("two_that_share_a_store_see_each_other")
class BarriersOfItsOwn(LastingStore):
    def hand_over(self, other: LastingStore) -> None:
        barriers = other._barriers
        super().hand_over(other)
        other._barriers = barriers
