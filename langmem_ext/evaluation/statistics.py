"""How sure a figure is, and a difference between two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from langmem_ext.errors import InvalidInputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

_RESAMPLES: Final = 2_000
_SEED: Final = 20_240_501
_AT_ONCE: Final = 2_000_000  # numbers drawn at once


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean, and the 95 % bootstrap interval around it."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Difference:
    """Second minus first, of the same questions; `sure` when the 95 % interval leaves out 0."""

    mean: float
    low: float
    high: float

    @property
    def sure(self) -> bool:
        """Whether chance alone would rarely make such a difference."""
        return self.low > 0 or self.high < 0


def bootstrap(values: Sequence[float]) -> Interval:
    """The mean of some questions' figures, and how much it would vary with other questions."""
    found = np.asarray(values, dtype=np.float64)
    if not len(found):
        return Interval(float("nan"), float("nan"), float("nan"))
    low, high = np.quantile(_resampled(found), [0.025, 0.975])
    return Interval(float(found.mean()), float(low), float(high))


def paired_bootstrap(first: Sequence[float], second: Sequence[float]) -> Difference:
    """How much better the second is: both hold the figures of the same questions, in the same order.

    Questions are drawn anew with their pair of figures, so what makes a question hard for both drops out.
    The same input always gives the same answer.

    Raises:
        InvalidInputError: they differ in length, or are empty.
    """
    if len(first) != len(second) or not first:
        raise InvalidInputError("a paired comparison needs the same questions on both sides, at least one")
    found = bootstrap(np.subtract(second, first).tolist())
    return Difference(found.mean, found.low, found.high)


def _resampled(values: NDArray[np.float64]) -> NDArray[np.float64]:
    random = np.random.default_rng(_SEED)
    step = max(1, _AT_ONCE // len(values))
    means = [
        values[random.integers(0, len(values), (min(step, _RESAMPLES - start), len(values)))].mean(axis=1)
        for start in range(0, _RESAMPLES, step)
    ]
    return np.concatenate(means)


def auroc(positive: Sequence[float], negative: Sequence[float]) -> float:
    """How often a positive is above a negative; ties count half. NaN when either is empty."""
    if not positive or not negative:
        return float("nan")
    ordered = np.sort(np.asarray(negative, dtype=np.float64))
    below = np.searchsorted(ordered, positive, side="left")
    not_above = np.searchsorted(ordered, positive, side="right")
    return float((below + not_above).mean() / 2 / len(ordered))
