"""What goes to stdout (data) and to stderr (talk), and how values look in both."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import sys
import threading
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from io import TextIOWrapper
from typing import Any, Final, TypeVar

import click

from langmem_ext.items import MemoryItem

T = TypeVar("T")
# They reorder what stands around them, so that a line shows something else than it says.
_REORDERING: Final = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_HIDDEN: Final = frozenset({"Cc", "Cs", "Zl", "Zp"})


def use_utf8() -> None:
    """Make the standard streams UTF-8, whatever the locale: memories are in any language."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(
                encoding="utf-8", errors="strict" if stream is sys.stdin else "backslashreplace"
            )


def document(value: Any) -> None:
    """Print a value as one JSON document."""
    click.echo(json.dumps(as_json(value), ensure_ascii=False, indent=2))


def json_line(value: Any) -> None:
    """Print a value as one line of JSON lines."""
    click.echo(json.dumps(as_json(value), ensure_ascii=False))


def as_json(value: Any) -> Any:
    """A value of the API as JSON has it: attributes by their names, times as ISO 8601 in UTC."""
    if isinstance(value, MemoryItem):
        return value.to_dict()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {part.name: as_json(getattr(value, part.name)) for part in dataclasses.fields(value)}
    if hasattr(value, "_asdict"):
        return as_json(value._asdict())
    if isinstance(value, Mapping):
        return {str(name): as_json(part) for name, part in value.items()}
    if isinstance(value, tuple | list):
        return [as_json(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None  # JSON has no such numbers
    return value.isoformat() if isinstance(value, datetime) else value


def line(text: str = "") -> None:
    """Print a line of data."""
    click.echo(text, color=_color())


def say(text: str) -> None:
    """Tell the person something."""
    click.echo(text, err=True, color=_color())


def show_memory(item: MemoryItem, before: str = "", *, err: bool = False) -> None:
    """A memory in two lines: what it says, and what it is."""
    about = [item.memory_id, item.memory_type, f"since {item.valid_from:%Y-%m-%d}"]
    about += [f"key {printable(item.key)}"] if item.key else []
    about += [f"until {item.expires_at:%Y-%m-%d}"] if item.expires_at else []
    talk = say if err else line
    talk(before + printable(item.content))
    talk(" " * len(before) + dim("  ".join(about)))


def dim(text: str) -> str:
    """Less prominent on a terminal."""
    return click.style(text, dim=True)


def printable(text: str) -> str:
    """The text without what would drive a terminal: memories may hold anything that somebody said."""
    return "".join(
        f"\\u{ord(char):04x}" if char in _REORDERING or unicodedata.category(char) in _HIDDEN else char
        for char in text
    )


def shows_progress() -> bool:
    """Whether somebody watches."""
    return sys.stderr.isatty()


def with_bar(steps: Sequence[T], what: str) -> Iterable[T]:
    """The steps one by one, with a bar on a terminal."""
    if not shows_progress():
        return steps
    from tqdm import tqdm

    bar: Iterable[T] = tqdm(steps, desc=what, leave=False)
    return bar


@contextmanager
def working(what: str) -> Iterator[None]:
    """On a terminal, tell the time that something takes whose end is not known."""
    if not shows_progress():
        yield
        return
    from tqdm import tqdm

    done = threading.Event()
    with tqdm(desc=what, bar_format="{desc} … {elapsed}", leave=False) as bar:

        def tick() -> None:
            while not done.wait(0.5):
                bar.refresh()

        clock = threading.Thread(target=tick, daemon=True)
        clock.start()
        try:
            yield
        finally:
            done.set()
            clock.join()


def _color() -> bool | None:
    return False if os.environ.get("NO_COLOR") else None  # None: on a terminal only
