from __future__ import annotations

import subprocess
import sys
import time

import pytest
import rjieba

from langmem_ext.extraction.evidence import Heard, best_support, find_quote
from langmem_ext.extraction.reply import parse_candidates
from langmem_ext.messages import parse_messages
from tests.extraction.helpers import parsed, request


@pytest.mark.parametrize(
    ("said", "quote", "written"),
    [
        ("Well, I've MOVED to Lyon!", "i've moved to lyon", "I've MOVED to Lyon"),
        ("I’m vegan, since 2019.", "I'm vegan since 2019", "I’m vegan, since 2019"),
        ("我对花生过敏，住在杭州。", "花生过敏 住在杭州", "花生过敏，住在杭州"),
        ("Ｉ　ｌｏｖｅ sailing", "I love sailing", "Ｉ ｌｏｖｅ sailing"),
        (
            "I live in Lyon now. I work at Seb.",
            "I live in Lyon ... work at Seb",
            "I live in Lyon … work at Seb",
        ),
    ],
)
def test_a_quote_is_kept_as_it_was_written(said: str, quote: str, written: str) -> None:
    [candidate], rejected = parsed(said, {"text": quote, "quote": quote})
    assert rejected == []
    assert candidate.source.quote == written


def test_a_quote_must_match_whole_words() -> None:
    candidates, [reason] = parsed("The location is nice.", {"text": "The user has a cat", "quote": "cat"})
    assert (candidates, reason.split(":")[0]) == ([], "unsupported")


def test_the_named_message_comes_first() -> None:
    said = [{"role": "user", "content": "Tea, please. I like tea.", "id": "a"}] * 1 + [
        {"role": "user", "content": "I like tea more than coffee.", "id": "b"}
    ]
    [candidate], _ = parsed(said, {"text": "The user likes tea.", "quote": "I like tea", "message": "m2"})
    assert candidate.source.message_id == "b"


def test_invented_personas_are_unsupported() -> None:
    for quote in ({}, {"quote": "ok thanks"}, {"quote": "I am Maria"}):
        candidates, [reason] = parsed("ok thanks", {"text": "User is Maria, 34, a pilot", **quote})
        assert (candidates, reason.split(":")[0]) == ([], "unsupported")


def test_a_true_quote_does_not_carry_invented_names() -> None:
    said = "I love sailing on weekends"
    candidates, [reason] = parsed(said, {"text": "The pilot Maria is 34", "quote": "I love sailing"})
    assert (candidates, reason.split(":")[0]) == ([], "unsupported")


@pytest.mark.parametrize(
    ("said", "quote", "text"),
    [
        ("I love coriander, honestly.", "I love coriander", "The user hates coriander"),
        ("I can't stand coriander.", "coriander", "The user likes coriander"),
        ("I love tea. I hate coffee.", "I love tea", "The user dislikes tea"),
        ("我很喜欢香菜。", "喜欢香菜", "用户讨厌香菜"),
        ("我最受不了香菜了", "香菜", "用户喜欢香菜"),
    ],
)
def test_a_quote_does_not_show_the_opposite(said: str, quote: str, text: str) -> None:
    candidates, rejected = parsed(said, {"text": text, "quote": quote})
    assert candidates == []
    assert rejected == ["unsupported: the quote says the opposite"]


@pytest.mark.parametrize(
    ("said", "quote", "text"),
    [
        ("I no longer like coriander", "no longer like coriander", "The user dislikes coriander"),
        ("I used to love coriander", "used to love coriander", "The user dislikes coriander"),
        ("Coriander? Yuck!", "Coriander? Yuck", "The user dislikes coriander"),
        ("I love tea. I hate coffee.", "I hate coffee", "The user doesn't like coffee"),
        ("I'm not a fan of coriander", "not a fan of coriander", "The user dislikes coriander"),
        ("我以前喜欢香菜", "以前喜欢香菜", "用户讨厌香菜"),
        ("我不爱吃香菜", "不爱吃香菜", "用户不喜欢吃香菜"),
    ],
)
def test_what_may_follow_from_a_quote_is_left_to_the_model(said: str, quote: str, text: str) -> None:
    candidates, rejected = parsed(said, {"text": text, "quote": quote})
    assert ([candidate.content for candidate in candidates], rejected) == ([text], [])


