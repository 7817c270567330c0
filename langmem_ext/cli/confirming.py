"""Asking before something is gone."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from langmem_ext.cli.failures import NotConfirmedError
from langmem_ext.cli.output import say, show_memory
from langmem_ext.items import MemoryItem

_SHOWN = 10


def show_all(memories: Sequence[MemoryItem]) -> None:
    """Say which memories are meant; of many the first."""
    for item in memories[:_SHOWN]:
        show_memory(item, "  ", err=True)
    if len(memories) > _SHOWN:
        say(f"  … and {len(memories) - _SHOWN} more")


def confirm(question: str, *, yes: bool) -> None:
    """Go on only where somebody agrees.

    Raises:
        NotConfirmedError: they do not, or nobody can be asked.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        raise NotConfirmedError("nobody can be asked here; give --yes to do it")
    if not _agrees(question):
        raise NotConfirmedError("nothing was deleted")


def choose(count: int) -> list[int]:
    """Which of so many, counted from 0; none where nobody can be asked or wants any."""
    if not sys.stdin.isatty():
        return []
    if count == 1:
        return [0] if _agrees("Delete it, with all versions?") else []
    said = _asked("Which? Numbers with spaces; nothing for none:")
    numbers = [int(word) for word in said.split() if word.isdecimal()]
    return [number - 1 for number in numbers if 1 <= number <= count]


def _agrees(question: str) -> bool:
    return _asked(f"{question} [y/N]:").casefold() in ("y", "yes", "是")


def _asked(question: str) -> str:
    """What somebody types. Not with click's prompts, some versions of which write to stdout."""
    click.echo(f"{question} ", err=True, nl=False)
    return sys.stdin.readline().strip()
