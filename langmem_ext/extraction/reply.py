"""From a model's JSON to candidates: validated field by field, and checked against what was said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Final

from langmem_ext.extraction.candidate import Candidate, ExtractionRequest, user_messages
from langmem_ext.extraction.evidence import best_support, find_quote, unknown_details
from langmem_ext.extraction.fields import (
    TEXT_KEYS,
    FieldError,
    NotDurableError,
    read_date,
    read_flag,
    read_importance,
    read_index,
    read_key,
    read_text,
    read_type,
)
from langmem_ext.items import Outcome, Source
from langmem_ext.messages import Message
from langmem_ext.redaction import PLACEHOLDER, holds_secret, redact

MAX_CANDIDATES: Final = 50
_LIST_KEYS = ("memories", "memory", "facts", "items", "results", "candidates", "data", "entries", "记忆")
_MAX_QUOTE = 2000


class _Rejected(Exception):
    """Why an entry is not stored: a short code, a colon, the reason; never the user's text."""


def parse_candidates(data: object, request: ExtractionRequest) -> tuple[list[Candidate], list[Outcome]]:
    """The usable entries of a reply, and one rejected outcome for each of the others.

    Raises:
        ValueError: there is no list of memories in it at all; the message can be sent to the model.
    """
    candidates: list[Candidate] = []
    rejected: list[Outcome] = []
    entries = _entries(data)
    for entry in entries[:MAX_CANDIDATES]:
        try:
            candidates.append(_candidate(entry, request))
        except NotDurableError:
            rejected.append(_rejection("not durable: a question, a request or play, nothing that lasts"))
        except FieldError as error:
            rejected.append(_rejection(f"invalid: {error}"))
        except _Rejected as error:
            rejected.append(_rejection(str(error)))
    if len(entries) > MAX_CANDIDATES:
        dropped = len(entries) - MAX_CANDIDATES
        rejected.append(
            _rejection(f"invalid: {dropped} entries beyond the first {MAX_CANDIDATES} were left out")
        )
    return candidates, rejected


def _rejection(reason: str) -> Outcome:
    return Outcome("rejected", reason=reason)


def _entries(data: object) -> list[object]:
    if isinstance(data, list):
        return data
    if not isinstance(data, Mapping):
        raise ValueError('the reply must be a JSON object {"memories": [...]}')
    for name in _LIST_KEYS:
        if name not in data:
            continue
        value = data[name]
        if value is None:
            return []
        if isinstance(value, list):
            return value
        if isinstance(value, Mapping):
            return [value]
    if any(name in data for name in TEXT_KEYS):  # a single memory without its list
        return [data]
    raise ValueError('the field "memories" must be a list of objects; use an empty list if there are none')


def _candidate(entry: object, request: ExtractionRequest) -> Candidate:
    if isinstance(entry, str):
        entry = {"text": entry}
    if not isinstance(entry, Mapping):
        raise FieldError("field memories holds an entry that is not an object")
    content, memory_type = read_text(entry), read_type(entry)
    if holds_secret(content):
        raise _Rejected("sensitive: holds a secret or the placeholder of one")
    valid_from, valid_until = _validity(entry, request.observed_at)
    return Candidate(
        content=content,
        memory_type=memory_type,
        key=read_key(entry.get("key")),
        source=_evidence(entry, content, request),
        valid_from=valid_from,
        valid_until=valid_until,
        replaces=read_index(entry.get("replaces"), len(request.neighbours)),
        correction=read_flag(entry.get("correction")),
        importance=read_importance(entry.get("importance")),
    )


def _validity(entry: Mapping[str, object], observed_at: datetime) -> tuple[datetime | None, datetime | None]:
    """A start in the future is unknown; an end that has passed says when it was, not that it is untrue.

    "I lived in Paris until 2019" stays a true sentence, and an event stays worth recalling: such an end
    would hide the memory from the moment it is stored, so it is dropped.
    """
    now = observed_at.astimezone(UTC)
    start = read_date(entry.get("valid_from"), observed_at)
    end = read_date(entry.get("valid_until"), observed_at, end_of_day=True)
    if start is not None and start > now:
        start = None
    if end is not None and (end <= now or (start is not None and end <= start)):
        end = None
    return start, end


def _evidence(entry: Mapping[str, object], content: str, request: ExtractionRequest) -> Source:
    """The person's words behind a candidate, or a rejection."""
    people = user_messages(request.messages)
    if _says_assistant(entry):
        raise _Rejected("unsupported: it is marked as said by the assistant")
    quote = entry.get("quote")
    if isinstance(quote, str) and quote.strip():
        return _quoted(quote[:_MAX_QUOTE], content, request, _preferred_first(entry, request, people))
    source = best_support(content, people)
    if source is None:
        raise _unsupported(content, people)
    return _without_secrets(source)


def _quoted(quote: str, content: str, request: ExtractionRequest, people: list[Message]) -> Source:
    source = find_quote(quote, people)
    if source is not None:
        # What the assistant asked and what is known already may be meant by "yes" or "there".
        known = [f"{message.speaker}: {message.content}" for message in request.messages]
        if unknown_details(content, [*known, *request.neighbours], mostly_known=True):
            raise _Rejected("unsupported: holds a name or a number that nobody mentioned")
        return _without_secrets(source)
    if find_quote(quote, [message for message in request.messages if message.role == "assistant"]):
        raise _Rejected("unsupported: only the assistant said it")
    # Weak models repair the grammar of a quote. What they say must then be there by itself.
    source = best_support(content, people)
    if source is None:
        raise _unsupported(f"{quote} {content}", people)
    return _without_secrets(source)


def _unsupported(claim: str, people: list[Message]) -> _Rejected:
    """A claim about digits that were taken out as a secret is reported as such."""
    if any(char.isdigit() for char in claim) and any(
        PLACEHOLDER.search(message.content) for message in people
    ):
        return _Rejected("sensitive: it seems to repeat a secret that was taken out")
    return _Rejected("unsupported: nobody said this")


def _without_secrets(source: Source) -> Source:
    return Source(source.message_id, source.speaker, redact(source.quote).text)


def _says_assistant(entry: Mapping[str, object]) -> bool:
    speakers = (entry.get("speaker"), entry.get("role"))
    return any(
        isinstance(name, str) and name.strip().lower() in ("assistant", "ai", "助手") for name in speakers
    )


def _preferred_first(
    entry: Mapping[str, object], request: ExtractionRequest, people: list[Message]
) -> list[Message]:
    """The people's messages, the one that the model names before the others."""
    index = read_index(entry.get("message"), len(request.messages))
    named = request.messages[index - 1] if index is not None else None
    return list(_unique([named, *people] if named is not None and named.role == "user" else people))


def _unique(messages: list[Message]) -> Iterator[Message]:
    seen: set[int] = set()
    for message in messages:
        if id(message) not in seen:
            seen.add(id(message))
            yield message