@pytest.mark.parametrize("extra", [{}, {"speaker": "assistant"}, {"quote": "You could visit Madeira"}])
def test_what_the_assistant_suggested_is_unsupported(extra: dict[str, str]) -> None:
    said = [("user", "Where could I go in May?"), ("assistant", "You could visit Madeira; it is warm.")]
    candidates, [reason] = parsed(said, {"text": "User wants to visit Madeira", **extra})
    assert (candidates, reason.split(":")[0]) == ([], "unsupported")


def test_a_confirmed_question_is_supported() -> None:
    said = [("assistant", "Are you moving to Lyon?"), ("user", "Exactly, in March.")]
    text = "The user is moving to Lyon in March."
    [candidate], _ = parsed(said, {"text": text, "quote": "Exactly, in March"})
    assert candidate.content == text


def test_the_subject_stays() -> None:
    said = "My colleague Tom can't stand spreadsheets, I rather like them."
    text = "Tom, a colleague of the user, dislikes spreadsheets"
    [candidate], _ = parsed(said, {"text": text, "subject": "Tom"})
    assert candidate.content == text


def test_chinese_without_a_quote() -> None:
    [candidate], rejected = parsed("我对花生过敏，住在杭州", {"text": "用户对花生过敏"})
    assert (candidate.content, rejected) == ("用户对花生过敏", [])
    candidates, [reason] = parsed("我对花生过敏，住在杭州", {"text": "用户是上海的飞行员"})
    assert (candidates, reason.split(":")[0]) == ([], "unsupported")


def test_numbers_must_have_been_said() -> None:
    candidates, [reason] = parsed("I have a bakery in Lyon", {"text": "The user has 12 bakeries in Lyon"})
    assert (candidates, reason.split(":")[0]) == ([], "unsupported")


def test_support_names_the_sentence_that_says_it() -> None:
    heard = [Heard(message) for message in parse_messages("Hello.\nI use Python 3.12 daily. It rains.")]
    found = best_support("The user uses Python 3.12", heard)
    assert found is not None
    assert found[0].quote == "I use Python 3.12 daily."


def test_han_outside_the_basic_plane_has_no_word_boundaries() -> None:
    heard = [Heard(message) for message in parse_messages("我住在\U00020000城里")]
    source = find_quote("\U00020000城", heard)
    assert source is not None
    assert source.quote == "\U00020000城"


@pytest.mark.parametrize("unit", ["万", "亿", "hundred ", "9", "1.2.", "三点", "٣", "½", "to five "])
def test_no_number_is_too_odd_to_read(unit: str) -> None:
    said = f"I like {unit * 400} nuts"
    candidates, rejected = parsed(said, {"text": f"The user likes {unit * 60} nuts", "quote": said})
    assert len(candidates) + len(rejected) == 1
    [candidate], _ = parsed(said, {"text": "The user likes nuts", "quote": said})
    assert candidate.content == "The user likes nuts"


@pytest.mark.skipif(not hasattr(rjieba, "add_word"), reason="this rjieba has no shared dictionary to add to")
def test_words_of_an_application_change_nothing() -> None:
    code = (
        "import rjieba; rjieba.add_word('花生过敏住', 9_999_999, 'n')\n"
        "from langmem_ext.extraction.evidence import Words\n"
        "print(sorted(Words('我对花生过敏住在杭州').telling) == ['住', '杭州', '花生', '过敏'], end='')"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (result.stderr, result.stdout) == ("", "True")


def test_the_import_loads_nothing_heavy() -> None:
    code = (
        "import sys, langmem_ext.extraction.reply, langmem_ext.extraction.rules\n"
        "print(*({'numpy', 'rjieba', 'snowballstemmer', 'openai'} & set(sys.modules)), end='')"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (result.stderr, result.stdout) == ("", "")


@pytest.mark.parametrize("quoted", [True, False])
def test_every_message_is_taken_apart_once(quoted: bool) -> None:
    said = [
        (
            "user" if n % 2 else "assistant",
            f"Well, on trip {n} we saw the harbour of town {n} and had soup there. 我在第{n}站喝了绿茶。" * 3,
        )
        for n in range(200)
    ]
    entries = [
        {"text": f"The user had soup in town {n}", **({"quote": f"saw teh harbour {n}"} if quoted else {})}
        for n in range(50)
    ]
    parse_candidates({"memories": entries[:1]}, request(said[:2]))  # dictionaries are loaded
    turn = request(said)
    started = time.thread_time()
    parse_candidates({"memories": entries}, turn)
    assert time.thread_time() - started < 1
