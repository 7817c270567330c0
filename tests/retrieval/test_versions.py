from __future__ import annotations

import pytest

from langmem_ext.retrieval.lexical import tokenise
from langmem_ext.retrieval.utterance import Utterance
from langmem_ext.retrieval.versions import newer_first
from tests.support.memories import row


def overtaken(question: str, *statements: str) -> dict[int, int]:
    """Statements best first; each is newer than the one before."""
    said = [Utterance.of(row(str(number), text).item) for number, text in enumerate(statements)]
    asked = frozenset(tokenise(question))
    return newer_first(
        range(len(said)),
        lambda number: said[number].statement,
        lambda number: (said[number].speaker, asked.intersection(said[number].terms)),
        lambda number: (float(number), number),
    )


@pytest.mark.parametrize(
    ("question", "older", "newer"),
    [
        (
            "What is the capital of France?",
            "The capital of France is Paris.",
            "The capital of France is Lyon.",
        ),
        (
            "Who is Elvis married to?",
            "Elvis Presley is married to Priscilla",
            "Elvis Presley is married to Ann",
        ),
        ("用户住在哪里？", "用户住在北京", "用户住在上海"),
    ],
)
def test_the_newer_of_two_versions_goes_first(question: str, older: str, newer: str) -> None:
    assert overtaken(question, older, newer) == {1: 0}


@pytest.mark.parametrize(
    ("question", "one", "other"),
    [
        (
            "What is the capital of France?",
            "The capital of France is Paris.",
            "The capital of Spain is Madrid.",
        ),
        ("Who likes tea?", "Anna likes green tea", "Bob likes green tea"),
        (
            "What about the garden?",
            "My garden is full of roses and bees",
            "My garden party starts at nine sharp",
        ),
        ("Who likes tea?", "Anna: I like green tea", "Bob: I like green tea"),
        ("Hello?", "Thanks", "Thanks"),
        ("What is her work?", "User is a nurse", "User is a vegan"),
        ("What does the user like?", "User likes tea", "User likes jazz"),
        ("anything", "", ""),
    ],
)
def test_different_facts_stay_where_they_are(question: str, one: str, other: str) -> None:
    assert overtaken(question, one, other) == {}


def test_the_newest_of_three_goes_before_both() -> None:
    found = overtaken(
        "capital of France", *(f"The capital of France is {name}" for name in ("A1", "B2", "C3"))
    )
    assert list(found.items()) == [(1, 0), (2, 0)]  # the last is put first


def test_an_older_one_that_is_behind_stays_behind() -> None:
    words = ["capital", "of", "France"]
    ages = {0: (1.0, 0), 1: (0.0, 1)}
    assert (
        newer_first([0, 1], lambda row: words, lambda row: (None, frozenset(words)), ages.__getitem__) == {}
    )
