"""A bar for work that takes a while: in a terminal and in a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")


def progress_bar(steps: Sequence[T], *, shown: bool) -> Iterable[T]:
    """The steps one by one, with a bar on stderr or in the cell where one is `shown`."""
    if not shown:
        return steps
    from tqdm.auto import tqdm

    bar: Iterable[T] = tqdm(steps, desc="learning", unit="part")
    return bar
