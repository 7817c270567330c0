"""The outbox gives turns out in order, until they were learned or dropped."""

from __future__ import annotations

import itertools
import threading
from datetime import datetime, timedelta, timezone, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from langmem_ext.errors import InvalidInputError, StoreClosedError
from langmem_ext.items import Scope
from langmem_ext.messages import Message
from langmem_ext.queued_turns import FailedTurn, Failure, Ticket, key_digest
from langmem_ext.state import Outbox
from langmem_ext.testing import ManualClock
from tests.support.memories import START
from tests.support.outbox import OpenOutbox, learned, put, said, take

OUTAGE = Failure("unavailable", "the server is down")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state.sqlite3"


@pytest.mark.parametrize(
    "zone", [ZoneInfo("Asia/Shanghai"), ZoneInfo("America/New_York"), timezone(timedelta(hours=-3.5))]
)
def test_a_turn_comes_back_as_it_was_put(open_outbox: OpenOutbox, clock: ManualClock, zone: tzinfo) -> None:
    clock.advance(0.123457)
    scope = Scope("用户\x001", "agent '1'", "session\n1")
    messages = (
        Message("user", 'I said "no"; 我住在里昂 🏠\x00', "小明", "m-1"),
        Message("assistant", "ok", "assistant", "m-2"),
    )
    when = datetime(2026, 10, 25, 2, 30, 0, 5, tzinfo=zone)
    ticket = open_outbox().put(scope, messages, when, idempotency_key="key 一", barrier=7)
    turn = take(open_outbox())
    assert (turn.ticket, turn.scope, turn.messages) == (ticket, scope, messages)
    assert ticket == Ticket("id-0001", scope.user_id, clock())
    assert (turn.observed_at, turn.observed_at.tzinfo) == (when, zone)
    assert (turn.idempotency_key, turn.barrier, turn.attempts) == (key_digest("key 一"), 7, 0)
    assert key_digest(key_digest("key 一")) == key_digest("key 一") != "key 一"


def test_one_users_turns_come_one_after_the_other(outbox: Outbox) -> None:
    for user, text in [("u1", "a"), ("u1", "b"), ("u2", "c"), ("u1", "d"), ("U1", "e")]:
        put(outbox, user, text)
    first, second, third = take(outbox), take(outbox), take(outbox)
    assert [said(turn) for turn in (first, second, third)] == ["a", "c", "e"]
    assert outbox.take(START) is None  # b and d wait for a
    outbox.done(first)
    assert outbox.take(START) is None
    outbox.release(first)
    assert learned(outbox) == ["b", "d"]


def test_a_turn_that_was_not_learned_keeps_its_place(open_outbox: OpenOutbox, outbox: Outbox) -> None:
    for text in ("a", "b"):
        put(outbox, "u1", text)
    put(outbox, "u2", "c")
    turn = take(outbox)
    outbox.fail(turn, 3, OUTAGE, set_aside=False)
    outbox.rest("u1", START + timedelta(seconds=5))
    outbox.release(turn)
    assert learned(outbox) == ["c"]  # and not b
    assert outbox.next_due() == START + timedelta(seconds=5)
    again = take(outbox, START + timedelta(seconds=5))
    assert (said(again), again.attempts) == ("a", 3)
    outbox.release(again)
    assert learned(open_outbox()) == ["a", "b"]  # who opens the file does not wait


def test_what_was_set_aside_lets_the_rest_pass(open_outbox: OpenOutbox, outbox: Outbox) -> None:
    tickets = [put(outbox, "u1", text) for text in ("a", "b", "c")]
    put(outbox, "u2", "d")
    turn = take(outbox)
    outbox.fail(turn, 1, Failure("refused", "no «回答»"), set_aside=True)
    outbox.release(turn)
    outbox = open_outbox()
    assert outbox.failed() == [FailedTurn(tickets[0], 1, Failure("refused", "no «回答»"))]
    assert (outbox.failed("u1"), outbox.failed("u2")) == (outbox.failed(), [])
    assert (outbox.counts(), outbox.counts("u1"), outbox.counts("u2")) == ((3, 1), (2, 1), (1, 0))
    assert learned(outbox) == ["b", "c", "d"]


