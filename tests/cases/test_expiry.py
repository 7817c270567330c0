"""From its last instant on, a memory is nowhere to be seen."""

from __future__ import annotations

import io
from datetime import UTC, datetime, timedelta

import pytest

from langmem_ext import MemoryNotFoundError
from langmem_ext.testing import ManualClock, ScriptedChatModel
from tests.support.memories import START, OpenMemory, actions, contents, fact, listed, reply

CODE = "Parking code valid today"


def test_no_way_to_read_shows_what_expired(open_memory: OpenMemory, clock: ManualClock) -> None:
    llm = ScriptedChatModel([reply(), reply(fact(CODE, CODE))])
    user = open_memory(llm=llm).for_user("u1")
    item = user.remember(CODE, expires_at=START + timedelta(seconds=3600))
    clock.advance(3599.999)
    assert (listed(user), contents(user.search("parking"))) == ([CODE], [CODE])
    clock.advance(0.001)
    assert listed(user) == contents(user.iter_memories()) == contents(user.search("parking")) == []
    assert user.context("parking").text == ""
    for call in (user.get, user.history, lambda one: user.update(one, metadata={"n": 1})):
        with pytest.raises(MemoryNotFoundError):
            call(item.memory_id)
    (shown,) = user.list_memories(include_expired=True).memories
    assert (shown.memory_id, shown.expires_at) == (item.memory_id, item.expires_at)

    user.add("What was my parking code, the one that I told you about?")
    assert all(CODE not in message.content for call in llm.calls for message in call.messages)
    fresh = user.add(f"{CODE}.")  # not a repetition of what is gone
    assert actions(fresh) == ["added"] and fresh.memories[0].memory_id != item.memory_id
    assert listed(user) == [CODE]
    assert user.delete(item.memory_id).versions == 1  # what is still on disk can be deleted
    assert listed(user) == [CODE]
    assert len(user.list_memories(include_expired=True).memories) == 1


def test_an_expired_value_is_not_replaced_but_followed(open_memory: OpenMemory, clock: ManualClock) -> None:
    user = open_memory().for_user("u1")
    old = user.remember("Bay 7", key="parking", expires_at=START + timedelta(hours=1))
    clock.advance(3601)
    new = user.remember("Bay 9", key="parking")
    assert (new.supersedes, listed(user)) == ((), ["Bay 9"])
    assert user.remember("Bay 7").memory_id != old.memory_id


@pytest.mark.parametrize(("now", "visible"), [(999.9, True), (1000, False), (1000.5, False)])
def test_the_instant_itself_is_too_late(open_memory: OpenMemory, now: float, visible: bool) -> None:
    clock = ManualClock(datetime.fromtimestamp(0, UTC))
    user = open_memory(clock=clock).for_user("u1")
    user.remember("x", expires_at=1000)
    user.remember("y", expires_at=None)
    user.search("x")  # fills the index in RAM, which must not outlive the instant
    clock.advance(now)
    expected = ["x", "y"] if visible else ["y"]
    assert sorted(contents(user.search("x y"))) == listed(user) == expected


def test_delete_all_and_export_reach_what_expired(open_memory: OpenMemory, clock: ManualClock) -> None:
    user = open_memory().for_user("u1")
    user.remember("x", expires_at=START + timedelta(seconds=1))
    clock.advance(2)
    assert user.export_memories(io.StringIO()) == 1
    receipt = user.delete_all()
    assert (receipt.memories, receipt.versions) == (0, 1)
    assert listed(user, include_expired=True) == []


def test_looking_back_shows_what_was_valid_then(open_memory: OpenMemory) -> None:
    clock = ManualClock(datetime(2026, 1, 10, tzinfo=UTC))
    user = open_memory(clock=clock).for_user("u1")
    user.remember("x", expires_at="2026-02-01T00:00:00Z")
    clock.advance(timedelta(days=50))
    for day, found in (("2026-01-20", ["x"]), ("2026-01-05", []), ("2026-02-02", [])):
        assert contents(user.search("x", as_of=f"{day}T00:00:00Z")) == found
        assert listed(user, as_of=f"{day}T00:00:00Z") == found
