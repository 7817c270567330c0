from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from langmem_ext.stores.chroma.rwlock import ReadWriteLock
from tests.support.memories import soon

_SOON = 5.0


def free(lock: ReadWriteLock) -> bool:
    """Whether nobody is inside and nobody waits to be alone."""
    with lock.exclusive_if_free() as alone:
        return alone


def test_many_are_inside_at_once() -> None:
    lock, inside = ReadWriteLock(), threading.Barrier(4)

    def enter() -> None:
        with lock.shared():
            inside.wait(_SOON)  # would time out if they came one after the other

    with ThreadPoolExecutor(4) as pool:
        for entered in [pool.submit(enter) for _ in range(4)]:
            entered.result(_SOON)


def test_whoever_is_alone_is_alone() -> None:
    lock, inside, most = ReadWriteLock(), [0], [0]

    def shared() -> None:
        for _ in range(200):
            with lock.shared():
                assert inside[0] >= 0
                time.sleep(0)

    def exclusive() -> None:
        for _ in range(50):
            with lock.exclusive():
                inside[0] -= 1
                most[0] = min(most[0], inside[0])
                time.sleep(0.0005)
                inside[0] += 1

    with ThreadPoolExecutor(6) as pool:
        running = [pool.submit(work) for work in (shared, shared, shared, exclusive, exclusive, exclusive)]
        for one in running:
            one.result(60)
    assert most[0] == -1


def test_those_who_want_to_be_alone_go_first() -> None:
    lock = ReadWriteLock()
    inside, leave, order = threading.Event(), threading.Event(), []

    def first() -> None:
        with lock.shared():
            inside.set()
            leave.wait(_SOON)

    def exclusive() -> None:
        with lock.exclusive():
            order.append("alone")

    def later() -> None:
        with lock.shared():
            order.append("shared")

    with ThreadPoolExecutor(3) as pool:
        running = [pool.submit(first)]
        inside.wait(_SOON)
        running.append(pool.submit(exclusive))
        soon(lambda: not free(lock))
        running.append(pool.submit(later))
        time.sleep(0.02)
        assert order == []
        leave.set()
        for one in running:
            one.result(_SOON)
    assert order == ["alone", "shared"]


def test_an_error_inside_leaves_the_lock_open() -> None:
    lock = ReadWriteLock()
    with pytest.raises(RuntimeError), lock.exclusive():
        raise RuntimeError
    with pytest.raises(RuntimeError), lock.shared():
        raise RuntimeError
    with lock.exclusive():
        pass


def test_who_does_not_wait_is_told() -> None:
    lock = ReadWriteLock()
    with lock.exclusive_if_free() as alone:
        assert alone
        assert not free(lock)
    with lock.shared():
        assert not free(lock)
        with lock.shared():
            pass
    assert free(lock)
    with lock.exclusive():
        assert not free(lock)
