"""The `MemoryStore` on Chroma: scoped reads and writes of full rows."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Self

import chromadb
import numpy as np

from langmem_ext.errors import LangMemExtError, StorageError, StoreClosedError, StoreLockedError
from langmem_ext.items import Filters
from langmem_ext.ports import WRITE_LIMIT, EmbedderFingerprint, EmbedTexts, StoredMemory
from langmem_ext.receipts import ErasureReceipt, RepairReport
from langmem_ext.stores.chroma.embedded import EmbeddedShards
from langmem_ext.stores.chroma.failures import raise_unless_chroma
from langmem_ext.stores.chroma.paging import get_rows, owners, parts
from langmem_ext.stores.chroma.ram import MemoryShards
from langmem_ext.stores.chroma.rows import access_columns, decode, encode, row_id, shard_number, user_key
from langmem_ext.stores.chroma.sequences import Sequences
from langmem_ext.stores.chroma.server import ServerShards
from langmem_ext.stores.chroma.shards import Shards
from langmem_ext.stores.chroma.where import Clause, both, translate, valid_at

# Chroma logs a row with some 5,400 columns, cannot apply it, and then nothing else of the shard either.
_MAX_COLUMNS: Final = 2000


class ChromaStore:
    """Memories in Chroma. Open one with `embedded`, `server` or `in_memory`.

    Every request carries the user in its `where` or in its ids, and every row that comes back is
    checked again.
    """

    def __init__(self, shards: Shards, path: Path | None = None) -> None:
        self._shards = shards
        self._path = path
        self._opening = threading.Lock() if path is None else _opening(path)
        self._sequences = Sequences(shared=shards.shared)
        self._holders = 1
        self._closed = False

    @classmethod
    def embedded(cls, path: str | Path, fingerprint: EmbedderFingerprint) -> ChromaStore:
        """The store in a directory, made when it is not there.

        One process may hold a directory; within the process all that open it share one store, which
        closes when the last of them does.

        Raises:
            StoreLockedError: another process holds it.
            EmbedderMismatchError: it was written with another embedder.
            StorageError: it cannot be created or read.
        """
        resolved = Path(path).expanduser().resolve()
        with _opening(resolved):
            store = _open_stores.get(resolved)
            if store is None or store._make_way():
                store = _open_stores[resolved] = cls(EmbeddedShards(resolved, fingerprint), resolved)
                return store
            store._shards.card.check(fingerprint, store._shards.where)
            store._holders += 1
            return store

    @staticmethod
    def reembed(path: str | Path, fingerprint: EmbedderFingerprint, embed: EmbedTexts) -> RepairReport:
        """Give the rows of a directory vectors of another embedder. Nobody may have it open.

        Raises:
            StoreLockedError: this process or another one holds it.
            StorageError: it cannot be read or written; it is as it was.
        """
        resolved = Path(path).expanduser().resolve()
        if not EmbeddedShards.is_one(resolved):  # before anything is made
            raise StorageError(f"there is no store in {resolved}")
        with _opening(resolved):
            if resolved in _open_stores:
                raise StoreLockedError(f"{resolved} is open in this process; close it first")
            shards = EmbeddedShards(resolved, None)
            try:
                with ChromaStore(shards)._translated():
                    return shards.reembed(fingerprint, embed)
            finally:
                shards.close()

    @classmethod
    def server(
        cls,
        url: str,
        fingerprint: EmbedderFingerprint,
        *,
        headers: Mapping[str, str] | None = None,
        prefix: str = "langmem_ext",
    ) -> ChromaStore:
        """The store on a Chroma server. `headers` authenticate; `prefix` names the collections.

        Raises:
            StorageError: the server does not answer.
            EmbedderMismatchError: it was written with another embedder.
        """
        return cls(ServerShards(url, fingerprint, headers=dict(headers) if headers else None, prefix=prefix))

    @classmethod
    def in_memory(cls, fingerprint: EmbedderFingerprint) -> Self:
        """A store of its own in RAM."""
        return cls(MemoryShards(fingerprint))

    @property
    def shared(self) -> bool:
        """See `MemoryStore`."""
        return self._shards.shared

    @property
    def fingerprint(self) -> EmbedderFingerprint:
        """See `MemoryStore`."""
        return self._shards.card.fingerprint

    def check(self) -> None:
        """See `MemoryStore`."""
        with self._translated():
            self._shards.check()

    def write(self, user_id: str, rows: Sequence[StoredMemory]) -> None:
        """See `MemoryStore`."""
        if len(rows) > WRITE_LIMIT:
            raise ValueError(f"{len(rows)} rows in one write; at most {WRITE_LIMIT} are stored all or none")
        if not rows:
            return
        if any(row.item.user_id != user_id for row in rows):
            raise StorageError("a row of another user was to be written; nothing was")
        with self._writing(user_id) as collection:
            sequence = self._sequences.above(collection, user_id)
            ordered = [row if row.sequence else replace(row, sequence=next(sequence)) for row in rows]
            ids, documents, columns = (list(part) for part in zip(*map(encode, ordered), strict=True))
            # An upsert merges metadata: what the new row lacks must be taken out by name.
            old = collection.get(ids=ids, include=["metadatas"])
            stale = dict(zip(old["ids"], old["metadatas"] or [], strict=True))
            for row, chroma_id, row_columns in zip(rows, ids, columns, strict=True):
                before = stale.get(chroma_id) or {}
                row_columns.update(dict.fromkeys(set(before) - set(row_columns)))
                if before and not row.sequence:  # the place of its first write
                    row_columns["sequence"] = before["sequence"]
                if len(row_columns) > _MAX_COLUMNS:
                    raise StorageError("a row has too many columns for Chroma; nothing was written")
            self._check_lease(user_id)
            collection.upsert(
                ids=ids,
                embeddings=np.stack([row.vector for row in ordered]),
                documents=documents,
                metadatas=columns,
            )

    def read(self, user_id: str, memory_ids: Sequence[str]) -> list[StoredMemory]:
        """See `MemoryStore`."""
        wanted = [row_id(user_id, memory_id) for memory_id in memory_ids]
        unique = list(dict.fromkeys(wanted))
        found: dict[str, StoredMemory] = {}
        with self._reading(user_id) as collection:
            for part in parts(unique):
                answer = get_rows(collection, ids=part, include=["metadatas", "documents", "embeddings"])
                found.update(zip(answer["ids"], self._decode(user_id, answer), strict=True))
        return [found[chroma_id] for chroma_id in wanted if chroma_id in found]

    def find(
        self,
        user_id: str,
        filters: Filters | None = None,
        *,
        valid_at: datetime | None = None,
        limit: int | None = None,
    ) -> list[StoredMemory]:
        """See `MemoryStore`."""
        answer = self._get(user_id, filters, valid_at, limit, ["metadatas", "documents", "embeddings"])
        rows = self._decode(user_id, answer) if answer else []
        return sorted(rows, key=lambda row: row.sequence)

    def find_ids(
        self, user_id: str, filters: Filters | None = None, *, valid_at: datetime | None = None
    ) -> list[str]:
        """See `MemoryStore`."""
        answer = self._get(user_id, filters, valid_at, None, [])
        prefix = len(user_key(user_id)) + 1
        return [chroma_id[prefix:] for chroma_id in answer["ids"]] if answer else []

    def delete(self, user_id: str, memory_ids: Sequence[str]) -> int:
        """See `MemoryStore`."""
        ids = [row_id(user_id, memory_id) for memory_id in dict.fromkeys(memory_ids)]
        deleted = 0
        with self._writing(user_id) as collection:
            for part in parts(ids):
                there = collection.get(ids=part, include=[])["ids"]
                self._check_lease(user_id)
                if there:  # an empty list must never reach Chroma
                    collection.delete(ids=there)
                deleted += len(there)
        return deleted

    def count_accesses(
        self, user_id: str, accesses: Mapping[str, tuple[int, datetime]]
    ) -> list[StoredMemory]:
        """See `MemoryStore`."""
        rows = [row.accessed(*accesses[row.item.memory_id]) for row in self.read(user_id, list(accesses))]
        with self._writing(user_id) as collection:
            for start in range(0, len(rows), WRITE_LIMIT):
                part = rows[start : start + WRITE_LIMIT]
                self._check_lease(user_id)
                # An update and no upsert: a row that another process removed meanwhile stays away.
                collection.update(
                    ids=[row_id(user_id, row.item.memory_id) for row in part],
                    metadatas=[access_columns(row.item) for row in part],
                )
        return rows

    def users(self, filters: Filters | None = None) -> list[str]:
        """See `MemoryStore`."""
        clause = translate(filters)
        if clause is False:
            return []
        with self._translated():
            numbers = self._shards.existing()
        users: set[str] = set()
        for number in numbers:
            with self._translated(number), self._shards.reading(number) as collection:
                users.update(owners(collection, None if clause is True else clause))
        return sorted(users)

    @contextmanager
    def exclusive(self, user_id: str) -> Iterator[None]:
        """See `MemoryStore`."""
        with ExitStack() as lease:
            with self._translated():
                lease.enter_context(self._shards.leases.hold(user_key(user_id)))
            yield

    def barrier(self, user_id: str) -> int:
        """See `MemoryStore`."""
        with self._translated():
            return self._shards.leases.barrier(user_key(user_id))

    def raise_barrier(self, user_id: str) -> None:
        """See `MemoryStore`."""
        with self._translated():
            self._shards.leases.raise_barrier(user_key(user_id))

    def erase(self, user_id: str | None = None, deleted: Sequence[StoredMemory] = ()) -> ErasureReceipt:
        """See `MemoryStore`."""
        number = None if user_id is None else self._number(user_id)
        with self._translated(number):
            numbers = self._shards.existing() if number is None else [number]
            return self._shards.erase(numbers, deleted)

    def repair(self, embed: EmbedTexts) -> RepairReport:
        """See `MemoryStore`."""
        with self._translated():
            return self._shards.repair(embed)

    def close(self) -> None:
        """See `MemoryStore`."""
        with self._opening:
            self._holders -= 1
            if self._holders > 0 or self._closed:
                return
            self._closed = True
            if self._path is not None and _open_stores.get(self._path) is self:
                del _open_stores[self._path]
            # Still under the lock: who opens the same path meanwhile must not find it taken.
            self._shards.close()

    def _get(
        self,
        user_id: str,
        filters: Filters | None,
        when: datetime | None,
        limit: int | None,
        include: list[str],
    ) -> Any:
        clause: Clause = both(
            {"user_id": user_id}, translate(filters), True if when is None else valid_at(when)
        )
        if clause is False:
            return None
        with self._reading(user_id) as collection:
            return get_rows(collection, where=clause, limit=limit, include=include)

    def _decode(self, user_id: str, answer: Any) -> list[StoredMemory]:
        columns = zip(answer["documents"], answer["metadatas"], answer["embeddings"], strict=True)
        return [
            decode(user_id, document, metadata, np.asarray(vector, dtype=np.float32))
            for document, metadata, vector in columns
        ]

    def _make_way(self) -> bool:
        """Whether a new store may take its place: it is the parent's, or its directory is gone."""
        shards = self._shards
        if not isinstance(shards, EmbeddedShards) or not (shards.forked or shards.gone):
            return False
        if not shards.forked:
            shards.abandon()
        return True

    def _number(self, user_id: str) -> int:
        return shard_number(user_id, self._shards.card.shards)

    def _check_lease(self, user_id: str) -> None:
        self._shards.leases.check(user_key(user_id))

    @contextmanager
    def _reading(self, user_id: str) -> Iterator[chromadb.Collection]:
        number = self._number(user_id)
        with self._translated(number), self._shards.reading(number) as collection:
            yield collection

    @contextmanager
    def _writing(self, user_id: str) -> Iterator[chromadb.Collection]:
        number = self._number(user_id)
        with self._translated(number), self._shards.writing(number) as collection:
            yield collection

    @contextmanager
    def _translated(self, number: int | None = None) -> Iterator[None]:
        if self._closed:
            raise StoreClosedError()
        try:
            yield
        except LangMemExtError:
            raise
        except BaseException as error:  # Chroma raises its own, SQLite's, httpx's and Rust's errors
            raise_unless_chroma(error)
            if self._closed:
                raise StoreClosedError() from error
            raise self._shards.failure(number, error) from error


_open_stores: dict[Path, ChromaStore] = {}
_locks: dict[Path, threading.Lock] = {}


def _opening(path: Path) -> threading.Lock:
    """Held while a path is opened or closed: one that takes long keeps no other path waiting."""
    return _locks.setdefault(path, threading.Lock())
