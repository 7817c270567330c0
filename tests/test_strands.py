from __future__ import annotations

import threading
import time
from concurrent.futures import Future
from contextvars import ContextVar
from functools import partial

import pytest

from langmem_ext.strands import Strands

LABEL: ContextVar[str] = ContextVar("LABEL", default="none")


def test_one_name_runs_in_order_and_never_twice_at_once() -> None:
    strands = Strands()
    seen: list[int] = []
    inside = threading.Lock()

    def step(number: int) -> int:
        assert inside.acquire(blocking=False)
        time.sleep(0.001)
        seen.append(number)
        inside.release()
        return number

    futures = [strands.submit("u1", partial(step, number)) for number in range(50)]
    assert [future.result(10) for future in futures] == seen == list(range(50))
    strands.close()


def test_names_run_side_by_side() -> None:
    strands = Strands()
    both = threading.Barrier(2)
    futures = [strands.submit(name, lambda: both.wait(5)) for name in ("u1", "u2")]
    assert {future.result(5) for future in futures} == {0, 1}
    strands.close()


def test_many_waiting_for_one_name_do_not_stop_the_others() -> None:
    strands = Strands()
    gate = threading.Event()
    blocked = [strands.submit("busy", lambda: gate.wait(10)) for _ in range(100)]
    assert strands.submit("idle", lambda: "done").result(5) == "done"
    gate.set()
    assert all(future.result(10) for future in blocked)
    strands.close()


def test_an_error_goes_to_its_caller_only() -> None:
    strands = Strands()

    def fail() -> None:
        raise KeyError("mine")

    failed = strands.submit("u1", fail)
    after = strands.submit("u1", lambda: "fine")
    with pytest.raises(KeyError, match="mine"):
        failed.result(5)
    assert after.result(5) == "fine"
    strands.close()


def test_a_cancelled_call_is_skipped() -> None:
    strands = Strands()
    gate = threading.Event()
    ran: list[str] = []
    first = strands.submit("u1", lambda: gate.wait(10))
    second: Future[None] = strands.submit("u1", lambda: ran.append("second"))
    third: Future[None] = strands.submit("u1", lambda: ran.append("third"))
    assert second.cancel()
    gate.set()
    assert first.result(10)
    third.result(10)
    assert ran == ["third"]
    strands.close()


def test_context_variables_come_along() -> None:
    strands = Strands()
    token = LABEL.set("caller")
    assert strands.submit("u1", LABEL.get).result(5) == "caller"
    LABEL.reset(token)
    assert strands.submit("u1", LABEL.get).result(5) == "none"
    strands.close()


def later(number: int) -> int:
    time.sleep(0.005)
    return number


def test_close_runs_what_was_submitted_and_ends_its_threads() -> None:
    before = threading.active_count()
    strands = Strands()
    futures = [strands.submit(f"u{n % 3}", partial(later, n)) for n in range(30)]
    strands.close()
    assert [future.result(0) for future in futures] == list(range(30))
    assert threading.active_count() == before


def test_a_call_after_close_is_refused() -> None:
    strands = Strands()
    strands.close()
    for _ in range(2):  # and leaves nothing behind that the second one would wait for
        with pytest.raises(Exception, match="clos|shutdown"):
            strands.submit("u1", lambda: None).result(5)
    strands.close()
