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
    Nested,
    Span,
    Value,
    is_date,
    looks_random,
    stands_for_nothing,
    value_at,
)
from langmem_ext.text import HAN

_FLAGS: Final = re.I | re.A
_REST = rf"[^\n.,;:!?={HELD}]{{1,40}}?"
_NAME = r"(?:(?<!1)(?:pass(?:word|code|wort)|passwd)s?|(?<![a-z\d])(?:pwd|pw|psw|psswd|pswd)|(?<=PG)password)"
_ABOUT = (
    rf"(?:\s(?P<told>that|which|i|we|you|they|he|she)\s{_REST}|\s(?:for|to|of|on|at|in|from)\s{_REST})?"
    rf"(?:,\s(?P<which>which|that|as)\s[^\n.,;:!?=\[{HELD}]{{1,60}},)?"
    r"(?:,\s(?:by the way|btw|fyi|again),?)?(?:\s(?:now|currently|here|again))?(?:\s\([^()\n]{1,30}\))?"
)
_IS = (
    r"[\"'`*_]{0,3}(?:\s{0,3}(?P<strong>:=|[=:]|->|→|=>)[*_]{0,2}"
    r"|\s(?:(?:should|will|must|has\sto|used\sto)\sbe|(?:(?:is|was|got)\s)?(?:(?:re)?set|changed)\sto)(?=\s)"
    r"|(?:\s{1,2}(?:is|i\ss|was|are)|['’]s)(?=[\s:=])(?:\s?[:=])?)"
    r"(?:\s(?:now|still|currently|just|simply|actually|always|again|literally|either)(?=\s))?\s{0,3}"
)
_TOLD = re.compile(_NAME + _ABOUT + _IS, _FLAGS)
_BARE = re.compile(_NAME + r"(?:\s{1,3}(?:to|as)\s|\s[\-–—]\s|\s{1,3})(?!is\b|was\b|i\ss\b|[(=:])", _FLAGS)
_BRACKETED = re.compile(_NAME + rf"\s?[(\[](?P<secret>[^\s()\[\]{HELD}]{{4,80}})[)\]]", _FLAGS)
_ANSWER = re.compile(
    rf"\b(?:(?:security|secret)\s(?:question\s)?answer|answer\s(?:to|for)\s(?:my|the|your|our|his|her)\s"
    rf"(?:security|secret)\squestion)(?:\s(?:for|to|of|on|at)\s{_REST})?(?P<link>\s(?:is|was)\s|\s?[:=]\s{{0,2}})"
    rf"[\"'`“]?(?P<secret>[^\n.,;!?\"”`{HELD}]{{2,80}}?)(?=[\"”`]|\s(?:and|but|so)\s|[\n.,;!?{HELD}]|\Z)",
    _FLAGS,
)
_ANSWER_ZH = re.compile(
    rf"(?:密保|安全(?:提示)?问题|密保问题)的?(?:答案|回答)\s?{LINK_ZH}\s{{0,3}}"
    rf"(?P<secret>[^\s，。！？；、,.!?;{HELD}]{{2,30}})",
    _FLAGS,
)
_COMBINATION = re.compile(
    r"\b(?:(?:safe|vault|(?:pad)?lock|locker|bike|gate|door|suitcase|luggage|briefcase)(?:['’]s)?\s(?:combination|"
    r"combo)|(?:combination|combo)\s(?:to|of|for|on)\s(?:my|the|our|your|his|her)\s(?:[\w\-]{1,15}\s){0,2}?(?:safe|"
    r"vault|(?:pad)?lock|locker|bike|gate|door|suitcase|luggage|briefcase))"
    r"(?:\s(?:is|was)\s(?:now\s|still\s)?|\s?[:=]\s{0,2}|\s(?=\d))"
    r"(?P<secret>\d{1,2}(?:\s?[\-/,. ]\s?\d{1,2}){2,3}|\d{3,8})(?![\w/\-]|[.,:]\d|\s(?:times|years|days|"
    r"people))",
    _FLAGS,
)
_MORE = re.compile(r"(?:\s?,\s?(?:and|or)?\s?|\s(?:and|or|&)\s|\s?[/和、，]\s?)(?=\S)", _FLAGS)
# Four words and more, as dice give them: "correct horse battery staple".
_WORDS = re.compile(
    r"(?:[a-z]{3,12}[ \-]){3,11}[a-z]{3,12}(?=\s{0,2}(?:[.,;!?)\]\n]|\Z)|\s(?:and|but|so|for)\s)",
    _FLAGS,
)
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
        if _is_phrase(match["secret"]) or _are_words(match["secret"]):
            yield Span(match.start("secret"), match.end("secret"), PASSWORD)
    yield from _answers(text)


