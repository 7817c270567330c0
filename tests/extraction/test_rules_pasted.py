"""Nothing is learned from what a message shows: code, logs, letters, tickets, the words of others."""

from __future__ import annotations

import pytest

from langmem_ext.extraction.rules_pasted import without_pasted
from tests.extraction.helpers import contents


@pytest.mark.parametrize(
    "text",
    [
        "> i live in Lyon\n> i have two cats",
        "```\ni live in Lyon\n```",
        "the log says\n2024-01-01 09:00:00 INFO I live in Lyon",
        "city = 'Lyon'  # i live in Lyon",
        '{"bio": "x",\n"about": "I live in Lyon and I am a nurse"}',
        "[09:14] Ana: i live in Lyon",
        "Ticket 88, customer writes: I live in Lyon and I am allergic to nuts.",
        "my neighbour wrote this, she says: i am a nurse",
        "can you make this sound nicer\n\nI am a nurse and I live in Lyon.",
        "please proofread:\nI am a nurse. I live in Lyon.",
        "Dear Ms Bell,\nI am a nurse and I live in Lyon.",
        "‘I live in Lyon and I am a nurse’ is that ok",
        "【投诉工单】我住在里昂，对花生过敏",
        "用户反馈：我住在里昂。",
        "帮我润色：\n我是护士，我住在里昂。",
        "他写的是：我住在里昂",
        "尊敬的王老师：\n我是护士，我住在里昂。",
    ],
)
def test_what_is_shown_is_not_said(text: str) -> None:
    assert contents(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("> i live in Rome\nthats not me, i live in Lyon", ["The user lives in Lyon."]),
        ("```\nx = 1\n```\ni live in Lyon", ["The user lives in Lyon."]),
        ("x = 1 fails. i live in Lyon", []),  # the line is code
        ("proofread this: he go home.\n\nthanks", []),
        ("i live in Lyon. fix this:\ni has cat", ["The user lives in Lyon."]),
        ("About me: i live in Lyon", ["The user lives in Lyon."]),
        ("我住在里昂。帮我翻成英文：我有狗", []),  # to be translated, perhaps all of it
        ("客户说：我住在罗马。\n\n我住在里昂", ["用户住在里昂。"]),
        ("“好吧”，我住在里昂", ["用户住在里昂。"]),
    ],
)
def test_what_stands_beside_it_is_read(text: str, expected: list[str]) -> None:
    assert contents(text) == expected


@pytest.mark.parametrize("text", ["a `b` c", "he says: no\nyes", "> x\ny", "【工单】甲\n\n乙"])
def test_places_stay_the_same(text: str) -> None:
    assert len(without_pasted(text)) == len(text)
