"""Dates are resolved against when it was said, where it was said."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta

import pytest

from langmem_ext import UserMemory
from langmem_ext.testing import ManualClock, ScriptedChatModel
from tests.support.memories import START, OpenMemory, fact, reply, run_python


def test_last_week_is_counted_from_the_conversation(open_memory: OpenMemory) -> None:
    puppy = fact("The user adopted a puppy in the week of 2024-02-05", "adopted a puppy last week",
                 type="episodic", valid_from="2024-02-07")  # fmt: skip
    llm = ScriptedChatModel([reply(puppy)])
    clock = ManualClock(datetime(2026, 3, 1, tzinfo=UTC))
    user = open_memory(llm=llm, clock=clock).for_user("u1")
    result = user.add("We adopted a puppy last week", observed_at="2024-02-14T10:00:00+00:00")
    prompt = llm.calls[0].messages[-1].content
    assert '"date": "2024-02-14"' in prompt and "2026-03-01" not in "".join(
        m.content for m in llm.calls[0].messages
    )
    (item,) = result.memories
    assert item.valid_from.date().isoformat() == "2024-02-07"
    assert item.recorded_at == datetime(2024, 2, 14, 10, tzinfo=UTC)
    assert item.created_at == clock()
    assert "2024-02-0" in user.context("puppy").text


def test_tomorrow_is_the_users_tomorrow(open_memory: OpenMemory) -> None:
    job = fact("The user starts the new job on 2026-05-17", "starting the new job tomorrow", type="episodic")
    llm = ScriptedChatModel([reply(job)])
    clock = ManualClock(datetime(2026, 5, 15, 23, 30, tzinfo=UTC))
    user = open_memory(llm=llm, clock=clock, timezone="Asia/Tokyo").for_user("u1")
    user.add("I am starting the new job tomorrow")
    line = next(line for line in llm.calls[0].messages[-1].content.splitlines() if '"weekday"' in line)
    date = json.loads(line)
    assert (date["date"], date["weekday"], date["time"]) == ("2026-05-16", "Saturday", "08:30")
    assert "Asia/Tokyo" in date["zone"] and "+09:00" in date["zone"]
    assert "2026-05-17" in user.context("new job").text


def test_the_zone_of_the_observation_wins(open_memory: OpenMemory) -> None:
    llm = ScriptedChatModel([reply()])
    user = open_memory(llm=llm, timezone="Asia/Tokyo").for_user("u1")
    user.add("My flight to Lima leaves tomorrow evening", observed_at="2025-12-31T20:00:00-05:00")
    prompt = llm.calls[0].messages[-1].content
    assert '"date": "2025-12-31"' in prompt and "-05:00" in prompt


ZONES = """
    from datetime import UTC, datetime
    from langmem_ext import LongTermMemory
    from langmem_ext.testing import FakeEmbedder, ManualClock

    clock = ManualClock(datetime(2026, 3, 9, 3, 30, tzinfo=UTC))
    user = LongTermMemory(embedder=FakeEmbedder(), clock=clock).for_user("u1")
    item = user.remember("tea")
    assert user.list_memories(filters={"created_at": {"$gte": "2026-03-09T00:00:00Z"}}).memories == (item,)
    assert user.list_memories(filters={"created_at": {"$lt": "2026-03-09T00:00:00Z"}}).memories == ()
    print(item.created_at.isoformat())
"""


@pytest.mark.parametrize("zone", ["America/Los_Angeles", "Asia/Tokyo"])
def test_the_zone_of_the_machine_does_not_matter(zone: str) -> None:
    done = run_python(ZONES, env={**os.environ, "TZ": zone})
    assert done.stdout == "2026-03-09T03:30:00+00:00\n", done.stderr


def test_one_item_has_the_same_times_everywhere(
    user: UserMemory, clock: ManualClock, tmp_path: object
) -> None:
    item = user.remember("tea")
    clock.advance(timedelta(seconds=1.25))
    changed = user.update(item.memory_id, metadata={"n": 1})
    assert (changed.created_at, changed.updated_at) == (START, START + timedelta(seconds=1.25))
    file = os.path.join(str(tmp_path), "file")
    user.export_memories(file)
    with open(file, encoding="utf-8") as lines:
        record = json.loads(lines.readline())
    shown = [
        user.get(item.memory_id),
        user.list_memories().memories[0],
        user.search("tea")[0].memory,
        user.history(item.memory_id)[0].memory,
    ]
    for one in shown:
        assert (one.created_at.isoformat(), one.updated_at.isoformat()) == (
            record["created_at"],
            record["updated_at"],
        )
