from __future__ import annotations

from datetime import UTC, datetime

import pytest

from langmem_ext.retrieval.question import Question

NOW = datetime(2024, 5, 15, tzinfo=UTC)


def read(text: str) -> Question:
    return Question.read(text, NOW)


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("What is the name of my cat?", "i"),
        ("Which book did you recommend to me?", "you"),
        ("Can you remind me where I parked?", "i"),
        ("Do you remember what I cooked?", "i"),
        ("Where does Anna live?", None),
        ("我喜欢什么音乐？", "i"),
        ("你给我推荐过哪部电影？", "you"),
        ("你还记得我看了什么展览吗？", "i"),
        ("在5月6号，我给你推荐了什么？", "i"),
        ("今天天气怎么样？", None),
    ],
)
def test_whom_it_is_about(text: str, about: str | None) -> None:
    assert read(text).about == about


def test_one_named_speaker() -> None:
    speakers = ["anna", "ann", "bob", "李雪"]
    assert read("Where does Anna live?").named(speakers) == "anna"
    assert read("What is ANN's job?").named(speakers) == "ann"
    assert read("Did Anna meet Bob?").named(speakers) is None
    assert read("Who bobbed up?").named(speakers) is None
    assert read("李雪喜欢什么？").named(speakers) == "李雪"
    assert read("Anna在哪里？").named(speakers) == "anna"
    assert read("What does the user tell the assistant?").named(["user"]) is None


def test_a_word_counts_once() -> None:
    assert read("tea, tea and more tea").terms == ("tea", "more")


def test_a_time_is_read() -> None:
    (span,) = read("What did I eat yesterday?").spans
    assert datetime.fromtimestamp(span.start, UTC) == datetime(2024, 5, 14, tzinfo=UTC)
