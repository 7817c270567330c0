"""Memories that tell what was said in other words: all of them true, so all of them are taken."""

from __future__ import annotations

import pytest

from tests.extraction.helpers import parsed
from tests.extraction.paraphrases import CHINESE, ENGLISH


@pytest.mark.parametrize(("said", "quote", "text"), ENGLISH + CHINESE)
def test_a_true_paraphrase_is_taken(said: str, quote: str | None, text: str) -> None:
    candidates, rejected = parsed(said, {"text": text, "quote": quote or said})
    assert ([candidate.content for candidate in candidates], rejected) == ([text], [])


def test_there_are_enough_of_them() -> None:
    assert len(ENGLISH) + len(CHINESE) >= 60