def _answers(text: str) -> Iterator[Span]:
    """Passwords in brackets, answers to security questions, combinations of locks."""
    for match in _BRACKETED.finditer(text):
        value = Value(*match.span("secret"), match["secret"], False)
        if _random(text, value):
            yield Span(value.start, value.end, PASSWORD)
    for match in _ANSWER.finditer(text):
        if _is_phrase(match["secret"]):
            yield Span(*match.span("secret"), PASSWORD)
    for match in _ANSWER_ZH.finditer(text):
        if not _NO_PASSWORD_ZH.search(match["secret"]):
            yield Span(*match.span("secret"), PASSWORD)
    for match in _COMBINATION.finditer(text):
        if not is_date(match["secret"]):
            yield Span(*match.span("secret"), PASSWORD)


def _is_phrase(secret: str) -> bool:
    words = secret.split()
    first = words[0].casefold() if words else ""
    return bool(first) and first not in _NO_PASSWORDS and not (len(words) < 3 and _SUFFIXES.fullmatch(first))


def _are_words(secret: str) -> bool:
    """Whether these are words as dice give them, of which only the first says something of a password."""
    words = re.split(r"[ \-]", secret.casefold())
    if not _WORDS.fullmatch(secret) or not _NO_PASSWORDS.isdisjoint(words[1:]):
        return False
    return _SUFFIXES.fullmatch(words[0]) is None and "only" not in words


def _told(text: str) -> Iterator[Span]:
    """The password behind "is", a colon or an equals sign."""
    for pattern in (_TOLD, _PASS, _OPTION):
        done, nested = 0, Nested()
        for match in pattern.finditer(text):
            named = match.groupdict()
            if match.start() < done or not nested.may_read(match.end()):
                continue
            value = nested.read(value_at(text, match.end()))
            if value is None:
                continue
            if (words := _WORDS.match(text, value.start)) and _are_words(words[0]):
                done = words.end()
                yield Span(value.start, words.end(), PASSWORD)
                continue
            strong = pattern is not _TOLD or named["strong"] is not None
            if pattern is _PASS and not (value.quoted or looks_random(value.text)):
                continue
            told = named.get("told") or named.get("which")
            if (told and not strong and not value.quoted and not looks_random(value.text)) or (
                not _is_password(text, value, strong=strong)
            ):
                continue
            done = value.end
            yield Span(value.start, value.end, PASSWORD)
            if pattern is _TOLD and (more := _MORE.match(text, value.end)):
                other = value_at(text, more.end())
                if other is not None and _random(text, other) and _CLAUSE_END.match(text, other.end):
                    yield Span(other.start, other.end, PASSWORD)


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


_HAN_TOLD = re.compile(
    rf"{_NAME_ZH}(?<=[^\x00-\x7f])[\"”」*]?\s?(?:(?P<strong>[:=]|->|→)|(?:就|现在|还)?是)\s{{0,3}}"
    rf"(?P<secret>[{HAN}]{{1,8}}[!-~]{{2,40}}|[!-~]{{2,40}}[{HAN}]{{1,4}}[!-~]{{0,20}}|[{HAN}]{{2,12}})"
    r"(?=\s|[，。！？；、,.!?;)）]|\Z)",
    _FLAGS,
)
# Words with which a Chinese value only says something of a password.
_NO_PASSWORD_ZH = re.compile(
    "[忘不没请的了已需必要可见无未错改位字符至少多或与及和其该此这那哪谁什怎吗呢吧很太最更我你您他她它们年月日天次个]|"
    "重置|随机|生成|正确|有效|加密|保密|默认|同上|略|空|输入|设置|区分|大小写|泄露|过期|安全|复杂|简单|相同|一样|生日|手机|"
    "修改|登[录陆]|管理|备注|如下|另行|稍后|通知|自行|联系|初始|数字|字母|弱|强|长|短|丢"
)


def _in_chinese(text: str) -> Iterator[Span]:
    for match in _HAN_TOLD.finditer(text):
        secret = match["secret"]
        mixed = any("!" <= char <= "~" for char in secret)
        if not _NO_PASSWORD_ZH.search(secret) and (match["strong"] or mixed and looks_random(secret)):
            yield Span(*match.span("secret"), PASSWORD)
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
