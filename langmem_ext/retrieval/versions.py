"""Which of two memories says the same thing of a later time.

"The capital is Bonn." and "The capital is Berlin." match a question equally well; without a key nothing
retired the older one. Of two by one speaker that begin alike, go on alike for half of the shorter one, and
have the same words of the question, at least one, the newer goes first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

# The beginning names what it is about; the rest is what is said of it. One word ("likes …") is too little.
_BEGINNING: Final = 2
_COMMON: Final = 0.5


def newer_first(
    rows: Sequence[int],
    statement_of: Callable[[int], Sequence[str]],
    speaker_and_match: Callable[[int], tuple[str | None, frozenset[str]]],
    age_of: Callable[[int], tuple[float, int]],
) -> dict[int, int]:
    """Which rows have to stand before which.

    Args:
        rows: Best first.
        statement_of: The words of a row in their order.
        speaker_and_match: Who says a row, and which words of the question it has.
        age_of: Larger for a newer row.

    Returns:
        Newer row -> the best placed row that it replaces, where that stands before it; the newest last.
    """
    alike: dict[tuple[str | None, frozenset[str], tuple[str, ...]], list[int]] = {}
    overtaken: dict[int, int] = {}
    for row in rows:
        beginning = tuple(statement_of(row)[:_BEGINNING])
        speaker, matched = speaker_and_match(row)
        if len(beginning) < _BEGINNING or not matched:
            continue
        better = alike.setdefault((speaker, matched, beginning), [])
        for other in better:
            if age_of(row) > age_of(other) and _go_on_alike(statement_of(row), statement_of(other)):
                overtaken[row] = other
                break
        better.append(row)
    return {row: overtaken[row] for row in sorted(overtaken, key=age_of)}


def _go_on_alike(one: Sequence[str], other: Sequence[str]) -> bool:
    shorter = min(len(one), len(other))
    same = next((i for i in range(shorter) if one[i] != other[i]), shorter)
    return same >= _COMMON * shorter
