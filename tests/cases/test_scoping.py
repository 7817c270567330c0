"""One user's memories stay with that user, on every way in."""

from __future__ import annotations

import io
from typing import Any

import pytest

from langmem_ext import InvalidFilterError, InvalidUserError, LongTermMemory
from langmem_ext.testing import ScriptedChatModel
from tests.support.memories import OpenMemory, contents, fact, listed, reply


def test_every_way_to_read_shows_one_users_memories(memory: LongTermMemory) -> None:
    alice, bob = memory.for_user("alice"), memory.for_user("bob")
    alice.remember("Alice PIN hint is blue")
    bob.remember("Bob likes tea")
    file = io.StringIO()
    bob.export_memories(file)
    shown = [
        *contents(bob.search("PIN hint", top_k=10)),
        *listed(bob),
        *contents(bob.iter_memories()),
        bob.context("PIN hint").text,
        file.getvalue(),
    ]
    assert all("Bob likes tea" in text for text in shown)
    assert not any("blue" in text for text in shown)


@pytest.mark.parametrize("user_id", [None, "", "  ", 42, True])
def test_a_scope_can_not_be_left_open(memory: LongTermMemory, user_id: Any) -> None:
    memory.for_user("alice").remember("tea")
    with pytest.raises(InvalidUserError) as caught:
        memory.for_user(user_id)
    assert isinstance(caught.value, ValueError)
    assert "user_id" in str(caught.value)
    assert memory.users() == ["alice"]


@pytest.mark.parametrize(
    "filters",
    [
        {"user_id": "alice"},
        {"$or": [{"user_id": "alice"}, {"topic": "a"}]},
        {"user_id": {"$ne": "bob"}},
        {"$and": [{"$not": {"$or": [{"user_id": "bob"}]}}]},
    ],
)
def test_a_filter_can_not_name_an_owner(memory: LongTermMemory, filters: dict[str, Any]) -> None:
    memory.for_user("alice").remember("x", metadata={"topic": "a"})
    bob = memory.for_user("bob")
    bob.remember("x", metadata={"topic": "a"})
    for call in (bob.search, bob.context):
        with pytest.raises(InvalidFilterError, match="user_id"):
            call("x", filters=filters)
    with pytest.raises(InvalidFilterError, match="user_id"):
        bob.list_memories(filters=filters)


def test_what_one_session_wrote_another_reads(open_memory: OpenMemory) -> None:
    llm = ScriptedChatModel([reply(fact("The user drinks tea", "drink tea"))])
    memory = open_memory(llm=llm)
    memory.for_user("u1", session_id="s1").add("I drink tea.")
    memory.for_user("u1").remember("The user owns a kayak")
    for reader in (memory.for_user("u1"), memory.for_user("u1", session_id="s2", agent_id="a")):
        assert len(reader.search("tea kayak")) == 2
        assert contents(reader.search("tea", filters={"session_id": "s1"})) == ["The user drinks tea"]
        assert len(reader.search("tea", filters={"session_id": "s2"})) == 0


def test_a_model_reaches_only_what_it_was_shown(open_memory: OpenMemory) -> None:
    """Numbers beyond the shown ones, ids and actions of a model's own invention do nothing."""
    memory = open_memory(llm=ScriptedChatModel())
    bobs = memory.for_user("bob").remember("Bob works at Boeing", key="employment.employer")
    inventions: list[Any] = ["12", 12, bobs.memory_id, 0, -1, [bobs.memory_id]]
    for number, replaces in enumerate(inventions):
        city = f"City{number}"
        extra = {"action": "DELETE", "id": bobs.memory_id, "user_id": "bob", "replaces": replaces}
        llm = ScriptedChatModel([reply({"text": f"The user knows {city}", "quote": city, **extra})])
        alice = open_memory(llm=llm, store=memory._workspace.store).for_user("alice")
        assert alice.add(f"I know {city} quite well.").status == "learned"
    assert len(listed(memory.for_user("alice"))) == len(inventions)
    assert memory.for_user("bob").list_memories().memories == (bobs,)
