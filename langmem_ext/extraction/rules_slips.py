"""Slips that are put right with the right word alone: "i typed that wrong, its Cobh", 打错字了，是诗雨.

Which earlier statement is meant is a matter of shape and spelling: a name for a name, a number for a
number. Where two could be meant, and neither is spelled like the right word, nothing is changed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from difflib import SequenceMatcher

from langmem_ext.extraction.rules_corrections import attribute_chinese, attribute_english
from langmem_ext.extraction.rules_dates import find_date
from langmem_ext.extraction.rules_spelling import simplified
from langmem_ext.extraction.rules_text import Draft, Speech

_SLIP_EN = re.compile(
    r"\b(?:(?:typed|wrote|said|spelled|spelt|got|put|misspelled|misspelt|mistyped) (?:that|it|this|"
    r"my \w+|the \w+)(?: \w+)? ?"
    r"wrong|misspelled|misspelt|mistyped|typo|autocorrect\w*|i meant|meant to (?:say|type|write)|"
    r"correction|oops|"
    r"my mistake|(?:that|it) was wrong|slip of)\b|^\*",
    re.I,
)
_RIGHT_EN = re.compile(
    r"(?:\b(?:it['’]s|it is|that['’]s|i meant|meant to (?:say|type|write)|should (?:be|have been|say)|"
    r"make (?:it|that)|"
    r"correction:?|typo:?|spelled|spelt|is|oops:?)\s+(?:in |at |called |actually |really )?|^\*\s?)"
    r"(?P<new>(?-i:[A-ZÀ-Þ])[\w'’-]*(?: (?-i:[A-ZÀ-Þ])[\w'’-]*){0,2}|\d[\d:./]*|"
    r"(?-i:[a-zà-ÿ])[\w'’-]{2,20})\*?"
    r"(?=$|[,.(;:!]| (?:not|with|instead|like|as|in)\b)",
    re.I,
)
_NAMES_EN = re.compile(
    r"(?<!^)\b[A-ZÀ-Þ][\w'’-]*(?: [A-ZÀ-Þ][\w'’-]*){0,2}|(?<![-\w(])\d(?:[\d:./]*\d)?(?![-\w)])|"
    r"\b[a-z][\w'’-]{2,}\b"
)
_SLIP_ZH = re.compile(r"(?:打|说|讲|写|记|输|拼)错字?了?|错别字|口误|手误|输入法|手滑")
_RIGHT_ZH = re.compile(
    r"(?:应该|其实|正确的)?(?:是|叫|应为|改成)(?P<new>(?!我|你|他|她|不|说|这|那|"
    r"以前)[^，。,！!的了]{1,8})(?=$|[，。,！!])"
)
_VALUE_ZH = re.compile(
    r"(?:叫|住在|在|到了?|姓|是|来自|去了?|生日是)(?P<old>[^，。（(了的]{1,8}?)(?=$|[，。（(了]|"
    r"的|工作|上班|人$|住|年)"
)
_LIKE = 0.6  # of the letters in common, from which on a word is the other one misspelled
_TAKEN_BACK_EN = re.compile(
    r"\b(?:scratch|forget|ignore|disregard|strike) (?:what i said about |the |my )(?P<x>[\w' -]{3,30}?)"
    r"(?: (?:thing|bit|part|stuff|one|comment|rule|request))?(?=$|[,.;]| (?:i|we|because|so)\b)",
    re.I,
)
_INSTEAD_EN = re.compile(
    r"^(?:so )?(?:it['’]s|it is|it will be|make it) (?P<x>[^,]{3,60}?) (?:from now on|these days|"
    r"now|instead)$",
    re.I,
)


def slipped_english(text: str, sentence: str, speech: Speech) -> Draft | None:
    """The earlier statement with the right word, or what is said in place of one that was taken back."""
    taken = _TAKEN_BACK_EN.search(text)
    if taken:
        word = re.compile(rf"\b{re.escape(taken['x'].lower())}\b")
        hits = [n for n, known in enumerate(speech.neighbours, 1) if word.search(known.lower())]
        speech.retracts = hits[0] if len(hits) == 1 else None
    instead = next(filter(None, map(_INSTEAD_EN.match, text.split(", "))), None)
    if instead and speech.retracts:
        return Draft(content=f"From now on it is {instead['x']} for the user.", importance=0.6)
    if not _SLIP_EN.search(sentence):
        return None
    right = list(_RIGHT_EN.finditer(sentence))
    return _mended(right[-1]["new"], speech, _values_english, chinese=False) if right else None


def slipped_chinese(sentence: str, speech: Speech) -> Draft | None:
    """The earlier statement with the right word."""
    slip = _SLIP_ZH.search(sentence)
    right = _RIGHT_ZH.search(sentence, slip.end()) if slip else None
    return _mended(right["new"], speech, _values_chinese, chinese=True) if right else None


def in_place_of(draft: Draft, speech: Speech) -> Draft:
    """The draft, for the neighbour that was taken back before it if there is one."""
    if speech.retracts is None or draft.replaces is not None:
        return draft
    number, speech.retracts = speech.retracts, None
    return replace(draft, replaces=number)


_Values = Callable[[str], list[str]]


def _mended(new: str, speech: Speech, values: _Values, *, chinese: bool) -> Draft | None:
    attribute = attribute_chinese if chinese else attribute_english
    pairs: list[tuple[float, int | None, str, str, str | None]] = []
    known = [(None, draft.content) for draft in speech.drafts]
    for number, content in (*known, *enumerate(speech.neighbours, 1)):
        content = simplified(content) if chinese else content
        found = attribute(content.rstrip(" .。"))
        if found:
            old = [value for value in values(content) if _shape(value) == _shape(new) and value != new]
            pairs += [(_likeness(value, new), number, content, value, found[0]) for value in old]
    pairs.sort(key=lambda pair: pair[0], reverse=True)
    alike = [pair for pair in pairs if pair[0] >= _LIKE]
    if not alike and len({pair[2:4] for pair in pairs}) > 1:
        return None
    best = alike or (pairs if new[0].isupper() or new[0].isdigit() or chinese else [])
    if not best or (len(best) > 1 and best[0][0] - best[1][0] < 0.1 and best[0][2:4] != best[1][2:4]):
        return None
    _, number, content, old_word, key = best[0]
    told = content.replace(old_word, new, 1)
    return Draft(content=told, key=key, replaces=number, correction=True, valid_from=_since(told, speech.now))


def _since(content: str, now: datetime) -> datetime | None:
    phrase = find_date(content, now.date(), past=True)
    return phrase.starts(now.tzinfo) if phrase and phrase.first <= now.date() else None


def _shape(word: str) -> str:
    return "digit" if word[0].isdigit() else "word"


def _likeness(old: str, new: str) -> float:
    return SequenceMatcher(None, old.lower(), new.lower(), autojunk=False).ratio()


def _values_english(content: str) -> list[str]:
    body = re.sub(r"^The user(?:'s)?|\([^)]*\)", "", content)
    names = [match[0] for match in _NAMES_EN.finditer(body)]
    capital = [name for name in names if name[0].isupper() or name[0].isdigit()]
    return capital or names


def _values_chinese(content: str) -> list[str]:
    match = _VALUE_ZH.search(content)
    return [match["old"]] if match else []
