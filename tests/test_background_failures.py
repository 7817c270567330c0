"""What could not be learned waits, or is set aside; it is never lost."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from langmem_ext import AddResult
from langmem_ext.background import Backoff, Workers
from langmem_ext.errors import InvalidInputError, ModelError, ModelErrorKind, StorageError
from langmem_ext.items import Scope
from langmem_ext.messages import parse_messages
from langmem_ext.queued_turns import QueuedTurn
from langmem_ext.state import Outbox
from langmem_ext.testing import ManualClock, SequentialIds
from tests.support.background import BACKOFF, NOTHING, Gate, Room, failed
from tests.support.memories import START, soon


@pytest.fixture
def room(clock: ManualClock) -> Iterator[Room]:
    room = Room(clock)
    yield room
    room.close()


def test_an_outage_is_waited_out_in_order(room: Room, clock: ManualClock) -> None:
    room.workers.attach(room.learn)
    room.put("u1", "a", failed("rate_limit"), failed("timeout"))
    room.put("u1", "b")
    room.put("u2", "c")
    soon(lambda: room.outbox.counts() == (2, 0) and room.outbox.next_due() is not None)
    assert sorted(room.texts) == ["a", "c"]
    for seconds in (10, 20):  # 10, then twice as much
        assert room.outbox.next_due() == clock() + (due := BACKOFF.delay(seconds // 10, 1.0))
        assert due.total_seconds() == seconds
        clock.advance(seconds - 1)
        room.workers.wake()
        room.put("u3", f"meanwhile {seconds}")
        soon(lambda: room.outbox.counts("u3") == (0, 0))
        tried = room.texts.count("a")
        clock.advance(1)
        room.workers.wake()
        soon(lambda tried=tried: room.texts.count("a") == tried + 1)  # type: ignore[misc]
        soon(lambda: room.outbox.next_due() is not None or room.outbox.counts() == (0, 0))
    soon(lambda: room.outbox.counts() == (0, 0))
    assert [text for text in room.texts if text in "ab"] == ["a", "a", "a", "b"]


def test_threads_wake_by_themselves_when_a_rest_is_over(clock: ManualClock) -> None:
    outbox = Outbox(None, clock=clock, new_id=SequentialIds())
    workers = Workers(outbox, clock=lambda: datetime.now(UTC), backoff=Backoff(first=0.05))
    room = Room(clock, outbox)
    workers.attach(room.learn)
    room.put("u1", "a", failed("unavailable"))
    workers.wake()
    soon(lambda: outbox.counts() == (0, 0))
    assert room.texts == ["a", "a"]
    workers.close()
    room.close()


def test_a_rest_ends_in_time_though_the_thread_that_knew_of_it_is_busy(clock: ManualClock) -> None:
    outbox, gate = Outbox(None, clock=clock, new_id=SequentialIds()), Gate()
    workers = Workers(outbox, clock=lambda: datetime.now(UTC), threads=2, backoff=Backoff(first=0.05))
    tried: list[str] = []

    def learn(turn: QueuedTurn) -> AddResult:
        tried.append(turn.scope.user_id)
        if turn.scope.user_id == "u2":
            return gate.learn(turn)
        if len(tried) > 1:
            return NOTHING
        time.sleep(0.2)  # the other thread goes to sleep
        outbox.put(Scope("u2"), parse_messages("b"), START)  # and is not told; this one takes it next
        return failed("unavailable")

    workers.attach(learn)
    outbox.put(Scope("u1"), parse_messages("a"), START)
    workers.wake()
    soon(lambda: outbox.counts("u1") == (0, 0))
    assert outbox.counts("u2") == (1, 0)
    gate.open.set()
    workers.close()
    outbox.close()


def test_an_outage_that_does_not_end_sets_the_turn_aside(room: Room) -> None:
    ticket = room.put("u1", "a", *[failed("unavailable", "down")] * 4)
    room.put("u1", "b")
    room.begin()
    for _ in range(2):
        assert room.workers.flush() == (0, 2, 0)
    assert room.workers.flush() == (1, 0, 1)
    (aside,) = room.outbox.failed()
    assert (aside.ticket, aside.attempts, aside.error) == (ticket, 4, ("unavailable", "down"))
    assert room.texts == ["a"] * 4 + ["b"]
    assert room.outbox.retry("u1", ticket.ticket_id) == 1
    assert room.workers.flush() == (1, 0, 0)


@pytest.mark.parametrize("kind", ["bad_request", "bad_reply", "truncated", "refused"])
def test_what_can_not_succeed_is_set_aside_at_once(room: Room, kind: ModelErrorKind) -> None:
    room.workers.attach(room.learn)
    room.put("u1", "a", failed(kind))
    room.put("u1", "b")
    assert room.workers.flush() == (1, 0, 1)
    assert room.texts == ["a", "b"]
    assert [(aside.attempts, aside.error.kind) for aside in room.outbox.failed()] == [(1, kind)]


def test_a_wrong_key_keeps_everything_in_order_until_it_is_right(room: Room) -> None:
    room.put("u1", "a", *[failed("auth")] * 9, failed("unavailable"))
    room.put("u1", "b")
    room.begin()
    for _ in range(9):
        assert room.workers.flush() == (0, 2, 0)
    assert room.outbox.next_due() is not None
    right = Room(ManualClock(), room.outbox)
    room.workers.attach(right.learn)  # at once
    soon(lambda: room.outbox.counts() == (0, 0))
    assert right.texts == ["a", "b"]


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (StorageError("disk full"), "storage"),
        (ModelError("slow", kind="timeout"), "timeout"),
        (ZeroDivisionError("what \ud800"), "unexpected"),
        (SystemExit(3), "unexpected"),
    ],
)
def test_an_exception_is_waited_out(room: Room, error: BaseException, kind: str) -> None:
    room.put("u1", "a", error, error, error, error)
    room.put("u1", "b")
    room.begin()
    for _ in range(2):
        assert room.workers.flush() == (0, 2, 0)
    assert room.workers.flush() == (1, 0, 1)
    assert room.outbox.failed()[0].error.kind == kind
    assert room.texts == ["a"] * 4 + ["b"]


def test_a_turn_that_is_refused_as_invalid_is_set_aside_at_once(room: Room) -> None:
    room.workers.attach(room.learn)
    room.put("u1", "a", InvalidInputError("observed_at is in the future"))
    assert room.workers.flush() == (0, 0, 1)
    assert room.outbox.failed()[0].error == ("invalid_input", "observed_at is in the future")


class FullDisk(Outbox):
    """Can not remove what was learned, the first time."""

    refusals = 1

    def done(self, turn: QueuedTurn) -> bool:
        if self.refusals:
            self.refusals -= 1
            raise StorageError("disk full")
        return super().done(turn)


def test_an_outbox_that_can_not_be_written_stops_nobody(clock: ManualClock) -> None:
    room = Room(clock, FullDisk(None, clock=clock, new_id=SequentialIds()))
    room.workers.attach(room.learn)
    room.put("u1", "a")
    soon(lambda: room.outbox.next_due() is not None)
    assert room.texts == ["a"]  # it rests, and is not learned again and again
    assert room.workers.flush() == (1, 0, 0)
    room.close()


def test_rests_grow_and_are_spread() -> None:
    delays = [Backoff().delay(attempts, 1.0).total_seconds() for attempts in range(1, 8)]
    assert delays == [5, 20, 80, 320, 900, 900, 900]
    assert Backoff().delay(1, 0.0).total_seconds() == 2.5
    assert Backoff().delay(10_000, 1.0).total_seconds() == 900


def test_logs_hold_no_words(room: Room, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    kinds: list[AddResult | BaseException] = [
        failed(kind, "SECRET") for kind in ("auth", "timeout", "refused")
    ]
    for number, result in enumerate([*kinds, StorageError("SECRET"), ZeroDivisionError("SECRET")]):
        room.put(f"SECRET{number}", f"SECRET {number}", result)
    room.begin()
    assert room.outbox.counts() == (4, 1)
    told = [record for record in caplog.records if record.name == "langmem_ext.background"]
    assert len(told) == 5
    assert "SECRET" not in caplog.text
