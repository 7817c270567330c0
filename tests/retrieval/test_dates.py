from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langmem_ext.retrieval.dates import time_spans

NOW = datetime(2024, 5, 15, 12, tzinfo=UTC)  # a Wednesday


def days(text: str, now: datetime = NOW, newest: datetime | None = None) -> list[tuple[str, str]]:
    """First and last day of every span."""

    def day(seconds: float) -> str:
        return datetime.fromtimestamp(seconds, now.tzinfo).date().isoformat()

    return [(day(span.start), day(span.end - 1)) for span in time_spans(text, now, newest)]


def one(first: str, last: str | None = None) -> list[tuple[str, str]]:
    return [(first, last or first)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What did she paint on October 13, 2023?", one("2023-10-13")),
        ("on 3 June, 2023", one("2023-06-03")),
        ("on the 1st of May", one("2024-05-01")),
        ("Dec. 24", one("2023-12-24")),
        ("2023-05-04", one("2023-05-04")),
        ("2023年10月13日", one("2023-10-13")),
        ("4月27号这天", one("2024-04-27")),
        ("十二月二十五日", one("2023-12-25")),
        ("February 29", one("2024-02-29")),
    ],
)
def test_days(text: str, expected: list[tuple[str, str]]) -> None:
    assert days(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("in May 2023", one("2023-05-01", "2023-05-31")),
        ("in March", one("2024-03-01", "2024-03-31")),
        ("last May", one("2023-05-01", "2023-05-31")),
        ("What happened in june?", one("2023-06-01", "2023-06-30")),
        ("December 2023", one("2023-12-01", "2023-12-31")),
        ("in 2022", one("2022-01-01", "2022-12-31")),
        ("去年5月", one("2023-05-01", "2023-05-31")),
        ("2022年", one("2022-01-01", "2022-12-31")),
        ("last summer", one("2023-06-01", "2023-08-31")),
        ("summer of 2022", one("2022-06-01", "2022-08-31")),
        ("去年夏天", one("2023-06-01", "2023-08-31")),
        ("winter 2022", one("2022-12-01", "2023-02-28")),
    ],
)
def test_months_seasons_and_years(text: str, expected: list[tuple[str, str]]) -> None:
    assert days(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("yesterday", one("2024-05-14")),
        ("昨天", one("2024-05-14")),
        ("大前天", one("2024-05-12")),
        ("the day before yesterday", one("2024-05-13")),
        ("last Friday", one("2024-05-10")),
        ("上周五", one("2024-05-10")),
        ("this Monday", one("2024-05-13")),
        ("last Wednesday", one("2024-05-08")),
        ("last week", one("2024-05-06", "2024-05-12")),
        ("last weekend", one("2024-05-11", "2024-05-12")),
        ("上个月", one("2024-04-01", "2024-04-30")),
        ("next month", one("2024-06-01", "2024-06-30")),
        ("明年", one("2025-01-01", "2025-12-31")),
        ("two days ago", one("2024-05-13")),
        ("a week ago", one("2024-05-05", "2024-05-11")),
        ("两周前", one("2024-04-28", "2024-05-04")),
        ("in the past two months", one("2024-03-15", "2024-05-15")),
        ("最近三个月", one("2024-02-14", "2024-05-15")),
        ("in the last month", one("2024-04-15", "2024-05-15")),
    ],
)
def test_times_counted_from_now(text: str, expected: list[tuple[str, str]]) -> None:
    assert days(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "May I ask?",
        "I may go",
        "mark it and march on",
        "31 February 2023",
        "room 2023",
        "recently",
        "一二三",
    ],
)
def test_what_is_no_time(text: str) -> None:
    assert days(text) == []


def test_a_year_that_is_not_said_is_the_last_one_of_the_memories() -> None:
    newest = datetime(2021, 8, 1, tzinfo=UTC)
    assert days("in June", newest=newest) == one("2021-06-01", "2021-06-30")
    assert days("in September", newest=newest) == one("2020-09-01", "2020-09-30")
    assert days("yesterday", newest=newest) == one("2024-05-14")


def test_an_expression_is_read_once_and_several_are_read() -> None:
    assert days("from 3 May 2023 to 7 June 2023") == one("2023-05-03") + one("2023-06-07")


def test_days_begin_in_the_users_zone() -> None:
    shanghai = timezone(timedelta(hours=8))
    now = datetime(2024, 5, 15, 1, tzinfo=shanghai)  # still the 14th in UTC
    (span,) = time_spans("今天", now)
    assert datetime.fromtimestamp(span.start, UTC) == datetime(2024, 5, 14, 16, tzinfo=UTC)


@given(st.dates(date(1990, 1, 1), date(2024, 5, 15)))
def test_every_written_day_is_read_back(day: date) -> None:
    for text in (f"{day:%B} {day.day}, {day.year}", f"{day.year}年{day.month}月{day.day}日", day.isoformat()):
        assert days(f"what about {text}?") == one(day.isoformat())


@given(st.text(max_size=80))
def test_any_text_can_be_asked(text: str) -> None:
    for span in time_spans(text, NOW):
        assert span.start < span.end
