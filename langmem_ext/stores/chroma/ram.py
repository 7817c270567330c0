"""Memories in RAM."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import chromadb

from langmem_ext.errors import StorageError
from langmem_ext.ports import EmbedderFingerprint, EmbedTexts, StoredMemory
from langmem_ext.receipts import ErasureReceipt, RepairReport
from langmem_ext.stores.chroma.card import StoreCard
from langmem_ext.stores.chroma.clients import memory_client, open_collection
from langmem_ext.stores.chroma.leases import Leases, LocalLeases


class MemoryShards:
    """One collection in RAM under a name of its own: clients in RAM share their data."""

    shared = False
    where = "the store in RAM"

    def __init__(self, fingerprint: EmbedderFingerprint) -> None:
        self.card = StoreCard(fingerprint, shards=1)
        self.leases: Leases = LocalLeases()
        self._client = memory_client()
        self._name = f"langmem_ext-{uuid.uuid4().hex}"
        self._collection = open_collection(self._client, self._name, self.where)

    def check(self) -> None:
        """Nothing that could be asked at no cost."""

    @contextmanager
    def reading(self, number: int) -> Iterator[chromadb.Collection]:
        """See `Shards`."""
        yield self._collection

    writing = reading

    def existing(self) -> list[int]:
        """See `Shards`."""
        return [0]

    def failure(self, number: int | None, error: BaseException) -> StorageError:
        """See `Shards`."""
        return StorageError(f"{self.where} could not be read or written ({type(error).__name__})")

    def erase(self, numbers: Sequence[int], deleted: Sequence[StoredMemory]) -> ErasureReceipt:
        """Nothing to do: there are no files."""
        return ErasureReceipt()

    def repair(self, embed: EmbedTexts) -> RepairReport:
        """Nothing to do: damage to it does not outlast the process."""
        return RepairReport((), 0)

    def close(self) -> None:
        """See `Shards`."""
        # The client itself belongs to every store in RAM of this process.
        self._client.delete_collection(self._name)
