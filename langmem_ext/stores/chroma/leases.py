"""Leases: one process at a time changes a user's rows.

On a server a lease is an empty collection `<prefix>-lease-<user_key>`: to create one is put-if-absent,
and without rows it costs no vector index (rows would leave tombstones for ever). It is given back by
its id, renamed to a name of its own and then deleted: who lost a lease cannot free another's. Its
metadata hold a beat that the holder raises; who waits counts by its own clock how long it stands still.

What remains: a write sent within the lease that the server runs later than that lease lasts. Chroma has
no conditional write that could refuse it.
"""

from __future__ import annotations

import logging
import random
import re
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from typing import Final, Protocol

import chromadb
from chromadb.api import ClientAPI
from chromadb.errors import ChromaError, NotFoundError

from langmem_ext.errors import StorageError
from langmem_ext.stores.chroma.clients import all_collections

logger = logging.getLogger(__name__)
_FIRST_PAUSE: Final = 0.01  # seconds between two looks at somebody else's lease
_LONGEST_PAUSE: Final = 0.2


class Leases(Protocol):
    """Who may change a user's rows, and what of it may still be stored. Users are `user_key`s."""

    def hold(self, user_key: str) -> AbstractContextManager[None]:
        """Alone among all processes that change this user's rows. Not to be entered twice."""

    def check(self, user_key: str) -> None:
        """Call it before each write. Outside of a lease nothing is checked.

        Raises:
            StorageError: another process took the lease over.
        """

    def barrier(self, user_key: str) -> int:
        """How often `raise_barrier` was called for this user."""

    def raise_barrier(self, user_key: str) -> None:
        """Let nothing that any process began before be stored any more. Inside `hold`."""


class LocalLeases:
    """For a store that one process has: its threads queue up before they come here."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._barriers: dict[str, int] = {}

    @contextmanager
    def hold(self, user_key: str) -> Iterator[None]:
        """See `Leases`."""
        yield

    def check(self, user_key: str) -> None:
        """See `Leases`."""

    def barrier(self, user_key: str) -> int:
        """See `Leases`."""
        with self._lock:
            return self._barriers.get(user_key, 0)

    def raise_barrier(self, user_key: str) -> None:
        """See `Leases`."""
        with self._lock:
            self._barriers[user_key] = self._barriers.get(user_key, 0) + 1


@dataclass(slots=True)
class _Claim:
    """A lease that this process took; times are monotonic seconds before the request was sent."""

    collection: chromadb.Collection
    beaten: float
    beat: int = 0


class ServerLeases:
    """For a store on a server that several processes share. Errors of Chroma and httpx pass through."""

    def __init__(
        self, client: ClientAPI, prefix: str, where: str, *, duration: float = 15.0, card: chromadb.Collection
    ) -> None:
        """Remove what crashed processes left half given back.

        Args:
            client: Of the server.
            prefix: Begins the names of the store's collections.
            where: Names the server in errors.
            duration: Seconds without a beat until a lease is taken over; one write may take 2/3 of it.
            card: Holds the barriers, one row per user who has any.
        """
        self._client, self._prefix, self._where = client, prefix, where
        self._duration, self._card = duration, card
        self._claims: dict[str, _Claim] = {}
        # The whole name: a neighbour's store may be called `<prefix>-over`.
        left_over = re.compile(rf"{re.escape(prefix)}-over-[0-9a-f]{{32}}")
        for collection in list(all_collections(client)):
            if left_over.fullmatch(collection.name):
                self._remove(collection)

    @contextmanager
    def hold(self, user_key: str) -> Iterator[None]:
        """See `Leases`. Waits as long as others hold the lease and give signs of life."""
        if user_key in self._claims:
            raise ValueError("this process holds this user's lease already")
        claim = self._claims[user_key] = self._take(f"{self._prefix}-lease-{user_key}")
        try:
            yield
        finally:
            del self._claims[user_key]
            try:
                self._remove(claim.collection)
            except Exception as error:  # the outcome of the lease counts, and its end comes by itself
                logger.warning("a lease was not given back (%s); it ends by itself", type(error).__name__)

    def check(self, user_key: str) -> None:
        """See `Leases`. Asks the server only when the last beat is a third of a lease old."""
        claim = self._claims.get(user_key)
        if claim is None or time.monotonic() - claim.beaten < self._duration / 3 or self._beat(claim):
            return
        raise StorageError(
            f"another process took over this user's lease on {self._where}, because this one gave no sign "
            f"of life for {self._duration:g} s; nothing was written from then on. Call again"
        )

    def barrier(self, user_key: str) -> int:
        """See `Leases`."""
        metadatas = self._card.get(ids=[f"barrier:{user_key}"], include=["metadatas"])["metadatas"]
        return int(str(metadatas[0]["raised"])) if metadatas else 0

    def raise_barrier(self, user_key: str) -> None:
        """See `Leases`."""
        self.check(user_key)
        raised = self.barrier(user_key) + 1
        self._card.upsert(ids=[f"barrier:{user_key}"], embeddings=[1.0], metadatas=[{"raised": raised}])

    def _take(self, name: str) -> _Claim:
        new, pause = {"holder": uuid.uuid4().hex, "beat": 0}, _FIRST_PAUSE
        seen, silent, looked = None, 0.0, time.monotonic()
        while True:
            sent = time.monotonic()
            try:
                made = self._client.create_collection(name, metadata=new, embedding_function=None)
                return _Claim(made, sent)
            except ChromaError as error:  # it is there; servers differ in how they say so
                refused = error
            holder = self._holder(name)
            if holder is not None and (holder.metadata or {}).get("holder") == new["holder"]:
                return _Claim(holder, sent)  # a request that was passed on twice
            sight = holder and (holder.id, holder.metadata)
            # A server or an observer that stood still says little about the holder.
            passed = min(time.monotonic() - looked, self._duration / 4)
            seen, silent, looked = sight, silent + passed if sight == seen else 0.0, time.monotonic()
            if silent < self._duration:
                time.sleep(pause * random.uniform(0.5, 1.5))
                pause = min(pause * 1.5, _LONGEST_PAUSE)
            elif holder is None:  # nobody is in the way, and still
                raise refused
            else:
                logger.warning("took over a lease that was silent for %g s", self._duration)
                self._remove(holder)

    def _holder(self, name: str) -> chromadb.Collection | None:
        try:
            return self._client.get_collection(name, embedding_function=None)
        except NotFoundError:
            return None

    def _beat(self, claim: _Claim) -> bool:
        """Give a sign of life; whether the lease is still this one's."""
        sent, claim.beat = time.monotonic(), claim.beat + 1
        try:
            claim.collection.modify(metadata={**(claim.collection.metadata or {}), "beat": claim.beat})
        except NotFoundError:
            return False
        if (holder := self._holder(claim.collection.name)) is None or holder.id != claim.collection.id:
            return False
        claim.beaten = sent
        return True

    def _remove(self, collection: chromadb.Collection) -> None:
        gone = f"{self._prefix}-over-{uuid.uuid4().hex}"
        with suppress(NotFoundError):  # another process was faster
            collection.modify(name=gone)  # by its id: never a later lease of the same name
            self._client.delete_collection(gone)
