"""One shard of this process: its directory, its gates, and its client while it is open."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import chromadb
from chromadb.api import ClientAPI

from langmem_ext.stores.chroma.clients import COLLECTION, close_client, directory_client, open_collection
from langmem_ext.stores.chroma.generations import Generations, remove_directory
from langmem_ext.stores.chroma.rwlock import ReadWriteLock
from langmem_ext.stores.chroma.wipe import is_dirty, is_saved, wipe

logger = logging.getLogger(__name__)


class Shard:
    """A Chroma directory that is opened on first use and may be closed or replaced in between."""

    def __init__(self, number: int, folder: Path, check: Callable[[], None]) -> None:
        """`check` raises where the store may not be used; it is asked inside the gates."""
        self.number = number
        self.generations = Generations(folder)
        self.writers = ReadWriteLock()  # alone in it: nothing is written
        self.in_use = ReadWriteLock()  # alone in it: nobody reads or writes, so the client may be closed
        self.check = check
        self._last_used = 0.0
        self._opening = threading.Lock()
        self._open: tuple[ClientAPI, chromadb.Collection] | None = None
        self._to_wipe: Path | None = None  # the directory whose index may want it

    @contextmanager
    def reading(self) -> Iterator[chromadb.Collection]:
        """The collection of the generation in use."""
        try:
            with self.in_use.shared():
                self.check()
                with self._opening:
                    self._last_used = time.monotonic()
                    if self._open is None:
                        self._open = self._opened()
                    collection = self._open[1]
                yield collection
        finally:
            self._last_used = time.monotonic()
            if self._to_wipe is not None:
                self._wipe(self._to_wipe)

    @contextmanager
    def writing(self) -> Iterator[chromadb.Collection]:
        """As `reading`, and nobody copies the shard meanwhile."""
        with self.writers.shared(), self.reading() as collection:
            yield collection

    def _opened(self) -> tuple[ClientAPI, chromadb.Collection]:
        generations = self.generations
        generations.adopt()
        new = not generations.exist
        path = generations.first() if new else generations.current()
        wipe(path)  # what a crash kept from being wiped
        client = directory_client(path)
        try:
            collection = open_collection(client, COLLECTION, str(generations.folder))
            if new:
                generations.switch(path)
            self._to_wipe = path
        except BaseException:
            close_client(client)
            raise
        return client, collection

    def _wipe(self, path: Path) -> None:
        """Wipe the index once Chroma has made its files: at the first write or read of a vector."""
        try:
            if is_saved(path):
                self._wiped(path)
            elif is_dirty(path):
                with self.in_use.exclusive():
                    if self._to_wipe == path:
                        wipe(path)
                        self._wiped(path)
        except OSError as error:  # the outcome of the operation counts; the next one tries again
            logger.warning("an index of shard %02d was not wiped (%s)", self.number, type(error).__name__)

    def _wiped(self, path: Path) -> None:
        with self._opening:
            if self._to_wipe == path:  # else another generation was opened meanwhile
                self._to_wipe = None

    def switch(self, new: Path) -> None:
        """Use another generation and remove the one in use. Alone in `writers` and `in_use`."""
        old = self.generations.current()
        self.close()
        self.generations.switch(new)
        remove_directory(old)

    def close(self) -> None:
        """Give the client back. Alone in `in_use`."""
        opened, self._open = self._open, None
        self._to_wipe = None
        if opened is not None:
            close_client(opened[0])

    def close_if_idle(self, seconds: float) -> None:
        """Give the client back where nobody used it for so long."""
        if self._is_idle(seconds):
            with self.in_use.exclusive_if_free() as alone:
                if alone and self._is_idle(seconds):
                    self.close()

    def _is_idle(self, seconds: float) -> bool:
        return self._open is not None and time.monotonic() - self._last_used > seconds
