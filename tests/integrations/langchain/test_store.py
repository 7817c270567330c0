"""A LangGraph store over the users' records. LangGraph's own tests of it are in tests/conformance."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from langgraph.store.base import (
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchOp,
)

from langchain_langmem_ext import LongTermMemoryStore
from langmem_ext import InvalidFilterError, InvalidInputError, InvalidUserError, LongTermMemory
from langmem_ext.testing import FakeEmbedder, ManualClock
from tests.integrations.helpers import contents


def keys(items: Any) -> list[str]:
    return [item.key for item in items]


@pytest.fixture
def store(memory: LongTermMemory) -> LongTermMemoryStore:
    """Users are named by the second label."""
    return LongTermMemoryStore(memory=memory, user_at=1)


def test_the_same_key_twice_is_one_item(store: LongTermMemoryStore) -> None:
    store.put(("users", "u1"), "city", {"v": "Lyon"})
    first = store.get(("users", "u1"), "city")
    store.put(("users", "u1"), "city", {"v": "Nantes"})
    (item,) = store.search(("users", "u1"))
    assert item.value == {"v": "Nantes"}
    assert store.get(("users", "u1"), "city") == store.get(("users", "u1"), "city")
    assert first is not None
    assert item.created_at == first.created_at
    assert store.search(("users", "u11")) == []
    assert store.get(("users", "u11"), "city") is None


def test_a_search_that_names_no_user_is_refused(memory: LongTermMemory, store: LongTermMemoryStore) -> None:
    store.put(("users", "u1"), "city", {"v": "Lyon"})
    for call in (
        lambda: store.search(("users",)),
        lambda: store.search(()),
        lambda: store.list_namespaces(),
        lambda: store.list_namespaces(prefix=("users",)),
        lambda: store.list_namespaces(prefix=("users", "*")),
        lambda: store.list_namespaces(prefix=("*", "u1")),
        lambda: store.list_namespaces(suffix=("users", "u1")),
        lambda: store.put(("users",), "k", {}),
        lambda: store.batch([PutOp((), "k", {})]),
    ):
        with pytest.raises(InvalidUserError, match="names no user: label 1 must"):
            call()
    assert store.list_namespaces(prefix=("users", "u1")) == [("users", "u1")]
    assert memory.users() == ["u1"]
    first = LongTermMemoryStore(memory=memory, user_at=0)
    first.put(("u1", "a", "b"), "k", {})
    assert first.list_namespaces(prefix=("u1",), suffix=("b",)) == [("u1", "a", "b")]
    assert first.list_namespaces(prefix=("u1", "*"), max_depth=2) == [("u1", "a")]


def test_items_and_memories_are_apart(memory: LongTermMemory, store: LongTermMemoryStore) -> None:
    user = memory.for_user("u1")
    user.remember("The user likes black tea")
    store.put(("notes", "u1"), "a", {"text": "green tea"})
    assert [hit.content for hit in user.search("tea")] == ["The user likes black tea"]
    assert contents(user) == ["The user likes black tea"]
    assert keys(store.search(("notes", "u1"), query="tea")) == ["a"]
    store.delete(("notes", "u1"), "a")
    assert contents(user) == ["The user likes black tea"]


def test_texts_are_chosen_by_paths(memory: LongTermMemory, embedder: FakeEmbedder) -> None:
    user = memory.for_user("u1")
    value = {"title": "茶", "parts": [{"text": "green tea"}, {"text": "oolong"}], "secret": "x"}
    store = LongTermMemoryStore(user=user, fields=["parts[*].text", "missing"])
    store.put(("a",), "default", value)
    assert embedder.texts == ["green tea", "oolong"]
    store.put(("a",), "title", value, index=["title"])
    store.put(("a",), "none", value, index=False)
    assert embedder.texts[2:] == ["茶"]
    hits = store.search(("a",), query="oolong")
    assert keys(hits) == ["default", "title", "none"]
    assert hits[0].score == pytest.approx(1)
    assert hits[2].score is None
    # The whole value as JSON, in characters that an embedder knows.
    LongTermMemoryStore(user=user).put(("a",), "whole", {"b": ["茶", 1], "a": "x"})
    assert embedder.texts[-1] == '{"a": "x", "b": ["茶", 1]}'
    LongTermMemoryStore(user=user, fields=()).put(("a",), "unseen", {"v": "x"})
    assert embedder.texts[-1] == '{"a": "x", "b": ["茶", 1]}'


def test_filters(store: LongTermMemoryStore) -> None:
    here = ("notes", "u1")
    values: dict[str, dict[str, Any]] = {
        "a": {"n": 1, "o": {"c": "x"}},
        "b": {"n": 2.5},
        "c": {"n": "3"},
        "d": {},
    }
    for key, value in values.items():
        store.put(here, key, value)
    assert keys(store.search(here, filter={"n": {"$gte": 1}})) == ["a", "b"]
    assert keys(store.search(here, filter={"n": {"$ne": 1}})) == ["b", "c"]
    assert keys(store.search(here, filter={"o": {"c": "x"}})) == ["a"]
    assert keys(store.search(here, filter={"n": {"$lt": 2}}, query="x")) == ["a"]
    with pytest.raises(InvalidFilterError, match=r"\$like.*\$gte"):
        store.search(here, filter={"n": {"$like": 1}})


def test_times_to_live_are_minutes(memory: LongTermMemory, clock: ManualClock) -> None:
    user = memory.for_user("u1")
    store = LongTermMemoryStore(user=user, ttl={"default_ttl": 10, "refresh_on_read": True})
    for key in ("read", "found", "unread", "looked at"):
        store.put(("a",), key, {"key": key})
    store.put(("a",), "forever", {}, ttl=None)
    store.put(("a",), "short", {}, ttl=0.5)
    clock.advance(9 * 60)
    assert store.get(("a",), "read")
    assert store.get(("a",), "looked at", refresh_ttl=False)
    assert keys(store.search(("a",), filter={"key": "found"})) == ["found"]
    clock.advance(2 * 60)
    assert keys(store.search(("a",), refresh_ttl=False)) == ["read", "found", "forever"]
    clock.advance(9 * 60)
    assert keys(store.search(("a",))) == ["forever"]
    memory.sweep()
    still = LongTermMemoryStore(user=user, ttl={"default_ttl": 10, "refresh_on_read": False})
    still.put(("b",), "k", {})
    clock.advance(9 * 60)
    assert still.get(("b",), "k")
    clock.advance(2 * 60)
    assert still.get(("b",), "k") is None


def test_a_batch_reads_before_it_writes(store: LongTermMemoryStore) -> None:
    here = ("notes", "u1")
    store.put(here, "a", {"v": 1})
    results = store.batch(
        [
            PutOp(here, "a", {"v": 2}),
            GetOp(here, "a"),
            PutOp(("notes", "u2"), "b", {"v": 3}),
            SearchOp(here),
            ListNamespacesOp((MatchCondition("prefix", here),)),
            PutOp(here, "c", {"v": 4}),
            PutOp(here, "c", None),
        ]
    )
    assert results[0] is results[2] is results[5] is results[6] is None
    assert results[1].value == {"v": 1}  # type: ignore[union-attr]
    assert [item.value for item in results[3]] == [{"v": 1}]  # type: ignore[union-attr]
    assert results[4] == [here]
    assert store.get(here, "a").value == {"v": 2}  # type: ignore[union-attr]
    assert store.get(("notes", "u2"), "b").value == {"v": 3}  # type: ignore[union-attr]
    assert store.get(here, "c") is None


async def test_async_does_the_same(store: LongTermMemoryStore) -> None:
    here = ("notes", "u1")
    await asyncio.gather(*(store.aput(here, f"{n}", {"n": n}, ttl=5) for n in range(5)))
    assert (await store.aget(here, "3")) == store.get(here, "3")
    assert sorted(keys(await store.asearch(here, query="3", filter={"n": {"$gt": 0}}))) == [
        "1",
        "2",
        "3",
        "4",
    ]
    assert await store.alist_namespaces(prefix=here) == [here]
    await store.adelete(here, "3")
    assert await store.aget(here, "3") is None
    assert await store.abatch([]) == []


@pytest.mark.parametrize("label", ["foo.bar", "", "a\x00", 5])
async def test_labels_are_checked_in_batches_too_before_anything_is_done(
    memory: LongTermMemory, label: Any
) -> None:
    store = LongTermMemoryStore(user=memory.for_user("u1"))
    for op in (
        GetOp((label,), "k"),
        PutOp((label,), "k", {}),
        PutOp((label,), "k", None),
        SearchOp((label,)),
        ListNamespacesOp((MatchCondition("suffix", (label,)),)),
    ):
        with pytest.raises(InvalidNamespaceError, match="namespace_label"):
            store.batch([PutOp(("good",), "k", {}), op])
        with pytest.raises(InvalidNamespaceError):
            await store.abatch([PutOp(("good",), "k", {}), op])
    assert memory.users() == []
    with pytest.raises(InvalidInputError, match="unknown operation"):
        store.batch(["get"])  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({}, "either user=.* or memory="),
        ({"memory": True}, "needs user_at="),
        ({"user": True, "user_at": 1}, "user= needs none"),
        ({"memory": True, "user_at": -1}, "from 0"),
        ({"user": True, "fields": "text"}, "list of paths"),
        ({"user": True, "ttl": {"sweep_interval_minutes": 5}}, "sweep_interval_minutes"),
    ],
)
def test_mistakes_are_told_when_it_is_made(memory: LongTermMemory, options: Any, complaint: str) -> None:
    given: dict[str, Any] = {"memory": memory, "user": memory.for_user("u1")}
    with pytest.raises(InvalidInputError, match=complaint):
        LongTermMemoryStore(**{name: given.get(name, value) for name, value in options.items()})


@pytest.mark.parametrize("value", [{"a": object()}, {"a": float("nan")}])
def test_a_value_that_is_no_json_is_refused(store: LongTermMemoryStore, value: Any) -> None:
    with pytest.raises(InvalidInputError):
        store.put(("notes", "u1"), "k", value)
    with pytest.raises(InvalidInputError):
        store.put(("notes", "u1"), "k", value, index=False)
