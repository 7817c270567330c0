"""One thing at a time per user, users side by side.

The part of a flow that reads and then writes runs as one function on a strand: functions of one
user run in order of submission, and those that wait hold no thread (a lock held over a thread
pool's own tasks deadlocks once the waiters fill the pool).
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import Final, TypeVar

from langmem_ext.errors import StoreClosedError

T = TypeVar("T")
# More than would be busy at once: some may wait for a shard that is rewritten, or for another process.
_THREADS: Final = 64


class Strands:
    """Queues by name over one small pool of threads."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="langmem_ext")
        self._lock = threading.Lock()
        self._idle = threading.Condition(self._lock)
        self._closed = False
        self._waiting: dict[str, deque[Callable[[], None]]] = {}

    def submit(self, name: str, function: Callable[[], T]) -> Future[T]:
        """Run the function after all that were submitted under this name before it."""
        future: Future[T] = Future()
        context = copy_context()

        def task() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                result = context.run(function)
            except BaseException as error:  # handed over to whoever waits for the future
                future.set_exception(error)
            else:
                future.set_result(result)

        with self._lock:
            if self._closed:
                raise StoreClosedError()
            idle = name not in self._waiting
            self._waiting.setdefault(name, deque()).append(task)
        if idle:
            self._schedule(name)
        return future

    def _schedule(self, name: str) -> None:
        try:
            self._pool.submit(self._run_next, name)
        except RuntimeError:  # the interpreter is going down and lends no threads any more
            self._run_next(name)

    def _run_next(self, name: str) -> None:
        with self._lock:
            task = self._waiting[name].popleft()
        task()
        with self._lock:
            more = bool(self._waiting[name])
            if not more:
                del self._waiting[name]
                self._idle.notify_all()
        if more:  # back to the end of the pool's queue: no user keeps a thread
            self._schedule(name)

    def drain(self) -> None:
        """Wait until nothing is queued."""
        with self._idle:
            self._idle.wait_for(lambda: not self._waiting)

    def close(self) -> None:
        """Run what was submitted, then end the threads."""
        with self._idle:
            self._closed = True
            self._idle.wait_for(lambda: not self._waiting)
        self._pool.shutdown(wait=True)
