"""Records: JSON values that an application keeps under a name, beside a user's memories.

A record is one row of the store, or several where several texts of it are found by meaning: row 0 holds
the value, and each row the vector of one text. Their ids are derived from the name, so a name is looked
up without a search. `memory_type` tells them from memories: nothing that reads memories sees them.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, cast

from langmem_ext.errors import InvalidInputError, StorageError
from langmem_ext.items import MEMORY_TYPES, Filters, FrozenDict, MemoryItem, MemoryType, Scope
from langmem_ext.ports import StoredMemory
from langmem_ext.text import is_well_formed

if TYPE_CHECKING:
    from langmem_ext.ports import Vector

RECORD: Final = "record"  # what stands in the column of a memory's type
MAX_TEXTS: Final = 200  # rows of one record; far below what one write takes
MAX_VALUE: Final = 1_000_000  # characters of its JSON
_MAX_DEPTH: Final = 100


@dataclass(frozen=True, slots=True)
class RecordName:
    """Where a record lies: labels from the general to the particular, and its key among them."""

    namespace: tuple[str, ...]
    key: str

    def __post_init__(self) -> None:
        checked_labels(self.namespace)
        if not self.namespace:
            raise InvalidInputError("a namespace needs at least one label")
        if not isinstance(self.key, str) or not is_well_formed(self.key):
            raise InvalidInputError(f"key must be a string of valid Unicode, got {self.key!r}")

    @property
    def row_id(self) -> str:
        """The id of its first row."""
        place = json.dumps([*self.namespace, self.key])
        return f"{RECORD}-{hashlib.blake2b(place.encode(), digest_size=16).hexdigest()}"


@dataclass(frozen=True, slots=True)
class NewRecord:
    """A record to be stored.

    Attributes:
        name: Where.
        value: A JSON object; it comes back equal (tuples as lists).
        texts: By whose meaning it is found; none: it is found by its name and by filters.
        ttl: How long it stays after it was last stored, or read with `keep`; None: until it is deleted.
    """

    name: RecordName
    value: Mapping[str, Any]
    texts: tuple[str, ...] = ()
    ttl: timedelta | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """A stored record. Times are aware UTC datetimes; `ttl` as in `NewRecord`."""

    name: RecordName
    value: dict[str, Any]
    created_at: datetime
    updated_at: datetime
    expires_at: datetime | None = None
    ttl: timedelta | None = None


@dataclass(frozen=True, slots=True)
class FoundRecord:
    """A record that a search found.

    Attributes:
        record: The record.
        cosine: Of the query and the nearest of the record's texts, -1..1; None where nothing was
            compared: without a query, or for a record without texts.
    """

    record: Record
    cosine: float | None = None


@dataclass(frozen=True, slots=True)
class PreparedRecord:
    """A checked record: its JSON, the pieces of its texts, and one unit vector for each of its rows."""

    new: NewRecord
    json: str
    pieces: tuple[str, ...]
    vectors: Sequence[Vector]


def is_memory(row: StoredMemory) -> bool:
    """Whether a row is a memory, and no part of a record."""
    return row.item.memory_type in MEMORY_TYPES


def only_memories(filters: Filters | None = None) -> Filters:
    """The filter, for memories alone."""
    memories: Filters = {"memory_type": {"$in": list(MEMORY_TYPES)}}
    return {"$and": [memories, filters]} if filters else memories


def checked_labels(labels: object) -> None:
    """Refuse what cannot be kept as labels; none are fine."""
    if not isinstance(labels, tuple):
        raise InvalidInputError(f"a namespace must be a tuple of labels, not {type(labels).__name__}")
    for label in labels:
        if not isinstance(label, str) or not label or not is_well_formed(label):
            raise InvalidInputError(f"a label must be a non-empty string of valid Unicode, got {label!r}")


def checked_ttl(ttl: timedelta | None) -> None:
    """Refuse what is no time to live."""
    if ttl is not None and (not isinstance(ttl, timedelta) or ttl <= timedelta(0)):
        raise InvalidInputError(f"ttl must be a positive timedelta or None, got {ttl!r}")


def value_json(value: object) -> str:
    """The JSON of a value.

    Raises:
        InvalidInputError: not a JSON object, something in it is not JSON, or it is too long.
    """
    if not isinstance(value, Mapping):
        raise InvalidInputError(f"value must be a dict, not {type(value).__name__}")
    text = json.dumps(_plain(value, "value"), ensure_ascii=False)
    if len(text) > MAX_VALUE:
        raise InvalidInputError(f"value has {len(text)} characters of JSON; at most {MAX_VALUE} can be kept")
    return text


def _plain(value: Any, path: str, depth: int = 0) -> Any:
    if depth > _MAX_DEPTH:
        raise InvalidInputError(f"{path[:60]}… is nested more than {_MAX_DEPTH} levels deep")
    if isinstance(value, Mapping):
        return {_name(key, path): _plain(part, f"{path}.{key}", depth + 1) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part, f"{path}[{index}]", depth + 1) for index, part in enumerate(value)]
    if isinstance(value, str) and is_well_formed(value):
        return value
    if value is None or isinstance(value, bool | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    raise InvalidInputError(f"{path} is not JSON: {type(value).__name__} {value!r:.60}")


def _name(key: object, path: str) -> str:
    if not isinstance(key, str) or not is_well_formed(key):
        raise InvalidInputError(f"{path}: keys must be strings of valid Unicode, got {key!r}")
    return key


def encode(prepared: PreparedRecord, scope: Scope, created: datetime, now: datetime) -> list[StoredMemory]:
    """The rows of a record; `created` is when something was first stored under its name."""
    new, head = prepared.new, prepared.new.name.row_id
    own = {
        "namespace": list(new.name.namespace),
        "record_key": new.name.key,
        "value": [prepared.json],  # in a list: a text would get a column of its own, a second copy
        "ttl": None if new.ttl is None else new.ttl.total_seconds(),
        "pieces": len(prepared.pieces),
    }
    contents = prepared.pieces or (new.name.key.strip() or RECORD,)
    return [
        StoredMemory(
            MemoryItem(
                memory_id=head if part == 0 else f"{head}.{part}",
                user_id=scope.user_id,
                content=content,
                memory_type=cast(MemoryType, RECORD),
                metadata=FrozenDict({"part": part, **(own if part == 0 else {})}),
                created_at=created,
                updated_at=now,
                expires_at=None if new.ttl is None else now + new.ttl,
                agent_id=scope.agent_id,
                session_id=scope.session_id,
                valid_from=created,
                recorded_at=now,
            ),
            head,
            vector,
        )
        for part, (content, vector) in enumerate(zip(contents, prepared.vectors, strict=True))
    ]


def is_first(row: StoredMemory) -> bool:
    """Whether this row holds the record's value."""
    return row.item.memory_id == row.chain_id


