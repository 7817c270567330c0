"""Tables as text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from unicodedata import east_asian_width


def table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A title and aligned columns: the first to the left, the others to the right."""
    lines = [list(head), *map(list, rows)]
    widths = [max(_width(line[column]) for line in lines) for column in range(len(head))]
    lines.insert(1, ["-" * width for width in widths])
    shown = ["  ".join(_padded(line, widths)).rstrip() for line in lines]
    return "\n".join([title, "", *shown])


def percent(share: float) -> str:
    """A share in percent with one digit; a dash for NaN."""
    return "-" if math.isnan(share) else f"{100 * share:.1f}"


def _padded(line: Sequence[str], widths: Sequence[int]) -> list[str]:
    gaps = [" " * (width - _width(cell)) for cell, width in zip(line, widths, strict=True)]
    return [line[0] + gaps[0], *(gap + cell for cell, gap in zip(line[1:], gaps[1:], strict=True))]


def _width(text: str) -> int:
    return sum(2 if east_asian_width(char) in "WF" else 1 for char in text)
