from __future__ import annotations

import math
import random

import pytest

from langmem_ext.errors import InvalidInputError
from langmem_ext.evaluation.statistics import auroc, bootstrap, paired_bootstrap


def test_an_interval_holds_the_mean_and_narrows_with_more_questions() -> None:
    few, many = bootstrap([0, 1, 1, 0, 1]), bootstrap([0, 1, 1, 0, 1] * 50)
    assert few.mean == many.mean == pytest.approx(0.6)
    assert few.low < many.low < 0.6 < many.high < few.high
    assert math.isnan(bootstrap([]).mean)


def test_pairs_show_what_two_intervals_hide() -> None:
    """Questions differ far more than the settings do."""
    draw = random.Random(1)
    hard = [draw.random() for _ in range(200)]
    better = [value + 0.02 + draw.random() * 0.01 for value in hard]
    assert bootstrap(hard).high > bootstrap(better).low
    found = paired_bootstrap(hard, better)
    assert found.sure and found.low < found.mean < found.high
    assert found.mean == pytest.approx(0.025, abs=0.002)


def test_no_difference_is_not_sure() -> None:
    draw = random.Random(4)
    one, other = [[draw.random() for _ in range(100)] for _ in range(2)]
    assert not paired_bootstrap(one, other).sure
    assert not paired_bootstrap(one, one).sure
    assert paired_bootstrap(one, other) == paired_bootstrap(one, other)


def test_sides_must_match() -> None:
    with pytest.raises(InvalidInputError, match="same questions"):
        paired_bootstrap([1.0], [1.0, 0.0])
    with pytest.raises(InvalidInputError, match="at least one"):
        paired_bootstrap([], [])


def test_auroc() -> None:
    assert auroc([2, 3], [0, 1]) == 1
    assert auroc([0], [1]) == 0
    assert auroc([1, 1], [1, 1]) == 0.5
    assert auroc([1, 3], [2, 2]) == 0.5
    assert math.isnan(auroc([], [1]))
