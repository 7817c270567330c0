from __future__ import annotations

import pytest

from langmem_ext.items import Source
from langmem_ext.retrieval.utterance import Utterance
from tests.support.memories import row


def of(content: str, *, speaker: str | None = None) -> Utterance:
    source = () if speaker is None else (Source("m1", speaker, "words"),)
    return Utterance.of(row("m1", content, source=source).item)


@pytest.mark.parametrize(
    ("content", "speaker"),
    [
        ("Anna: I like tea", "anna"),
        ("Mary Jane Watson: hello", "mary jane watson"),
        ("张曼婷：你好", "张曼婷"),
        ("张曼婷: 你好", "张曼婷"),
        ("user:你好", "user"),
        ("I like tea", None),
        ("https://example.org is good", None),
        ("at 10:30 we met", None),
        ("what they said of it is this: nothing", None),
        ("Anna:", None),
    ],
)
def test_the_name_in_front_is_who_speaks(content: str, speaker: str | None) -> None:
    assert of(content).speaker == speaker


def test_without_a_name_the_source_says_who_speaks() -> None:
    assert of("I like tea", speaker="User").speaker == "user"
    assert of("Anna: I like tea", speaker="User").speaker == "anna"


def test_a_statement_is_the_words_without_the_name() -> None:
    said = of("Anna: I like green tea.")
    assert said.terms == ("anna", "like", "green", "tea")
    assert said.statement == ("i", "like", "green", "tea")
    assert of("张曼婷：绿茶好喝").statement == of("绿茶好喝").statement == ("绿茶", "好喝")
    assert of("The user's dog").statement == of("User dog").statement == ("dog",)


def test_how_much_is_a_question() -> None:
    assert of("How are you?").question_share == 1
    assert of("I am fine.").question_share == 0
    assert 0.3 < of("I had tea. And what did you have?").question_share < 0.8
    assert of("你好吗？").question_share == 1


def test_assistants_are_known_by_their_role() -> None:
    assert [of(f"{name}: hello").by_assistant for name in ("AI", "Assistant", "助手", "Anna", "user")] == [
        True,
        True,
        True,
        False,
        False,
    ]
