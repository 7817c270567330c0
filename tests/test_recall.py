"""Search and context: what comes back, in which order, and what happens when a part is down."""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from langmem_ext import InvalidInputError, ModelError, UserMemory
from langmem_ext.testing import FakeEmbedder, ManualClock
from tests.support.memories import START, OpenMemory, contents, listed

DAY = timedelta(days=1)
COMPASS = {"east": [1.0, 0.0], "A": [1.0, 0.0], "B": [0.0, 1.0], "C": [-1.0, 0.0]}


def test_scores_fall_from_the_same_direction_to_the_opposite(open_memory: OpenMemory) -> None:
    user = open_memory(embedder=FakeEmbedder(vectors=COMPASS)).for_user("u1")
    user.remember_many(["C", "A", "B"])
    found = user.search("east", top_k=3)
    assert contents(found) == ["A", "B", "C"]
    scores = [hit.score for hit in found]
    assert scores == sorted(set(scores), reverse=True) and all(0 <= score <= 1 for score in scores)
    assert scores[0] >= 0.99
    assert [hit.similarity for hit in found] == [1.0, 0.5, 0.0]


def test_the_threshold_tests_the_similarity(open_memory: OpenMemory) -> None:
    user = open_memory(embedder=FakeEmbedder(vectors=COMPASS)).for_user("u1")
    user.remember_many(["A", "B", "C"])
    assert contents(user.search("east", min_similarity=0.5)) == ["A", "B"]
    assert contents(user.search("east", min_similarity=0.51)) == ["A"]
    assert contents(user.search("east", min_similarity=0)) == ["A", "B", "C"]


def test_similarities_are_the_documented_map_of_the_cosine(open_memory: OpenMemory) -> None:
    cosines = [0.9, 0.5, 0.1]
    vectors = {f"m{c}": [c, (1 - c * c) ** 0.5] for c in cosines} | {"query": [1.0, 0.0]}
    user = open_memory(embedder=FakeEmbedder(vectors=vectors)).for_user("u1")
    user.remember_many([f"m{c}" for c in cosines])
    found = user.search("query")
    assert [hit.similarity for hit in found] == pytest.approx([(1 + c) / 2 for c in cosines], abs=1e-4)
    assert [hit.explain()["cosine"] for hit in found] == pytest.approx(cosines, abs=1e-4)
    assert len({hit.score for hit in found}) == 3


@pytest.mark.parametrize("query", ["", "  \n", "\u3000"])
def test_a_blank_query_finds_nothing_and_costs_nothing(
    user: UserMemory, embedder: FakeEmbedder, query: str
) -> None:
    user.remember("tea")
    calls = embedder.calls
    assert len(user.search(query)) == 0
    assert user.context(query).text == ""
    assert embedder.calls == calls


def test_spaces_around_a_query_do_not_matter(user: UserMemory) -> None:
    user.remember_many(["green tea", "tea", "coffee"])
    plain, spaced = user.search("tea"), user.search(" tea \n")
    assert [(hit.memory_id, hit.score) for hit in plain] == [(hit.memory_id, hit.score) for hit in spaced]
    assert len(plain) == 3


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({"query": None}, "query"),
        ({"query": 42}, "query"),
        ({"top_k": 0}, "top_k"),
        ({"top_k": -1}, "top_k"),
        ({"top_k": True}, "top_k"),
        ({"top_k": 2.5}, "top_k"),
        ({"min_similarity": 1.5}, "min_similarity"),
        ({"min_similarity": -0.1}, "min_similarity"),
        ({"min_similarity": float("nan")}, "min_similarity"),
        ({"min_similarity": "high"}, "min_similarity"),
        ({"memory_type": "fact"}, "memory_type"),
        ({"as_of": "yesterday"}, "as_of"),
        ({"filters": {"topic": {"$regex": "x"}}}, "regex"),
        ({"filters": {"user_id": "u2"}}, "user_id"),
        ({"filters": ["topic"]}, "dict"),
    ],
)
async def test_a_search_that_can_not_be_meant_is_refused(
    user: UserMemory, arguments: dict[str, Any], word: str
) -> None:
    options: dict[str, Any] = {"query": "tea", **arguments}
    for _ in ("without memories", "with one"):
        with pytest.raises(InvalidInputError, match=word):
            user.search(**options)
        with pytest.raises(InvalidInputError, match=word):
            await user.asearch(**options)
        with pytest.raises(InvalidInputError, match=word):
            user.context(**options)
        user.remember("tea")


