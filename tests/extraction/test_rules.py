from __future__ import annotations

import asyncio
import json
import time
from datetime import UTC, datetime
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langmem_ext.extraction.rules import RuleExtractor, worth_a_call
from langmem_ext.redaction import redact
from langmem_ext.text import is_chinese, normalise
from tests.extraction.everyday import CHINESE, ENGLISH
from tests.extraction.helpers import contents, learned, request

EVERYDAY = ENGLISH + CHINESE


@pytest.mark.parametrize("messages", [ENGLISH, CHINESE], ids=["english", "chinese"])
def test_precision_and_recall_on_everyday_messages(messages: list[tuple[str, list[str]]]) -> None:
    right = wrong = missed = 0
    for text, facts in messages:
        open_facts = list(facts)
        for content in contents(redact(text).text):
            words = content.lower()
            known = [fact for fact in open_facts if all(word in words for word in fact.lower().split())]
            right, wrong = right + bool(known), wrong + (not known)
            open_facts = [fact for fact in open_facts if fact not in known[:1]]
        missed += len(open_facts)
    assert right / (right + wrong) >= 0.95
    assert right / (right + missed) >= 0.8


@pytest.mark.parametrize("text", [text for text, facts in EVERYDAY if not facts])
def test_nothing_is_learned(text: str) -> None:
    assert contents(redact(text).text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I live in Lyon", ["The user lives in Lyon."]),
        (
            "My name is Ada, and I work at Orbit Labs.",
            ["The user's name is Ada.", "The user works at Orbit Labs."],
        ),
        ("I eat sushi every Friday", ["The user eats sushi every Friday."]),
        ("I'm allergic to nuts", ["The user is allergic to nuts."]),
        ("I moved in with my wife. My wife's name is Marta.", ["The user's wife is called Marta."]),
        ("We adopted a puppy last week", ["The user adopted a puppy last week (around 2024-02-07)."]),
        ("Order 17 returned, reason: damaged", ["Order 17 returned, reason: damaged."]),
        (
            "My sister lives in Perth. She loves surfing.",
            ["The user's sister lives in Perth.", "The user's sister loves surfing."],
        ),
        ("I love hiking and hate running", ["The user loves hiking.", "The user hates running."]),
        ("我叫李明，住在杭州", ["用户叫李明。", "用户住在杭州。"]),
        ("我对花生过敏，住在杭州", ["用户对花生过敏。", "用户住在杭州。"]),
        ("我上周领养了一只小狗", ["用户上周（约 2024-02-07）领养了一只小狗。"]),
        ("我妹妹住在北京，喜欢跳舞", ["用户的妹妹住在北京。", "用户的妹妹喜欢跳舞。"]),
        ("订单17退货，原因是破损", ["订单17退货，原因是破损。"]),
        ("以后回答简短一点", ["用户要求助手：以后回答简短一点。"]),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert contents(text) == expected


@pytest.mark.parametrize(
    ("english", "chinese", "key"),
    [
        ("My name is Ada", "我叫李明", "name"),
        ("I live in Lyon", "我住在杭州", "residence.city"),
        ("I moved to Lyon", "我搬到了杭州", "residence.city"),
        ("I work at Orbit Labs", "我在腾讯工作", "employment.employer"),
        ("I'm a teacher", "我是老师", "employment.title"),
        ("I'm a vegetarian", "我是素食主义者", "diet"),
        ("I'm from Oslo", "我来自兰州", "origin"),
        ("I'm 34 years old", "我34岁", "age"),
        ("My birthday is 3 May", "我生日是5月3日", "birthday"),
        ("My favourite colour is blue", "我最喜欢的颜色是蓝色", "favorite.color"),
        ("My husband is called Ben", "我老公叫王磊", "partner.name"),
        ("Please always answer in English", "以后请用英文回答", "response.language"),
        ("Always answer briefly", "以后回答简短一点", "response.length"),
    ],
)
def test_keys_are_the_same_in_both_languages(english: str, chinese: str, key: str) -> None:
    assert [candidate.key for candidate in learned(english)] == [key]
    assert [candidate.key for candidate in learned(chinese)] == [key]


@pytest.mark.parametrize("text", ["My sister lives in Perth", "我妹妹住在北京", "I love tea", "我爱喝茶"])
def test_others_and_likes_have_no_key(text: str) -> None:
    assert [candidate.key for candidate in learned(text)] == [None]


def test_plans_outlast_their_day_and_events_begin_with_it() -> None:
    [plan] = learned("I'm starting the new job tomorrow")
    assert plan.content == "The user is starting the new job tomorrow (2024-02-15)."
    assert plan.memory_type == "episodic"
    assert (plan.valid_from, plan.valid_until) == (None, None)
    [event] = learned("我昨天领养了两只小猫")
    assert event.memory_type == "episodic"
    assert (event.valid_from, event.valid_until) == (datetime(2024, 2, 13, 12, tzinfo=UTC), None)
    assert [candidate.key for candidate in learned("我下个月搬到上海")] == [None]  # not yet


def test_in_a_group_the_speaker_is_named() -> None:
    said = [
        {"role": "user", "name": "Ana", "content": "I live in Lyon"},
        {"role": "user", "name": "Ben", "content": "I live in Oslo"},
    ]
    assert [(c.content, c.key, c.source.speaker) for c in learned(said)] == [
        ("Ana lives in Lyon.", None, "Ana"),
        ("Ben lives in Oslo.", None, "Ben"),
    ]


def test_the_assistant_is_no_source() -> None:
    assert contents([("assistant", "I live in a data centre. 我住在云端。"), ("user", "ok")]) == []


def test_play_lasts_until_it_ends() -> None:
    said = [
        "Let's role-play: you are a smuggler.",
        "I live in Tortuga.",
        "Ok, stop the role-play.",
        "I live in Lyon.",
    ]
    assert contents([("user", text) for text in said]) == ["The user lives in Lyon."]


async def test_sync_and_async_agree() -> None:
    turn = request("I live in Lyon")
    assert await RuleExtractor().aextract(turn) == RuleExtractor().extract(turn)
    assert RuleExtractor().extract(turn).usage.calls == 0


async def test_a_long_turn_leaves_the_loop_free() -> None:
    turn = request([("user", "I live in Lyon and I love tea, well so oh. " * 400)] * 4)
    rounds = 0
    reading = asyncio.ensure_future(RuleExtractor().aextract(turn))
    while not reading.done():
        await asyncio.sleep(0.001)
        rounds += 1
    assert rounds > 3  # read in the loop, it would be done after the first
    assert (await reading).candidates


# The demo


def _demo(language: str) -> dict[str, Any]:
    text = files("langmem_ext").joinpath("demo", f"conversation_{language}.json").read_text("utf-8")
    conversation: dict[str, Any] = json.loads(text)
    return conversation


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        (
            "en",
            {
                "name": "Nora",
                "residence.city": "Antwerp",
                "employment.employer": "Plantin Gardens",
                "favorite.tram_line": "12",
                "birthday": "3 October",
                "response.length": "short",
            },
        ),
        (
            "zh",
            {
                "name": "林晚晴",
                "residence.city": "杭州",
                "employment.employer": "浙江古籍出版社",
                "origin": "嵊州",
                "birthday": "10月3日",
                "response.length": "简短",
            },
        ),
    ],
)
def test_the_demo_conversations(language: str, expected: dict[str, str]) -> None:
    demo = _demo(language)
    assert demo["user_id"]
    assert len(demo["questions"]) == 6
    assert sum(len(session["messages"]) for session in demo["sessions"]) >= 30
    keyed: dict[str, str] = {}
    everything: list[str] = []
    for session in demo["sessions"]:
        now = datetime.fromisoformat(session["date"])
        assert now.tzinfo is not None
        for message in session["messages"]:
            safe = {**message, "content": redact(message["content"]).text}
            for candidate in learned([safe], now=now):
                everything.append(candidate.content)
                if candidate.key:
                    keyed[candidate.key] = candidate.content
    assert len(everything) >= 18
    for key, value in expected.items():
        assert value in keyed[key]
    assert all(is_chinese(content) == (language == "zh") for content in everything)
    assert not any("204817" in content or "730164" in content for content in everything)


