"""Where collections are: in directories of this process, on a server, or in RAM.

Every user hashes to one of a fixed number of shards, written in the store card, so that one
user's search does not slow down with everybody's data.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Final, Protocol

import chromadb
from chromadb.api import ClientAPI
from chromadb.config import Settings

from langmem_ext.errors import StorageError
from langmem_ext.ports import EmbedderFingerprint, EmbedTexts, StoredMemory
from langmem_ext.receipts import ErasureReceipt, RepairReport
from langmem_ext.stores.chroma.card import StoreCard
from langmem_ext.stores.chroma.turns import LocalTurns, Turns

COLLECTION: Final = "memories"  # of a store whose shards are clients of their own


class Shards(Protocol):
    """The collections of a store, by number."""

    shared: bool  # whether other processes write to them too
    where: str  # names the store in errors
    card: StoreCard
    turns: Turns  # between the processes that write

    def reading(self, number: int) -> AbstractContextManager[chromadb.Collection]:
        """The collection of a shard, to read from; made when it is not there. Not to be nested."""

    def writing(self, number: int) -> AbstractContextManager[chromadb.Collection]:
        """As `reading`, to write to."""

    def existing(self) -> list[int]:
        """The shards that were ever written to."""

    def failure(self, number: int | None, error: Exception) -> StorageError:
        """What to tell about an error of Chroma's in this shard."""

    def erase(self, numbers: Sequence[int], deleted: Sequence[StoredMemory]) -> ErasureReceipt:
        """See `MemoryStore`."""

    def repair(self, embed: EmbedTexts) -> RepairReport:
        """See `MemoryStore`."""

    def close(self) -> None:
        """Give everything back."""


def settings() -> Settings:
    """Of every client but those in RAM."""
    return Settings(anonymized_telemetry=False)


def open_collection(client: ClientAPI, name: str, where: str) -> chromadb.Collection:
    """A collection with cosine distance, made when it is not there."""
    # Without `embedding_function=None` Chroma would take its own, which downloads weights.
    collection = client.get_or_create_collection(
        name, embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
    )
    hnsw: Any = (collection.configuration_json or {}).get("hnsw") or {}
    if hnsw.get("space") != "cosine":  # get_or_create ignores another space silently
        raise StorageError(
            f"collection {name} of {where} was not made by langmem-ext: it does not use cosine"
        )
    return collection


def directory_client(path: Path) -> ClientAPI:
    """A client of a directory, which is made when it is not there.

    Chroma keeps a client that failed to open and hands it out, broken, for the same spelling of the
    path: so after a failure the path is spelled in another way.
    """
    spelling = str(path)
    while spelling in _failed:
        spelling += f"{os.sep}."
    try:
        return chromadb.PersistentClient(path=spelling, settings=settings())
    except BaseException:
        _failed.add(spelling)
        raise


_failed: set[str] = set()


def close_client(client: ClientAPI) -> None:
    """Close a client of a directory."""
    client.close()  # type: ignore[attr-defined]  # of the class behind ClientAPI


def memory_client() -> ClientAPI:
    """A client in RAM. All of a process are one, and Chroma refuses a second one with other settings.

    So it has Chroma's default settings, with which an application's own client gets along; the
    telemetry that they allow does nothing in the versions supported here (a test holds that).
    """
    try:
        return chromadb.EphemeralClient()
    except ValueError:
        try:
            return chromadb.EphemeralClient(settings=settings())
        except ValueError as error:
            raise StorageError(
                "this process has a Chroma client in RAM with settings of its own, and there can be one: "
                "give LongTermMemory a path=, or make that client with chromadb.EphemeralClient()"
            ) from error


class MemoryShards:
    """One collection in RAM under a name of its own: clients in RAM share their data."""

    shared = False
    where = "the store in RAM"

    def __init__(self, fingerprint: EmbedderFingerprint) -> None:
        self.card = StoreCard(fingerprint, shards=1)
        self.turns: Turns = LocalTurns()
        self._client = memory_client()
        self._name = f"langmem_ext-{uuid.uuid4().hex}"
        self._collection = open_collection(self._client, self._name, self.where)

    @contextmanager
    def reading(self, number: int) -> Iterator[chromadb.Collection]:
        """See `Shards`."""
        yield self._collection

    writing = reading

    def existing(self) -> list[int]:
        """See `Shards`."""
        return [0]

    def failure(self, number: int | None, error: Exception) -> StorageError:
        """See `Shards`."""
        return StorageError(f"{self.where} could not be read or written ({type(error).__name__})")

    def erase(self, numbers: Sequence[int], deleted: Sequence[StoredMemory]) -> ErasureReceipt:
        """Nothing to do: there are no files."""
        return ErasureReceipt()

    def repair(self, embed: EmbedTexts) -> RepairReport:
        """Nothing to do: what is in RAM does not outlive a damage."""
        return RepairReport((), 0)

    def close(self) -> None:
        """See `Shards`."""
        # The client itself belongs to every store in RAM of this process.
        self._client.delete_collection(self._name)
