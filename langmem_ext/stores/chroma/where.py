"""The filter language, translated to Chroma's `where`. The one place that knows both.

Rules that hold on every Chroma version:

- A comparison is true only of rows that have the field, `$ne` and `$nin` included (Chroma's own
  match rows that lack it). So an unknown field matches nothing.
- `$not` is the complement of what it holds.
- Numbers compare with numbers, strings with strings, bools with bools; None matches a stored None.
- Times are datetimes or ISO 8601 strings on the memory's own time fields, datetimes on metadata.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any, Final, TypeAlias

from langmem_ext.errors import InvalidFilterError, InvalidInputError
from langmem_ext.items import Filters, as_utc
from langmem_ext.metadata import RESERVED
from langmem_ext.stores.chroma.rows import COLUMNS, OPTIONAL_FIELDS, TIMES, to_column, turn_column, type_code
from langmem_ext.text import is_well_formed

Clause: TypeAlias = "dict[str, Any] | bool"  # True matches every row, False none

_OPPOSITE: Final = {"$eq": "$ne", "$ne": "$eq", "$in": "$nin", "$nin": "$in",
                    "$gt": "$lte", "$lte": "$gt", "$gte": "$lt", "$lt": "$gte"}  # fmt: skip
_RANGES: Final = frozenset(("$gt", "$gte", "$lt", "$lte"))
_LOGIC: Final = ("$and", "$or", "$not")
_MAX_DEPTH: Final = 20
_REQUIRED_TEXTS: Final = frozenset(
    ("memory_id", "memory_type", "chain_id", "content_key", "wording_key", "turn_ids")
)
_TYPES: Final = ["null", "bool", "number", "string", "nested"]


def translate(filters: Filters | None) -> Clause:
    """A Chroma `where` clause, or True / False where every row / no row matches.

    Raises:
        InvalidFilterError: an unknown operator, a reserved field, a value that cannot be compared, or
            more than 20 levels.
    """
    if filters is None:
        return True
    _check_depth(filters, _MAX_DEPTH)
    return _all_of(filters, negate=False)


def _check_depth(part: object, left: int) -> None:
    if left == 0:
        raise InvalidFilterError(f"a filter may have {_MAX_DEPTH} levels at most")
    inner = part.values() if isinstance(part, Mapping) else part if isinstance(part, list | tuple) else ()
    for value in inner:
        _check_depth(value, left - 1)


def valid_at(when: datetime) -> Clause:
    """Facts that held at this instant, as far as is known now. Mirrors `MemoryItem.is_valid_at`."""
    seconds = when.timestamp()
    return both(
        {"t:retracted_at": "null"},
        {"valid_from": {"$lte": seconds}},
        {"valid_until": {"$gt": seconds}},
        {"expires_at": {"$gt": seconds}},
    )


def both(*clauses: Clause) -> Clause:
    """All of the clauses."""
    return _join("$and", clauses)


def _join(operator: str, clauses: Sequence[Clause]) -> Clause:
    # Chroma wants two or more parts, and knows neither "all" nor "none".
    neutral = operator == "$and"
    parts = [clause for clause in clauses if clause is not neutral]
    if any(clause is (not neutral) for clause in parts):
        return not neutral
    if not parts:
        return neutral
    return parts[0] if len(parts) == 1 else {operator: parts}


def _all_of(filters: object, *, negate: bool) -> Clause:
    if not isinstance(filters, Mapping):
        raise InvalidFilterError(f"a filter must be a dict, not {type(filters).__name__}")
    parts = [_entry(key, value, negate=negate) for key, value in filters.items()]
    return _join("$or" if negate else "$and", parts)


def _entry(key: object, value: object, *, negate: bool) -> Clause:
    if key in ("$and", "$or"):
        if not isinstance(value, list | tuple):
            raise InvalidFilterError(f"{key} needs a list of filters, not {type(value).__name__}")
        operator = "$or" if (key == "$or") is not negate else "$and"
        return _join(operator, [_all_of(part, negate=negate) for part in value])
    if key == "$not":
        return _all_of(value, negate=not negate)
    if not isinstance(key, str) or key.startswith("$") or not is_well_formed(key):
        raise InvalidFilterError(f"unknown operator {key!r}; at the top level there are {', '.join(_LOGIC)}")
    if key in RESERVED and key not in COLUMNS:
        raise InvalidFilterError(f"the field {key!r} is reserved and cannot be filtered on")
    if not isinstance(value, Mapping):
        return _compare(key, "$eq", value, negate=negate)
    parts = [_operator(key, name, operand, negate=negate) for name, operand in value.items()]
    if not parts:
        raise InvalidFilterError(f"{key}: an empty dict is no condition; give a value or an operator")
    return _join("$or" if negate else "$and", parts)


def _operator(field: str, name: object, operand: object, *, negate: bool) -> Clause:
    if name == "$not":
        if not isinstance(operand, Mapping):
            raise InvalidFilterError(f"{field}: $not needs a dict of operators")
        return _entry(field, operand, negate=not negate)
    if not isinstance(name, str) or name not in _OPPOSITE:
        raise InvalidFilterError(
            f"{field}: unknown operator {name!r}; known are {', '.join((*_OPPOSITE, *_LOGIC))}"
        )
    return _compare(field, name, operand, negate=negate)


def _compare(field: str, operator: str, operand: object, *, negate: bool) -> Clause:
    if operator in _RANGES:
        return _range(field, operator, operand, negate=negate)
    if operator in ("$eq", "$ne"):
        values: Sequence[object] = [operand]
    elif isinstance(operand, list | tuple | set | frozenset):
        values = list(operand)
    else:
        raise InvalidFilterError(f"{field}: {operator} needs a list, not {type(operand).__name__}")
    if not values:  # `$in []` holds for no row; `$nin []` restricts nothing, so it holds for every row
        return (operator == "$nin") is not negate
    if (operator in ("$eq", "$in")) is not negate:
        return _join("$or", [*_hits(field, values), _missing(field) if negate else False])
    return _join("$and", [True if negate else _present(field), *_misses(field, values)])


def _hits(field: str, values: Sequence[object]) -> list[Clause]:
    """Parts of an "or": the field is one of the values."""
    if field == "turn_ids":
        return [{_turn(value): True} for value in values]
    parts: list[Clause] = [{_column(field): {"$in": same}} for same in _by_type(field, values)]
    if None in values and not _required(field):
        parts.append({f"t:{field}": "null"})
    return parts


def _misses(field: str, values: Sequence[object]) -> list[Clause]:
    """Parts of an "and": the field is none of the values. True of rows without the field too."""
    if field == "turn_ids":
        return [{_turn(value): {"$ne": True}} for value in values]
    parts: list[Clause] = [{_column(field): {"$nin": same}} for same in _by_type(field, values)]
    if None in values and not _required(field):
        parts.append({f"t:{field}": {"$ne": "null"}})
    return parts


def _turn(value: object) -> str:
    if not isinstance(value, str) or not is_well_formed(value):
        raise InvalidFilterError(f"turn_ids: {value!r:.60} is no turn id")
    return turn_column(value)


def _by_type(field: str, values: Sequence[object]) -> list[list[Any]]:
    """The values as columns hold them, in one list per type as Chroma wants."""
    groups: dict[type, list[Any]] = {}
    for value in values:
        if value is not None:
            column = _operand(field, value)
            groups.setdefault(type(column), []).append(column)
    return list(groups.values())


def _range(field: str, operator: str, operand: object, *, negate: bool) -> Clause:
    value = _operand(field, operand)
    if isinstance(value, bool) or not isinstance(value, float):
        raise InvalidFilterError(
            f"{field}: {operator} compares numbers and times, not {type(operand).__name__}"
        )
    if field in _REQUIRED_TEXTS:  # no text is above or below a number
        return negate
    # An unset time holds a far date in its column, so the type is asked as well.
    if negate:
        return _join("$or", [{_column(field): {_OPPOSITE[operator]: value}}, _not_of_type(field, value)])
    return both({_column(field): {operator: value}}, _of_type(field, value))


def _required(field: str) -> bool:
    return field in COLUMNS and field not in OPTIONAL_FIELDS


def _present(field: str) -> Clause:
    return True if field in COLUMNS else {f"t:{field}": {"$in": _TYPES}}


def _missing(field: str) -> Clause:
    return False if field in COLUMNS else {f"t:{field}": {"$nin": _TYPES}}


def _of_type(field: str, value: object) -> Clause:
    return {f"t:{field}": type_code(value)} if field in OPTIONAL_FIELDS else True


def _not_of_type(field: str, value: object) -> Clause:
    return False if _required(field) else {f"t:{field}": {"$ne": type_code(value)}}


def _column(field: str) -> str:
    return field if field in COLUMNS else f"m:{field}"


def _operand(field: str, value: object) -> str | float | bool:
    if field in TIMES:
        return _time(field, value)
    if isinstance(value, datetime) and value.tzinfo is None:
        raise InvalidFilterError(f"{field}: {value.isoformat()} has no time zone")
    column = to_column(value) if isinstance(value, bool | str | int | float | date) else None
    if column is None or _unkeepable(column):
        raise InvalidFilterError(
            f"{field}: {value!r:.60} cannot be compared with; use a string, number, bool or time"
        )
    return column


def _unkeepable(column: str | float | bool) -> bool:
    if isinstance(column, str):
        return not is_well_formed(column)
    return not math.isfinite(column)


def _time(field: str, value: object) -> float:
    try:
        return as_utc(value, field).timestamp()  # type: ignore[arg-type]  # as_utc checks
    except InvalidInputError as error:
        raise InvalidFilterError(str(error)) from error
