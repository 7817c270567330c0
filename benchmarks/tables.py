"""Plain-text tables: the first column to the left, numbers to the right."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Table:
    """A title, a head and rows of texts of the same length; notes go below."""

    title: str
    head: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        widths = [max(map(_width, column)) for column in zip(self.head, *self.rows, strict=True)]
        line = "  ".join("-" * width for width in widths)
        body = [_line(row, widths) for row in self.rows]
        return "\n".join([self.title, "", _line(self.head, widths), line, *body, "", *self.notes]).rstrip()


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *others = zip(cells, widths, strict=True)
    padded = [_gap(*first, left=True), *(_gap(cell, width, left=False) for cell, width in others)]
    return "  ".join(padded).rstrip()


def _gap(cell: str, width: int, *, left: bool) -> str:
    gap = " " * (width - _width(cell))
    return cell + gap if left else gap + cell


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)
