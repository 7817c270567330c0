"""Learning in the background: in order, as long as it is wanted."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator
from datetime import datetime

import pytest

from langmem_ext import AddResult
from langmem_ext.errors import StoreClosedError
from langmem_ext.items import Scope
from langmem_ext.messages import parse_messages
from langmem_ext.queued_turns import QueuedTurn
from langmem_ext.state import Outbox
from langmem_ext.testing import ManualClock, SequentialIds
from tests.support.background import NOTHING, Gate, Room, failed
from tests.support.memories import START, soon


@pytest.fixture
def room(clock: ManualClock) -> Iterator[Room]:
    room = Room(clock)
    yield room
    room.close()


def learning_threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("langmem_ext-learn-")]


def test_users_are_learned_side_by_side_and_each_in_order(room: Room) -> None:
    both, texts, inside = threading.Barrier(2), list[str](), Counter[str]()

    def learn(turn: QueuedTurn) -> AddResult:
        user, text = turn.scope.user_id, turn.messages[0].content
        inside[user] += 1
        assert inside[user] == 1
        if text.endswith("first"):
            both.wait(20)
        texts.append(text)
        inside[user] -= 1
        return NOTHING

    room.workers.attach(learn)
    wanted = {user: [f"{user} {word}" for word in ["first", *map(str, range(20))]] for user in ("a", "b")}
    for pair in zip(*wanted.values(), strict=True):
        for text in pair:
            room.put(text[0], text)
    assert room.workers.flush() == (42, 0, 0)
    assert {user: [text for text in texts if text[0] == user] for user in wanted} == wanted


def test_threads_start_with_the_first_turn_and_end_with_close(room: Room) -> None:
    room.workers.attach(room.learn)
    assert learning_threads() == []
    room.put("u1", "a")
    assert sorted(learning_threads()) == [f"langmem_ext-learn-{number}" for number in range(4)]
    assert room.workers.close()
    assert learning_threads() == []


def test_what_an_earlier_run_left_is_learned(room: Room) -> None:
    room.put("u1", "a")
    assert learning_threads() == []  # nothing to learn with
    room.workers.attach(room.learn)
    soon(lambda: room.outbox.counts() == (0, 0))
    assert room.texts == ["a"]


def test_the_memory_opened_last_learns_and_a_closed_one_does_not(room: Room) -> None:
    second = Room(ManualClock(), room.outbox)
    room.workers.attach(room.learn)
    room.workers.attach(second.learn)
    room.put("u1", "a")
    assert room.workers.flush() == (1, 0, 0)
    assert (room.texts, second.texts) == ([], ["a"])
    second.results["b"] = [StoreClosedError()]
    room.outbox.put(Scope("u1"), parse_messages("b"), START)
    room.workers.wake()
    soon(lambda: room.outbox.counts() == (0, 0))
    assert (room.texts, second.texts) == (["b"], ["a", "b"])
    assert room.workers.detach(room.learn)
    room.put("u1", "c")
    assert room.workers.flush() == (1, 1, 0)  # b; nothing to learn c with, so it does not wait
    assert room.texts == ["b"]


def test_flush_tries_again_at_once_what_rests(room: Room) -> None:
    room.put("u1", "a", failed("unavailable"), failed("unavailable"))
    room.put("u1", "b")
    room.begin()
    assert room.workers.flush() == (0, 2, 0)
    assert room.texts == ["a", "a"]  # once
    assert room.workers.flush() == (2, 0, 0)


def test_flush_does_not_wait_for_what_comes_after_it(room: Room) -> None:
    def learn(turn: QueuedTurn) -> AddResult:
        room.outbox.put(turn.scope, turn.messages, START)  # for ever
        return NOTHING

    room.workers.attach(learn)
    room.put("u1", "a")
    flushing = threading.Thread(target=room.workers.flush)
    flushing.start()
    flushing.join(20)
    assert not flushing.is_alive()


def test_flush_and_close_end_with_their_time(room: Room) -> None:
    gate = Gate()
    room.workers.attach(gate.learn)
    room.put("u1", "a")
    room.put("u1", "b")
    assert gate.entered.wait(20)
    assert room.workers.flush(timeout=0.01) == (0, 2, 0)
    assert not room.workers.detach(gate.learn, timeout=0.01)
    assert not room.workers.close(timeout=0.01)
    gate.open.set()
    assert room.workers.close()
    assert room.outbox.counts() == (1, 0)  # what ran was finished, the rest is kept


class Asked(Outbox):
    """Tells when a flush looks whether it has to wait."""

    def __init__(self, clock: ManualClock) -> None:
        super().__init__(None, clock=clock, new_id=SequentialIds())
        self.asked = threading.Event()

    def runnable(self, now: datetime, up_to: int) -> bool:
        self.asked.set()
        return super().runnable(now, up_to)


def test_close_ends_a_flush(clock: ManualClock) -> None:
    gate, outbox = Gate(), Asked(clock)
    room = Room(clock, outbox)
    room.workers.attach(gate.learn)
    room.put("u1", "a")
    assert gate.entered.wait(20)
    flushing = threading.Thread(target=room.workers.flush)
    flushing.start()
    assert outbox.asked.wait(20)
    room.workers.close(timeout=0)
    flushing.join(20)
    assert not flushing.is_alive()
    gate.open.set()
    room.close()


def test_what_is_dropped_while_it_is_learned_is_not_held(room: Room) -> None:
    gate, held = Gate(), list[bool]()

    def learn(turn: QueuedTurn) -> AddResult:
        result = gate.learn(turn)
        held.append(room.outbox.holds(turn))
        return result

    room.workers.attach(learn)
    room.put("u1", "a")
    assert gate.entered.wait(20)
    assert room.outbox.drop("u1") == 1
    gate.open.set()
    assert room.workers.flush().learned == 0
    assert held == [False]


class Counting(Outbox):
    """Counts how often it is looked into."""

    looks = 0

    def take(self, now: datetime) -> QueuedTurn | None:
        self.looks += 1
        return super().take(now)


def test_idle_threads_do_not_poll(clock: ManualClock) -> None:
    outbox = Counting(None, clock=clock, new_id=SequentialIds())
    room = Room(clock, outbox)
    room.workers.attach(room.learn)
    room.put("u1", "a")
    assert room.workers.flush() == (1, 0, 0)

    def quiet() -> bool:
        before = outbox.looks
        time.sleep(0.5)
        return outbox.looks == before

    soon(quiet)
    room.close()