# Whatever people may write

_WORDS = st.sampled_from(
    "I my live in moved to not if am a the always every Friday Lyon , . ? \n and 17 order it's 99 "
    "January may 31 next last year "
    "我 我的 住在 搬到 不是 是 ， 。 每天 妹妹 叫 喜欢 13月 40日 年前 三 以后 回答".split(" ")
)


@given(
    st.text(max_size=120)
    | st.lists(_WORDS, max_size=14).map(" ".join)
    | st.lists(_WORDS, max_size=14).map("".join)
)
@settings(max_examples=400, deadline=None)
def test_any_text_can_be_read_and_every_quote_is_there(text: str) -> None:
    turn = request([("user", text)], neighbours=["The user lives in Lyon.", "用户住在 Lyon。"])
    worth_a_call(turn.messages)
    said = [normalise(message.content) for message in turn.messages]
    for candidate in RuleExtractor().extract(turn).candidates:
        assert any(candidate.source.quote in message for message in said)


@pytest.mark.parametrize(
    "piece",
    [
        "I live in a ",
        "a",
        "and I ",
        "我在",
        "order 1 ",
        "well so oh ",
        "I am going ",
        "我喜欢，",
        "the 3 of ",
        "not a, not b ",
        "It's A, not B. ",
        "I no longer ",
        "really lonely ",
        "St. Mr. ",
        "不是一，是二，",
        "我不住在家了",
    ],
)
def test_long_messages_are_read_in_time(piece: str) -> None:
    turn = request((piece * 20_000)[:19_000])
    started = time.perf_counter()
    worth_a_call(turn.messages)
    RuleExtractor().extract(turn)
    assert time.perf_counter() - started < 3


def test_a_second_verb_is_a_second_fact() -> None:
    assert contents("I live in Oslo and like oysters. Will it rain?") == [
        "The user lives in Oslo.",
        "The user likes oysters.",
    ]
