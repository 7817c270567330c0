"""The directory of a store: who may use it, what lies in it, and how it is given back."""

from __future__ import annotations

import logging
import os
import threading
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from langmem_ext.errors import StorageError, StoreClosedError
from langmem_ext.ports import EmbedderFingerprint
from langmem_ext.stores.chroma.card import StoreCard
from langmem_ext.stores.chroma.files import make_directory, read_file, write_file
from langmem_ext.stores.chroma.lock import lock_directory
from langmem_ext.stores.chroma.shard import Shard

logger = logging.getLogger(__name__)
_CARD: Final = "store.json"


class DataDirectory:
    """`store.json`, `lock` and the shards of one path, held by this process from opening to `close`."""

    def __init__(self, path: Path, fingerprint: EmbedderFingerprint | None, *, idle: float) -> None:
        """Open the directory; it is made when it is not there.

        Args:
            path: Where it is.
            fingerprint: Of the embedder in use; None leaves unchecked whose vectors are there.
            idle: Seconds after which a shard that nobody uses is closed.
        """
        self.path = path
        self._pid = os.getpid()
        self._idle = idle
        self._closing = threading.Event()
        self._abandoned = False
        make_directory(path)
        self._file_lock = lock_directory(path)
        try:
            card = self._read_card(fingerprint)
            if fingerprint is not None:
                card.check(fingerprint, str(path))
            folders = [path / "shards" / f"{number:02}" for number in range(card.shards)]
            self.shards = [Shard(number, folder, self.check) for number, folder in enumerate(folders)]
            self.finish_change(card)
        except BaseException:
            self._file_lock.release()
            raise
        # It ends with the process where close() is forgotten.
        self._reaper = threading.Thread(target=self._reap, name="langmem_ext-idle", daemon=True)
        self._reaper.start()

    def _read_card(self, fingerprint: EmbedderFingerprint | None) -> StoreCard:
        file = self.path / _CARD
        if file.exists():
            return StoreCard.from_json(read_file(file), str(self.path))
        if (self.path / "chroma.sqlite3").exists():
            raise StorageError(
                f"{self.path} is a Chroma directory that langmem-ext did not make; give it its own directory"
            )
        if (self.path / "shards").exists():
            raise StorageError(f"{file} is missing beside the shards; restore it from a backup")
        if fingerprint is None:
            raise StorageError(f"there is no store in {self.path}")
        card = StoreCard(fingerprint)
        self.write_card(card)
        return card

    @staticmethod
    def is_one(path: Path) -> bool:
        """Whether there is a store."""
        return (path / _CARD).exists()

    def write_card(self, card: StoreCard) -> None:
        """Replace the card in one step."""
        write_file(self.path / _CARD, card.to_json())

    def finish_change(self, card: StoreCard) -> None:
        """Switch the shards that a change of the embedder left to be switched, and clear up."""
        for number, name in card.pending.items():
            generations = self.shards[number].generations
            generations.switch(generations.folder / name)
        if card.pending:
            card = card.settled()
            self.write_card(card)
        self.card = card
        self._identity = _identity(self.path / _CARD)
        for shard in self.shards:  # now and not at the first use: it may hold what was to be erased
            try:
                shard.generations.remove_leftovers()
            except StorageError as error:  # raised again when this shard is used; the others go on
                logger.warning("shard %02d needs attention: %s", shard.number, error)

    @property
    def forked(self) -> bool:
        """Whether this process is a child of the one that opened the directory."""
        return os.getpid() != self._pid

    @property
    def gone(self) -> bool:
        """Whether the directory was deleted, moved or replaced since it was opened."""
        return self._abandoned or _identity(self.path / _CARD) != self._identity

    def check(self) -> None:
        """Raise a StorageError where the store may not be used any more."""
        if self.forked:
            raise StorageError(
                f"{self.path} was opened before this process was forked, and one process may hold a "
                "directory: open a LongTermMemory(url=…) in the child"
            )
        if self._closing.is_set():
            raise StoreClosedError()
        if self.gone:
            raise self.gone_error()

    def gone_error(self) -> StorageError:
        """What to say when it is gone."""
        return StorageError(
            f"{self.path} was deleted, moved or replaced while it was open; nothing is read from it or "
            "written to it any more. Put it back, or close this memory and open another"
        )

    def abandon(self) -> None:
        """Give the clients back for good: Chroma has one per path, and a new store is to have it."""
        self._abandoned = True
        self.close_shards()

    def close(self) -> None:
        """Give everything back. A copy that is being made ends first."""
        if self.forked:
            return  # the parent's files
        self._closing.set()
        self._reaper.join()
        try:
            self.close_shards()
        finally:
            self._file_lock.release()

    def close_shards(self) -> None:
        """Give the clients back."""
        with ExitStack() as closed:  # all of them, also where one fails
            for shard in self.shards:
                closed.callback(_close_alone, shard)

    def _reap(self) -> None:
        while not self._closing.wait(self._idle / 4):
            for shard in self.shards:
                try:
                    shard.close_if_idle(self._idle)
                except Exception as error:  # this thread must not end before the store does
                    logger.warning("shard %02d could not be closed (%s)", shard.number, type(error).__name__)


def _close_alone(shard: Shard) -> None:
    # `writers` too: the pointer of a copy must not move when the directory was given back.
    with shard.writers.exclusive(), shard.in_use.exclusive():
        shard.close()


def _identity(path: Path) -> tuple[int, int, int] | None:
    """Tells a file from one that takes its place; numbers of files are used again."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_mtime_ns
