"""Records: values under a name, beside a user's memories and apart from them."""

from __future__ import annotations

import io
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from langmem_ext import (
    InvalidFilterError,
    InvalidInputError,
    LongTermMemory,
    MemoryNotFoundError,
    StoreClosedError,
    UserMemory,
)
from langmem_ext.record_rows import NewRecord, RecordName
from langmem_ext.testing import FakeEmbedder, InMemoryStore, ManualClock, ScriptedChatModel
from tests.support.memories import OpenMemory, listed, reply
from tests.support.records import NOTES, found, name, put, value_of


@pytest.mark.parametrize(
    "value",
    [
        {},
        {
            "a": {"b": [1, 2.5, None, True, {"c": []}]},
            "": "no name",
            "$gt": 1,
            "a.b": "dot",
            "内容": "你好 😀",
        },
        {"content": "c", "memory_id": "m", "user_id": "u", "key": "k", "metadata": {}, "$date": "2024-01-01"},
        {"time": {"$date": "2024-01-01"}, "large": 2**70, "small": 5e-324, "text": "line\nline  two\t"},
        {f"field {number}": number for number in range(500)},
    ],
)
def test_a_value_comes_back_as_it_was(tmp_path: Path, open_memory: OpenMemory, value: Any) -> None:
    memory = open_memory(tmp_path)
    put(memory.for_user("u1"), "k", value, "a text")
    memory.close()
    again = open_memory(tmp_path).for_user("u1")
    assert value_of(again, "k") == value
    assert repr(value_of(again, "k")) == repr(value)  # 1 is not 1.0, and the order stays
    assert [hit.record.value for hit in again.search_records(NOTES)] == [value]


def test_another_value_replaces_the_first(user: UserMemory, clock: ManualClock) -> None:
    put(user, "a", {"v": 1}, "red apple", "green pear")
    put(user, "b", {"v": 1}, "a car")
    first = user.read_records([name("a")])[0]
    clock.advance(60)
    put(user, "a", {"v": 2}, "blue sky")
    second = user.read_records([name("a")])[0]
    assert first is not None
    assert second is not None
    assert (second.value, second.created_at) == ({"v": 2}, first.created_at)
    assert second.updated_at == first.updated_at + timedelta(seconds=60)
    assert found(user) == ["a", "b"]  # its place in the listing too
    best = user.search_records(query="green pear")[0]
    assert best.cosine == pytest.approx(0, abs=1e-6)
    file = io.StringIO()
    assert user.export_memories(file) == 2  # nothing of the old texts is left
    assert "pear" not in file.getvalue()


def test_names_are_exact(user: UserMemory) -> None:
    names = [
        name("b", "a"), name("B", "a"), name("b", "a", "b"), name("b", "ab"), name("", "a"), name(" b", "a"),
        name('"]', "a"), name("c", 'a", "b'), name("c", "a", "b"),
    ]  # fmt: skip
    user.write_records([NewRecord(place, {"n": number}) for number, place in enumerate(names)])
    stored = user.read_records(names)
    assert [record and record.value["n"] for record in stored] == list(range(len(names)))
    assert [record and record.name for record in stored] == names
    assert user.read_records([name("nowhere")]) == [None]


def test_a_prefix_is_of_whole_labels(user: UserMemory) -> None:
    for under in (("a",), ("a", "b"), ("ab",), ("a", "b", "c"), ("b", "a")):
        put(user, "-".join(under), {}, under=under)
    assert found(user) == ["a", "a-b", "ab", "a-b-c", "b-a"]
    assert found(user, "a") == ["a", "a-b", "a-b-c"]
    assert found(user, "a", "b") == ["a-b", "a-b-c"]
    assert found(user, "b", "b") == []
    assert user.list_namespaces() == [("a",), ("a", "b"), ("a", "b", "c"), ("ab",), ("b", "a")]
    assert user.list_namespaces(("a", "b")) == [("a", "b"), ("a", "b", "c")]


