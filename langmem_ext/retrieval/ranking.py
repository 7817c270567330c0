"""One order out of two: rows close in meaning and rows that share words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from langmem_ext.errors import InvalidInputError
from langmem_ext.items import Signals

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.floating[Any]]

# Reciprocal rank fusion with the constant of its authors: Cormack, Clarke and Büttcher, SIGIR 2009.
_K = 60
_DEPTH = 100
# Cosines of float32 vectors differ in the seventh digit with the shape of the product; equal ones must tie.
_DIGITS = 6


class Ranked(NamedTuple):
    """A row in a ranking."""

    row: int
    score: float
    signals: Signals


def similarity(cosine: float) -> float:
    """(1 + cosine) / 2, clipped to 0..1: 1 is the same direction, 0.5 orthogonal, 0 opposite."""
    return min(1.0, max(0.0, (1.0 + cosine) / 2.0))


def rank(
    cosines: Floats | None,
    keyword_scores: Floats,
    allowed: NDArray[np.bool_],
    tie_break: Sequence[float] | Floats,
    *,
    limit: int,
    min_similarity: float | None = None,
) -> list[Ranked]:
    """The best rows by meaning and by word, best first.

    Two lists are made of the allowed rows, one by cosine and one by keyword score (above 0), each 100
    deep, or `limit` if that is more. A row scores the sum of 1 / (60 + rank) over the lists it is in,
    divided by the score of a row that is first in every list that is not empty: 1.0 is the best there can
    be for this query. Scores fall strictly: rows that tie are ordered by cosine, then `tie_break`, then
    row, and the later one gets the next smaller float.

    Args:
        cosines: Of the query with each row, shape (n,); NaN for a row without a vector; None when
            the query could not be embedded.
        keyword_scores: Shape (n,), 0 for rows without a common word.
        allowed: Shape (n,); the other rows do not take part at all, so they take no one's place.
        tie_break: Shape (n,), smaller first, such as the age or the order of the rows.
        limit: Greatest number of rows returned.
        min_similarity: Leaves out rows with a smaller `similarity` of the cosine in their signals (which is
            rounded to 6 digits), and those without a cosine.

    Returns:
        At most `limit` rows.

    Raises:
        InvalidInputError: the arrays differ in length.
    """
    import numpy as np

    words = np.asarray(keyword_scores, dtype=np.float64)
    ties = np.asarray(tie_break, dtype=np.float64)
    mask = np.array(allowed, dtype=bool)
    missing = np.full(words.shape, np.nan)
    meaning = missing if cosines is None else np.round(np.asarray(cosines, dtype=np.float64), _DIGITS)
    if not words.shape == ties.shape == mask.shape == meaning.shape or words.ndim != 1:
        raise InvalidInputError("cosines, keyword_scores, allowed and tie_break must have one entry per row")
    if min_similarity is not None:
        mask &= np.clip((1.0 + meaning) / 2.0, 0.0, 1.0) >= min_similarity  # as `similarity`; False for NaN
    depth = max(_DEPTH, limit)
    dense = _ranks(meaning, mask & ~np.isnan(meaning), ties, depth)
    keyword = _ranks(words, mask & (words > 0), ties, depth)
    best = sum(1 for ranks in (dense, keyword) if ranks) / (_K + 1)

    def fused(row: int) -> float:
        return sum(1 / (_K + ranks[row]) for ranks in (dense, keyword) if row in ranks) / best

    def order(row: int) -> tuple[float, float, float, int]:
        return (-fused(row), -np.nan_to_num(meaning[row], nan=-2.0), ties[row], row)

    rows = sorted({**dense, **keyword}, key=order)[: max(limit, 0)]
    ranked: list[Ranked] = []
    score = math.inf
    for row in rows:
        score = min(fused(row), math.nextafter(score, 0.0), 1.0)
        cosine = None if np.isnan(meaning[row]) else float(meaning[row])
        signals = Signals(cosine, dense.get(row), float(words[row]), keyword.get(row))
        ranked.append(Ranked(row, score, signals))
    return ranked


def _ranks(values: Floats, candidates: NDArray[np.bool_], ties: Floats, depth: int) -> dict[int, int]:
    """Row -> rank from 1, of the `depth` largest values; equal ones in the order of `ties`, then of rows."""
    import numpy as np

    rows = np.flatnonzero(candidates)
    if len(rows) > depth:  # cheaper than sorting all; those that tie with the last one stay in
        least = np.partition(values[rows], len(rows) - depth)[len(rows) - depth]
        rows = rows[values[rows] >= least]
    order = rows[np.lexsort((rows, ties[rows], -values[rows]))][:depth]
    return {int(row): position for position, row in enumerate(order, start=1)}
