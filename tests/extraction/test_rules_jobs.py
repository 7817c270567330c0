"""Jobs and workplaces are two facts, and work that somebody is busy with is no workplace."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.extraction.helpers import contents, learned


@pytest.mark.parametrize(
    "text",
    [
        "我在找一份新工作。",
        "我在北京找工作。",
        "我在做一份兼职工作。",
        "我在忙手头的工作。",
        "我在处理一些工作。",
        "我在准备面试工作。",
        "我在讨论工作。",
        "我在写总结工作。",
        "我在谈新工作。",
        "I work on compilers.",
        "I'm looking for work at Google.",
        "I'm looking for a job at Acme.",
    ],
)
def test_work_that_is_no_workplace(text: str) -> None:
    assert all(candidate.key != "employment.employer" for candidate in learned(text))


@pytest.mark.parametrize(
    "place", ["腾讯", "新东方", "一家做游戏的公司", "帮助中心", "干洗店", "为民医院", "写字楼"]
)
def test_workplaces_whose_names_look_like_work(place: str) -> None:
    [candidate] = learned(f"我在{place}工作。")
    assert (candidate.content, candidate.key) == (f"用户在{place}工作。", "employment.employer")


@pytest.mark.parametrize(
    ("text", "title", "employer"),
    [
        ("I work as a botanist at the city greenhouse.", "The user works as a botanist.",
         "The user works at the city greenhouse."),
        ("I'm a software engineer at Google.", "The user is a software engineer.",
         "The user works at Google."),
        ("I work as a nurse for Mercy Care.", "The user works as a nurse.", "The user works at Mercy Care."),
        ("我是腾讯公司的产品经理。", "用户是产品经理。", "用户在腾讯公司工作。"),
        ("我在一家医院当护士。", "用户是护士。", "用户在一家医院工作。"),
    ],
)  # fmt: skip
def test_a_job_with_its_workplace_is_two_facts(text: str, title: str, employer: str) -> None:
    assert {candidate.key: candidate.content for candidate in learned(text)} == {
        "employment.title": title,
        "employment.employer": employer,
    }


@pytest.mark.parametrize(
    "said", ["as a nurse at night", "as a baker at the weekend", "as a teacher for children"]
)
def test_what_is_no_workplace_stays_with_the_job(said: str) -> None:
    assert contents(f"I work {said}.") == [f"The user works {said}."]


@pytest.mark.parametrize(
    "text", ["I started at Acme last week.", "I started at Acme this week.", "我上周入职了腾讯。"]
)
def test_the_week_that_is_shown_is_the_week_from_which_it_is_true(text: str) -> None:
    [candidate] = learned(text, now=datetime(2026, 3, 8, 10, tzinfo=UTC))
    assert candidate.valid_from is not None
    assert f"{candidate.valid_from:%Y-%m-%d}" in candidate.content
