"""Relative dates in English and Chinese, worked out against the day on which they were said."""

from __future__ import annotations

import re
from datetime import date, timedelta

from langmem_ext.extraction import rules_dates_resolving as days
from langmem_ext.extraction.rules_dates_resolving import DatePhrase, Resolve

__all__ = ["DatePhrase", "annotate", "find_date"]


def find_date(text: str, today: date, *, past: bool) -> DatePhrase | None:
    """The first phrase for a date, a day rather than a year or today.

    A bare "May 3" or "Friday" lies in the past or ahead, as `past` says.
    """
    found: list[tuple[bool, int, int, DatePhrase]] = []
    for number, (pattern, resolve) in enumerate(_RULES):
        match = pattern.search(text)
        if match is None:
            continue
        try:
            phrase = resolve(match, today, past)
        except (ValueError, OverflowError, KeyError):
            continue
        if phrase is not None:
            loose = len(phrase.label) == 4 or phrase.vague or phrase.first == phrase.last == today
            found.append((loose, match.start(), number, phrase))
    return min(found, key=lambda entry: entry[:3])[3] if found else None


def annotate(text: str, phrase: DatePhrase | None, *, chinese: bool) -> str:
    """The text with the calendar date behind the words for it."""
    if phrase is None or phrase.text not in text or phrase.label in text:
        return text
    if chinese:
        label = f"（{'约 ' if phrase.vague else ''}{phrase.label}）"
    else:
        label = f" ({'around ' if phrase.vague else ''}{phrase.label})"
    return text.replace(phrase.text, phrase.text + label, 1)


