"""Relative dates in English and Chinese, worked out against the day on which they were said."""

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


def find_date(text: str, today: date, *, past: bool) -> DatePhrase | None:
    """The first phrase for a date. A bare "May 3" or "Friday" lies in the past or ahead, as `past` says."""
    for pattern, resolve in _RULES:
        match = pattern.search(text)
        if match is None:
            continue
        try:
            found = resolve(match, today, past)
        except (ValueError, OverflowError):
            continue
        if found is not None:
            return found
    return None


def annotate(text: str, phrase: DatePhrase | None, *, chinese: bool) -> str:
    """The text with the calendar date behind the words for it."""
    if phrase is None or phrase.text not in text or phrase.label in text:
        return text
    if chinese:
        label = f"（{'约 ' if phrase.vague else ''}{phrase.label}）"
    else:
        label = f" ({'around ' if phrase.vague else ''}{phrase.label})"
    return text.replace(phrase.text, phrase.text + label, 1)


def _noon(day: date, zone: tzinfo | None) -> datetime:
    return datetime(day.year, day.month, day.day, 12, tzinfo=zone or UTC).astimezone(UTC)


_Resolve = Callable[[re.Match[str], date, bool], DatePhrase | None]
_MONTHS = {
    name: number for number, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)
}
_DAYS = {name: number for number, name in enumerate("mon tue wed thu fri sat sun".split())}
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_DAY = r"(?P<weekday>monday|tuesday|wednesday|thursday|friday|saturday|sunday)"
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
_COUNT = r"(?P<count>\d{1,3}|an?|a couple of|a few|several|one|two|three|four|five|six|seven|eight|nine|ten)"
_COUNT_ZH = r"(?P<count>\d{1,3}|十[一二]|[一二两三四五六七八九十几])"
_ZH_WEEKDAYS = {char: number for number, char in enumerate("一二三四五六日")} | {"天": 6, "末": 5}


def _one(match: re.Match[str], day: date, *, vague: bool = False) -> DatePhrase:
    return DatePhrase(match[0], day, day, day.isoformat(), vague)


def _month(match: re.Match[str], year: int, month: int) -> DatePhrase:
    last = calendar.monthrange(year, month)[1]
    return DatePhrase(match[0], date(year, month, 1), date(year, month, last), f"{year}-{month:02}")


def _year(match: re.Match[str], year: int) -> DatePhrase:
    return DatePhrase(match[0], date(year, 1, 1), date(year, 12, 31), str(year))


def _shift(offset: int) -> _Resolve:
    return lambda match, today, past: _one(match, today + timedelta(days=offset))


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


def _distance(sign: int) -> _Resolve:
    def resolve(match: re.Match[str], today: date, past: bool) -> DatePhrase | None:
        word = match["count"].lower()
        count = int(word) if word.isdigit() else _SMALL[word]
        day, vague = _around(today, match["unit"].lower(), sign * count)
        unit = match["unit"].lower()
        if unit.startswith(("year", "年")):
            return _year(match, day.year)
        if unit.startswith(("month", "月")):
            return _month(match, day.year, day.month)
        return _one(match, day, vague=vague)

    return resolve


def _relative_unit(step_words: dict[str, int]) -> _Resolve:
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
            return _month(match, year, month + 1)
        return _year(match, today.year + step)

    return resolve


def _weekday(match: re.Match[str], today: date, past: bool) -> DatePhrase | None:
    """Such as "on Friday", "next Friday", "last Friday": the nearest one in the direction that is meant."""
    target = _DAYS[match["weekday"].lower()[:3]]
    step = (match["step"] or "").lower()
    if step == "last" or (past and step != "next"):
        return _one(match, today - timedelta(days=(today.weekday() - target - 1) % 7 + 1))
    ahead = (target - today.weekday() - 1) % 7 + 1
    in_this_week = target > today.weekday()
    return _one(match, today + timedelta(days=ahead + (7 if step == "next" and in_this_week else 0)))


def _weekday_zh(match: re.Match[str], today: date, past: bool) -> DatePhrase | None:
    week = {"上": -1, "上个": -1, "下": 1, "下个": 1}.get(match["step"] or "", 0)
    monday = today - timedelta(days=today.weekday()) + timedelta(weeks=week)
    day = monday + timedelta(days=_ZH_WEEKDAYS[match["weekday"]])
    if not match["step"] and not past and day < today:
        day += timedelta(weeks=1)
    if match["weekday"] == "末":
        return DatePhrase(match[0], day, day + timedelta(days=1), day.isoformat())
    return _one(match, day)


