"""Short ways to fill and empty an outbox."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeAlias

from langmem_ext.items import Scope
from langmem_ext.messages import parse_messages
from langmem_ext.queued_turns import QueuedTurn, Ticket
from langmem_ext.state import Outbox
from tests.support.memories import START

OpenOutbox: TypeAlias = Callable[[], Outbox]


def put(outbox: Outbox, user_id: str, text: str = "hello", **options: Any) -> Ticket:
    return outbox.put(Scope(user_id), parse_messages(text), START, **options)


def take(outbox: Outbox, now: datetime = START) -> QueuedTurn:
    turn = outbox.take(now)
    assert turn is not None
    return turn


def said(turn: QueuedTurn | None) -> str | None:
    return None if turn is None else turn.messages[0].content


def learned(outbox: Outbox) -> list[str | None]:
    """Learns all that can be had now, one at a time."""
    texts = []
    while (turn := outbox.take(START)) is not None:
        texts.append(said(turn))
        assert outbox.done(turn)
        outbox.release(turn)
    return texts
