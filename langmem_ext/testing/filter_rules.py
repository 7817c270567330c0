"""The language of filters in plain Python: what every store must find, whatever it is built on."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import fields
from datetime import UTC, date, datetime
from operator import ge, gt, le, lt
from typing import Any, Final

from langmem_ext.errors import InvalidFilterError, InvalidInputError
from langmem_ext.items import Filters, MemoryItem, as_utc
from langmem_ext.ports import StoredMemory
from langmem_ext.text import content_key
from langmem_ext.wording import wording_key

_RANGES: Final[dict[str, Callable[[Any, Any], bool]]] = {"$gt": gt, "$gte": ge, "$lt": lt, "$lte": le}
_LISTS: Final = ("$in", "$nin")
_OPERATORS: Final = ("$eq", "$ne", *_LISTS, *_RANGES)
_LOGIC: Final = ("$and", "$or", "$not")
_TIMES: Final = frozenset(
    ("created_at", "updated_at", "last_accessed_at", "expires_at",
     "valid_from", "valid_until", "recorded_at", "retracted_at")
)  # fmt: skip
_RESERVED: Final = frozenset(("user_id", "content", "metadata", "source", "supersedes"))
_OWN: Final = frozenset(field.name for field in fields(MemoryItem)) - _RESERVED
_DERIVED: Final = {"content_key": content_key, "wording_key": wording_key}
_MISSING: Final = object()


def matches(filters: Filters, row: StoredMemory) -> bool:
    """Whether the row fulfils every entry of the filter.

    - A comparison holds only for a row that has the field, `$ne` and `$nin` included: an unknown field
      matches nothing. `$nin` with an empty list restricts nothing.
    - `$not` is the complement of what it holds.
    - Numbers compare with numbers (`7 == 7.0`), strings with strings, bools with bools (`True != 1`), times
      with times; None equals None. Lists and dicts are kept, and equal nothing.
    - Ranges compare numbers and times. A date is its midnight in UTC.
    - `turn_ids` equals any of the row's turns.

    Raises:
        InvalidFilterError: as `check_filters`.
    """
    check_filters(filters)
    return _all_hold(filters, row)


def check_filters(filters: object) -> None:
    """Refuse what cannot be meant, also where no row would be compared with it.

    Raises:
        InvalidFilterError: an unknown operator, a reserved field, or a value that cannot be compared.
    """
    if not isinstance(filters, Mapping):
        raise InvalidFilterError(f"a filter must be a dict, not {type(filters).__name__}")
    for key, condition in filters.items():
        if key in ("$and", "$or"):
            for part in _listed(key, condition):
                check_filters(part)
        elif key == "$not":
            check_filters(condition)
        elif not isinstance(key, str) or key.startswith("$"):
            raise InvalidFilterError(f"unknown operator {key!r}; known are {', '.join(_LOGIC)}")
        elif key in _RESERVED:
            raise InvalidFilterError(f"the field {key!r} is reserved and cannot be filtered on")
        else:
            _check_condition(key, condition)


def _check_condition(field: str, condition: object) -> None:
    operators = condition if isinstance(condition, Mapping) else {"$eq": condition}
    if not operators:
        raise InvalidFilterError(f"{field}: an empty dict is no condition")
    for operator, operand in operators.items():
        if operator == "$not" and isinstance(operand, Mapping):
            _check_condition(field, operand)
        elif operator not in _OPERATORS:
            known = ", ".join((*_OPERATORS, *_LOGIC))
            raise InvalidFilterError(f"{field}: unknown operator {operator!r}; known are {known}")
        else:
            for value in _listed(f"{field}: {operator}", operand) if operator in _LISTS else [operand]:
                _check_operand(field, value, ordered=operator in _RANGES)


def _check_operand(field: str, value: object, *, ordered: bool) -> None:
    try:
        kind = _kind(_comparable(field, value))
    except InvalidInputError as error:
        raise InvalidFilterError(str(error)) from error
    if kind == "nested" or (ordered and kind != "number"):
        wanted = "numbers and times" if ordered else "strings, numbers, bools, times and None"
        raise InvalidFilterError(f"{field}: {value!r:.60} cannot be compared with; {wanted} can")


def _listed(where: str, value: Any) -> list[Any]:
    if not isinstance(value, list | tuple | set | frozenset):
        raise InvalidFilterError(f"{where} needs a list, not {type(value).__name__}")
    return list(value)


def _all_hold(filters: Filters, row: StoredMemory) -> bool:
    return all(_entry(key, condition, row) for key, condition in filters.items())


def _entry(key: str, condition: Any, row: StoredMemory) -> bool:
    if key == "$and":
        return all(_all_hold(part, row) for part in condition)
    if key == "$or":
        return any(_all_hold(part, row) for part in condition)
    if key == "$not":
        return not _all_hold(condition, row)
    if not isinstance(condition, Mapping):
        condition = {"$eq": condition}
    return all(_holds(key, operator, operand, row) for operator, operand in condition.items())


def _holds(field: str, operator: str, operand: Any, row: StoredMemory) -> bool:
    if operator == "$not":
        return not _entry(field, operand, row)
    if operator == "$nin" and not operand:
        return True
    values = _values(field, row)
    if _MISSING in values:
        return False
    if operator in _RANGES:
        bound = _comparable(field, operand)
        return any(_kind(value) == "number" and _RANGES[operator](value, bound) for value in values)
    wanted = [_comparable(field, one) for one in (operand if operator in _LISTS else [operand])]
    hit = any(_equal(value, one) for value in values for one in wanted)
    return hit is (operator in ("$eq", "$in"))


def _values(field: str, row: StoredMemory) -> list[Any]:
    """What a condition on the field may hit: one value, or those of a row's turns."""
    if field == "turn_ids":
        return list(row.turn_ids)
    if field in _DERIVED:
        return [_DERIVED[field](row.item.content)]
    if field in ("chain_id", "sequence"):
        return [getattr(row, field)]
    if field in _OWN:
        return [_comparable(field, getattr(row.item, field))]
    return [_comparable(field, row.item.metadata[field]) if field in row.item.metadata else _MISSING]


def _comparable(field: str, value: Any) -> Any:
    """Times as epoch seconds; a string or a number is a time only on a field that holds times."""
    if field in _TIMES and value is not None:
        return as_utc(value, field).timestamp()
    if isinstance(value, datetime):
        return as_utc(value, field).timestamp()
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day, tzinfo=UTC).timestamp()
    return value


def _kind(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        return "number"
    return "string" if isinstance(value, str) else "nested"


def _equal(value: object, wanted: object) -> bool:
    return _kind(value) == _kind(wanted) != "nested" and value == wanted
