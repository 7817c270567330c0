"""One question put to one user's memories: what each signal does to the order."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from langmem_ext.ports import StoredMemory
from langmem_ext.retrieval.question import Question
from langmem_ext.retrieval.ranking import Ranked
from langmem_ext.retrieval.relevance import RELEVANT, Noise
from langmem_ext.retrieval.search import Searched
from langmem_ext.retrieval.user_index import UserIndex
from langmem_ext.retrieval.weights import WEIGHTS
from tests.support.memories import START, row

DAY = timedelta(days=1)
EAST = np.array([1.0, 0.0, 0.0, 0.0], dtype=np.float32)


def said(*contents: str, **fields: Any) -> list[StoredMemory]:
    """Rows of one session with one vector: only words and traits differ."""
    rows = [row(f"m{number}", text, session_id="s", **fields) for number, text in enumerate(contents)]
    return [StoredMemory(one.item, one.chain_id, EAST) for one in rows]


def found(
    rows: Sequence[StoredMemory], query: str, *, without: str = "", now: datetime = START + 30 * DAY
) -> list[Ranked]:
    weights = {name: weight for name, weight in WEIGHTS.items() if name != without}
    searched = Searched(UserIndex(rows), Question.read(query, now), EAST, weights)
    return searched.best(np.ones(len(rows), dtype=bool), limit=10)


def order(hits: Sequence[Ranked]) -> list[int]:
    return [hit.row for hit in hits]


def test_an_answer_is_found_by_the_words_of_the_question_before_it() -> None:
    rows = said("Which pet is it?", "A rabbit called Otto.", "Fine weather.", "Yes it is.", "Indeed so.")
    best = found(rows, "pet")
    assert order(best)[0] == 1
    assert best[0].signals.keyword_score == 0 < best[0].signals.context_score


def test_a_question_is_no_evidence() -> None:
    rows = said("Do you like opera?", "I like opera a lot.")
    assert order(found(rows, "opera")) == [1, 0]
    assert found(rows, "opera")[1].signals.contributions["question"] < 0


def test_what_stands_after_a_question_counts_as_its_answer() -> None:
    rows = said("Have you been out?", "The opera was fun.", "Good for you.", "The opera was long.")
    parts = {hit.row: hit.signals.contributions["answer"] for hit in found(rows, "opera")}
    assert parts[1] == pytest.approx(WEIGHTS["answer"])
    assert parts[0] == parts[2] == parts[3] == 0


def test_what_the_named_one_says_goes_first() -> None:
    rows = said("Bob: opera is great fun", "Anna: opera is great fun")
    assert order(found(rows, "What does Anna think of opera?")) == [1, 0]
    assert order(found(rows, "What does Bob think of opera?")) == [0, 1]


def test_you_is_the_assistant_and_i_the_user() -> None:
    rows = said("AI: read Emma today", "Anna: read Emma today")
    assert order(found(rows, "What did you read?")) == [0, 1]
    assert order(found(rows, "What did I read?")) == [1, 0]
    assert found(rows, "What did I read?")[0].signals.contributions["speaker"] > 0


def test_the_time_asked_about_counts() -> None:
    rows = [
        StoredMemory(row(f"m{n}", "we had soup", recorded_at=when, valid_from=when).item, f"m{n}", EAST)
        for n, when in enumerate((datetime(2025, 3, 1, tzinfo=UTC), datetime(2025, 7, 1, tzinfo=UTC)))
    ]
    assert order(found(rows, "Which soup did we have on 1 March 2025?")) == [0, 1]
    assert order(found(rows, "Which soup did we have on 2 July 2025?")) == [1, 0]
    assert order(found(rows, "Which soup in March?", now=datetime(2025, 8, 1, tzinfo=UTC))) == [0, 1]
    hit = found(rows, "Which soup did we have on 1 March 2025?")[0]
    assert hit.signals.contributions["time"] == pytest.approx(3.5)


def test_the_newer_version_of_a_fact_goes_first_and_says_so() -> None:
    rows = said("The capital of France is Paris.", "The capital of France is Lyon and nothing else but that.")
    best = found(rows, "What is the capital of France?")
    assert order(best) == [1, 0]
    assert "newer" in best[0].signals.contributions or best[0].signals.contributions["length"] > 0
    equal = said("The capital of France is Paris.", "The capital of France is Lyon.")
    assert order(found(equal, "What is the capital of France?")) == [1, 0]
    assert "newer" in found(equal, "What is the capital of France?")[0].signals.contributions
    assert order(found(equal, "What is the capital of France?", without="newer")) == [0, 1]


def test_contributions_add_up_to_the_score() -> None:
    rows = said("Anna: opera is great", "Bob: I had soup", "Anna: fine")
    totals = [sum(hit.signals.contributions.values()) for hit in found(rows, "Does Anna like opera?")]
    scores = [hit.score for hit in found(rows, "Does Anna like opera?")]
    assert [np.exp(total - totals[0]) for total in totals] == pytest.approx(scores)


def test_equal_calls_give_equal_answers() -> None:
    rows = said(*(f"text number {n % 7} about opera" for n in range(60)))
    once = found(rows, "opera text")
    assert all(found(rows, "opera text") == once for _ in range(3))


def test_a_vector_alone_or_words_alone_find() -> None:
    rows = said("opera", "soup")
    searched = Searched(UserIndex(rows), Question.read("opera", START), None)
    assert order(searched.best(np.ones(2, dtype=bool), limit=5)) == [0]


def test_relevance_is_measured_against_chance() -> None:
    """One cosine is an answer where unrelated questions reach little, and noise where they reach as much."""
    rows = said("opera", "soup", "tea", "milk")
    searched = Searched(UserIndex(rows), Question.read("quartz", START), EAST)
    everything = np.ones(4, dtype=bool)
    hits = searched.best(everything, limit=3)
    kept = searched.relevant(hits, everything, Noise(best=0.5, spread=0.1))
    assert [hit.row for hit in kept] == order(hits)
    assert kept[0].signals.relevance == pytest.approx(5.0)
    assert searched.relevant(hits, everything, Noise(best=1.0, spread=0.1)) == []
    by_word = Searched(UserIndex(rows), Question.read("opera", START), EAST)
    assert by_word.relevant(hits, everything, Noise(best=9.0, spread=0.01))  # it has all the words
    assert RELEVANT > 0


def test_rows_that_may_not_come_back_make_nothing_relevant() -> None:
    rows = said("opera", "soup")
    searched = Searched(UserIndex(rows), Question.read("opera", START), EAST)
    only_soup = np.array([False, True])
    assert searched.relevant(searched.best(only_soup, limit=3), only_soup, Noise(1.0, 0.1)) == []


def test_noise_is_the_best_by_chance() -> None:
    cosines = np.array([[0.1, 0.3], [0.3, 0.5], [0.2, 0.1]])
    noise = Noise.of(cosines)
    assert (noise.best, noise.spread) == pytest.approx((0.4, cosines.std(axis=0).mean()))
    assert Noise.of(np.full((3, 2), 0.7)).spread > 0