async def test_more_than_there_are_is_all_there_are(
    user: UserMemory, embedder: FakeEmbedder, caplog: pytest.LogCaptureFixture
) -> None:
    assert len(user.search("x")) == len(await user.asearch("x")) == 0
    user.remember_many(["x", "y"])
    with caplog.at_level(logging.WARNING):
        assert len(user.search("x", top_k=50)) == len(await user.asearch("x", top_k=50)) == 2
    assert caplog.records == []


def test_a_down_embedder_leaves_the_words(user: UserMemory, embedder: FakeEmbedder) -> None:
    user.remember_many(["User likes oolong tea", "User owns a kayak"])
    embedder.error = ConnectionError("no route")
    found = user.search("which tea?")
    assert (contents(found), found.degraded) == (["User likes oolong tea"], ("dense",))
    assert found[0].similarity is None
    assert user.context("which tea?").degraded == ("dense",)
    with pytest.raises(ModelError) as caught:
        user.search("Where does she live")
    assert (caught.value.kind, caught.value.retryable) == ("unavailable", True)
    with pytest.raises(ModelError):
        user.context("Where does she live")
    embedder.error = None
    assert user.search("which tea?").degraded == ()


def test_time_travel(user: UserMemory, clock: ManualClock) -> None:
    user.remember("User lives in Lyon", key="city")
    clock.advance(10 * DAY)
    user.remember("User lives in Nantes", key="city")
    user.remember("Parking code", expires_at=clock() + DAY)
    clock.advance(10 * DAY)

    def at(days: float) -> list[str]:
        when = START + days * DAY
        found = sorted(contents(user.search("User lives parking code", as_of=when)))
        assert found == sorted(listed(user, as_of=when))
        return found

    assert at(-1) == []
    assert at(0) == at(9.99) == ["User lives in Lyon"]
    assert at(10) == ["Parking code", "User lives in Nantes"]
    assert at(11) == ["User lives in Nantes"]
    assert contents(user.search("User lives parking code")) == ["User lives in Nantes"]


def test_filters_types_and_labels_narrow(open_memory: OpenMemory) -> None:
    memory = open_memory()
    memory.for_user("u1", session_id="s1").remember(
        "tea one", metadata={"topic": "a"}, memory_type="procedural"
    )
    memory.for_user("u1", session_id="s2").remember("tea two", metadata={"topic": "b"})
    user = memory.for_user("u1", session_id="s3")
    assert len(user.search("tea")) == 2
    assert contents(user.search("tea", filters={"topic": "b"})) == ["tea two"]
    assert contents(user.search("tea", filters={"session_id": "s1"})) == ["tea one"]
    assert contents(user.search("tea", memory_type="procedural")) == ["tea one"]
    assert contents(user.search("tea", memory_type="procedural", filters={"topic": "b"})) == []
    assert (
        contents(user.search("tea", filters={"created_at": {"$gte": START.isoformat()}}))
        == ["tea one", "tea two"]
        or len(user.search("tea", filters={"created_at": {"$gte": START.isoformat()}})) == 2
    )


def test_the_best_of_a_thousand_is_found(open_memory: OpenMemory) -> None:
    """One user's random vectors, against brute force."""
    random = np.random.default_rng(7)
    matrix = random.normal(size=(1000, 32))
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    questions = random.normal(size=(30, 32))
    vectors = {f"item i{n}": row.tolist() for n, row in enumerate(matrix)}
    vectors |= {f"question q{n}": row.tolist() for n, row in enumerate(questions)}
    user = open_memory(embedder=FakeEmbedder(vectors=vectors)).for_user("u1")
    user.remember_many([f"item i{n}" for n in range(len(matrix))])
    best = (matrix @ questions.T).argmax(axis=0)
    for number, expected in enumerate(best):
        found = user.search(f"question q{number}", top_k=1, filters=None)
        wide = user.search(f"question q{number}", top_k=50)
        assert found[0].content == wide[0].content == f"item i{expected}"


