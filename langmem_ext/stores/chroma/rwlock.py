"""Many at once, or one alone: what may happen to a shard at the same time."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class ReadWriteLock:
    """Lets any number of threads in, or one alone. Who is inside must not enter again.

    Whoever wants to be alone goes first: nobody enters any more, and those inside finish.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._inside = 0
        self._taken = False

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Inside together with others."""
        with self._changed:
            self._changed.wait_for(lambda: not self._taken)
            self._inside += 1
        try:
            yield
        finally:
            with self._changed:
                self._inside -= 1
                self._changed.notify_all()

    @contextmanager
    def exclusive_if_free(self) -> Iterator[bool]:
        """Inside with nobody else if nobody is there now; yields whether that is so."""
        with self._changed:
            free = not self._taken and not self._inside
            self._taken = self._taken or free
        try:
            yield free
        finally:
            if free:
                with self._changed:
                    self._taken = False
                    self._changed.notify_all()

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Inside with nobody else."""
        with self._changed:
            self._changed.wait_for(lambda: not self._taken)
            self._taken = True
        try:
            with self._changed:
                self._changed.wait_for(lambda: not self._inside)
            yield
        finally:
            with self._changed:
                self._taken = False
                self._changed.notify_all()
