from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from langmem_ext.errors import InvalidInputError
from langmem_ext.retrieval.ranking import Evidence, Ranked, rank, similarity


def ranked(
    cosines: list[float] | None,
    keywords: list[float] | None = None,
    *,
    allowed: list[bool] | None = None,
    ties: list[float] | None = None,
    limit: int = 10,
    min_similarity: float | None = None,
    newer: Mapping[int, int] | None = None,
) -> list[Ranked]:
    """Totals are the cosines plus the keyword scores."""
    size = len(cosines if cosines is not None else keywords or [])
    words = np.array(keywords or [0.0] * size)
    signals = {"words": words}
    if cosines is not None:
        signals["meaning"] = np.nan_to_num(np.array(cosines, dtype=np.float64).round(6))
    return rank(
        Evidence(None if cosines is None else np.array(cosines, dtype=np.float32), words, words, signals),
        np.array([True] * size if allowed is None else allowed, dtype=bool),
        list(range(size)) if ties is None else ties,
        limit=limit,
        weights={"words": 1.0, "meaning": 1.0},
        newer=None if newer is None else (lambda rows: newer),
        min_similarity=min_similarity,
    )


def rows(hits: list[Ranked]) -> list[int]:
    return [hit.row for hit in hits]


def test_scores_are_never_distances() -> None:
    hits = ranked([-1.0, 1.0, 0.0])
    assert rows(hits) == [1, 2, 0]
    assert hits[0].score == 1.0
    assert all(1 >= a.score > b.score >= 0 for a, b in zip(hits, hits[1:], strict=False))
    assert rows(ranked([-1.0, 1.0, 0.0], min_similarity=0.5)) == [1, 2]
    assert rows(ranked([-1.0, 1.0, 0.0], min_similarity=0.51)) == [1]


def test_similarity_is_the_documented_map() -> None:
    hits = ranked([0.9, 0.5, 0.1])
    found = [similarity(hit.signals.cosine) for hit in hits if hit.signals.cosine is not None]
    assert found == pytest.approx([0.95, 0.75, 0.55])
    assert [similarity(value) for value in (1.0000001, 1, 0, -1, -1.1)] == [1, 1, 0.5, 0, 0]


def test_equal_vectors_reach_a_threshold_of_one_in_spite_of_float32() -> None:
    assert rows(ranked([0.99999994], min_similarity=1.0)) == [0]


def test_signals_add_up_and_the_score_is_how_far_behind_the_best_a_row_is() -> None:
    first, second, third = ranked([0.9, 0.8, 0.1], [0.0, 2.0, 5.0])
    assert [first.row, second.row, third.row] == [2, 1, 0]
    assert first.score == 1.0
    assert second.score == pytest.approx(math.exp(2.8 - 5.1), rel=1e-5)
    assert second.signals.contributions == pytest.approx({"words": 2.0, "meaning": 0.8})
    assert (second.signals.dense_rank, second.signals.keyword_rank) == (2, 2)
    assert (third.signals.dense_rank, third.signals.keyword_rank, third.signals.keyword_score) == (
        1,
        None,
        0.0,
    )


def test_a_newer_row_goes_directly_before_the_one_it_replaces() -> None:
    hits = ranked([0.9, 0.8, 0.7, 0.1], newer={3: 1})
    assert rows(hits) == [0, 3, 1, 2]
    assert hits[1].signals.contributions["newer"] == pytest.approx(0.7, abs=1e-4)
    assert "newer" not in hits[0].signals.contributions
    assert rows(ranked([0.9, 0.1, 0.2], newer={2: 0, 1: 0})) == [1, 2, 0]  # the last one is the newest


def test_without_an_embedder_the_words_decide() -> None:
    hits = ranked(None, [0.0, 1.0, 2.0])
    assert rows(hits) == [2, 1]
    assert hits[0].score == 1.0
    assert hits[0].signals.cosine is None and hits[0].signals.dense_rank is None
    assert ranked(None, [0.0, 0.0]) == []
    assert ranked(None, [1.0], min_similarity=0.0) == []