def test_a_crowd_does_not_hide_a_few(open_memory: OpenMemory) -> None:
    vectors = {"query": [1.0, 0.0]} | {f"crowd {n}": [1.0, n / 9000] for n in range(600)}
    vectors |= {f"small {n}": [-1.0, n / 10] for n in range(5)}
    memory = open_memory(embedder=FakeEmbedder(vectors=vectors))
    memory.for_user("crowd").remember_many([f"crowd {n}" for n in range(600)])
    memory.for_user("small").remember_many([f"small {n}" for n in range(5)])
    assert sorted(contents(memory.for_user("small").search("query"))) == [f"small {n}" for n in range(5)]


def test_an_empty_context_is_an_empty_string_and_a_full_one_is_stable(user: UserMemory) -> None:
    block = user.context("x")
    assert (block.text, str(block), block.memories, block.left_out) == ("", "", (), 0)
    user.remember_many(["a x", "b x", "c x"])
    assert len({user.context("x").text for _ in range(5)}) == 1


def test_a_context_keeps_its_budget(user: UserMemory) -> None:
    user.remember_many(
        [f"User knows the fact {number} " + "about a very long matter " * 6 for number in range(40)]
    )
    block = user.context("fact", max_tokens=300, top_k=40)
    from langmem_ext.tokens import estimate_tokens

    assert 0 < estimate_tokens(block.text) <= 300
    assert block.memories and block.left_out == 40 - len(block.memories)
    assert all(hit.content.strip() in block.text for hit in block.memories)
    assert user.context("fact", max_tokens=5).text == ""


def test_the_log_counts_and_keeps_no_words(open_memory: OpenMemory, caplog: pytest.LogCaptureFixture) -> None:
    memory = open_memory()
    user = memory.for_user("u1")
    user.remember("my salary is 91234")
    with caplog.at_level(logging.DEBUG, logger="langmem_ext"):
        found = user.search("what is my salary 91234", top_k=3)
        user.context("my salary 91234")
        user.search("")
    search, context, blank = memory.recall_log()
    assert (search.operation, search.top_k, search.returned, search.query) == ("search", 3, 1, None)
    assert search.recall_id == found.recall_id
    assert search.scores == (found[0].score,) and search.similarities == (found[0].similarity,)
    assert search.timings["total"] > 0
    assert (context.operation, blank.returned) == ("context", 0)
    assert "91234" not in caplog.text and "u1" not in caplog.text
    assert "91234" not in repr(memory.recall_log())


def test_the_log_keeps_words_when_it_is_asked_to(open_memory: OpenMemory) -> None:
    memory = open_memory(log_queries=True)
    memory.for_user("u1").search(" tea ")
    assert memory.recall_log()[0].query == "tea"


def test_access_counts_are_written_by_flush_and_bring_nothing_back(
    open_memory: OpenMemory, clock: ManualClock
) -> None:
    memory = open_memory()
    user = memory.for_user("u1")
    kept, gone = user.remember_many(["tea", "tea cup"])
    user.search("tea")
    clock.advance(60)
    user.search("tea", top_k=1)
    assert user.get(kept.memory_id).access_count == 0
    user.delete(gone.memory_id)
    user.update(kept.memory_id, metadata={"n": 1})
    assert memory.flush().access_counts == 1
    item = user.get(kept.memory_id)
    assert (item.access_count, item.last_accessed_at, dict(item.metadata)) == (
        2,
        START + timedelta(seconds=60),
        {"n": 1},
    )
    assert user.search("tea")[0].memory.access_count == 2
    assert listed(user) == ["tea"]


def test_close_writes_access_counts(tmp_path: Any, open_memory: OpenMemory) -> None:
    with open_memory(tmp_path) as memory:
        item = memory.for_user("u1").remember("tea")
        memory.for_user("u1").search("tea")
    assert open_memory(tmp_path).for_user("u1").get(item.memory_id).access_count == 1
