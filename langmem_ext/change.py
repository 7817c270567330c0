"""A change of one user's memories, in two steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

P = TypeVar("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Change(Generic[P, T]):
    """`prepare` checks and embeds and may take long; `commit` runs alone among this user's changes."""

    prepare: Callable[[], P]
    commit: Callable[[P], T]
