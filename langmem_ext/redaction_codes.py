"""One-time codes and PINs: a number that a word for a secret code introduces.

"Code" alone says little: people write code, have zip, street and dress codes. A number is taken out where
the word stands with its kind ("login code 481920"), or alone as a noun with a verb or a colon behind it
("the code they texted me is 481920").
"""

from __future__ import annotations

import re

# Text that looks like a number to people: 481920, 4 8 1 9 2 0, 481-920; a date or a price is none.
_LONG = r"\d(?:[ \-]?\d){3,7}(?!\w|[.,]\d)"
_DIGITS = rf"(?<![\d\w])(?<!\d[\-.,])(?!\d{{4}}-\d\d?-\d\d?(?!\d)|\d\d?-\d\d?-\d{{4}}(?!\d)){_LONG}"
_NUMBER = rf"(?:[A-Z]{{1,2}}-)?{_DIGITS}"

_KIND = (
    r"(?:one[- ]?time|verification|verify|security|log-?in|sign-?in|confirmation|authenti\w{1,10}|auth|"
    r"authori[sz]ation|2fa|mfa|two[- ]factor|sms|otp|pin|pass|activation|unlock(?:ing)?|reset|recovery|"
    r"backup|access|door|gate|alarm|entry|lock|safe|secret)"
)
_WORD = r"(?:code|otp|passcode|one[- ]time password)"
# Words before "code" with which it is no secret.
_PLAIN = (
    r"(?:postal|post|zip|area|street|country|dial|dialing|dialling|error|status|exit|return|promo\w{0,6}|"
    r"discount|coupon|voucher|product|source|bar|qr|dress|item|order|http|response|model|colou?r|tax|sort|"
    r"swift|currency|airport|building|legal|penal|civil|morse|genetic|project|cost|client|store|shop|course)"
)
_DETERMINER = r"(?:the|my|your|our|his|her|their|this|that|a|new|latest|last|correct|right|and|here['’]s)"
_FOR = r"(?:\s(?:for|to|of|on|at|from)\s[^\n.,;:!?=\[]{1,40}?)?"
_LINK = r"(?:\s{0,2}(?:is|was|are|['’]s|:|：|=|->|-|#)){1,2}\s{0,3}(?:now\s)?"
# "They texted me", "the bank just sent": what may stand between "code" and the number.
_SENT = (
    r"(?:\s(?:that\s|which\s)?(?:they|he|she|you|i|we|it|(?:the|my)\s\w{1,20})(?:'ve|\shave|\shas|"
    r"\sjust){0,2}\s"
    r"(?:texted|sent|emailed|mailed|messaged|gave|got|received)(?:\s(?:me|us|you|to|by|via|sms|email|"
    r"phone|just|now)){0,4})"
)
_AFTER = r"(?=(?:\s+(?P<next>[A-Za-z]+))?)"
_CODES = (
    # "verification code 481920", "OTP: 481920", "your login code for the bank is 481920"
    rf"\b(?:{_KIND}[ \-]code|otp|passcode|one[- ]time password){_FOR}{_SENT}?(?:{_LINK}|\s{{1,3}})"
    rf"(?P<code>{_NUMBER}){_AFTER}",
    # "the code is 481 920", "code: 481920", "the code they texted me 481920"
    rf"(?:\b{_DETERMINER}\s|\A\s*|(?<=[.,;:!?\n])\s{{0,2}})code"
    rf"(?:{_FOR}{_SENT}?{_LINK}|{_SENT}\s)(?P<code>{_NUMBER}){_AFTER}",
    # "use the code 481920"
    r"(?:\b(?:the|my|your|our|this)\s|\A\s*|(?<=[.,;:!?\n])\s{0,2})code\s"
    rf"(?P<code>(?<!\d)\d{{6}}|\d{{3}}[ \-]\d{{3}})(?=\s*(?:[.,;!?。，]|\Z)){_AFTER}",
    # "your Google code is 481920"
    rf"\b(?!{_PLAIN}\b)(?-i:[A-Z])\w{{1,20}}\scode(?:{_LINK}|{_SENT}{_LINK})(?P<code>{_NUMBER}){_AFTER}",
    # "G-481920 is your Google verification code"
    rf"(?P<code>{_NUMBER})\s(?:is|was)\s(?:your|my|the|our|a)\s(?:(?:[\w\-]{{1,20}}\s){{0,3}}?{_KIND}[ \-]|"
    rf"(?!{_PLAIN}\b)(?-i:[A-Z])\w{{1,20}}\s|new\s)?{_WORD}\b(?P<next>\Z)?",
)
_PATTERNS = tuple(re.compile(pattern, re.I) for pattern in _CODES)
_UNITS = frozenset(
    "line lines file files bytes kb mb gb characters chars rows times words tokens commits functions loc "
    "years days people users clients customers hours minutes seconds euros dollars pounds "
    "km miles steps".split()
)

