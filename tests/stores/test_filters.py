"""Filters as Chroma answers them, against the rules in plain Python."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from langmem_ext.errors import InvalidFilterError
from langmem_ext.ports import MemoryStore, StoredMemory
from langmem_ext.stores.chroma import ChromaStore
from langmem_ext.testing import matches
from tests.support.memories import FINGERPRINT, START, row

_users = itertools.count(1)
DAYS = [START + timedelta(days=number) for number in range(-2, 3)]
TEXTS = st.sampled_from(["x", "值", "1"] * 3 + ["", "X", "True", "None", "$ne", "a'b"])
# Few values, so that rows and operands meet; the odd ones now and then.
NUMBERS = st.sampled_from([0, 1, 1.0, 2.5, 3] * 3 + [-1, -0.0, 2**53, 1e-9])
DATES = st.sampled_from([*DAYS, date(2026, 1, 1), DAYS[0].astimezone(timezone(timedelta(hours=8)))])
SCALARS = st.one_of(st.none(), st.booleans(), NUMBERS, NUMBERS, TEXTS, DATES)
VALUES = st.one_of(SCALARS, st.sampled_from([[], ["x"], [1, None], {"k": 1}]))
INSTANTS = st.one_of(
    st.sampled_from(DAYS),
    st.sampled_from(DAYS).map(lambda day: day.astimezone(timezone(timedelta(hours=-5))).isoformat()),
    st.sampled_from(DAYS).map(datetime.timestamp),
)
METADATA_FIELDS = ["a", "b", "t:a", "nobody_has_it"]
TIME_FIELDS = ["expires_at", "valid_until", "created_at", "last_accessed_at"]
OTHER_FIELDS = ["memory_type", "agent_id", "key", "importance", "access_count", "chain_id", "superseded_by"]
FAST = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


@pytest.fixture(scope="module")
def ram() -> Iterator[MemoryStore]:
    store = ChromaStore.in_memory(FINGERPRINT)
    yield store
    store.close()


def rows() -> st.SearchStrategy[dict[str, Any]]:
    optional_time = st.none() | st.sampled_from(DAYS)
    return st.fixed_dictionaries(
        {
            "metadata": st.dictionaries(st.sampled_from(METADATA_FIELDS[:-1]), VALUES, max_size=4),
            "memory_type": st.sampled_from(["semantic", "episodic"]),
            "agent_id": st.none() | TEXTS.filter(bool),
            "key": st.none() | TEXTS.filter(bool),
            "importance": st.none() | st.sampled_from([0.0, 0.5, 1.0]),
            "access_count": st.integers(0, 3),
            "expires_at": optional_time,
            "valid_until": optional_time,
            "last_accessed_at": optional_time,
            "created_at": st.sampled_from(DAYS),
            "superseded_by": st.none() | st.just("x"),
        }
    )


def conditions(operands: st.SearchStrategy[Any], bounds: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    many = st.lists(operands, max_size=3)
    operators = st.dictionaries(
        st.sampled_from(["$eq", "$ne", "$in", "$nin", "$gt", "$gte", "$lt", "$lte"]),
        st.none(),
        min_size=1,
        max_size=2,
    ).flatmap(
        lambda chosen: st.fixed_dictionaries(
            {
                name: many if name in ("$in", "$nin") else operands if name in ("$eq", "$ne") else bounds
                for name in chosen
            }
        )
    )
    return st.one_of(operands, operators, operators, operators.map(lambda inner: {"$not": inner}))


def _leaf(field: str) -> st.SearchStrategy[dict[str, Any]]:
    if field in TIME_FIELDS:
        condition = conditions(st.none() | INSTANTS, INSTANTS)
    else:
        condition = conditions(SCALARS, NUMBERS | DATES)
    return condition.map(lambda made: {field: made})


def filters() -> st.SearchStrategy[dict[str, Any]]:
    leaf = st.sampled_from(METADATA_FIELDS * 3 + TIME_FIELDS + OTHER_FIELDS).flatmap(_leaf)
    return st.recursive(
        st.just({}) | leaf | st.tuples(leaf, leaf).map(lambda pair: {**pair[0], **pair[1]}),
        lambda inner: st.one_of(
            st.lists(inner, max_size=3).map(lambda parts: {"$and": parts}),
            st.lists(inner, max_size=3).map(lambda parts: {"$or": parts}),
            inner.map(lambda part: {"$not": part}),
        ),
        max_leaves=6,
    )


@FAST
@given(st.lists(rows(), min_size=4, max_size=10), st.lists(filters(), min_size=8, max_size=16))
def test_chroma_answers_as_plain_python_does(
    ram: MemoryStore, made: list[dict[str, Any]], asked: list[dict[str, Any]]
) -> None:
    name = f"user {next(_users)}"
    stored = [row(f"m{n}", "text", user_id=name, **fields) for n, fields in enumerate(made)]
    ram.write(name, stored)
    for one in asked:
        expected = [kept.item.memory_id for kept in stored if matches(one, kept)]
        assert ram.find_ids(name, one) == expected, one
        rest = [kept.item.memory_id for kept in stored if kept.item.memory_id not in expected]
        assert ram.find_ids(name, {"$not": one}) == rest, one


def found(store: MemoryStore, filters: dict[str, Any]) -> str:
    return "".join(store.find_ids("u1", filters))


ABC = [
    row("A", metadata={"topic": "work", "n": 7, "pinned": True, "z": None}),
    row("B", metadata={"topic": "home", "n": 7.5, "pinned": 1, "z": "None"}),
    row("C", metadata={"n": 8, "pinned": "1", "tags": ["work"]}, expires_at=START, agent_id="bot"),
]


@pytest.fixture(scope="module")
def abc(ram: MemoryStore) -> MemoryStore:
    ram.write("u1", ABC)
    return ram


CASES: list[tuple[dict[str, Any], str]] = [
    ({"topic": {"$ne": "work"}}, "B"),
    ({"topic": {"$nin": ["work"]}}, "B"),
    ({"$not": {"topic": "work"}}, "BC"),
    ({"topic": {"$not": {"$eq": "work"}}}, "BC"),
    ({"topic": {"$in": []}}, ""),
    ({"topic": {"$in": ["work"]}}, "A"),
    ({"topic": {"$nin": []}}, "ABC"),
    ({"topci": "work"}, ""),
    ({"topci": {"$ne": "work"}}, ""),
    ({"n": {"$gte": 7.5}}, "BC"),
    ({"n": {"$lt": 7.5}}, "A"),
    ({"n": {"$eq": 7.5}}, "B"),
    ({"n": {"$gt": 7, "$lt": 8}}, "B"),
    ({"$not": {"n": {"$gt": 7.5}}}, "AB"),
    ({"$not": {"n": {"$gte": 7.5}}}, "A"),
    ({"$not": {"n": {"$lt": 7.5}}}, "BC"),
    ({"$not": {"n": {"$lte": 7.5}}}, "C"),
    ({"$not": {"topic": {"$ne": "work"}}}, "AC"),
    ({"$not": {"topic": {"$nin": ["work"]}}}, "AC"),
    ({"$not": {"topic": {"$in": ["work"]}}}, "BC"),
    ({"$not": {"$or": [{"topic": "work"}, {"n": 8}]}}, "B"),
    ({"$not": {"$and": [{"topic": "work"}, {"n": 7}]}}, "BC"),
    ({"n": 7.0}, "A"),
    ({"pinned": True}, "A"),
    ({"pinned": 1}, "B"),
    ({"pinned": "1"}, "C"),
    ({"pinned": {"$in": [True, "1"]}}, "AC"),
    ({"pinned": {"$gte": 0}}, "B"),
    ({"z": None}, "A"),
    ({"z": {"$ne": None}}, "B"),
    ({"z": {"$in": [None, "None"]}}, "AB"),
    ({"tags": {"$ne": "work"}}, "C"),
    ({"expires_at": None}, "AB"),
    ({"expires_at": {"$lte": "2026-01-01T08:00:00+08:00"}}, "C"),
    ({"expires_at": {"$gt": datetime(2025, 1, 1, tzinfo=UTC)}}, "C"),
    ({"agent_id": {"$ne": "bot"}}, "AB"),
    ({"memory_id": {"$in": ["A", "C"]}}, "AC"),
    ({"$and": [{"topic": "work"}]}, "A"),
    ({"$and": []}, "ABC"),
    ({"$or": []}, ""),
    ({}, "ABC"),
    ({"topic": "work", "n": 7}, "A"),
    ({"topic": ("work")}, "A"),
]


@pytest.mark.parametrize(("filters", "expected"), CASES, ids=[str(case[0]) for case in CASES])
def test_examples(abc: MemoryStore, filters: dict[str, Any], expected: str) -> None:
    assert found(abc, filters) == expected
    assert "".join(one.item.memory_id for one in ABC if matches(filters, one)) == expected


@pytest.mark.parametrize(
    ("filters", "words"),
    [
        ({"topic": {"$regex": "w.*"}}, ["topic", "$regex", "$eq", "$nin", "$lte"]),
        ({"topic": {"eq": "x"}}, ["topic", "eq", "$eq"]),
        ({"$nor": [{"a": 1}]}, ["$nor", "$and", "$or", "$not"]),
        ({"topic": {}}, ["topic", "empty"]),
        ({"topic": {"$in": "work"}}, ["topic", "$in", "list"]),
        ({"topic": {"$gt": "a"}}, ["topic", "$gt", "numbers"]),
        ({"n": {"$gt": True}}, ["n", "$gt"]),
        ({"n": {"$gt": None}}, ["n", "None"]),
        ({"n": float("nan")}, ["n"]),
        ({"n": {"$lt": float("inf")}}, ["n"]),
        ({"n": 10**400}, ["n"]),
        ({"n": datetime(2026, 1, 1)}, ["n", "zone"]),
        ({"tags": ["work"]}, ["tags"]),
        ({"tags": {"$eq": {"k": 1}}}, ["tags"]),
        ({"expires_at": {"$lt": "soon"}}, ["expires_at", "soon"]),
        ({"expires_at": {"$lt": datetime(2026, 1, 1)}}, ["expires_at", "zone"]),
        ({"user_id": "u2"}, ["user_id", "reserved"]),
        ({"$not": {"user_id": {"$ne": "u1"}}}, ["user_id", "reserved"]),
        ({"content": "x"}, ["content", "reserved"]),
        ({"$and": {"a": 1}}, ["$and", "list"]),
        ({"$and": ["a"]}, ["dict"]),
        ({"$not": "a"}, ["dict"]),
        ({"a": {"$not": 1}}, ["a", "$not"]),
        ({1: "a"}, ["1"]),
        ("topic", ["dict"]),
    ],
)
def test_a_filter_that_can_not_be_meant_is_refused_by_name(
    abc: MemoryStore, filters: dict[str, Any], words: list[str]
) -> None:
    with pytest.raises(InvalidFilterError) as caught:
        abc.find_ids("u1", filters)
    assert [word for word in words if word not in str(caught.value)] == []


@pytest.mark.parametrize("filters", [{"topic": "\ud83c"}, {"\ud83c": "x"}, {"topic": {"$ne": "\udf78"}}])
def test_half_a_character_is_refused_or_matches_as_any_other_text(
    abc: MemoryStore, filters: dict[str, Any]
) -> None:
    try:
        assert found(abc, filters) in ("", "AB")
    except InvalidFilterError:
        pass


def test_nesting_beyond_any_sense_is_refused_and_does_not_crash(abc: MemoryStore) -> None:
    deep: dict[str, Any] = {"topic": "work"}
    for _ in range(5000):
        deep = {"$not": deep}
    with pytest.raises(InvalidFilterError, match="level|nested|deep"):
        abc.find_ids("u1", deep)


def test_turns_are_found_by_any_of_theirs(ram: MemoryStore) -> None:
    turns: list[StoredMemory] = [row("two", turn_ids=("t1", "t2")), row("one", turn_ids=("t2",)), row("none")]
    ram.write("turns", [row(one.item.memory_id, user_id="turns", turn_ids=one.turn_ids) for one in turns])
    assert ram.find_ids("turns", {"turn_ids": "t1"}) == ["two"]
    assert ram.find_ids("turns", {"turn_ids": {"$in": ["t1", "t2"]}}) == ["two", "one"]
    assert ram.find_ids("turns", {"turn_ids": "t"}) == []
