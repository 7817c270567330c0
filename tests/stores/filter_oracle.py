"""The rules of filters in plain Python, written without a look at their translation."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any

from langmem_ext.ports import StoredMemory

_MISSING = object()
_OWN = (
    "memory_id", "memory_type", "agent_id", "session_id", "key", "importance", "access_count",
    "superseded_by", "created_at", "updated_at", "valid_from", "valid_until", "recorded_at", "retracted_at",
    "expires_at", "last_accessed_at",
)  # fmt: skip


def matches(filters: Mapping[str, Any], row: StoredMemory) -> bool:
    """Whether the row fulfils every entry of the filter."""
    return all(_entry(key, condition, row) for key, condition in filters.items())


def _entry(key: str, condition: Any, row: StoredMemory) -> bool:
    if key == "$and":
        return all(matches(part, row) for part in condition)
    if key == "$or":
        return any(matches(part, row) for part in condition)
    if key == "$not":
        return not matches(condition, row)
    if not isinstance(condition, Mapping):
        condition = {"$eq": condition}
    return all(_holds(key, operator, operand, row) for operator, operand in condition.items())


def _holds(field: str, operator: str, operand: Any, row: StoredMemory) -> bool:
    if operator == "$not":
        return not _entry(field, operand, row)
    if operator == "$nin" and not operand:  # an empty list restricts nothing
        return True
    value = _value(field, row)
    if value is _MISSING:
        return False
    if operator in ("$in", "$nin"):
        return any(_equal(value, _plain(field, one)) for one in operand) is (operator == "$in")
    wanted = _plain(field, operand)
    if operator in ("$eq", "$ne"):
        return _equal(value, wanted) is (operator == "$eq")
    if _kind(value) != "number" or _kind(wanted) != "number":
        return False
    return bool(
        {"$gt": value > wanted, "$gte": value >= wanted, "$lt": value < wanted, "$lte": value <= wanted}[
            operator
        ]
    )


def _value(field: str, row: StoredMemory) -> Any:
    if field == "chain_id":
        return row.chain_id
    if field in _OWN:
        return _plain(field, getattr(row.item, field))
    return _plain(field, row.item.metadata[field]) if field in row.item.metadata else _MISSING


def _plain(field: str, value: Any) -> Any:
    """Times as epoch seconds; a string is a time only on a field that is one."""
    if isinstance(value, str) and (field.endswith("_at") or field.startswith("valid_")):
        value = datetime.fromisoformat(value)
    if isinstance(value, datetime):
        return value.timestamp()
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day, tzinfo=UTC).timestamp()
    return value


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int | float):
        return "number"
    return "string" if isinstance(value, str) else "nested"


def _equal(value: Any, wanted: Any) -> bool:
    return _kind(value) == _kind(wanted) != "nested" and bool(value == wanted)