_OWNER = r"(?:my|the|your|our|his|her|card|bank|sim|phone|account|new|old|atm|debit|credit|and)"
_PINS = (
    rf"\bpin(?:\s(?:code|number))?{_FOR}"
    r"(?:\s{0,3}(?:is|was|=|:|：|->)\s{0,3}|\s(?:should be|is now|will be)\s)"
    rf"(?P<code>{_DIGITS}){_AFTER}",
    rf"(?:\b{_OWNER}\s|\A\s*|(?<=[.,;:!?\n])\s{{0,2}})pin(?:\s(?:code|number))?\s{{1,2}}"
    rf"(?P<code>{_DIGITS}){_AFTER}",
)
_PIN_PATTERNS = tuple(re.compile(pattern, re.I) for pattern in _PINS)

_WORD_ZH = r"(?:验证码|校验码|动态码|动态密码|短信码|确认码|激活码|一次性密码|取件码|提取码)"
_NUMERAL = "零〇幺一二三四五六七八九"
_COUNTED = r"(?!\s?(?:\d{1,2}\s?)?[年月日号个次条秒分天元块人位名%％])"
_CODES_ZH = (
    rf"{_WORD_ZH}[\s:：=是为就应该刚发来收到的我您了，,“\"]{{0,12}}"
    rf"(?P<code>\d(?:[ \-]?\d){{3,7}}(?!\d){_COUNTED}|"
    rf"[{_NUMERAL}]{{4,8}}(?![{_NUMERAL}十百千万]){_COUNTED})",
    rf"(?<![\d\w\-])(?P<code>\d(?:[ \-]?\d){{3,7}})\s?(?:就?是|为)"
    rf"(?:我|您|你|这次)?的?(?:\w{{0,4}}){_WORD_ZH}",
)
_PATTERNS_ZH = tuple(re.compile(pattern) for pattern in _CODES_ZH)
_BARE = re.compile(r"\A\s*(?P<code>\d(?:[ \-]?\d){5})\s*[.。]?\s*\Z")


def replace_codes(text: str, mark: str) -> str:
    """One-time codes in English and Chinese, and a message that is nothing but six digits."""
    for pattern in (*_PATTERNS_ZH, *_PATTERNS, _BARE):
        text = pattern.sub(lambda match: _marked(match, mark), text)
    return text


def replace_pins(text: str, mark: str) -> str:
    """Numbers that are told as a PIN; "I pin 2000 notes to the wall" tells none."""
    for pattern in _PIN_PATTERNS:
        text = pattern.sub(lambda match: _marked(match, mark), text)
    return text


def _marked(match: re.Match[str], mark: str) -> str:
    """The match with the mark in place of the code; what counts something ("5000 lines") stays."""
    if (match.groupdict().get("next") or "").casefold() in _UNITS:
        return match[0]
    start, end = match.start("code") - match.start(), match.end("code") - match.start()
    return match[0][:start] + mark + match[0][end:]
