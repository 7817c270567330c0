from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langmem_ext.text import comparison_key, content_key, is_chinese, normalise, well_formed

ANY_TEXT = st.text(st.characters(exclude_categories=[]), max_size=40)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("User likes Caf\u00e9 Flore", "User likes Cafe\u0301  Flore "),
        ("User prefers dark mode", "user prefers Dark Mode."),
        ("用户住在杭州。", "用户住在杭州"),
        ("ＡＢＣ１２３", "abc123"),
        ("a\u00a0b", "a b"),
        ("ｶﾞ", "ガ"),
        ("Straße!", "strasse"),
    ],
)
def test_spellings_of_one_sentence_compare_equal(one: str, other: str) -> None:
    assert comparison_key(one) == comparison_key(other)
    assert content_key(one) == content_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("10²", "102"),
        ("User likes cats", "User dislikes cats"),
        ("User flight is on 2026-05-03", "User flight is on 2026-05-30"),
        ("C", "C++"),
        ("User has 1,5 litres", "User has 15 litres"),
        ("Is it?", "Is it"),
        ("用户喜欢猫", "用户不喜欢猫"),
        ("-5", "5"),
    ],
)
def test_sentences_that_differ_in_sense_compare_different(one: str, other: str) -> None:
    assert comparison_key(one) != comparison_key(other)


def test_the_stored_form_keeps_case_width_and_full_stop() -> None:
    assert normalise("  User\u3000likes \n ＴＥＡ。 ") == "User likes ＴＥＡ。"


def test_pairs_are_joined_and_lone_halves_replaced() -> None:
    assert well_formed("\ud83c\udf78") == "\U0001f378"
    assert well_formed("a\ud83cb") == "a\ufffdb"


@given(ANY_TEXT)
def test_forms_are_stable_and_can_be_written(text: str) -> None:
    stored = normalise(text)
    stored.encode()
    assert normalise(stored) == stored
    assert comparison_key(stored) == comparison_key(text)
    assert "  " not in stored and stored == stored.strip()


@pytest.mark.parametrize("text", ["用户住在杭州", "我用 Python 写代码", "在准备 Java 面试"])
def test_a_chinese_text(text: str) -> None:
    assert is_chinese(text)


@pytest.mark.parametrize(
    "text", ["", "User lives in Lyon", "The word 茶 means tea in Chinese, they said", "42"]
)
def test_a_text_that_is_not_chinese(text: str) -> None:
    assert not is_chinese(text)
