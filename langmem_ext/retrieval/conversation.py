"""Which memories stand beside each other: those of one session, in the order in which they were stored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from langmem_ext.ports import StoredMemory

# Columns of the neighbours.
BEFORE: Final = 0
AFTER: Final = 1


def neighbours_of(rows: Sequence[StoredMemory]) -> NDArray[np.intp]:
    """The rows before and after each, and the ones beyond these; -1 where the session has no more.

    A row without a session has no neighbours. The rows come oldest write first.

    Returns:
        Shape (len(rows), 4): one before, one after, two before, two after.
    """
    found = np.full((len(rows), 4), -1, dtype=np.intp)
    sessions = [row.item.session_id for row in rows]
    order = sorted(
        (number for number, session in enumerate(sessions) if session is not None),
        key=lambda number: (sessions[number] or "", number),
    )
    for reach, before in ((1, 0), (2, 2)):
        for left, right in zip(order, order[reach:], strict=False):
            if sessions[left] == sessions[right]:
                found[right, before], found[left, before + 1] = left, right
    return found


def beside(values: NDArray[np.floating], neighbours: NDArray[np.intp], column: int) -> NDArray[np.float64]:
    """The value of each row's neighbour, 0 where there is none."""
    if not len(values):
        return np.zeros(0)
    rows = neighbours[:, column]
    return np.where(rows >= 0, values[rows], 0.0)
