"""Names, numbers and dates of a memory: each must have been said, in whatever spelling."""

from __future__ import annotations

import re
from datetime import datetime

from langmem_ext.extraction.evidence import Words
from langmem_ext.extraction.numbers import numbers_in, said_numbers
from langmem_ext.text import comparison_key, normalise

_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DATE = re.compile(
    r"(?P<y1>\d{4})-(?P<m1>\d{1,2})(?:-(?P<d1>\d{1,2}))?"
    r"|(?:(?P<y2>\d{4})\s?年\s?)?(?P<m2>\d{1,2})\s?月(?:\s?(?P<d2>\d{1,2})\s?[日号])?"
    rf"|\b(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<m3>{_MONTH})(?:,? (?P<y3>\d{{4}}))?"
    rf"|\b(?P<m4>{_MONTH}) (?P<d4>\d{{1,2}})(?:st|nd|rd|th)?(?!\d)(?:,? (?P<y4>\d{{4}})\b)?"
    rf"|\b(?P<m5>{_MONTH}),? (?P<y5>\d{{4}})\b|(?P<y6>(?<!\d)\d{{4}})\s?年"
)
# From such words a date can be worked out.
_RELATIVE = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|now|just|recently|ago|last|next|this|coming|past|previous"
    r"|since|later|weekend|fortnight|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|weeks?|months?|days?"
    r"|years?|christmas|xmas|easter|eve|new year|holidays?|valentine|halloween|thanksgiving|birthday"
    r"|anniversary|spring|summer|autumn|winter|semester|term|quarter|end of|start of|beginning of|mid"
    r"|early|late)\b|今|明|昨|前[天年]|后天|大后|去年|上个?|下个?|这个?|本[周月年]|刚|最近|目前|现在|年前"
    r"|天前|月前|周前|年后|天后|周[一二三四五六日末]|星期|礼拜|年初|年底|年中|月初|月底|月中|春|夏|秋|冬"
    r"|节|国庆|元旦|圣诞|五一|十一|寒假|暑假|生日|周年",
    re.I,
)
_MONTH_SAID = re.compile(rf"\b{_MONTH}\b|\d{{1,2}}\s?月|[一二三四五六七八九十]月|\d[/.-]\d", re.I)
_AGE = re.compile(r"\bi'?m \d\d\b|\bi am \d\d\b|year|\byrs?\b|\by/?o\b|岁|年|\bage|\baged|\bfor \d")
_SHORT_YEAR = re.compile(r"['’](\d\d)\b|(\d\d)年")
_NAME = re.compile(r"(?<![.!?:]\s)(?<!^)\b[A-Z][a-zà-ÿ]+\b")
_CALENDAR_NAMES = frozenset(
    "january february march april may june july august september october november december monday "
    "tuesday wednesday thursday friday saturday sunday user users jan feb mar apr jun jul aug sep "
    "sept oct nov dec".split()
)
_AND = re.compile(r"\band\b|[,，、和跟与]|&")
_ENUMERATED = 10


def unknown_details(
    content: str, known: Words, said: str, observed_at: datetime, *, mostly_known: bool = False
) -> bool:
    """Whether the content holds names, numbers or dates that nobody said.

    Numbers are compared by value. A date may be worked out where a word like "tomorrow" was said, a year
    also from a day or month, or from an age. Where the sentence `said` has a date itself, that one counts.
    With `mostly_known`, another spelling of a name ("NYC", "New York") is let through where half of the
    telling words were said.
    """
    if _unknown_name(content, known, mostly_known=mostly_known):
        return True
    values = known.numbers
    folded = comparison_key(content)
    dates = list(_DATE.finditer(folded))
    if any(_unknown_date(date, known, comparison_key(said), observed_at) for date in dates):
        return True
    rest = _DATE.sub(" ", folded)
    years = {int(year) for year in _YEAR.findall(rest)}
    if any(not _year_known(year, known, comparison_key(said), observed_at) for year in years):
        return True
    counted = 1 if numbers_in(said) else len(_AND.findall(said)) + 1  # "Ann, Tom and Lee are my kids"
    return any(
        values.isdisjoint(readings)
        and readings.isdisjoint({float(year) for year in years} | {1.0})
        and not (1 < counted <= _ENUMERATED and float(counted) in readings)
        and not (0.0 in readings and len(readings) == 1)
        for readings in numbers_in(rest)
    )


def _unknown_name(content: str, known: Words, *, mostly_known: bool) -> bool:
    names = (comparison_key(name) for name in _NAME.findall(normalise(content)))
    if all(name in _CALENDAR_NAMES or re.search(rf"(?<![a-zà-ÿ]){name}", known.folded) for name in names):
        return False
    wanted = Words(content).telling
    return not mostly_known or not wanted or known.share(wanted) < 0.5


def _unknown_date(date: re.Match[str], known: Words, said: str, observed_at: datetime) -> bool:
    parts = {name[0]: part for name, part in date.groupdict().items() if part}
    if "y" in parts and not _year_known(int(parts["y"]), known, said, observed_at):
        return True
    day = int(parts["d"]) if "d" in parts else None
    month = _month(parts["m"]) if "m" in parts else None
    told = [_parts(found) for found in _DATE.finditer(said)]
    if any(d is not None for _, d in told):  # the sentence itself has a day
        if (month, day) in told:
            return False
        values = said_numbers(said)
        return (day is not None and float(day) not in values) or (
            month is not None and all(month != m for m, _ in told) and not _RELATIVE.search(said)
        )
    if _RELATIVE.search(known.folded):
        return False
    values = known.numbers
    here = (observed_at.month, observed_at.day)
    unsaid = day is not None and float(day) not in values
    if day is not None and not unsaid and not _MONTH_SAID.search(known.folded):  # "on the 20th"
        return month is not None and (month - observed_at.month) % 12 not in (0, 1, 11)
    return (unsaid or (month is not None and not _month_said(month, known.folded, values))) and (
        month,
        day,
    ) != here


def _parts(found: re.Match[str]) -> tuple[int | None, int | None]:
    parts = {name[0]: part for name, part in found.groupdict().items() if part}
    return (_month(parts["m"]) if "m" in parts else None), (int(parts["d"]) if "d" in parts else None)


def _month(text: str) -> int:
    return int(text) if text.isdigit() else _MONTHS.index(text[:3]) + 1


def _month_said(month: int, known: str, values: frozenset[float | str]) -> bool:
    return float(month) in values or bool(re.search(rf"\b{_MONTHS[month - 1]}", known))


def _year_known(year: int, known: Words, said: str, observed_at: datetime) -> bool:
    values = known.numbers
    if float(year) in values:
        return True
    if any(int(short) == year % 100 for pair in _SHORT_YEAR.findall(known.folded) for short in pair if short):
        return True
    now = observed_at.year
    if _YEAR.search(said) and not _RELATIVE.search(_YEAR.sub(" ", said)):
        return False  # the sentence names another one
    if year == now or (
        abs(year - now) <= 2 and (_RELATIVE.search(known.folded) or _MONTH_SAID.search(known.folded))
    ):
        return True
    spans = (
        {value for value in values if isinstance(value, float) and value <= 120}
        if _AGE.search(known.folded)
        else set()
    )
    return any(abs(abs(now - year) - span) <= 1 for span in spans)
