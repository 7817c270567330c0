"""An application's own instructions and fields."""

from __future__ import annotations

import json
from datetime import date
from typing import Literal

import pytest
from pydantic import BaseModel, Field

from langmem_ext import InvalidInputError, LongTermMemory
from langmem_ext.extraction.prompt import SYSTEM_PROMPT
from langmem_ext.testing import FakeEmbedder, ScriptedChatModel
from tests.support.memories import fact, listed, reply


class Part(BaseModel):
    name: str


class Product(BaseModel):
    """What a customer owns."""

    product: str
    bought: date | None = None
    rating: int | None = Field(default=None, ge=1, le=5)
    kind: Literal["kettle", "lamp"] = "kettle"
    parts: list[Part] = []


SAID = "I bought the K2 kettle in March, its lid is loose."
OWNS, BOUGHT = "The user owns a K2 kettle", "I bought the K2 kettle"
UNFIT: list[object] = [
    {"product": 7}, {"rating": 3}, "K2", [], {"product": "K2", "rating": 9}, {"product": "K2", "kind": "car"},
]  # fmt: skip


def opened(llm: ScriptedChatModel, **options: object) -> LongTermMemory:
    return LongTermMemory(embedder=FakeEmbedder(), llm=llm, **options)  # type: ignore[arg-type]


def test_instructions_reach_the_model_as_they_are_braces_and_all() -> None:
    llm = ScriptedChatModel([reply()])
    custom = 'Keep which {products} a customer owns: {"K2": "%s"} and {{nothing}} else.'
    with opened(llm, instructions=custom) as memory:
        assert memory.for_user("u1").add(SAID).status == "nothing"
    system = llm.calls[0].messages[0].content
    assert system.startswith(SYSTEM_PROMPT) and custom in system
    assert custom not in llm.calls[0].messages[-1].content


def test_fields_are_asked_for_validated_and_become_metadata() -> None:
    fields = {"product": "K2", "bought": "2026-03-01", "rating": None, "parts": [{"name": "lid"}]}
    llm = ScriptedChatModel([reply(fact(OWNS, BOUGHT, fields=fields))])
    with opened(llm, schema=Product) as memory:
        user = memory.for_user("u1")
        (item,) = user.add(SAID).memories
        assert item.metadata == {
            "product": "K2", "bought": date(2026, 3, 1), "kind": "kettle", "parts": [{"name": "lid"}],
        }  # fmt: skip
        assert listed(user, filters={"product": "K2", "kind": "kettle"}) == [item.content]
    (call,) = llm.calls
    assert call.schema is not None
    asked = call.schema.json_schema
    assert asked["properties"]["memories"]["items"]["properties"]["fields"]["anyOf"][0]["title"] == "Product"
    assert "Part" in asked["$defs"]
    assert "bought" in call.messages[0].content


@pytest.mark.parametrize(
    "fields",
    [
        {"product": 7},
        {"rating": 3},
        "K2",
        [],
        {"product": "K2", "rating": 9},
        {"product": "K2", "kind": "car"},
    ],
)
def test_fields_that_do_not_fit_are_rejected_with_their_memory_and_no_other(fields: object) -> None:
    good = fact("The lid of the kettle is loose", "its lid is loose", fields=None)
    bad = fact(OWNS, BOUGHT, fields=fields)
    with opened(ScriptedChatModel([reply(bad, good)]), schema=Product) as memory:
        result = memory.for_user("u1").add(SAID)
    assert [outcome.action for outcome in result.outcomes] == ["added", "rejected"]
    assert "schema" in (result.outcomes[1].reason or "")
    assert "K2" not in json.dumps(result.outcomes[1].reason)


def test_fields_can_not_take_reserved_names() -> None:
    class Taken(BaseModel):
        user_id: str

    taken = fact(OWNS, BOUGHT, fields={"user_id": "u2"})
    with opened(ScriptedChatModel([reply(taken)]), schema=Taken) as memory:
        assert [outcome.action for outcome in memory.for_user("u1").add(SAID).outcomes] == ["rejected"]
        assert memory.users() == []


def test_without_a_schema_nobody_asks_and_nothing_is_taken() -> None:
    llm = ScriptedChatModel([reply(fact(OWNS, BOUGHT, fields={"a": 1}))])
    with opened(llm) as memory:
        (item,) = memory.for_user("u1").add(SAID).memories
    assert item.metadata == {}
    assert llm.calls[0].messages[0].content == SYSTEM_PROMPT


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"instructions": " "}, "instructions"),
        ({"instructions": 7}, "instructions"),
        ({"schema": dict}, "pydantic"),
    ],
)
def test_what_can_not_be_followed_is_refused(options: dict[str, object], word: str) -> None:
    with pytest.raises(InvalidInputError, match=word):
        opened(ScriptedChatModel([]), **options)


def test_rules_can_not_follow_them() -> None:
    with pytest.raises(InvalidInputError, match="llm="):
        LongTermMemory(embedder=FakeEmbedder(), instructions="Keep everything about kettles.")
