"""What upkeep and deletion report: how much was removed, rewritten, looked through."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from langmem_ext.display import shown


@shown("erasure")
@dataclass(frozen=True, slots=True)
class ErasureReceipt:
    """What an erasure did to the files of the store.

    Attributes:
        shards: Parts of the store that were written anew without what was deleted.
        rows_kept: Rows that were copied into them.
        files_scanned, bytes_scanned: What was searched afterwards for 16 bytes or more of a deleted
            text, key, quote, metadata value or vector. Nothing is searched, and both are 0, where it is
            not known any more what was deleted: in `memory.erase()`, and when it is called again.
        traces: Files in which something of it was found, relative to the data directory.
        out_of_reach: Why there may be copies that this process cannot remove; None when it can.
        seconds: How long it took.
    """

    shards: int = 0
    rows_kept: int = 0
    files_scanned: int = 0
    bytes_scanned: int = 0
    traces: tuple[str, ...] = ()
    out_of_reach: str | None = None
    seconds: float = 0.0

    @property
    def searched(self) -> bool:
        """Whether the files were searched for what was deleted."""
        return self.files_scanned > 0

    @property
    def complete(self) -> bool:
        """Whether all was rewritten: nothing was out of reach, and no search found anything."""
        return not self.traces and self.out_of_reach is None


@shown("deletion")
@dataclass(frozen=True, slots=True)
class DeletionReceipt:
    """What a deletion removed.

    Attributes:
        memories: Current memories that are gone.
        versions: Rows that are gone, older versions included.
        memory_ids: Their ids.
        deleted_at: When.
        erasure: What `erase=True` did to the files; None when it was not asked for.
    """

    memories: int
    versions: int
    memory_ids: tuple[str, ...]
    deleted_at: datetime
    erasure: ErasureReceipt | None = None


@shown("imported")
class ImportReport(NamedTuple):
    """What `import_memories()` did, in rows: `skipped` were there already."""

    imported: int
    skipped: int


@shown("flushed")
class FlushReport(NamedTuple):
    """What `flush()` did.

    Attributes:
        access_counts: Memories whose access counts were written.
        learned: Turns given to `add_later` that were learned since the `flush()` before.
        waiting: Turns that still wait: the LLM, the embedder or the store could not be reached, or the
            key is wrong.
        failed: Turns that were set aside, now or earlier; see `LongTermMemory.failed_turns`.
        error: Why turns wait or were set aside: the last error since the `flush()` before, or None.
    """

    access_counts: int
    learned: int = 0
    waiting: int = 0
    failed: int = 0
    error: str | None = None


@shown("swept")
class SweepReport(NamedTuple):
    """What `sweep()` removed: so many rows of so many users."""

    removed: int
    users: int


@shown("repaired")
class RepairReport(NamedTuple):
    """What `repair()` or `reembed()` did: the shards that were built anew, and their rows."""

    shards: tuple[int, ...]
    rows: int