def test_the_nearest_text_counts_and_those_without_come_last(user: UserMemory) -> None:
    put(user, "none", {"v": "green tea"})
    put(user, "two", {"v": 1}, "a walk by the sea", "green tea")
    put(user, "one", {"v": 1}, "green grass and tea")
    put(user, "far", {"v": 1}, "rain")
    hits = user.search_records(query="green tea")
    assert [hit.record.name.key for hit in hits] == ["two", "one", "far", "none"]
    assert hits[0].cosine == pytest.approx(1)
    assert hits[0].cosine is not None
    assert hits[1].cosine is not None
    assert hits[0].cosine > hits[1].cosine > 0
    assert hits[3].cosine is None
    assert found(user, query="green tea", limit=2, offset=1) == ["one", "far"]
    assert found(user, query="  ", limit=2) == ["none", "two"]
    assert [hit.cosine for hit in user.search_records()] == [None] * 4


def test_a_long_text_is_found_by_its_end(open_memory: OpenMemory) -> None:
    class Short(FakeEmbedder):
        max_tokens = 20

        def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
            assert all(len(text) <= 100 for text in texts)
            return super().embed_documents(texts)

    embedder = Short()
    user = open_memory(embedder=embedder).for_user("u1")
    put(user, "long", {"v": 1}, "rain and wind " * 40 + " the treasure is buried under the oak")
    put(user, "chinese", {"v": 1}, "下雨" * 60)
    put(user, "other", {"v": 1}, "snow")
    assert found(user, query="treasure buried under the oak")[0] == "long"
    with pytest.raises(InvalidInputError, match="at most 200"):
        put(user, "endless", {"v": 1}, "rain and wind " * 4000)
    assert value_of(user, "endless") is None


def test_records_are_no_memories_and_memories_no_records(open_memory: OpenMemory, clock: ManualClock) -> None:
    llm = ScriptedChatModel([reply(), reply()])
    memory = open_memory(llm=llm)
    user = memory.for_user("u1")
    user.remember("The user likes tea")
    for key in ("a", "b"):
        put(user, key, {"text": "The user likes green tea"}, "The user likes green tea")
    for _ in range(2):  # cold, then with the index in RAM
        assert [hit.content for hit in user.search("green tea", top_k=10)] == ["The user likes tea"]
        assert "green tea" not in user.context("green tea").text
        put(user, "c", {"text": "green tea"}, "green tea")
    assert [hit.content for hit in user.search("green tea", as_of=clock())] == ["The user likes tea"]
    assert [hit.content for hit in user.search("tea", filters={"memory_type": "record"})] == []
    assert listed(user) == ["The user likes tea"]
    assert listed(user, include_expired=True) == ["The user likes tea"]
    answer = user.forget("forget that I like green tea")
    assert answer.status == "confirm"
    assert [item.content for item in answer.candidates] == ["The user likes tea"]
    assert len(user.search_records()) == 3
    user.add("I drink green tea.")
    assert "green tea" not in llm.calls[0].messages[-1].content.replace("I drink green tea", "")
    # The same words as a record's are a new memory, and not the record touched.
    added = user.remember("The user likes green tea")
    assert added.memory_type == "semantic"
    assert user.update(added.memory_id, content="green tea").content == "green tea"
    assert [hit.record.value for hit in user.search_records(filters={"text": "green tea"})] == [
        {"text": "green tea"}
    ]


@pytest.mark.parametrize("call", ["get", "history", "delete", "update"])
def test_a_records_row_is_no_memory_of_anybody(user: UserMemory, call: str) -> None:
    put(user, "a", {"v": 1}, "text", "text two")
    for row in (name("a").row_id, f"{name('a').row_id}.1"):
        with pytest.raises(MemoryNotFoundError):
            getattr(user, call)(row)
        with pytest.raises(MemoryNotFoundError):
            user.forget("x", confirm_ids=[row])
    assert value_of(user, "a") == {"v": 1}


def test_users_are_kept_apart(memory: LongTermMemory) -> None:
    one, other = memory.for_user("u1"), memory.for_user("u11")
    put(one, "k", {"v": 1}, "tea")
    put(other, "k", {"v": 2}, "tea")
    assert (value_of(one, "k"), value_of(other, "k")) == ({"v": 1}, {"v": 2})
    assert [hit.record.value for hit in one.search_records(query="tea")] == [{"v": 1}]
    one.write_records([], delete=[name("k")])
    other.keep_records([name("k")])
    assert value_of(other, "k") == {"v": 2}
    assert (one.list_namespaces(), other.list_namespaces()) == ([], [NOTES])


