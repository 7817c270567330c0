"""The memories of one user in RAM: vectors and tokens, derived from the store, never on disk.

Chroma's `query(where=…)` slows down with the rows of everybody and misses rows on hard data; a
matrix product over one user's rows does neither. The index is a snapshot: a write makes a new
one, so a search under way never sees half of it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Final

import numpy as np

from langmem_ext.ports import StoredMemory
from langmem_ext.retrieval.bm25 import KeywordIndex, KeywordMatch
from langmem_ext.retrieval.conversation import neighbours_of
from langmem_ext.retrieval.relevance import Noise
from langmem_ext.retrieval.traits import Traits
from langmem_ext.retrieval.utterance import Utterance

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_CACHED_ROWS: Final = 50_000  # over all users; about 3 KiB a row at 384 dimensions


class UserIndex:
    """Vectors and words of some memories, oldest write first."""

    def __init__(self, rows: Iterable[StoredMemory], known: Mapping[str, Utterance] | None = None) -> None:
        """Index rows; `known` saves reading texts again, by memory id."""
        self.rows: tuple[StoredMemory, ...] = tuple(rows)
        self._known = known or {}
        self._noise: dict[bytes, Noise] = {}

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def positions(self) -> dict[str, int]:
        """Row number by memory id."""
        return {row.item.memory_id: position for position, row in enumerate(self.rows)}

    @cached_property
    def _matrix(self) -> NDArray[np.float32]:
        return np.stack([row.vector for row in self.rows])

    @cached_property
    def _read(self) -> dict[str, Utterance]:
        """What was read out of each text, by memory id: an edited row is read again."""
        read: dict[str, Utterance] = {}
        for row in self.rows:
            known = self._known.get(row.item.memory_id)
            fresh = known is None or known.content != row.item.content
            read[row.item.memory_id] = Utterance.of(row.item) if fresh or known is None else known
        return read

    @cached_property
    def utterances(self) -> tuple[Utterance, ...]:
        """What the text of each row shows."""
        return tuple(self._read.values())

    @cached_property
    def neighbours(self) -> NDArray[np.intp]:
        """The rows beside each row in its session: see `neighbours_of`."""
        return neighbours_of(self.rows)

    @cached_property
    def traits(self) -> Traits:
        """What is known of each row before any question."""
        return Traits.of([row.item for row in self.rows], self.utterances)

    @cached_property
    def _keywords(self) -> KeywordIndex:
        return KeywordIndex([utterance.terms for utterance in self.utterances], self.neighbours)

    def cosines(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Cosine of every row with a unit vector, shape (len,); with columns of several, (len, several)."""
        return self._matrix @ vectors

    def noise(self, probes: NDArray[np.float32]) -> Noise:
        """What cosines these vectors, shape (probes, dim), reach here; computed once."""
        key = probes.tobytes()
        if key not in self._noise:
            self._noise[key] = Noise.of(self.cosines(probes.T))
        return self._noise[key]

    def match(self, terms: Sequence[str]) -> KeywordMatch:
        """How well every row matches some words."""
        return self._keywords.match(terms)

    def valid_at(self, when: datetime) -> NDArray[np.bool_]:
        """Which rows held at this instant, shape (len,)."""
        return np.fromiter((row.item.is_valid_at(when) for row in self.rows), bool, len(self.rows))

    def changed(self, written: Sequence[StoredMemory], removed: Iterable[str]) -> UserIndex:
        """A new index after a write; what was read of rows that stay is kept."""
        rows = {row.item.memory_id: row for row in self.rows}
        rows.update({row.item.memory_id: row for row in written})
        for memory_id in removed:
            rows.pop(memory_id, None)
        return UserIndex(rows.values(), self.__dict__.get("_read", self._known))


class IndexCache:
    """The indexes of the users searched last, up to `MAX_CACHED_ROWS` rows in all."""

    def __init__(self, max_rows: int = MAX_CACHED_ROWS) -> None:
        self._max_rows = max_rows
        self._lock = Lock()
        self._indexes: OrderedDict[str, UserIndex] = OrderedDict()
        self._rows = 0
        self._loading: dict[str, set[object]] = {}

    def get(self, user_id: str) -> UserIndex | None:
        """The index if it is there."""
        with self._lock:
            if user_id in self._indexes:
                self._indexes.move_to_end(user_id)
            return self._indexes.get(user_id)

    @contextmanager
    def loading(self, user_id: str) -> Iterator[Callable[[UserIndex], None]]:
        """Gives a function that keeps a loaded index, unless the user was written to meanwhile."""
        load = object()
        with self._lock:
            self._loading.setdefault(user_id, set()).add(load)

        def keep(index: UserIndex) -> None:
            with self._lock:
                if load in self._loading.get(user_id, ()):
                    self._keep(user_id, index)

        try:
            yield keep
        finally:
            with self._lock:
                loads = self._loading.get(user_id, set())
                loads.discard(load)
                if not loads:
                    self._loading.pop(user_id, None)

    def write(self, user_id: str, written: Sequence[StoredMemory], removed: Iterable[str] = ()) -> None:
        """Follow a write to the store."""
        with self._lock:
            self._loading.pop(user_id, None)
            if (index := self._indexes.get(user_id)) is not None:
                self._keep(user_id, index.changed(written, removed))

    def forget(self, user_id: str) -> None:
        """Read this user's rows again when they are searched next."""
        with self._lock:
            self._loading.pop(user_id, None)
            self._drop(user_id)

    def _keep(self, user_id: str, index: UserIndex) -> None:
        self._drop(user_id)
        if len(index) > self._max_rows:
            return
        self._indexes[user_id] = index
        self._rows += len(index) + 1  # a user without memories takes room too
        while self._rows > self._max_rows:
            self._drop(next(iter(self._indexes)))

    def _drop(self, user_id: str) -> None:
        if (index := self._indexes.pop(user_id, None)) is not None:
            self._rows -= len(index) + 1
