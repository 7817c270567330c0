"""The caller's own fields on a memory: what can be kept, and how it looks in JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields
from datetime import date, datetime
from typing import Any, Final

from langmem_ext.errors import InvalidInputError
from langmem_ext.items import FrozenDict, MemoryItem, Metadata, as_utc
from langmem_ext.text import is_well_formed, well_formed

# A filter on one of these names means the memory's own field or column.
ROW_COLUMNS: Final = frozenset(("chain_id", "content_key", "wording_key", "turn_ids", "sequence"))
RESERVED: Final = frozenset(field.name for field in fields(MemoryItem)) | ROW_COLUMNS
MAX_FIELDS: Final = 200
_MAX_DEPTH: Final = 20
_LARGEST_INT: Final = 2**53  # beyond this a float, in which numbers are compared, is no longer exact


def check_metadata(metadata: Metadata | None) -> Metadata:
    """A private, read-only copy of metadata that is sure to come back as it went in.

    Raises:
        InvalidInputError: a reserved key, or a value that cannot be kept; names the key.
    """
    if metadata is None:
        return FrozenDict()
    if not isinstance(metadata, Mapping):
        raise InvalidInputError(f"metadata must be a dict, not {type(metadata).__name__}")
    if len(metadata) > MAX_FIELDS:  # far more columns than that make a Chroma shard unreadable
        raise InvalidInputError(f"metadata has {len(metadata)} fields; at most {MAX_FIELDS} can be kept")
    taken = sorted(str(key) for key in metadata if key in RESERVED)
    if taken:
        raise InvalidInputError(
            f"metadata keys {', '.join(taken)} are reserved for the memory's own fields; rename them"
        )
    return FrozenDict({_name(key, "metadata"): _copy(value, str(key)) for key, value in metadata.items()})


def _name(key: object, where: str) -> str:
    if not isinstance(key, str) or not key or key.startswith("$") or not is_well_formed(key):
        raise InvalidInputError(
            f"{where}: keys must be non-empty strings that do not start with $, got {key!r}"
        )
    return key


def _copy(value: Any, path: str, depth: int = 0) -> Any:
    if depth > _MAX_DEPTH:
        raise InvalidInputError(f"metadata {path[:60]!r}… is nested more than {_MAX_DEPTH} levels deep")
    if isinstance(value, list | tuple):
        return [_copy(part, f"{path}[{index}]", depth + 1) for index, part in enumerate(value)]
    if isinstance(value, Mapping):
        return {_name(key, path): _copy(part, f"{path}.{key}", depth + 1) for key, part in value.items()}
    if _is_plain(value):
        return well_formed(value) if isinstance(value, str) else value
    if isinstance(value, datetime) and value.tzinfo is not None:
        return as_utc(value, path)
    raise InvalidInputError(
        f"metadata {path!r} cannot be kept: {type(value).__name__} {value!r:.60}. Allowed are str, int up "
        "to 2**53, finite float, bool, None, date, aware datetime, and lists and dicts of these"
    )


def _is_plain(value: object) -> bool:
    if type(value) is int:
        return abs(value) <= _LARGEST_INT
    if type(value) is float:
        return math.isfinite(value)
    return value is None or type(value) in (bool, str, date)
