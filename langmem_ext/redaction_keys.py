"""Keys, tokens, private keys, logins in addresses, seed phrases."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from langmem_ext.redaction_folding import HELD
from langmem_ext.redaction_spans import (
    API_KEY,
    COUNTED,
    CREDENTIALS,
    LINK_ZH,
    PASSWORD,
    PRIVATE_KEY,
    SEED_PHRASE,
    TOKEN,
    Nested,
    Span,
    is_date,
    key_at,
    looks_random,
    spans_of,
    stands_for_nothing,
)

_FLAGS: Final = re.I | re.A
_PRIVATE_KEY_BLOCK = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----.*?"
    r"(?:-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----|\Z)",
    re.S,
)
_TAIL = r"(?:\.[A-Za-z0-9_\-]+)*"
# As the vendors write them: a fixed front, then characters of a key.
_VENDORS = (
    r"sk-(?=[a-z_\-]*[A-Z0-9])[\w\-]{8,}|sk-[a-z]{24,}|(?:[spr]k|whsec|rk)_(?:live|test)_\w{6,}|"
    r"whsec_\w{16,}",
    r"gh[pousr]_\w{16,}|github_pat_\w{16,}|gl(?:pat|rt|dt|ptt|soat|ft)-[\w\-]{12,}|ATATT3[\w\-=]{16,}|"
    r"ATBB\w{16,}",
    r"(?:AKIA|ASIA|AROA|AIDA|ABIA)[A-Z0-9]{12,}|LTAI[A-Za-z0-9]{12,}|AKID[A-Za-z0-9]{16,}",
    r"xox[abceoprs]-[\w\-]{8,}|xapp-[\w\-]{12,}|hooks\.slack\.com/services/[\w/]{20,}",
    r"AIza[\w\-]{20,}|ya29\.[\w\-]{16,}|GOCSPX-[\w\-]{16,}|1//0[\w\-]{20,}|AQ\.Ab[\w\-]{20,}",
    r"hf_[A-Za-z0-9]{16,}|npm_[A-Za-z0-9]{20,}|pypi-[\w\-]{20,}|rubygems_\w{20,}|dckr_(?:pat|"
    r"oat)_[\w\-]{16,}",
    r"dop_v1_\w{20,}|do[or]_v1_\w{20,}|shp(?:at|ss|ca|pa)_\w{16,}|SG\.[\w\-]{16,}|key-[0-9a-f]{32}|"
    r"SK[0-9a-f]{32}",
    r"gsk_\w{20,}|xai-\w{20,}|r8_\w{20,}|pplx-\w{20,}|nvapi-[\w\-]{20,}|csk-\w{20,}|fw_\w{20,}|"
    r"tvly-[\w\-]{16,}",
    r"(?:ntn|secret)_[A-Za-z0-9]{30,}|lin_(?:api|oauth)_\w{20,}|fig[dour]_[\w\-]{20,}|"
    r"pat[A-Za-z0-9]{14}\.\w{20,}",
    r"hv[sbr]\.[\w\-]{20,}|dapi[0-9a-f]{32}|pscale_\w{2,6}_[\w\-]{20,}|sbp_\w{20,}|dp\.(?:pt|st|ct)\.\w{20,}",
    r"glsa_\w{20,}|glc_\w{20,}|sntry[su]_[\w\-=+/]{20,}|NRAK-\w{20,}|PMAK-[\w\-]{20,}|"
    r"sq0[ac][ts]p-[\w\-]{20,}",
    r"EAA[A-Za-z0-9]{40,}|AGE-SECRET-KEY-1\w{20,}|lsv2_(?:pt|sk)_\w{20,}|phx_\w{20,}|phc_\w{20,}|"
    r"vercel_\w{20,}",
)
_KNOWN_KEYS = re.compile(rf"(?<![A-Za-z0-9_\-])(?:{'|'.join(_VENDORS)}){_TAIL}", re.A)
_BOTS = re.compile(  # Telegram, Discord
    r"(?<![\w\-])(?:\d{8,10}:AA[\w\-]{30,40}|[MNO][A-Za-z\d]{22,27}\.[\w\-]{6}\.[\w\-]{27,45})(?![\w\-])",
    re.A,
)
_JWT = re.compile(r"(?<![A-Za-z0-9_\-.])eyJ[A-Za-z0-9_\-]{5,}(?:\.[A-Za-z0-9_\-]+){1,4}")
_BEARER = re.compile(
    r"\b(?:bearer|authorization\"?:\s{0,3}\"?(?:basic|token))\s{1,3}(?P<secret>[A-Za-z0-9._~+/=\-]{8,})",
    _FLAGS,
)
_SESSION = re.compile(
    r"(?<![a-z])(?:session_?id|sid|jsessionid|phpsessid|session|auth_?token|csrf_?token)="
    r"(?P<secret>[\w\-.%+/=]{16,})",
    _FLAGS,
)
_URL_LOGIN = re.compile(
    rf"\b[a-z][a-z0-9+.\-]{{1,20}}://(?P<secret>[^\s/:@{HELD}]{{0,100}}:[^\s/{HELD}]{{1,200}})@(?=[\w\[])",
    _FLAGS,
)
_LOGIN = re.compile(
    rf"(?:(?<!\S)-u\s?(?P<secret>[\w.\-]{{1,40}}:[^\s:{HELD}\"']{{3,100}})(?!\S))|"
    rf"(?<!\S)(?P<host>(?:root|admin|administrator|postgres|mysql|redis|mongo|user|ubuntu|sa|ftp|deploy):"
    rf"[^\s/:@{HELD}]{{3,100}})@[\w\-]+",
    _FLAGS,
)
_PAIR = re.compile(
    r"(?:\b(?:creds?|credentials|log[ -]?in|log[ -]?on|logged in|sign[ -]?in)(?:\s(?:is|are|with|as|"
    r"using)|:)|"
    r"登[录陆入]?(?:用|账号|帐号)|用户)[是为:]?\s{0,2}"
    r"(?P<user>[a-z][\w.@\-]{1,40})\s?[/:]\s?"
    rf"(?P<secret>[^\s{HELD}]{{4,80}})",
    _FLAGS,
)
_URL_PARAMETER = re.compile(
    r"[?&](?:api_?key|key|token|access_token|refresh_token|id_token|auth|(?P<password>password|pwd|"
    r"passwd)|secret|"
    rf"client_secret|sig|signature|x-amz-signature)=(?P<secret>[^\s&#\"'<>{HELD}]{{4,2000}})",
    _FLAGS,
)

_ABOUT = rf"(?:\s(?:for|to|of|on|at|in|from)\s[^\n.,;:!?=\[{HELD}]{{1,40}}?)?"
_IS = (
    r"[\"'`*_]{0,3}(?:\s{0,3}(?P<strong>:=|[=:]|->|→|=>)|\s(?:is|was|are)(?=[\s:=])(?:\s?[:=])?|"
    r"\s(?:should be|will be|is now|is set to)(?=\s))\s{0,3}"
)
_NAMED_KEY = re.compile(
    r"(?<![a-z])(?:(?P<exact>(?:[\w\-]{0,30}[_\- ])?(?:api|access|secret|client|auth|signing|encryption|"
    r"account|"
    r"service|license|webhook|bearer|refresh|deploy|personal access)[_\- ]?(?:key|token|secret|"
    r"credential)s?)|"
    r"(?:[\w]{0,30}_)?(?:key|token|secret|credential)s?)"
    r"(?:\s(?:id|value|string))?" + _ABOUT + _IS,
    _FLAGS,
)
_BARE_KEY = re.compile(r"(?<![a-z])(?:api|access|secret)[_\- ]?(?:key|token)\s{1,2}(?=[\w\-]{12})", _FLAGS)
_LONG_KEY = re.compile(
    r"(?<![a-z])(?:token|key|secret|credential)\s{1,2}(?P<secret>[a-z\d]{16,128})(?![\w\-.])", _FLAGS
)
_CHANGES = re.compile(r"(?<=\d)[a-z]|(?<=[a-z])\d", _FLAGS)
_PLAIN_KEYS = re.compile(
    r"\b(?:primary|foreign|sort|partition|cache|sorting|lookup|dictionary|dict|hot|shortcut|unique|join|"
    r"map|row|"
    r"object|public|answer|composite|candidate|musical|song|home|arrow|function|translation|storage|"
    r"hash|index|"
    r"commit|special|next|first|last|previous|stop|start|pad|eos|bos|mask)[_\- ]\Z",
    _FLAGS,
)
_NAMED_KEY_ZH = re.compile(
    r"(?:密钥|秘钥|金钥|私钥|令牌|权杖|凭证|(?<![a-z])(?:token|(?:api|access|secret)[ _\-]?key|key))"
    r"(?!长度|轮|算法|数)"
    rf"(?:(?!上限|长度|数|个|限制|大小)[^\n，。！？\[:={HELD}]){{0,8}}?\s?{LINK_ZH}\s{{0,3}}",
    _FLAGS,
)
_HEX_KEY = re.compile(
    r"(?:private key|私钥)[^\n]{0,20}?(?P<secret>\b(?:0x)?[0-9a-f]{64}\b|"
    r"\b[5KL][1-9A-HJ-NP-Za-km-z]{50,51}\b)",
    _FLAGS,
)
_COUNTS = re.compile(COUNTED, _FLAGS)

_SEED = re.compile(
    rf"(?:(?:seed|recovery|backup|wallet|mnemonic)\s(?:phrase|words)|mnemonic|助记词|备份词|恢复短语)"
    rf"[^\n{HELD}]{{0,30}}?[\s:是为]\s{{0,2}}\"?(?P<secret>(?:\d{{0,2}}[.)]?\s?[a-z]{{3,8}}[\s,]{{1,2}}){{11,23}}[a-z]{{3,8}}"
    r"|(?:[\u4e00-\u9fff][\s,，、]){11,23}[\u4e00-\u9fff])(?![\w\u4e00-\u9fff])",
    _FLAGS,
)
_NO_SEED = frozenset(
    "and the was for with from his her has have had not but our are written stored somewhere saved".split()
)


def find_keys(text: str) -> Iterator[Span]:
    """Places of keys, tokens, logins and seed phrases in folded text."""
    yield from spans_of(_PRIVATE_KEY_BLOCK.finditer(text), PRIVATE_KEY)
    yield from spans_of(_HEX_KEY.finditer(text), PRIVATE_KEY)
    yield from spans_of(_URL_LOGIN.finditer(text), CREDENTIALS)
    for match in _LOGIN.finditer(text):
        yield Span(*match.span("secret" if match["secret"] else "host"), CREDENTIALS)
    for match in _PAIR.finditer(text):
        value = key_at(text, match.start("secret"))
        if value is not None and looks_random(value.text) and not stands_for_nothing(value.text):
            yield Span(match.start("user"), value.end, CREDENTIALS)
    for match in _URL_PARAMETER.finditer(text):
        end = match.start("secret") + len(match["secret"].rstrip(".,;:!?)"))
        yield Span(match.start("secret"), end, PASSWORD if match["password"] else API_KEY)
    yield from _trimmed(text, _KNOWN_KEYS, API_KEY)
    yield from _trimmed(text, _BOTS, API_KEY)
    yield from _trimmed(text, _JWT, TOKEN)
    yield from _trimmed(text, _SESSION, TOKEN)
    yield from _trimmed(text, _BEARER, TOKEN)
    yield from _named(text)
    for match in _SEED.finditer(text):
        if _NO_SEED.isdisjoint(re.findall(r"[a-z]+", match["secret"].casefold())):
            yield Span(*match.span("secret"), SEED_PHRASE)


def _trimmed(text: str, pattern: re.Pattern[str], kind: str) -> Iterator[Span]:
    """Matches without the full stop or dash that ends their sentence."""
    for start, end, _ in spans_of(pattern.finditer(text), kind):
        value = text[start:end].rstrip(".-")
        if pattern is _SESSION and stands_for_nothing(value):
            continue
        if kind != TOKEN or pattern is not _BEARER or looks_random(value) or len(value) >= 24:
            yield Span(start, start + len(value), kind)


def _named(text: str) -> Iterator[Span]:
    done = 0
    nested = Nested()
    for match in _NAMED_KEY.finditer(text):
        if match.start() < done or _PLAIN_KEYS.search(text, max(0, match.start() - 20), match.start()):
            continue
        if _PLAIN_KEYS.search(match[0].partition("key")[0][-20:]) or not nested.may_read(match.end()):
            continue
        value = nested.read(key_at(text, match.end()))
        if value is None:
            continue
        exact = bool(match["exact"]) and match["strong"] is not None
        if _is_key(value.text, exact=exact) and _COUNTS.match(text, value.end):
            done = value.end
            yield Span(value.start, value.end, API_KEY)
    yield from _bare(text)


def _bare(text: str) -> Iterator[Span]:
    """Keys right behind their name, and in Chinese sentences."""
    for match in _BARE_KEY.finditer(text):
        value = key_at(text, match.end())
        if value is not None and _is_key(value.text, exact=False):
            yield Span(value.start, value.end, API_KEY)
    for match in _LONG_KEY.finditer(text):  # many changes between letters and digits: no name, no version
        if len(_CHANGES.findall(match["secret"])) >= 4 and not _PLAIN_KEYS.search(
            text, max(0, match.start() - 20), match.start()
        ):
            yield Span(*match.span("secret"), API_KEY)
    nested = Nested()
    for match in _NAMED_KEY_ZH.finditer(text):
        value = nested.read(key_at(text, match.end())) if nested.may_read(match.end()) else None
        if value is not None and re.fullmatch(r"[!-~]+", value.text) and _is_key(value.text, exact=False):
            yield Span(value.start, value.end, API_KEY)


def _is_key(value: str, *, exact: bool) -> bool:
    """No plain word, number, date or name in code: "the key to success is 100000 hours" tells no key."""
    if len(value) < 6 or " " in value or value.strip("-.:/,").replace(",", "").isdecimal() or is_date(value):
        return False
    if stands_for_nothing(value):
        return False
    if exact:
        return looks_random(value) or len(value) >= 16
    if re.fullmatch(r"[A-Z]?[a-z]+\d{1,2}|v?\d+(?:\.\d+)+", value):  # "React18", "v2.0.1"
        return False
    return bool(_RANDOM_PART.search(value))


# A digit, or a capital inside a run of small and capital letters.
_RANDOM_PART = re.compile(r"[0-9]|[a-z][A-Z]|[A-Za-z][A-Z][a-z]")
