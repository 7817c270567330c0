"""A memory as a Chroma row and back.

Chroma keeps flat metadata and loses or merges what does not fit, so a row has three parts:

- columns of `MemoryItem` and of the row itself, under their own names, times as epoch seconds;
- one column per metadata field, `m:<name>`, every number as a float (Chroma truncates a
  fractional bound against integers);
- `t:<name>`, the type of each optional field's value, by which filters tell a missing field from
  a null one and a string from a number;
- `payload`, JSON of everything that comes back: exact metadata, sources, links.
"""

from __future__ import annotations

import hashlib
import json
import math
import sys
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any, Final

from langmem_ext.errors import StorageError
from langmem_ext.items import FrozenDict, MemoryItem, Source
from langmem_ext.json_values import from_json, to_json
from langmem_ext.metadata import ROW_COLUMNS
from langmem_ext.ports import StoredMemory
from langmem_ext.text import content_key
from langmem_ext.wording import wording_key

if TYPE_CHECKING:
    from langmem_ext.ports import Vector

# Range operators skip rows that lack the column and infinity fails, so "never" is a far date.
NEVER: Final = datetime(9999, 12, 31, tzinfo=UTC).timestamp()

OPTIONAL_TIMES: Final = ("last_accessed_at", "expires_at", "valid_until", "retracted_at")
TIMES: Final = ("created_at", "updated_at", "valid_from", "recorded_at", *OPTIONAL_TIMES)
OPTIONAL_TEXTS: Final = ("agent_id", "session_id", "key", "superseded_by")
OPTIONAL_FIELDS: Final = frozenset((*OPTIONAL_TIMES, *OPTIONAL_TEXTS, "importance"))
COLUMNS: Final = frozenset(
    (*TIMES, *OPTIONAL_TEXTS, *ROW_COLUMNS, "memory_id", "memory_type", "importance", "access_count")
)


def user_key(user_id: str) -> str:
    """A user's place in ids and shards: no two users that differ in one byte share it."""
    return hashlib.blake2b(user_id.encode(), digest_size=16).hexdigest()


def shard_number(user_id: str, shards: int) -> int:
    """The shard that holds a user's rows; what is stored depends on it, so it never changes."""
    return int(user_key(user_id)[:8], 16) % shards


def row_id(user_id: str, memory_id: str) -> str:
    """Ids are collection-wide in Chroma, so they carry the user."""
    return f"{user_key(user_id)}:{memory_id}"


def type_code(value: object) -> str:
    """How a value can be compared: null, bool, number, string, or not at all (list, dict)."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int | float | date):
        return "number"
    return "string" if isinstance(value, str) else "nested"


def encode(row: StoredMemory) -> tuple[str, str, dict[str, Any]]:
    """The id, document and metadata of a row."""
    item = row.item
    columns: dict[str, Any] = {
        "user_id": item.user_id,
        "memory_id": item.memory_id,
        "memory_type": item.memory_type,
        "access_count": float(item.access_count),
        "chain_id": row.chain_id,
        "content_key": content_key(item.content),
        "wording_key": wording_key(item.content),
        "sequence": row.sequence,
        "payload": json.dumps(_payload(row), ensure_ascii=False),
    }
    columns.update({turn_column(turn_id): True for turn_id in row.turn_ids})
    for name in TIMES:
        value: datetime | None = getattr(item, name)
        columns[name] = NEVER if value is None else value.timestamp()
    for name in (*OPTIONAL_TEXTS, "importance"):
        if (given := getattr(item, name)) is not None:
            columns[name] = given
    for name in OPTIONAL_FIELDS:
        columns[f"t:{name}"] = type_code(getattr(item, name))
    for name, value in item.metadata.items():
        columns[f"t:{name}"] = type_code(value)
        if (comparable := to_column(value)) is not None:
            columns[f"m:{name}"] = comparable
    return row_id(item.user_id, item.memory_id), item.content, columns


def to_column(value: object) -> str | float | bool | None:
    """A value as its column holds it; None where there is nothing to compare."""
    if isinstance(value, bool | str):
        return value
    if isinstance(value, int | float):
        return float(value) if abs(value) <= sys.float_info.max else math.inf
    if isinstance(value, datetime):
        return value.timestamp()
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day, tzinfo=UTC).timestamp()
    return None


def access_columns(item: MemoryItem) -> dict[str, Any]:
    """The columns that a recall changes."""
    seen = item.last_accessed_at
    return {
        "access_count": float(item.access_count),
        "last_accessed_at": NEVER if seen is None else seen.timestamp(),
        "t:last_accessed_at": type_code(seen),
    }


def turn_column(turn_id: str) -> str:
    """One column per turn, no list: rows inherit the lists of collections that were deleted before."""
    return f"turn:{turn_id}"


def row_texts(row_id: str, document: str, columns: Mapping[str, Any]) -> Iterator[str]:
    """Everything of a row that can be read: its id, its text, names and texts of its columns."""
    yield row_id
    yield document
    for name, value in columns.items():
        yield name
        if isinstance(value, str):
            yield value


def _payload(row: StoredMemory) -> dict[str, Any]:
    item = row.item
    return {
        "turn_ids": list(row.turn_ids),
        "metadata": {key: to_json(value) for key, value in item.metadata.items()},
        "source": [[source.message_id, source.speaker, source.quote] for source in item.source],
        "supersedes": list(item.supersedes),
    }


def decode(user_id: str, document: str, columns: Mapping[str, Any], vector: Vector) -> StoredMemory:
    """The row as it was stored.

    Raises:
        StorageError: the row belongs to somebody else or is damaged. The scope was in the query, so
            this is a fault in the store, and it must not become an answer.
    """
    if columns.get("user_id") != user_id:
        raise StorageError("the store returned a row of another user; nothing of it was used")
    try:
        payload = json.loads(columns["payload"])
        fields: dict[str, Any] = {name: _from_epoch(columns[name]) for name in TIMES}
        fields.update({name: columns.get(name) for name in OPTIONAL_TEXTS})
        item = MemoryItem(
            memory_id=columns["memory_id"],
            user_id=user_id,
            content=document,
            memory_type=columns["memory_type"],
            metadata=FrozenDict({key: from_json(value) for key, value in payload["metadata"].items()}),
            access_count=int(columns["access_count"]),
            importance=columns.get("importance"),
            supersedes=tuple(payload["supersedes"]),
            source=tuple(Source(*parts) for parts in payload["source"]),
            **fields,
        )
        return StoredMemory(
            item, columns["chain_id"], vector, tuple(payload["turn_ids"]), columns["sequence"]
        )
    except (KeyError, TypeError, ValueError) as error:
        raise StorageError(
            f"row {columns.get('memory_id')!r} of this user is damaged ({type(error).__name__})"
        ) from error


def _from_epoch(seconds: float) -> datetime | None:
    return None if seconds >= NEVER else datetime.fromtimestamp(seconds, UTC)
