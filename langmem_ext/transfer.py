"""Memories as JSON lines: one row per line, every version, without vectors.

A line holds every field of `MemoryItem` (times as ISO 8601 in UTC) and the row's chain and turns,
so that an export of an import is the same file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final, TextIO

from langmem_ext.errors import InvalidInputError
from langmem_ext.items import MEMORY_TYPES, MemoryItem, Source, as_utc
from langmem_ext.json_values import from_json
from langmem_ext.metadata import check_metadata
from langmem_ext.ports import MAX_SOURCES, StoredMemory
from langmem_ext.record_rows import RECORD, check_row
from langmem_ext.text import is_well_formed, normalise, well_formed

_TIMES: Final = (
    "created_at", "updated_at", "last_accessed_at", "expires_at",
    "valid_from", "valid_until", "recorded_at", "retracted_at",
)  # fmt: skip
_TEXTS: Final = ("memory_id", "user_id", "content", "agent_id", "session_id", "key", "superseded_by")
_CLOCK_SKEW: Final = timedelta(days=1)
_REQUIRED: Final = (
    "memory_id", "user_id", "content", "memory_type", "created_at", "valid_from", "recorded_at",
)  # fmt: skip


def write_lines(file: str | Path | TextIO, rows: Iterable[StoredMemory]) -> int:
    """Write rows in the order given; returns how many."""
    count = 0
    with _opened(file, "w") as stream:
        for row in rows:
            stream.write(json.dumps(_to_record(row), ensure_ascii=False) + "\n")
            count += 1
    return count


def read_lines(file: str | Path | TextIO, user_id: str, now: datetime) -> list[StoredMemory]:
    """Read and check all lines; the vectors are still missing (None).

    Raises:
        InvalidInputError: a line that is no memory, twice the same id, or another user's; names the line.
    """
    rows: list[StoredMemory] = []
    seen: set[str] = set()
    with _opened(file, "r") as stream:
        for number, line in enumerate(stream, start=1):
            if not line.strip():
                continue
            row = _from_line(line, number, user_id)
            if row.item.recorded_at > now + _CLOCK_SKEW:  # every later fact would count as older
                raise InvalidInputError(f"line {number}: recorded_at is in the future")
            if row.item.memory_id in seen:
                raise InvalidInputError(f"line {number}: memory_id {row.item.memory_id!r} is there twice")
            seen.add(row.item.memory_id)
            rows.append(row)
    return rows


@contextmanager
def _opened(file: str | Path | TextIO, mode: str) -> Iterator[TextIO]:
    if not isinstance(file, str | Path):
        yield file
        return
    try:
        with open(file, mode, encoding="utf-8") as stream:
            yield stream  # type: ignore[misc]  # text mode gives a TextIO
    except OSError as error:
        raise InvalidInputError(f"cannot open {file}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InvalidInputError(f"{file} is no UTF-8 text") from error


def _to_record(row: StoredMemory) -> dict[str, Any]:
    return {**row.item.to_dict(), "chain_id": row.chain_id, "turn_ids": list(row.turn_ids)}


def _from_line(line: str, number: int, user_id: str) -> StoredMemory:
    try:
        record = json.loads(line)
        if not isinstance(record, dict) or any(record.get(name) is None for name in _REQUIRED):
            raise InvalidInputError(f"it needs {', '.join(_REQUIRED)}")
        if record["user_id"] != user_id:
            raise InvalidInputError("it belongs to another user; import it through that user's handle")
        return _from_record(record)
    except (ValueError, RecursionError) as error:
        raise InvalidInputError(f"line {number} is no exported memory: {error}") from error


def _from_record(record: dict[str, Any]) -> StoredMemory:
    texts = {name: _text(record, name) for name in _TEXTS}
    times = {name: as_utc(record[name], name) for name in _TIMES if record.get(name) is not None}
    memory_type = record["memory_type"]
    if memory_type not in (*MEMORY_TYPES, RECORD):
        raise InvalidInputError(f"memory_type must be one of {', '.join(MEMORY_TYPES)}")
    if not normalise(record["content"]):
        raise InvalidInputError("content is blank")
    fields: dict[str, Any] = {"updated_at": times["created_at"], **texts, **times}
    item = MemoryItem(
        memory_type=memory_type,
        metadata=check_metadata(from_json(record.get("metadata"))),
        access_count=int(_number(record, "access_count", 0, 2**53)),
        importance=None if record.get("importance") is None else _number(record, "importance", 0, 1),
        supersedes=tuple(_strings(record, "supersedes")),
        source=tuple(_source(part) for part in _list(record, "source"))[-MAX_SOURCES:],
        **fields,
    )
    chain = _text({"chain_id": item.memory_id, **record}, "chain_id") or item.memory_id
    turns = tuple(_strings(record, "turn_ids"))[-MAX_SOURCES:]
    row = StoredMemory(item, chain, None, turns)  # type: ignore[arg-type]  # the caller embeds
    check_row(row)
    return row


def _text(record: Mapping[str, Any], name: str) -> str | None:
    value = record.get(name)
    if value is None:
        return None
    if not isinstance(value, str) or not value.strip() or not is_well_formed(value):
        raise InvalidInputError(f"{name} must be text")
    return value


def _number(record: Mapping[str, Any], name: str, low: float, high: float) -> float:
    value = record.get(name, low)
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise InvalidInputError(f"{name} must be a number from {low} to {high}")
    return value


def _list(record: Mapping[str, Any], name: str) -> list[Any]:
    value = record.get(name)
    if value is not None and not isinstance(value, list):
        raise InvalidInputError(f"{name} must be a list")
    return value or []


def _strings(record: Mapping[str, Any], name: str) -> list[str]:
    values = _list(record, name)
    if not all(isinstance(value, str) and is_well_formed(value) for value in values):
        raise InvalidInputError(f"{name} must be a list of texts")
    return values


def _source(part: object) -> Source:
    if not isinstance(part, list) or len(part) != 3 or not all(isinstance(text, str) for text in part):
        raise InvalidInputError("source must be a list of [message id, speaker, quote]")
    return Source(*map(well_formed, part))
