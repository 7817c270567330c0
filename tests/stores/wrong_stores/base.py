"""What the wrong stores share: how they are listed, and right ones to start from."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeAlias

from langmem_ext.items import Filters
from langmem_ext.ports import StoredMemory
from langmem_ext.testing import InMemoryStore

Rows: TypeAlias = list[StoredMemory]
FAULTS: dict[type[InMemoryStore], list[str]] = {}


def seen_by(*tests: str) -> Callable[[type[InMemoryStore]], type[InMemoryStore]]:
    """Register a fault with the names of tests, without `test_`, that must fail because of it."""

    def register(store: type[InMemoryStore]) -> type[InMemoryStore]:
        FAULTS[store] = [f"test_{name}" for name in tests]
        return store

    return register


class Finder(InMemoryStore):
    """A right one in which all kinds of finding go through one short method."""

    def find(
        self,
        user_id: str,
        filters: Filters | None = None,
        *,
        valid_at: datetime | None = None,
        limit: int | None = None,
    ) -> Rows:
        return self.found(user_id, filters, valid_at, limit)

    def found(self, user_id: str, filters: Any = None, when: Any = None, limit: Any = None) -> Rows:
        return super().find(user_id, filters, valid_at=when, limit=limit)


class LastingStore(InMemoryStore):
    """A right one that opens again with what was in it, also while another is open."""

    shared = True

    def again(self) -> LastingStore:
        other = type(self)(self.fingerprint)
        self.hand_over(other)
        return other

    def hand_over(self, other: LastingStore) -> None:
        other._rows, other._barriers, other._user_locks = self._rows, self._barriers, self._user_locks
        other._numbers, other._lock = self._numbers, self._lock
