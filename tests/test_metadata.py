from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langmem_ext import InvalidInputError, MemoryItem
from langmem_ext.json_values import from_json, to_json
from langmem_ext.metadata import check_metadata

SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**53), 2**53), st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=8), st.dates(), st.datetimes(timezones=st.just(UTC)),
)  # fmt: skip
KEYS = st.text(min_size=1, max_size=8).filter(
    lambda key: not key.startswith("$") and key not in MemoryItem.__dataclass_fields__
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)


def same(one: Any, other: Any) -> bool:
    """Equal in type as well: True is not 1, and 1 is not 1.0."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


@given(st.dictionaries(KEYS, VALUES, max_size=4))
def test_what_is_accepted_comes_back_as_it_went_in(metadata: dict[str, Any]) -> None:
    checked = dict(check_metadata(metadata))
    assert same(checked, metadata)
    written = json.dumps({key: to_json(value) for key, value in checked.items()})
    assert same({key: from_json(value) for key, value in json.loads(written).items()}, metadata)


def test_it_is_a_private_copy() -> None:
    tags = ["a"]
    checked = check_metadata({"tags": tags})
    tags.append("b")
    assert checked["tags"] == ["a"]
    with pytest.raises(TypeError):
        checked["tags"] = []  # type: ignore[index]


def test_nothing_is_nothing() -> None:
    assert check_metadata(None) == check_metadata({}) == {}


def test_another_zone_is_the_same_instant() -> None:
    when = datetime(2026, 1, 2, 8, tzinfo=timezone(timedelta(hours=8)))
    assert check_metadata({"when": when})["when"] == when
    assert check_metadata({"day": date(2026, 1, 2)})["day"] == date(2026, 1, 2)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("nan", float("nan")),
        ("inf", float("-inf")),
        ("big", 2**63),
        ("big", -(2**53) - 1),
        ("naive", datetime(2026, 1, 1)),
        ("bytes", b"x"),
        ("set", {1}),
        ("object", object()),
        ("deep", {"k": [1, {"x": float("inf")}]}),
        ("keys", {1: "a"}),
        ("date", {"$date": "2026-01-01"}),
    ],
)
def test_a_value_that_would_not_come_back_is_refused_by_its_key(key: str, value: Any) -> None:
    with pytest.raises(InvalidInputError, match=key):
        check_metadata({"fine": 1, key: value})


@pytest.mark.parametrize("key", ["", "$and", 1, None, "half \ud83c"])
def test_a_key_that_can_not_be_asked_for_is_refused(key: Any) -> None:
    with pytest.raises(InvalidInputError, match="key"):
        check_metadata({key: 1})


def test_the_memorys_own_names_are_reserved_and_all_of_them_are_named() -> None:
    with pytest.raises(InvalidInputError) as caught:
        check_metadata(
            {"user_id": "alice", "content": "fake", "expires_at": 1, "topic": "x", "chain_id": "c"}
        )
    for name in ("user_id", "content", "expires_at", "chain_id"):
        assert name in str(caught.value)
    assert "topic" not in str(caught.value)


@pytest.mark.parametrize("metadata", [[], "text", 5, [("a", 1)]])
def test_metadata_is_a_dict(metadata: Any) -> None:
    with pytest.raises(InvalidInputError, match="dict"):
        check_metadata(metadata)
