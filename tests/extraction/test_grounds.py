"""Memories that a quote does not show, although it was said; confirmations; group chats."""

from __future__ import annotations

from typing import Any

import pytest

from tests.extraction.helpers import parsed

KETO = ("assistant", "You could try a keto diet, or play the violin.")


def reasons(said: Any, text: str, quote: str | None, **fields: Any) -> list[str]:
    entry = {"text": text, **({} if quote is None else {"quote": quote}), **fields}
    candidates, rejected = parsed(said, entry)
    assert len(candidates) + len(rejected) == 1
    return [reason.split(":")[0] for reason in rejected]


@pytest.mark.parametrize("quoted", [True, False], ids=["quoted", "not quoted"])
@pytest.mark.parametrize(
    ("said", "text"),
    [
        # numbers and dates
        ("I have 15 dogs", "The user has 5 dogs"),
        ("I have 15 dogs", "The user has 150 dogs"),
        ("I have fifteen dogs", "The user has five dogs"),
        ("I have two kids", "The user has three kids"),
        ("I have thirty-five hens", "The user has 5 hens"),
        ("我有十五只狗", "用户有5只狗"),
        ("我有三只猫", "用户有四只猫"),
        ("我月薪3万", "用户月薪3000元"),
        ("I finish work at 7pm", "The user finishes work at 17:00"),
        ("I moved to Lyon in 2016", "The user moved to Lyon in 2019"),
        ("I moved to Lyon in 2016", "The user moved to Lyon in 2024"),
        ("我2016年搬到里昂", "用户2019年搬到里昂"),
        ("My flight is on 3 May 2024", "The user's flight is on 8 May 2024"),
        ("My flight is on 3 May 2024", "The user's flight is on 3 June 2024"),
        ("My flight is on May 3rd", "The user's flight is on 2024-05-08"),
        ("我5月3日飞上海", "用户5月8日飞上海"),
        ("My flight goes to Lyon", "The user's flight goes to Lyon on 8 May 2024"),
        # denials
        ("I don't smoke", "The user smokes"),
        ("I smoke", "The user does not smoke"),
        ("I'm not vegetarian", "The user is vegetarian"),
        ("I'm vegetarian", "The user is not vegetarian"),
        ("I have no kids", "The user has kids"),
        ("I never drink alcohol", "The user drinks alcohol"),
        ("I can't swim", "The user can swim"),
        ("I live in Lyon", "The user no longer lives in Lyon"),
        ("我不抽烟", "用户抽烟"),
        ("我抽烟", "用户不抽烟"),
        ("我不是素食者", "用户是素食者"),
        ("我没有孩子", "用户有孩子"),
        ("我对花生不过敏", "用户对花生过敏"),
        ("我不会开车", "用户会开车"),
        # of whom
        ("My sister is a nurse", "The user is a nurse"),
        ("Well, my older brother Tom lives in Lyon", "The user lives in Lyon"),
        ("My dog loves carrots", "The user loves carrots"),
        ("She works as a nurse in Lyon", "The user works as a nurse in Lyon"),
        ("Tom lives in Lyon", "The user lives in Lyon"),
        ("我妈妈是护士", "用户是护士"),
        ("我老婆对花生过敏", "用户对花生过敏"),
        ("她住在杭州", "用户住在杭州"),
        # questions and daydreams
        ("Do you think I like sushi?", "The user likes sushi"),
        ("Do I like sushi?", "The user likes sushi"),
        ("Am I allergic to nuts?", "The user is allergic to nuts"),
        ("Should I move to Lyon?", "The user moves to Lyon"),
        ("Is sushi healthy?", "The user eats healthy sushi"),
        ("你觉得我喜欢寿司吗？", "用户喜欢寿司"),
        ("我是不是对花生过敏？", "用户对花生过敏"),
        ("If I were rich I would live in Monaco.", "The user lives in Monaco"),
        ("I wish I lived in Lyon", "The user lives in Lyon"),
        ("Imagine I had three dogs", "The user has three dogs"),
        ("要是我有钱就住在大理", "用户住在大理"),
    ],
)
def test_what_was_changed_is_not_what_was_said(said: str, text: str, *, quoted: bool) -> None:
    assert reasons(said, text, said if quoted else None) == ["unsupported"]


