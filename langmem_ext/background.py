"""Learning in the background: a few threads that take turns out of the outbox, one of each user at a time."""

from __future__ import annotations

import atexit
import logging
import os
import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, NamedTuple, TypeAlias

from langmem_ext.errors import InvalidInputError, ModelError, StorageError, StoreClosedError
from langmem_ext.items import AddResult
from langmem_ext.ports import Clock
from langmem_ext.queued_turns import Failure, QueuedTurn
from langmem_ext.redaction import redact
from langmem_ext.state import Outbox
from langmem_ext.text import well_formed

Learn: TypeAlias = Callable[[QueuedTurn], AddResult]
logger = logging.getLogger(__name__)
# Another attempt may well succeed, with whatever model or store.
_PASSING: Final = frozenset({"storage", "unexpected"})
_LONGEST_MESSAGE: Final = 1000
_CLOSING: Final = 10.0  # seconds that close() waits for turns that are being learned


class BackgroundReport(NamedTuple):
    """What was learned in the background, in turns.

    Attributes:
        learned: Learned since the last `flush()`; those that held nothing to learn count too.
        waiting: Still in the outbox: the LLM, the embedder or the store could not be reached.
        failed: Set aside until somebody retries or forgets them, now or earlier.
    """

    learned: int
    waiting: int
    failed: int


@dataclass(frozen=True, slots=True)
class Backoff:
    """How long a user's turns rest after a failure, in seconds, and after how many one is set aside.

    The defaults span some 40 minutes.
    """

    first: float = 5.0
    factor: float = 4.0
    longest: float = 900.0
    max_attempts: int = 8

    def delay(self, attempts: int, chance: float) -> timedelta:
        """The rest after so many attempts; `chance` of 0..1 spreads it over its upper half."""
        growth = self.factor ** min(attempts - 1, 100)
        return timedelta(seconds=min(self.longest, self.first * growth) * (1 + chance) / 2)


