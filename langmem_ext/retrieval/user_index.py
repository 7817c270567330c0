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
from langmem_ext.retrieval.lexical import KeywordIndex, tokenise

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from langmem_ext.ports import Vector

MAX_CACHED_ROWS: Final = 50_000  # over all users; about 3 KiB a row at 384 dimensions


class UserIndex:
    """Vectors and tokens of some memories, in a fixed order."""

    def __init__(
        self, rows: Iterable[StoredMemory], tokens: Mapping[str, tuple[str, Sequence[str]]] | None = None
    ) -> None:
        self.rows: tuple[StoredMemory, ...] = tuple(rows)
        self._known_tokens = tokens or {}

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
    def _tokens(self) -> dict[str, tuple[str, Sequence[str]]]:
        """Tokens by memory id, beside the text they came from: an edited row is tokenised again."""
        tokens: dict[str, tuple[str, Sequence[str]]] = {}
        for row in self.rows:
            known = self._known_tokens.get(row.item.memory_id)
            if known is None or known[0] != row.item.content:
                known = (row.item.content, tokenise(row.item.content))
            tokens[row.item.memory_id] = known
        return tokens

    @cached_property
    def _keywords(self) -> KeywordIndex:
        return KeywordIndex([words for _, words in self._tokens.values()])

    def cosines(self, vector: Vector) -> NDArray[np.float32]:
        """Cosine of every row with a unit vector, shape (len,)."""
        return self._matrix @ vector

    def keyword_scores(self, query: str) -> NDArray[np.float32]:
        """BM25 of every row for the query's words, shape (len,); 0 without a common word."""
        return self._keywords.scores(tokenise(query))

    def valid_at(self, when: datetime) -> NDArray[np.bool_]:
        """Which rows held at this instant, shape (len,)."""
        return np.fromiter((row.item.is_valid_at(when) for row in self.rows), bool, len(self.rows))

    def changed(self, written: Sequence[StoredMemory], removed: Iterable[str]) -> UserIndex:
        """A new index after a write; tokens of rows that stay are kept."""
        rows = {row.item.memory_id: row for row in self.rows}
        rows.update({row.item.memory_id: row for row in written})
        for memory_id in removed:
            rows.pop(memory_id, None)
        return UserIndex(rows.values(), self.__dict__.get("_tokens", self._known_tokens))


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
