"""Changing and deleting memories by hand."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from langmem_ext import InvalidInputError, LongTermMemory, MemoryNotFoundError, UserMemory
from langmem_ext.testing import FakeEmbedder, ManualClock
from tests.support.memories import START, contents, listed

HOUR = timedelta(hours=1)


# -- update


def test_update_keeps_the_id_and_the_old_text_in_history(user: UserMemory, clock: ManualClock) -> None:
    item = user.remember("User plays badminton", metadata={"category": "sport", "priority": 2})
    clock.advance(HOUR)
    new = user.update(item.memory_id, content="User plays padel")
    assert (new.memory_id, new.content, new.user_id) == (item.memory_id, "User plays padel", "u1")
    assert dict(new.metadata) == {"category": "sport", "priority": 2}
    assert (new.created_at, new.updated_at) == (START, START + HOUR)
    assert user.get(item.memory_id) == new
    assert listed(user) == ["User plays padel"]
    assert user.search("padel", min_similarity=0.6)[0].memory_id == item.memory_id
    assert len(user.search("badminton", min_similarity=0.6)) == 0
    events = user.history(item.memory_id)
    assert [event.memory.content for event in events if event.action == "recorded"] == [
        "User plays badminton",
        "User plays padel",
    ]
    assert [event.at for event in events] == [START, START + HOUR, START + HOUR]


def test_update_embeds_only_a_new_text(user: UserMemory, embedder: FakeEmbedder) -> None:
    item = user.remember("A", metadata={"n": 1})
    calls = embedder.calls
    user.update(item.memory_id, metadata={"n": 2})
    user.update(item.memory_id, expires_at=START + HOUR)
    assert embedder.calls == calls
    assert len(user.history(item.memory_id)) == 1


def test_metadata_is_merged_and_none_takes_a_key_out(user: UserMemory) -> None:
    item = user.remember("A", metadata={"keep": 1, "drop": 2, "change": 3})
    new = user.update(item.memory_id, metadata={"drop": None, "change": 4, "never": None})
    assert dict(new.metadata) == {"keep": 1, "change": 4}
    assert dict(user.get(item.memory_id).metadata) == {"keep": 1, "change": 4}
    assert dict(user.search("A")[0].memory.metadata) == {"keep": 1, "change": 4}
    assert listed(user, filters={"drop": 2}) == listed(user, filters={"drop": {"$ne": 0}}) == []
    assert listed(user, filters={"change": 4}) == ["A"]


def test_expiry_is_set_and_taken_away(user: UserMemory, clock: ManualClock) -> None:
    item = user.remember("A")
    assert user.update(item.memory_id, expires_at=START + HOUR).expires_at == START + HOUR
    assert user.update(item.memory_id, expires_at=None).expires_at is None
    clock.advance(2 * HOUR)
    assert listed(user) == ["A"]


def test_nothing_to_update_changes_nothing_that_is_said(user: UserMemory) -> None:
    item = user.remember("A", key="k", metadata={"n": 1})
    same = user.update(item.memory_id)
    assert (same.content, same.key, dict(same.metadata)) == ("A", "k", {"n": 1})


def test_two_memories_do_not_become_one_by_update(user: UserMemory) -> None:
    first, second = user.remember_many(["A", "B"])
    with pytest.raises(InvalidInputError, match=first.memory_id):
        user.update(second.memory_id, content=" a.")
    assert listed(user) == ["A", "B"]
    assert user.update(first.memory_id, content="a").content == "a"  # another spelling of itself


def test_an_old_version_names_its_successor(user: UserMemory) -> None:
    old, new = user.remember("Vim", key="editor"), user.remember("Helix", key="editor")
    with pytest.raises(InvalidInputError, match=new.memory_id):
        user.update(old.memory_id, content="Nano")
    assert listed(user) == ["Helix"]


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"content": {"text": "padel"}}, "content"),
        ({"content": ""}, "blank"),
        ({"content": None}, "content"),
        ({"metadata": {"user_id": "x"}}, "user_id"),
        ({"metadata": {"nan": float("nan")}}, "nan"),
        ({"metadata": None}, "metadata"),
        ({"expires_at": START}, "future"),
        ({"expires_at": "soon"}, "expires_at"),
    ],
)
def test_a_bad_change_changes_nothing(user: UserMemory, change: dict[str, Any], word: str) -> None:
    item = user.remember("A", metadata={"n": 1})
    try:
        user.update(item.memory_id, **change)
    except InvalidInputError as error:
        assert word in str(error)
    else:
        assert change == {"metadata": None}  # may also mean: no change
    assert user.get(item.memory_id).content == "A"
    assert dict(user.get(item.memory_id).metadata) == {"n": 1}


def test_history_follows_every_edit(user: UserMemory, clock: ManualClock) -> None:
    item = user.remember("A")
    for text in ("B", "C", "D"):
        clock.advance(HOUR)
        user.update(item.memory_id, content=text)
    texts = [event.memory.content for event in user.history(item.memory_id) if event.action == "recorded"]
    assert texts == ["A", "B", "C", "D"]
    assert listed(user) == ["D"]
    assert user.delete(item.memory_id).versions == 4


# -- delete


def test_delete_takes_all_versions(user: UserMemory, clock: ManualClock) -> None:
    old = user.remember("Vim", key="editor")
    clock.advance(HOUR)
    new = user.remember("Helix", key="editor")
    user.update(new.memory_id, content="Helix 2")
    other = user.remember("User drinks tea")
    receipt = user.delete(new.memory_id)
    assert (receipt.memories, receipt.versions, receipt.deleted_at) == (1, 3, START + HOUR)
    assert {old.memory_id, new.memory_id} < set(receipt.memory_ids)
    assert listed(user, include_expired=True) == ["User drinks tea"]
    for gone in receipt.memory_ids:
        with pytest.raises(MemoryNotFoundError):
            user.get(gone)
    assert contents(user.search("Vim Helix")) == ["User drinks tea"]
    assert user.get(other.memory_id).content == "User drinks tea"


def test_delete_by_an_old_version_takes_its_successors_too(user: UserMemory) -> None:
    old = user.remember("Vim", key="editor")
    user.remember("Helix", key="editor")
    user.delete(old.memory_id)
    assert listed(user) == []


def test_delete_all_is_for_one_user(memory: LongTermMemory) -> None:
    alice, bob = memory.for_user("alice"), memory.for_user("bob")
    alice.remember_many(["A", "B", "C"])
    kept = bob.remember_many(["D", "E"])
    receipt = alice.delete_all()
    assert (receipt.memories, receipt.versions) == (3, 3)
    assert listed(alice) == []
    assert [item.memory_id for item in bob.list_memories().memories] == [item.memory_id for item in kept]
    assert bob.search("D")[0].content == "D"
    assert memory.users() == ["bob"]
    again = alice.delete_all()
    assert (again.memories, again.versions, again.memory_ids) == (0, 0, ())
