"""A `MemoryStore` made of dicts."""

from __future__ import annotations

import itertools
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from langmem_ext.errors import StorageError, StoreClosedError
from langmem_ext.items import Filters
from langmem_ext.ports import WRITE_LIMIT, EmbedderFingerprint, StoredMemory
from langmem_ext.receipts import ErasureReceipt, RepairReport
from langmem_ext.testing.filter_rules import check_filters, matches

if TYPE_CHECKING:
    from langmem_ext.ports import Vectors


class InMemoryStore:
    """A whole `MemoryStore` on one page: a start for one of your own, and a quick one for tests.

    It looks at every row of a user for every filter, so it is no store for an application.
    """

    shared = False

    def __init__(self, fingerprint: EmbedderFingerprint) -> None:
        """Make an empty one; `fingerprint` is that of the embedder, as in `FakeEmbedder().fingerprint`."""
        self.fingerprint = fingerprint
        self._rows: defaultdict[str, dict[str, StoredMemory]] = defaultdict(dict)
        self._barriers: Counter[str] = Counter()
        self._user_locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        self._numbers: Iterator[float] = itertools.count(1)
        self._lock = threading.RLock()
        self._closed = False

    def check(self) -> None:
        """See `MemoryStore`."""
        with self._open():
            pass

    def write(self, user_id: str, rows: Sequence[StoredMemory]) -> None:
        """See `MemoryStore`."""
        if len(rows) > WRITE_LIMIT:
            raise ValueError(f"{len(rows)} rows in one write; at most {WRITE_LIMIT} are stored all or none")
        if any(row.item.user_id != user_id for row in rows):
            raise StorageError("a row of another user was to be written; nothing was")
        with self._open() as stored:
            for row in rows:
                known = stored[user_id].get(row.item.memory_id, row)
                sequence = row.sequence or known.sequence or float(next(self._numbers))
                stored[user_id][row.item.memory_id] = replace(row, sequence=sequence)

    def read(self, user_id: str, memory_ids: Sequence[str]) -> list[StoredMemory]:
        """See `MemoryStore`."""
        with self._open() as stored:
            return [stored[user_id][one] for one in memory_ids if one in stored[user_id]]

    def find(
        self,
        user_id: str,
        filters: Filters | None = None,
        *,
        valid_at: datetime | None = None,
        limit: int | None = None,
    ) -> list[StoredMemory]:
        """See `MemoryStore`."""
        check_filters(filters or {})
        with self._open() as stored:
            rows = sorted(stored[user_id].values(), key=lambda row: row.sequence)
        if valid_at is not None:
            rows = [row for row in rows if row.item.is_valid_at(valid_at)]
        return [row for row in rows if matches(filters or {}, row)][:limit]

    def find_ids(
        self, user_id: str, filters: Filters | None = None, *, valid_at: datetime | None = None
    ) -> list[str]:
        """See `MemoryStore`."""
        return [row.item.memory_id for row in self.find(user_id, filters, valid_at=valid_at)]

    def delete(self, user_id: str, memory_ids: Sequence[str]) -> int:
        """See `MemoryStore`."""
        with self._open() as stored:
            return sum(stored[user_id].pop(memory_id, None) is not None for memory_id in memory_ids)

    def count_accesses(
        self, user_id: str, accesses: Mapping[str, tuple[int, datetime]]
    ) -> list[StoredMemory]:
        """See `MemoryStore`."""
        with self._open():
            rows = [
                _accessed(row, *accesses[row.item.memory_id]) for row in self.read(user_id, list(accesses))
            ]
            self.write(user_id, rows)
            return rows

    def users(self, filters: Filters | None = None) -> list[str]:
        """See `MemoryStore`."""
        check_filters(filters or {})
        with self._open() as stored:
            return sorted(user_id for user_id in list(stored) if self.find(user_id, filters))

    @contextmanager
    def exclusive(self, user_id: str) -> Iterator[None]:
        """See `MemoryStore`."""
        with self._open():
            lock = self._user_locks[user_id]
        with lock:
            yield

    def barrier(self, user_id: str) -> int:
        """See `MemoryStore`."""
        with self._open():
            return self._barriers[user_id]

    def raise_barrier(self, user_id: str) -> None:
        """See `MemoryStore`."""
        with self._open():
            self._barriers[user_id] += 1

    def erase(self, user_id: str | None = None, deleted: Sequence[StoredMemory] = ()) -> ErasureReceipt:
        """See `MemoryStore`. There are no files."""
        with self._open():
            return ErasureReceipt()

    def repair(self, embed: Callable[[Sequence[str]], Vectors]) -> RepairReport:
        """See `MemoryStore`. Nothing of it can break."""
        with self._open():
            return RepairReport((), 0)

    def close(self) -> None:
        """See `MemoryStore`."""
        self._closed = True

    @contextmanager
    def _open(self) -> Iterator[defaultdict[str, dict[str, StoredMemory]]]:
        with self._lock:
            if self._closed:
                raise StoreClosedError()
            yield self._rows


def _accessed(row: StoredMemory, count: int, when: datetime) -> StoredMemory:
    item = replace(row.item, access_count=row.item.access_count + count, last_accessed_at=when)
    return replace(row, item=item)
