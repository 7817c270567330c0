"""One turn on its way into memory: what it is known by, and what came of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from langmem_ext.errors import InvalidInputError, ModelError
from langmem_ext.extraction.candidate import ExtractionRequest
from langmem_ext.items import AddResult, LearningError, Outcome, Scope, Usage
from langmem_ext.messages import Message
from langmem_ext.models.structured import without_secrets
from langmem_ext.queued_turns import key_digest
from langmem_ext.text import normalise
from langmem_ext.workspace import DeletionGuard


@dataclass(frozen=True, slots=True)
class Turn:
    """A conversation turn, or a window of a long one, on its way into memory.

    Attributes:
        turn_id: Equal for the same turn.
        ticket_id: Names the turn in the outbox that it comes from, and its window.
        once: Whether it counts as learned although what came of it was replaced since.
    """

    scope: Scope
    request: ExtractionRequest
    neighbour_ids: tuple[str, ...]
    turn_id: str
    ticket_id: str | None
    guard: DeletionGuard
    once: bool

    @property
    def names(self) -> tuple[str, ...]:
        """What the rows that come of it are found by."""
        return (self.turn_id,) if self.ticket_id is None else (self.turn_id, self.ticket_id)

    @property
    def message_ids(self) -> tuple[str, ...]:
        """Ids of the messages, given or made."""
        return tuple(message.message_id for message in self.request.messages)


def check_key(key: str | None) -> None:
    """Refuse an idempotency key that names nothing."""
    if key is not None and (not isinstance(key, str) or not key.strip()):
        what = "a blank one" if isinstance(key, str) else type(key).__name__
        raise InvalidInputError(f"idempotency_key must be a non-blank string or None, got {what}")


def turn_id(scope: Scope, messages: Sequence[Message], when: datetime, key: str | None, number: int) -> str:
    """Equal for the same turn. Without a key: the same messages in the same session on the same day.

    The windows of a long conversation with a key are told apart by their `number`.
    """
    said = [[m.message_id, m.role, m.speaker, normalise(m.content)] for m in messages]
    turn = ["turn", scope.session_id, when.date().isoformat(), said]
    if key is not None:
        turn = ["key", key_digest(key)]
    identity = [scope.user_id, *turn, *([number] if key is not None and number else [])]
    return hashlib.blake2b(json.dumps(identity).encode(), digest_size=16).hexdigest()


def dropped() -> Outcome:
    """Of a candidate whose user deleted everything meanwhile."""
    return Outcome("skipped", reason="delete_all() came after this turn was handed in")


def failed(error: ModelError, message_ids: tuple[str, ...] = ()) -> AddResult:
    """The result of an `add` whose LLM or embedder could not answer."""
    error = without_secrets(error)
    return AddResult(
        "failed", error=LearningError(error.kind, str(error), error.retryable), message_ids=message_ids
    )


def combined(results: Sequence[AddResult], total: int) -> AddResult:
    """What came of the `total` windows of one conversation; where one failed, none came after it."""
    if total == 1:
        return results[0]
    error = results[-1].error if results else None
    if error is not None:
        done = (
            f"part {len(results)} of {total} failed, the parts before it are learned, those after it are not"
        )
        error = replace(error, message=f"{done}; give the same messages again: {error.message}")
    learned = any(result.status == "learned" for result in results)
    return AddResult(
        "failed" if error is not None else "learned" if learned else "nothing",
        tuple(outcome for result in results for outcome in result.outcomes),
        error,
        sum((result.usage for result in results), Usage()),
        tuple(dict.fromkeys(name for result in results for name in result.message_ids)),
    )
