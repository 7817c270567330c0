"""Somebody puts themself right in the same breath: never the word that was taken back."""

from __future__ import annotations

import time

import pytest

from tests.extraction.helpers import learned


@pytest.mark.parametrize(
    ("text", "content", "key"),
    [
        ("I live in Rome, no wait, Milan.", "The user lives in Milan.", "residence.city"),
        ("I live in Rome, sorry, I mean Milan.", "The user lives in Milan.", "residence.city"),
        ("I live in Rome, or rather Milan.", "The user lives in Milan.", "residence.city"),
        ("I live in Rome. No wait, Milan.", "The user lives in Milan.", "residence.city"),
        ("I live in Rome... no wait, Milan.", "The user lives in Milan.", "residence.city"),
        ("I live in Rome, no, not Rome but Milan.", "The user lives in Milan.", "residence.city"),
        ("I live in Rome, no wait, I live in Milan.", "The user lives in Milan.", "residence.city"),
        ("I live in Rome, no, Paris, no wait, Milan.", "The user lives in Milan.", "residence.city"),
        ("My birthday is on 3 May, actually 4 May.", "The user's birthday is on 4 May.", "birthday"),
        ("I work at Acme, no, at Initech.", "The user works at Initech.", "employment.employer"),
        ("My name is Ann, no, wait: Anna.", "The user's name is Anna.", "name"),
        ("I'm a teacher, no wait, an engineer.", "The user is an engineer.", "employment.title"),
        ("I like tea, no wait, I like coffee.", "The user likes coffee.", None),
        ("My sister lives in Rome, no wait, Milan.", "The user's sister lives in Milan.", None),
        ("My favourite tram line is 7, no wait, it's 12, not 7.", "The user's favourite tram line is 12.",
         "favorite.tram_line"),
        ("我住在北京，不对，是天津。", "用户住在天津。", "residence.city"),
        ("我住在北京。不对，是天津。", "用户住在天津。", "residence.city"),
        ("我住在北京，不对，不是北京，是上海", "用户住在上海。", "residence.city"),
        ("我叫王伟，说错了，叫王维。", "用户叫王维。", "name"),
        ("我在腾讯工作，不对，是阿里。", "用户在阿里工作。", "employment.employer"),
        ("我在腾讯工作，不对，是在阿里工作。", "用户在阿里工作。", "employment.employer"),
        ("我生日是5月3日，不对，是5月4日。", "用户的生日是5月4日。", "birthday"),
    ],
)  # fmt: skip
def test_the_word_that_was_meant_is_learned(text: str, content: str, key: str | None) -> None:
    [candidate] = learned(text)
    assert (candidate.content, candidate.key, candidate.correction) == (content, key, False)
    assert candidate.source is not None and candidate.source.quote in text


@pytest.mark.parametrize(
    "text",
    [
        "I have two cats, no, three.",
        "I moved to Rome in 2019, no, Milan.",
        "我在北京住，说错了，是天津",
        "我养了一只猫，不对，是狗。",
        "Do I live in Rome, no wait, Milan?",
        "He said “I live in Rome, no wait, Milan.”",
    ],
)
def test_an_unclear_repair_leaves_nothing(text: str) -> None:
    assert learned(text) == []


def test_the_rest_of_the_sentence_stays() -> None:
    said = "I live in Rome — no, Milan — and I have two cats. My sister Ann is a vegetarian."
    assert [candidate.content for candidate in learned(said)] == [
        "The user lives in Milan.",
        "The user has two cats.",
        "The user's sister Ann is a vegetarian.",
    ]
    said = "我喜欢喝茶，住在北京，哦不，是天津，我有两只猫。"
    assert [candidate.content for candidate in learned(said)] == [
        "用户喜欢喝茶。",
        "用户住在天津。",
        "用户有两只猫。",
    ]


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("No, I live in Rome.", "The user lives in Rome."),
        ("Actually, I live in Rome.", "The user lives in Rome."),
        ("I live in Rome, actually.", "The user lives in Rome."),
        ("I live in Rome, no, really.", "The user lives in Rome."),
        ("I live in Rome. Sorry, Anna.", "The user lives in Rome."),
        ("I live in Rome, sorry, what was the question?", "The user lives in Rome."),
        ("I love Rome, actually more than Milan.", "The user loves Rome."),
        ("I love Rome, I mean it.", "The user loves Rome."),
        ("I have two cats, no dogs.", "The user has two cats."),
        ("I don't eat meat, no, never.", "The user doesn't eat meat."),
        ("我住在北京，不对吗？", "用户住在北京。"),
        ("我觉得这个答案不对，我住在天津。", "用户住在天津。"),
    ],
)
def test_what_repairs_nothing_is_read_as_it_is(text: str, content: str) -> None:
    assert [candidate.content for candidate in learned(text)] == [content]


@pytest.mark.parametrize("said", ["I live in Rome, no wait, Milan", "我住在北京，不对，是天津"])
@pytest.mark.parametrize("more", [", no wait, Paris", "，不对，是重庆", " " * 10, ", "])
def test_endless_repairs_are_read_fast(said: str, more: str) -> None:
    start = time.perf_counter()
    learned(said + more * 1500 + ".")
    assert time.perf_counter() - start < 5
