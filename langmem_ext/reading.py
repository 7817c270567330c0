"""Reading one user's memories: by id, in pages, with their history, as JSON lines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Final, TextIO

from langmem_ext.errors import InvalidInputError, MemoryNotFoundError
from langmem_ext.items import Filters, HistoryEvent, MemoryItem, MemoryType, Page
from langmem_ext.ports import Clock, MemoryStore, StoredMemory
from langmem_ext.recall import with_type
from langmem_ext.record_rows import is_memory, only_memories
from langmem_ext.text import is_well_formed
from langmem_ext.transfer import write_lines

_LARGEST_PAGE: Final = 10_000


class Reader:
    """The rows of one user, read only."""

    def __init__(self, store: MemoryStore, user_id: str, clock: Clock) -> None:
        self._store = store
        self._user = user_id
        self._clock = clock

    def get(self, memory_id: str) -> MemoryItem:
        """See `UserMemory.get`."""
        return self.row(memory_id).item

    def row(self, memory_id: str, *, expired: bool = False) -> StoredMemory:
        """The row with this id; MemoryNotFoundError where there is none, or only an expired one."""
        if not isinstance(memory_id, str):
            raise InvalidInputError(f"memory_id must be a string, not {type(memory_id).__name__}")
        if not is_well_formed(memory_id):
            raise MemoryNotFoundError(memory_id)
        rows = self._store.read(self._user, [memory_id])
        if not rows or not is_memory(rows[0]) or (not expired and _expired(rows[0].item, self._clock())):
            raise MemoryNotFoundError(memory_id)
        return rows[0]

    def chain(self, memory_id: str, *, expired: bool = False) -> list[StoredMemory]:
        """All versions of a memory, this one included."""
        return self._store.find(self._user, {"chain_id": self.row(memory_id, expired=expired).chain_id})

    def page(
        self,
        limit: int,
        cursor: str | None,
        filters: Filters | None,
        memory_type: MemoryType | None,
        as_of: datetime | None,
        include_expired: bool,
    ) -> Page:
        """See `UserMemory.list_memories`."""
        if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= _LARGEST_PAGE:
            raise InvalidInputError(f"limit must be a whole number from 1 to {_LARGEST_PAGE}, got {limit!r}")
        if include_expired and as_of is not None:
            raise InvalidInputError("as_of looks at one instant; leave out include_expired")
        parts: list[Filters] = [only_memories(with_type(filters, memory_type))]
        if cursor is not None:
            parts.append({"sequence": {"$gt": _sequence(cursor)}})
        if include_expired:
            parts.append({"retracted_at": None, "superseded_by": None})
        when = None if include_expired else as_of or self._clock()
        rows = self._store.find(self._user, {"$and": parts}, valid_at=when, limit=limit + 1)
        more = repr(rows[limit - 1].sequence) if len(rows) > limit else None
        return Page(tuple(row.item for row in rows[:limit]), more)

    def history(self, memory_id: str) -> list[HistoryEvent]:
        """See `UserMemory.history`."""
        now = self._clock()
        return _history([row.item for row in self.chain(memory_id) if not _expired(row.item, now)])

    def export(self, file: str | Path | TextIO) -> int:
        """See `UserMemory.export_memories`."""
        return write_lines(file, self._store.find(self._user))


def _expired(item: MemoryItem, now: datetime) -> bool:
    return item.expires_at is not None and item.expires_at <= now


def _history(versions: Sequence[MemoryItem]) -> list[HistoryEvent]:
    """What happened to the versions of one chain, oldest first."""
    starts = {item.memory_id: _recorded(item, versions) for item in versions}
    keyed = []
    for rank, item in enumerate(sorted(versions, key=lambda item: starts[item.memory_id])):
        keyed.append(
            ((starts[item.memory_id], rank, 0), HistoryEvent(starts[item.memory_id], "recorded", item))
        )
        if item.retracted_at is not None:
            keyed.append(((item.retracted_at, rank, 1), HistoryEvent(item.retracted_at, "retracted", item)))
        elif item.superseded_by is not None:
            keyed.append(((item.updated_at, rank, 1), HistoryEvent(item.updated_at, "superseded", item)))
    return [event for _, event in sorted(keyed, key=lambda pair: pair[0])]


def _recorded(item: MemoryItem, versions: Sequence[MemoryItem]) -> datetime:
    """When a version was stored. One edited by hand keeps `created_at`, and its text dates from the edit."""
    edits = [
        old.retracted_at
        for old in versions
        if old.superseded_by == item.memory_id and old.created_at == item.created_at and old.retracted_at
    ]
    return max(edits, default=item.created_at)


def _sequence(cursor: str) -> float:
    try:
        sequence = float(cursor)
    except (TypeError, ValueError):
        sequence = math.nan
    if not math.isfinite(sequence):
        raise InvalidInputError(f"cursor {cursor!r} is not one of Page.cursor")
    return sequence
