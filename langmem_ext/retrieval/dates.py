"""Time expressions in a question, English and Chinese: "on 3 May", "last summer", "两周前", "上个月"."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from typing import NamedTuple

from langmem_ext.retrieval.date_words import (
    MONTHS,
    NUMBERS,
    SEASONS,
    WEEKDAYS,
    pattern_of,
)


class Span(NamedTuple):
    """A stretch of time, [start, end), in epoch seconds."""

    start: float
    end: float


_MONTH = pattern_of(MONTHS)
_PLAIN_MONTH = pattern_of(name for name in MONTHS if name not in ("may", "mar", "march"))
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_COUNT = rf"(?P<count>\d{{1,3}}|{pattern_of(NUMBERS)})"
_UNIT = r"(?P<unit>day|week|month|year|天|日|周|星期|礼拜|个月|月|年)s?"
_WHICH = r"(?P<which>last|past|previous|this|next)"
_WHICH_ZH = r"(?P<which>上|这|本|下)个?"
# May and March are verbs too: alone they are months only after such a word.
_BEFORE_MONTH = r"(?:(?:in|of|since|during|until|by|early|late|mid|(?P<which>last|this|next))[ -])"

# In this order: what an expression has taken is not read again.
_EXPRESSIONS: tuple[str, ...] = (
    rf"(?P<date>{_YEAR}[-/.](?P<month>\d{{1,2}})(?:[-/.]{_DAY})?)(?![\d-])",
    rf"(?P<date>\b{_DAY}(?: of)? (?P<month>{_MONTH})\b\.?(?:,? {_YEAR})?)",
    rf"(?P<date>\b(?P<month>{_MONTH})\b\.? {_DAY}(?!\d)(?:,? {_YEAR})?)",
    rf"(?P<date>\b(?P<month>{_MONTH})\b,? {_YEAR})",
    rf"\b(?P<date>{_BEFORE_MONTH}(?P<month>{_MONTH})\b)",
    rf"\b(?P<date>(?P<month>{_PLAIN_MONTH}))\b",
    r"(?P<date>(?:(?P<year>\d{4})年|(?P<which>去|今|明)年)?(?P<month>\d{1,2}|[一二三四五六七八九十]{1,2})月"
    r"(?:份|(?P<day>\d{1,2}|[一二三四五六七八九十]{1,3})[日号])?)",
    rf"(?P<season>(?:\b{_WHICH} )?\b(?P<name>spring|summer|autumn|fall|winter)\b(?:(?: of)? {_YEAR})?)",
    r"(?P<season>(?:(?P<year>\d{4})年|(?P<which>去|今|明)年的?)(?P<name>春|夏|秋|冬)[天季]?)",
    rf"(?P<back>\b{_COUNT} {_UNIT} (?:ago|earlier))",
    rf"(?P<back>{_COUNT}{_UNIT}(?:之?前|以前))",
    rf"(?P<during>\b(?:last|past) {_COUNT} {_UNIT}\b)",
    rf"(?P<during>\b(?:past|(?:in|over|during|within) the last) {_UNIT}\b)",
    rf"(?P<during>(?:最近|过去|近)(?:的?这?){_COUNT}{_UNIT})",
    rf"\b(?P<weekday>{_WHICH} (?P<name>{pattern_of(WEEKDAYS)}))\b",
    r"(?P<weekday>(?P<which>上|这|本|下)个?(?:周|星期|礼拜)(?P<name>[一二三四五六日天]))",
    rf"\b(?P<period>{_WHICH} (?P<unit>weekend|week|month|year))\b",
    rf"(?P<period>{_WHICH_ZH}(?P<unit>周末|周|星期|礼拜|月))",
    r"(?P<period>(?P<which>去|今|明|前)(?P<unit>年))",
    r"\b(?P<relative>the day before yesterday|yesterday|last night|today|tonight|this morning)\b",
    r"(?P<relative>大前天|前天|昨天|昨晚|今天|今早|今晚)",
    rf"(?P<date>\b(?:in|of|during|since|year) {_YEAR}\b)",
    rf"(?P<date>{_YEAR}年)",
)
_READERS = [re.compile(expression) for expression in _EXPRESSIONS]
_RELATIVE = {
    "the day before yesterday": 2,
    "前天": 2,
    "大前天": 3,
    "yesterday": 1,
    "last night": 1,
    "昨天": 1,
}
_RELATIVE["昨晚"] = 1
_STEP = {"last": -1, "past": -1, "previous": -1, "上": -1, "去": -1, "next": 1, "下": 1, "明": 1, "前": -2}
_UNITS = {"天": "day", "日": "day", "周": "week", "星期": "week", "礼拜": "week", "周末": "weekend"}
_UNITS |= {"个月": "month", "月": "month", "年": "year"}
_LONGEST = 400  # characters that are read: what comes behind is no question any more

Days = tuple[date, date]  # the first day, and the one after the last


def time_spans(text: str, now: datetime, newest: datetime | None = None) -> list[Span]:
    """The stretches of time that a text names, in the order in which they are found.

    Args:
        text: A question.
        now: What "last week" is counted from; its time zone is where a day begins.
        newest: A date without a year is the last such date up to the end of this day, since an old
            conversation is asked about in its own years; `now` by default.

    Returns:
        Spans of whole days. Expressions that name no date ("recently", 31 February) give none.
    """
    left = text[:_LONGEST].casefold()
    until = now if newest is None else min(now, newest.astimezone(now.tzinfo))
    spans: list[Span] = []
    for reader in _READERS:
        for match in reader.finditer(left):
            try:
                days = _days(match, now.date(), until.date())
            except (ValueError, OverflowError):  # no such day, or outside the calendar
                continue
            spans.append(Span(_midnight(days[0], now), _midnight(days[1], now)))
        left = reader.sub(lambda match: "·" * len(match.group()), left)
    return spans


def _midnight(day: date, zone: datetime) -> float:
    return datetime.combine(day, time(), zone.tzinfo).timestamp()


def _days(match: re.Match[str], today: date, newest: date) -> Days:
    found = match.groupdict()
    for kind, read in _KINDS.items():
        if found.get(kind):
            return read(found, today, newest)
    raise ValueError("no expression")  # every reader has one of the kinds


def _date(found: dict[str, str | None], today: date, newest: date) -> Days:
    year = _year(found, today)
    month = None if found.get("month") is None else _number(found["month"] or "", MONTHS)
    day = None if found.get("day") is None else _number(found["day"] or "", {})
    if year is not None:
        return _calendar(year, month, day)
    if found.get("which") == "next":
        newest = max(newest, today) + timedelta(days=366)
    elif found.get("which") == "last":
        newest = today - timedelta(days=today.day)  # not the month that runs
    for candidate in range(newest.year, newest.year - 9, -1):  # 29 February comes every four, or eight, years
        try:
            days = _calendar(candidate, month, day)
        except ValueError:
            continue
        if days[0] <= newest:
            return days
    raise ValueError("no such day")


def _year(found: dict[str, str | None], today: date) -> int | None:
    if found.get("year") is not None:
        return int(found["year"] or 0)
    which = found.get("which")
    return today.year + _STEP.get(which, 0) if which in ("去", "今", "明") else None


def _calendar(year: int, month: int | None, day: int | None) -> Days:
    if month is None:
        return date(year, 1, 1), date(year + 1, 1, 1)
    if day is None:
        return date(year, month, 1), date(year + month // 12, month % 12 + 1, 1)
    return date(year, month, day), date(year, month, day) + timedelta(days=1)


def _season(found: dict[str, str | None], today: date, newest: date) -> Days:
    first = SEASONS[found["name"] or ""]
    year = _year(found, today)
    if year is None:
        year = newest.year + (found.get("which") == "next")
        while _quarter(year, first)[0] > newest and found.get("which") != "next":
            year -= 1
        if found.get("which") == "last" and _quarter(year, first)[1] > today:
            year -= 1
    return _quarter(year, first)


def _quarter(year: int, first: int) -> Days:
    """The three months from `first` on; winter begins in December of the year."""
    return date(year, first, 1), date(year + (first + 2) // 12, (first + 2) % 12 + 1, 1)


def _back(found: dict[str, str | None], today: date, newest: date) -> Days:
    unit = _unit(found)
    middle = _before(today, _number(found["count"] or "", NUMBERS), unit)
    slack = {"day": 0, "week": 3, "month": 15, "year": 183}[unit]  # "two months ago" is no exact day
    return middle - timedelta(days=slack), middle + timedelta(days=slack + 1)


def _during(found: dict[str, str | None], today: date, newest: date) -> Days:
    count = 1 if found.get("count") is None else _number(found["count"] or "", NUMBERS)
    return _before(today, count, _unit(found)), today + timedelta(days=1)


def _before(today: date, count: int, unit: str) -> date:
    return today - timedelta(days=round(count * {"day": 1, "week": 7, "month": 30.44, "year": 365.25}[unit]))


def _weekday(found: dict[str, str | None], today: date, newest: date) -> Days:
    monday = today - timedelta(days=today.weekday())
    number = WEEKDAYS[found["name"] or ""]
    which = found["which"] or ""
    if which in ("last", "past", "previous"):  # the last one that is over
        day = today - timedelta(days=(today.weekday() - number - 1) % 7 + 1)
    else:
        day = monday + timedelta(days=number + 7 * _STEP.get(which, 0))
    return day, day + timedelta(days=1)


def _period(found: dict[str, str | None], today: date, newest: date) -> Days:
    step, unit = _STEP.get(found["which"] or "", 0), _unit(found)
    if unit in ("week", "weekend"):
        monday = today + timedelta(days=7 * step - today.weekday())
        return monday + timedelta(days=5 if unit == "weekend" else 0), monday + timedelta(days=7)
    if unit == "year":
        return _calendar(today.year + step, None, None)
    months = today.year * 12 + today.month - 1 + step
    return _calendar(months // 12, months % 12 + 1, None)


def _relative(found: dict[str, str | None], today: date, newest: date) -> Days:
    day = today - timedelta(days=_RELATIVE.get(found["relative"] or "", 0))
    return day, day + timedelta(days=1)


def _unit(found: dict[str, str | None]) -> str:
    unit = found["unit"] or ""
    return _UNITS.get(unit, unit)


def _number(text: str, names: dict[str, int]) -> int:
    """A number in digits, by name, or in Chinese up to 99."""
    if text.isdigit():
        return int(text)
    if text in names:
        return names[text]
    tens, ten, ones = text.rpartition("十")
    return (NUMBERS[tens] if tens else int(bool(ten))) * 10 + (NUMBERS[ones] if ones else 0)


_KINDS: dict[str, Callable[[dict[str, str | None], date, date], Days]] = {
    "date": _date,
    "season": _season,
    "back": _back,
    "during": _during,
    "weekday": _weekday,
    "period": _period,
    "relative": _relative,
}
