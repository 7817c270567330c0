"""One-time codes and PINs: a number that a word for a secret code introduces.

"Code" alone says little: people write code, have zip, street and dress codes. A number is taken out where
the word stands with its kind ("login code 481920"), or alone as a noun with a verb or a colon behind it
("the code they texted me is 481920").
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from langmem_ext.redaction_folding import HELD
from langmem_ext.redaction_spans import CODE, COUNTED, PASSWORD, Span

_FLAGS = re.I | re.A
# Text that looks like a number to people: 481920, 4 8 1 9 2 0, 481-920; a date or a price is none.
_LONG = r"\d(?:[ \-]{1,2}\d|\d){3,7}(?![\w/]|[.,:]\d)"
_SPREAD = r"\d(?:\s?[.\-_,/·*|–—、，~]\s?\d){3,7}(?!\w|[.,]\d)"
_GROUPS = r"\d{3}[._]\d{3}(?![\w]|[.,_]\d)"
_NO_DATE = r"(?!\d{4}[\-/.]\d\d?[\-/.]\d\d?(?!\d)|\d\d?[\-/.]\d\d?[\-/.]\d{4}(?!\d))"
_DIGITS = rf"(?<!\w)(?<!\d[\-.,]){_NO_DATE}(?:{_SPREAD}|{_LONG})"
_NUMBER = rf"(?:[A-Z]{{1,2}}-)?{_DIGITS}"
# Letters and digits mixed, at the end of a clause.
_MIXED = (
    r"(?<!\w)(?=[a-z\-]{0,40}\d)(?=[\d\-]{0,40}[a-z])[a-z\d]{2,12}(?:-[a-z\d]{2,12}){0,8}"
    r"(?=\s*(?:[.,;!?)。，\n]|\Z)|\s(?:and|but|please|thanks|now)\b)(?![.,]\w)"
)
_MIXED_NAMED = r"(?<!\w)(?=[A-Z\-]{0,40}\d)(?-i:[A-Z\d]{5,10})(?=\s*(?:[.,;!?)。，\n]|\Z))"

_KIND = (
    r"(?:one[- ]?time|verification|verify|security|log-?in|sign-?in|confirmation|authenti\w{1,10}|auth|"
    r"authori[sz]ation|2fa|mfa|totp|two[- ](?:factor|step)|sms|otp|pin|pass|activation|unlock(?:ing)?|reset|"
    r"recovery|backup|authy|google|github|paypal|bank|whatsapp|telegram|signal|steam|apple|microsoft|"
    r"amazon|access|door|gate|alarm|entry|lock|safe|secret|pairing|locker|garage|lockbox|keypad|intercom)"
)
_WORD = r"(?:code|otp|passcode|one[- ]time password)"
# Words before "code" with which it is no secret.
_PLAIN = (
    r"(?:postal|post|zip|area|street|country|dial|dialing|dialling|error|status|exit|return|promo\w{0,6}|"
    r"discount|coupon|voucher|product|source|bar|qr|dress|item|order|http|response|model|colou?r|tax|sort|"
    r"swift|currency|airport|building|legal|penal|civil|morse|genetic|project|cost|client|store|shop|course|"
    r"python|rust|java|referral|invite|gift|rate|fare|booking|stock|ticker|region|language|department)"
)
_DETERMINER = (
    r"(?:the|my|your|our|his|her|their|this|that|a|new|latest|last|correct|right|and|here['’]s|shows?|says?|"
    r"use|enter)"
)
_FOR = rf"(?:\s(?:for|to|of|on|at|from|in)\s[^\n.,;:!?=\[{HELD}]{{1,40}}?)?"
_WHICH = rf"(?:,\s(?:which|that|as)\s[^\n.,;:!?=\[{HELD}]{{1,60}},)?"
_LINK = (
    r"(?:\s{0,2}(?:is|i\ss|was|are|reads|shows|says|['’]s|:|=|->|→|-|#)){1,2}\s{0,3}"
    r"(?:(?:now|still|currently)\s)?[\"'`*]{0,3}"
)
# "They texted me", "the bank just sent": what may stand between "code" and the number.
_SENT = (
    r"(?:\s(?:that\s|which\s)?(?:they|he|she|you|i|we|it|(?:the|my)\s\w{1,20})(?:'ve|\shave|\shas|"
    r"\sjust){0,2}\s"
    r"(?:texted|sent|emailed|mailed|messaged|gave|got|received)(?:\s(?:me|us|you|to|by|via|sms|email|"
    r"phone|just|now)){0,4}|\s(?:i|you|we)\s(?:need|want|use|have|see|asked\sfor|wanted))"
)
_AFTER = r"(?=(?:\s+(?P<next>[A-Za-z]+))?)"
_NAMED = (
    rf"(?<![a-z\d])(?:{_KIND}[ \-](?:code|number)s?|(?:2fa|mfa|otp|sms|rsa|hardware|security) token|"
    r"(?:otp|totp)(?:\scode)?|passcode|one[- ]time pass(?:word|code))"
)
_CODES = (
    # "verification code 481920", "OTP: 481920", "your login code for the bank is 481920"
    rf"{_NAMED}{_FOR}{_SENT}?(?:{_LINK}|\s{{1,3}})(?P<code>{_NUMBER}|{_GROUPS}){_AFTER}",
    rf"{_NAMED}{_FOR}{_SENT}?{_LINK}(?P<code>{_MIXED})",
    rf"(?:{_NAMED}|\b(?:my|your|the)\scode){_FOR}{_WHICH}{_LINK}(?P<code>{_NUMBER}|{_GROUPS}){_AFTER}",
    rf"(?:{_NAMED}|\b(?:my|your|the)\scode)\s?[(\[](?P<code>{_NUMBER}|{_GROUPS})(?=[)\]])(?P<next>\Z)?",
    rf"(?<![a-z\d])(?:2fa|mfa){_FOR}{_LINK}(?P<code>{_NUMBER}|{_GROUPS}){_AFTER}",
    # "the code is 481 920", "code: 481920", "the code they texted me 481920"
    rf"(?:\b{_DETERMINER}\s|\A\s*|(?<=[.,;:!?\n])\s{{0,2}})code"
    rf"(?:{_FOR}{_SENT}?{_LINK}|{_SENT}\s)(?P<code>{_NUMBER}){_AFTER}",
    # "use the code 481920"
    rf"(?:\b{_DETERMINER}\s|\A\s*|(?<=[.,;:!?\n])\s{{0,2}})code\s"
    rf"(?P<code>(?<!\d)\d{{6}}|\d{{3}}[ \-]\d{{3}})(?=\s*(?:[.,;!?。，]|\Z)){_AFTER}",
    # "enter 481920 to verify your account"
    r"\b(?:enter|use|type|input)\s(?P<code>\d{6}|\d{3}[ \-]\d{3})\s(?:to|for)\s(?:your\s|the\s)?"
    r"(?:verif|log|sign|confirm|authentic|complete|activat|unlock|reset)(?P<next>\Z)?",
    # "your Google code is 481920"
    rf"\b(?!{_PLAIN}\b)(?-i:[A-Z])\w{{1,20}}\scode(?:{_LINK}|{_SENT}{_LINK})(?P<code>{_NUMBER}|"
    rf"{_MIXED_NAMED}){_AFTER}",
    # "G-481920 is your Google verification code", "481920 is the code they sent me"
    rf"(?P<code>{_NUMBER})\s(?:is|was)\s(?:your|my|the|our|a)\s(?:(?:[\w\-]{{1,20}}\s){{0,3}}?{_KIND}[ \-]|"
    rf"(?!{_PLAIN}\b)(?-i:[A-Z])\w{{1,20}}\s|new\s)?{_WORD}\b(?P<next>\Z)?",
    rf"(?P<code>{_NUMBER}),?\s(?:that['’]?s|this is|is)\s(?:your|my|the)\scode\b(?P<next>\Z)?",
)
_PATTERNS = tuple(re.compile(pattern, _FLAGS) for pattern in _CODES)
_UNITS = frozenset(
    "line lines file files bytes kb mb gb characters chars rows times words tokens commits functions loc "
    "years days people users clients customers hours minutes seconds euros dollars pounds digits "
    "km miles steps months weeks percent of edition model version "
    "yen yuan usd eur rupees cents grams kg won".split()
)

_OWNER = r"(?:my|the|your|our|his|her|card|bank|sim|phone|account|new|old|atm|debit|credit|and)"
_PIN = r"pin(?:\s?(?:code|number|no\.?)|#)?"
_PINS = (
    # "the PIN I use is 4921", "my PIN, which I set yesterday, is 4921", "my PIN (4921)"
    rf"(?:\b{_OWNER}\s|\A\s*){_PIN}\s(?:that\s|which\s)?(?:i|we|you|they|he|she)\s[^\n.,;:!?=\[{HELD}]{{1,40}}?"
    rf"(?:\s(?:is|was)|\s?[:=])\s{{0,2}}(?P<code>{_DIGITS}){_AFTER}",
    rf"(?<![a-z\d]){_PIN}{_WHICH}\s{{1,2}}(?:is|was)\s{{1,2}}(?P<code>{_DIGITS}){_AFTER}",
    rf"\b{_OWNER}\s{_PIN}\s?[(\[](?P<code>{_DIGITS})(?=[)\]])(?P<next>\Z)?",
    rf"(?<![a-z\d]){_PIN}{_FOR}(?:\s{{0,3}}(?:is|i\ss|was|=|:|->|→|#|['’]s)\s{{0,3}}|"
    rf"\s(?:should be|is now|is still|will be)\s)[\"'`*]{{0,3}}(?P<code>{_DIGITS}){_AFTER}",
    rf"(?:\b{_OWNER}\s|\A\s*|(?<=[.,;:!?\n])\s{{0,2}}){_PIN}(?:\s{{1,2}}|,\s)(?P<code>{_DIGITS}){_AFTER}",
    rf"(?P<code>{_DIGITS})\s(?:is|was)\s{_OWNER}\s(?:[\w\-]{{1,15}}\s){{0,2}}?pin\b(?P<next>\Z)?",
    rf"(?<![a-z\d])pin[ 码]?码?(?:也|还|现在|就)?[是为:]\s{{0,2}}(?P<code>{_DIGITS}){COUNTED}{_AFTER}",
)
_PIN_PATTERNS = tuple(re.compile(pattern, _FLAGS) for pattern in _PINS)

_WORD_ZH = (
    r"(?:验证码|校验码|动态码|动态密码|动态口令|短信码|确认码|激活码|一次性密码|取件码|提取码|认证码|授权码|安全码|"
    r"启用码|启动码|开通码|登[录入]码|登陆码|开门码|门禁码|门锁码|门禁密码|识别码|恢复码|备用码|救援码|配对码|解锁码|"
    r"验证的?(?:代码|数字|号码|密码)|(?<![a-z])(?:otp|2fa|mfa)码?)"
)
_NUMBER_ZH = (
    rf"(?<!\w)(?<!\d[\-.]){_NO_DATE}(?:{_SPREAD}|"
    r"\d(?:[ \-]{1,2}\d|\d){3,7}(?!\d|[.,]\d))" + COUNTED
)
_MIXED_ZH = r"(?=[a-z\-]{0,40}\d)(?=[\d\-]{0,40}[a-z])[a-z\d]{4,12}(?:-[a-z\d]{2,12}){0,8}(?![\w\-])"
_CODES_ZH = (
    rf"{_WORD_ZH}(?:[\s:=是为就应该刚发来传收到的我您你了，,“「\"显示给]|号码|数字){{0,12}}(?P<code>{_NUMBER_ZH})",
    rf"{_WORD_ZH}(?:就?是|为|:|=)\s{{0,2}}[「“\"]?(?P<code>{_MIXED_ZH})",
    rf"{_WORD_ZH}\s{{1,2}}(?P<code>(?=[A-Z]{{0,9}}\d)(?=\d{{0,9}}[A-Z])(?-i:[A-Z\d]{{5,10}}))(?![\w\-])",
    r"(?:那个|这个|收到的|发来的|\A\s*)码(?:就?是|为|:)\s{0,2}"
    rf"(?P<code>\d{{3}}[ \-]?\d{{3}})(?!\d){COUNTED}",
    rf"(?<![\w\-])(?P<code>\d(?:[ \-]?\d){{3,7}})\s?[，,]?\s?(?:这|那)?(?:就?是|为)"
    rf"(?:我|您|你|这次)?[们家]?的?[^\n，。\d{HELD}]{{0,6}}?{_WORD_ZH}",
)
_PATTERNS_ZH = tuple(re.compile(pattern, _FLAGS) for pattern in _CODES_ZH)
_BARE = re.compile(r"\A\s*(?P<code>\d(?:[ \-]?\d){5})\s*[.。]?\s*\Z", _FLAGS)


def find_codes(text: str) -> Iterator[Span]:
    """One-time codes in English and Chinese, and a message that is nothing but six digits."""
    for pattern in (*_PATTERNS_ZH, *_PATTERNS, _BARE):
        yield from _uncounted(text, pattern, CODE)


def find_pins(text: str) -> Iterator[Span]:
    """Numbers that are told as a PIN; "I pin 2000 notes to the wall" tells none."""
    for pattern in _PIN_PATTERNS:
        yield from _uncounted(text, pattern, PASSWORD)


def _uncounted(text: str, pattern: re.Pattern[str], kind: str) -> Iterator[Span]:
    """The codes that this pattern finds, without what counts something ("5000 lines")."""
    for match in pattern.finditer(text):
        if (match.groupdict().get("next") or "").casefold() not in _UNITS:
            yield Span(*match.span("code"), kind)
            yield from _others(text, match.start("code"), match.end("code"), kind)


_MORE = re.compile(
    r"(?:\s?[,;/和、，]\s?(?:and|or)?\s?|\s(?:and|or|&)\s|\s?\n\s?|\s)(?:\d[.)]\s)?(?=[a-z\d])", _FLAGS
)
_LETTERS = str.maketrans(
    {letter: "a" for letter in "abcdefghijklmnopqrstuvwxyz"} | {d: "9" for d in "0123456789"}
)
_LIST_END = re.compile(r"\s?(?:[.,;!?)。，、\n/]|\Z|(?:and|or|&|和)\s)", _FLAGS)


def _others(text: str, start: int, end: int, kind: str) -> Iterator[Span]:
    """The rest of a list of codes: those behind the first one that are written like it."""
    shape = _shape(text[start:end])
    while more := _MORE.match(text, end):
        start, end = more.end(), more.end() + len(shape)
        if _shape(text[start:end]) != shape or not _LIST_END.match(text, end):
            return
        yield Span(start, end, kind)


def _shape(code: str) -> str:
    # Where a code holds letters, which places are digits is chance.
    plain = code.casefold().translate(_LETTERS)
    return plain.replace("9", "a") if "a" in plain else plain
