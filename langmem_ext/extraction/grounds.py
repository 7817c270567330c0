"""On what a memory rests: the person's words behind an entry of a reply, or why there are none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final

from langmem_ext.extraction.candidate import ExtractionRequest
from langmem_ext.extraction.confirmation import agrees, confirmed_part, confirms
from langmem_ext.extraction.details import unknown_details
from langmem_ext.extraction.evidence import (
    Heard,
    Words,
    all_said,
    best_support,
    find_quote,
    place_of,
    related,
)
from langmem_ext.extraction.fields import read_index
from langmem_ext.extraction.passages import (
    Passage,
    about_somebody_else,
    asks_only,
    only_imagined,
    passage_of,
    said_beside,
    says_nothing_of_it,
)
from langmem_ext.extraction.polarity import clauses_of, contradicts_quote, denies, leaves_open
from langmem_ext.extraction.sentences import sentences_of
from langmem_ext.extraction.speakers import place_of_name, tells_of
from langmem_ext.items import Source
from langmem_ext.redaction import PLACEHOLDER, redact
from langmem_ext.text import comparison_key

_MAX_QUOTE: Final = 2000
_MOST_OF_IT: Final = 0.6  # of the telling words must be in what a yes confirms
_TAKES_BACK: Final = re.compile(
    r"\b(?:but|except|only|not|no|never|actually|wait|kidding|joking)\b|n't\b|但|不|没|除了|只|其实|玩笑"
)
_OWN_SENTENCE: Final = re.compile(r"\bi(?:'\w+)?\b|我", re.I)


class Rejected(Exception):  # noqa: N818 - a verdict, not a fault
    """Why an entry is not stored: a short code, a colon, the reason; never the user's text."""


class Turn:
    """What was said, read once for all entries of a reply."""

    def __init__(self, request: ExtractionRequest) -> None:
        """Listen to the messages of a request."""
        self.request = request
        self.heard = [Heard(message) for message in request.messages]
        self.people = [heard for heard in self.heard if heard.message.role == "user"]
        self.assistants = [heard for heard in self.heard if heard.message.role == "assistant"]
        self.redacted = any(PLACEHOLDER.search(heard.text) for heard in self.people)
        speakers = dict.fromkeys(heard.message.speaker for heard in self.people)
        self.names = [name for name in speakers if name != "user"]

    @property
    def is_group(self) -> bool:
        """Whether several people speak, under names of their own."""
        return len(self.names) > 1

    @cached_property
    def told(self) -> Words:
        """What the people said."""
        return all_said(heard.text for heard in self.people)

    @cached_property
    def known(self) -> Words:
        """What "yes" or "there" may mean too: what the assistant asked, and what is known already."""
        said = (f"{heard.message.speaker}: {heard.text}" for heard in self.heard)
        return all_said([*said, *self.request.neighbours])

    def before(self, heard: Heard) -> Heard | None:
        """The assistant's message just before this one."""
        at = next(number for number, other in enumerate(self.heard) if other is heard)
        return self.heard[at - 1] if at and self.heard[at - 1].message.role == "assistant" else None

    def subject(self, content: str) -> str | None:
        """In a group, whom of the speakers a sentence names first."""
        if not self.is_group:
            return None
        places = {name: place for name in self.names if (place := place_of_name(name, content)) is not None}
        return min(places, key=places.__getitem__, default=None)

    def witnesses(self, content: str, quote: str | None) -> list[Heard]:
        """Whose messages can show this: those of the speaker it is about, or a quote that names that one."""
        subject = self.subject(content)
        if subject is None:
            return self.people
        own = [heard for heard in self.people if heard.message.speaker == subject]
        others = [heard for heard in self.people if heard.message.speaker != subject]
        return own + (others if quote is not None and tells_of(subject, quote) else [])


def grounds(entry: Mapping[str, object], content: str, turn: Turn) -> Source:
    """The person's words behind an entry.

    Raises:
        Rejected: nobody said it, or not like this.
    """
    if _says_assistant(entry):
        raise Rejected("unsupported: it is marked as said by the assistant")
    quote = entry.get("quote")
    if isinstance(quote, str) and quote.strip():
        return _quoted(quote[:_MAX_QUOTE], content, turn, read_index(entry.get("message"), len(turn.heard)))
    return _supported(content, content, turn)


def _quoted(quote: str, content: str, turn: Turn, number: int | None) -> Source:
    people = turn.witnesses(content, quote)
    named = turn.heard[number - 1] if number is not None else None
    people = sorted(people, key=lambda heard: heard is not named)  # the named one before the others
    if (source := _confirmed(quote, content, turn, people)) is not None:
        return source
    reasons = []
    for heard in people:
        source = find_quote(quote, [heard])
        if source is None or PLACEHOLDER.fullmatch(f"[{source.quote}]"):  # which nobody said
            continue
        reason = _objection(content, source, heard, turn, turn.known, mostly_known=True)
        if reason is None:
            return _without_secrets(source)
        reasons.append(reason)
    if reasons:
        raise Rejected(f"unsupported: {reasons[0]}")
    if people != turn.people and find_quote(quote, turn.people):
        raise Rejected("unsupported: somebody else said it")
    if find_quote(quote, turn.assistants):
        raise Rejected("unsupported: only the assistant said it")
    # Weak models repair the grammar of a quote. What they say must then be there by itself.
    return _supported(content, f"{quote} {content}", turn)


