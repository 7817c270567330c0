"""Which memories a topic means: the same words, about the same person, at the same time, and nothing else.

A memory is clearly meant when it says what the topic says and no second thing; whatever could make it
another statement (somebody's sister, "used to", a second fact) makes it one to ask about.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import Final

from langmem_ext.forget_words import (
    BREAKS,
    GENERIC_KEYS,
    LIGHT,
    MARKERS,
    OWN,
    TALK,
    folded,
    liking,
    owns,
    persons,
    topic_told,
)
from langmem_ext.items import MemoryItem
from langmem_ext.retrieval.lexical import tokenise
from langmem_ext.text import HAN
from langmem_ext.wording import common_form
from langmem_ext.words import stem, words_of

CLEAR: Final = 0.8  # of the request's words a memory must have to be meant without doubt
POSSIBLE: Final = 0.5  # to be asked about
_OF_A_STATEMENT: Final = 1 / 2  # of a memory's words that the request must have: the rest are details
_OF_A_NAME: Final = 1 / 3

_PIECE: Final = re.compile(
    rf"[{HAN}]+|[^\W_{HAN}]+(?:[.\-][^\W_{HAN}]+)*|'s\b|[,，、](?!\d)|[;；。！？!?]|[:：.](?=\s|$|[{HAN}])"
)
_HAN_WORD: Final = re.compile(f"[{HAN}]")
_CAPITAL: Final = re.compile(r"[A-Z]")
_CALENDAR: Final = re.compile(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july|august"
    r"|september|october|november|december"
)
# What a dog or a project is called is part of the fact that there is one; the user's own name is not.
_CALLED: Final = re.compile(
    r"(?<!user)(?<!is),? (?:named|called) [A-Z][\w-]*"
    rf"|(?<=[{HAN}])(?<!用户)(?:[，,]?(?:名叫|名为|名為|取名)|叫做|叫)[^，。,]{{1,6}}(?=[。.]?$)"
)
_OWNED: Final = re.compile(
    r"^(?:the )?user's (?P<english>[\w' -]+?) (?:is|are|was|were)\b"
    r"|^用户的(?P<chinese>[^，。,是为為]+?)(?:是|为|為|叫)",
    re.IGNORECASE,
)
_POSSESSIVE: Final = frozenset({"'s", "my", "的", "我的"})
_ED: Final = re.compile(r"[a-z]+ed")


def matching(topic: str, memories: Sequence[MemoryItem]) -> tuple[list[MemoryItem], list[MemoryItem]]:
    """The memories that are clearly meant, and all that may be, best first."""
    wanted = _Topic(topic)
    if not wanted.terms:
        return [], []
    pairs = [(wanted.share(told), told) for told in map(_Told, memories)]
    possible = sorted((pair for pair in pairs if pair[0] >= POSSIBLE), key=lambda pair: -pair[0])
    clear = [told for share, told in possible if wanted.means(told, share)]
    if clear and not wanted.statement and not any(wanted.names(told) for told in clear):
        # A bare word: whatever has it may be meant.
        clear = [told for share, told in possible if share >= CLEAR]
    return [told.item for told in clear], [told.item for _, told in possible]


class _Told:
    """A memory, read for a comparison."""

    def __init__(self, item: MemoryItem) -> None:
        self.item = item
        self.key = [part for part in re.split(r"[._]", item.key or "") if part]
        self.text = folded(item.content)
        self.everything = f"{self.text} {' '.join(self.key)}"

    @cached_property
    def terms(self) -> set[str]:
        return set(tokenise(self.everything))

    @cached_property
    def as_said(self) -> set[str]:
        return set(tokenise(self.item.content)) | set(tokenise(" ".join(self.key)))

    @cached_property
    def form(self) -> str:
        return common_form(self.item.content)

    @cached_property
    def clauses(self) -> list[list[str]]:
        """Its words in their order, without what something is called, cut where a second fact may begin."""
        clauses: list[list[str]] = [[]]
        for word in _words(_CALLED.sub("", self.text)):
            if word.casefold() in BREAKS:
                clauses.append([])
            else:
                clauses[-1].append(word)
        return [clause for clause in clauses if any(map(_content, clause))]

    @cached_property
    def owned(self) -> list[str]:
        """The words of what the whole memory tells the value of: "The user's home address is ..."."""
        found = _OWNED.search(self.text)
        return [] if found is None else _words(found["english"] or found["chinese"])

    def in_address(self, clause: Sequence[str]) -> bool:
        """Whether a clause is the next line of an address: "12 Rue Royale, 69002 Lyon"."""
        about = {word.casefold() for word in (*self.owned, *self.key)}
        return clause[0].isdigit() and not about.isdisjoint(("address", "地址"))


class _Topic:
    """What is to be forgotten, read for a comparison."""

    def __init__(self, topic: str) -> None:
        told = topic_told(topic)
        self.text = folded(told.text)
        self.statement = told.statement
        self.terms = set(tokenise(self.text)) - TALK
        self.owns = owns(told.text)
        self.as_said = set(tokenise(topic)) - TALK
        self.form = common_form(told.text)
        self.ordered = [word for word in _words(self.text) if _content(word)]

    def share(self, told: _Told) -> float:
        """0..1: how many of the topic's words a memory has."""
        if told.form == self.form:
            return 1.0
        pairs = ((self.terms, told.terms), (self.as_said, told.as_said))
        return max(len(wanted & words) / len(wanted) for wanted, words in pairs if wanted)

    def means(self, told: _Told, share: float) -> bool:
        """Whether nothing but this memory can be meant by these words."""
        if persons(self.text) != persons(told.everything):
            return False
        if any(mark(self.text) != mark(told.text) for mark in MARKERS):
            return False
        if told.form == self.form:
            return True
        if share < CLEAR or not self._has_what_tells(told) or self._owns_another_thing(told):
            return False
        if self._is_attribute(told):
            return all(self._covers(clause) or told.in_address(clause) for clause in told.clauses[1:])
        return self._same_subject(told) and all(map(self._covers, told.clauses)) and self._only_details(told)

    def names(self, told: _Told) -> bool:
        """Whether the topic is the whole of what this memory is about, and no word out of it."""
        return told.form == self.form or self._is_attribute(told)

    def _has_what_tells(self, told: _Told) -> bool:
        """Who does it, names and numbers must all be in the memory."""
        telling = {word for word in self.ordered if _CAPITAL.match(word) or any(map(str.isdigit, word))}
        return all(told.terms.issuperset(tokenise(word)) for word in telling | set(self.ordered[:1]))

    def _owns_another_thing(self, told: _Told) -> bool:
        """The cat's vet is no cat; "I have a son" is not what the son has, nor is liking dogs having one."""
        if not self.statement:
            owned = [word for word in told.owned if _content(word)]
            liked = self.owns and liking(self.text) != liking(told.text)
            return liked or not all(map(self._has, owned))
        return self.owns != owns(told.text) and owns(told.text)

    def _is_attribute(self, told: _Told) -> bool:
        if self.statement:
            return False
        if any(map(_content, told.owned)):
            return True
        named = self.terms.issuperset(stem(part) for part in told.key[-1:])
        known = all(part in GENERIC_KEYS or stem(part) in self.terms for part in told.key[:-1])
        return bool(told.key) and named and known and self._same_subject(told)

    def _same_subject(self, told: _Told) -> bool:
        """Whether nobody and nothing else stands where the user or the topic must stand."""
        words = [word.casefold() for word in (told.clauses or [[]])[0]]
        first = next((index for index, word in enumerate(words) if self._has(word)), len(words))
        before = words[:first]
        if not self.statement and before[:1] and before[0] in OWN and not _POSSESSIVE.isdisjoint(before[:3]):
            return not any(map(_content, before))
        if not self.statement and before[:1] and before[0] in OWN:
            return True
        return all(word in OWN or word in LIGHT for word in before)

    def _covers(self, clause: Sequence[str]) -> bool:
        return any(map(self._has, clause))

    def _only_details(self, told: _Told) -> bool:
        words = [word for clause in told.clauses for word in clause if _content(word)]
        rest = [word for word in words if not self._has(word)]
        if any(_CAPITAL.match(word) and not _CALENDAR.fullmatch(word.casefold()) for word in rest):
            return False
        if self.statement and (self._times_differ(words) or any(map(self._goes_on, told.clauses))):
            return False
        least = _OF_A_STATEMENT if self.statement else _OF_A_NAME
        return len(words) - len(rest) >= least * len(words)

    def _goes_on(self, clause: Sequence[str]) -> bool:
        """Whether a word of the topic is only part of a name for something else: "cat" of "cat cafés"."""
        return any(
            self._has(word) and _content(after) and not self._has(after) for word, after in pairwise(clause)
        )

    def _times_differ(self, words: Sequence[str]) -> bool:
        """Whether "lived" stands where the topic has "live", or the other way round."""
        here, there = map(_by_stem, (self.ordered, words))
        return any(here[word] != there[word] for word in here.keys() & there.keys())

    def _has(self, word: str) -> bool:
        terms = tokenise(word)
        within = _HAN_WORD.match(word) is not None and word in self.text
        return bool(terms) and (within or self.terms.issuperset(terms))


def _words(text: str) -> list[str]:
    """Words and marks in their order, with Chinese cut and the case kept."""
    return [
        word
        for piece in _PIECE.findall(text)
        for word in (words_of(piece) if _HAN_WORD.match(piece) else [piece])
    ]


def _by_stem(words: Sequence[str]) -> dict[str, bool]:
    """Whether words end in -ed, by their stem."""
    return {stem(word): _ED.fullmatch(word) is not None for word in map(str.casefold, words)}


def _content(word: str) -> bool:
    """Whether a word says something besides that something is so."""
    lower = word.casefold()
    return lower not in OWN and lower not in LIGHT and bool(tokenise(word))
