"""Shards that are directories of this process: opened on first use, closed when idle, written anew.

`shards/07/g0003` is a Chroma directory; see `generations` for how it is replaced.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

import chromadb

from langmem_ext.errors import LangMemExtError, StorageError
from langmem_ext.ports import EmbedderFingerprint, EmbedTexts, StoredMemory
from langmem_ext.receipts import ErasureReceipt, RepairReport
from langmem_ext.stores.chroma.data_directory import DataDirectory
from langmem_ext.stores.chroma.erasing import search_traces
from langmem_ext.stores.chroma.failures import circumstance, raise_unless_chroma
from langmem_ext.stores.chroma.generations import remove_directory
from langmem_ext.stores.chroma.leases import Leases, LocalLeases
from langmem_ext.stores.chroma.rewriting import UnreadableTextsError, copy, rebuild, rewrite
from langmem_ext.stores.chroma.scan import ScanResult

# Seconds. Opening again takes some 100 ms; staying open takes 6 threads and a dozen files.
IDLE: Final = 300.0


class EmbeddedShards(DataDirectory):
    """The shards below one data directory, which one process may hold."""

    shared = False

    def __init__(self, path: Path, fingerprint: EmbedderFingerprint | None, *, idle: float = IDLE) -> None:
        """See `DataDirectory`."""
        super().__init__(path, fingerprint, idle=idle)
        self.where = str(path)
        self.leases: Leases = LocalLeases()

    @contextmanager
    def reading(self, number: int) -> Iterator[chromadb.Collection]:
        """See `Shards`."""
        self.check()  # before the locks: in a forked child they may be held for ever
        with self.shards[number].reading() as collection:
            yield collection

    @contextmanager
    def writing(self, number: int) -> Iterator[chromadb.Collection]:
        """See `Shards`."""
        self.check()
        with self.shards[number].writing() as collection:
            yield collection

    def existing(self) -> list[int]:
        """See `Shards`."""
        self.check()
        return [shard.number for shard in self.shards if shard.generations.folder.is_dir()]

    def failure(self, number: int | None, error: BaseException) -> StorageError:
        """See `Shards`."""
        if self.gone:
            return self.gone_error()
        place = self.where if number is None else f"shard {number:02} of {self.where}"
        if (told := circumstance(error)) is not None:
            return StorageError(f"{place} could not be read or written: {told}")
        return StorageError(
            f"{place} could not be read or written ({type(error).__name__}); other shards go on. If it stays "
            f"so, its index is damaged: memory.repair() finds that out and builds it anew from the texts. "
            f"Where that fails too, restore {self.path / 'shards'} from a backup"
        )

    def erase(self, numbers: Sequence[int], deleted: Sequence[StoredMemory]) -> ErasureReceipt:
        """See `MemoryStore`."""
        started = time.perf_counter()
        existing, kept, scanned = self.existing(), 0, ScanResult(0, 0, ())
        shards = [self.shards[number] for number in numbers if number in existing]
        for shard in shards:
            with shard.writers.exclusive():
                kept += rewrite(shard)
                if deleted:  # of one user, so this is the only shard
                    scanned = search_traces(shard, deleted, self._beside_the_shards())
        return ErasureReceipt(
            shards=len(shards),
            rows_kept=kept,
            files_scanned=scanned.files,
            bytes_scanned=scanned.bytes,
            traces=tuple(str(path.relative_to(self.path)) for path in scanned.found),
            seconds=time.perf_counter() - started,
        )

    def _beside_the_shards(self) -> list[Path]:
        folders = [entry for entry in self.path.iterdir() if entry.is_dir() and entry.name != "shards"]
        deeper = [path for folder in folders for path in folder.rglob("*")]
        return [path for path in (*self.path.iterdir(), *deeper) if path.is_file()]

    def repair(self, embed: EmbedTexts) -> RepairReport:
        """See `MemoryStore`."""
        rebuilt: dict[int, int] = {}
        hopeless: list[str] = []
        for number in self.existing():
            try:
                rows = rebuild(self.shards[number], embed)
            except UnreadableTextsError as error:
                cause = error.__cause__
                if cause is not None and circumstance(cause) is not None:
                    raise self.failure(number, cause) from cause
                hopeless.append(f"{self.shards[number].generations.folder} ({type(cause).__name__})")
            except LangMemExtError:
                raise
            except BaseException as error:  # while the copy was written
                raise_unless_chroma(error)
                raise self.failure(number, error) from error
            else:
                rebuilt.update({} if rows is None else {number: rows})
        if hopeless:
            raise StorageError(
                f"the texts cannot be read either in {', '.join(hopeless)}: restore it from a backup, or "
                "remove it to go on without the memories in it. All other shards are fine now"
            )
        return RepairReport(tuple(rebuilt), sum(rebuilt.values()))

    def reembed(self, fingerprint: EmbedderFingerprint, embed: EmbedTexts) -> RepairReport:
        """Write all shards anew with vectors of another embedder. Nothing else may use the store."""
        copies: dict[int, tuple[Path, int]] = {}
        try:
            for number in self.existing():
                copies[number] = copy(self.shards[number], embed)
        except BaseException:
            for new, _ in copies.values():
                remove_directory(new)
            raise
        pending = {number: new.name for number, (new, _) in copies.items()}
        card = replace(self.card, fingerprint=fingerprint, pending=pending)
        self.check()
        self.write_card(card)  # from here on the store has the new embedder
        try:
            self.close_shards()
            self.finish_change(card)
        except Exception as error:
            raise StorageError(
                f"{self.where} has the new embedder, but not all of its shards were switched "
                f"({type(error).__name__}); opening it again finishes that"
            ) from error
        return RepairReport(tuple(copies), sum(rows for _, rows in copies.values()))
