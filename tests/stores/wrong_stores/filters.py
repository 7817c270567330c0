"""Faults in finding."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from langmem_ext.errors import InvalidFilterError
from langmem_ext.items import Filters
from langmem_ext.testing import InMemoryStore
from tests.stores.wrong_stores.base import Finder, Rows, seen_by


def changed(filters: Any, change: Callable[[str, Any], dict[str, Any]]) -> Any:
    """The filter with each `operator: operand` replaced."""
    if isinstance(filters, list):
        return [changed(part, change) for part in filters]
    if not isinstance(filters, Mapping):
        return filters
    made: dict[str, Any] = {}
    for key, value in filters.items():
        made.update(change(key, value) if key in ("$ne", "$in") else {key: changed(value, change)})
    return made


@seen_by("filters_follow_their_rules", "users_are_those_with_a_row_that_matches")
class NeMatchesRowsWithoutTheField(Finder):
    def found(self, user_id: str, filters: Any = None, when: Any = None, limit: Any = None) -> Rows:
        loose = changed(
            filters, lambda name, value: {"$not": {"$eq": value}} if name == "$ne" else {name: value}
        )
        return super().found(user_id, loose, when, limit)


@seen_by("a_filter_with_very_many_values")
class CutsLists(Finder):
    def found(self, user_id: str, filters: Any = None, when: Any = None, limit: Any = None) -> Rows:
        cut = changed(filters, lambda name, value: {name: value[:999] if isinstance(value, list) else value})
        return super().found(user_id, cut, when, limit)


@seen_by("what_can_not_be_meant_is_refused_by_name")
class FindsNothingForAWrongFilter(Finder):
    def found(self, user_id: str, filters: Any = None, when: Any = None, limit: Any = None) -> Rows:
        with suppress(InvalidFilterError):
            return super().found(user_id, filters, when, limit)
        return []


@seen_by("users_are_those_with_a_row_that_matches", "what_can_not_be_meant_is_refused_by_name")
class UsersIgnoresTheFilter(InMemoryStore):
    def users(self, filters: Filters | None = None) -> list[str]:
        return super().users()