def test_secrets_do_not_reach_the_embedder(user: UserMemory, embedder: FakeEmbedder) -> None:
    value = {"text": "My password is hunter2horse"}
    put(user, "a", value, value["text"])
    user.search_records(query="password is hunter2horse")
    assert not any("hunter2horse" in text for text in embedder.texts)
    assert value_of(user, "a") == value


@pytest.mark.parametrize(
    "value",
    [None, [], "x", {1: 2}, {"a": object()}, {"a": float("nan")}, {"a": {"b": b"x"}}, {"a": "\ud800"},
     {"\ud800": 1}, {"a": "x" * 1_000_001}],
)  # fmt: skip
def test_what_is_no_json_object_is_refused(user: UserMemory, value: Any) -> None:
    with pytest.raises(InvalidInputError):
        user.write_records([NewRecord(name("good"), {}), NewRecord(name("a"), value)])
    assert found(user) == []


def test_a_value_that_holds_itself_is_refused(user: UserMemory) -> None:
    value: dict[str, Any] = {}
    value["self"] = value
    with pytest.raises(InvalidInputError, match="nested"):
        put(user, "a", value)


def test_names_and_arguments_are_checked(user: UserMemory) -> None:
    for namespace in ((), ("",), ("a", 1), ["a"], "a", ("\ud800",)):
        with pytest.raises(InvalidInputError, match=r"label|namespace"):
            RecordName(namespace, "k")  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match="key"):
        RecordName(("a",), 1)  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match="ttl"):
        put(user, "a", {}, ttl=timedelta(0))
    for wrong in ({"limit": -1}, {"offset": -1}, {"limit": True}, {"query": 5}):
        with pytest.raises(InvalidInputError):
            user.search_records(**wrong)
    with pytest.raises(InvalidFilterError):
        user.search_records(filters={"a": {"$like": 1}})
    assert user.search_records(limit=0) == []


def test_a_closed_memory_says_so() -> None:
    memory = LongTermMemory(embedder=FakeEmbedder())
    user = memory.for_user("u1")
    memory.close()
    for call in (
        user.search_records,
        user.list_namespaces,
        lambda: user.read_records([]),
        lambda: put(user, "a", {}),
    ):
        with pytest.raises(StoreClosedError):
            call()


@pytest.mark.parametrize("where", ["server", "own"])
def test_other_stores_keep_them_too(open_memory: OpenMemory, chroma_url: str, where: str) -> None:
    store = {"url": chroma_url} if where == "server" else {"store": InMemoryStore(FakeEmbedder().fingerprint)}
    memory = open_memory(**store)
    user = memory.for_user(f"records-{where}")
    user.remember("tea")
    put(user, "a", {"v": [1]}, "green tea", "black tea", under=("a", "b"))
    put(user, "b", {"v": 2}, "rain", under=("a",))
    assert found(user, "a", query="green tea") == ["a", "b"]
    assert found(user, "a", "b") == ["a"]
    assert [hit.content for hit in user.search("green tea")] == ["tea"]
    user.write_records([NewRecord(name("a", "a", "b"), {"v": 3})], delete=[name("b", "a")])
    assert [hit.record.value for hit in user.search_records()] == [{"v": 3}]
    user.delete_all()
    assert found(user) == []


async def test_the_twins_do_the_same(user: UserMemory) -> None:
    await user.awrite_records([NewRecord(name("a"), {"v": 1}, ("tea",), timedelta(days=1))])
    assert await user.aread_records([name("a")]) == user.read_records([name("a")])
    assert await user.asearch_records(NOTES, query="tea", filters={"v": 1}) == user.search_records(
        NOTES, query="tea", filters={"v": 1}
    )
    assert await user.alist_namespaces() == [NOTES]
    await user.akeep_records([name("a")])
    await user.awrite_records([], delete=[name("a")])
    assert await user.aread_records([name("a")]) == [None]