def test_a_retry_goes_back_to_its_place(outbox: Outbox) -> None:
    tickets = {text: put(outbox, user, text) for user, text in [("u1", "a"), ("u1", "b"), ("u2", "c")]}
    for _ in range(3):
        turn = take(outbox)
        outbox.fail(turn, 8, OUTAGE, set_aside=True)
        outbox.release(turn)
    put(outbox, "u1", "d")
    assert outbox.retry("u2", tickets["a"].ticket_id) == 0  # another user's
    assert outbox.retry("u1", tickets["b"].ticket_id) == 1
    assert [failed.ticket for failed in outbox.failed()] == [tickets["a"], tickets["c"]]
    assert outbox.retry("u1") == 1
    turn = take(outbox)
    assert (said(turn), turn.attempts) == ("a", 0)
    outbox.release(turn)
    assert learned(outbox) == ["a", "b", "d"]
    assert outbox.retry() == 1
    assert learned(outbox) == ["c"]


def test_what_was_dropped_does_not_come_back(outbox: Outbox) -> None:
    for user, text in [("u1", "a"), ("u1", "b"), ("u2", "c")]:
        put(outbox, user, text)
    running = take(outbox)
    assert outbox.holds(running)
    assert outbox.drop("u1") == 2
    assert not outbox.holds(running)
    for set_aside in (False, True):  # what is being learned ends after that
        outbox.fail(running, 1, OUTAGE, set_aside=set_aside)
    assert not outbox.done(running)
    put(outbox, "u1", "later")
    assert learned(outbox) == ["c"]
    outbox.release(running)
    assert learned(outbox) == ["later"]
    outbox.rest("u1", START + timedelta(seconds=5))
    outbox.drop("u1")
    put(outbox, "u1", "a new start")
    assert learned(outbox) == ["a new start"]
    assert outbox.counts() == (0, 0)


def test_one_message_is_dropped_out_of_the_turns_that_have_it(outbox: Outbox) -> None:
    kept = [Message("user", "a", "user", "m-1"), Message("user", "b", "user", "m'\"2")]
    for user, messages in [("u1", kept[:1]), ("u1", kept), ("u2", kept), ("u1", kept[1:])]:
        outbox.put(Scope(user), messages, START)
    assert outbox.drop("u1", "m-") == 0
    assert outbox.drop("u1", "m'\"2") == 1  # the turn in which nothing else was said
    assert (outbox.counts("u1"), outbox.counts("u2")) == ((2, 0), (1, 0))
    assert sorted(learned(outbox), key=str) == ["a", "a", "a"]  # the first words of each: u2 has both


def test_one_turn_is_forgotten_by_its_owner_only(outbox: Outbox) -> None:
    first, second = put(outbox, "u1", "a"), put(outbox, "u1", "b")
    assert not outbox.forget("u2", first.ticket_id)
    assert not outbox.forget("u1", "id-9999")
    turn = take(outbox)
    outbox.fail(turn, 1, OUTAGE, set_aside=True)
    outbox.release(turn)
    assert outbox.forget("u1", first.ticket_id)
    assert (outbox.failed(), outbox.retry()) == ([], 0)
    assert outbox.forget("u1", second.ticket_id)
    assert learned(outbox) == []


def test_runnable_looks_at_earlier_turns_only(outbox: Outbox) -> None:
    assert (outbox.last_sequence(), outbox.runnable(START, 0)) == (0, False)
    put(outbox, "u1")
    last = outbox.last_sequence()
    assert outbox.runnable(START, last)
    turn = take(outbox)
    assert outbox.runnable(START, last)  # is being learned
    outbox.done(turn)
    outbox.release(turn)
    put(outbox, "u1")  # in the place of the first
    assert not outbox.runnable(START, last)


def test_a_closed_outbox_says_so(outbox: Outbox) -> None:
    outbox.close()
    outbox.close()
    with pytest.raises(StoreClosedError):
        put(outbox, "u1")
    with pytest.raises(StoreClosedError):
        outbox.take(START)


def test_half_a_surrogate_pair_is_an_invalid_input(outbox: Outbox) -> None:
    with pytest.raises(InvalidInputError, match="surrogate"):
        put(outbox, "\ud800")
    assert outbox.counts() == (0, 0)


def test_several_threads_put_and_take(outbox: Outbox) -> None:
    per_thread, found = 25, list[str]()
    numbers = itertools.count()

    def putting(user: str) -> None:
        for _ in range(per_thread):
            put(outbox, user, str(next(numbers)))

    def taking() -> None:
        while len(found) < 4 * per_thread:
            if (turn := outbox.take(START)) is not None:
                found.append(f"{turn.scope.user_id} {said(turn)}")
                assert outbox.done(turn)
                outbox.release(turn)

    threads = [threading.Thread(target=putting, args=(f"u{n}",)) for n in range(4)]
    threads += [threading.Thread(target=taking) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(set(found)) == 4 * per_thread
    for user in range(4):
        texts = [int(entry.split()[1]) for entry in found if entry.startswith(f"u{user} ")]
        assert texts == sorted(texts)
