"""Searches and listings miss nothing, however many memories a user or the neighbours have."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest

from langmem_ext import EmbedderFingerprint, InvalidInputError, LongTermMemory, MemoryStore
from langmem_ext.ports import WRITE_LIMIT
from langmem_ext.stores.chroma import ChromaStore
from langmem_ext.stores.chroma.rows import user_key
from tests.support.memories import START, contents, row

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from langmem_ext.ports import Vector

DIM = 64
FINGERPRINT = EmbedderFingerprint(model="given", dim=DIM)
_numbers = itertools.count(1)


class GivenVectors:
    """An embedder that looks texts up."""

    dim = DIM
    max_tokens = 8192
    fingerprint = FINGERPRINT

    def __init__(self) -> None:
        self._given: dict[str, Vector] = {}

    def give(self, texts: Sequence[str], vectors: NDArray[np.float32]) -> None:
        self._given.update(zip(texts, vectors, strict=True))

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.stack([self._given[text] for text in texts])

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.embed_documents(texts)


class Place(NamedTuple):
    """A door, what is behind it, and its embedder."""

    memory: LongTermMemory
    store: MemoryStore
    embedder: GivenVectors
    mode: str


@pytest.fixture(params=["ram", "embedded", "server"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    if request.param == "ram":
        store = ChromaStore.in_memory(FINGERPRINT)
    elif request.param == "embedded":
        store = ChromaStore.embedded(tmp_path / "memories", FINGERPRINT)
    else:
        url = request.getfixturevalue("chroma_url")
        store = ChromaStore.server(url, FINGERPRINT, prefix=f"complete{next(_numbers)}")
    embedder = GivenVectors()
    with LongTermMemory(store=store, embedder=embedder) as memory:
        yield Place(memory, store, embedder, request.param)


def unit(vectors: NDArray[np.float64]) -> NDArray[np.float32]:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / lengths, dtype=np.float32)


def words(prefix: str, count: int) -> list[str]:
    """Texts of one word each. Those of different prefixes have no word in common."""
    letters = str.maketrans("0123456789", "abcdfghijk")
    return [prefix + f"{number:05}".translate(letters) for number in range(count)]


def fill(store: MemoryStore, user_id: str, texts: Sequence[str], vectors: NDArray[np.float32]) -> None:
    """Write memories whose ids are their texts."""
    template = row("template", user_id=user_id)
    rows = []
    for text, vector in zip(texts, vectors, strict=True):
        item = replace(template.item, memory_id=text, content=text)
        rows.append(replace(template, item=item, chain_id=text, vector=vector))
    for start in range(0, len(rows), WRITE_LIMIT):
        store.write(user_id, rows[start : start + WRITE_LIMIT])


def test_the_nearest_of_6000_memories_is_found_every_time(place: Place) -> None:
    random = np.random.default_rng(64)
    # A shared store is read anew for each search, so less of it has to do.
    size, searches = (1000, 10) if place.store.shared else (6000, 200)
    texts, queries = words("mem", size), words("ask", searches)
    stored, asked = (unit(random.standard_normal((len(names), DIM))) for names in (texts, queries))
    fill(place.store, "u1", texts, stored)
    place.embedder.give(queries, asked)
    user = place.memory.for_user("u1")
    for number in range(searches):
        expected = np.argsort(-(stored @ asked[number]))[:50]
        (first,) = user.search(queries[number], top_k=1)
        found = user.search(queries[number], top_k=50)
        assert first.content == found[0].content == texts[expected[0]]
        assert set(contents(found)) == {texts[index] for index in expected}
        assert {hit.signals.keyword_rank for hit in found} == {None}


@pytest.mark.parametrize(
    "place", ["ram", pytest.param("embedded", marks=pytest.mark.slow), "server"], indirect=True
)
def test_a_small_user_is_found_whole_beside_a_crowd_that_is_nearer(place: Place) -> None:
    size = 20_000 if place.mode == "embedded" else 2000  # 20,000 rows take some 20 s
    random = np.random.default_rng(5)
    towards = np.eye(1, DIM)
    crowd = next(name for number in itertools.count() if is_in_shard_of(name := f"crowd{number}", "small"))
    near = unit(towards + random.standard_normal((size, DIM)) / 50)
    far = unit(random.standard_normal((5, DIM)) / 50 - towards)
    texts, neighbours, half = words("far", 5), words("near", size), size // 2
    fill(place.store, crowd, neighbours[:half], near[:half])
    fill(place.store, "small", texts, far)
    fill(place.store, crowd, neighbours[half:], near[half:])
    place.embedder.give(["query"], unit(towards))
    user = place.memory.for_user("small")
    expected = [texts[index] for index in np.argsort(-(far @ towards[0]))]
    assert contents(user.search("query")) == expected
    assert contents(user.search("query", top_k=30_000)) == expected
    assert contents(user.search("query", as_of=START)) == expected
    assert contents(user.search("query", filters={"created_at": {"$lte": START}})) == expected
    assert contents(user.search("query", memory_type="semantic")) == expected
    assert contents(user.context("query").memories) == expected
    assert contents(user.list_memories().memories) == texts
    assert len(place.memory.for_user(crowd).search("query", min_similarity=0.9)) == 5


def is_in_shard_of(name: str, other: str) -> bool:
    """Whether two users share a Chroma collection."""
    return int(user_key(name)[:8], 16) % 16 == int(user_key(other)[:8], 16) % 16


async def test_listings_and_searches_give_all_of_1205_memories(place: Place) -> None:
    texts = words("mem", 1205)
    vectors = unit(np.random.default_rng(7).standard_normal((len(texts), DIM)))
    fill(place.store, "u1", texts, vectors)
    fill(place.store, "u2", texts[:3], vectors[:3])
    place.embedder.give(["query"], vectors[:1])
    user = place.memory.for_user("u1")
    assert contents(user.list_memories(limit=5000).memories) == texts
    assert contents(user.iter_memories()) == texts
    paged, cursor = [], None
    for _ in range(13):
        page = user.list_memories(limit=100, cursor=cursor)
        paged.extend(contents(page.memories))
        cursor = page.cursor
    assert (paged, cursor) == (texts, None)
    assert sorted(contents(user.search("query", top_k=5000))) == texts
    assert contents(user.search("query", top_k=1)) == texts[:1]
    assert contents(await user.asearch("query", top_k=1)) == texts[:1]
    for top_k in (0, -1):
        with pytest.raises(InvalidInputError, match="top_k"):
            user.search("query", top_k=top_k)
        with pytest.raises(InvalidInputError, match="top_k"):
            await user.asearch("query", top_k=top_k)
