"""Secrets out of the text, before anything stores, queues, logs or sends it.

The finders read the text in one spelling (`redaction_folding`); what they find is taken out of the text as
it was written. Every pattern starts at a fixed word or at the start of a token and has bounded gaps, so the
time is linear in the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from langmem_ext.redaction_codes import find_codes, find_pins
from langmem_ext.redaction_folding import PLACEHOLDER, Folded, fold
from langmem_ext.redaction_keys import find_keys
from langmem_ext.redaction_numbers import find_accounts, find_cards, find_identity_numbers
from langmem_ext.redaction_passwords import find_passwords
from langmem_ext.redaction_spans import Span
from langmem_ext.text import normalise

__all__ = ["PLACEHOLDER", "Redacted", "holds_only_secret", "holds_secret", "redact", "stored_form"]

_OPENING: Final = "[redacted: "
_DIGIT: Final = re.compile(r"\d")
# What these find holds a digit.
_NUMBERS: Final = frozenset({find_identity_numbers, find_cards, find_accounts, find_pins, find_codes})
# Where two of them find the same place, the first one names it.
_FINDERS: tuple[Callable[[str], Iterable[Span]], ...] = (
    find_keys, find_identity_numbers, find_cards, find_accounts, find_pins, find_codes, find_passwords,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Redacted:
    """Text without its secrets. `kinds` names what was taken out, in order, without repeats."""

    text: str
    kinds: tuple[str, ...] = ()


def redact(text: str) -> Redacted:
    """Replace secrets by visible placeholders such as `[redacted: api key]`.

    Found are keys and tokens, passwords that are told, private key blocks and seed phrases, URLs with
    credentials, numbers of cards and bank accounts, one-time codes and identity numbers, in English and
    Chinese, also in full-width, spelled-out or spaced-out characters. Sentences that only mention such
    things stay.
    """
    while True:  # what stands beside a placeholder may show itself only now; each time less text is left
        folded = fold(text)
        spans = _joined(folded.text)
        if not spans:
            kinds = dict.fromkeys(found[len(_OPENING) : -1] for found in PLACEHOLDER.findall(text))
            return Redacted(text, tuple(kinds))
        text = _replaced(text, folded, spans)


def stored_form(text: str) -> str:
    """The text on one line without secrets: odd spacing must not hide one, nor a placeholder leave any."""
    return normalise(redact(normalise(text)).text)


def holds_secret(text: str) -> bool:
    """Whether there is a secret in the text, or the placeholder of one."""
    return bool(redact(text).kinds)


def holds_only_secret(text: str) -> bool:
    """Whether nothing is left to learn once the secrets of this text are gone.

    "The code they texted me is 481920" and "481920" are such texts: no model needs to see them.
    """
    if re.fullmatch(r"\s*\d(?:[ \-]?\d){3,7}\s*[.。]?\s*", fold(text).text):
        return True
    redacted = redact(text)
    if not redacted.kinds:
        return False
    rest = fold(PLACEHOLDER.sub(" ", redacted.text)).text.casefold()
    rest = _CARRIER_ZH.sub(" ", re.sub(r"\d{1,2}\s*/\s*\d{2,4}", " ", rest))
    return all(word in _CARRIER_EN for word in re.findall(r"[^\W_]+", rest))


_CARRIER_EN = frozenset(
    "a the my your our this that these is was are it its here s ok okay so and for in to of by me us i "
    "they he she you it just now please use new got have texted sent emailed gave received code codes "
    "otp 2fa mfa one time verification security login log sign password passwd pwd pw passcode passphrase "
    "pin key api token bearer authorization secret access card credit debit number exp expires expiry cvv "
    "cvc bank account iban sms message url link id seed phrase recovery".split()
)
_CARRIER_ZH = re.compile(
    "我的|我|您的|你的|这个|这是|他们|刚刚?|发给?|发来|传给?|收到|短信|简讯|手机|银行卡?|信用卡|卡号?|账号|"
    "身[份分]证(?:字?号)?码?|有效期|登[录入]|动态密码|验证码|校验码|动态码|确认码|认证码|取件码|密码|口令|密钥|秘钥|"
    "金钥|令牌|权杖|助记词|是|为|的|了|就|给|来|吧|哦|呢|在这里|如下"
)


def _joined(text: str) -> list[Span]:
    """All finds in order; those that overlap are one, of the kind that was found first."""
    digits = _DIGIT.search(text) is not None
    finders = [(rank, find) for rank, find in enumerate(_FINDERS) if digits or find not in _NUMBERS]
    found = [(span, rank) for rank, find in finders for span in find(text) if span.end > span.start]
    found.sort(key=lambda entry: (entry[0].start, entry[1], -entry[0].end))
    joined: list[tuple[Span, int]] = []
    for span, rank in found:
        if joined and span.start < joined[-1][0].end:
            last, best = joined[-1]
            kind = span.kind if rank < best else last.kind
            joined[-1] = (Span(last.start, max(last.end, span.end), kind), min(rank, best))
        else:
            joined.append((span, rank))
    return [span for span, _ in joined]


def _replaced(text: str, folded: Folded, spans: Iterable[Span]) -> str:
    pieces, done = [], 0
    for span in spans:
        start, end = folded.place(span.start, span.end)
        start = max(start, done)
        if end <= start:
            continue
        pieces += [text[done:start], f"{_OPENING}{span.kind}]"]
        if text[end - 1] in "!?" and _NEXT_SENTENCE.match(text, end):
            pieces.append(".")  # the secret may have taken the end of its sentence with it
        done = end
    return "".join([*pieces, text[done:]])


_NEXT_SENTENCE = re.compile(r"\s+[^\W\d_a-z]|\s+i\b")
