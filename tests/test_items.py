from __future__ import annotations

import copy
import json
import pickle
from dataclasses import asdict
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, cast

import pytest

from langmem_ext import UNCHANGED, InvalidInputError, InvalidUserError, RecallResult, Scope, Usage
from langmem_ext.items import as_utc
from tests.support.memories import START, row

HOUR = timedelta(hours=1)


@pytest.mark.parametrize("user_id", [None, "", "  ", "\n\t", 42, True, 4.2, b"u1", ["u1"], object()])
def test_a_user_is_a_string_that_is_not_blank(user_id: Any) -> None:
    with pytest.raises(InvalidUserError) as caught:
        Scope(user_id)
    assert isinstance(caught.value, ValueError) and isinstance(caught.value, TypeError)


@pytest.mark.parametrize("label", ["", "  ", 7, True])
def test_a_label_is_text_or_none(label: Any) -> None:
    with pytest.raises(InvalidInputError, match="agent_id"):
        Scope("u1", agent_id=label)
    with pytest.raises(InvalidInputError, match="session_id"):
        Scope("u1", session_id=label)


def test_half_a_character_is_no_name() -> None:
    with pytest.raises(InvalidInputError, match="surrogate"):
        Scope("u\ud83c")


def test_names_are_not_changed() -> None:
    assert Scope(" U1 ").user_id == " U1 "
    assert Scope("u1") != Scope("U1")


@pytest.mark.parametrize(
    "value",
    [
        datetime(2026, 1, 1, tzinfo=UTC),
        datetime(2026, 1, 1, 8, tzinfo=timezone(8 * HOUR)),
        "2026-01-01T00:00:00Z",
        "2026-01-01T08:00:00+08:00",
        START.timestamp(),
        int(START.timestamp()),
    ],
)
def test_every_way_to_write_a_time(value: Any) -> None:
    when = as_utc(value, "x")
    assert when == START and when.tzinfo is UTC


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        "soon",
        "",
        "2026-01-01",
        "2026-01-01T00:00:00",
        datetime(2026, 1, 1),
        1e20,
        float("nan"),
        [1],
    ],
)
def test_what_is_no_time_is_named(value: Any) -> None:
    with pytest.raises(InvalidInputError, match="observed_at"):
        as_utc(value, "observed_at")


def test_validity_is_half_open() -> None:
    item = row("m", valid_from=START, valid_until=START + HOUR, expires_at=START + 2 * HOUR).item
    moment = timedelta(microseconds=1)
    assert not item.is_valid_at(START - moment)
    assert item.is_valid_at(START)
    assert item.is_valid_at(START + HOUR - moment)
    assert not item.is_valid_at(START + HOUR)
    assert not row("m", expires_at=START).item.is_valid_at(START)
    assert not row("m", retracted_at=START + HOUR).item.is_valid_at(START)


def test_a_result_is_a_sequence() -> None:
    empty = RecallResult()
    assert (len(empty), list(empty), bool(empty)) == (0, [], False)
    with pytest.raises(IndexError):
        empty[0]


def test_small_values() -> None:
    assert Usage(1, 2, 3) + Usage(1, 1, 1) == Usage(2, 3, 4)
    assert repr(UNCHANGED) == "UNCHANGED"


def test_a_memory_pickles_copies_hashes_and_turns_into_a_dict() -> None:
    item = row("a", metadata={"when": START, "tags": ["x"], "deep": {"n": 1}}).item
    assert pickle.loads(pickle.dumps(item)) == copy.deepcopy(item) == item
    assert len({item, copy.copy(item)}) == 1
    assert asdict(item)["metadata"] == item.metadata
    record = json.loads(json.dumps(item.to_dict()))
    assert record["metadata"] == {"when": {"$date": START.isoformat()}, "tags": ["x"], "deep": {"n": 1}}
    assert (record["memory_id"], record["created_at"]) == ("a", item.created_at.isoformat())


def test_a_memory_can_not_be_changed_in_place() -> None:
    item = row("a", metadata={"n": 1}).item
    metadata = cast("dict[str, Any]", item.metadata)
    for change in (
        lambda: metadata.__setitem__("n", 2),
        lambda: metadata.update(n=2),
        lambda: metadata.pop("n"),
        metadata.clear,
    ):
        with pytest.raises(TypeError, match="update"):
            change()
    assert item.metadata == {"n": 1}
