"""An outbox in RAM whose turns are learned by a script."""

from __future__ import annotations

import threading

from langmem_ext import AddResult
from langmem_ext.background import Backoff, Workers
from langmem_ext.errors import ModelError, ModelErrorKind
from langmem_ext.items import LearningError, Scope
from langmem_ext.messages import parse_messages
from langmem_ext.queued_turns import QueuedTurn, Ticket
from langmem_ext.state import Outbox
from langmem_ext.testing import ManualClock, SequentialIds
from tests.support.memories import START, soon

NOTHING = AddResult("nothing")
BACKOFF = Backoff(first=10.0, factor=2.0, longest=60.0, max_attempts=4)


class Room:
    """An outbox in RAM, its workers, and what they learned."""

    def __init__(self, clock: ManualClock, outbox: Outbox | None = None) -> None:
        self.outbox = outbox or Outbox(None, clock=clock, new_id=SequentialIds())
        self.workers = Workers(self.outbox, clock=clock, backoff=BACKOFF, chance=lambda: 1.0)
        self.texts: list[str] = []
        self.results: dict[str, list[AddResult | BaseException]] = {}

    def put(self, user_id: str, text: str, *results: AddResult | BaseException) -> Ticket:
        """Hands a turn in; `results` is what comes of it, one attempt after the other."""
        self.results[text] = list(results)
        ticket = self.outbox.put(Scope(user_id), parse_messages(text), START)
        self.workers.wake()
        return ticket

    def learn(self, turn: QueuedTurn) -> AddResult:
        text = turn.messages[0].content
        self.texts.append(text)
        result = self.results[text].pop(0) if self.results.get(text) else NOTHING
        if isinstance(result, BaseException):
            raise result
        return result

    def begin(self) -> None:
        """Attaches, and waits until all was tried once."""
        self.workers.attach(self.learn)
        soon(lambda: not self.outbox.runnable(START, self.outbox.last_sequence()))

    def close(self) -> None:
        self.workers.close()
        self.outbox.close()


class Gate:
    """A `learn` that stops in the middle until it is let go."""

    def __init__(self) -> None:
        self.entered, self.open = threading.Event(), threading.Event()

    def learn(self, turn: QueuedTurn) -> AddResult:
        self.entered.set()
        assert self.open.wait(30)
        return NOTHING


def failed(kind: ModelErrorKind, message: str = "it said no") -> AddResult:
    return AddResult("failed", error=LearningError(kind, message, ModelError("", kind=kind).retryable))