def _calendar(match: re.Match[str], today: date, past: bool) -> DatePhrase | None:
    """A month and a day, or a month alone, with or without a year."""
    groups = match.groupdict()
    word = groups["month"].lower()
    month = int(word) if word.isdigit() else _MONTHS[word[:3]]
    year_word, day_word = groups.get("year"), groups.get("day")
    year = (
        int(year_word)
        if year_word
        else {"去年": today.year - 1, "明年": today.year + 1}.get(groups.get("yearword") or "", today.year)
    )
    if not day_word:
        if not year_word and not groups.get("yearword"):
            year += (month < today.month and not past) - (month > today.month and past)
        return _month(match, year, month)
    day = date(year, month, int(day_word))
    if not year_word and not groups.get("yearword"):
        year += (day < today and not past) - (day > today and past)
        day = date(year, month, int(day_word))
    return _one(match, day)


def _bare_year(match: re.Match[str], today: date, past: bool) -> DatePhrase | None:
    return _year(match, int(match["year"]))


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.I)


_EN_STEPS = {"last": -1, "this": 0, "next": 1, "this past": -1, "this coming": 1}
_ZH_STEPS = {
    "上": -1,
    "上个": -1,
    "这": 0,
    "这个": 0,
    "本": 0,
    "下": 1,
    "下个": 1,
    "去": -1,
    "今": 0,
    "明": 1,
    "前": -2,
    "后": 2,
}
_RULES: tuple[tuple[re.Pattern[str], _Resolve], ...] = tuple(
    (_compiled(pattern), resolve)
    for pattern, resolve in (
        (r"\b(?:on )?(?P<year>(?:19|20)\d{2})-(?P<month>\d{2})-(?P<day>\d{2})\b", _calendar),
        (r"(?P<year>(?:19|20)\d{2})年(?P<month>\d{1,2})月(?:(?P<day>\d{1,2})[日号])?", _calendar),
        (r"(?P<yearword>去年|今年|明年)?(?P<month>\d{1,2})月(?P<day>\d{1,2})[日号]?", _calendar),
        (r"(?P<yearword>去年|今年|明年)?(?P<month>\d{1,2})月(?!\d)份?", _calendar),
        (
            rf"\b(?:on )?(?:the )?(?P<day>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?{_MONTH}\b(?:,? "
            rf"(?P<year>(?:19|20)\d{{2}}))?",
            _calendar,
        ),
        (
            rf"\b(?:on )?{_MONTH} (?:the )?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? (?P<year>(?:19|"
            rf"20)\d{{2}}))?",
            _calendar,
        ),
        (rf"\b(?:in|since|this|last|next|of) {_MONTH}\b(?:,? (?P<year>(?:19|20)\d{{2}}))?", _calendar),
        (
            r"\bthe day after tomorrow\b|大后天",
            lambda m, t, p: _one(m, t + timedelta(days=3 if m[0] == "大后天" else 2)),
        ),
        (r"\bthe day before yesterday\b|前天", _shift(-2)),
        (r"\btomorrow(?: (?:morning|afternoon|evening|night))?\b|明天|明早|明晚", _shift(1)),
        (r"\byesterday(?: (?:morning|afternoon|evening))?\b|\blast night\b|昨天|昨晚", _shift(-1)),
        (
            r"\b(?:later )?today\b|\btonight\b|\bthis (?:morning|afternoon|evening)\b|今天|今早|今晚|刚才",
            _shift(0),
        ),
        (r"后天", _shift(2)),
        (rf"\b{_COUNT} (?P<unit>days?|weeks?|months?|years?) ago\b", _distance(-1)),
        (rf"\bin {_COUNT} (?P<unit>days?|weeks?|months?|years?)(?:' time)?\b", _distance(1)),
        (rf"{_COUNT_ZH}个?(?P<unit>天|日|周|星期|礼拜|月|年)(?:以|之)?前", _distance(-1)),
        (rf"{_COUNT_ZH}个?(?P<unit>天|日|周|星期|礼拜|月|年)(?:以|之)?后", _distance(1)),
        (
            rf"\b(?:on )?(?:(?P<step>last|next|this) )?{_DAY}(?: (?:morning|afternoon|evening|"
            r"night))?\b(?!s)",
            _weekday,
        ),
        (r"(?P<step>上个?|下个?|这个?|本)?(?:周|星期|礼拜)(?P<weekday>[一二三四五六日天末])", _weekday_zh),
        (
            r"\b(?P<step>this past|this coming|last|next|this) (?P<unit>weekend|week|month|year)\b",
            _relative_unit(_EN_STEPS),
        ),
        (r"(?P<step>上个?|下个?|这个?|本)(?P<unit>周末|周|星期|礼拜|月)", _relative_unit(_ZH_STEPS)),
        (r"(?P<step>去|今|明|前|后)(?P<unit>年)", _relative_unit(_ZH_STEPS)),
        (r"\b(?:in|since) (?P<year>(?:19|20)\d{2})\b", _bare_year),
        (r"(?P<year>(?:19|20)\d{2})年", _bare_year),
    )
)
