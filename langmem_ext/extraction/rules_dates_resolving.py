"""What the words for a time mean: from the match of a pattern to the days, against the day of speaking."""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo


@dataclass(frozen=True, slots=True)
class DatePhrase:
    """Words for a time, and the days they mean.

    Attributes:
        text: The words as written.
        first: The first day.
        last: The last day.
        label: What is written behind the words: a day, a month or a year.
        vague: Whether the words name a longer time than the label.
    """

    text: str
    first: date
    last: date
    label: str
    vague: bool = False

    def starts(self, zone: tzinfo | None) -> datetime:
        """Noon of the first day, as UTC: that instant has the same date nearly everywhere."""
        return _noon(self.first, zone)


def _noon(day: date, zone: tzinfo | None) -> datetime:
    return datetime(day.year, day.month, day.day, 12, tzinfo=zone or UTC).astimezone(UTC)


Resolve = Callable[[re.Match[str], date, bool], DatePhrase | None]
_MONTHS = {
    name: number for number, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)
}
_DAYS = {name: number for number, name in enumerate("mon tue wed thu fri sat sun".split())}
_SMALL = {
    **{
        name: number
        for number, name in enumerate("one two three four five six seven eight nine ten".split(), 1)
    },
    **{name: number for number, name in enumerate("一二三四五六七八九十", 1)},
    "a": 1,
    "an": 1,
    "a couple of": 2,
    "两": 2,
    "几": 3,
    "a few": 3,
    "several": 3,
    "十一": 11,
    "十二": 12,
    "半": 0,
}
_ZH_WEEKDAYS = {char: number for number, char in enumerate("一二三四五六日")} | {"天": 6, "末": 5}


def number(word: str) -> int:
    """A count in digits, in English words up to ten, or in Chinese up to 99; KeyError for others."""
    if word.isdigit() or word.lower() in _SMALL:
        return int(word) if word.isdigit() else _SMALL[word.lower()]
    tens, _, ones = word.replace("廿", "二十").partition("十")
    return (_SMALL[tens] if tens else 1) * 10 + (_SMALL[ones] if ones else 0)


def one_day(match: re.Match[str], day: date, *, vague: bool = False) -> DatePhrase:
    """The phrase for one day."""
    return DatePhrase(match[0], day, day, day.isoformat(), vague)


def whole_month(match: re.Match[str], year: int, month: int) -> DatePhrase:
    """The phrase for a month of a year."""
    last = calendar.monthrange(year, month)[1]
    return DatePhrase(match[0], date(year, month, 1), date(year, month, last), f"{year}-{month:02}")


def whole_year(match: re.Match[str], year: int) -> DatePhrase:
    """The phrase for a year."""
    return DatePhrase(match[0], date(year, 1, 1), date(year, 12, 31), str(year))


def shift(offset: int) -> Resolve:
    """So many days from today."""
    return lambda match, today, past: one_day(match, today + timedelta(days=offset))


def _around(today: date, unit: str, count: int) -> tuple[date, bool]:
    """The day so many units away, and whether that is only roughly meant."""
    if unit.startswith(("day", "天", "日")):
        return today + timedelta(days=count), False
    if unit.startswith(("week", "周", "星期", "礼拜")):
        return today + timedelta(weeks=count), True
    if unit.startswith(("month", "月")):
        months = today.year * 12 + today.month - 1 + count
        year, month = divmod(months, 12)
        return date(year, month + 1, min(today.day, calendar.monthrange(year, month + 1)[1])), True
    return date(today.year + count, today.month, min(today.day, 28)), True


def distance(sign: int) -> Resolve:
    """Such as "three weeks ago" (-1), 两个月后 (1)."""

    def resolve(match: re.Match[str], today: date, past: bool) -> DatePhrase | None:
        day, vague = _around(today, match["unit"].lower(), sign * number(match["count"]))
        unit = match["unit"].lower()
        if unit.startswith(("year", "年")):
            return whole_year(match, day.year)
        if unit.startswith(("month", "月")):
            return whole_month(match, day.year, day.month)
        return one_day(match, day, vague=vague)

    return resolve


def relative_unit(step_words: dict[str, int]) -> Resolve:
    """Such as "last week", "next month", 上个月, 明年."""

    def resolve(match: re.Match[str], today: date, past: bool) -> DatePhrase | None:
        step, unit = step_words[match["step"].lower()], match["unit"].lower()
        if unit in ("week", "周", "星期", "礼拜"):
            day = today + timedelta(weeks=step)
            sunday = day + timedelta(days=6 - day.weekday())
            if past and not step:
                day -= timedelta(days=day.weekday())
            return DatePhrase(match[0], day, sunday, day.isoformat(), vague=True)
        if unit in ("weekend", "周末"):
            saturday = today - timedelta(days=today.weekday()) + timedelta(days=5, weeks=step)
            return DatePhrase(match[0], saturday, saturday + timedelta(days=1), saturday.isoformat())
        if unit in ("month", "月", "个月"):
            year, month = divmod(today.year * 12 + today.month - 1 + step, 12)
            return whole_month(match, year, month + 1)
        return whole_year(match, today.year + step)

    return resolve


