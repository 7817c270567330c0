"""Whether a memory is one of those expected or forbidden. By words: its author may be rules or an LLM."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from datetime import date, datetime, timedelta, tzinfo
from functools import lru_cache

from benchmarks.extraction.dialogues import Expected, Forbidden, Spellings
from langmem_ext import MemoryItem

# Of a script with spaces between words: the ends of a spelling in it are ends of words.
_LETTER = r"[a-z0-9\u00df-\u024f]"


def contains(text: str, spellings: Spellings) -> bool:
    """Whether any of these spellings is in the text, as whole words; `word*` is a beginning."""
    folded = _fold(text)
    return any(_pattern(spelling).search(folded) for spelling in spellings)


def contains_all(text: str, groups: Iterable[Spellings]) -> bool:
    return all(contains(text, spellings) for spellings in groups)


def meets(text: str, expected: Expected) -> bool:
    """Whether a memory with this text is the expected one."""
    return contains_all(text, expected.must) and not contains(text, expected.without)


def breaks(text: str, forbidden: Forbidden) -> bool:
    """Whether a memory with this text must not be there."""
    return contains_all(text, forbidden.all) and not contains(text, forbidden.unless)


def dates_right(memory: MemoryItem, expected: Expected, zone: tzinfo) -> bool:
    """Whether the fact begins, and ends, on an expected day of the speaker's calendar."""
    first = _day(memory.valid_from, zone)
    end = memory.valid_until  # the first instant at which it does not hold: the day before midnight
    last = None if end is None else _day(end - timedelta(microseconds=1), zone)
    return _on(first, expected.valid_from) and _on(last, expected.valid_until)


def _on(day: date | None, expected: tuple[str, ...]) -> bool:
    return not expected or (day is not None and day.isoformat().startswith(expected))


def _day(when: datetime, zone: tzinfo) -> date:
    return when.astimezone(zone).date()


@lru_cache(maxsize=4096)
def _pattern(spelling: str) -> re.Pattern[str]:
    word = _fold(spelling.rstrip("*"))
    before = f"(?<!{_LETTER})" if re.match(_LETTER, word) else ""
    after = f"(?!{_LETTER})" if re.match(_LETTER, word[-1]) and not spelling.endswith("*") else ""
    return re.compile(before + re.escape(word) + after)


def _fold(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().replace("\u2019", "'").split())
