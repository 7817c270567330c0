"""Filters as a caller meets them: through search, context and list."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from langmem_ext import InvalidFilterError, UserMemory
from langmem_ext.testing import ManualClock
from tests.support.memories import OpenMemory, contents, listed


def filtered(user: UserMemory, filters: Any) -> str:
    """The memories that match, by all three ways to ask."""
    found = "".join(sorted(contents(user.search("A B C", filters=filters, top_k=9))))
    assert found == "".join(listed(user, filters=filters))
    assert found == "".join(sorted(contents(user.context("A B C", filters=filters).memories)))
    return found


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"$and": [{"team": "red"}, {"lang": "fr"}]}, "A"),
        ({"team": "red", "lang": "fr"}, "A"),
        ({"$and": [{"team": "red"}]}, "AB"),
        ({"$or": [{"team": "red"}]}, "AB"),
        ({}, "ABC"),
        (None, "ABC"),
        ({"team": {"$ne": "red"}}, ""),
        ({"team": {"$nin": ["red"]}}, ""),
        ({"$not": {"team": "red"}}, "C"),
        ({"lang": {"$in": []}}, ""),
        ({"lang": {"$in": ["fr"]}}, "A"),
        ({"lang": {"$nin": []}}, "ABC"),
        ({"misspelt": "red"}, ""),
        ({"n": {"$gte": 7.5}}, "BC"),
        ({"n": {"$lt": 7.5}}, "A"),
        ({"n": {"$eq": 7.5}}, "B"),
    ],
)
def test_one_rule_for_every_operator(user: UserMemory, filters: Any, expected: str) -> None:
    user.remember("A", metadata={"team": "red", "lang": "fr", "n": 7})
    user.remember("B", metadata={"team": "red", "lang": "de", "n": 7.5})
    user.remember("C", metadata={"n": 8})
    assert filtered(user, filters) == expected


def test_an_unknown_operator_lists_the_known_ones(user: UserMemory) -> None:
    with pytest.raises(InvalidFilterError) as caught:
        user.search("x", filters={"topic": {"$regex": "w.*"}})
    for word in ("topic", "$regex", "$eq", "$in", "$gte", "$not"):
        assert word in str(caught.value)


def test_a_fraction_of_a_second_counts(open_memory: OpenMemory) -> None:
    clock = ManualClock(datetime.fromtimestamp(999.9, UTC))
    user = open_memory(clock=clock).for_user("u1")
    user.remember("A", expires_at=1000)
    assert listed(user) == ["A"]
    clock.advance(timedelta(seconds=0.6))
    assert clock().timestamp() == 1000.5
    assert listed(user) == contents(user.search("A")) == []