def weekday(match: re.Match[str], today: date, past: bool) -> DatePhrase | None:
    """Such as "on Friday", "next Friday", "last Friday": the nearest one in the direction that is meant."""
    target = _DAYS[match["weekday"].lower()[:3]]
    step = (match["step"] or "").lower()
    after = 7 if (match.groupdict().get("after") or "").lower().startswith(("week", "a week")) else 0
    if match.groupdict().get("after"):
        ahead = (target - today.weekday() - 1) % 7 + 1 + (after or 14)
        return one_day(match, today + timedelta(days=ahead))
    if step == "last" or (past and step != "next"):
        return one_day(match, today - timedelta(days=(today.weekday() - target - 1) % 7 + 1))
    ahead = (target - today.weekday() - 1) % 7 + 1
    in_this_week = target > today.weekday()
    return one_day(match, today + timedelta(days=ahead + (7 if step == "next" and in_this_week else 0)))


def weekday_zh(match: re.Match[str], today: date, past: bool) -> DatePhrase | None:
    """Such as 周三, 下下周一: in the week that is named."""
    step = match["step"] or ""
    week = step.count("下") - step.count("上")
    monday = today - timedelta(days=today.weekday()) + timedelta(weeks=week)
    day = monday + timedelta(days=_ZH_WEEKDAYS[match["weekday"]])
    if not match["step"] and not past and day < today:
        day += timedelta(weeks=1)
    if not match["step"] and past and day > today:
        day -= timedelta(weeks=1)
    if match["weekday"] == "末":
        return DatePhrase(match[0], day, day + timedelta(days=1), day.isoformat())
    return one_day(match, day)


def calendar_day(match: re.Match[str], today: date, past: bool) -> DatePhrase | None:
    """A month and a day, or a month alone, with or without a year."""
    groups = match.groupdict()
    word = groups["month"].lower()
    month = _MONTHS.get(word[:3]) or number(word)
    year_word, day_word = groups.get("year"), groups.get("day")
    year = (
        int(year_word)
        if year_word
        else {"去年": today.year - 1, "明年": today.year + 1}.get(groups.get("yearword") or "", today.year)
    )
    if not day_word:
        if not year_word and not groups.get("yearword"):
            year += (month < today.month and not past) - (month > today.month and past)
        return whole_month(match, year, month)
    day = date(year, month, number(day_word))
    if not year_word and not groups.get("yearword"):
        year += (day < today and not past) - (day > today and past)
        day = date(year, month, number(day_word))
    return one_day(match, day)


def bare_year(match: re.Match[str], today: date, past: bool) -> DatePhrase | None:
    """A year by its number."""
    return whole_year(match, int(match["year"]))


def day_of_month(match: re.Match[str], today: date, past: bool) -> DatePhrase | None:
    """Such as "the 27th", 二号: of this month, or of the nearest that has it in the direction meant."""
    wanted, step = number(match["day"]), -1 if past else 1
    shift = {"上": -1, "下": 1}.get((match.groupdict().get("step") or "")[:1])
    first = today.year * 12 + today.month - 1 + (shift or 0)
    for months in range(first, first + (1 if shift is not None else 3) * step, step):
        year, month = divmod(months, 12)
        if wanted <= calendar.monthrange(year, month + 1)[1]:
            day = date(year, month + 1, wanted)
            if shift is not None or (day <= today if past else day >= today):
                return one_day(match, day)
    return None


def part_of_month(match: re.Match[str], today: date, past: bool) -> DatePhrase | None:
    """Such as 下个月底, "at the end of the month": its first or its last days."""
    groups = match.groupdict()
    step = {"上": -1, "下": 1}.get((groups.get("step") or "")[:1], 0)
    year, month = divmod(today.year * 12 + today.month - 1 + step, 12)
    last = calendar.monthrange(year, month + 1)[1]
    first, end = {"初": (1, 10), "中": (11, 20)}.get(groups.get("part") or "", (last - 4, last))
    label = f"{year}-{month + 1:02}"
    return DatePhrase(match[0], date(year, month + 1, first), date(year, month + 1, end), label, True)


def feast(match: re.Match[str], today: date, past: bool) -> DatePhrase | None:
    """A feast that has the same date every year."""
    month, day = _FEASTS[next(name for name in _FEASTS if name in match[0].lower())]
    found = date(today.year, month, day)
    year = today.year + (found < today and not past) - (found > today and past)
    return one_day(match, date(year, month, day))


_FEASTS = {
    "christmas eve": (12, 24), "christmas": (12, 25), "new year's eve": (12, 31), "new years eve": (12, 31),
    "halloween": (10, 31), "valentine": (2, 14), "平安夜": (12, 24), "圣诞": (12, 25), "元旦": (1, 1),
    "情人节": (2, 14), "五一": (5, 1), "劳动节": (5, 1), "国庆": (10, 1), "六一": (6, 1),
}  # fmt: skip
