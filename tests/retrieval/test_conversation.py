from __future__ import annotations

import numpy as np

from langmem_ext.ports import StoredMemory
from langmem_ext.retrieval.conversation import AFTER, BEFORE, beside, neighbours_of
from tests.support.memories import row


def rows(*sessions: str | None) -> list[StoredMemory]:
    return [row(f"m{number}", session_id=session) for number, session in enumerate(sessions)]


def test_rows_of_one_session_stand_beside_each_other_in_the_order_of_writing() -> None:
    found = neighbours_of(rows("a", "b", "a", "a"))
    assert found.tolist() == [[-1, 2, -1, 3], [-1, -1, -1, -1], [0, 3, -1, -1], [2, -1, 0, -1]]


def test_a_row_without_a_session_stands_alone() -> None:
    assert (neighbours_of(rows(None, None, None)) == -1).all()
    assert neighbours_of([]).shape == (0, 4)


def test_values_beside_a_row() -> None:
    found = neighbours_of(rows("a", "a", "b"))
    values = np.array([1.0, 2.0, 4.0])
    assert beside(values, found, BEFORE).tolist() == [0, 1, 0]
    assert beside(values, found, AFTER).tolist() == [2, 0, 0]
    assert beside(np.zeros(0), neighbours_of([]), BEFORE).tolist() == []
