"""Long conversations in windows."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langmem_ext.extraction.windows import windows
from langmem_ext.messages import Message, Role
from langmem_ext.tokens import estimate_tokens

LIMIT = 120


def message(number: int, content: str, role: Role = "user") -> Message:
    return Message(role, content, role, f"m{number}")


def letters(text: str) -> str:
    return "".join(text.split())


def test_a_short_conversation_is_one_window() -> None:
    said = [message(1, "I moved to Lyon."), message(2, "How nice!", "assistant")]
    assert windows(said, LIMIT) == [tuple(said)]
    assert windows([], LIMIT) == []


def test_windows_begin_alike_when_a_conversation_goes_on() -> None:
    said = [message(number, f"Sentence number {number} of a long chat.") for number in range(60)]
    before, after = windows(said[:40], LIMIT), windows(said, LIMIT)
    assert len(before) > 3
    assert after[: len(before) - 1] == before[:-1]


def test_the_question_before_a_window_is_repeated_in_front_of_it() -> None:
    said = [
        message(1, "Well. " * 20),
        message(2, "A long story first. " * 20 + "Shall I note that you are vegetarian?", "assistant"),
        message(3, "Yes, please do. " * 5),
    ]
    *_, last = windows(said, LIMIT)
    assert [part.message_id for part in last] == ["m2", "m3"]
    assert last[0].content.endswith("Shall I note that you are vegetarian?")
    assert len(last[0].content) < len(said[1].content)


def test_words_of_a_person_are_in_one_window_only() -> None:
    said = [message(number, f"I own thing number {number}. " * 3) for number in range(30)]
    seen = [part.message_id for window in windows(said, LIMIT) for part in window]
    assert seen == [part.message_id for part in said]


def test_a_long_message_is_split_between_sentences() -> None:
    sentences = [f"My {number}. friend lives in town number {number}." for number in range(50)]
    chinese = [f"我的第{number}个朋友住在第{number}个城市。" for number in range(50)]
    for said in (" ".join(sentences), "".join(chinese)):
        parts = [part.content for window in windows([message(1, said)], LIMIT) for part in window]
        assert len(parts) > 5
        assert all(part.endswith((".", "。")) for part in parts)


@pytest.mark.parametrize("said", ["x" * 5000, "字" * 3000, "word " * 3000, "🙂" * 2000, "!" * 4000])
def test_a_message_without_sentences_is_split_too(said: str) -> None:
    found = windows([message(1, said)], LIMIT)
    assert letters("".join(part.content for window in found for part in window)) == letters(said)
    assert all(estimate_tokens(part.content) <= LIMIT for window in found for part in window)


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(["user", "assistant"]), st.text(min_size=1, max_size=400)), max_size=8)
)
def test_nothing_is_lost_and_no_window_is_too_long(turns: list[tuple[Role, str]]) -> None:
    said = [message(number, text, role) for number, (role, text) in enumerate(turns) if text.strip()]
    found = windows(said, LIMIT)
    for whole in said:
        if whole.role == "user":  # of the assistant a piece may be there twice
            parts = [part for window in found for part in window if part.message_id == whole.message_id]
            assert letters("".join(part.content for part in parts)) == letters(whole.content)
    for window in found:
        new = [part for part in window if part.role == "user"]
        assert sum(estimate_tokens(part.content) for part in new) <= LIMIT
