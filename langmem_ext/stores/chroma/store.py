"""The `MemoryStore` on Chroma: scoped reads and writes of full rows."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import chromadb
import numpy as np

from langmem_ext.errors import LangMemExtError, StorageError, StoreClosedError
from langmem_ext.items import Filters
from langmem_ext.ports import WRITE_LIMIT, EmbedderFingerprint, StoredMemory
from langmem_ext.stores.chroma.rows import access_columns, decode, encode, row_id, user_key
from langmem_ext.stores.chroma.shards import EmbeddedShards, MemoryShards, ServerShards, Shards
from langmem_ext.stores.chroma.where import Clause, both, translate, valid_at

_READ_LIMIT: Final = 1000  # ids in one request
# Chroma logs a row with some 5,400 columns, can not apply it, and then nothing else of the shard either.
_MAX_COLUMNS: Final = 2000


class ChromaStore:
    """Memories in Chroma. Open one with `embedded`, `server` or `in_memory`.

    Every request carries the user in its `where` or in its ids, and every row that comes back is
    checked again.
    """

    def __init__(self, shards: Shards) -> None:
        self._shards = shards
        self._sequence_lock = threading.Lock()
        self._last_sequence: dict[str, float] = {}
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
            StorageError: it can not be created or read.
        """
        resolved = Path(path).expanduser().resolve()
        with _open_lock:
            store = _open_stores.get(resolved)
            if store is None or store._is_forked():
                store = _open_stores[resolved] = cls(EmbeddedShards(resolved, fingerprint))
                return store
            store._shards.card.check(fingerprint, store._shards.where)
            store._holders += 1
            return store

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
    def in_memory(cls, fingerprint: EmbedderFingerprint) -> ChromaStore:
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

    def write(self, user_id: str, rows: Sequence[StoredMemory]) -> None:
        """See `MemoryStore`."""
        if len(rows) > WRITE_LIMIT:
            raise ValueError(f"{len(rows)} rows in one write; at most {WRITE_LIMIT} are stored all or none")
        if not rows:
            return
        if any(row.item.user_id != user_id for row in rows):
            raise StorageError("a row of another user was to be written; nothing was")
        with self._chroma(user_id) as collection:
            sequence = self._sequences(collection)
            ordered = [row if row.sequence else replace(row, sequence=next(sequence)) for row in rows]
            ids, documents, columns = (list(part) for part in zip(*map(encode, ordered), strict=True))
            # An upsert merges metadata: what the new row lacks must be taken out by name.
            old = collection.get(ids=ids, include=["metadatas"])
            stale = dict(zip(old["ids"], old["metadatas"] or [], strict=True))
            for chroma_id, row_columns in zip(ids, columns, strict=True):
                row_columns.update(dict.fromkeys(set(stale.get(chroma_id) or ()) - set(row_columns)))
                if len(row_columns) > _MAX_COLUMNS:
                    raise StorageError("a row has too many columns for Chroma; nothing was written")
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
        with self._chroma(user_id) as collection:
            for part in _parts(unique):
                answer = collection.get(ids=part, include=["metadatas", "documents", "embeddings"])
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
        with self._chroma(user_id) as collection:
            for part in _parts(ids):
                there = collection.get(ids=part, include=[])["ids"]
                if there:  # an empty list must never reach Chroma
                    collection.delete(ids=there)
                deleted += len(there)
        return deleted

    def count_accesses(
        self, user_id: str, accesses: Mapping[str, tuple[int, datetime]]
    ) -> list[StoredMemory]:
        """See `MemoryStore`."""
        rows = [_accessed(row, *accesses[row.item.memory_id]) for row in self.read(user_id, list(accesses))]
        with self._chroma(user_id) as collection:
            for start in range(0, len(rows), WRITE_LIMIT):
                part = rows[start : start + WRITE_LIMIT]
                # An update and no upsert: a row that another process removed meanwhile stays away.
                collection.update(
                    ids=[row_id(user_id, row.item.memory_id) for row in part],
                    metadatas=[access_columns(row.item) for row in part],
                )
        return rows

    def users(self) -> list[str]:
        """See `MemoryStore`."""
        users: set[str] = set()
        with self._translated():
            for collection in self._shards.existing():
                metadatas = collection.get(include=["metadatas"])["metadatas"] or []
                users.update(str(columns["user_id"]) for columns in metadatas)
        return sorted(users)

    def close(self) -> None:
        """See `MemoryStore`."""
        with _open_lock:
            self._holders -= 1
            if self._holders > 0 or self._closed:
                return
            self._closed = True
            for path in [path for path, store in _open_stores.items() if store is self]:
                del _open_stores[path]
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
        with self._chroma(user_id) as collection:
            return collection.get(where=clause, limit=limit, include=include)  # type: ignore[arg-type]

    def _decode(self, user_id: str, answer: Any) -> list[StoredMemory]:
        columns = zip(answer["documents"], answer["metadatas"], answer["embeddings"], strict=True)
        return [
            decode(user_id, document, metadata, np.asarray(vector, dtype=np.float32))
            for document, metadata, vector in columns
        ]

    def _sequences(self, collection: chromadb.Collection) -> Iterator[float]:
        """Numbers above those of all rows that are there, so that listings follow the order of writing."""
        name = str(collection.id)
        if name not in self._last_sequence or self.shared:  # another process may have written since
            count = collection.count()
            newest = collection.get(limit=1, offset=count - 1, include=["metadatas"]) if count else None
            for columns in (newest["metadatas"] or []) if newest else []:
                self._raise_sequence(name, float(columns["sequence"]))  # type: ignore[arg-type]
        while True:
            # Rises also where the clock stands still or was set back.
            yield self._raise_sequence(name, time.time())

    def _raise_sequence(self, name: str, least: float) -> float:
        with self._sequence_lock:
            self._last_sequence[name] = max(least, self._last_sequence.get(name, 0.0) + 1e-6)
            return self._last_sequence[name]

    def _is_forked(self) -> bool:
        return isinstance(self._shards, EmbeddedShards) and self._shards.forked

    @contextmanager
    def _chroma(self, user_id: str) -> Iterator[chromadb.Collection]:
        number = int(user_key(user_id)[:8], 16) % self._shards.card.shards
        with self._translated():
            yield self._shards.collection(number)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        if self._closed:
            raise StoreClosedError()
        try:
            yield
        except LangMemExtError:
            raise
        except Exception as error:  # Chroma raises its own, SQLite's, httpx's and Rust's errors
            if self._closed:
                raise StoreClosedError() from error
            raise StorageError(
                f"{self._shards.where} could not be read or written ({type(error).__name__}). "
                "What was reported as stored before is not affected"
            ) from error


def _accessed(row: StoredMemory, count: int, when: datetime) -> StoredMemory:
    item = replace(row.item, access_count=row.item.access_count + count, last_accessed_at=when)
    return replace(row, item=item)


def _parts(ids: Sequence[str]) -> Iterator[list[str]]:
    for start in range(0, len(ids), _READ_LIMIT):
        yield list(ids[start : start + _READ_LIMIT])


_open_stores: dict[Path, ChromaStore] = {}
_open_lock = threading.Lock()
