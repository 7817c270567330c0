from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langmem_ext.evaluation.metrics import (
    all_at,
    ndcg_at,
    newer_first,
    recall_at,
    recall_within,
    reciprocal_rank,
)

RANKED = ["a", "b", "c", "d"]


def test_recall_is_the_share_of_the_evidence_and_not_whether_any_was_found() -> None:
    assert [recall_at(RANKED, {"b", "d"}, k) for k in (1, 2, 4)] == [0, 0.5, 1]
    assert [all_at(RANKED, {"b", "d"}, k) for k in (2, 4)] == [0, 1]
    assert recall_at(RANKED, {"x", "a"}, 4) == 0.5


def test_a_passage_in_several_rows_counts_once() -> None:
    assert recall_at(["a", "a", "b"], {"a", "b"}, 2) == 0.5
    assert ndcg_at(["a", "a", "b"], {"a", "b"}, 3) == pytest.approx((1 + 1 / 2) / (1 + 1 / math.log2(3)))


def test_ranks() -> None:
    assert [reciprocal_rank(RANKED, {name}) for name in "adx"] == [1, 0.25, 0]
    assert ndcg_at(RANKED, {"a"}, 4) == 1
    assert ndcg_at(RANKED, {"b"}, 4) == pytest.approx(1 / math.log2(3))
    assert ndcg_at(RANKED, {"d"}, 3) == 0


def test_a_budget_skips_what_does_not_fit() -> None:
    assert recall_within(RANKED, [5, 100, 5, 5], {"b", "c", "d"}, 15) == pytest.approx(2 / 3)
    assert recall_within(RANKED, [5, 5, 5, 5], {"a", "d"}, 10) == 0.5
    assert recall_within(RANKED, [5, 5, 5, 5], {"a", "d"}, 0) == 0


def test_the_current_fact_before_the_outdated_one() -> None:
    assert newer_first(RANKED, {"a"}, {"b"}) == 1
    assert newer_first(RANKED, {"b"}, {"a"}) == 0
    assert newer_first(RANKED, {"a"}, {"x"}) == 1
    assert newer_first(RANKED, {"x"}, {"b"}) == 0
    assert newer_first(RANKED, {"x"}, {"y"}) == 0  # neither was found


@given(
    st.lists(st.sampled_from("abcdefgh"), max_size=8, unique=True),
    st.sets(st.sampled_from("abcdefgh"), min_size=1),
    st.integers(1, 8),
)
def test_figures_are_shares_and_grow_with_k(ranked: list[str], relevant: set[str], k: int) -> None:
    for compute in (recall_at, all_at, ndcg_at):
        assert 0 <= compute(ranked, relevant, k) <= 1 + 1e-12
    assert recall_at(ranked, relevant, k) <= recall_at(ranked, relevant, k + 1)
    assert all_at(ranked, relevant, k) <= recall_at(ranked, relevant, k)
    assert recall_within(ranked, [1] * len(ranked), relevant, k) == recall_at(ranked, relevant, k)
