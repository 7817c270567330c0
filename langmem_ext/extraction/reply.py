"""From a model's JSON to candidates: validated field by field, and checked against what was said."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

from langmem_ext.extraction.candidate import Candidate, ExtractionRequest
from langmem_ext.extraction.customisation import Customisation
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
from langmem_ext.extraction.grounds import Rejected, Turn, grounds
from langmem_ext.extraction.speakers import names_speaker
from langmem_ext.items import Outcome
from langmem_ext.redaction import holds_secret

MAX_CANDIDATES: Final = 50
_LIST_KEYS = ("memories", "memory", "facts", "items", "results", "candidates", "data", "entries", "记忆")
_WRAPPER_KEYS = ("result", "response", "output", "answer", "reply")
_DEEPEST = 4


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
    turn = Turn(request)
    for entry in entries[:MAX_CANDIDATES]:
        try:
            candidates.append(_candidate(entry, request, turn, custom or Customisation()))
        except NotDurableError:
            rejected.append(_rejection("not durable: a question, a request or play, nothing that lasts"))
        except FieldError as error:
            rejected.append(_rejection(f"invalid: {error}"))
        except Rejected as error:
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
        return _flat(data)
    if not isinstance(data, Mapping):
        raise ValueError('the reply must be a JSON object {"memories": [...]}')
    found = _list_in(data, 0)
    if found is None:
        raise ValueError(
            'the field "memories" must be a list of objects; use an empty list if there are none'
        )
    return found


def _list_in(data: Mapping[object, object], depth: int) -> list[object] | None:
    """The entries under a known name, the first that has any; None where there is no such name."""
    named = {str(name).strip().casefold(): value for name, value in data.items()}
    empty: list[object] | None = None
    for name in (*_LIST_KEYS, *_WRAPPER_KEYS):
        value = named.get(name)
        found: list[object] | None = None
        if isinstance(value, list):
            found = _flat(value)
        elif isinstance(value, Mapping) and depth < _DEEPEST:
            found = _numbered(value, depth + 1) if name in _LIST_KEYS else _list_in(value, depth + 1)
        elif name in named and value is None and name in _LIST_KEYS:
            found = []
        if found:
            return found
        empty = found if empty is None else empty
    return [data] if empty is None and any(name in named for name in TEXT_KEYS) else empty


def _numbered(value: Mapping[object, object], depth: int) -> list[object]:
    """An object where a list was asked for: a list of its own, one memory, or memories under numbers."""
    inner = _list_in(value, depth)
    if inner is not None:
        return inner
    objects = [part for part in value.values() if isinstance(part, Mapping)]
    return [*objects] if objects and len(objects) == len(value) else [value]


def _flat(entries: list[object]) -> list[object]:
    """The entries, those of a list inside of the list too."""
    return [part for entry in entries for part in (entry if isinstance(entry, list) else [entry])]


def _candidate(entry: object, request: ExtractionRequest, turn: Turn, custom: Customisation) -> Candidate:
    if isinstance(entry, str):
        entry = {"text": entry}
    if not isinstance(entry, Mapping):
        raise FieldError("field memories holds an entry that is not an object")
    content, memory_type = read_text(entry), read_type(entry)
    if holds_secret(content):
        raise Rejected("sensitive: holds a secret or the placeholder of one")
    valid_from, valid_until = _validity(entry, request.observed_at)
    source = grounds(entry, content, turn)
    replaces = read_index(entry.get("replaces"), len(request.neighbours))
    if turn.is_group and replaces is not None and not names_speaker(request.neighbours[replaces - 1], source):
        replaces = None  # it may be about another of them
    return Candidate(
        content=content,
        memory_type=memory_type,
        # An attribute has one value for each person, and a key does not say of whom it speaks.
        key=None if turn.is_group else read_key(entry.get("key")),
        source=source,
        valid_from=valid_from,
        valid_until=valid_until,
        replaces=replaces,
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
