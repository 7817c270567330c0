"""Corrections that name only the wrong and the right word: "No, it's Lyon, not Paris", 是杭州，不是苏州.

What they mend is looked for in what the speaker said before in this turn, then among the neighbours. Only
a statement of an attribute whose value is the wrong word can be meant, and only where there is just one:
"The user's sister lives in Paris" beside "The user lives in Paris" leaves it open, and "The user visited
the Paris metro" is none.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from langmem_ext.extraction import rules_en_tables as english
from langmem_ext.extraction import rules_zh_tables as chinese
from langmem_ext.extraction.rules_en_words import PARTNERS, RELATIONS
from langmem_ext.extraction.rules_text import Draft, Rule, Speech

_AT_EN = r"(?:(?:in|at|from|called) )?"
_INSTEAD_EN = re.compile(
    rf"^(?:it['’]s|it is|that['’]s|it was|i meant|i mean|i said|(?:it )?should (?:be|have been)|"
    rf"make (?:it|that)|not {_AT_EN}(?P<o1>[^,]{{1,40}}?),? (?:but|it['’]s)) {_AT_EN}(?P<new>[^,]{{1,40}}?)"
    rf"(?:,? (?:and )?not {_AT_EN}(?P<o2>[^,]{{1,40}}))?$"
    rf"|^not {_AT_EN}(?P<o3>[^,]{{1,40}}), {_AT_EN}(?P<n3>[^,]{{1,40}})$"
    rf"|^{_AT_EN}(?P<n4>(?!(?:i|we|my|our|it|he|she|they)\b)[\w'’-]+(?: [\w'’-]+){{0,3}}),? "
    rf"not {_AT_EN}(?P<o4>[^,]{{1,40}})$",
    re.I,
)
_BEFORE_EN = r"(?<=(?:in|at|or|to|om|is|ed|as|an|by|of) )"  # in at for to from is called as an by of
_AFTER_EN = r"(?=$|[.;(]|,(?! [A-Z])| (?:and|now|since)\b)"
_RELATIVE_EN = re.compile(rf"^The user's (?:{RELATIONS})(?: [A-Z][\w'’-]+)? (?P<p>.+)$")

_INSTEAD_ZH = re.compile(
    r"^(?:那个?|这个?|它)?(?:"
    r"不是(?P<o1>[^，。,]{1,16}?)[，,\s]*(?:而)?(?:应该)?是(?P<n1>[^，。,！!]{1,16})|"
    r"(?:应该)?是(?P<n2>[^，。,不]{1,16})[，,\s]*(?:而)?不是(?P<o2>[^，。,！!]{1,16})|"
    r"(?:应该)?(?:是|改成|改为|换成|"
    r"叫)?(?P<n3>[^，。,不我他她你]{1,12})[，,\s]+(?:而)?不是(?P<o3>[^，。,！!]{1,16}))"
)
_BEFORE_ZH = r"(?<=[在到去往是叫为于自姓])"
_AFTER_ZH = r"(?=$|[。，,（(了人]|工作|上班|住|年|出生|长大)"
_RELATIVE_ZH = re.compile(rf"^用户的{chinese.RELATIONS}(?P<p>.+)$")
_FILLER_ZH = re.compile(r"(?:[啊啦呀哦哈喔嘛呐吧才对]|的说|[~～!！.。…\s])+$")

_Attribute = Callable[[str], tuple[str | None] | None]


def instead_english(text: str, speech: Speech, *, marked: bool) -> Draft | None:
    """Such as "It's Lyon, not Paris": the earlier statement with the other word.

    Without a word like "no" or "sorry" before it (`marked`), both words must be names.
    """
    match = _INSTEAD_EN.match(text)
    if match is None:
        return None
    old = (match["o1"] or match["o2"] or match["o3"] or match["o4"] or "").strip()
    new = (match["new"] or match["n3"] or match["n4"] or "").strip()
    named = old[:1].isupper() and new[:1].isupper()
    if not old or not new or not (marked or named):
        return None
    word = re.compile(rf"{_BEFORE_EN}{re.escape(old)}(?-i:, [A-Z][\w ]{{1,30}})?{_AFTER_EN}", re.I)
    return _mended(re.compile(rf"\b{re.escape(old)}\b", re.I), word, new, speech, attribute_english)


def instead_chinese(text: str, speech: Speech) -> Draft | None:
    """Such as 不是北京，是上海: `text` begins with it."""
    match = _INSTEAD_ZH.match(text)
    if match is None:
        return None
    old, new = (_FILLER_ZH.sub("", match[f"{o}1"] or match[f"{o}2"] or match[f"{o}3"]) for o in "on")
    if not old or not new:
        return None
    word = re.compile(f"{_BEFORE_ZH}{re.escape(old)}{_AFTER_ZH}")
    return _mended(re.compile(re.escape(old)), word, new, speech, attribute_chinese)


def ended(content: str, speech: Speech) -> int | None:
    """The number of the neighbour that says just this, which is now over."""
    numbers = [n for n, known in enumerate(speech.neighbours, 1) if _bare(known) == _bare(content)]
    return numbers[0] if len(numbers) == 1 else None


def _mended(
    said: re.Pattern[str], value: re.Pattern[str], new: str, speech: Speech, attribute: _Attribute
) -> Draft | None:
    """The one statement that is meant, with the right word.

    Args:
        said: The wrong word, anywhere; what was said last with it is meant, if it was in this turn.
        value: The wrong word where it is the value of a statement.
        new: The right word.
        speech: What was said and what is known.
        attribute: What a known statement sets: its key in a tuple, or None if it sets nothing.
    """
    for draft in reversed(speech.drafts):
        if said.search(draft.content):
            if draft.key is None:
                return None
            content = said.sub(lambda _: new, draft.content, count=1)
            return Draft(content=content, key=draft.key, correction=True, importance=draft.importance)
    meant = [
        (number, known, found[0])
        for number, known in enumerate(speech.neighbours, start=1)
        if value.search(known) and (found := attribute(_bare(known)))
    ]
    if len(meant) != 1:
        return None
    number, known, key = meant[0]
    content = value.sub(lambda _: new, known, count=1)
    return Draft(content=content, key=key, replaces=number, correction=True)


def _bare(content: str) -> str:
    return content.rstrip(" .。")


def attribute_english(content: str) -> tuple[str | None] | None:
    """The attribute that a known statement sets, in a tuple; None if it sets nothing."""
    relative = _RELATIVE_EN.match(content)
    if relative:
        partner = PARTNERS.search(content[: relative.start("p")].split(" called ")[0].strip())
        if re.match(r"(?:is|are) (?:called|named) ", relative["p"]):
            return ("partner.name" if partner else None,)
        return (None,) if _key_of(relative["p"], english.FACTS) else None
    if content.startswith("The user's "):
        own = content.removeprefix("The user's ")
        if favourite := english.FAVOURITE.match(own):
            return (english.favourite_key(favourite),)
        return next(((key,) for pattern, key, _ in english.OWN if key and pattern.match(own)), None)
    key = _key_of(content.removeprefix("The user "), english.FACTS) if content[:9] == "The user " else None
    return (key,) if key else None


def attribute_chinese(content: str) -> tuple[str | None] | None:
    """As `attribute_english`; the statement is in simplified characters."""
    relative = _RELATIVE_ZH.match(content)
    if relative:
        partner = chinese.PARTNERS.search(content[: relative.start("p")])
        if relative["p"].startswith("叫"):
            return ("partner.name" if partner else None,)
        return (None,) if _key_of(relative["p"], chinese.FACTS) else None
    if not content.startswith("用户"):
        return None
    told = content.removeprefix("用户").removeprefix("的")
    if favourite := chinese.FAVOURITE.match(told):
        return (chinese.favourite_key(favourite),)
    key = _key_of(told.split("，")[0], chinese.FACTS)
    return (key,) if key else None


def _key_of(predicate: str, rules: tuple[Rule, ...]) -> str | None:
    return next((rule.key for rule in rules if rule.key and rule.pattern.match(predicate)), None)
