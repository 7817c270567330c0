"""Records: JSON values that an application keeps under names of its own, beside a user's memories."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from langmem_ext.doors.door import Door
from langmem_ext.items import Filters
from langmem_ext.record_rows import FoundRecord, NewRecord, Record, RecordName


class RecordsDoor(Door):
    """Keeping records.

    They are the user's: `delete_all`, `erase`, exports and expiry take them along. They are no memories:
    `search`, `context`, `list_memories`, `forget` and learning do not see them, and the reverse.
    """

    def write_records(self, records: Sequence[NewRecord], *, delete: Sequence[RecordName] = ()) -> None:
        """Store records, and delete others.

        A record replaces what lay under its name, but for `created_at`. All are checked and their texts
        embedded before the first is stored; those of one call are stored in small groups, each all or
        none. A text beyond the embedder's window is found by each of its parts. Values are kept as they
        are; secrets in texts are replaced by placeholders before the embedder sees them.

        Args:
            records: Of two with one name the last counts.
            delete: Names; where nothing lies is fine.

        Raises:
            InvalidInputError: something cannot be kept; nothing was stored.
            ModelError: the embedder is unavailable; nothing was stored.
            StorageError: the store is unavailable, or `delete_all` came in between.
        """
        self._run(self._records.write(records, delete))

    async def awrite_records(
        self, records: Sequence[NewRecord], *, delete: Sequence[RecordName] = ()
    ) -> None:
        """As `write_records`."""
        await self._arun(self._records.write(records, delete))

    def read_records(self, names: Sequence[RecordName]) -> list[Record | None]:
        """What lies under these names, in their order; None where nothing lies, or only something expired."""
        self._rooms.check_open()
        return self._records.read(names)

    async def aread_records(self, names: Sequence[RecordName]) -> list[Record | None]:
        """As `read_records`."""
        return await asyncio.to_thread(self.read_records, names)

    def keep_records(self, names: Sequence[RecordName]) -> None:
        """Let the time to live of these records begin anew; those without one stay as they are."""
        self._run(self._records.keep(names))

    async def akeep_records(self, names: Sequence[RecordName]) -> None:
        """As `keep_records`."""
        await self._arun(self._records.keep(names))

    def search_records(
        self,
        prefix: tuple[str, ...] = (),
        *,
        query: str | None = None,
        filters: Filters | None = None,
        limit: int = 10,
        offset: int = 0,
    ) -> list[FoundRecord]:
        """The records whose namespace begins with these labels.

        With a query those whose texts are nearest come first, and those without a text last; else they
        come in the order in which they were first stored.

        Args:
            prefix: Labels; () for all.
            query: A question or a phrase; None or blank to list.
            filters: The language of `search` on the fields of the value, which may be nested.
            limit: At most this many.
            offset: So many are passed over.

        Raises:
            InvalidInputError: an argument that cannot be searched for.
            ModelError: the embedder is unavailable.
            StorageError: the store is unavailable.
        """
        self._rooms.check_open()
        return self._records.search(prefix, query, filters, limit, offset)

    async def asearch_records(
        self,
        prefix: tuple[str, ...] = (),
        *,
        query: str | None = None,
        filters: Filters | None = None,
        limit: int = 10,
        offset: int = 0,
    ) -> list[FoundRecord]:
        """As `search_records`."""
        return await asyncio.to_thread(
            self.search_records, prefix, query=query, filters=filters, limit=limit, offset=offset
        )

    def list_namespaces(self, prefix: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
        """The namespaces of records that begin with these labels, sorted."""
        self._rooms.check_open()
        return self._records.namespaces(prefix)

    async def alist_namespaces(self, prefix: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
        """As `list_namespaces`."""
        return await asyncio.to_thread(self.list_namespaces, prefix)
