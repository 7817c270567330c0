"""From a model's JSON to candidates: validated field by field, and checked against what was said."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cached_property
from typing import Final

from langmem_ext.extraction.candidate import Candidate, ExtractionRequest
from langmem_ext.extraction.customisation import Customisation
from langmem_ext.extraction.evidence import (
    Heard,
    Words,
    all_said,
    best_support,
    find_quote,
    turned_around,
    unknown_details,
)
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
from langmem_ext.redaction import PLACEHOLDER, holds_secret, redact

MAX_CANDIDATES: Final = 50
_LIST_KEYS = ("memories", "memory", "facts", "items", "results", "candidates", "data", "entries", "记忆")
_MAX_QUOTE = 2000


class _Rejected(Exception):
    """Why an entry is not stored: a short code, a colon, the reason; never the user's text."""


class _Turn:
    """What was said, read once for all entries of a reply."""

    def __init__(self, request: ExtractionRequest) -> None:
        self._request = request
        self.heard = [Heard(message) for message in request.messages]
        self.people = [heard for heard in self.heard if heard.message.role == "user"]
        self.assistants = [heard for heard in self.heard if heard.message.role == "assistant"]
        self.redacted = any(PLACEHOLDER.search(heard.text) for heard in self.people)

    @cached_property
    def told(self) -> Words:
        """What the people said."""
        return all_said(heard.text for heard in self.people)

    @cached_property
    def known(self) -> Words:
        """What "yes" or "there" may mean too: what the assistant asked, and what is known already."""
        said = (f"{heard.message.speaker}: {heard.text}" for heard in self.heard)
        return all_said([*said, *self._request.neighbours])


def parse_candidates(
    data: object, request: ExtractionRequest, custom: Customisation | None = None
) -> tuple[list[Candidate], list[Outcome]]:
    """The usable entries of a reply, and one rejected outcome for each of the others.

    Raises:
        ValueError: there is no list of memories in it at all; the message can be sent to the model.
    """
    candidates: list[Candidate] = []
    rejected: list[Outcome] = []
    entries = _entries(data)
    turn = _Turn(request)
    for entry in entries[:MAX_CANDIDATES]:
        try:
            candidates.append(_candidate(entry, request, turn, custom or Customisation()))
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


def _candidate(entry: object, request: ExtractionRequest, turn: _Turn, custom: Customisation) -> Candidate:
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
        source=_evidence(entry, content, turn),
        valid_from=valid_from,
        valid_until=valid_until,
        replaces=read_index(entry.get("replaces"), len(request.neighbours)),
        correction=read_flag(entry.get("correction")),
        importance=read_importance(entry.get("importance")),
        metadata=custom.metadata(entry.get("fields")),
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


def _evidence(entry: Mapping[str, object], content: str, turn: _Turn) -> Source:
    """The person's words behind a candidate, or a rejection."""
    if _says_assistant(entry):
        raise _Rejected("unsupported: it is marked as said by the assistant")
    quote = entry.get("quote")
    if isinstance(quote, str) and quote.strip():
        return _quoted(quote[:_MAX_QUOTE], content, turn, _preferred_first(entry, turn))
    return _supported(content, content, turn)


def _quoted(quote: str, content: str, turn: _Turn, people: list[Heard]) -> Source:
    source = find_quote(quote, people)
    if source is not None and not PLACEHOLDER.fullmatch(f"[{source.quote}]"):  # which nobody said
        if unknown_details(content, turn.known, mostly_known=True):
            raise _Rejected("unsupported: holds a name or a number that nobody mentioned")
        if turned_around(content, source, people):
            raise _Rejected("unsupported: the quote says the opposite")
        return _without_secrets(source)
    if find_quote(quote, turn.assistants):
        raise _Rejected("unsupported: only the assistant said it")
    # Weak models repair the grammar of a quote. What they say must then be there by itself.
    return _supported(content, f"{quote} {content}", turn)


def _supported(content: str, claim: str, turn: _Turn) -> Source:
    """The message that says so. A claim about digits that were taken out as a secret is named as such."""
    source = best_support(content, turn.people, turn.told)
    if source is not None:
        return _without_secrets(source)
    if turn.redacted and any(char.isdigit() for char in claim):
        raise _Rejected("sensitive: it seems to repeat a secret that was taken out")
    raise _Rejected("unsupported: nobody said this")


def _without_secrets(source: Source) -> Source:
    return Source(source.message_id, source.speaker, redact(source.quote).text)


def _says_assistant(entry: Mapping[str, object]) -> bool:
    speakers = (entry.get("speaker"), entry.get("role"))
    return any(
        isinstance(name, str) and name.strip().lower() in ("assistant", "ai", "助手") for name in speakers
    )


def _preferred_first(entry: Mapping[str, object], turn: _Turn) -> list[Heard]:
    """The people's messages, the one that the model names before the others."""
    index = read_index(entry.get("message"), len(turn.heard))
    named = turn.heard[index - 1] if index is not None else None
    if named is None or named.message.role != "user":
        return turn.people
    return [named, *(heard for heard in turn.people if heard is not named)]
