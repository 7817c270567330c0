"""Whether a person really said it: quotes looked up in messages, facts compared with what was said."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from langmem_ext.items import Source
from langmem_ext.messages import Message
from langmem_ext.redaction import PLACEHOLDER
from langmem_ext.text import comparison_key, normalise

_WORD = re.compile(r"[a-z0-9]+(?:['’][a-z]+)?|[^\W\d_a-z]+|\d+")
_HAN_RUN = re.compile(r"[㐀-鿿\uf900-\ufaff]")
_SENTENCE = re.compile(r"[^.!?\n。！？；;]+(?:\.(?=\S)[^.!?\n。！？；;]+)*[.!?。！？；;]*")
_YEAR = re.compile(r"(?:19|20)\d\d")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_DATE = re.compile(
    r"\d{4}-\d{1,2}(?:-\d{1,2})?|\d{4}\s?年(?:\s?\d{1,2}\s?月)?(?:\s?\d{1,2}\s?[日号])?|"
    r"\d{1,2}\s?月\s?\d{1,2}\s?[日号]"
    r"|\b\d{1,2}(?:st|nd|rd|th)?(?: of)? (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|"
    r"dec)[a-z]*(?:,? \d{4})?"
    r"|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* \d{1,2}(?:st|nd|rd|th)?(?:,? \d{4})?\b",
    re.I,
)
_NAME = re.compile(r"(?<![.!?:]\s)(?<!^)\b[A-Z][a-zà-ÿ]+\b")
_NUMBER_WORD = re.compile(
    r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|forty|"
    r"fifty|sixty|"
    r"seventy|eighty|ninety|hundred|dozen|twins|both|couple)\b|[一二三四五六七八九十百两双]",
    re.I,
)
# Words of the extractor's own frame and words that say nothing by themselves.
_GENERIC = frozenset(
    "user users the a an is are was were be been am has have had do does did to of in on at for with "
    "and or but "
    "by as from it its their they them his her he she my i me we our you your that this these those "
    "who which "
    "not no s t also very so there will would can wants want says said ok okay thanks thank yes hi hello "
    "用户 的 了 是 在 我 我们 你 他 她 它 对 和 与 有 也 都 很 就 不 一个 一 着 过 这 那 会 要 说 吗 "
    "呢 吧 啊 自己 上 个 把 被 给 好".split()
)
_CALENDAR_NAMES = frozenset(
    "january february march april may june july august september october november december monday tuesday "
    "wednesday thursday friday saturday sunday user users jan feb mar apr jun jul aug sep sept oct nov "
    "dec".split()
)


def find_quote(quote: str, messages: Sequence[Message]) -> Source | None:
    """The first message that holds the quote, with the quote as it is written there.

    Case, width, punctuation and spaces do not matter; words do, and their order. Parts that are joined by
    an ellipsis must all be in one message.
    """
    parts = [part for part in (_squash(piece).text for piece in re.split(r"\.{3,}|…+", quote)) if part]
    if not parts or not content_tokens(quote):
        return None
    for message in messages:
        spans = [_find(part, _squashed(message.content)) for part in parts]
        found = [span for span in spans if span is not None]
        if len(found) == len(parts):
            original = normalise(message.content)
            written = " … ".join(original[start:end] for start, end in found)
            return Source(message.message_id, message.speaker, written)
    return None


def best_support(content: str, messages: Sequence[Message]) -> Source | None:
    """The message that says most of this, for candidates without a usable quote.

    At least half of the telling words must be there, and every number and name.
    """
    wanted = content_tokens(content)
    if not wanted:
        return None
    share, _, best = max(
        ((_share(wanted, message.content), -index, message) for index, message in enumerate(messages)),
        key=lambda entry: entry[:2],
        default=(0.0, 0, None),
    )
    if best is None or share < 0.5 or unknown_details(content, [message.content for message in messages]):
        return None
    sentences = [sentence for sentence in sentences_of(best.content) if sentence]
    quote = max(sentences, key=lambda sentence: _share(wanted, sentence), default=best.content)
    whole = _share(wanted, quote) >= share
    return Source(best.message_id, best.speaker, quote if whole else normalise(best.content))


def unknown_details(content: str, texts: Sequence[str], *, mostly_known: bool = False) -> bool:
    """Whether the content holds numbers or names that none of the texts do. Dates may be computed.

    With `mostly_known`, another spelling of a name ("NYC", "New York") is let through where half of the
    telling words are in the texts.
    """
    known = comparison_key(PLACEHOLDER.sub(" ", " ".join(texts)))
    names = (comparison_key(name) for name in _NAME.findall(normalise(content)))
    if any(name not in _CALENDAR_NAMES and name not in known for name in names):
        wanted = content_tokens(content)
        if not mostly_known or _share(wanted, known) < 0.5:
            return True
    counted = bool(_NUMBER_WORD.search(known))  # "two children" may well be told as 2
    numbers = _NUMBER.findall(_DATE.sub(" ", comparison_key(content)))
    return any(
        number not in known and not _YEAR.fullmatch(number) and not (counted and len(number) < 3)
        for number in numbers
    )


def sentences_of(text: str) -> list[str]:
    """The sentences of a text, as they are written."""
    return [match[0].strip() for match in _SENTENCE.finditer(normalise(text))]


def content_tokens(text: str) -> frozenset[str]:
    """Stems (English) and words (Chinese) that say something."""
    return frozenset(token for token in _tokens(text) if token not in _GENERIC)


def _share(wanted: frozenset[str], text: str) -> float:
    """Which part of the wanted words a text holds; segmentation may differ, so substrings count."""
    present = content_tokens(text)
    folded = comparison_key(text)
    hits = sum(token in present or (bool(_HAN_RUN.search(token)) and token in folded) for token in wanted)
    return hits / len(wanted)


def _tokens(text: str) -> Iterator[str]:
    for run in _WORD.findall(comparison_key(text)):
        if _HAN_RUN.search(run):
            import rjieba  # 30 ms and a dictionary: only where there is Chinese

            yield from rjieba.cut(run)
        else:
            for word in re.split(r"['’]", run):
                if word not in _GENERIC:
                    yield _stemmer().stemWord(word)


@lru_cache(maxsize=1)
def _stemmer() -> Any:  # noqa: ANN401 - the package has no types
    import snowballstemmer

    return snowballstemmer.stemmer("english")


@dataclass(frozen=True, slots=True)
class _Squashed:
    """Letters and digits only, each with its place in the normalised text."""

    text: str
    places: tuple[int, ...]
    original: str


def _squash(text: str) -> _Squashed:
    original = normalise(text)
    letters: list[str] = []
    places: list[int] = []
    for place, char in enumerate(original):
        for folded in comparison_key(char):
            if folded.isalnum():
                letters.append(folded)
                places.append(place)
    return _Squashed("".join(letters), tuple(places), original)


_squashed = lru_cache(maxsize=32)(_squash)


def _find(part: str, where: _Squashed) -> tuple[int, int] | None:
    """Start and end of the part in the original text, at word boundaries."""
    at = where.text.find(part)
    while at >= 0:
        start, end = where.places[at], where.places[at + len(part) - 1] + 1
        if not _inside_word(where.original, start) and not _inside_word(where.original, end):
            return start, end
        at = where.text.find(part, at + 1)
    return None


def _inside_word(text: str, place: int) -> bool:
    """Whether this place splits a word of an alphabet; Chinese has no such places."""
    if not 0 < place < len(text):
        return False
    before, after = text[place - 1], text[place]
    return before.isalnum() and after.isalnum() and not (_HAN_RUN.match(before) or _HAN_RUN.match(after))
