"""Numbers that prove themselves by a checksum: cards and identity cards."""

from __future__ import annotations

import re

_NUMBER_RUN = re.compile(r"\d(?:[\s\-‐-―.·_\u200b-\u200d]{0,3}\d){12,}")
_DIGIT_GROUP = re.compile(r"\d+")
# "2015 2016 2017 2018" and "2015-03-12 2016-04-13" are years and dates, whatever their checksum.
_CALENDAR = re.compile(r"(?:(?:19|20)\d\d(?:([\-.·])\d{1,2}\1\d{1,2})?(?!\d)[\s\-‐-―.·_\u200b-\u200d]{0,3})+")
# Card schemes start with 2 to 6; phone numbers, times and ISBNs rarely do.
_CARD_STARTS = frozenset("23456２３４５６")


def _luhn(digits: str) -> bool:
    values = [int(digit) for digit in reversed(digits)]
    doubled = [value * 2 - 9 * (value > 4) for value in values[1::2]]
    return (sum(values[::2]) + sum(doubled)) % 10 == 0


def _is_card(digits: str) -> bool:
    return 13 <= len(digits) <= 19 and digits[0] in _CARD_STARTS and _luhn(digits)


def replace_cards(text: str, mark: str) -> str:
    """Card numbers, whatever separates their digits, also with other numbers behind them."""

    def replace(match: re.Match[str]) -> str:
        run = match[0]
        groups = [(group.start(), group.end()) for group in _DIGIT_GROUP.finditer(run)]
        pieces, done, index = [], 0, 0
        while index < len(groups):
            likely = run[groups[index][0]] in _CARD_STARTS  # most runs of digits end here
            last = _card_end(run, groups, index) if likely else None
            if last is None:
                index += 1
                continue
            pieces += [run[done : groups[index][0]], mark]
            done, index = groups[last][1], last + 1
        return "".join([*pieces, run[done:]])

    return _NUMBER_RUN.sub(replace, text)


def _card_end(run: str, groups: list[tuple[int, int]], first: int) -> int | None:
    """The last of the groups that make a card number with the first one."""
    digits = ""
    found = None
    for index in range(first, len(groups)):
        digits += run[slice(*groups[index])]
        if len(digits) > 19:
            break
        if _is_card(digits) and not _CALENDAR.fullmatch(run, groups[first][0], groups[index][1]):
            found = index
    return found


_ID_ZH = re.compile(r"(?<!\d)\d{6}[ \-]?\d{8}[ \-]?\d{3}[\dXx](?!\d)")
_ID_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)


def replace_identity_numbers(text: str, mark: str) -> str:
    """Chinese identity numbers whose checksum holds."""

    def replace(match: re.Match[str]) -> str:
        digits = re.sub(r"[ \-]", "", match[0]).upper()
        total = sum(int(digit) * weight for digit, weight in zip(digits[:17], _ID_WEIGHTS, strict=True))
        last = "X" if digits[17] == "X" else str(int(digits[17]))
        return mark if "10X98765432"[total % 11] == last else match[0]

    return _ID_ZH.sub(replace, text)
