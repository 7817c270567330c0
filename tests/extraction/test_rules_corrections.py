from __future__ import annotations

import pytest

from langmem_ext.extraction.rules import worth_a_call
from langmem_ext.messages import parse_messages
from tests.extraction.helpers import learned

PARIS, SISTER = "The user lives in Paris.", "The user's sister lives in Paris."
SUZHOU, YOUNGER = "用户住在苏州。", "用户的妹妹住在苏州。"


@pytest.mark.parametrize(
    ("text", "content", "key"),
    [
        ("I live in Lyon. Actually it's Paris, not Lyon.", "The user lives in Paris.", "residence.city"),
        ("No, I live in Bergen.", "The user lives in Bergen.", "residence.city"),
        ("I live in Bergen, not Oslo.", "The user lives in Bergen.", "residence.city"),
        ("我住在北京。说错了，不是北京，是上海。", "用户住在上海。", "residence.city"),
        ("不对，我是成都人，不是重庆人。", "用户是成都人。", "origin"),
    ],
)
def test_corrections(text: str, content: str, key: str) -> None:
    [candidate] = learned(text)
    assert (candidate.content, candidate.key, candidate.correction) == (content, key, True)


@pytest.mark.parametrize(
    ("text", "known", "content"),
    [
        ("Actually it's Paris, not Lyon.", "The user lives in Lyon.", "The user lives in Paris."),
        ("不是北京，是上海。", "用户住在北京。", "用户住在上海。"),
    ],
)
def test_a_correction_finds_the_neighbour_it_means(text: str, known: str, content: str) -> None:
    [candidate] = learned(text, neighbours=["other", known])
    assert (candidate.content, candidate.replaces, candidate.correction) == (content, 2, True)
    assert learned(text) == []


@pytest.mark.parametrize(
    ("text", "known", "content", "key"),
    [
        ("No, it's Lyon, not Paris.", PARIS, "The user lives in Lyon.", "residence.city"),
        ("It's Lyon, not Paris.", PARIS, "The user lives in Lyon.", "residence.city"),
        ("No. It's Lyon, not Paris.", PARIS, "The user lives in Lyon.", "residence.city"),
        ("No, Lyon, not Paris.", PARIS, "The user lives in Lyon.", "residence.city"),
        ("Not Paris, Lyon.", PARIS, "The user lives in Lyon.", "residence.city"),
        ("Sorry, I meant Lyon, not Paris.", PARIS, "The user lives in Lyon.", "residence.city"),
        ("Should be Lyon, not Paris.", PARIS, "The user lives in Lyon.", "residence.city"),
        ("Make it Lyon, not Paris.", PARIS, "The user lives in Lyon.", "residence.city"),
        ("Wait, no: it's in Lyon, not in Paris!", PARIS, "The user lives in Lyon.", "residence.city"),
        ("No, it's Lyon, not Paris.", "The user lives in Paris, France.", "The user lives in Lyon.",
         "residence.city"),
        ("No, it's Lyon, not Paris.", "The user moved to Paris and lives there now.",
         "The user moved to Lyon and lives there now.", "residence.city"),
        ("No, it's Anna, not Hannah.", "The user's name is Hannah.", "The user's name is Anna.", "name"),
        ("No, it's blue, not green.", "The user's favourite colour is green.",
         "The user's favourite colour is blue.", "favorite.color"),
        ("No, it's Sue, not Ann.", "The user's wife is called Ann.", "The user's wife is called Sue.",
         "partner.name"),
        ("No, it's Max, not Rex.", "The user's dog is called Rex.", "The user's dog is called Max.", None),
        ("不对，是杭州，不是苏州。", SUZHOU, "用户住在杭州。", "residence.city"),
        ("不对。是杭州，不是苏州。", SUZHOU, "用户住在杭州。", "residence.city"),
        ("不对，杭州，不是苏州", SUZHOU, "用户住在杭州。", "residence.city"),
        ("应该是杭州，不是苏州", SUZHOU, "用户住在杭州。", "residence.city"),
        ("改成杭州，不是苏州", SUZHOU, "用户住在杭州。", "residence.city"),
        ("不对，是绿色，不是蓝色", "用户最喜欢的颜色是蓝色。", "用户最喜欢的颜色是绿色。", "favorite.color"),
        ("不对，是豆豆，不是毛毛", "用户的狗叫毛毛。", "用户的狗叫豆豆。", None),
    ],
)  # fmt: skip
def test_a_later_turn_mends_what_is_known(text: str, known: str, content: str, key: str | None) -> None:
    assert worth_a_call(parse_messages(text))
    [candidate] = learned(text, neighbours=["The user likes tea.", known])
    assert (candidate.content, candidate.key) == (content, key)
    assert (candidate.replaces, candidate.correction) == (2, True)


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("No, it's Lyon, not Paris.", [PARIS, SISTER]),
        ("No, it's Lyon, not Paris.", ["The user visited Paris in 2019.", "The user loves Paris."]),
        ("No, it's Lyon, not Paris.", ["The user works at Paris Saint-Germain."]),
        ("It's blue, not green.", ["The user's favourite colour is green."]),  # the sky, perhaps
        ("Is it Lyon, not Paris?", [PARIS]),
        ("不对，是杭州，不是苏州。", [SUZHOU, YOUNGER]),
        ("不对，是杭州，不是苏州。", ["用户喜欢苏州评弹。", "用户去年去过苏州。"]),
        ("是杭州，不是苏州吧？", [SUZHOU]),
    ],
)
def test_an_unrelated_or_ambiguous_neighbour_stays(text: str, known: list[str]) -> None:
    assert learned(text, neighbours=known) == []