@pytest.mark.parametrize(
    ("said", "text", "quote"),
    [
        ([KETO, ("user", "I live in Lyon")], "The user is on a keto diet", "I live in Lyon"),
        ([("user", "I live in Lyon"), KETO], "The user plays the violin", "I live in Lyon"),
        ("I live in Lyon", "The user plays the violin", "I live in Lyon"),
        ([("assistant", "Do you smoke?"), ("user", "I live in Lyon")], "The user smokes", "I live in Lyon"),
        ("我住在杭州", "用户拉小提琴", "我住在杭州"),
        ("If I were rich I would live in Monaco.", "The user lives in Monaco", "I would live in Monaco"),
        ("I don't smoke, I live in Lyon", "The user smokes", "I live in Lyon"),
        ("I'm not vegetarian", "The user is vegetarian", "vegetarian"),
        ("My sister is a nurse", "The user is a nurse", "is a nurse"),
        ("We have 2 kids, 5 and 7", "The user has 3 kids", "We have 2 kids, 5 and 7"),
        ("I have a cat, not a dog", "The user has a dog", "I have a cat, not a dog"),
        ("I don't have a dog, I have a cat", "The user has a dog", "I have a cat"),
        ("My wife's a doctor and I'm a nurse", "The user is a doctor", "My wife's a doctor"),
        ("I never drink coffee in the evening", "The user drinks coffee in the evening", "in the evening"),
        ("我和老婆都不吃辣", "用户和妻子都吃辣", "我和老婆都不吃辣"),
        ("I am 34, Lee is 12", "The user, Lee, is 124", "I am 34"),
    ],
)
def test_a_true_quote_does_not_carry_something_else(said: Any, text: str, quote: str) -> None:
    assert reasons(said, text, quote) == ["unsupported"]


def test_another_place_of_the_same_words_may_show_it() -> None:
    said = [{"role": "user", "content": "Do I like sushi?", "id": "a"},
            {"role": "user", "content": "Yes, I like sushi.", "id": "b"}]  # fmt: skip
    [candidate], _ = parsed(said, {"text": "The user likes sushi", "quote": "I like sushi", "message": 1})
    assert candidate.source.message_id == "b"


# Confirmations


@pytest.mark.parametrize(
    ("asked", "said", "quote", "text"),
    [
        ("So you are allergic to nuts?", "Yes.", "Yes", "The user is allergic to nuts"),
        ("So you are allergic to nuts?", "Yes, I am", "Yes, I am", "The user is allergic to nuts"),
        ("So you are allergic to nuts?", "Yes, I am", "I am", "The user has a nut allergy"),
        (
            "So you are allergic to nuts?",
            "Yes I do. And I like tea.",
            "Yes I do",
            "The user is allergic to nuts",
        ),
        ("So you are allergic to nuts?", "yes exactly", "yes exactly", "The user is allergic to nuts"),
        ("You live in Lyon and work at Seb.", "That's right", "That's right", "The user lives in Lyon"),
        (
            "You live in Lyon. Is that right?",
            "Yes, that is right",
            "Yes, that is right",
            "The user lives in Lyon",
        ),
        ("You live in Lyon. Shall I remember that?", "Yes please", "Yes please", "The user lives in Lyon"),
        ("You don't smoke, right?", "Yes", "Yes", "The user does not smoke"),
        ("Aren't you vegetarian?", "Yes", "Yes", "The user is vegetarian"),
        ("You're vegetarian, aren't you?", "Yes", "Yes", "The user is vegetarian"),
        ("Should I always answer in French?", "sure", "sure", "Always answer the user in French"),
        ("Do you have 2 kids?", "yep", "yep", "The user has two kids"),
        ("So your sister is a nurse?", "Yes", "Yes", "The user's sister is a nurse"),
        ("你对坚果过敏吗？", "对的", "对的", "用户对坚果过敏"),
        ("您是不是住在杭州？", "是的", "是的", "用户住在杭州"),
        ("你不抽烟，对吧？", "嗯，对", "嗯，对", "用户不抽烟"),
        ("以后都用中文回答，可以吗？", "好的", "好的", "以后都用中文回答用户"),
    ],
)
def test_a_yes_makes_the_question_a_statement(asked: str, said: str, quote: str, text: str) -> None:
    candidates, rejected = parsed([("assistant", asked), ("user", said)], {"text": text, "quote": quote})
    assert ([candidate.content for candidate in candidates], rejected) == ([text], [])
    assert candidates[0].source.quote == quote
    assert candidates[0].source.speaker == "user"


