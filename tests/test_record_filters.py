from __future__ import annotations

from typing import Any

import pytest

from langmem_ext import InvalidFilterError
from langmem_ext.record_filters import check, matches

VALUE: dict[str, Any] = {
    "topic": "work",
    "year": 2024,
    "share": 0.5,
    "done": True,
    "nothing": None,
    "tags": ["a", "b"],
    "owner": {"name": "Ann", "home": {"city": "Lyon"}},
    "$odd": 1,
}


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, True),
        ({"topic": "work"}, True),
        ({"topic": "Work"}, False),
        ({"topic": "work", "year": 2023}, False),
        ({"year": 2024.0}, True),
        ({"done": True}, True),
        ({"done": 1}, False),
        ({"year": {"$gte": 2024}}, True),
        ({"year": {"$gt": 2024}}, False),
        ({"year": {"$gt": 2020, "$lt": 2024.5}}, True),
        ({"share": {"$lte": 0.5}}, True),
        ({"topic": {"$gt": "wor"}}, True),
        ({"topic": {"$gt": 3}}, False),
        ({"done": {"$gt": 0}}, False),
        ({"topic": {"$ne": "home"}}, True),
        ({"topic": {"$ne": "work"}}, False),
        ({"topic": {"$eq": "work"}}, True),
        ({"topic": {"$in": ["home", "work"]}}, True),
        ({"topic": {"$nin": ["home", "work"]}}, False),
        ({"topic": {"$not": {"$eq": "work"}}}, False),
        ({"nothing": None}, True),
        # A comparison holds only for values that have the field.
        ({"missing": None}, False),
        ({"missing": {"$ne": 1}}, False),
        ({"missing": {"$nin": [1]}}, False),
        ({"$not": {"missing": 1}}, True),
        ({"tags": ["a", "b"]}, True),
        ({"tags": ("a", "b")}, True),
        ({"tags": ["b", "a"]}, False),
        ({"tags": "a"}, False),
        ({"owner": {"name": "Ann"}}, True),
        ({"owner": {"home": {"city": {"$in": ["Lyon"]}}}}, True),
        ({"owner": {"home": {"city": "Nantes"}}}, False),
        ({"owner": {"$eq": {"name": "Ann"}}}, False),
        ({"topic": {"name": "Ann"}}, False),
        ({"$and": [{"topic": "work"}, {"year": 2024}]}, True),
        ({"$or": [{"topic": "home"}, {"year": 2024}]}, True),
        ({"$or": []}, False),
        ({"$and": []}, True),
        ({"$not": {"$or": [{"topic": "home"}, {"year": 2024}]}}, False),
    ],
)
def test_the_language(filters: dict[str, Any], expected: bool) -> None:
    check(filters)
    assert matches(filters, VALUE) is expected


@pytest.mark.parametrize(
    "filters",
    [
        "topic",
        [],
        {"topic": {"$like": "w"}},
        {"$nor": []},
        {"$and": {"topic": 1}},
        {"$or": [1]},
        {"$not": 1},
        {"topic": {"$in": "work"}},
        {"topic": {"$eq": 1, "other": 2}},
        {"owner": {"home": {"$like": 1}}},
        {"topic": {"$not": {"$like": 1}}},
        {5: 1},
    ],
)
def test_what_is_no_filter_is_refused_before_anything_is_read(filters: Any) -> None:
    with pytest.raises(InvalidFilterError):
        check(filters)


def test_depth_is_bounded() -> None:
    filters: dict[str, Any] = {"a": 1}
    for _ in range(30):
        filters = {"$not": filters}
    with pytest.raises(InvalidFilterError, match="levels"):
        check(filters)
    nested: dict[str, Any] = {"a": 1}
    for _ in range(5000):
        nested = {"a": nested}
    with pytest.raises(InvalidFilterError, match="levels"):
        check(nested)
