"""Where collections are: in directories of this process, on a server, or in RAM.

Every user hashes to one of a fixed number of shards, written in the store card, so that one
user's search does not slow down with everybody's data.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Protocol

import chromadb

from langmem_ext.errors import StorageError
from langmem_ext.ports import EmbedTexts, StoredMemory
from langmem_ext.receipts import ErasureReceipt, RepairReport
from langmem_ext.stores.chroma.card import StoreCard
from langmem_ext.stores.chroma.leases import Leases


class Shards(Protocol):
    """The collections of a store, by number."""

    shared: bool  # whether other processes write to them too
    where: str  # names the store in errors
    card: StoreCard
    leases: Leases  # between the processes that write

    def check(self) -> None:
        """Raise a StorageError where the store cannot be used any more."""

    def reading(self, number: int) -> AbstractContextManager[chromadb.Collection]:
        """The collection of a shard, to read from; made when it is not there. Not to be nested."""

    def writing(self, number: int) -> AbstractContextManager[chromadb.Collection]:
        """As `reading`, to write to."""

    def existing(self) -> list[int]:
        """The shards that were ever used."""

    def failure(self, number: int | None, error: BaseException) -> StorageError:
        """What to tell about an error of Chroma's in this shard."""

    def erase(self, numbers: Sequence[int], deleted: Sequence[StoredMemory]) -> ErasureReceipt:
        """See `MemoryStore`."""

    def repair(self, embed: EmbedTexts) -> RepairReport:
        """See `MemoryStore`."""

    def close(self) -> None:
        """Give everything back."""
