"""BM25 of memories, each by itself and each with its neighbours in the conversation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

K1: Final = 1.2
# A memory is as long as what it says; a stretch of conversation is long by chance.
B_ALONE: Final = 0.4
B_CONTEXT: Final = 0.75
_CELLS: Final = 1_000_000  # rows times terms that are worked on at once


class KeywordMatch(NamedTuple):
    """How well each memory matches some words; all of shape (n,).

    Attributes:
        alone: BM25 of the memory's own words; above 0 exactly where one of them occurs.
        context: BM25 of the memory together with its neighbours.
        coverage: 0..1: the share of the words that the memory has, each by its idf.
    """

    alone: Floats
    context: Floats
    coverage: Floats


class KeywordIndex:
    """BM25 scores of a fixed set of documents. Immutable, so safe to use from several threads.

    score(q, d) = sum over the terms t of q, each once, of
        idf(t) * tf * (k1 + 1) / (tf + k1 * (1 - b + b * |d| / mean |d|)),
    idf(t) = ln(1 + (n - df + 0.5) / (df + 0.5)),
    with k1 = 1.2 and b = 0.4 (Robertson and Zaragoza 2009). This idf, Lucene's, is never negative, so one
    document alone, or a word in every document, still scores above 0. In context a document is itself and
    its neighbours, and b is 0.75.

    Own code and not a package: bm25s raises for a corpus without words, sets its logger to DEBUG on import
    and loads scipy, and no package scores documents in context.
    """

    def __init__(
        self, documents: Sequence[Sequence[str]], neighbours: NDArray[np.intp] | None = None
    ) -> None:
        """Index the documents, each a list of terms; an empty list, or an empty corpus, is fine.

        Args:
            documents: The terms of each.
            neighbours: Shape (n, any): the rows beside each document, -1 for none; in both directions.
        """
        import numpy as np

        counts = [Counter(document) for document in documents]
        self._size = len(counts)
        self._neighbours = np.full((self._size, 0), -1) if neighbours is None else neighbours
        self._columns: dict[str, int] = {}
        columns = np.array(
            [self._columns.setdefault(term, len(self._columns)) for count in counts for term in count],
            dtype=np.int64,
        )
        rows = np.repeat(np.arange(self._size), [len(count) for count in counts])
        order = np.argsort(columns, kind="stable")
        self._rows = rows[order]
        self._frequencies = np.array([tf for count in counts for tf in count.values()], np.float64)[order]
        self._bounds = np.concatenate([[0], np.cumsum(np.bincount(columns, minlength=len(self._columns)))])
        lengths = np.array([len(document) for document in documents], dtype=np.float64)
        self._norm = _norm(lengths, B_ALONE)
        self._context_norm = _norm(self._around(lengths[:, None])[:, 0], B_CONTEXT)

    def __len__(self) -> int:
        return self._size

    def scores(self, query_terms: Sequence[str]) -> Floats:
        """The score of every document by itself, shape (n,); 0 where no term occurs."""
        return self.match(query_terms).alone

    def match(self, query_terms: Sequence[str]) -> KeywordMatch:
        """Scores by itself, in context, and coverage. Unknown terms count only in the coverage."""
        import numpy as np

        terms = list(dict.fromkeys(query_terms))
        alone, context, covered = (np.zeros(self._size) for _ in range(3))
        known = [self._columns[term] for term in terms if term in self._columns]
        weight = (len(terms) - len(known)) * float(_idf(self._size, np.zeros(1))[0])
        step = max(1, _CELLS // max(self._size, 1))
        for start in range(0, len(known), step):
            frequencies = self._table(known[start : start + step])
            idf = _idf(self._size, np.count_nonzero(frequencies, axis=0))
            weight += float(idf.sum())
            covered += (frequencies > 0) @ idf
            alone += _saturated(frequencies, self._norm) @ idf
            around = self._around(frequencies)
            context += _saturated(around, self._context_norm) @ _idf(
                self._size, np.count_nonzero(around, axis=0)
            )
        return KeywordMatch(alone, context, covered / weight if weight else covered)

    def _table(self, columns: Sequence[int]) -> Floats:
        """How often each term is in each document, shape (n, terms)."""
        import numpy as np

        table = np.zeros((self._size, len(columns)))
        for position, column in enumerate(columns):
            part = slice(self._bounds[column], self._bounds[column + 1])
            table[self._rows[part], position] = self._frequencies[part]
        return table

    def _around(self, table: Floats) -> Floats:
        """The rows of a table, each with those of its neighbours added to it."""
        import numpy as np

        if not self._neighbours.size or (self._neighbours < 0).all():
            return table
        padded = np.vstack([table, np.zeros((1, table.shape[1]))])  # row -1: no neighbour
        total = table.copy()
        for beside in self._neighbours.T:
            total += padded[beside]
        return total


def _norm(lengths: Floats, b: float) -> Floats:
    mean = max(float(lengths.mean()), 1.0) if len(lengths) else 1.0
    norm: Floats = K1 * (1 - b + b * lengths / mean)
    return norm


def _saturated(frequencies: Floats, norm: Floats) -> Floats:
    saturated: Floats = frequencies * (K1 + 1) / (frequencies + norm[:, None])
    return saturated


def _idf(size: int, document_frequencies: NDArray[np.number]) -> Floats:
    import numpy as np

    idf: Floats = np.log1p((size - document_frequencies + 0.5) / (document_frequencies + 0.5))
    return idf