class Workers:
    """Threads over one outbox, started when there is something to learn. Idle ones wait without polling.

    What is learned with is attached: of several memories that share a store, the one opened last
    counts. A turn leaves the outbox after it was learned, so `learn` must know one that it learned
    before. Without `close()`, the end of the interpreter closes.

    Attributes:
        outbox: Where the turns are; its owner closes it, after the workers.
    """

    def __init__(
        self,
        outbox: Outbox,
        *,
        clock: Clock,
        threads: int = 4,
        backoff: Backoff | None = None,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self.outbox = outbox
        self._clock = clock
        self._size = threads
        self._backoff = backoff or Backoff()
        self._chance = chance
        self._pid = os.getpid()
        lock = threading.Lock()
        self._work = threading.Condition(lock)
        self._settled = threading.Condition(lock)
        self._learners: list[Learn] = []
        self._in_use: list[Learn] = []
        self._threads: list[threading.Thread] = []
        self._learned = 0
        self._failure: Failure | None = None
        self._closing = False

    def attach(self, learn: Learn) -> None:
        """Learn with this function from now on, at once what an earlier run left or what was postponed.

        It gets turns of one user one after the other, those of several users at the same time, and
        must be safe to use from several threads. Failures of the model are results, as in `add`.
        """
        with self._work:
            self._learners.append(learn)
        self.wake(hurry=True)

    def detach(self, learn: Learn, timeout: float | None = _CLOSING) -> bool:
        """Do not begin anything with this function any more; False when the time was up before it ended."""
        with self._settled:
            self._remove(learn)
            return self._settled.wait_for(lambda: learn not in self._in_use, timeout)

    def wake(self, *, hurry: bool = False) -> None:
        """Call it when something was put into the outbox; with `hurry` nothing that was postponed rests."""
        with self._work:
            if hurry:
                self.outbox.hurry()
            self._start()
            self._work.notify(self._size if hurry else 1)

    def flush(self, timeout: float | None = None) -> BackgroundReport:
        """Wait until what is in the outbox now was tried, also what rests after a failure.

        Args:
            timeout: Seconds; what was not learned by then stays in the outbox.

        Raises:
            StorageError: the outbox cannot be read.
        """
        last = self.outbox.last_sequence()
        self.wake(hurry=True)
        with self._settled:
            self._settled.wait_for(lambda: not self._pending(last), timeout)
            learned, self._learned = self._learned, 0
        return BackgroundReport(learned, *self.outbox.counts())

    def take_failure(self) -> Failure | None:
        """What went wrong last since it was asked for before."""
        with self._work:
            failure, self._failure = self._failure, None
        return failure

    def _pending(self, last: int) -> bool:
        idle = self._closing or not self._learners
        return not idle and self.outbox.runnable(self._clock(), last)

    def close(self, timeout: float | None = _CLOSING) -> bool:
        """Begin nothing more and let end what is being learned; False when the time was up before.

        What was not learned stays in the outbox. Twice is fine.
        """
        if os.getpid() != self._pid:  # a forked child has none of the threads
            return True
        with self._work:
            self._closing = True
            self._work.notify_all()
            self._settled.notify_all()
        until = None if timeout is None else time.monotonic() + timeout
        for thread in self._threads:
            if thread is threading.current_thread():  # closed by what is being learned
                continue
            thread.join(None if until is None else max(0.0, until - time.monotonic()))
        atexit.unregister(self.close)
        return not any(thread.is_alive() for thread in self._threads)

    def _start(self) -> None:
        if self._threads or self._closing or not self._learners or not self.outbox.counts().waiting:
            return
        # A thread that the interpreter's end stops in the middle of foreign code may bring the process down.
        atexit.register(self.close)
        for number in range(self._size):
            thread = threading.Thread(target=self._run, name=f"langmem_ext-learn-{number}", daemon=True)
            try:
                thread.start()
            except RuntimeError:  # the interpreter is going down; the next run will learn it
                return
            self._threads.append(thread)

    def _run(self) -> None:
        while (work := self._next()) is not None:
            turn, learn = work
            try:
                self._settle(turn, learn)
            finally:
                with self._work:
                    self.outbox.release(turn)
                    self._in_use.remove(learn)
                    self._settled.notify_all()

    def _next(self) -> tuple[QueuedTurn, Learn] | None:
        """Something to learn, waited for; None at the end."""
        with self._work:
            while not self._closing:
                seconds = None
                if self._learners:
                    try:
                        if (turn := self.outbox.take(self._clock())) is not None:
                            self._in_use.append(learn := self._learners[-1])
                            self._work.notify()  # another thread looks at what is next, and when
                            return turn, learn
                        if (due := self.outbox.next_due()) is not None:
                            seconds = max(0.0, (due - self._clock()).total_seconds())
                    except StoreClosedError:
                        return None
                    except Exception as error:  # this thread must not end before the outbox does
                        logger.warning("the outbox cannot be read (%s)", type(error).__name__)
                        seconds = self._backoff.first
                self._work.wait(seconds)
        return None

    def _settle(self, turn: QueuedTurn, learn: Learn) -> None:
        try:
            outcome: AddResult | BaseException = learn(turn)
        except StoreClosedError:  # that memory is gone; the turn waits for another
            with self._work:
                self._remove(learn)
            return
        except BaseException as error:  # whatever an LLM of the user's raises: nobody else would hear of it
            outcome = error
        try:
            self._record(turn, outcome)
        except StoreClosedError:
            pass  # the next run learns it again, and finds that it was learned before
        except Exception as error:  # this thread must go on
            logger.warning("the outbox cannot be written (%s)", type(error).__name__)
            self._rest(turn, 1)

    def _record(self, turn: QueuedTurn, outcome: AddResult | BaseException) -> None:
        if (failed := _failure(outcome)) is not None:
            self._fail(turn, *failed)
        elif self.outbox.done(turn):
            with self._work:
                self._learned += 1

    def _fail(self, turn: QueuedTurn, failure: Failure, retryable: bool) -> None:
        with self._work:
            self._failure = failure
        ticket, kind, attempts = turn.ticket.ticket_id, failure.kind, turn.attempts + 1
        # A wrong key is nobody's turn's fault and every turn would fail with it: set aside, all that waits
        # would be so within minutes. It costs a call per user and quarter of an hour to keep their order.
        if kind == "auth":
            logger.warning("turn %s waits: the LLM or embedder refuses the key (auth)", ticket)
            self.outbox.fail(turn, turn.attempts, failure, set_aside=False)
            self._rest(turn, self._backoff.max_attempts)
        elif (retryable or kind in _PASSING) and attempts < self._backoff.max_attempts:
            logger.info("turn %s waits: %s, attempt %d", ticket, kind, attempts)
            self._rest(turn, attempts)
            self.outbox.fail(turn, attempts, failure, set_aside=False)
        else:
            logger.warning("turn %s was set aside: %s, attempt %d", ticket, kind, attempts)
            self.outbox.fail(turn, attempts, failure, set_aside=True)

    def _rest(self, turn: QueuedTurn, attempts: int) -> None:
        if not self.outbox.holds(turn):  # dropped meanwhile: those behind it have done nothing wrong
            return
        until = self._clock() + self._backoff.delay(attempts, self._chance())
        self.outbox.rest(turn.scope.user_id, until)

    def _remove(self, learn: Learn) -> None:
        if learn in self._learners:
            self._learners.remove(learn)


def _failure(outcome: AddResult | BaseException) -> tuple[Failure, bool] | None:
    """Why a turn was not learned, and whether another attempt may succeed; None when it was."""
    if isinstance(outcome, AddResult):
        error = outcome.error
        return None if error is None else (_said(error.kind, error.message), error.retryable)
    if isinstance(outcome, ModelError):
        return _said(outcome.kind, str(outcome)), outcome.retryable
    if isinstance(outcome, InvalidInputError):
        return _said("invalid_input", str(outcome)), False
    kind = "storage" if isinstance(outcome, StorageError) else "unexpected"
    return _said(kind, f"{type(outcome).__name__}: {outcome}"), True


def _said(kind: str, message: str) -> Failure:
    # An endpoint may repeat the key, or what was said: it is redacted like all that is stored.
    return Failure(kind, redact(well_formed(message)).text[:_LONGEST_MESSAGE])
