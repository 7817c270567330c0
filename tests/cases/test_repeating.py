"""The same fact again is one memory; another fact in similar words is another."""

from __future__ import annotations

import io
from datetime import timedelta
from typing import Any

import pytest

from langmem_ext.testing import FakeEmbedder, ManualClock, ScriptedChatModel
from tests.support.memories import OpenMemory, actions, fact, listed, reply

NURSE = "The user is a nurse"


def test_a_liking_said_ten_times_is_one_memory(open_memory: OpenMemory, clock: ManualClock) -> None:
    user = open_memory(llm=ScriptedChatModel([reply(fact("User likes cats", "like cats"))] * 10)).for_user(
        "u1"
    )
    results = []
    for number in range(10):
        results.append(user.add("I like cats.", idempotency_key=f"turn {number}"))
        clock.advance(timedelta(hours=1))
    assert [actions(result) for result in results] == [["added"], *[["touched"]] * 9]
    assert len({result.memories[0].memory_id for result in results}) == 1
    (item,) = user.list_memories().memories
    assert (item.created_at, item.updated_at) == (clock() - timedelta(hours=10), clock() - timedelta(hours=1))


def test_case_spaces_and_the_full_stop_make_no_new_memory(open_memory: OpenMemory) -> None:
    user = open_memory().for_user("u1")
    for text in ("User prefers dark mode", "user prefers Dark Mode.", " User  prefers dark mode !",
                 "The user prefers dark mode"):  # fmt: skip
        user.remember(text)
    assert listed(user) == ["User prefers dark mode"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("User likes cats", "User dislikes cats"),
        ("User flight is on 2026-05-03", "User flight is on 2026-05-30"),
        ("User daughter Anna is 7", "User daughter Hanna is 4"),
        ("用户喜欢猫", "用户不喜欢猫"),
    ],
)
def test_a_high_similarity_is_no_sameness(open_memory: OpenMemory, one: str, other: str) -> None:
    embedder = FakeEmbedder(vectors={one: [1.0, 0.0], other: [0.98, 0.2]})
    answers = [reply(fact(one, one)), reply(fact(other, other))]
    user = open_memory(embedder=embedder, llm=ScriptedChatModel(answers)).for_user("u1")
    user.add(f"{one}.")
    user.add(f"{other}.")
    assert listed(user) == [one, other]


def test_every_way_to_write_knows_what_is_there(open_memory: OpenMemory) -> None:
    answers = [reply(fact(NURSE, "am a nurse"))] * 2
    user = open_memory(llm=ScriptedChatModel(answers)).for_user("u1")
    user.add("I am a nurse.")
    file = io.StringIO()
    user.export_memories(file)
    other = user.remember("Something else")
    ways: list[Any] = [
        lambda: user.add("I am a nurse.", idempotency_key="again"),
        lambda: user.remember(NURSE),
        lambda: user.remember_many([NURSE, f"{NURSE}."]),
        lambda: user.import_memories(io.StringIO(file.getvalue())),
        lambda: user.import_memories(
            io.StringIO(file.getvalue().replace('"memory_id": "', '"memory_id": "x'))
        ),
    ]
    for way in ways:
        way()
        assert listed(user) == [NURSE, "Something else"]
    with pytest.raises(ValueError, match="already"):
        user.update(other.memory_id, content=NURSE)
