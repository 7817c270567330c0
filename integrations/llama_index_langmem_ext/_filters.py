"""LlamaIndex's metadata filters in the language of `search(filters=...)`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from llama_index.core.vector_stores import FilterCondition, FilterOperator, MetadataFilter, MetadataFilters

from langmem_ext.errors import InvalidFilterError
from langmem_ext.items import Filters

_OPERATORS: Final[Mapping[FilterOperator, str]] = {
    FilterOperator.EQ: "$eq",
    FilterOperator.NE: "$ne",
    FilterOperator.GT: "$gt",
    FilterOperator.GTE: "$gte",
    FilterOperator.LT: "$lt",
    FilterOperator.LTE: "$lte",
    FilterOperator.IN: "$in",
    FilterOperator.NIN: "$nin",
}


def translated(filters: Filters | MetadataFilters | None) -> Filters | None:
    """The filter as `search` takes it; what is one already stays as it is.

    The rules are those of `search`: a comparison holds only for memories that have the field, `!=` and
    `nin` included. "not" holds where none of its filters does, as in LlamaIndex's own store.

    Raises:
        InvalidFilterError: an operator without a counterpart.
    """
    if not isinstance(filters, MetadataFilters):
        return filters
    parts = [_part(part) for part in filters.filters]
    if not parts:
        return None
    if filters.condition == FilterCondition.NOT:
        return {"$not": {"$or": parts}}
    return {"$or" if filters.condition == FilterCondition.OR else "$and": parts}


def _part(part: MetadataFilter | MetadataFilters) -> Filters:
    if isinstance(part, MetadataFilters):
        return translated(part) or {}
    operator = _OPERATORS.get(part.operator)
    if operator is None:
        known = ", ".join(repr(known.value) for known in _OPERATORS)
        raise InvalidFilterError(
            f"{part.key}: memories cannot be filtered with {part.operator.value!r}; known are {known}"
        )
    value: Any = part.value
    return {part.key: {operator: value}}
