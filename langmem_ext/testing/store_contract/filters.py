"""Filters: the rules of `matches`, and nothing of another user."""

from __future__ import annotations

from random import Random
from typing import Any

from langmem_ext.errors import InvalidFilterError
from langmem_ext.ports import MemoryStore
from langmem_ext.testing.filter_rules import matches
from langmem_ext.testing.store_contract.checks import ids, raises
from langmem_ext.testing.store_contract.examples import START, random_filter, random_row, row

_REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"user_id": "u2"}, "user_id"),
    ({"$or": [{"user_id": "u2"}, {"n": 1}]}, "user_id"),
    ({"$not": {"user_id": {"$ne": "u1"}}}, "user_id"),
    ({"content": "x"}, "content"),
    ({"n": {"$regex": "x"}}, r"\$regex"),
    ({"$nor": [{"n": 1}]}, r"\$nor"),
    ({"n": {"$in": "abc"}}, "n"),
    ({"n": {"$gt": "text"}}, "n"),
    ({"n": ["a", "list"]}, "n"),
]


class FilterContract:
    """What `find`, `find_ids` and `users` must make of a filter."""

    def test_filters_follow_their_rules(self, store: MemoryStore) -> None:
        random = Random(2026)
        for number in range(4):
            store.delete("u1", store.find_ids("u1"))
            store.write("u1", [random_row(random, f"m{name}") for name in range(12)])
            rows = store.find("u1")
            sequences = [one.sequence for one in rows]
            for _ in range(60):
                filters = random_filter(random, sequences)
                expected = [one for one in rows if matches(filters, one)]
                assert store.find_ids("u1", filters) == ids(expected), (number, filters)
                rest = [one.item.memory_id for one in rows if one not in expected]
                assert store.find_ids("u1", {"$not": filters}) == rest, (number, filters)

    def test_a_filter_is_one_condition_beside_time_and_limit(self, store: MemoryStore) -> None:
        random = Random(3)
        store.write("u1", [random_row(random, f"m{number}") for number in range(30)])
        rows = store.find("u1")
        for _ in range(30):
            filters = random_filter(random, [one.sequence for one in rows])
            valid = [one for one in rows if matches(filters, one) and one.item.is_valid_at(START)]
            assert store.find_ids("u1", filters, valid_at=START) == ids(valid), filters
            assert ids(store.find("u1", filters, valid_at=START, limit=2)) == ids(valid[:2]), filters

    def test_a_filter_with_very_many_values(self, store: MemoryStore) -> None:
        store.write("u1", [row("a", metadata={"n": 1}), row("b", metadata={"n": "text"})])
        assert store.find_ids("u1", {"n": {"$in": [*range(3000), "text"]}}) == ["a", "b"]
        assert store.find_ids("u1", {"n": {"$nin": [*range(3000)]}}) == ["b"]

    def test_no_filter_widens_the_scope(self, store: MemoryStore) -> None:
        store.write("u1", [row("mine", metadata={"n": 1})])
        store.write("u2", [row("theirs", user_id="u2", metadata={"n": 2})])
        cases: list[tuple[dict[str, Any], list[str]]] = [
            ({"$or": [{"n": 1}, {"n": {"$ne": 1}}]}, ["mine"]),
            ({"$not": {"n": 1}}, []),
            ({}, ["mine"]),
            ({"n": {"$nin": []}}, ["mine"]),
            ({"$not": {"$or": []}}, ["mine"]),
        ]
        for filters, expected in cases:
            assert store.find_ids("u1", filters) == ids(store.find("u1", filters)) == expected, filters

    def test_what_can_not_be_meant_is_refused_by_name(self, store: MemoryStore) -> None:
        store.write("u1", [row("mine", metadata={"n": 1})])
        for filters, words in _REFUSED:
            with raises(InvalidFilterError, words, f"find with {filters}"):
                store.find("u1", filters)
            with raises(InvalidFilterError, words, f"find_ids of a user without rows with {filters}"):
                store.find_ids("nobody", filters)
            with raises(InvalidFilterError, words, f"users with {filters}"):
                store.users(filters)

    def test_users_are_those_with_a_row_that_matches(self, store: MemoryStore) -> None:
        assert store.users() == store.users({"n": 1}) == []
        for name, numbers in {"u3": [1, 2], "u1": [2], "u2": [3, 3]}.items():
            rows = [row(f"m{at}", user_id=name, metadata={"n": n}) for at, n in enumerate(numbers)]
            store.write(name, rows)
        store.write("u4", [row("m", user_id="u4", expires_at=START)])
        assert store.users() == store.users(None) == store.users({}) == ["u1", "u2", "u3", "u4"]
        assert store.users({"n": 2}) == ["u1", "u3"]
        assert store.users({"n": {"$ne": 2}}) == ["u2", "u3"]
        assert (
            store.users({"$not": {"n": {"$lte": 3}}})
            == store.users({"expires_at": {"$lte": START}})
            == ["u4"]
        )
        assert store.users({"n": 4}) == store.users({"$or": []}) == []
        store.delete("u3", ["m1"])
        assert store.users({"n": 2}) == ["u1"]
