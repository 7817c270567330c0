"""The caller's own fields: they come back as they went in, or are refused by name."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from langmem_ext import InvalidInputError, UserMemory
from langmem_ext.testing import ScriptedChatModel
from tests.support.memories import OpenMemory, contents, fact, listed, reply

KEPT: dict[str, Any] = {
    "a": None, "tags": ["p", "q"], "empty": [], "nested": {"k": [1]}, "flag": True, "n": 2**53, "x": 1.0,
    "when": datetime(2026, 1, 2, tzinfo=UTC), "id": "zzz", "text": "fake", "chroma:document": "fake",
}  # fmt: skip


def test_every_value_comes_back_with_its_type(tmp_path: Path, open_memory: OpenMemory) -> None:
    with open_memory(tmp_path) as memory:
        item = memory.for_user("bob").remember("real text", metadata=KEPT)
    again = open_memory(tmp_path).for_user("bob")
    stored = again.get(item.memory_id)
    assert dict(stored.metadata) == KEPT
    assert [type(value) for value in stored.metadata.values()] == [type(value) for value in KEPT.values()]
    assert (stored.content, stored.user_id, stored.expires_at) == ("real text", "bob", None)
    assert contents(again.search("real")) == ["real text"]


@pytest.mark.parametrize(
    ("key", "value"), [("n", 2**63), ("nan", float("nan")), ("o", object()), ("naive", datetime(2026, 1, 1))]
)
def test_what_would_change_on_the_way_is_refused_by_name(user: UserMemory, key: str, value: Any) -> None:
    with pytest.raises(InvalidInputError, match=key):
        user.remember("x", metadata={"fine": 1, key: value})
    assert listed(user) == []


@pytest.mark.parametrize(
    "key", ["user_id", "memory_id", "content", "created_at", "expires_at", "metadata", "sequence"]
)
def test_the_memorys_own_names_are_reserved(user: UserMemory, key: str) -> None:
    with pytest.raises(InvalidInputError, match=key):
        user.remember("x", metadata={key: "alice"})
    item = user.remember("y")
    with pytest.raises(InvalidInputError, match=key):
        user.update(item.memory_id, metadata={key: None})
    assert listed(user) == ["y"]


def test_a_key_that_was_taken_out_is_gone_everywhere(user: UserMemory) -> None:
    item = user.remember("x", metadata={"keep": 1, "drop": 2})
    user.update(item.memory_id, metadata={"drop": None})
    assert dict(user.get(item.memory_id).metadata) == {"keep": 1}
    assert dict(user.search("x")[0].memory.metadata) == {"keep": 1}
    assert len(user.search("x", filters={"drop": 2})) == 0
    assert len(user.search("x", filters={"drop": None})) == 0
    assert contents(user.search("x", filters={"keep": 1})) == ["x"]


def test_true_one_and_the_text_one_are_three_things(user: UserMemory) -> None:
    user.remember("bool", metadata={"pinned": True})
    user.remember("number", metadata={"pinned": 1})
    user.remember("text", metadata={"pinned": "1"})
    assert listed(user, filters={"pinned": True}) == ["bool"]
    assert listed(user, filters={"pinned": 1}) == ["number"]
    assert listed(user, filters={"pinned": "1"}) == ["text"]
    assert user.search("bool", top_k=1)[0].memory.metadata["pinned"] is True


class Kind(Enum):
    KETTLE = "kettle"
    LAMP = 7


class Product(BaseModel):
    kind: Kind
    also: list[Kind] = []
    price: Decimal | None = None
    tags: set[str] = set()
    sizes: dict[int, str] = {}
    bought: date | None = None
    called: datetime | None = None
    seen: datetime | None = None


def test_fields_that_metadata_does_not_know_are_kept_as_json_has_them(open_memory: OpenMemory) -> None:
    fields = {
        "kind": "kettle", "also": [7], "price": "3.50", "tags": ["red"], "sizes": {"1": "small"},
        "bought": "2026-01-02", "called": "2026-01-02T10:00", "seen": "2026-01-02T10:00Z",
    }  # fmt: skip
    llm = ScriptedChatModel([reply(fact("The user owns a K2", "own a K2", fields=fields))])
    user = open_memory(llm=llm, schema=Product).for_user("u1")
    (item,) = user.add("I own a K2 kettle.").memories
    expected = {**fields, "bought": date(2026, 1, 2), "called": "2026-01-02T10:00:00"}
    assert item.metadata == {**expected, "seen": datetime(2026, 1, 2, 10, tzinfo=UTC)}
    assert listed(user, filters={"kind": "kettle"}) == ["The user owns a K2"]
