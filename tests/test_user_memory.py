"""Reading and changing memories by hand."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from langmem_ext import (
    InvalidInputError,
    LongTermMemory,
    MemoryNotFoundError,
    ModelError,
    UserMemory,
)
from langmem_ext.testing import FakeEmbedder, ManualClock
from tests.support.memories import START, OpenMemory, contents, listed

HOUR = timedelta(hours=1)


# -- remember


def test_remember_stores_what_it_is_given(user: UserMemory, embedder: FakeEmbedder) -> None:
    item = user.remember(
        "User parks in bay 7",
        memory_type="episodic",
        key="parking",
        expires_at=START + HOUR,
        metadata={"floor": 2},
    )
    assert embedder.texts == ["User parks in bay 7"]
    assert (item.content, item.memory_type, item.key) == ("User parks in bay 7", "episodic", "parking")
    assert (item.expires_at, dict(item.metadata), item.source) == (START + HOUR, {"floor": 2}, ())
    assert user.get(item.memory_id) == item
    assert user.list_memories().memories == (item,)


@pytest.mark.parametrize("again", ["User owns a kayak", " user  owns a KAYAK. "])
def test_a_sentence_that_is_there_is_not_doubled(user: UserMemory, clock: ManualClock, again: str) -> None:
    first = user.remember("User owns a kayak", metadata={"a": 1})
    clock.advance(60)
    second = user.remember(again, metadata={"b": 2})
    assert second.memory_id == first.memory_id
    assert (second.created_at, second.updated_at) == (START, START + timedelta(minutes=1))
    assert dict(second.metadata) == {"a": 1, "b": 2}
    assert listed(user) == ["User owns a kayak"]


def test_a_new_value_replaces_the_old_one(user: UserMemory, clock: ManualClock) -> None:
    old = user.remember("My main editor is Vim", key="editor")
    clock.advance(timedelta(days=30))
    new = user.remember("I switched to Helix", key="editor")
    assert listed(user) == ["I switched to Helix"]
    assert user.get(old.memory_id).superseded_by == new.memory_id
    assert contents(user.search("editor Vim Helix")) == ["I switched to Helix"]
    events = user.history(new.memory_id)
    assert {(event.at, event.action, event.memory.content) for event in events} == {
        (START, "recorded", "My main editor is Vim"),
        (START + timedelta(days=30), "superseded", "My main editor is Vim"),
        (START + timedelta(days=30), "recorded", "I switched to Helix"),
    }
    assert events[0].memory.content == "My main editor is Vim"


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({"content": ""}, "blank"),
        ({"content": " \n\u3000"}, "blank"),
        ({"content": None}, "content"),
        ({"content": {"text": "x"}}, "content"),
        ({"content": 42}, "content"),
        ({"content": "x", "memory_type": "fact"}, "semantic"),
        ({"content": "x", "key": ""}, "key"),
        ({"content": "x", "key": 5}, "key"),
        ({"content": "x", "expires_at": "not a date"}, "expires_at"),
        ({"content": "x", "expires_at": START}, "future"),
        ({"content": "x", "expires_at": START - HOUR}, "future"),
        ({"content": "x", "expires_at": START.replace(tzinfo=None)}, "zone"),
        ({"content": "x", "metadata": {"user_id": "alice"}}, "user_id"),
        ({"content": "x", "metadata": {"nan": float("nan")}}, "nan"),
        ({"content": "x", "metadata": ["a"]}, "dict"),
    ],
)
def test_what_can_not_be_kept_is_refused_before_anything_happens(
    user: UserMemory, embedder: FakeEmbedder, arguments: dict[str, Any], word: str
) -> None:
    with pytest.raises(InvalidInputError, match=word):
        user.remember(**arguments)
    with pytest.raises(InvalidInputError, match=word):
        user.remember_many([{"content": "a good one"}, arguments])
    assert (embedder.calls, listed(user)) == (0, [])


def test_more_than_the_embedder_reads_is_refused(open_memory: OpenMemory) -> None:
    embedder = FakeEmbedder()
    embedder.max_tokens = 20
    user = open_memory(embedder=embedder).for_user("u1")
    user.remember("one two three four five six seven")
    for text in ("word " * 40, "字" * 21):
        with pytest.raises(InvalidInputError, match=r"20.*split"):
            user.remember(text)
    assert len(listed(user)) == 1


def test_an_embedder_that_is_down_stores_nothing(user: UserMemory, embedder: FakeEmbedder) -> None:
    embedder.error = TimeoutError()
    with pytest.raises(ModelError) as caught:
        user.remember("User owns a kayak")
    assert caught.value.kind == "timeout"
    embedder.error = None
    assert listed(user) == []


def test_many_take_texts_and_dicts(user: UserMemory, embedder: FakeEmbedder) -> None:
    items = user.remember_many(
        ["A", {"content": "B", "key": "k", "metadata": {"n": 1}}, "a.", {"content": "C", "key": "k"}]
    )
    assert contents(items) == ["A", "B", "A", "C"]
    assert items[0].memory_id == items[2].memory_id
    assert listed(user) == ["A", "C"]
    assert embedder.calls == 1
    assert user.remember_many([]) == []


@pytest.mark.parametrize(
    ("memories", "words"),
    [
        ("A", ["list", "str"]),
        ({"content": "A"}, ["list"]),
        (None, ["NoneType"]),
        (["A", {"text": "B"}], ["memory 1", "content"]),
        (["A", {"content": "B", "kay": "k"}], ["memory 1", "kay", "key", "metadata"]),
        (["A", 42], ["memory 1"]),
        (["A", None], ["memory 1"]),
    ],
)
def test_a_bad_entry_is_named_and_nothing_is_stored(
    user: UserMemory, memories: Any, words: list[str]
) -> None:
    with pytest.raises(InvalidInputError) as caught:
        user.remember_many(memories)
    assert [word for word in words if word not in str(caught.value)] == []
    assert listed(user) == []


def test_a_thousand_at_once(user: UserMemory) -> None:
    items = user.remember_many([{"content": f"User knows fact {n}", "key": f"fact.{n}"} for n in range(1205)])
    assert len({item.memory_id for item in items}) == 1205
    again = user.remember_many([{"content": f"User knows fact {n}", "key": f"fact.{n}"} for n in range(1205)])
    assert [item.memory_id for item in again] == [item.memory_id for item in items]
    whole = [item.memory_id for item in user.iter_memories()]
    assert whole == [item.memory_id for item in items]
    paged, cursor = [], None
    while True:
        page = user.list_memories(limit=100, cursor=cursor)
        paged += [item.memory_id for item in page.memories]
        assert len(page.memories) <= 100
        if (cursor := page.cursor) is None:
            break
    assert paged == whole
    receipt = user.delete_all()
    assert (receipt.memories, receipt.versions, listed(user)) == (1205, 1205, [])


# -- list


def test_pages_end_exactly(user: UserMemory) -> None:
    user.remember_many(["A", "B", "C", "D"])
    first = user.list_memories(limit=2)
    second = user.list_memories(limit=2, cursor=first.cursor)
    assert (contents(first.memories), contents(second.memories), second.cursor) == (
        ["A", "B"],
        ["C", "D"],
        None,
    )
    assert user.list_memories(limit=4).cursor is None


def test_a_page_is_not_shifted_by_changes_before_it(user: UserMemory, clock: ManualClock) -> None:
    items = user.remember_many(["A", "B", "C", "D"])
    first = user.list_memories(limit=2)
    user.delete(items[0].memory_id)
    user.update(items[1].memory_id, content="B2")
    user.remember("E")
    assert contents(user.list_memories(limit=9, cursor=first.cursor).memories) == ["C", "D", "E"]


@pytest.mark.parametrize("limit", [0, -1, True, "5", 2.5, None])
def test_a_limit_is_a_whole_number(user: UserMemory, limit: Any) -> None:
    with pytest.raises(InvalidInputError, match="limit"):
        user.list_memories(limit=limit)


@pytest.mark.parametrize("cursor", ["x", "", 5.0, "nan", "1e999"])
def test_a_cursor_comes_from_a_page(user: UserMemory, cursor: Any) -> None:
    user.remember("A")
    try:
        assert contents(user.list_memories(cursor=cursor).memories) in ([], ["A"])
    except InvalidInputError as error:
        assert "cursor" in str(error)


def test_lists_are_narrowed_by_type_and_filter(user: UserMemory) -> None:
    user.remember("A", memory_type="procedural", metadata={"n": 1})
    user.remember("B", metadata={"n": 1})
    user.remember("C", memory_type="procedural")
    assert listed(user, memory_type="procedural") == ["A", "C"]
    assert listed(user, memory_type="procedural", filters={"n": 1}) == ["A"]
    assert contents(user.iter_memories(filters={"n": 1})) == ["A", "B"]
    with pytest.raises(InvalidInputError, match="memory_type"):
        listed(user, memory_type="fact")


# -- get, and ids that are not one's own


@pytest.mark.parametrize("memory_id", [None, 5, b"x", ["x"], True])
def test_an_id_is_text(user: UserMemory, memory_id: Any) -> None:
    for call in (user.get, user.history, user.delete, lambda one: user.update(one, content="x")):
        with pytest.raises(InvalidInputError, match="memory_id"):
            call(memory_id)


@pytest.mark.parametrize("whose", ["nobody's", "bob's", "blank"])
def test_an_id_of_somebody_else_is_as_unknown_as_any(memory: LongTermMemory, whose: str) -> None:
    alice, bob = memory.for_user("alice"), memory.for_user("bob")
    theirs = bob.remember("Bob likes tea")
    wanted = {"nobody's": "no-such-id", "bob's": theirs.memory_id, "blank": ""}[whose]
    messages = set()
    for call in (alice.get, alice.history, alice.delete, lambda one: alice.update(one, content="x")):
        with pytest.raises(MemoryNotFoundError) as caught:
            call(wanted)
        messages.add(str(caught.value).replace(wanted, "ID"))
    assert len(messages) == 1
    assert bob.list_memories().memories == (theirs,)
