"""Reading: by id, in pages, with their history, as JSON lines."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import TextIO

from langmem_ext.doors.door import Door, When
from langmem_ext.items import (
    Filters,
    History,
    HistoryEvent,
    MemoryItem,
    MemoryType,
    Page,
    as_utc,
)


class ReadingDoor(Door):
    """Looking at memories."""

    def get(self, memory_id: str) -> MemoryItem:
        """A memory by id, older versions included. MemoryNotFoundError when it is not this user's."""
        self._rooms.check_open()
        return self._reader.get(memory_id)

    async def aget(self, memory_id: str) -> MemoryItem:
        """As `get`."""
        return await asyncio.to_thread(self.get, memory_id)

    def list_memories(
        self,
        *,
        limit: int = 100,
        cursor: str | None = None,
        filters: Filters | None = None,
        memory_type: MemoryType | None = None,
        as_of: When | None = None,
        include_expired: bool = False,
    ) -> Page:
        """A page of the valid memories, in the order in which they were stored.

        Args:
            limit: At most this many.
            cursor: `Page.cursor` of the page before.
            filters: As in `search`.
            memory_type: As in `search`.
            as_of: As in `search`.
            include_expired: Also those that expired or ended and were not removed yet.
        """
        self._rooms.check_open()
        when = None if as_of is None else as_utc(as_of, "as_of")
        return self._reader.page(limit, cursor, filters, memory_type, when, include_expired)

    async def alist_memories(
        self,
        *,
        limit: int = 100,
        cursor: str | None = None,
        filters: Filters | None = None,
        memory_type: MemoryType | None = None,
        as_of: When | None = None,
        include_expired: bool = False,
    ) -> Page:
        """As `list_memories`."""
        return await asyncio.to_thread(
            self.list_memories,
            limit=limit,
            cursor=cursor,
            filters=filters,
            memory_type=memory_type,
            as_of=as_of,
            include_expired=include_expired,
        )

    def iter_memories(
        self, *, filters: Filters | None = None, memory_type: MemoryType | None = None
    ) -> Iterator[MemoryItem]:
        """All valid memories, page by page."""
        cursor: str | None = None
        while True:
            page = self.list_memories(limit=500, cursor=cursor, filters=filters, memory_type=memory_type)
            yield from page.memories
            if (cursor := page.cursor) is None:
                return

    async def aiter_memories(
        self, *, filters: Filters | None = None, memory_type: MemoryType | None = None
    ) -> AsyncIterator[MemoryItem]:
        """As `iter_memories`."""
        cursor: str | None = None
        while True:
            page = await self.alist_memories(
                limit=500, cursor=cursor, filters=filters, memory_type=memory_type
            )
            for item in page.memories:
                yield item
            if (cursor := page.cursor) is None:
                return

    def history(self, memory_id: str) -> list[HistoryEvent]:
        """What happened to a fact, oldest first: every version of its chain."""
        self._rooms.check_open()
        return History(self._reader.history(memory_id))

    async def ahistory(self, memory_id: str) -> list[HistoryEvent]:
        """As `history`."""
        return await asyncio.to_thread(self.history, memory_id)

    def export_memories(self, file: str | Path | TextIO) -> int:
        """Write all of this user's memories, every version, as JSON lines. Returns the lines."""
        self._rooms.check_open()
        return self._reader.export(file)

    async def aexport_memories(self, file: str | Path | TextIO) -> int:
        """As `export_memories`."""
        return await asyncio.to_thread(self.export_memories, file)
