"""What else a search goes by: who said it and when, and whether it has to do with the question."""

from __future__ import annotations

from datetime import timedelta

import pytest

from langmem_ext import InvalidInputError, UserMemory
from langmem_ext.retrieval.relevance import PROBES_EN, PROBES_ZH
from langmem_ext.retrieval.weights import WEIGHTS
from langmem_ext.testing import FakeEmbedder, ManualClock
from tests.support.memories import START, OpenMemory

DAY = timedelta(days=1)


def _crowd(size: int = 30) -> tuple[dict[str, list[float]], list[str]]:
    """Memories in one direction, unrelated questions across it, and one question that is near the first."""
    texts = [f"opera {n}" for n in range(size)]
    vectors = {text: [1.0, n / 100, 0.0] for n, text in enumerate(texts)}
    vectors |= {probe: [0.3, 0.0, 1.0] for probe in (*PROBES_EN, *PROBES_ZH)}
    return vectors | {"Which aria?": [1.0, 0.0, 0.1], "Which quark?": [0.3, 0.0, 1.0]}, texts


def test_a_context_holds_nothing_rather_than_noise(open_memory: OpenMemory) -> None:
    vectors, texts = _crowd()
    user = open_memory(embedder=FakeEmbedder(vectors=vectors)).for_user("u1")
    user.remember_many(texts)
    noise = user.context("Which quark?")
    assert (noise.text, noise.memories, noise.withheld) == ("", (), 10)
    assert len(user.context("Which quark?", relevant_only=False).memories) == 10
    related = user.context("Which aria?")
    assert len(related.memories) == 10 and related.withheld == 0
    assert related.memories[0].explain()["relevance"] > 0
    assert user.context("opera 7 quark").memories  # a word is enough to have to do with it


async def test_search_leaves_noise_out_only_where_asked(open_memory: OpenMemory) -> None:
    vectors, texts = _crowd()
    user = open_memory(embedder=FakeEmbedder(vectors=vectors)).for_user("u1")
    user.remember_many(texts)
    assert len(user.search("Which quark?")) == 5
    found = user.search("Which quark?", relevant_only=True)
    assert (len(found), found.withheld) == (0, 5)
    assert len(await user.asearch("Which quark?", relevant_only=True)) == 0
    assert len(user.search("Which aria?", relevant_only=True)) == 5


def test_a_few_memories_are_never_taken_for_noise(open_memory: OpenMemory) -> None:
    vectors, texts = _crowd()
    embedder = FakeEmbedder(vectors=vectors)
    user = open_memory(embedder=embedder).for_user("u1")
    user.remember_many(texts[:19])
    calls = embedder.calls
    assert len(user.context("Which quark?").memories) == 10
    assert embedder.calls == calls + 1


def test_what_noise_is_like_is_asked_once(open_memory: OpenMemory) -> None:
    vectors, texts = _crowd()
    embedder = FakeEmbedder(vectors=vectors)
    user = open_memory(embedder=embedder).for_user("u1")
    user.remember_many(texts)
    user.context("Which aria?")
    calls = embedder.calls
    user.context("Which quark?")
    assert embedder.calls == calls + 1


def test_an_embedder_that_fails_makes_nothing_noise(open_memory: OpenMemory) -> None:
    vectors, texts = _crowd()
    embedder = FakeEmbedder(vectors=vectors)
    user = open_memory(embedder=embedder).for_user("u1")
    user.remember_many(texts)
    embedder.error = ConnectionError("no route")
    block = user.context("opera 7")
    assert block.degraded == ("dense",) and block.memories and block.withheld == 0


def test_a_day_is_found_by_what_was_said_then(user: UserMemory, clock: ManualClock) -> None:
    clock.advance(100 * DAY)
    dishes = "soup curry risotto dumplings paella goulash ramen stew tofu".split()
    for number, dish in enumerate(dishes):
        user.remember(f"User cooked {dish}", observed_at=START + 10 * number * DAY)
    (best, *_) = user.search("What did the user cook on January 31, 2026?")
    assert best.content == "User cooked dumplings"
    assert best.explain()["contributions"]["time"] > 3
    assert user.search("What did the user cook 40 days ago?")[0].content == "User cooked ramen"
    with pytest.raises(InvalidInputError, match="future"):
        user.remember("User cooks", observed_at=clock() + DAY)


def test_the_users_zone_says_which_day_it_was(open_memory: OpenMemory) -> None:
    memory = open_memory(timezone="Asia/Shanghai")
    user = memory.for_user("u1")
    evening = START - timedelta(days=10) + timedelta(hours=20)  # the next day there
    user.remember("User cooked soup", observed_at=evening)
    hit = user.search("What did the user cook on December 23, 2025?")[0]
    assert hit.explain()["contributions"]["time"] == pytest.approx(3.5)


def test_every_signal_can_be_seen(open_memory: OpenMemory) -> None:
    user = open_memory().for_user("u1", session_id="s")
    user.remember_many(["Anna: Do you like opera?", "Bob: I do, opera is great", "Anna: Fine"])
    shown = user.search("Does Bob like opera?")[0].explain()
    assert shown["keyword_score"] > 0 and shown["context_score"] > 0 and shown["relevance"] is None
    assert set(shown["contributions"]) >= set(WEIGHTS) - {"newer"}
