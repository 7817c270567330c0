"""The filter language on JSON values, in plain Python: for records, which are filtered after reading.

As in `search(filters=…)` a comparison is true only of values that have the field. Beyond that, values
may be nested: `{"owner": {"city": "Lyon"}}` asks for a part of an object, and lists are compared whole.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from langmem_ext.errors import InvalidFilterError
from langmem_ext.items import Filters

_MAX_DEPTH: Final = 20
_LOGIC: Final = ("$and", "$or", "$not")


def check(filters: object, depth: int = 0) -> None:
    """Raise an InvalidFilterError for what is no filter, before anything is read."""
    if not isinstance(filters, Mapping):
        raise InvalidFilterError(f"a filter must be a dict, not {type(filters).__name__}")
    if depth > _MAX_DEPTH:
        raise InvalidFilterError(f"a filter may have {_MAX_DEPTH} levels at most")
    for name, operand in filters.items():
        if name in ("$and", "$or"):
            for part in _list(name, operand):
                check(part, depth + 1)
        elif name == "$not":
            check(operand, depth + 1)
        elif not isinstance(name, str) or name.startswith("$"):
            raise InvalidFilterError(
                f"unknown operator {name!r}; at the top level there are {', '.join(_LOGIC)}"
            )
        else:
            _check_condition(name, operand, depth + 1)


def _check_condition(field: str, operand: object, depth: int) -> None:
    if not isinstance(operand, Mapping):
        return
    if not any(str(name).startswith("$") for name in operand):
        check(operand, depth)
        return
    for name, wanted in operand.items():
        if name == "$not":
            _check_condition(field, wanted, depth + 1)
        elif name not in _OPERATORS:
            raise InvalidFilterError(
                f"{field}: unknown operator {name!r}; known are {', '.join((*_OPERATORS, *_LOGIC))}"
            )
        elif name in ("$in", "$nin"):
            _list(f"{field}: {name}", wanted)


def _list(name: str, operand: object) -> list[Any] | tuple[Any, ...]:
    if not isinstance(operand, list | tuple):
        raise InvalidFilterError(f"{name} needs a list, not {type(operand).__name__}")
    return operand


def matches(filters: Filters, value: Mapping[str, Any]) -> bool:
    """Whether a checked filter holds for a value."""
    return all(_holds(name, operand, value) for name, operand in filters.items())


def _holds(name: str, operand: Any, value: Mapping[str, Any]) -> bool:
    if name == "$and":
        return all(matches(part, value) for part in operand)
    if name == "$or":
        return any(matches(part, value) for part in operand)
    if name == "$not":
        return not matches(operand, value)
    return name in value and _fits(value[name], operand)


def _fits(found: Any, operand: Any) -> bool:
    if not isinstance(operand, Mapping):
        return _equal(found, operand)
    if any(name.startswith("$") for name in operand):
        return all(
            not _fits(found, wanted) if name == "$not" else _OPERATORS[name](found, wanted)
            for name, wanted in operand.items()
        )
    return isinstance(found, Mapping) and matches(operand, found)


def _equal(one: Any, other: Any) -> bool:
    """As JSON has it: true is not 1, but 1 is 1.0."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_equal, one, other))
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_equal(one[name], other[name]) for name in one)
    return bool(one == other)


def _ordered(compare: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    """Numbers compare with numbers and texts with texts; nothing else does."""

    def holds(found: Any, wanted: Any) -> bool:
        if isinstance(found, bool) or isinstance(wanted, bool):
            return False
        numbers = isinstance(found, int | float) and isinstance(wanted, int | float)
        return (numbers or (isinstance(found, str) and isinstance(wanted, str))) and compare(found, wanted)

    return holds


_OPERATORS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "$eq": _equal,
    "$ne": lambda found, wanted: not _equal(found, wanted),
    "$gt": _ordered(lambda found, wanted: found > wanted),
    "$gte": _ordered(lambda found, wanted: found >= wanted),
    "$lt": _ordered(lambda found, wanted: found < wanted),
    "$lte": _ordered(lambda found, wanted: found <= wanted),
    "$in": lambda found, wanted: any(_equal(found, one) for one in wanted),
    "$nin": lambda found, wanted: not any(_equal(found, one) for one in wanted),
}
