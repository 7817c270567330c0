"""Bare dates against the day on which they are said: Tuesday, 10 June 2025."""

from __future__ import annotations

from datetime import date

import pytest

from langmem_ext.extraction.rules_dates import find_date

TODAY = date(2025, 6, 10)


@pytest.mark.parametrize(
    ("text", "text_found", "label"),
    [
        ("off on the 27th for a wedding", "on the 27th", "2025-06-27"),
        ("back by the 5th", "by the 5th", "2025-07-05"),
        ("exam a week on thursday", "a week on thursday", "2025-06-19"),
        ("dentist on tues at 4", "on tues", "2025-06-17"),
        ("out on the 27th, back on 1 july", "on the 27th", "2025-06-27"),
        ("from the 3rd to the 9th of may", "the 9th of may", "2026-05-09"),
        ("in 2026 on 3 May", "on 3 May", "2026-05-03"),
        ("lunch on christmas eve", "on christmas eve", "2025-12-24"),
        ("due at the end of the month", "at the end of the month", "2025-06"),
        ("九月三号去体检", "九月三号", "2025-09-03"),
        ("十二月二十五号", "十二月二十五号", "2025-12-25"),
        ("机票是二号的", "二号", "2025-07-02"),
        ("下个月20号", "下个月20号", "2025-07-20"),
        ("下下周三", "下下周三", "2025-06-25"),
        ("月底搬家", "月底", "2025-06"),
        ("国庆结婚", "国庆", "2025-10-01"),
    ],
)
def test_dates_ahead(text: str, text_found: str, label: str) -> None:
    phrase = find_date(text, TODAY, past=False)
    assert phrase is not None
    assert (phrase.text, phrase.label) == (text_found, label)


@pytest.mark.parametrize(
    ("text", "label"), [("the 27th", "2025-05-27"), ("周五", "2025-06-06"), ("九月三号", "2024-09-03")]
)
def test_dates_behind(text: str, label: str) -> None:
    phrase = find_date(text, TODAY, past=True)
    assert phrase is not None and phrase.label == label


@pytest.mark.parametrize(
    "text",
    [
        "on the 2nd floor",
        "the 19th century",
        "the 3rd one",
        "my 1st time",
        "坐2号线",
        "三号楼",
        "the sun is out",
        "a mon",
    ],
)
def test_what_is_no_date(text: str) -> None:
    assert find_date(text, TODAY, past=False) is None
