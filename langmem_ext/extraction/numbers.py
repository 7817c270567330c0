"""The numbers of a text, however they are spelled: 一米八 is 1.8 and 180, "5 thousand" is 5000, 7pm is 19."""

from __future__ import annotations

import re
from collections.abc import Iterator

from langmem_ext.text import comparison_key

_LONGEST = 100
_MOST_HAN = 24
Number = float | str  # a string where it has more digits than a float tells apart

_EN = {
    word: number
    for number, words in enumerate(
        "zero one/first two/second/both/twins/twice/couple/pair three/third/triplets/thrice "
        "four/fourth five/fifth six/sixth seven/seventh eight/eighth nine/ninth ten/tenth "
        "eleven/eleventh twelve/twelfth thirteen/thirteenth fourteen/fourteenth fifteen/fifteenth "
        "sixteen/sixteenth seventeen/seventeenth eighteen/eighteenth nineteen/nineteenth".split()
    )
    for word in words.split("/")
} | {
    word: 10 * number
    for number, words in enumerate(
        "twenty/twentieth thirty/thirtieth forty/fortieth fifty/fiftieth sixty/sixtieth "
        "seventy/seventieth eighty/eightieth ninety/ninetieth".split(),
        start=2,
    )
    for word in words.split("/")
}
_SCALES = {
    "dozen": 12,
    "hundred": 100,
    "thousand": 1000,
    "k": 1000,
    "million": 10**6,
    "mio": 10**6,
    "billion": 10**9,
}
_HAN_DIGITS = {char: at for at, char in enumerate("零一二三四五六七八九")} | {
    "〇": 0,
    "两": 2,
    "兩": 2,
    "俩": 2,
    "双": 2,
}
_HAN_UNITS = {"十": 10, "百": 100, "千": 1000, "万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
_HAN = "".join({*_HAN_DIGITS, *_HAN_UNITS})
_EN_WORD = "|".join(sorted(_EN, key=len, reverse=True))
_TOKEN = re.compile(
    rf"(?P<digits>\d+(?:[.,]\d+)*)(?P<scale> ?(?:hundred|thousand|million|billion|mio|dozen|k)\b"
    rf"|[百千万萬亿億]{{1,4}})?|(?P<words>\b(?:{_EN_WORD}|hundred|thousand|million|dozen)(?:s|th)?\b(?:(?:-"
    rf"| and | )(?:{_EN_WORD}|hundred|thousand|million|dozen)(?:th)?\b)*)"
    rf"|(?P<han>[{_HAN}]+(?:点[{_HAN}]{{1,24}})?)"
)
_HOUR = rf"\d{{1,2}}|\b(?:{_EN_WORD})\b|[{_HAN}]{{1,6}}"
_LATE = re.compile(
    rf"(?P<a>{_HOUR})(?:[:.]\d\d)?(?: o'clock)? ?(?:p\.?m\b|in the (?:evening|afternoon)|at night|tonight)"
    rf"|(?:晚上?|下午|傍晚|夜里|今晚)(?P<b>{_HOUR})[点點:时]|(?P<e>{_HOUR})[点點](?:半|多|左右)?(?:才"
    rf"|就)?(?:睡|上床|入睡|下班)|(?:evening|afternoon|night|dinner|bed|sleep"
    rf"|asleep)\b[^.!?]{{0,20}}?\bat (?P<c>{_HOUR})|\b(?:at|by|from|until|before"
    rf"|after) (?P<d>{_HOUR})\b[^.!?]{{0,20}}?(?:evening|afternoon|night)"
)
_BEFORE_THE_HOUR = re.compile(
    rf"\b(?:quarter|five|ten|twenty|5|10|20)(?: minutes)? to (\d{{1,2}}|{_EN_WORD})\b"
)
_MEASURE = re.compile(rf"(\d|[{_HAN}])[米块元毛m](\d+|[{_HAN}]+)")
_METRES = re.compile(r"(\d(?:\.\d+)?) ?(?:m\b|米|met(?:re|er))")
_HALF = re.compile(
    rf"(?P<n>\d+|[{_HAN}]|\b(?:{_EN_WORD})\b)(?P<unit>个|点|點|年|天|小时|岁| years?| hours?|)"
    r"(?:半| and a half)"
)
_IMPLIED = tuple(
    (re.compile(pattern), value)
    for pattern, value in (
        (r"half|[点點]半|半[个個]?小[时時]", 30.0),
        (r"半年|half a year", 6.0),
        (r"\bhalf\b|半", 0.5),
        (r"quarter|刻", 15.0),
        (r"quarter to|三刻|three quarters", 45.0),
        (r"midnight|\b12 ?a\.?m\b|午夜", 0.0),
        (r"\bnoon\b|midday|中午|正午", 12.0),
        (r"\bother (?:day|week|month|year)|隔[天日周]|fortnight|biweekly", 2.0),
        (r"\ban? (?:hundred|couple)|\bpercent", 100.0),
    )
)


def numbers_in(text: str) -> list[frozenset[Number]]:
    """Each number of a text as the values that its spelling may stand for."""
    folded = comparison_key(text)
    return [frozenset(_values(found)) for found in _TOKEN.finditer(folded)]


def said_numbers(text: str) -> frozenset[Number]:
    """All values that the numbers of a text may stand for, with those of times and measures."""
    folded = comparison_key(text)
    values: set[Number] = {value for found in _TOKEN.finditer(folded) for value in _values(found)}
    for late in _LATE.finditer(folded):
        hour = next(part for part in late.groupdict().values() if part)
        values.add(_small(hour) % 12 + 12)
    for metres, rest in _MEASURE.findall(folded):
        digits = rest if rest.isdigit() else _han_digits(rest)
        whole = float(f"{_small(metres):g}.{digits[:6]}")
        values |= {whole, round(100 * whole, 6)}
    values |= {round(100 * float(metres), 6) for metres in _METRES.findall(folded)}
    for hour in _BEFORE_THE_HOUR.findall(folded):
        values |= {(_small(hour) - 2) % 12 + 1, 45.0}
    for half in _HALF.finditer(folded):
        number = _small(half["n"])
        values.add(number + 0.5)
        if "年" in half["unit"] or "year" in half["unit"]:
            values.add(12 * number + 6)
    values |= {value for pattern, value in _IMPLIED if pattern.search(folded)}
    return frozenset(values)


def _values(found: re.Match[str]) -> Iterator[Number]:
    if len(found[0]) > _LONGEST:  # no number that anybody says; its value may be too large for a float
        yield found[0]
    elif found["words"]:
        yield from _english(found["words"])
    elif found["han"]:
        yield from _chinese(found["han"])
    else:
        yield from _digits(found["digits"], (found["scale"] or "").strip())


def _digits(digits: str, scale: str) -> Iterator[Number]:
    plain = re.sub(r",(?=\d{3}(?!\d))", "", digits)
    if len(plain) > 15:
        yield plain
        return
    parts = re.split(r"[.,]", plain)
    if len(parts) > 2:  # a date or a version: its parts, and itself
        yield digits
        yield from (float(part) for part in parts)
        return
    number = float(".".join(parts))
    factor = _SCALES.get(scale, 1)
    for unit in scale if scale not in _SCALES else "":
        factor *= _HAN_UNITS[unit]
    yield round(number * factor, 6)
    if scale:
        yield number


def _english(words: str) -> Iterator[float]:
    """One number ("one hundred and twenty"), or several that stand side by side ("one two three")."""
    total = current = last = 0
    for word in re.split(r"-| and | ", words):
        word = word if word in _EN or word in _SCALES else re.sub(r"(?:s|th)$", "", word)
        if word in _SCALES:
            current = max(current, 1) * _SCALES[word]
            if _SCALES[word] >= 1000:
                total, current = total + current, 0
            last = 100
        else:
            number = _EN[word]
            if last and last <= number * 10 and last != 100 and number > 0 and (last < 20 or number > 9):
                yield float(total + current)  # a number of its own began
                if last >= 10 and number >= 10:  # nineteen ninety
                    yield float(100 * current + number)
                total = current = 0
            current += number
            last = number
    yield float(total + current)


def _chinese(text: str) -> Iterator[float]:
    whole, _, part = text.partition("点")
    if len(whole) > _MOST_HAN:
        return
    values = [_han_number(whole)]
    if part:
        values += [float(f"{_han_number(whole):g}.{_han_digits(part)}"), _han_number(part)]
    if not set(whole) & set(_HAN_UNITS):
        values.append(float(_han_digits(whole)))
    elif whole[-1] in _HAN_DIGITS and len(whole) > 1 and whole[-2] in "百千万萬亿億":  # 两万五 is 25,000
        values.append(_han_number(whole[:-1]) + _HAN_DIGITS[whole[-1]] * _HAN_UNITS[whole[-2]] / 10)
    yield from values


def _han_digits(text: str) -> str:
    return "".join(str(_HAN_DIGITS.get(char, "")) for char in text) or "0"


def _han_number(text: str) -> float:
    total = section = digit = 0
    for char in text:
        if char in _HAN_DIGITS:
            digit = _HAN_DIGITS[char]
        elif _HAN_UNITS[char] >= 10**4:
            total, section, digit = (total + section + digit or 1) * _HAN_UNITS[char], 0, 0
        else:
            section, digit = section + (digit or 1) * _HAN_UNITS[char], 0
    return float(total + section + digit)


def _small(text: str) -> float:
    """A number below a hundred in any spelling."""
    if text.isdigit():
        return float(text)
    return float(_EN[text]) if text in _EN else _han_number(text[:_MOST_HAN])
