"""What the finders of secrets share: kinds, found places, and how the value behind a word is read."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from langmem_ext.redaction_folding import HELD
from langmem_ext.text import HAN

ACCOUNT: Final = "account number"
API_KEY: Final = "api key"
CARD: Final = "card number"
CODE: Final = "one-time code"
CREDENTIALS: Final = "credentials"
ID_NUMBER: Final = "id number"
PASSWORD: Final = "password"
PRIVATE_KEY: Final = "private key"
SEED_PHRASE: Final = "seed phrase"
TOKEN: Final = "token"

# Behind digits they say that something is counted or dated: "8位", "12 characters".
COUNTED: Final = (
    r"(?!\s?(?:[\-~到至]\s?\d{1,4}\s?)?(?:\d{1,2}\s?)?"
    r"(?:[年月日号个次条秒分天元块人位名%％时周岁字章页倍种级版]|"
    r"-?(?:char|day|digit|letter|symbol|word|year|month|week|hour|minute|second|bit|time|people|line)))"
)
LINK_ZH: Final = (
    r"(?:(?:就|还|仍|都|也|应该|现在|已经?|被|改|换|设|变|重)?(?:设(?![定置成为的])|是|为|系|係|叫|用的?是?|填|写的?是?|改成|改为|换成|换为|设成|"
    r"设为|设定为|设定成|设置为|设置成|变成|变为|置为|:|=|->|→)了?(?:\s?[:=])?(?:(?:全?小写|全?大写)的?)?)"
)

_OPENERS = {'"': '"', "'": "'", "`": "`", "“": "”", "‘": "’", "「": "」", "『": "』", "*": "*", "«": "»"}
_BARE = re.compile(rf"[^\s{HELD}{HAN}\"“”‘’「」『』`«»，。！？；、（）【】《》]{{1,512}}")
_SPACED = re.compile(r"[!-~](?: [!-~]){4,40}(?!\S)|\d{2,4}(?: \d{2,4}){1,4}(?![\w\-/:]|[.,]\d| \w)", re.A)
_COMMA = re.compile(r"&(?=\w+=)|[,;](?=[a-z'’]*(?:[\W_]*$|[,;=:]|[a-z_\-]+[=:]))", re.I)
_PLAIN_ENDS = ".,;:…"
_ENDS = _PLAIN_ENDS + "!?"


class Span(NamedTuple):
    """A secret from `start` to `end` of the folded text."""

    start: int
    end: int
    kind: str


class Value(NamedTuple):
    """What stands behind a word for a secret, and whether it stood in quotes."""

    start: int
    end: int
    text: str
    quoted: bool


class Nested:
    """Bounds how often one run of characters is read: in "key=key=key=…" every name starts a value."""

    _DEPTH: Final = 4

    def __init__(self) -> None:
        self._end = 0
        self._depth = 0

    def may_read(self, at: int) -> bool:
        """Whether the value at this place is no more than a few names deep in one that was read."""
        return at >= self._end or self._depth < self._DEPTH

    def read(self, value: Value | None) -> Value | None:
        """The value, counted."""
        if value is not None:
            self._depth = 1 if value.start >= self._end else self._depth + 1
            self._end = max(self._end, value.end)
        return value


def value_at(text: str, at: int, *, ends: str = _PLAIN_ENDS) -> Value | None:
    """The value that starts at this place: what the quotes hold, or everything up to a blank.

    A final full stop or comma is left to the sentence; `!` and `?` may well belong to a password.
    """
    opener = text[at : at + 1]
    if opener in _OPENERS:
        start = at
        while text[start : start + 1] == opener and start < at + 3:
            start += 1
        line = text.find("\n", start, start + 200)
        close = text.find(_OPENERS[opener], start, line if line >= 0 else start + 200)
        if close > start:
            return Value(start, close, text[start:close], True)
        at = start
    found = _SPACED.match(text, at) or _BARE.match(text, at)
    if found is None:
        return None
    value = found[0]
    comma = _COMMA.search(value)
    value = _trimmed(value[: comma.start()] if comma else value, ends)
    return Value(at, at + len(value), value, False) if value else None


def key_at(text: str, at: int) -> Value | None:
    """The same for keys, in which `!` and `?` are rare."""
    return value_at(text, at, ends=_ENDS)


def _trimmed(value: str, ends: str) -> str:
    """The value without what ends its sentence, and without brackets that it does not open."""
    while value:
        last = value[-1]
        pair = {")": "(", "]": "[", "}": "{", ">": "<"}.get(last)
        if last in ends or last == "'" or (pair is not None and pair not in value):
            value = value[:-1]
        else:
            break
    return value


_RANDOM = re.compile(r"[\d_$#@%^&*+=~!?]")
_LETTER = re.compile(r"[^\W\d_]")


def looks_random(value: str) -> bool:
    """Whether a value is no plain word: it holds a digit, inner capitals, or symbols of keys."""
    if _RANDOM.search(value):
        return True
    first = _LETTER.search(value)
    inner = value[first.end() :] if first else ""
    return inner.lower() != inner and value.upper() != value


_IDENTIFIER = re.compile(
    r"[A-Z]+(?:_[A-Z]+)*|[a-z]+(?:_[a-z0-9]+)+|[a-z_]+(?:\.[a-z_]+)+(?:[\[(].*)?|[a-z_]\w*[\[(].*"
)
# Names of methods and products, which hold digits or capitals and are no secret.
_NAMES = frozenset(
    "2fa mfa u2f fido2 oauth2 oauth sha1 sha256 sha-256 sha512 md5 base64 bcrypt argon2 argon2id utf-8 utf8 "
    "aes256 aes-256 aes128 rsa2048 rsa4096 ed25519 pbkdf2 1password keepassxc keepass2 bitwarden lastpass "
    "iphone ipad macos icloud github gitlab youtube linkedin paypal whatsapp wifi wi-fi wpa2 wpa3 ios "
    "chatgpt openai ipv4 ipv6 win10 win11 windows10 office365 microsoft365".split()
)


def stands_for_nothing(value: str) -> bool:
    """Whether a value only shows where one goes (`<password>`, `$TOKEN`, `****`), or is a name in code."""
    if value.casefold() in _NAMES or value.casefold().startswith(("http://", "https://")):
        return True
    if re.fullmatch(
        r"\$[A-Z_]+|\$?\{+\s?\w*\s?\}+|<[A-Za-z _\-]*>?|(?:~|\.{0,2})/[\w.\-]+(?:/[\w.\-]*)+|%\w+%|"
        r"\$\([^()]*\)?",
        value,
    ):
        return True
    return bool(re.fullmatch(r"[*•xX.…_\-#?]+", value)) or bool(
        _IDENTIFIER.fullmatch(value) and not (value.isalpha() and not value.isupper())
    )


def is_date(value: str) -> bool:
    """Whether this is a date or a time."""
    return bool(re.fullmatch(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4}", value))


def spans_of(matches: Iterable[re.Match[str]], kind: str) -> list[Span]:
    """The group `secret` of each match, or all of it."""
    found = []
    for match in matches:
        group = "secret" if "secret" in match.re.groupindex else 0
        found.append(Span(match.start(group), match.end(group), kind))
    return found
