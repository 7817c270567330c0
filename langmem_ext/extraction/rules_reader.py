"""A conversation turn, read by rules: pure, and without anything to wait for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from langmem_ext.extraction.candidate import Candidate, Extraction, ExtractionRequest, user_messages
from langmem_ext.extraction.rules_en import read_english
from langmem_ext.extraction.rules_pasted import without_pasted
from langmem_ext.extraction.rules_spelling import plain_chinese, plain_english
from langmem_ext.extraction.rules_text import Draft, Speech, ends_play, starts_play, states_nothing
from langmem_ext.extraction.rules_zh import read_chinese
from langmem_ext.items import Source
from langmem_ext.messages import Message
from langmem_ext.redaction import holds_secret
from langmem_ext.text import comparison_key, is_chinese, normalise

_ADDRESSED = re.compile(r"\b(?:you|your|yours)\b|[你您]", re.I)
_MAX_MESSAGE = 20_000  # characters; a pasted book is no conversation


def read_turn(request: ExtractionRequest) -> Extraction:
    """The statements that a rule knows; what no rule knows is not an error."""
    people = user_messages(request.messages)
    speakers = {message.speaker for message in people}
    # In a group the neighbours are statements about "the user": nobody knows which of the speakers.
    neighbours = request.neighbours if len(speakers) == 1 else ()
    candidates: dict[str, Candidate] = {}
    for speaker in dict.fromkeys(message.speaker for message in people):
        said = [message for message in people if message.speaker == speaker]
        speech = Speech(request.observed_at, neighbours)
        for draft, source in _read(said, speech):
            candidate = _candidate(draft, source, speaker if len(speakers) > 1 else None)
            if not holds_secret(candidate.content) and _lasts(candidate):
                candidates[candidate.key or comparison_key(candidate.content)] = candidate
    return Extraction(tuple(candidates.values()))


def _read(said: list[Message], speech: Speech) -> Iterator[tuple[Draft, Source]]:
    playing = False
    for message in said:
        text = normalise(message.content) if "\n" not in message.content else message.content
        if playing and ends_play(text):
            playing = False
            continue
        playing = playing or starts_play(text)
        if playing or states_nothing(text) or len(text) > _MAX_MESSAGE:
            continue
        yield from _statements(without_pasted(text), message, speech)


def _statements(text: str, message: Message, speech: Speech) -> Iterator[tuple[Draft, Source]]:
    chinese = is_chinese(text)
    plain = plain_chinese(text) if chinese else plain_english(text)
    for draft, quote in (read_chinese if chinese else read_english)(plain.text, speech):
        told = replace(draft, content=plain.in_script(draft.content))
        yield told, Source(message.message_id, message.speaker, normalise(plain.quote(quote)))


def _lasts(candidate: Candidate) -> bool:
    """Statements about the assistant ("I enjoy talking to you") are courtesy, unless they are rules."""
    return candidate.memory_type == "procedural" or not _ADDRESSED.search(candidate.content)


def _candidate(draft: Draft, source: Source, speaker: str | None) -> Candidate:
    """In a group the speaker is named, and has no key: keys are the attributes of one user."""
    content, key = normalise(draft.content), draft.key
    if speaker is not None:
        content, key = content.replace("The user", speaker, 1).replace("用户", speaker, 1), None
    return Candidate(
        content=content,
        memory_type=draft.memory_type,
        key=key,
        source=source,
        valid_from=draft.valid_from,
        replaces=draft.replaces,
        correction=draft.correction,
        importance=draft.importance,
    )
