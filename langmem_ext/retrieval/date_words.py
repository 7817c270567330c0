"""The names of months, weekdays, seasons and small numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

_MONTH_NAMES = "january february march april may june july august september october november december".split()
_WEEKDAY_NAMES = "monday tuesday wednesday thursday friday saturday sunday".split()
_SHORT_MONTHS = {"sept": 9} | {
    name[:3]: number for number, name in enumerate(_MONTH_NAMES, start=1) if name != "may"
}

MONTHS: Final[dict[str, int]] = _SHORT_MONTHS | {
    name: number for number, name in enumerate(_MONTH_NAMES, start=1)
}
WEEKDAYS: Final[dict[str, int]] = {name: number for number, name in enumerate(_WEEKDAY_NAMES)} | {
    name: number for number, name in enumerate("一二三四五六日")
}
WEEKDAYS["天"] = 6
# The month in which a season begins, north of the equator.
SEASONS: Final[dict[str, int]] = {
    **{"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12},
    **{"春": 3, "夏": 6, "秋": 9, "冬": 12},
}
NUMBERS: Final[dict[str, int]] = {
    **{"a couple of": 2, "couple of": 2, "a few": 3, "few": 3, "an": 1, "a": 1},
    **{name: n for n, name in enumerate("one two three four five six seven eight nine ten".split(), start=1)},
    **{"eleven": 11, "twelve": 12, "两": 2, "几": 3, "十": 10},
    **{name: n for n, name in enumerate("一二三四五六七八九", start=1)},
}


def pattern_of(names: Iterable[str]) -> str:
    """A pattern for any of these, the longest first."""
    return "|".join(sorted(names, key=lambda name: (-len(name), name)))
