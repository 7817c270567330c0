"""One order out of all signals: the best rows, their scores, and what each score was made of."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from langmem_ext.errors import InvalidInputError
from langmem_ext.items import Signals
from langmem_ext.retrieval.weights import WEIGHTS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.floating[Any]]

# Cosines of float32 vectors differ in the seventh digit with the shape of the product; equal ones must tie.
_DIGITS: Final = 6
_COMPARED: Final = 30  # rows from the top among which older versions are looked for
_AHEAD: Final = 1e-6


class Ranked(NamedTuple):
    """A row in a ranking."""

    row: int
    score: float
    signals: Signals


class Evidence(NamedTuple):
    """What there is to rank rows by; all arrays of shape (n,).

    Attributes:
        cosines: Of the query with each row; NaN for a row without a vector; None when the query could
            not be embedded.
        keywords: BM25 of each row by itself; 0 for rows without a common word.
        context: BM25 of each row with its neighbours.
        signals: Normalised, by name, as `fusion.signals` gives them.
    """

    cosines: Floats | None
    keywords: Floats
    context: Floats
    signals: Mapping[str, Floats]


def similarity(cosine: float) -> float:
    """(1 + cosine) / 2, clipped to 0..1: 1 is the same direction, 0.5 orthogonal, 0 opposite."""
    return min(1.0, max(0.0, (1.0 + cosine) / 2.0))


def exact(cosines: Floats) -> NDArray[np.float64]:
    """Cosines without the noise of float32, so that equal vectors tie."""
    import numpy as np

    rounded: NDArray[np.float64] = np.asarray(cosines, dtype=np.float64).round(_DIGITS)
    return rounded


def rank(
    evidence: Evidence,
    allowed: NDArray[np.bool_],
    tie_break: Sequence[float] | Floats,
    *,
    limit: int,
    weights: Mapping[str, float] = WEIGHTS,
    newer: Callable[[Sequence[int]], Mapping[int, int]] | None = None,
    min_similarity: float | None = None,
) -> list[Ranked]:
    """The best rows, best first.

    A row's total is the sum of its signals times their weights, and its score e to the power of how far it
    is behind the best row: 1.0 for the best, 0.5 for one that is half as likely to be what is asked for.
    Scores fall strictly: rows that tie are ordered by cosine, then `tie_break`, then row, and the later
    one gets the next smaller float. A row without a vector, or every row when the query could not be
    embedded, takes part only if it has one of the words.

    Args:
        evidence: Signals of all rows.
        allowed: Shape (n,); the other rows do not come back, so they take no one's place.
        tie_break: Shape (n,), smaller first, such as the age or the order of the rows.
        limit: Greatest number of rows returned.
        weights: Of the signals; one that is not named counts nothing.
        newer: Which of some rows, best first, have to go before which: row -> the one it goes before,
            the newest row last.
        min_similarity: Leaves out rows with a smaller `similarity` of the cosine in their signals (which is
            rounded to 6 digits), and those without a cosine.

    Returns:
        At most `limit` rows.

    Raises:
        InvalidInputError: the arrays differ in length.
    """
    import numpy as np

    ties = np.asarray(tie_break, dtype=np.float64)
    meaning, mask = _taking_part(evidence, allowed, ties, min_similarity)
    totals = np.zeros(mask.shape)
    for name, values in evidence.signals.items():
        totals += weights.get(name, 0.0) * values
    order = _Order(np.nan_to_num(meaning, nan=-2.0), ties)
    rows = order.best(totals, np.flatnonzero(mask), max(limit, _COMPARED) if newer else limit)
    lifts: dict[int, float] = {}
    if newer is not None:
        for place, (row, other) in enumerate(newer([int(row) for row in rows]).items(), start=1):
            lifts[row] = float(totals[other] - totals[row]) + place * _AHEAD
        for row, lift in lifts.items():
            totals[row] += lift
        rows = order.best(totals, rows, limit)
    ranked: list[Ranked] = []
    score = math.inf
    for row in map(int, rows):
        score = min(math.exp(totals[row] - totals[rows[0]]), math.nextafter(score, 0.0), 1.0)
        made_of = _signals(evidence, row, meaning, mask, weights, lifts.get(row, 0.0))
        ranked.append(Ranked(row, score, made_of))
    return ranked


def _taking_part(
    evidence: Evidence, allowed: NDArray[np.bool_], ties: Floats, min_similarity: float | None
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The cosines, NaN where there is none, and which rows may come back."""
    import numpy as np

    words = np.asarray(evidence.keywords, dtype=np.float64)
    mask = np.array(allowed, dtype=bool)
    meaning = np.full(words.shape, np.nan) if evidence.cosines is None else exact(evidence.cosines)
    columns = [words, evidence.context, ties, mask, meaning, *evidence.signals.values()]
    if words.ndim != 1 or any(np.shape(column) != words.shape for column in columns):
        raise InvalidInputError("every array must have one entry per row")
    if min_similarity is not None:
        mask &= np.clip((1.0 + meaning) / 2.0, 0.0, 1.0) >= min_similarity  # as `similarity`; False for NaN
    mask &= ~np.isnan(meaning) | (words > 0)
    return meaning, mask


class _Order(NamedTuple):
    """What decides between rows with one total."""

    meaning: Floats
    ties: Floats

    def best(self, totals: Floats, rows: NDArray[np.intp], limit: int) -> NDArray[np.intp]:
        """The `limit` best of these rows, best first."""
        import numpy as np

        if len(rows) > limit > 0:  # cheaper than sorting all; those that tie with the last one stay in
            least = np.partition(totals[rows], len(rows) - limit)[len(rows) - limit]
            rows = rows[totals[rows] >= least]
        return rows[np.lexsort((rows, self.ties[rows], -self.meaning[rows], -totals[rows]))][: max(limit, 0)]


def _signals(
    evidence: Evidence,
    row: int,
    meaning: Floats,
    mask: NDArray[np.bool_],
    weights: Mapping[str, float],
    lift: float,
) -> Signals:
    known = not math.isnan(meaning[row])
    words = evidence.keywords
    parts = {name: weights.get(name, 0.0) * float(values[row]) for name, values in evidence.signals.items()}
    return Signals(
        cosine=float(meaning[row]) if known else None,
        dense_rank=1 + int((meaning[mask] > meaning[row]).sum()) if known else None,
        keyword_score=float(words[row]),
        keyword_rank=1 + int((words[mask] > words[row]).sum()) if words[row] > 0 else None,
        context_score=float(evidence.context[row]),
        contributions=parts | ({"newer": lift} if lift else {}),
    )
