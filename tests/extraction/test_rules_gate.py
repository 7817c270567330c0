from __future__ import annotations

import pytest

from langmem_ext.extraction.rules import worth_a_call
from langmem_ext.extraction.sentences import is_question, is_surely_question, sentences_of
from langmem_ext.messages import parse_messages
from langmem_ext.redaction import redact
from tests.extraction.everyday import CHINESE, ENGLISH


@pytest.mark.parametrize(
    "text",
    [
        "thanks!",
        "ok thanks",
        "Hi there",
        "haha",
        "Ugh, I'm so tired today.",
        "Play the next song.",
        "Is sushi fattening?",
        "Where could I go in May?",
        "Book the 9am train",
        "481920",
        "the code they texted me is 481920",
        "👍",
        "...",
        "谢谢！",
        "好的，谢谢",
        "今天好累啊",
        "播放下一首歌",
        "帮我订明天九点的票",
        "今晚吃什么好？",
        "验证码是 481920",
        "哈哈哈",
        "你好",
    ],
)
def test_not_worth_a_call(text: str) -> None:
    assert not worth_a_call(parse_messages(text))
    assert not worth_a_call(parse_messages(redact(text).text))


@pytest.mark.parametrize(
    "text",
    [text for text, facts in ENGLISH + CHINESE if facts]
    + [
        "Thanks! I live in Lyon.",
        "Book me a table, I'm allergic to nuts",
        "Order 17 returned, reason: damaged",
        "Can you always answer in French?",
        "Since I moved to Lyon, where can I swim?",
        "remind me to take insulin every day",
        "my key is sk-test-EXAMPLEKEYPART and I prefer tabs",
        "订单17退货，原因是破损",
        "帮我订票，我对花生过敏",
        "以后都用中文好吗？",
        "Mum died.",
        "Divorced.",
        "Should be Lyon, not Paris",
        "Change it to Lyon, that was wrong",
        "改成杭州，不是苏州",
        "医生说没有",
    ],
)
def test_worth_a_call(text: str) -> None:
    assert worth_a_call(parse_messages(redact(text).text))


def test_yes_is_worth_a_call_after_a_question() -> None:
    assert worth_a_call(parse_messages([("assistant", "Do you live in Lyon?"), ("user", "yes")]))
    assert worth_a_call(parse_messages([("assistant", "你住在杭州吗？"), ("user", "是的")]))
    assert not worth_a_call(parse_messages([("assistant", "Here you go."), ("user", "yes")]))
    assert not worth_a_call([])


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("So you are allergic to nuts?", "Yes, I am"),
        ("So you are allergic to nuts?", "yes exactly"),
        ("So you are allergic to nuts?", "Yes! Exactly. Thanks"),
        ("You live in Lyon and work at Seb.", "That's right"),
        ("You live in Lyon and work at Seb.", "Yes, that is right"),
        ("You're vegan? I'll keep that in mind.", "yep"),
        ("Your daughter is called Mia, I remember.", "correct, thank you"),
        ("Should I always answer in French?", "yes please"),
        ("Should I always answer in French?", "sure"),
        ("你对坚果过敏吗？", "对的"),
        ("你对坚果过敏，对吧？我记下了。", "嗯，对"),
        ("您住在杭州。", "没错没错"),
        ("以后都用中文回答，可以吗？", "好的"),
    ],
)
def test_a_confirmation_is_worth_a_call(before: str, text: str) -> None:
    assert worth_a_call(parse_messages([("assistant", before), ("user", text)]))


@pytest.mark.parametrize(
    ("before", "text"),
    [
        ("The capital of France is Paris.", "ok thanks"),
        ("The capital of France is Paris.", "yes exactly"),
        ("You could visit Madeira in May.", "thanks!"),
        ("You live in Lyon.", "ok thanks"),
        ("You live in Lyon.", "Great, thank you so much"),
        ("Anything else?", "no thanks"),
        ("巴黎是法国的首都。", "好的，谢谢"),
        ("您住在杭州。", "好的"),
        ("您住在杭州。", "谢谢"),
    ],
)
def test_thanks_for_an_answer_are_not_worth_a_call(before: str, text: str) -> None:
    assert not worth_a_call(parse_messages([("assistant", before), ("user", text)]))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Python 3.12 is out. I use it!", ["Python 3.12 is out.", "I use it!"]),
        ("I live in St. Gallen. Dr. Miller too.", ["I live in St. Gallen.", "Dr. Miller too."]),
        ("About ~5 km~ Nice", ["About ~5 km~", "Nice"]),
        ("好的～我住在杭州。真的！", ["好的～", "我住在杭州。", "真的！"]),
        ("one\ntwo… three", ["one", "two…", "three"]),
        ("\U00020000城。好", ["\U00020000城。", "好"]),
        ("？！ \n", []),
    ],
)
def test_sentences_end_in_one_way_for_all(text: str, expected: list[str]) -> None:
    assert sentences_of(text) == expected


@pytest.mark.parametrize(
    ("text", "chinese", "may", "surely"),
    [
        ("Where is it", False, True, True),
        ("Also, any idea", False, True, True),
        ("Should be Lyon", False, False, False),
        ("I live here", False, False, False),
        ("你住哪里", True, True, True),
        ("医生说没有", True, True, False),
        ("不管什么人都能进", True, True, False),
        ("我住这里", True, False, False),
    ],
)
def test_questions(text: str, chinese: bool, may: bool, surely: bool) -> None:
    assert is_question(text, chinese=chinese) is may
    assert is_surely_question(text, chinese=chinese) is surely