def decode(row: StoredMemory) -> Record:
    """The record of a first row.

    Raises:
        StorageError: the row is damaged.
    """
    item, own = row.item, row.item.metadata
    try:
        ttl = own["ttl"]
        return Record(
            RecordName(tuple(own["namespace"]), own["record_key"]),
            json.loads(own["value"][0]),
            item.created_at,
            item.updated_at,
            item.expires_at,
            None if ttl is None else timedelta(seconds=ttl),
        )
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise StorageError(f"record {item.memory_id!r} is damaged ({type(error).__name__})") from error


def compared(rows: Iterable[StoredMemory]) -> dict[str, list[StoredMemory]]:
    """By the id of a record's first row: the rows whose texts belong to the value that it holds."""
    rows = list(rows)
    counts = {row.chain_id: row.item.metadata["pieces"] for row in rows if is_first(row)}
    found: dict[str, list[StoredMemory]] = {head: [] for head in counts}
    for row in rows:
        # A write that was cut short may have left a row of a longer value that was there before.
        if row.item.metadata["part"] < counts.get(row.chain_id, 0):
            found[row.chain_id].append(row)
    return found


def check_row(row: StoredMemory) -> None:
    """Refuse a row from outside that says it is part of a record, and is none.

    Raises:
        InvalidInputError: its id is not that of its name, or it has no place.
    """
    if is_memory(row):
        return
    part = row.item.metadata.get("part")
    try:
        sound = row.item.memory_id == (f"{row.chain_id}.{part}" if part else decode(row).name.row_id)
    except StorageError:
        sound = False
    if not sound or type(part) is not int or is_first(row) is not (part == 0):
        raise InvalidInputError("it is no part of a record")