def _supported(content: str, claim: str, turn: Turn) -> Source:
    """The message that says so. A claim about digits that were taken out as a secret is named as such."""
    found = best_support(content, turn.witnesses(content, None))
    reason: str | None = "nobody said this"
    if found is not None:
        source, heard = found
        reason = _objection(content, source, heard, turn, turn.told)
        if reason is None:
            return _without_secrets(source)
    if turn.redacted and any(char.isdigit() for char in claim):
        raise Rejected("sensitive: it seems to repeat a secret that was taken out")
    raise Rejected(f"unsupported: {reason}")


def _objection(
    content: str, source: Source, heard: Heard, turn: Turn, known: Words, *, mostly_known: bool = False
) -> str | None:
    """Why the words of a source do not show the content."""
    passage = passage_of(source, heard)
    if unknown_details(content, known, passage.text, turn.request.observed_at, mostly_known=mostly_known):
        return "holds a name or a number that nobody mentioned"
    if contradicts_quote(content, said_beside(passage), passage.following):
        return "the quote says the opposite"
    if about_somebody_else(content, passage):
        return "the quote speaks of somebody else"
    if asks_only(content, passage):
        return "the quote only asks for it"
    if only_imagined(content, passage):
        return "the quote only imagines it"
    if says_nothing_of_it(content, passage, _question_before(content, heard, passage, turn)):
        return "the quote says nothing of it"
    return None


def _question_before(content: str, heard: Heard, passage: Passage, turn: Turn) -> Words | None:
    """What the assistant asked, where the message answers in a word or two."""
    before = turn.before(heard)
    if before is None or not re.search("[?？]", before.text):
        return None
    if denies(passage.text) and not leaves_open(content):
        return None
    answers = any(agrees(clause) for clause in passage.clauses)
    short = len(Words(passage.text).telling) < 2 or not _OWN_SENTENCE.search(passage.text)
    return before if answers or short else None


def _confirmed(quote: str, content: str, turn: Turn, people: Sequence[Heard]) -> Source | None:
    """The person's "yes" to what the assistant asked or stated just before it, where that is the content."""
    if not agrees(quote):
        return None
    for heard, before, source in _answers(quote, turn, people):
        if not confirms(quote) and not re.search("[?？]", before.text):
            continue
        part = confirmed_part(before.text, heard.written)
        if part is not None and _is_what(part, content, heard, turn):
            return source
    return None


def _answers(quote: str, turn: Turn, people: Sequence[Heard]) -> Iterator[tuple[Heard, Heard, Source]]:
    """The messages that begin with this yes and do not take it back, each with the one before it."""
    for heard in people:
        before, place = turn.before(heard), place_of(quote, heard)
        if before is None or place is None:
            continue
        start, end = place
        first = sentences_of(heard.written[end:])[:2]
        lead = heard.written[:start].strip(" ,.!，。！")
        if (not lead or agrees(lead)) and not any(
            _TAKES_BACK.search(one) for one in _rest(heard.written, end, first)
        ):
            yield heard, before, heard.source(heard.written[start:end])


def _rest(written: str, end: int, following: list[str]) -> list[str]:
    """What is left of the sentence of a yes; and the next one, where it begins by taking something back."""
    same = written[end : end + 1] not in (".", "!", "。", "！", "")
    rest = [comparison_key(one) for one in following]
    return (
        rest[:1]
        if same
        else [
            one
            for one in rest[:1]
            if re.match(
                r"\W*(?:but|no\b|not\b|well,? (?:no|not)|actually|wait|just kidding|"
                r"kidding|joking|except|only|但|不|开玩笑|其实|除了)",
                one,
            )
        ]
    )


def _is_what(part: str, content: str, heard: Heard, turn: Turn) -> bool:
    asked = Words(_as_told(part))
    wanted = Words(content).telling
    if not wanted or sum(related(word, asked) for word in wanted) < _MOST_OF_IT * len(wanted):
        return False
    both = Words(f"{part} {heard.text}")
    passage = Passage((asked.text,), tuple(clauses_of(asked.text)), "", asked)
    return not (
        unknown_details(content, both, part, turn.request.observed_at)
        or contradicts_quote(content, [asked.text])
        or about_somebody_else(content, passage)
        or only_imagined(content, passage)
    )


def _as_told(part: str) -> str:
    """The assistant's words as the person would say them of themselves."""
    text = comparison_key(part).replace("’", "'")
    for pattern, form in _TO_FIRST_PERSON:
        text = pattern.sub(form, text)
    return text


_TO_FIRST_PERSON: Final = tuple(
    (re.compile(pattern), form)
    for pattern, form in (
        (r"^(?:(?:so|and|but|ok|okay|oh|right),? )*", ""),
        (r"^(?:is|are|does|was|did|has) (?=your\b)", ""),
        (r"\byour\b", "my"),
        (r"\byou(?:'re| are)\b|\bare you\b", "i am"),
        (r"\byou\b", "i"),
        (r"[你您]", "我"),
    )
)


def _without_secrets(source: Source) -> Source:
    return Source(source.message_id, source.speaker, redact(source.quote).text)


def _says_assistant(entry: Mapping[str, object]) -> bool:
    speakers = (entry.get("speaker"), entry.get("role"))
    return any(
        isinstance(name, str) and name.strip().lower() in ("assistant", "ai", "助手") for name in speakers
    )
