from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from langmem_ext.errors import ModelError
from langmem_ext.models.vectors import check_vectors


@pytest.mark.parametrize("rows", [[[3.0, 4.0], [0.0, -2.0]], np.array([[3, 4], [0, -2]])])
def test_rows_become_unit_float32(rows: Any) -> None:
    unit = check_vectors(rows, 2, 2)
    assert unit.dtype == np.float32
    np.testing.assert_allclose(unit, [[0.6, 0.8], [0.0, -1.0]], rtol=1e-6)


def test_the_callers_array_is_left_alone() -> None:
    given = np.array([[3.0, 4.0]], dtype=np.float32)
    check_vectors(given, 1, 2)[0, 0] = 9
    assert given.tolist() == [[3.0, 4.0]]


def test_no_texts_are_no_rows() -> None:
    assert check_vectors([], 0, 7).shape == (0, 7)


def test_huge_values_do_not_overflow() -> None:
    assert np.linalg.norm(check_vectors([[1e300, 1e300]], 1, 2)) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize(
    ("rows", "count"),
    [
        ([[1.0, 2.0]], 2),
        ([[1.0, 2.0, 3.0]], 1),
        ([1.0, 2.0], 1),
        ([[1.0, 2.0], [1.0]], 2),
        ([["a", "b"]], 1),
        (None, 1),
        ([[None, 1.0]], 1),
        ([[float("nan"), 1.0]], 1),
        ([[float("inf"), 1.0]], 1),
        ([[1.0, 0.0], [0.0, 0.0]], 2),
        ([], 1),
        ([[1.0, 2.0]], 0),
    ],
)
def test_what_is_no_answer_is_refused_by_name(rows: Any, count: int) -> None:
    with pytest.raises(ModelError, match="my-embedder") as caught:
        check_vectors(rows, count, 2, embedder="my-embedder")
    assert caught.value.kind == "bad_reply"
    assert not caught.value.retryable
