"""What the store takes for granted about Chroma. One of these red: read the store before trusting it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import chromadb
import numpy as np
import pytest
from chromadb.errors import DuplicateIDError

_names = itertools.count(1)
EAST, NORTH, WEST = np.array([[1, 0], [0, 1], [-1, 0]], dtype=np.float32)


@pytest.fixture
def collection() -> Iterator[chromadb.Collection]:
    client = chromadb.EphemeralClient()
    name = f"facts-{next(_names)}"
    yield client.create_collection(name, embedding_function=None, configuration={"hnsw": {"space": "cosine"}})
    client.delete_collection(name)


def ids(collection: chromadb.Collection, where: Any) -> list[str]:
    return collection.get(where=where, include=[])["ids"]


def test_an_upsert_merges_metadata_and_none_takes_a_key_out(collection: chromadb.Collection) -> None:
    collection.upsert(ids=["a"], embeddings=[EAST], documents=["one"], metadatas=[{"k": 1, "old": 2}])
    collection.upsert(ids=["a"], embeddings=[EAST], documents=["two"], metadatas=[{"k": 3}])
    assert collection.get()["metadatas"] == [{"k": 3, "old": 2}]
    collection.upsert(ids=["a"], embeddings=[EAST], metadatas=[{"k": 3, "old": None}])
    assert collection.get()["metadatas"] == [{"k": 3}]
    assert ids(collection, {"old": {"$eq": 2}}) == []
    assert collection.get()["documents"] == ["two"]


def test_a_limit_follows_the_order_of_insertion(collection: chromadb.Collection) -> None:
    names = [f"m{number}" for number in range(30)][::-1]
    for start in range(0, 30, 10):
        part = names[start : start + 10]
        collection.upsert(ids=part, embeddings=[EAST] * 10, metadatas=[{"user": "u"}] * 10)
    collection.upsert(ids=[names[3]], embeddings=[NORTH], metadatas=[{"user": "u", "again": True}])
    assert collection.get(where={"user": "u"}, limit=12)["ids"] == names[:12]
    assert collection.get(where={"user": "u"}, limit=12, offset=12)["ids"] == names[12:24]


def test_a_cosine_space_stays_one_and_another_is_silently_kept(collection: chromadb.Collection) -> None:
    collection.add(ids=["e", "n", "w"], embeddings=[EAST, NORTH, WEST])
    answer = collection.query(query_embeddings=[EAST], n_results=3)
    assert answer["ids"] == [["e", "n", "w"]]
    assert np.allclose(answer["distances"] or [], [[0.0, 1.0, 2.0]], atol=1e-6)
    client = chromadb.EphemeralClient()
    name = f"facts-{next(_names)}"
    client.create_collection(name, embedding_function=None, configuration={"hnsw": {"space": "l2"}})
    asked_for_cosine = client.get_or_create_collection(
        name, embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
    )
    assert (asked_for_cosine.configuration_json.get("hnsw") or {}).get("space") == "l2"
    client.delete_collection(name)


def test_not_equal_and_not_in_match_rows_without_the_field(collection: chromadb.Collection) -> None:
    collection.add(ids=["a", "b"], embeddings=[EAST, EAST], metadatas=[{"k": "x"}, {"other": 1}])
    assert ids(collection, {"k": {"$ne": "x"}}) == ["b"]
    assert ids(collection, {"k": {"$nin": ["x"]}}) == ["b"]
    assert ids(collection, {"k": {"$in": ["x", "y"]}}) == ["a"]


def test_a_range_skips_rows_without_the_field_and_other_types(collection: chromadb.Collection) -> None:
    collection.add(
        ids=["none", "text", "bool", "number"],
        embeddings=[EAST] * 4,
        metadatas=[{"k": 0}, {"n": "5"}, {"n": True}, {"n": 5.0}],
    )
    assert ids(collection, {"n": {"$gt": 0.5}}) == ["number"]
    assert ids(collection, {"n": {"$lt": 9.5}}) == ["number"]


def test_types_are_told_apart(collection: chromadb.Collection) -> None:
    collection.add(
        ids=["true", "one", "text"], embeddings=[EAST] * 3, metadatas=[{"k": True}, {"k": 1.0}, {"k": "1"}]
    )
    assert ids(collection, {"k": True}) == ["true"]
    assert ids(collection, {"k": 1.0}) == ["one"]
    assert ids(collection, {"k": "1"}) == ["text"]


def test_a_list_is_searched_by_its_parts(collection: chromadb.Collection) -> None:
    collection.add(
        ids=["two", "one", "none"],
        embeddings=[EAST] * 3,
        metadatas=[{"t": ["a", "b"]}, {"t": ["ab"]}, {"k": 1}],
    )
    assert ids(collection, {"t": {"$contains": "a"}}) == ["two"]
    assert ids(collection, {"t": {"$contains": "ab"}}) == ["one"]


def test_delete_of_an_unknown_id_says_nothing_and_ids_in_one_call_must_differ(
    collection: chromadb.Collection,
) -> None:
    collection.delete(ids=["nobody"])
    with pytest.raises(DuplicateIDError):
        collection.upsert(ids=["a", "a"], embeddings=[EAST, EAST])
    with pytest.raises(DuplicateIDError):
        collection.get(ids=["a", "a"])


def test_vectors_come_back_scaled_to_at_most_rounding(collection: chromadb.Collection) -> None:
    collection.add(ids=["a"], embeddings=np.array([[0.6, 0.8]], dtype=np.float32))
    embeddings = collection.get(include=["embeddings"])["embeddings"]
    assert embeddings is not None
    assert list(embeddings[0]) == pytest.approx([0.6, 0.8], abs=1e-6)


def test_clients_in_ram_share_their_data(collection: chromadb.Collection) -> None:
    other = chromadb.EphemeralClient()
    assert collection.name in {one.name for one in other.list_collections()}


def test_one_request_takes_as_many_rows_as_the_store_writes_at_once() -> None:
    from langmem_ext.ports import WRITE_LIMIT

    client = chromadb.EphemeralClient()
    assert client.get_max_batch_size() >= WRITE_LIMIT
