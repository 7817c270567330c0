"""Both languages, and every way to write one text."""

from __future__ import annotations

from pathlib import Path

import pytest

from langmem_ext import UserMemory
from langmem_ext.testing import ScriptedChatModel
from tests.support.memories import OpenMemory, contents, fact, listed, reply


def test_a_chinese_speaker_gets_chinese_memories(open_memory: OpenMemory) -> None:
    llm = ScriptedChatModel([reply(fact("用户对花生过敏", "我对花生过敏"))])
    user = open_memory(llm=llm).for_user("u1")
    user.remember_many(["用户住在杭州", "用户喜欢晚上跑步"])
    result = user.add("我对花生过敏，住在杭州")
    assert contents(result.memories) == ["用户对花生过敏"]
    assert user.search("花生")[0].content == "用户对花生过敏"
    system, turn = (message.content for message in llm.calls[0].messages)
    assert "Chinese messages give Chinese memories" in system and "Never translate" in system
    assert "我对花生过敏，住在杭州" in turn  # as it was said, not as \\u escapes


def test_an_emoji_written_as_two_escapes_is_one_character(tmp_path: Path, open_memory: OpenMemory) -> None:
    answer = '{"memories":[{"text":"The user signs off with \\ud83c\\udf78"}]}'
    with open_memory(tmp_path, llm=ScriptedChatModel([answer])) as memory:
        memory.for_user("u1").add("I always sign off with \U0001f378.")
    assert listed(open_memory(tmp_path).for_user("u1")) == ["The user signs off with \U0001f378"]


def test_half_an_emoji_is_replaced_and_breaks_nothing(open_memory: OpenMemory) -> None:
    answer = '{"memories":[{"text":"The user signs off with \\ud83c"}]}'
    user = open_memory(llm=ScriptedChatModel([answer])).for_user("u1")
    assert user.add("The user signs off with \ud83c I said.").status == "learned"
    assert listed(user) == ["The user signs off with \ufffd"]


@pytest.mark.parametrize("query", ["\ud83c", "tea \ud83c", "\ud83c\udf78"])
def test_a_query_may_hold_half_an_emoji(user: UserMemory, query: str) -> None:
    user.remember("tea \U0001f378")
    assert len(user.search(query)) == 1


def test_one_sentence_in_two_unicode_forms_is_one_memory(user: UserMemory) -> None:
    user.remember("User likes Caf\u00e9 Flore")
    user.remember("User likes Cafe\u0301  Flore ")
    assert listed(user) == ["User likes Caf\u00e9 Flore"]
