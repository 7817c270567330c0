"""Whether a person really said it: quotes looked up in messages, facts compared with what was said.

Every message is taken apart once per request (`Heard`), however many candidates are held against it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache

from langmem_ext.extraction.numbers import Number, said_numbers
from langmem_ext.extraction.sentences import sentences_of
from langmem_ext.items import Source
from langmem_ext.messages import Message
from langmem_ext.redaction import PLACEHOLDER
from langmem_ext.text import HAN, comparison_key, normalise
from langmem_ext.words import stem, words_of

_WORD = re.compile(rf"(?P<han>[{HAN}]+)|[^\W_{HAN}]+(?:['’][^\W\d_{HAN}]+)?")
_HAN_CHAR = re.compile(f"[{HAN}]")
# Words of the extractor's own frame and words that say nothing by themselves.
_GENERIC = frozenset(
    "user users the a an is are was were be been am has have had do does did to of in on at for with "
    "and or but "
    "by as from it its their they them his him her he she my i me we us our you your that this these "
    "those who which "
    "not no s t also very so there will would can wants want says said ok okay thanks thank yes hi hello "
    "用户 的 了 是 在 我 我们 你 他 她 它 对 和 与 有 也 都 很 就 不 一个 一 着 过 这 那 会 要 说 吗 "
    "呢 吧 啊 自己 上 个 把 被 给 好".split()
)


class Words:
    """The telling words of a text, worked out when they are first asked for, and kept."""

    def __init__(self, text: str) -> None:
        """Read this text."""
        self.text = text

    @cached_property
    def folded(self) -> str:
        """The text in its form for comparing."""
        return comparison_key(self.text)

    @cached_property
    def telling(self) -> frozenset[str]:
        """Stems (English) and words (Chinese) that say something."""
        return frozenset(token for token in tokens_of(self.folded) if token not in _GENERIC)

    @cached_property
    def numbers(self) -> frozenset[Number]:
        """The values of its numbers, each in every reading."""
        return said_numbers(self.text)

    def share(self, wanted: frozenset[str]) -> float:
        """Which part of the wanted words is there; segmentation may differ, so Chinese substrings count."""
        hits = sum(
            token in self.telling or (bool(_HAN_CHAR.search(token)) and token in self.folded)
            for token in wanted
        )
        return hits / len(wanted)


class Heard(Words):
    """A message, taken apart once for all candidates of a request."""

    def __init__(self, message: Message) -> None:
        """Listen to this message."""
        super().__init__(message.content)
        self.message = message

    @cached_property
    def written(self) -> str:
        """The message in its stored form; quotes are parts of it."""
        return normalise(self.text)

    @cached_property
    def sentences(self) -> tuple[Words, ...]:
        """Its sentences."""
        return tuple(Words(normalise(sentence)) for sentence in sentences_of(self.text))

    @cached_property
    def sentence_spans(self) -> tuple[tuple[int, int], ...]:
        """Start and end of its sentences in `written`."""
        spans, at = [], 0
        for sentence in self.sentences:
            start = self.written.find(sentence.text, at)
            if start >= 0:
                at = start + len(sentence.text)
                spans.append((start, at))
        return tuple(spans)

    @cached_property
    def _squashed(self) -> tuple[str, tuple[int, ...]]:
        """Letters and digits only, and the place of each in `written`."""
        letters = [(char, at) for at, raw in enumerate(self.written) for char in _letters(raw)]
        return "".join(char for char, _ in letters), tuple(at for _, at in letters)

    def find(self, part: str) -> tuple[int, int] | None:
        """Start and end in `written` of letters and digits that follow one another, as whole words."""
        text, places = self._squashed
        at = text.find(part)
        while at >= 0:
            start, end = places[at], places[at + len(part) - 1] + 1
            if not _inside_word(self.written, start) and not _inside_word(self.written, end):
                return start, end
            at = text.find(part, at + 1)
        return None

    def source(self, quote: str) -> Source:
        """This message as the evidence, with the words that show it."""
        return Source(self.message.message_id, self.message.speaker, quote)


def related(word: str, text: Words) -> bool:
    """Whether a telling word or a form of it ("vegan", "veganism") is there; in Chinese, a part of it."""
    if _HAN_CHAR.search(word):
        return any(char in text.folded for char in word if char not in _GENERIC)
    if word in text.telling:
        return True
    forms = {word, re.sub(r"^(?:un|non)", "", word)}
    return any(len(form) >= 4 and any(form[:4] == other[:4] for other in text.telling) for form in forms)


def all_said(texts: Iterable[str]) -> Words:
    """What several texts hold together, without the places where a secret was."""
    return Words(PLACEHOLDER.sub(" ", " ".join(texts)))


def find_quote(quote: str, heard: Sequence[Heard]) -> Source | None:
    """The first message that holds the quote, with the quote as it is written there.

    Case, width, punctuation and spaces do not matter; words do, and their order. Parts that are joined by
    an ellipsis must all be in one message.
    """
    if not Words(quote).telling:
        return None
    for message in heard:
        if spans := _spans(quote, message):
            return message.source(" … ".join(message.written[start:end] for start, end in spans))
    return None


def place_of(quote: str, heard: Heard) -> tuple[int, int] | None:
    """Where a quote of one part stands in the written message; also one that says nothing by itself."""
    spans = _spans(quote, heard)
    return spans[0] if len(spans) == 1 else None


def _spans(quote: str, message: Heard) -> list[tuple[int, int]]:
    """The places of all parts of a quote; none if one of them is not there."""
    pieces = (normalise(piece) for piece in re.split(r"\.{3,}|…+", quote))
    parts = [part for piece in pieces if (part := "".join(char for raw in piece for char in _letters(raw)))]
    found = [span for span in map(message.find, parts) if span is not None]
    return found if len(found) == len(parts) else []


def best_support(content: str, heard: Sequence[Heard]) -> tuple[Source, Heard] | None:
    """The message that says most of this, for candidates without a usable quote: at least half of it."""
    wanted = Words(content).telling
    if not wanted or not heard:
        return None
    best = max(heard, key=lambda message: message.share(wanted))  # the first of equals
    share = best.share(wanted)
    if share < 0.5:
        return None
    quote = max(best.sentences, key=lambda sentence: sentence.share(wanted), default=None)
    whole = quote is not None and quote.share(wanted) >= share
    return best.source(quote.text if quote is not None and whole else best.written), best


def tokens_of(folded: str) -> Iterator[str]:
    """The words of a text in its form for comparing: stems (English), and words as they are (Chinese)."""
    for run in _WORD.finditer(folded):
        if run["han"]:
            yield from words_of(run["han"])
        else:
            yield from (stem(word) for word in re.split(r"['’]", run[0]) if word not in _GENERIC)


@lru_cache(maxsize=8192)
def _letters(char: str) -> str:
    """What is left of a character for a comparison: itself in lower case and normal width, or nothing."""
    return "".join(folded for folded in comparison_key(char) if folded.isalnum())


def _inside_word(text: str, place: int) -> bool:
    """Whether this place splits a word of an alphabet; Chinese has no such places."""
    if not 0 < place < len(text):
        return False
    before, after = text[place - 1], text[place]
    han = _HAN_CHAR.match(before) or _HAN_CHAR.match(after)
    return before.isalnum() and after.isalnum() and not han
