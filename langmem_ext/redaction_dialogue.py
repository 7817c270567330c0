"""Secrets that a conversation tells in two messages: asked for or announced in one, told in the next.

The answer is read behind the words that a whole sentence would have ("my password is …"), so that the
finders decide as they do elsewhere: "I forgot it" is no password.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from langmem_ext.redaction import redact
from langmem_ext.redaction_folding import PLACEHOLDER, fold
from langmem_ext.redaction_spans import looks_random

_FLAGS: Final = re.I | re.A
_SEAM: Final = 160
_LONGEST_ANSWER: Final = 120

_PASSWORD = r"(?:pass(?:word|code)|passwd|pwd|pw|login|credentials)s?"
_PHRASE = r"(?:pass\s?phrase|(?:security|secret)\s(?:question\s)?answer)"
_PIN = r"pin(?:\s?(?:code|number))?"
_CODE = (
    r"(?:(?:one[- ]?time|verification|security|log-?in|sign-?in|confirmation|authentication|2fa|mfa|sms|"
    r"backup|"
    r"recovery|access|door|gate|alarm|entry|safe)\s(?:code|number)s?|otp|2fa|(?<=the )code|(?<=your )code)"
)
_KEY = r"(?:(?:api|access|secret|private)[- ](?:key|token)|token)"
_CARD = (
    r"(?:(?:credit|debit|bank)?\s?card\snumber|cvv|cvc|ssn|social security number|"
    r"(?:bank\s)?account\snumber|iban)"
)
# What is asked for, and the sentence that the answer completes.
_NAMES: Final = {
    "phrase": (_PHRASE, "my passphrase is "),
    "password": (_PASSWORD, "my password is "),
    "pin": (_PIN, "my PIN is "),
    "code": (_CODE, "my verification code is "),
    "key": (_KEY, "my API key is "),
    "card": (_CARD, "my password is "),
}
_NAMED = "|".join(f"(?P<{kind}>{name})" for kind, (name, _) in _NAMES.items())
_OWNED = r"(?:(?:your|the|my|our|his|her|their)\s)(?:[\w'’\-]{1,20}\s){0,3}?"
_END = (
    r"(?:\s(?:for|to|of|on|at|from|with)\s[^.?!\n]{1,40}?)?(?:,?\s(?:please|pls|again|now|then|here|"
    r"below))?[ ?:.!…]{0,4}\Z"
)
_ASKED = re.compile(
    rf"(?:(?:\bwhat(?:['’]?s|\sis|\swas|\sare|\swere)|\b(?:tell|give|send|text|show|read)(?:\s(?:me|us))?|\b(?:enter|"
    rf"type(?:\sin)?|input|provide|confirm|share|say|repeat|spell|paste)|\b(?:need|have|know|get|got|want|and|here['’]?s|"
    rf"here\s(?:is|comes|are)|this\sis|that['’]?s))\s{_OWNED}(?:{_NAMED}){_END})",
    _FLAGS,
)
_TITLE = re.compile(
    rf"(?:\A|[.!?\n])\s?(?:and\s)?(?:{_OWNED})?(?:{_NAMED}),?(?:\splease)?\s?[?:]\s?\Z", _FLAGS
)
_NAME_ZH = (
    r"(?P<code>验证码|校验码|动态码|登录码|门禁码|恢复码|备用码|确认码|认证码|取件码)|(?P<pin>pin码?)"
    r"|(?P<key>密钥|令牌|api[ _]?key)|"
    r"(?P<password>密码|口令|通行码)|(?P<card>银行卡号|信用卡号|卡号|身份证号码?)"
)
_ASKED_ZH = re.compile(
    rf"(?:{_NAME_ZH})(?:(?:是|为)?(?:什么|啥|多少|几|哪个)|是|为|呢|(?:发|给|告诉|报|说)(?:一下|给)?(?:我|一下)?(?:一下|吧|好吗|可以吗)?)?"
    r"[呢啊呀吧吗]?[ ?？:。!！…]{0,3}\Z",
    _FLAGS,
)
_NOT_ASKED_ZH = re.compile(
    "忘[了记]|丢[了失]|错|改[了过]|换[了过]|重置|怎么|如何|为什么|收不到|没收到|不[要能用]"
)
_LEAD = re.compile(
    r"(?:(?:sure|ok|okay|yes|yep|yeah|well|hmm|um|uh|oh|of course|好的?|嗯|可以)[,，.!]?\s?)?"
    r"(?:(?:it['’]?s|it\s(?:is|was)|that['’]?s|that\sis|this\sis|they['’]?re|is|here\s(?:you\sgo|it\sis)|here['’]?s)[:,]?\s|"
    r"(?:就|应该)?是[:：]?\s?)?[:=]?\s{0,2}",
    _FLAGS,
)
_NO_ANSWER: Final = frozenset(
    "sure ok okay yep yeah yup nope nah none thanks thank thx hello hi hey wait sorry idk dunno later never "
    "tomorrow yesterday today stop cancel skip help huh done great maybe perfect awesome cool works worked "
    "exactly right sometimes again pardon excuse hmm um uh well bye forget forgot password passcode pin code "
    "hold check checking continue next back exit quit retry resend".split()
)
_FILLER = re.compile(
    r"(?:sure|ok|okay|yes|one\s(?:sec|second|moment)|hold on|wait|just a (?:sec|second|moment)|"
    r"let me (?:see|check|"
    r"look)|好的?|嗯|等一下|稍等|等等)[.!,。！… ]{0,3}",
    _FLAGS,
)


_OPEN_END = re.compile(r"(?:\b(?:is|was|are|be)|['’]s|[:：=是为叫成])\s*\Z", _FLAGS)
_OPEN_START = re.compile(r"\s*(?:(?:is|was)\s|[:：=]|是)", _FLAGS)


def redact_dialogue(texts: Sequence[str]) -> list[str]:
    """Messages that follow one another, each without its secrets, those that another one announces too."""
    redacted: list[str] = []
    asked: str | None = None
    for text in (redact(text).text for text in texts):
        answer = text
        if redacted:
            answer = _continued(redacted[-1], text)
            if answer == text and asked is not None:
                answer = _answered(asked, text)
        if not (asked is not None and _FILLER.fullmatch(text.strip())):
            asked = _asked(answer)
        redacted.append(answer)
    return redacted


def _asked(text: str) -> str | None:
    """The start of the sentence that the next message may end."""
    tail = fold(text[-_SEAM:]).text.rstrip()
    match = _ASKED.search(tail) or _TITLE.search(tail)
    if match is None and not _NOT_ASKED_ZH.search(tail[-30:]):
        match = _ASKED_ZH.search(tail)
        if match is not None:
            return {"code": "验证码是", "pin": "PIN码是", "key": "密钥是"}.get(
                match.lastgroup or "", "密码："
            )
    if match is None:
        return None
    return next(front for kind, (_, front) in _NAMES.items() if match[kind])


def _continued(before: str, text: str) -> str:
    """The text without what only the message before it shows to be a secret: "my bank pin is", "4921"."""
    if not (_OPEN_END.search(before[-20:]) or _OPEN_START.match(text)):
        return text
    front = before[-_SEAM:].rsplit("\n", 1)[-1].rstrip() + " "
    return _behind(front, text)


def _answered(front: str, text: str) -> str:
    """The text without the secret that it tells when it was asked for one."""
    stripped = text.strip()
    if not stripped or len(stripped) > _LONGEST_ANSWER or PLACEHOLDER.search(stripped):
        return text
    lead = _LEAD.match(stripped)
    at = text.index(stripped) + (lead.end() if lead else 0)
    answer = text[at:].rstrip()
    bare = answer.rstrip(".!?。！？")
    if not bare or bare.casefold() in _NO_ANSWER or bare.split()[0].casefold().strip(",.!") in _NO_ANSWER:
        return text
    if not re.search(r"\s", bare) and looks_random(bare) and len(bare) >= 3 and not answer.endswith("?"):
        kind = "one-time code" if "code" in front or "验证码" in front else "password"
        left = text[at + len(bare.rstrip(",;:")) :]
        return f"{text[:at]}[redacted: {kind}]{left.lstrip('!') if not bare.isdigit() else left}"
    return text[:at] + _behind(front, text[at:])


def _behind(front: str, text: str) -> str:
    """The text as it is redacted behind these words; as it is where the words themselves would change."""
    head, rest = text[:_SEAM], text[_SEAM:]
    redacted = redact(front + head).text
    return redacted[len(front) :] + rest if redacted.startswith(front) else text
