"""Other words for one fact, and small differences that are none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langmem_ext.text import comparison_key
from langmem_ext.wording import common_form, wording_key

ONE_FACT = [
    ("The user likes hiking.", "The user enjoys hiking", "User really loves to hike",
     "The user is very fond of hiking", "the user is a big fan of hiking"),
    ("User prefers dark mode", "user prefers Dark Mode.", "The user prefers dark mode"),
    ("The user hates coriander", "The user can't stand coriander", "The user cannot stand coriander",
     "The user does not like coriander", "The user doesn’t like coriander",
     "The user is not a fan of coriander"),
    ("The user is allergic to peanuts.", "The user has a peanut allergy",
     "The user has an allergy to peanuts"),
    ("The user has a dog named Rex", "The user has a dog called Rex", "The user owns a dog, named Rex"),
    ("The user's dog is called Rex.", "User's dog is named Rex"),
    ("The user works as a nurse", "The user is a nurse", "The user is working as a nurse"),
    ("The user works at Airbus", "The user works for Airbus", "The user is employed by Airbus"),
    ("Every morning, the user runs 5 km", "The user runs 5 km every morning",
     "The user runs 5 km each morning."),
    ("The user is learning Spanish", "The user learns Spanish", "The user is currently learning Spanish"),
    ("The user lives in Lyon", "The user resides in Lyon", "The user is currently based in Lyon"),
    ("用户喜欢喝咖啡。", "用户爱喝咖啡", "用户很喜欢喝咖啡", "用户非常喜爱喝咖啡", "用户很爱喝咖啡"),
    ("用户不喜欢香菜", "用户讨厌香菜", "用户不太喜欢香菜"),
    ("用户对花生过敏", "用户花生过敏", "该用户对花生过敏。"),
    ("用户在字节跳动工作", "用户就职于字节跳动", "用户在字节跳动上班", "用户目前任职于字节跳动"),
    ("用户是一名护士", "用户是护士", "用户的职业是护士"),
    ("用户养了一只猫，名叫咪咪", "用户养了一只猫，叫咪咪。"),
    ("用户住在杭州", "用户居住在杭州", "用户定居于杭州", "用户现在住在 杭州"),
    ("用户喜欢Python", "用户喜欢 Python。"),
    ("The user likes running", "The user likes to run", "the user loves to run"),
    ("The user likes swimming and lying in the sun", "The user loves to swim and lying in the sun"),
    ("The user's favourite colour is blue", "The user's favorite colour is blue"),
    ("The user speaks French, German, and Dutch", "The user speaks French, German and Dutch"),
    ("用戶喜歡貓", "使用者很喜歡貓"),
]  # fmt: skip

TWO_FACTS = [
    ("The user takes .5 mg of lorazepam", "The user takes 5 mg of lorazepam"),
    ("The user lives in apartment A", "The user lives in an apartment"),
    ("The user had hepatitis A", "The user had hepatitis"),
    ("The user takes vitamin A", "The user takes vitamin"),
    ("The user gets up at 6 AM", "The user gets up at 6"),
    ("The user's blood type is A", "The user's blood type is"),
    ("The user cannot bear children", "The user dislikes children"),
    ("The user's children are Anna, Marie and Tom", "The user's children are Anna Marie and Tom"),
    ("The user is missing two fingers", "The user misses two fingers"),
    ("The user is drinking coffee", "The user drinks coffee"),
    ("The user called his daughter Mia", "The user named his daughter Mia"),
    ("The user likes experiences", "The user likes experiments"),
    ("The user would love a dog", "The user loves dogs"),
    ("The user uses .NET", "The user uses the net"),
    ("Ann likes tea", "Ann enjoys tea"),  # not about the user: no rules
    ("Ich komme am Montag", "Ich komme Montag"),
    ("The user's friend Tom told the user a secret", "The user told Tom a secret"),
    ("用户名为tiger", "用户叫tiger"),
    ("用户是当前台的", "用户是台的"),
    ("用户要结婚了", "用户要结婚"),
    ("用户不喜欢现在的公司", "用户不喜欢的公司"),
    ("The user likes cats", "The user dislikes cats"),
    ("The user likes cats", "The user does not like cats"),
    ("The user would like a cat", "The user likes a cat"),
    ("The user's flight is on 2026-05-03", "The user's flight is on 2026-05-30"),
    ("The user's daughter Anna is 7", "The user's daughter Hanna is 7"),
    ("The user's daughter Anna is 7", "The user's daughter Anna is 4"),
    ("The user has a dog", "The user has dogs"),
    ("The user was a nurse", "The user is a nurse"),
    ("The user prefers tea over coffee", "The user prefers coffee over tea"),
    ("The user moved from Lyon to Paris", "The user moved from Paris to Lyon"),
    ("The user's sister likes cats", "The user likes cats"),
    ("Tom likes Ann", "Ann likes Tom"),
    ("The user likes C", "The user likes C++"),
    ("The user speaks French", "The user speaks no French"),
    ("The user eats meat", "The user never eats meat"),
    ("The user works at Airbus", "The user worked at Airbus"),
    ("用户喜欢猫", "用户不喜欢猫"),
    ("用户喜欢猫", "用户讨厌猫"),
    ("用户最喜欢蓝色", "用户喜欢蓝色"),
    ("用户有3.5个", "用户有35个"),
    ("用户7:30起床", "用户730起床"),
    ("用户周2、3上班", "用户周23上班"),
    ("用户不抽烟", "用户抽烟"),
    ("用户的妈妈对花生过敏", "用户对花生过敏"),
    ("用户的爱人看书", "用户喜欢看书"),
]


@pytest.mark.parametrize("wordings", ONE_FACT)
def test_wordings_of_one_fact_have_one_key(wordings: tuple[str, ...]) -> None:
    assert len({wording_key(text) for text in wordings}) == 1, {text: common_form(text) for text in wordings}


@pytest.mark.parametrize(("one", "other"), TWO_FACTS)
def test_a_difference_that_matters_makes_another_key(one: str, other: str) -> None:
    assert wording_key(one) != wording_key(other)


_SENTENCES = [text for wordings in ONE_FACT for text in wordings]


@given(st.sampled_from(_SENTENCES), st.integers(0, 10**9), st.integers(0, 10**9))
def test_a_number_is_never_taken_for_another(text: str, one: int, other: int) -> None:
    keys = {wording_key(f"{text.rstrip('.。')} {number}") for number in (one, other)}
    assert len(keys) == len({one, other})


@pytest.mark.parametrize("text", [*_SENTENCES, *(text for pair in TWO_FACTS for text in pair)])
def test_facts_in_the_table_are_told_apart(text: str) -> None:
    same = [wordings for wordings in ONE_FACT if text in wordings]
    others = {wording_key(other) for wordings in ONE_FACT if wordings not in same for other in wordings}
    mine = {wording_key(other) for wordings in same for other in wordings}
    assert not mine & others


@given(st.text(), st.text())
def test_texts_that_compare_equal_have_one_key_and_no_form_is_empty(one: str, other: str) -> None:
    assert wording_key(one) == wording_key(comparison_key(one))
    if comparison_key(one):
        assert common_form(one)
    if wording_key(one) == wording_key(other):
        assert [c for c in comparison_key(one) if c.isdigit()] == [
            c for c in comparison_key(other) if c.isdigit()
        ]


def digits(text: str) -> list[str]:
    return [char for char in comparison_key(text) if char.isdigit()]