@pytest.mark.parametrize(
    ("asked", "said", "quote", "text"),
    [
        ("So you are allergic to nuts?", "No.", "No", "The user is allergic to nuts"),
        ("So you are allergic to nuts?", "No.", "No.", "The user is not allergic to nuts"),
        ("So you are allergic to nuts?", "Yes, but not to peanuts.", "Yes", "The user is allergic to nuts"),
        ("So you are allergic to nuts?", "Yes. Just kidding!", "Yes", "The user is allergic to nuts"),
        ("So you are allergic to nuts?", "I don't know, yes?", "yes", "The user is allergic to nuts"),
        ("So you are allergic to nuts?", "Yes", "Yes", "The user is vegetarian"),
        ("You don't smoke, right?", "Yes", "Yes", "The user smokes"),
        ("You don't smoke, do you?", "Yes", "Yes", "The user does not smoke"),
        ("You don't smoke, right?", "Yes, I do", "Yes, I do", "The user does not smoke"),
        ("Do you have 2 kids?", "Yes", "Yes", "The user has 3 kids"),
        ("Are you Ann?", "Yes", "Yes", "The user is called Maria Ann"),
        ("So your sister is a nurse?", "Yes", "Yes", "The user is a nurse"),
        ("Would you live in Monaco if you were rich?", "Yes", "Yes", "The user lives in Monaco"),
        ("Do you prefer tea or coffee?", "Yes", "Yes", "The user prefers tea"),
        ("Many on keto avoid bread. Are you vegan?", "Yes", "Yes", "The user is on a keto diet"),
        ("The capital of France is Paris.", "Exactly", "Exactly", "The capital of France is Paris"),
        ("You live in Lyon.", "sure", "sure", "The user lives in Lyon"),
        ("你对坚果过敏吗？", "不是", "不是", "用户对坚果过敏"),
        ("你不抽烟，对吧？", "对", "对", "用户抽烟"),
        ("你不是素食者吗？", "是的", "是的", "用户不是素食者"),
    ],
)
def test_a_yes_confirms_nothing_else(asked: str, said: str, quote: str, text: str) -> None:
    assert reasons([("assistant", asked), ("user", said)], text, quote) == ["unsupported"]


def test_only_the_message_just_before_is_confirmed() -> None:
    said = [
        ("assistant", "Are you allergic to nuts?"),
        ("user", "Hm."),
        ("assistant", "Any pets?"),
        ("user", "Yes"),
    ]
    assert reasons(said, "The user is allergic to nuts", "Yes") == ["unsupported"]
    assert reasons(said[:1] + said[3:], "The user is allergic to nuts", "Yes") == []


# Group chats

GROUP = [
    {"role": "user", "name": "Ann", "content": "Hi all. I work at Seb."},
    {"role": "user", "name": "Bob", "content": "I live in Paris. Ann likes chess."},
    {"role": "user", "name": "林", "content": "我住在杭州，喜欢森林。"},
]


@pytest.mark.parametrize(
    ("text", "quote", "speaker"),
    [
        ("Bob lives in Paris.", "I live in Paris", "Bob"),
        ("Bob lives in Paris.", None, "Bob"),
        ("Ann likes chess.", "Ann likes chess", "Bob"),
        ("The user lives in Paris.", "I live in Paris", "Bob"),
        ("林住在杭州。", "我住在杭州", "林"),
        ("用户喜欢森林。", "喜欢森林", "林"),
    ],
)
def test_in_a_group_no_sentence_has_a_key(text: str, quote: str | None, speaker: str) -> None:
    fields = {"quote": quote, "key": "residence.city", "replaces": 1}
    [candidate], rejected = parsed(GROUP, {"text": text, **fields}, neighbours=["The user lives in Rome"])
    assert (candidate.source.speaker, candidate.key, candidate.replaces, rejected) == (
        speaker,
        None,
        None,
        [],
    )
    known = [f"{speaker} lives in Rome"]
    [candidate], _ = parsed(GROUP, {"text": text, **fields}, neighbours=known)
    assert candidate.replaces == 1


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("Ann lives in Paris.", "I live in Paris"),
        ("Ann lives in Paris.", None),
        ("Ann lives in Paris, with Bob.", "I live in Paris"),
        ("Bob works at Seb.", "I work at Seb"),
        ("林住在巴黎。", "I live in Paris"),
        ("Ann住在杭州。", "我住在杭州"),
    ],
)
def test_in_a_group_nobody_is_told_by_the_words_of_another(text: str, quote: str | None) -> None:
    for number in (1, 2, 3, None):
        assert reasons(GROUP, text, quote, message=number) == ["unsupported"]


def test_a_name_that_is_called_out_is_not_the_subject() -> None:
    said = [("user", "hi"), {"role": "user", "name": "Ann", "content": "hello"},
            {"role": "user", "name": "Bob", "content": "Ann, I live in Paris"}]  # fmt: skip
    assert reasons(said, "Ann lives in Paris", "Ann, I live in Paris") == ["unsupported"]


def test_one_speaker_with_a_name_keeps_the_key() -> None:
    said = [{"role": "user", "name": "Ann", "content": "I live in Paris"}]
    [candidate], _ = parsed(
        said, {"text": "The user lives in Paris", "quote": "I live in Paris", "key": "residence.city"}
    )
    assert candidate.key == "residence.city"