_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_DAY = r"(?P<weekday>monday|tuesday|wednesday|thursday|friday|saturday|sunday)"
_COUNT = r"(?P<count>\d{1,3}|an?|a couple of|a few|several|one|two|three|four|five|six|seven|eight|nine|ten)"
_COUNT_ZH = r"(?P<count>\d{1,3}|十[一二]|[一二两三四五六七八九十几])"
_NUMBER_ZH = r"(?:\d{1,2}|[二三]?十[一二三四五六七八九]?|廿[一二三四五六七八九]|[一二三四五六七八九])"
_SHORT_DAY = r"(?P<weekday>mon|tues?|weds?|thurs?|thur|fri|sat|sun)"
# Not the 2nd floor, the 19th century, 二号线.
_NO_DAY = (
    r"(?! (?:floor|street|avenue|time|grade|century|birthday|anniversary|edition|one|option|line|row|place|"
    r"paragraph|part|page|chapter|version|attempt|try|day|week|month|year|century)\b)"
)
# The month of "the 3rd to the 9th of May" stands behind its end.
_NO_RANGE = r"(?! ?(?:to|until|till|[-–]) ?(?:the )?\d{1,2}(?:st|nd|rd|th)? (?:of )?[A-Z]{3})"
_NO_DAY_ZH = r"(?![线楼院店门房床车机台字码选位桌馆厅库仓桥路])"


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
_RULES: tuple[tuple[re.Pattern[str], Resolve], ...] = tuple(
    (_compiled(pattern), resolve)
    for pattern, resolve in (
        (r"\b(?:on )?(?P<year>(?:19|20)\d{2})-(?P<month>\d{2})-(?P<day>\d{2})\b", days.calendar_day),
        (r"(?P<year>(?:19|20)\d{2})年(?P<month>\d{1,2})月(?:(?P<day>\d{1,2})[日号])?", days.calendar_day),
        (
            r"(?P<yearword>去年|今年|明年)?(?P<month>M)月(?P<day>M)[日号]?".replace("M", _NUMBER_ZH),
            days.calendar_day,
        ),
        (
            rf"(?P<yearword>去年|今年|明年)?(?<![个\d])(?P<month>{_NUMBER_ZH})月(?!\d)(?:份|底|初|中旬|"
            rf"中(?![国秋午学])|"
            rf"[上下]旬)?",
            days.calendar_day,
        ),
        (
            rf"\b(?:on )?(?:the )?(?P<day>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?{_MONTH}\b(?:,? "
            rf"(?P<year>(?:19|20)\d{{2}}))?",
            days.calendar_day,
        ),
        (
            rf"\b(?:on )?{_MONTH} (?:the )?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? (?P<year>(?:19|"
            rf"20)\d{{2}}))?",
            days.calendar_day,
        ),
        (
            rf"\b(?:in|since|this|last|next|of) {_MONTH}\b(?:,? (?P<year>(?:19|20)\d{{2}}))?",
            days.calendar_day,
        ),
        (
            r"\bthe day after tomorrow\b|大后天",
            lambda m, t, p: days.one_day(m, t + timedelta(days=3 if m[0] == "大后天" else 2)),
        ),
        (r"\bthe day before yesterday\b|前天", days.shift(-2)),
        (r"\btomorrow(?: (?:morning|afternoon|evening|night))?\b|明天|明早|明晚", days.shift(1)),
        (r"\byesterday(?: (?:morning|afternoon|evening))?\b|\blast night\b|昨天|昨晚", days.shift(-1)),
        (
            r"\b(?:later )?today\b|\btonight\b|\bthis (?:morning|afternoon|evening)\b|今天|今早|今晚|刚才",
            days.shift(0),
        ),
        (r"后天", days.shift(2)),
        (rf"\b{_COUNT} (?P<unit>days?|weeks?|months?|years?) ago\b", days.distance(-1)),
        (rf"\bin {_COUNT} (?P<unit>days?|weeks?|months?|years?)(?:' time)?\b", days.distance(1)),
        (rf"{_COUNT_ZH}个?(?P<unit>天|日|周|星期|礼拜|月|年)(?:以|之)?前", days.distance(-1)),
        (rf"{_COUNT_ZH}个?(?P<unit>天|日|周|星期|礼拜|月|年)(?:以|之)?后", days.distance(1)),
        (
            rf"\b(?:on )?(?P<after>a week on|week on|a week from|a fortnight on) {_DAY}\b".replace(
                "(?P<weekday>", "(?P<step>)(?P<weekday>"
            ),
            days.weekday,
        ),
        (
            rf"\b(?:on )?(?:(?P<step>last|next|this) )?{_DAY}(?: (?:morning|afternoon|evening|"
            r"night))?\b(?!s)",
            days.weekday,
        ),
        (
            r"(?P<step>上上个?|下下个?|上个?|下个?|这个?|本)?(?:周|星期|"
            r"礼拜)(?P<weekday>[一二三四五六日天末])",
            days.weekday_zh,
        ),
        (
            r"\b(?P<step>this past|this coming|last|next|this) (?P<unit>weekend|week|month|year)\b",
            days.relative_unit(_EN_STEPS),
        ),
        (rf"(?P<step>上个?|下个?|这个?|本)?月?(?P<day>{_NUMBER_ZH})号{_NO_DAY_ZH}", days.day_of_month),
        (r"(?P<step>上个?|下个?|这个?|本)?月(?P<part>[底初中])", days.part_of_month),
        (r"(?P<step>上个?|下个?|这个?|本)(?P<unit>周末|周|星期|礼拜|月)", days.relative_unit(_ZH_STEPS)),
        (r"(?P<step>去|今|明|前|后)(?P<unit>年)", days.relative_unit(_ZH_STEPS)),
        (rf"\b(?:on|by|until|till|til|before|(?P<step>last|next|this)) {_SHORT_DAY}\b", days.weekday),
        (
            rf"\b(?:on |by |until |till |til |from )?the (?P<day>\d{{1,2}})(?:st|nd|rd|"
            rf"th)\b{_NO_DAY}{_NO_RANGE}",
            days.day_of_month,
        ),
        (r"\b(?:at )?the end of (?:the|this) month\b", days.part_of_month),
        (
            r"\b(?:on |at |over |for |by )?(?:christmas(?: eve)?|new year'?s eve|halloween|"
            r"valentine'?s day)\b"
            r"|平安夜|圣诞节?|元旦|情人节|五一|劳动节|国庆节?|六一",
            days.feast,
        ),
        (r"\b(?:in|since) (?P<year>(?:19|20)\d{2})\b", days.bare_year),
        (r"(?P<year>(?:19|20)\d{2})年", days.bare_year),
    )
)
