"""Secrets out of the text, before anything stores, queues, logs or sends it.

Every pattern starts at a fixed word or at the start of a token and has bounded gaps, so the time is
linear in the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from langmem_ext.redaction_codes import replace_codes, replace_pins
from langmem_ext.redaction_numbers import replace_cards, replace_identity_numbers
from langmem_ext.text import normalise

API_KEY: Final = "api key"
PASSWORD: Final = "password"
TOKEN: Final = "token"
PRIVATE_KEY: Final = "private key"
CREDENTIALS: Final = "credentials"
CARD: Final = "card number"
CODE: Final = "one-time code"
ID_NUMBER: Final = "id number"

PLACEHOLDER: Final = re.compile(r"\[redacted: [a-z][a-z -]*\]")
_OPENING = "[redacted: "
# Behind a secret they end its sentence, and the next one starts.
_SENTENCE_ENDS = ".!?,;:)…"

_VALUE = r"[\"'`“‘「『]?([^\s\"'`“”‘’「」『』，。；！？、,;]{3,512})"


@dataclass(frozen=True, slots=True)
class Redacted:
    """Text without its secrets. `kinds` names what was taken out, in order, without repeats."""

    text: str
    kinds: tuple[str, ...] = ()


def redact(text: str) -> Redacted:
    """Replace secrets by visible placeholders such as `[redacted: api key]`.

    Found are keys and tokens, passwords that are told, private key blocks, URLs with credentials, card
    numbers, one-time codes and identity numbers. Sentences that only mention such things stay.
    """
    for rule in _RULES:
        text = rule(text)
    kinds = dict.fromkeys(found[len(_OPENING) : -1] for found in PLACEHOLDER.findall(text))
    return Redacted(text, tuple(kinds))


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
    if re.fullmatch(r"\s*\d(?:[ \-]?\d){3,7}\s*[.。]?\s*", text):
        return True
    redacted = redact(text)
    if not redacted.kinds:
        return False
    rest = PLACEHOLDER.sub(" ", redacted.text).casefold()
    rest = _CARRIER_ZH.sub(" ", re.sub(r"\d{1,2}\s*/\s*\d{2,4}", " ", rest))
    return all(word in _CARRIER_EN for word in re.findall(r"[^\W_]+", rest))


_CARRIER_EN = frozenset(
    "a the my your our this that these is was are it its here s ok okay so and for in to of by me us i "
    "they he she you it just now please use new got have texted sent emailed gave received code codes "
    "otp one time verification security login log sign password passwd pin key api token bearer "
    "authorization secret access card credit debit number exp expires expiry cvv cvc bank sms "
    "message url link id".split()
)
_CARRIER_ZH = re.compile(
    "我的|我|您的|你的|这个|这是|他们|刚刚?|发给?|发来|收到|短信|手机|银行卡?|信用卡|卡号?|"
    "身份证号?码?|有效期|"
    "登录|验证码|校验码|动态码|确认码|取件码|密码|口令|密钥|秘钥|令牌|是|为|的|了|就|给|来|吧|哦|呢|"
    "在这里|如下"
)


def _mark(kind: str) -> str:
    return f"{_OPENING}{kind}]"


def _looks_random(value: str) -> bool:
    """Whether a value is no plain word: it holds a digit, inner capitals, or symbols of keys."""
    letters = [char for char in value if char.isalpha()]
    mixed = any(char.isupper() for char in letters[1:]) and any(char.islower() for char in letters)
    return any(char.isdigit() for char in value) or mixed or bool(re.search(r"[_$#@%^&*+=~]", value))


def _replacer(
    pattern: str, kind: str, accept: Callable[[re.Match[str]], bool] = lambda match: True, flags: int = re.I
) -> Callable[[str], str]:
    """A rule that replaces group 1, or the whole match where there is no group."""
    compiled = re.compile(pattern, flags)

    def replace(match: re.Match[str]) -> str:
        group = 1 if compiled.groups else 0
        value = match[group]
        if "[redacted" in value or not accept(match):
            return match[0]
        start, end = match.start(group) - match.start(), match.end(group) - match.start()
        end -= len(value) - len(value.rstrip(_SENTENCE_ENDS))
        return match[0][:start] + _mark(kind) + match[0][end:]

    return lambda text: compiled.sub(replace, text)


_PRIVATE_KEY_BLOCK = (
    r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----.*?"
    r"(?:-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----|\Z)"
)
_TAIL = r"(?:\.[A-Za-z0-9_\-]+)*"
_KNOWN_KEYS = (
    r"(?<![A-Za-z0-9_\-])(?:sk-(?=[a-z_\-]*[A-Z0-9])[A-Za-z0-9_\-]{8,}|(?:[spr]k|whsec|rk)_(?:live|"
    r"test)_\w{6,}|"
    r"gh[pousr]_\w{16,}|github_pat_\w{16,}|glpat-[\w\-]{12,}|(?:AKIA|ASIA)[A-Z0-9]{12,}|"
    r"xox[abeprs]-[\w\-]{8,}|AIza[\w\-]{20,}|hf_[A-Za-z0-9]{16,}|npm_[A-Za-z0-9]{20,}|"
    r"pypi-[\w\-]{20,}|dop_v1_\w{20,}|shp(?:at|ss|ca)_\w{16,}|ya29\.[\w\-]{16,}|"
    r"SG\.[\w\-]{16,})" + _TAIL
)
_JWT = r"(?<![A-Za-z0-9_\-.])eyJ[A-Za-z0-9_\-]{5,}(?:\.[A-Za-z0-9_\-]+){1,4}"
_BEARER = r"\b(?:bearer|authorization:\s{0,3}(?:basic|token))\s{1,3}([A-Za-z0-9._~+/=\-]{8,})"
_URL_LOGIN = r"\b[a-z][a-z0-9+.\-]{1,20}://([^\s/:@]{0,100}:[^\s@/]{1,200})@"
_URL_PARAMETER = (
    r"[?&](?:api_?key|key|token|access_token|refresh_token|auth|password|pwd|secret|sig|"
    r"signature)=([^\s&#]{4,2000})"
)

_EN_IS = r"(?:\s{0,3}(?:is|was|are|=|:|：|->)\s{0,3}|\s{1,3}(?:should be|is now|will be)\s{1,3})"
_FOR = r"(?:\s(?:for|to|of|on|at)\s[^\n.,;:!?=\[]{1,40}?)?"
_NAMED_KEY = r"\b(?:key|token|secret|credential)s?(?:\s(?:id|value|string))?" + _FOR + _EN_IS + _VALUE
_NAMED_KEY_ZH = (
    r"(?:密钥|秘钥|令牌|token|api ?key|key)[^\n，。！？\[]{0,8}?(?:是|为|：|:|=|改成了?|换成了?)\s{0,3}"
    + (r"[\"'“「]?([!-~]{6,512})")
)
_PASSWORD = r"\b(?:password|passwd|passcode|pwd)s?" + _FOR + _EN_IS + _VALUE
_PASSWORD_SET = r"\b(?:password|passwd|passcode|pwd)\s{1,3}(?:(?:to|as)\s)?" + _VALUE
_PASSPHRASE = r"\bpass ?phrase" + _FOR + _EN_IS + r"([^\n.,;!?]{3,200}?)(?=\s(?:and|but|so)\s|[\n.,;!?]|\Z)"
_PASSWORD_ZH = (
    r"(?:密码|口令)[^\n，。！？；\[]{0,10}?(?:是|为|：|:|=|改成了?|换成了?|设成了?|设为|就是|叫)\s{0,3}"
    r"[\"'“「『]?([!-~]{4,200})"
)
_PASSWORD_ZH_BARE = r"(?:密码|口令)\s{0,3}([!-~]{6,200})"
_CVV = r"\b(?:cvv2?|cvc2?|card security code)\W{0,4}(?:is\s)?(\d{3,4})(?!\d)"

_NO_PASSWORDS = frozenset(
    "a an the my your our his her its not no now too very so in on at for with from by to of and or "
    "but if that "
    "this it still also always never only just really strong weak wrong right correct incorrect invalid "
    "valid expired expiring old new long short safe unsafe secure insecure leaked stolen compromised lost "
    "forgotten missing required needed mandatory optional reset set changed stored saved written hidden "
    "hashed encrypted gone broken empty blank different same something anything everything nothing "
    "hard easy good bad fine ok okay important known unknown wherever where what when why how who which "
    "rejected accepted refused working being about manager managers protected protection field fields "
    "policy policies reset resets hygiene prompt again twice once every unless because since while than "
    "i you he she we they me enough case unique complex simple stuff and/or "
    "rotated managed generated kept synced shared "
    "used expected supposed checked validated encoded salted synchronised synchronized handled".split()
)


def _accept_password(match: re.Match[str]) -> bool:
    return match[1].casefold().rstrip(".!?:)") not in _NO_PASSWORDS


def _accept_random(match: re.Match[str]) -> bool:
    """No plain word and no plain number: "the key to success is 100000 hours" tells no key."""
    return _looks_random(match[1]) and len(match[1]) >= 6 and not match[1].strip("-.:/").isdecimal()


def _accept_zh_key(match: re.Match[str]) -> bool:
    return _looks_random(match[1])


def _accept_bearer(match: re.Match[str]) -> bool:
    return _looks_random(match[1]) or len(match[1]) >= 24


_RULES: tuple[Callable[[str], str], ...] = (
    _replacer(_PRIVATE_KEY_BLOCK, PRIVATE_KEY, flags=re.S),
    _replacer(_URL_LOGIN, CREDENTIALS),
    _replacer(_URL_PARAMETER, API_KEY),
    _replacer(_KNOWN_KEYS, API_KEY, flags=0),
    _replacer(_JWT, TOKEN, flags=0),
    _replacer(_BEARER, TOKEN, _accept_bearer),
    lambda text: replace_identity_numbers(text, _mark(ID_NUMBER)),
    _replacer(r"(?<![\d\-])\d{3}-\d{2}-\d{4}(?![\d\-])", ID_NUMBER),
    lambda text: replace_cards(text, _mark(CARD)),
    _replacer(_CVV, CARD),
    lambda text: replace_codes(text, _mark(CODE)),
    _replacer(_PASSPHRASE, PASSWORD),
    _replacer(_PASSWORD, PASSWORD, _accept_password),
    _replacer(_PASSWORD_SET, PASSWORD, _accept_random),
    lambda text: replace_pins(text, _mark(PASSWORD)),
    _replacer(_PASSWORD_ZH, PASSWORD),
    _replacer(_PASSWORD_ZH_BARE, PASSWORD, _accept_zh_key),
    _replacer(_NAMED_KEY, API_KEY, _accept_random),
    _replacer(_NAMED_KEY_ZH, API_KEY, _accept_zh_key),
)
