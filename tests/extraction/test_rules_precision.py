"""Sentences that look like a fact and are none, or are one but set no attribute."""

from __future__ import annotations

import pytest

from tests.extraction.helpers import contents, learned


def keys(text: str) -> set[str | None]:
    return {candidate.key for candidate in learned(text)} - {None}


def test_nonsense_does_not_overwrite_what_was_said() -> None:
    said = [
        ("user", "My name is Anna and I live in Lyon."),
        ("user", "I'm Done. I live in fear of losing it."),
    ]
    assert [(candidate.content, candidate.key) for candidate in learned(said)] == [
        ("The user's name is Anna.", "name"),
        ("The user lives in Lyon.", "residence.city"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "I'm Anna.", "I'm Done.", "Hi, I'm Done.", "I'm Busy.", "I'm called away a lot.",
        "My name is hard to spell.", "My name is important.", "My name is misspelled.",
        "Please call me ASAP.", "Please call me Monday.",
        "我叫人帮忙。", "我叫救护车。", "我叫停了项目。", "我的名字很难念。", "我名字写错了。",
        "我的名字是爷爷取的。", "我老婆叫外卖了。", "请叫我早点起床。",
    ],
)  # fmt: skip
def test_what_is_no_name(text: str) -> None:
    assert not keys(text)


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("Hi, I'm Anna.", "The user's name is Anna."),
        ("Hi! I'm Anna.", "The user's name is Anna."),
        ("Hello there, I'm Anna and I love tea.", "The user's name is Anna."),
        ("my name is oskar", "The user's name is oskar."),
        ("My name is Łukasz", "The user's name is Łukasz."),
        ("我叫欧阳小明", "用户叫欧阳小明。"),
        ("我叫豆豆", "用户叫豆豆。"),
        ("我的名字是林晚晴", "用户的名字是林晚晴。"),
    ],
)
def test_what_is_a_name(text: str, content: str) -> None:
    assert (contents(text)[0], keys(text)) == (content, {"name"})


@pytest.mark.parametrize(
    "text",
    [
        "I live in fear of losing my job.", "I live in Fear.", "I live in denial.", "I live in the past.",
        "I live in Excel.", "I moved to Linux.", "I moved to Team B.", "My house is in ruins.",
        "I'm from IT.",
        "i live in hamburg", "I live in a small village near Lyon.",
        "我生活在恐惧中。", "我住在恐惧之中。", "我活在过去。", "我住在朋友家。", "我住在三楼。",
        "我搬到楼上了。", "我在公司待了一天了。",
    ],
)  # fmt: skip
def test_what_is_no_city(text: str) -> None:
    assert not keys(text)


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("I live in the Netherlands", "The user lives in the Netherlands."),
        ("I live in central London", "The user lives in central London."),
        ("I live in Évian", "The user lives in Évian."),
        ("I live in St. Gallen.", "The user lives in St. Gallen."),
        ("I currently live in 杭州", "The user currently lives in 杭州."),
        ("我住在上海市中心", "用户住在上海市中心。"),
        ("我住在\U00020000城", "用户住在\U00020000城。"),
    ],
)
def test_what_is_a_city(text: str, content: str) -> None:
    assert (contents(text), keys(text)) == ([content], {"residence.city"})


def test_a_home_that_is_no_city_is_kept_without_an_attribute() -> None:
    assert contents("I live in a small village near Lyon.") == [
        "The user lives in a small village near Lyon."
    ]
    assert contents("i live in hamburg") == ["The user lives in hamburg."]
    assert contents("我住在朋友家。") == ["用户住在朋友家。"]


@pytest.mark.parametrize(
    "text",
    [
        # no marriage
        "I'm married to the idea.", "I'm married to my job.", "I'm engaged with the topic.",
        # no employer
        "I work at night.", "I work for free.", "I work for myself.", "I started with Python.",
        "我在晚上工作。", "我在远程工作。", "我去了人民医院。",
        # no title
        "I'm a terrible cook.", "I'm a former teacher.", "I became a father.", "My job is done.",
        "我是怕老板。", "我是他老板。", "我当上了爸爸。", "我的工作是很累的。",
        # no birthday, no origin, no favourite
        "I was born on a farm.", "My birthday is ruined.", "My hometown is boring.",
        "I was born in the wrong year.", "My first language is hard.", "My favourite mug is gone.",
        "我是早起的人。", "我是中间人。", "我生日是下个月。",
    ],
)  # fmt: skip
def test_what_sets_no_attribute(text: str) -> None:
    assert not keys(text)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("I'm married to Ben.", "relationship.status"),
        ("I'm married to a nurse.", "relationship.status"),
        ("I became a vegetarian.", "diet"),
        ("I became a nurse.", "employment.title"),
        ("My job is software engineer.", "employment.title"),
        ("I started at Orbit Labs.", "employment.employer"),
        ("I was born on 3 May 1990.", "birthday"),
        ("我是东北人", "origin"),
        ("我是儿科护士", "employment.title"),
    ],
)
def test_what_sets_one(text: str, key: str) -> None:
    assert keys(text) == {key}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I no longer eat meat.", ["The user no longer eats meat."]),
        ("I don't eat meat anymore.", ["The user no longer eats meat."]),
        ("I can't eat gluten any more.", ["The user can no longer eat gluten."]),
        ("I'm no longer vegan.", ["The user is no longer vegan."]),
        ("I'm not a teacher any more.", ["The user is no longer a teacher."]),
        ("I no longer live in Paris.", ["The user no longer lives in Paris."]),
        ("I don't work there anymore.", []),
        ("I no longer go to the gym every day.", []),
        ("I religiously go to the gym every day.", ["The user religiously goes to the gym every day."]),
        ("I hardly ever drink coffee before bed.", ["The user hardly ever drinks coffee before bed."]),
        ("I and my wife go to church every Sunday.", []),
        ("我不吃素了。", ["用户不吃素了。"]),
        ("我不再吃肉了。", ["用户不再吃肉了。"]),
        ("我不住在北京了。", ["用户不住在北京了。"]),
        ("我不再住在北京。", ["用户不再住在北京。"]),
        ("我已经不是老师了。", ["用户已经不是老师了。"]),
        ("我不在腾讯工作了。", ["用户不在腾讯工作了。"]),
        ("我不知道了。", []),
    ],
)
def test_what_is_over_is_told_as_over_and_sets_nothing(text: str, expected: list[str]) -> None:
    assert contents(text) == expected
    assert not keys(text)