def test_a_row_without_a_vector_takes_part_by_word_only() -> None:
    assert rows(ranked([float("nan"), 0.5], [1.0, 0.0])) == [0, 1]
    assert ranked([float("nan"), 0.5], [1.0, 0.0])[0].signals.cosine is None
    assert rows(ranked([float("nan"), 0.5])) == [1]
    assert rows(ranked([float("nan"), 0.5], [1.0, 0.0], min_similarity=0.0)) == [1]


def test_rows_that_are_not_allowed_take_no_place() -> None:
    cosines = [1 - n / 1000 for n in range(300)]
    allowed = [n >= 250 for n in range(300)]
    hits = ranked(cosines, cosines, allowed=allowed, limit=3)
    assert rows(hits) == [250, 251, 252]
    assert hits[0].signals.dense_rank == hits[0].signals.keyword_rank == 1
    assert hits[0].score == 1.0


def test_a_threshold_takes_effect_before_the_ranks() -> None:
    hits = ranked([0.2, 0.9], [5.0, 1.0], min_similarity=0.9)
    assert [(hit.row, hit.score, hit.signals.keyword_rank) for hit in hits] == [(1, 1.0, 1)]


def test_equal_signals_follow_the_tie_break_then_the_row() -> None:
    assert rows(ranked([0.5] * 4, ties=[3.0, 1.0, 2.0, 1.0])) == [1, 3, 2, 0]
    assert rows(ranked(None, [1.0] * 3, ties=[1.0, 0.0, 0.0])) == [1, 2, 0]
    hits = ranked([0.5 + 1e-7, 0.5], ties=[1.0, 0.0])  # float noise is a tie
    assert rows(hits) == [1, 0]


def test_a_tie_at_the_limit_is_decided_by_the_tie_break() -> None:
    hits = ranked([0.5] * 150, ties=[float(-n) for n in range(150)], limit=100)
    assert rows(hits) == list(range(149, 49, -1))


def test_equal_totals_tie_and_the_closer_meaning_wins() -> None:
    first, second = ranked([0.5, 0.75], [1.0, 0.75])
    assert (first.row, second.row) == (1, 0)
    assert first.score > second.score


def test_the_limit_holds() -> None:
    assert len(ranked([n / 500 for n in range(500)], limit=400)) == 400
    assert len(ranked([n / 500 for n in range(500)], limit=5)) == 5
    assert len(ranked([n / 500 for n in range(500)], limit=5, newer={})) == 5
    assert ranked([0.5], limit=0) == []


def test_lengths_must_agree() -> None:
    with pytest.raises(InvalidInputError, match="one entry per row"):
        ranked([0.1, 0.2], [1.0])
    assert ranked([], []) == []


SIGNAL = st.tuples(
    st.sampled_from([-1.0, 0.0, 0.25, 0.5, 0.9, float("nan")]),
    st.sampled_from([0.0, 0.0, 1.0, 2.5]),
    st.booleans(),
)


@given(st.lists(SIGNAL, max_size=20), st.integers(0, 25), st.none() | st.sampled_from([0.0, 0.5, 0.75, 1.0]))
def test_order_score_and_mask_agree(
    signals: list[tuple[float, float, bool]], limit: int, least: float | None
) -> None:
    cosines, keywords = [s[0] for s in signals], [s[1] for s in signals]
    allowed = [s[2] for s in signals]

    def run() -> list[Ranked]:
        return ranked(cosines, keywords, allowed=allowed, limit=limit, min_similarity=least)

    hits = run()
    assert hits == run()
    assert len(hits) == len(set(rows(hits))) <= limit
    assert all(allowed[hit.row] for hit in hits)
    assert all(a.score > b.score for a, b in zip(hits, hits[1:], strict=False))
    assert all(0 <= hit.score <= 1 for hit in hits)
    if least is not None:
        assert all(hit.signals.cosine is not None and similarity(hit.signals.cosine) >= least for hit in hits)


@given(st.floats(-1, 1, width=32))
def test_the_similarity_shown_is_a_threshold_that_the_row_passes(cosine: float) -> None:
    (hit,) = ranked([cosine])
    assert hit.signals.cosine == pytest.approx(cosine, abs=1e-6)
    assert len(ranked([cosine], min_similarity=similarity(hit.signals.cosine or 0.0))) == 1