def test_a_neighbour_that_merely_holds_the_word_is_no_rival() -> None:
    [candidate] = learned("No, it's Lyon, not Paris.", neighbours=["The user loves Paris.", PARIS])
    assert (candidate.content, candidate.replaces) == ("The user lives in Lyon.", 2)


def test_a_sentence_with_its_own_subject_mends_nobody_else() -> None:
    [candidate] = learned("不对，我是成都人，不是重庆人。", neighbours=["用户的妻子是重庆人。"])
    assert (candidate.content, candidate.key, candidate.replaces) == ("用户是成都人。", "origin", None)


def test_what_was_said_last_in_the_turn_is_meant() -> None:
    said = "I live in Paris. My sister lives in Paris. No, it's Lyon, not Paris."
    assert [candidate.content for candidate in learned(said)] == [PARIS, SISTER]
    [candidate] = learned("我住在北京，不对，不是北京，是上海")
    assert (candidate.content, candidate.key) == ("用户住在上海。", "residence.city")


def test_in_a_group_no_neighbour_is_touched() -> None:
    said = [
        {"role": "user", "name": "Ana", "content": "No, it's Lyon, not Paris."},
        {"role": "user", "name": "Ben", "content": "I no longer live in Paris."},
    ]
    assert all(candidate.replaces is None for candidate in learned(said, neighbours=[PARIS]))


@pytest.mark.parametrize(
    ("text", "known", "content"),
    [
        ("I no longer live in Paris.", [SISTER, PARIS], "The user no longer lives in Paris."),
        ("I don't like sushi anymore", ["x", "The user likes sushi."], "The user no longer likes sushi."),
        ("我不住在苏州了", [YOUNGER, SUZHOU], "用户不住在苏州了。"),
        ("我不再吃素了", ["x", "用户吃素"], "用户不再吃素了。"),
    ],
)
def test_what_is_over_ends_the_sentence_that_said_so(text: str, known: list[str], content: str) -> None:
    [candidate] = learned(text, neighbours=known)
    assert (candidate.content, candidate.key) == (content, None)
    assert (candidate.replaces, candidate.correction) == (2, False)
    assert learned(text, neighbours=known[:1])[0].replaces is None
