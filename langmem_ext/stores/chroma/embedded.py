"""Shards that are directories of this process: opened on first use, closed when idle, written anew.

`shards/07/g0003` is a Chroma directory; see `generations` for how it is replaced.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

import chromadb

from langmem_ext.errors import LangMemExtError, StorageError, StoreClosedError
from langmem_ext.ports import EmbedderFingerprint, EmbedTexts, StoredMemory
from langmem_ext.receipts import ErasureReceipt, RepairReport
from langmem_ext.stores.chroma.card import StoreCard
from langmem_ext.stores.chroma.files import make_directory, read_file, write_file
from langmem_ext.stores.chroma.lock import lock_directory
from langmem_ext.stores.chroma.rewriting import copy, rebuild, rewrite, search_traces
from langmem_ext.stores.chroma.scan import ScanResult
from langmem_ext.stores.chroma.shard import Shard
from langmem_ext.stores.chroma.turns import LocalTurns, Turns

logger = logging.getLogger(__name__)
# Seconds. Opening again takes some 100 ms; staying open takes 6 threads and a dozen files.
IDLE: Final = 300.0


class EmbeddedShards:
    """The shards below one data directory, which one process may hold."""

    shared = False

    def __init__(self, path: Path, fingerprint: EmbedderFingerprint | None, *, idle: float = IDLE) -> None:
        """Open the directory, made when it is not there; without a fingerprint, whoever wrote it."""
        self.where = str(path)
        self.turns: Turns = LocalTurns()
        self._path = path
        self._pid = os.getpid()
        self._idle = idle
        self._closing = threading.Event()
        self._abandoned = False
        make_directory(path)
        self._file_lock = lock_directory(path)
        try:
            card = self._card(fingerprint)
            if fingerprint is not None:
                card.check(fingerprint, self.where)
            folders = [path / "shards" / f"{number:02}" for number in range(card.shards)]
            self._shards = [Shard(number, folder, self._check) for number, folder in enumerate(folders)]
            self.card = self._moved(card)
            self._ground = _identity(path / "store.json")
            self._settle()
        except BaseException:
            self._file_lock.release()
            raise
        # It ends with the process where close() is forgotten.
        self._reaper = threading.Thread(target=self._reap, name="langmem_ext-idle", daemon=True)
        self._reaper.start()

    def _card(self, fingerprint: EmbedderFingerprint | None) -> StoreCard:
        file = self._path / "store.json"
        if file.exists():
            return StoreCard.from_json(read_file(file), self.where)
        if (self._path / "chroma.sqlite3").exists():
            raise StorageError(
                f"{self._path} is a Chroma directory that langmem-ext did not make; give it its own directory"
            )
        if (self._path / "shards").exists():
            raise StorageError(f"{file} is missing beside the shards; restore it from a backup")
        if fingerprint is None:
            raise StorageError(f"there is no store in {self._path}")
        card = StoreCard(fingerprint)
        write_file(file, card.to_json())
        return card

    def _moved(self, card: StoreCard) -> StoreCard:
        """Bring a change of the embedder to its end that was begun."""
        if not card.moving:
            return card
        for number, name in card.moving.items():
            generations = self._shards[number].generations
            generations.switch(generations.folder / name)
        write_file(self._path / "store.json", card.moved().to_json())
        return card.moved()

    def _settle(self) -> None:
        """Remove what a crash left, now and not at the first use: it may hold what was to be erased."""
        for shard in self._shards:
            try:
                shard.generations.settle()
            except StorageError as error:  # raised again when this shard is used; the others go on
                logger.warning("shard %02d needs attention: %s", shard.number, error)

    @contextmanager
    def reading(self, number: int) -> Iterator[chromadb.Collection]:
        """See `Shards`."""
        self._check()  # before the gates: in a forked child their locks may be held for ever
        with self._shards[number].reading() as collection:
            yield collection

    @contextmanager
    def writing(self, number: int) -> Iterator[chromadb.Collection]:
        """See `Shards`."""
        self._check()
        with self._shards[number].writing() as collection:
            yield collection

    def existing(self) -> list[int]:
        """See `Shards`."""
        self._check()
        return [shard.number for shard in self._shards if shard.generations.folder.is_dir()]

    def failure(self, number: int | None, error: Exception) -> StorageError:
        """See `Shards`."""
        place = self.where if number is None else f"shard {number:02} of {self.where}"
        if self.gone:
            return self._gone_error()
        text = str(error).lower()
        if "is full" in text or "no space" in text:
            return StorageError(
                f"{place} could not be written: the disk is full. Free some space and repeat it"
            )
        if "readonly" in text or "read-only" in text or isinstance(error, PermissionError):
            return StorageError(
                f"{place} can not be written: it is read-only. Give this process write access"
            )
        return StorageError(
            f"{place} could not be read or written ({type(error).__name__}); other shards go on. If it stays "
            f"so, its index is damaged: memory.repair() builds it anew from the texts. Where that fails too, "
            f"restore {self._path / 'shards'} from a backup"
        )

    def erase(self, numbers: Sequence[int], deleted: Sequence[StoredMemory]) -> ErasureReceipt:
        """See `MemoryStore`."""
        started = time.perf_counter()
        existing = self.existing()
        shards = [self._shards[number] for number in numbers if number in existing]
        kept = sum(rewrite(shard) for shard in shards)
        beside = [path for path in self._path.iterdir() if path.is_file()]
        scanned = search_traces(shards, deleted, beside) if deleted else ScanResult(0, 0, ())
        return ErasureReceipt(
            shards=len(shards),
            rows_kept=kept,
            files_scanned=scanned.files,
            bytes_scanned=scanned.bytes,
            traces=tuple(str(path.relative_to(self._path)) for path in scanned.found),
            seconds=time.perf_counter() - started,
        )

    def repair(self, embed: EmbedTexts) -> RepairReport:
        """See `MemoryStore`."""
        rebuilt: dict[int, int] = {}
        hopeless: list[str] = []
        for shard in [self._shards[number] for number in self.existing()]:
            try:
                rows = rebuild(shard, embed)
            except LangMemExtError:
                raise
            except Exception as error:  # whatever Chroma or SQLite says about a broken file
                hopeless.append(f"{shard.generations.folder} ({type(error).__name__})")
            else:
                rebuilt.update({} if rows is None else {shard.number: rows})
        if hopeless:
            raise StorageError(
                f"the texts can not be read either in {', '.join(hopeless)}: restore it from a backup, or "
                "remove it to go on without the memories in it. All other shards are fine now"
            )
        return RepairReport(tuple(rebuilt), sum(rebuilt.values()))

    def reembed(self, fingerprint: EmbedderFingerprint, embed: EmbedTexts) -> RepairReport:
        """Write all shards anew with vectors of another embedder. Nothing else may use the store."""
        copies = {number: copy(self._shards[number], embed) for number in self.existing()}
        moving = {number: new.name for number, (new, _) in copies.items()}
        card = replace(self.card, fingerprint=fingerprint, moving=moving)
        write_file(self._path / "store.json", card.to_json())  # from here on it is the new one
        self._close_shards()
        self.card = self._moved(card)
        self._ground = _identity(self._path / "store.json")
        self._settle()
        return RepairReport(tuple(copies), sum(rows for _, rows in copies.values()))

    @property
    def forked(self) -> bool:
        """Whether this process is a child of the one that opened the directory."""
        return os.getpid() != self._pid

    def _check(self) -> None:
        if self.forked:
            raise StorageError(
                f"{self.where} was opened before this process was forked, and one process may hold a "
                "directory: open a LongTermMemory(url=…) in the child"
            )
        if self._closing.is_set():
            raise StoreClosedError()
        if self.gone:
            raise self._gone_error()

    @property
    def gone(self) -> bool:
        """Whether the directory was deleted, moved or replaced since it was opened."""
        return self._abandoned or _identity(self._path / "store.json") != self._ground

    def abandon(self) -> None:
        """Give the clients back for good: Chroma has one per path, and a new store is to have it."""
        self._abandoned = True
        self._close_shards()

    def _gone_error(self) -> StorageError:
        return StorageError(
            f"{self.where} was deleted, moved or replaced while it was open; nothing is read from it or "
            "written to it any more. Put it back, or close this memory and open another"
        )

    def close(self) -> None:
        """See `Shards`."""
        if self.forked:
            return  # the parent's files
        self._closing.set()
        self._reaper.join()
        try:
            self._close_shards()
        finally:
            self._file_lock.release()

    def _close_shards(self) -> None:
        with ExitStack() as closed:  # all of them, also where one fails
            for shard in self._shards:
                closed.callback(_close_alone, shard)

    def _reap(self) -> None:
        while not self._closing.wait(self._idle / 4):
            for shard in self._shards:
                try:
                    shard.close_if_idle(self._idle)
                except Exception as error:  # this thread must not end before the store does
                    logger.warning("shard %02d could not be closed (%s)", shard.number, type(error).__name__)


def _close_alone(shard: Shard) -> None:
    with shard.users.alone():
        shard.close()


def _identity(path: Path) -> tuple[int, int, int] | None:
    """Tells a file from one that takes its place; numbers of files are used again."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_mtime_ns
