"""What a question asks for beside its words: about whom, and about when. No LLM is asked."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from langmem_ext.retrieval.dates import Span, time_spans
from langmem_ext.retrieval.lexical import tokenise
from langmem_ext.retrieval.utterance import ASSISTANTS, USERS
from langmem_ext.text import HAN

# Of "you" and "I" the first is whom the question is about, but for what only opens it politely.
_OPENING = re.compile(
    r"\b(?:can|could|would|will) you\b|\bdo you (?:still )?(?:remember|know|recall)\b"
    r"|[你您]还?(?:记得|知道)|请问[你您]"
)
_YOU = re.compile(r"\b(?:you|your|yours)\b|[你您]")
_I = re.compile(r"\b(?:i|my|me|mine|we|our)\b|我")
_ROLES = USERS | ASSISTANTS
_FAR = 1 << 30
_LATIN = re.compile(f"[^{HAN}]+")


@dataclass(frozen=True, slots=True)
class Question:
    """A question, read once.

    Attributes:
        terms: Its words for keyword search, each once.
        spans: The stretches of time that it names.
        about: "you" (what the assistant said), "i" (what the user said) or None.
        text: In lower case, to look for names in.
    """

    terms: tuple[str, ...]
    spans: tuple[Span, ...]
    about: str | None
    text: str

    @classmethod
    def read(cls, text: str, now: datetime, newest: datetime | None = None) -> Question:
        """Read a question; `now` and `newest` are those of `time_spans`."""
        folded = text.casefold()
        return cls(
            tuple(dict.fromkeys(tokenise(text))),
            tuple(dict.fromkeys(time_spans(text, now, newest))),
            _subject(folded),
            folded,
        )

    def named(self, speakers: Collection[str]) -> str | None:
        """The one speaker whose name the question has; None if it names none or several.

        "The user" and "the assistant" are no names.
        """
        named = [speaker for speaker in speakers if speaker not in _ROLES and self._names(speaker)]
        return named[0] if len(named) == 1 else None

    def _names(self, speaker: str) -> bool:
        if speaker not in self.text:
            return False
        if not _LATIN.fullmatch(speaker):
            return True
        return re.search(rf"(?<![a-z0-9]){re.escape(speaker)}(?![a-z0-9])", self.text) is not None


def _subject(folded: str) -> str | None:
    text = _OPENING.sub(" ", folded)
    you, i = _YOU.search(text), _I.search(text)
    if you is None and i is None:
        return None
    first_you = _FAR if you is None else you.start()
    return "you" if first_you < (_FAR if i is None else i.start()) else "i"
