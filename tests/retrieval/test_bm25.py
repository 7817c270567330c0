from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from langmem_ext.retrieval.bm25 import KeywordIndex

CHAIN = np.array([[-1, 1], [0, 2], [1, -1], [-1, -1]])  # three rows beside each other, one alone


def test_a_row_is_found_in_context_by_the_words_beside_it() -> None:
    index = KeywordIndex([["tea"], ["cup"], ["pot"], ["milk"]], CHAIN)
    match = index.match(["tea"])
    assert [score > 0 for score in match.alone] == [True, False, False, False]
    assert [score > 0 for score in match.context] == [True, True, False, False]


def test_context_is_bm25_of_a_row_and_its_neighbours_as_one_text() -> None:
    documents = [["tea", "cup"], ["tea"], ["pot"], ["milk", "tea"]]
    joined = [documents[0] + documents[1], documents[0] + documents[1] + documents[2]]
    joined += [documents[1] + documents[2], documents[3]]
    found = KeywordIndex(documents, CHAIN).match(["tea", "pot", "cup"]).context
    alone = KeywordIndex(joined)
    alone._norm = alone._context_norm  # the length counts more there
    assert found == pytest.approx(alone.scores(["tea", "pot", "cup"]))


def test_without_neighbours_both_find_the_same_rows() -> None:
    match = KeywordIndex([["tea"], ["cup", "tea"], ["milk"]]).match(["tea"])
    assert (match.alone > 0).tolist() == (match.context > 0).tolist()


def test_coverage_is_the_share_of_the_words_by_how_rare_they_are() -> None:
    index = KeywordIndex([["tea", "cup"], ["tea"], ["tea"], []])
    coverage = index.match(["tea", "cup"]).coverage
    assert coverage[0] == pytest.approx(1.0) and coverage[3] == 0
    assert 0 < coverage[1] < 0.5  # the rarer one is missing
    assert index.match(["tea", "cup", "unheard"]).coverage[0] < 0.8
    assert index.match(["unheard"]).coverage.tolist() == [0.0] * 4
    assert index.match([]).coverage.tolist() == [0.0] * 4


@given(
    st.lists(st.lists(st.sampled_from("abcdef"), max_size=6), min_size=1, max_size=8),
    st.lists(st.sampled_from("abcxy"), max_size=6),
)
def test_working_in_parts_changes_nothing(documents: list[list[str]], query: list[str]) -> None:
    whole = KeywordIndex(documents).match(query)
    parts = pytest.MonkeyPatch()
    with parts.context() as patch:
        patch.setattr("langmem_ext.retrieval.bm25._CELLS", 1)
        for one, other in zip(whole, KeywordIndex(documents).match(query), strict=True):
            assert one == pytest.approx(other)
