"""Numbers of cards, accounts and identity papers: by their checksum, or by the name before them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from langmem_ext.redaction_folding import HELD
from langmem_ext.redaction_spans import ACCOUNT, CARD, COUNTED, ID_NUMBER, LINK_ZH, Span, spans_of

_FLAGS: Final = re.I | re.A
_GAP = r"[\s\-‐-―.·_]"
_NUMBER_RUN = re.compile(rf"(?<!\d)\d(?:{_GAP}{{0,3}}\d){{12,}}", re.A)
_FOURS = re.compile(r"(?<!\d)\d{4}(?:\s?[/|*,，、]\s?\d{4}){3}(?!\d)", re.A)
_DIGIT_GROUP = re.compile(r"\d+", re.A)
# "2015 2016 2017 2018" and "2015-03-12 2016-04-13" are years and dates, whatever their checksum.
_CALENDAR = re.compile(rf"(?:(?:19|20)\d\d(?:([\-.·])\d{{1,2}}\1\d{{1,2}})?(?!\d){_GAP}{{0,3}})+", re.A)
# The fronts of the card schemes and the lengths of their numbers.
_SCHEMES = (
    (re.compile(r"4"), (13, 16, 19)),
    (re.compile(r"5[0-5]|22[2-9]|2[3-6]|27[01]|2720|220[0-4]"), (16,)),
    (re.compile(r"3[47]"), (15,)),
    (re.compile(r"3(?:0[0-5]|[689])"), (14, 16, 19)),
    (re.compile(r"35(?:2[89]|[3-8])"), (16, 17, 18, 19)),
    (re.compile(r"6"), (16, 17, 18, 19)),
    (re.compile(r"5[06-8]|6"), (13, 14, 15, 17, 18, 19)),
    (re.compile(r"81"), (16, 17, 18, 19)),
)
_CARD_STARTS = frozenset("234568")
# What a long number is when it is named so; a checksum that holds by chance makes it no card.
_OTHER_NUMBER = re.compile(
    r"(?:\b(?:order|tracking|invoice|imei|imeis|isbn|ean|gtin|serial|parcel|shipment|shipping|waybill|ticket|"
    r"booking|reference|ref|transaction|meeting|customer|library|loyalty|member|membership|student|case)"
    r"(?:\s?(?:card|code|id|number|numbers|no\.?|nr\.?|#))?(?:\s(?:is|was))?[\s:#=]{0,3}|"
    r"(?:订单|运单|快递|物流|包裹|单号|编号|发票|序列|会员|流水|学号|会议|imei|isbn)[号码卡编单是为:\s]{0,6})\Z",
    _FLAGS,
)


# What each digit adds to the checksum: as it is, and doubled.
_PLAIN = bytes(max(0, code - 48) if code < 58 else 0 for code in range(256))
_DOUBLED = bytes(value * 2 - 9 * (value > 4) if value < 10 else 0 for value in _PLAIN)


def _luhn(digits: str) -> bool:
    values = digits.encode()[::-1]
    return (sum(values[::2].translate(_PLAIN)) + sum(values[1::2].translate(_DOUBLED))) % 10 == 0


@lru_cache(maxsize=16_384)
def _lengths(front: str) -> frozenset[int]:
    """How many digits a card has that starts with these four."""
    return frozenset(length for pattern, lengths in _SCHEMES if pattern.match(front) for length in lengths)


def find_cards(text: str) -> Iterator[Span]:
    """Card numbers, whatever separates their digits, also with other numbers behind them; and their CVV."""
    for run in _NUMBER_RUN.finditer(text):
        yield from _cards_in(text, run)
    for run in _FOURS.finditer(text):
        digits = "".join(_DIGIT_GROUP.findall(run[0]))
        if 16 in _lengths(digits[:4]) and _luhn(digits):
            yield Span(run.start(), run.end(), CARD)
    for pattern in _NAMED_CARDS:
        yield from spans_of(pattern.finditer(text), CARD)


def _cards_in(text: str, run: re.Match[str]) -> Iterator[Span]:
    groups = [group.span() for group in _DIGIT_GROUP.finditer(text, run.start(), run.end())]
    index = 0
    while index < len(groups):
        start = groups[index][0]
        likely = text[start] in _CARD_STARTS  # most runs of digits end here
        last = _card_end(text, groups, index) if likely else None
        if last is None or _OTHER_NUMBER.search(text, max(0, start - 40), start):
            index += 1
            continue
        yield Span(start, groups[last][1], CARD)
        index = last + 1


def _card_end(text: str, groups: list[tuple[int, int]], first: int) -> int | None:
    """The last of the groups that make a card number with the first one."""
    start, digits = groups[first][0], ""
    lengths = _lengths("".join(char for char in text[start : start + 24] if char.isdigit())[:4])
    found = None
    for index in range(first, len(groups)) if lengths else ():
        digits += text[slice(*groups[index])]
        if len(digits) > 19:
            break
        if (
            len(digits) in lengths
            and _luhn(digits)
            and not _CALENDAR.fullmatch(text, groups[first][0], groups[index][1])
        ):
            found = index
    return found


_IS = r"(?:\s{0,3}(?:\s(?:is|was)(?=[\s:])|[:=#]|->|→)\s?:?|\s)\s{0,3}(?:now\s)?"
_LONG = rf"\d(?:{_GAP}{{0,3}}\d){{11,18}}(?!\d)"
_ABOUT = rf"(?:\s(?:for|of|at|on|with)\s[^\n.,;:!?={HELD}]{{1,30}}?)?"
_NAMED_CARDS = tuple(
    re.compile(pattern, _FLAGS)
    for pattern in (
        r"\b(?:(?:credit|debit|bank|atm)\scard(?:\s(?:number|no\.?|#))?|(?:visa|mastercard|amex)(?:\scard)?|"
        r"(?<!library )(?<!loyalty )(?<!member )(?<!membership )(?<!gift )(?<!student )(?<!id )(?<!sim )"
        rf"card\s(?:number|no\.?|#)){_ABOUT}{_IS}(?P<secret>{_LONG})",
        rf"(?<![员书饭通物公房考积交园水电])卡号码?[^\n，。:\d{HELD}]{{0,4}}?{LINK_ZH}?\s{{0,3}}(?P<secret>{_LONG})",
        rf"(?:信用卡|银行卡|借记卡|储蓄卡|提款卡|金融卡)(?:卡?号码?)?{LINK_ZH}?\s{{0,3}}(?P<secret>{_LONG})",
        r"(?<![a-z\d])(?:cvv2?|cvc2?|cid|card (?:security|verification) (?:code|number|value))"
        r"(?:\s?(?:code|number|no\.?|码))?\W{0,4}(?:(?:is|was)\s|[是为]\s?:?)?\s?(?P<secret>\d{3,4})(?!\d|"
        r"[.,]\d)",
        r"\b(?:(?:three|3)[ -]digit\s(?:security\s)?(?:code|number)|(?:security\s)?code on the back)"
        r"(?:\s(?:of|on|for)\s[\w ]{1,30}?)?(?:\s?:|\s(?:is|was))\s{0,2}(?P<secret>\d{3,4})(?!\d|[.,]\d)",
        r"(?:安全码|背面的?(?:三位|末三位|最后三位|3位|后三位)?(?:数字?|号码|码)|后三码|末三码)"
        rf"\s?{LINK_ZH}?\s{{0,2}}(?P<secret>\d{{3}})(?!\d|[.,]\d){COUNTED}",
    )
)

_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?:[ \-]?[A-Z0-9]{1,4}){3,9}(?![A-Za-z0-9])", re.A)
_ACCOUNTS = tuple(
    re.compile(pattern, _FLAGS)
    for pattern in (
        r"\b(?:(?:bank|checking|chequing|savings|current|brokerage|giro)\saccount(?:\s(?:number|no\.?|"
        r"#)|(?=\s(?:is|was)\s|:))|"
        rf"(?:\A|(?<=[.,;\n] )|(?<=\bmy ))account\s(?:number|no\.?|#)){_ABOUT}{_IS}"
        r"(?P<secret>\d(?:[ \-]?\d){6,22})(?![\w]|[.,]\d)",
        rf"\biban(?:\snumber)?{_ABOUT}{_IS}(?P<secret>[a-z]{{2}}\d{{2}}(?:[ \-]?[a-z\d]{{2,4}}){{3,8}})"
        rf"(?!\w)",
        r"(?:银行|收款|转账|汇款|存款|储蓄|扣款|入账|对公|工资)卡?(?:的?账[号户]|户号|户头)(?:号码|号)?[^\n，。:\d]{0,4}?"
        rf"{LINK_ZH}?\s{{0,3}}(?P<secret>\d(?:[ \-]?\d){{7,22}})(?!\d){COUNTED}",
    )
)


def find_accounts(text: str) -> Iterator[Span]:
    """IBANs whose checksum holds, and the numbers of bank accounts that are named so."""
    for match in _IBAN.finditer(text):
        end = _iban_end(match[0])
        if end:
            yield Span(match.start(), match.start() + end, ACCOUNT)
    for pattern in _ACCOUNTS:
        yield from spans_of(pattern.finditer(text), ACCOUNT)


def _iban_end(text: str) -> int | None:
    """Where the longest IBAN ends that this text starts with."""
    for end in range(len(text), 14, -1):
        if end < len(text) and text[end].isalnum():
            continue
        compact = re.sub(r"[ \-]", "", text[:end])
        if 15 <= len(compact) <= 34:
            digits = "".join(str(int(char, 36)) for char in compact[4:] + compact[:4])
            if int(digits) % 97 == 1:
                return end
    return None


_ID_ZH = re.compile(r"(?<!\d)\d{6}[ \-]?\d{8}[ \-]?\d{3}[\dXx](?![\dA-Za-z])", re.A)
_ID_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_IDS = tuple(
    re.compile(pattern, _FLAGS)
    for pattern in (
        r"(?<![\d\-])\d{3}-\d{2}-\d{4}(?![\d\-])",
        rf"\b(?:ssn|social security(?:\s(?:number|no\.?))?|(?<=my )social|(?<=your )social|(?<=his )social|"
        rf"(?<=her )social|(?<=our )social|social(?:\s(?:number|no\.?|#))){_ABOUT}{_IS}"
        rf"(?P<secret>\d{{3}}[ \-]?\d{{2}}[ \-]?\d{{4}})(?!\d)",
        r"\b(?:passport|driver'?s?['’]?s? licen[sc]e|driving licen[sc]e|national insurance|national id|"
        r"identity card|"
        r"(?<!student )(?<!company )(?<!work )(?<!library )id card|nhs|hkid|nric)"
        rf"(?:\s(?:number|no\.?|#)|(?=\s(?:is|was)\s|:)){_ABOUT}{_IS}"
        r"(?P<secret>[a-z]{2} \d\d \d\d \d\d [a-z]|\d{3} \d{3} \d{4}|(?="
        r"(?:[a-z]{0,4}\d){4})[a-z\d]{6,14}(?:\([a\d]\))?)(?!\w)",
        rf"(?:身[份分]证|居民证)(?:件|字)?号?(?:码|字)?[^\n，。:\d{HELD}]{{0,4}}?{LINK_ZH}?\s{{0,3}}"
        r"(?P<secret>\d{15}(?:\d{2}[\dx])?(?![\dx])|[a-z][1289]\d{8}(?!\d)|[a-z]{1,2}\d{6}(?:\([\da]\)|"
        r"[\da])?(?!\d))",
        rf"(?:护照|通行证|台胞证|回乡证|居留证|居住证|驾驶证|驾照)号?码?{LINK_ZH}?\s{{0,3}}(?P<secret>[a-z]{{0,2}}\d{{7,18}})(?!\d)"
        + COUNTED,
        rf"(?:社保卡?|医保卡?|健保卡?)(?:卡?号码?){LINK_ZH}?\s{{0,3}}(?P<secret>[a-z]?\d{{8,18}}x?)(?!\d)",
    )
)


def find_identity_numbers(text: str) -> Iterator[Span]:
    """Chinese identity numbers whose checksum holds, and the numbers of papers that are named so."""
    for match in _ID_ZH.finditer(text):
        digits = re.sub(r"[ \-]", "", match[0]).upper()
        total = sum(int(digit) * weight for digit, weight in zip(digits[:17], _ID_WEIGHTS, strict=True))
        calendar = digits[6:8] in ("18", "19", "20") and int(digits[10:12]) <= 12
        if "10X98765432"[total % 11] == digits[17] and calendar and not (
            _OTHER_NUMBER.search(text, max(0, match.start() - 40), match.start())
        ):  # fmt: skip
            yield Span(match.start(), match.end(), ID_NUMBER)
    for pattern in _IDS:
        yield from spans_of(pattern.finditer(text), ID_NUMBER)
