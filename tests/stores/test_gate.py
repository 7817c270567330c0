from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from langmem_ext.stores.chroma.gate import Gate

_SOON = 5.0


def test_many_are_inside_at_once() -> None:
    gate, inside = Gate(), threading.Barrier(4)

    def enter() -> None:
        with gate.shared():
            inside.wait(_SOON)  # would time out if they came one after the other

    with ThreadPoolExecutor(4) as pool:
        for entered in [pool.submit(enter) for _ in range(4)]:
            entered.result(_SOON)


def test_whoever_is_alone_is_alone() -> None:
    gate, inside, most = Gate(), [0], [0]

    def shared() -> None:
        for _ in range(200):
            with gate.shared():
                assert inside[0] >= 0
                time.sleep(0)

    def alone() -> None:
        for _ in range(50):
            with gate.alone():
                inside[0] -= 1
                most[0] = min(most[0], inside[0])
                time.sleep(0.0005)
                inside[0] += 1

    with ThreadPoolExecutor(6) as pool:
        running = [pool.submit(work) for work in (shared, shared, shared, alone, alone, alone)]
        for one in running:
            one.result(60)
    assert most[0] == -1


def test_those_who_want_to_be_alone_go_first() -> None:
    gate = Gate()
    inside, leave, order = threading.Event(), threading.Event(), []

    def first() -> None:
        with gate.shared():
            inside.set()
            leave.wait(_SOON)

    def alone() -> None:
        with gate.alone():
            order.append("alone")

    def later() -> None:
        with gate.shared():
            order.append("shared")

    with ThreadPoolExecutor(3) as pool:
        running = [pool.submit(first)]
        inside.wait(_SOON)
        running.append(pool.submit(alone))
        while not gate._taken:
            time.sleep(0.001)
        running.append(pool.submit(later))
        time.sleep(0.02)
        assert order == []
        leave.set()
        for one in running:
            one.result(_SOON)
    assert order == ["alone", "shared"]


def test_an_error_inside_leaves_the_gate_open() -> None:
    gate = Gate()
    with pytest.raises(RuntimeError), gate.alone():
        raise RuntimeError
    with pytest.raises(RuntimeError), gate.shared():
        raise RuntimeError
    with gate.alone():
        pass
