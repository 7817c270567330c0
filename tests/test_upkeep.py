"""Looking after the whole store."""

from __future__ import annotations

from datetime import timedelta

import pytest

from langmem_ext import LongTermMemory, MemoryNotFoundError, StoreClosedError
from langmem_ext.testing import ManualClock
from tests.support.memories import START, OpenMemory, listed

HOUR = timedelta(hours=1)


def test_sweep_removes_what_expired_and_counts_it(memory: LongTermMemory, clock: ManualClock) -> None:
    first, second, third = (memory.for_user(name) for name in ("u1", "u2", "u3"))
    first.remember_many([{"content": f"short {n}", "expires_at": START + HOUR} for n in range(3)])
    first.remember("longer", expires_at=START + 2 * HOUR)
    second.remember("short too", expires_at=START + HOUR)
    second.remember("for ever")
    third.remember("for ever")
    assert memory.sweep() == (0, 0)
    clock.advance(3600)
    assert memory.sweep() == (4, 2)
    assert memory.sweep() == (0, 0)
    assert [listed(user, include_expired=True) for user in (first, second, third)] == [
        ["longer"],
        ["for ever"],
        ["for ever"],
    ]
    clock.advance(3600)
    assert memory.sweep() == (1, 1)
    assert memory.users() == ["u2", "u3"]


def test_sweep_takes_more_than_a_page(memory: LongTermMemory, clock: ManualClock) -> None:
    user = memory.for_user("u1")
    user.remember_many([{"content": f"fact {n}", "expires_at": START + HOUR} for n in range(1100)])
    user.remember("stays")
    clock.advance(3601)
    assert memory.sweep().removed == 1100
    assert listed(user, include_expired=True) == ["stays"]


def test_older_versions_go_with_the_current_one(memory: LongTermMemory, clock: ManualClock) -> None:
    user = memory.for_user("u1")
    old = user.remember("Bay 7", key="parking")
    new = user.remember("Bay 9", key="parking", expires_at=START + HOUR)
    edited = user.remember("Floor 1", expires_at=START + HOUR)
    user.update(edited.memory_id, content="Floor 2")
    clock.advance(3601)
    assert memory.sweep().removed == 4
    for item in (old, new, edited):
        with pytest.raises(MemoryNotFoundError):
            user.get(item.memory_id)
    assert user.remember("Bay 7", key="parking").supersedes == ()


def test_an_older_version_that_expired_leaves_the_current_one(
    memory: LongTermMemory, clock: ManualClock
) -> None:
    user = memory.for_user("u1")
    old = user.remember("Bay 7", key="parking", expires_at=START + HOUR)
    new = user.remember("Bay 9", key="parking")
    clock.advance(3601)
    assert memory.sweep().removed == 1
    assert listed(user) == ["Bay 9"]
    assert [event.memory.memory_id for event in user.history(new.memory_id)] == [new.memory_id]
    with pytest.raises(MemoryNotFoundError):
        user.get(old.memory_id)


def test_what_was_swept_is_out_of_sight_for_the_past_too(open_memory: OpenMemory, clock: ManualClock) -> None:
    memory = open_memory()
    user = memory.for_user("u1")
    user.remember("for an hour", expires_at=START + HOUR)
    clock.advance(7200)
    past = START + HOUR / 2
    assert listed(user, as_of=past) == ["for an hour"]
    memory.sweep()
    assert listed(user, as_of=past) == []
    assert list(user.search("hour", as_of=past)) == []


async def test_the_async_doors(memory: LongTermMemory, clock: ManualClock) -> None:
    await memory.for_user("u1").aremember("short", expires_at=START + HOUR)
    clock.advance(3601)
    assert await memory.asweep() == (1, 1)
    assert (await memory.arepair()).rows == 0
    assert (await memory.aerase()).complete


def test_nothing_works_after_close(memory: LongTermMemory) -> None:
    memory.close()
    for call in (memory.sweep, memory.erase, memory.repair):
        with pytest.raises(StoreClosedError):
            call()
