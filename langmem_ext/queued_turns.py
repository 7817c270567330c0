"""Turns on their way through the outbox, as values and as JSON."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from langmem_ext.items import Scope
from langmem_ext.messages import Message


@dataclass(frozen=True, slots=True)
class Ticket:
    """What `add_later()` gives: the turn is on disk and will be learned."""

    ticket_id: str
    user_id: str
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuedTurn:
    """A turn as it waits to be learned.

    Attributes:
        ticket: Its ticket.
        scope: The user and the labels.
        messages: Redacted.
        observed_at: When it was said, in the speaker's time zone.
        idempotency_key: The digest of the caller's name for the turn, or None.
        attempts: How often it was tried without success.
        barrier: `MemoryStore.barrier()` when it was handed in; None where the store is not shared.
        sequence: Orders the turns by when they were handed in.
    """

    ticket: Ticket
    scope: Scope
    messages: tuple[Message, ...]
    observed_at: datetime
    idempotency_key: str | None
    attempts: int
    barrier: int | None
    sequence: int
    needs_llm: bool = False  # handed in to a memory with an LLM: rules would find less


class Failure(NamedTuple):
    """Why a turn was not learned: a `ModelErrorKind`, "storage" or "invalid_input", and the message."""

    kind: str
    message: str


@dataclass(frozen=True, slots=True)
class FailedTurn:
    """A turn that was set aside: it is kept, and tried again only when somebody says so."""

    ticket: Ticket
    attempts: int
    error: Failure


class QueueCounts(NamedTuple):
    """How many turns wait, those being learned included, and how many were set aside."""

    waiting: int
    failed: int


_DIGEST = re.compile(r"key-[0-9a-f]{32}")


def key_digest(idempotency_key: str) -> str:
    """What is kept of a caller's name for a turn, which may hold what a person said; of a digest, itself."""
    if _DIGEST.fullmatch(idempotency_key):
        return idempotency_key
    return (
        f"key-{hashlib.blake2b(idempotency_key.encode('utf-8', 'surrogatepass'), digest_size=16).hexdigest()}"
    )


def to_text(
    scope: Scope,
    messages: Sequence[Message],
    observed_at: datetime,
    idempotency_key: str | None,
    *,
    needs_llm: bool = False,
) -> str:
    """What a turn says, as JSON. The text is not escaped: who searches a file for it finds it."""
    zone = getattr(observed_at.tzinfo, "key", None)
    turn = {
        "agent_id": scope.agent_id,
        "session_id": scope.session_id,
        "messages": [asdict(message) for message in messages],
        "observed_at": observed_at.isoformat(),
        "zone": zone if isinstance(zone, str) else None,
        "needs_llm": needs_llm,
        "idempotency_key": None if idempotency_key is None else key_digest(idempotency_key),
    }
    return json.dumps(turn, ensure_ascii=False)


def from_text(text: str, ticket: Ticket, *, sequence: int, attempts: int, barrier: int | None) -> QueuedTurn:
    """The reverse of `to_text`."""
    turn: Mapping[str, Any] = json.loads(text)
    return QueuedTurn(
        ticket=ticket,
        scope=Scope(ticket.user_id, turn["agent_id"], turn["session_id"]),
        messages=tuple(Message(**message) for message in turn["messages"]),
        observed_at=_observed_at(turn["observed_at"], turn["zone"]),
        idempotency_key=turn["idempotency_key"],
        attempts=attempts,
        barrier=barrier,
        sequence=sequence,
        needs_llm=turn.get("needs_llm", False),
    )


def without_message(text: str, message_id: str) -> str | None:
    """The text of a turn without a message; None where no message of a person is left."""
    turn = json.loads(text)
    turn["messages"] = [message for message in turn["messages"] if message["message_id"] != message_id]
    if not any(message["role"] == "user" for message in turn["messages"]):
        return None
    return json.dumps(turn, ensure_ascii=False)


def _observed_at(text: str, zone: str | None) -> datetime:
    when = datetime.fromisoformat(text)
    try:
        return when if zone is None else when.astimezone(ZoneInfo(zone))
    except (ZoneInfoNotFoundError, ValueError, OSError):  # other time zone data than when it was written
        return when
