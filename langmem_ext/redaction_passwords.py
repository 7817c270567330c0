"""Passwords and passphrases that are told, in English and Chinese; sentences about passwords are not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from langmem_ext.redaction_folding import HELD
from langmem_ext.redaction_spans import (
    COUNTED,
    LINK_ZH,
    PASSWORD,
    Span,
    Value,
    is_date,
    looks_random,
    stands_for_nothing,
    value_at,
)

_FLAGS: Final = re.I | re.A
_REST = rf"[^\n.,;:!?={HELD}]{{1,40}}?"
_NAME = r"(?:(?<!1)(?:pass(?:word|code|wort)|passwd)s?|(?<![a-z\d])(?:pwd|pw|psw|psswd|pswd)|(?<=PG)password)"
_ABOUT = (
    rf"(?:\s(?P<told>that|which|i|we|you|they|he|she)\s{_REST}|\s(?:for|to|of|on|at|in|from)\s{_REST})?"
    r"(?:,\s(?:by the way|btw|fyi|again),?)?(?:\s(?:now|currently|here|again))?(?:\s\([^()\n]{1,30}\))?"
)
_IS = (
    r"[\"'`*_]{0,3}(?:\s{0,3}(?P<strong>:=|[=:]|->|→|=>)[*_]{0,2}"
    r"|\s(?:(?:should|will|must|has\sto|used\sto)\sbe|(?:(?:is|was|got)\s)?(?:(?:re)?set|changed)\sto)(?=\s)"
    r"|(?:\s(?:is|i\ss|was|are)|['’]s)(?=[\s:=])(?:\s?[:=])?)"
    r"(?:\s(?:now|still|currently|just|simply|actually|always|again|literally|either)(?=\s))?\s{0,3}"
)
_TOLD = re.compile(_NAME + _ABOUT + _IS, _FLAGS)
_BARE = re.compile(_NAME + r"(?:\s{1,3}(?:to|as)\s|\s[\-–—]\s|\s{1,3})(?!is\b|was\b|i\ss\b|[(=:])", _FLAGS)
_OPTION = re.compile(r"(?<!\S)--?(?:password|passwd|pass)[= ]", _FLAGS)
_PASS = re.compile(
    r"(?<![a-z\d\-])(?<!boarding )(?<!bus )(?<!day )(?<!ski )(?<!season )(?<!guest )pass\s?[=:]\s{0,3}"
    r"(?!\d{1,3}\b)",
    _FLAGS,
)
_FROM_TO = re.compile(
    rf"{_NAME}\sfrom\s(?P<old>[^\s{HELD}]{{3,80}})\sto\s(?P<new>[^\s{HELD}]{{3,80}})", _FLAGS
)
_NOT_ABOUT = r"(?!['’]?s?\s?(?:manager|app\b|policy|hint|prompt|generator|vault|reset|field|rule|hash))"
_REVERSED = re.compile(
    rf"(?<!\S)(?P<secret>[^\s{HELD}]{{4,80}}),?\s(?:is|was|as|that['’]?s|this\sis)\s(?:my|our|the|your|"
    rf"his|her|their|a)\s"
    rf"(?:[\w\-]{{1,20}}\s){{0,3}}?{_NAME}{_NOT_ABOUT}",
    _FLAGS,
)
_PASSPHRASE = re.compile(
    rf"(?<!\ba\s)\bpass\s?phrase(?:\s(?:for|to|of|on|at)\s{_REST})?(?:\s(?:is|was)\s|\s?[:=]\s?)"
    rf"[\"'`“]?(?P<secret>[^\n.,;!?\"”`{HELD}]{{3,200}}?)(?=[\"”`]|\s(?:and|but|so)\s|[\n.,;!?{HELD}]|\Z)",
    _FLAGS,
)

_NO_PASSWORDS = frozenset(
    "a an the my your our his her hers ours yours mine theirs its not no now too very so in on at for with "
    "from by to of and or but if that this it still also always never only just really quite pretty rather "
    "strong weak wrong right correct incorrect invalid valid expired expiring old new long short safe unsafe "
    "secure insecure leaked stolen compromised lost forgotten missing required needed mandatory optional "
    "reset set changed stored saved written hidden hashed encrypted gone broken empty blank different same "
    "something anything everything nothing hard easy good bad fine ok okay important known unknown wherever "
    "where what when why how who which rejected accepted refused working being about manager managers "
    "protected protection field fields policy policies resets hygiene prompt again twice once every unless "
    "because since while than i you he she we they me enough case unique complex simple stuff and/or rotated "
    "managed generated kept synced shared used expected supposed checked validated encoded salted "
    "synchronised synchronized handled due up out down off over around under there here between inside "
    "longer shorter stronger weaker better worse older newer safer simpler easier harder stuck strict dumb "
    "stupid silly lame great nice awful crap tricky common public private case-sensitive mixed all any some "
    "more most less least almost nearly exactly probably maybe perhaps definitely obviously apparently "
    "usually often basically essentially both either neither none null true false str string bytes int bool "
    "undefined input password passwords passwd secret please yes his/her n/a tbd todo redacted censored "
    "random sensitive outdated identical similar equal part one two three between typing "
    "is was are am be been has have had do does did can could will would should may might must "
    "like as near next behind beyond after before until".split()
)
_SUFFIXES = re.compile(r".{4,}(?:ing|ed)|.{3,}(?:able|ible|ive|ful|less|ly|ous|ent|ary|ory|ical)", _FLAGS)
_CLAUSE_END = re.compile(
    r"\s{0,2}(?:[.,;!?)\]\n]|$|(?:and|but|so|for|btw|please|pls|thanks|thx|now|if|in|on|at|or|lol|ok|then)\b)"
    rf"|\s?[{HELD}\u2e80-\uffff(\-]",
    _FLAGS,
)
_COUNTS = re.compile(COUNTED, _FLAGS)


def find_passwords(text: str) -> Iterator[Span]:
    """Places of passwords and passphrases in folded text."""
    yield from _told(text)
    yield from _set_or_bare(text)
    yield from _in_chinese(text)
    for match in _REVERSED.finditer(text):
        value = match["secret"].strip("\"'`“”.,;:()")
        start = match.start("secret") + match["secret"].find(value)
        if value and _random(text, Value(start, start + len(value), value, False)):
            yield Span(start, start + len(value), PASSWORD)
    for match in _PASSPHRASE.finditer(text):
        words = match["secret"].split()
        first = words[0].casefold() if words else ""
        if first and first not in _NO_PASSWORDS and not (len(words) < 3 and _SUFFIXES.fullmatch(first)):
            yield Span(match.start("secret"), match.end("secret"), PASSWORD)


def _told(text: str) -> Iterator[Span]:
    """The password behind "is", a colon or an equals sign."""
    for pattern in (_TOLD, _PASS, _OPTION):
        done = 0
        for match in pattern.finditer(text):
            named = match.groupdict()
            value = value_at(text, match.end()) if match.start() >= done else None
            if value is None:
                continue
            strong = pattern is not _TOLD or named["strong"] is not None
            if pattern is _PASS and not (value.quoted or looks_random(value.text)):
                continue
            if (named.get("told") and not strong and not value.quoted and not looks_random(value.text)) or (
                not _is_password(text, value, strong=strong)
            ):
                continue
            done = value.end
            yield Span(value.start, value.end, PASSWORD)


def _set_or_bare(text: str) -> Iterator[Span]:
    """The password that stands right behind the word, or behind "to" where one is changed."""
    for match in _BARE.finditer(text):
        value = value_at(text, match.end())
        if value is not None and (value.quoted or _random(text, value)) and _is_password(text, value):
            yield Span(value.start, value.end, PASSWORD)
    for match in _FROM_TO.finditer(text):
        for group in ("old", "new"):
            value = value_at(text, match.start(group))
            if value is not None and _random(text, value):
                yield Span(value.start, value.end, PASSWORD)


def _counts(text: str, value: Value) -> bool:
    """Whether a number counts or dates something: "12 characters", "8-16位", "2019年"."""
    number = re.fullmatch(r"[\d\-~+.,]+", value.text)
    return is_date(value.text) or bool(
        (number and not _COUNTS.match(text, value.end))
        or re.match(r"\d+-(?:char|digit|letter|word|day|month|year)", value.text, _FLAGS)
    )


def _is_password(text: str, value: Value, *, strong: bool = False) -> bool:
    word = value.text.casefold().rstrip(".!?:)")
    if value.quoted:
        return len(value.text) >= 3 and word not in _NO_PASSWORDS and not stands_for_nothing(value.text)
    if len(word) < 3 or word in _NO_PASSWORDS or stands_for_nothing(value.text) or _counts(text, value):
        return False
    if looks_random(value.text.rstrip("!?")):
        return not value.text.isdecimal() or len(value.text) >= 4 or strong
    if strong:
        return True
    return not _SUFFIXES.fullmatch(word) and bool(_CLAUSE_END.match(text, value.end))


def _random(text: str, value: Value) -> bool:
    """No plain word, no count, no date; a number only where it is long or no year."""
    plain = value.text.rstrip("!?")
    if len(plain) < 4 or not looks_random(plain) or stands_for_nothing(plain) or _counts(text, value):
        return False
    return len(plain) >= 6 if plain.strip("-.:/").isdecimal() else True


_NAME_ZH = (
    r"(?:密码|口令|通行码|(?<![a-z\d])(?:password|passwd|pwd|psw|pw|mima)(?![a-z\d]))"
    r"(?!管理|学[^校]|学$|本|箱|器|保护|找回|重置|策略|规则|强度|长度|提示|泄|错误|有效期|过期|红包|锁|登录|登陆|生成)"
)
_GAP_ZH = (
    r"(?:(?!账号|邮箱|手机|用户|名|错|忘|丢|提示|长度|有效期|过期|位数|管理|密码|口令|不是|不能|不要|没)"
    rf"[^\n，。！？；、:={HELD}]){{0,10}}?"
)
_TOLD_ZH = re.compile(rf"{_NAME_ZH}[\"”」*]?{_GAP_ZH}\s?{LINK_ZH}\s{{0,3}}", _FLAGS)
_BARE_ZH = re.compile(rf"(?:{_NAME_ZH}(?<=[^\x00-\x7f]))\s{{0,3}}[（(]?(?=[!-~「『“])(?![:=])", _FLAGS)
_REVERSED_ZH = re.compile(
    r"(?<![!-~])(?P<secret>[!-~]{4,60})\s?(?:就?是|作?为|当)(?:我|你|他|她|咱)?[们家]{0,2}的?"
    rf"[^\n，。；{HELD}]{{0,6}}?{_NAME_ZH}",
    _FLAGS,
)
_MADE_BY = re.compile(
    r"\s?(?:帮我|帮忙|自动|随机|里面?|上)?(?:生成|保存|存|记|管理|自带|加密|同步|要求|规定|开头|结尾)"
)
_PAIR_ZH = re.compile(
    rf"(?:账号|用户名?|账户)[和与/、&]?密码\s?{LINK_ZH}?\s{{0,3}}[\w.@\-]{{2,40}}(?:\s{{1,2}}|\s?[/，,、]\s?)"
    rf"(?P<secret>[!-~]{{4,60}})",
    _FLAGS,
)


def _in_chinese(text: str) -> Iterator[Span]:
    for pattern in (_TOLD_ZH, _BARE_ZH):
        for match in pattern.finditer(text):
            value = value_at(text, match.end())
            if value is not None and _is_password_zh(text, value, bare=pattern is _BARE_ZH):
                yield Span(value.start, value.end, PASSWORD)
    for match in _PAIR_ZH.finditer(text):
        value = value_at(text, match.start("secret"))
        if value is not None and looks_random(value.text):
            yield Span(value.start, value.end, PASSWORD)
    for match in _REVERSED_ZH.finditer(text):
        value = Value(match.start("secret"), match.end("secret"), match["secret"], False)
        if _random(text, value):
            yield Span(value.start, value.end, PASSWORD)


def _is_password_zh(text: str, value: Value, *, bare: bool) -> bool:
    if value.quoted:
        return (
            len(value.text) >= 2 and (value.text.isascii() or not bare) and not stands_for_nothing(value.text)
        )
    if len(value.text) < 4 or not re.fullmatch(r"[ -~]+", value.text):
        return False
    if stands_for_nothing(value.text) or _counts(text, value) or value.text.casefold() in _NO_PASSWORDS:
        return False
    if _MADE_BY.match(text, value.end):
        return False
    if bare or any(char.isdigit() for char in value.text):
        return looks_random(value.text)
    return not re.match(r"\s?的", text[value.end : value.end + 2])
