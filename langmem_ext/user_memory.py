"""The door of one user: every operation is bound to a scope that cannot be left out."""

from __future__ import annotations

from langmem_ext.doors.changing import ChangingDoor
from langmem_ext.doors.door import Rooms
from langmem_ext.doors.learning import LearningDoor
from langmem_ext.doors.reading import ReadingDoor
from langmem_ext.doors.recall import RecallDoor
from langmem_ext.errors import ModelError
from langmem_ext.items import AddResult
from langmem_ext.queued_turns import QueuedTurn


class UserMemory(LearningDoor, RecallDoor, ReadingDoor, ChangingDoor):
    """The memories of one user, from `LongTermMemory.for_user()`.

    An id of another user behaves exactly like an id that does not exist.
    """


def learn_queued(rooms: Rooms, queued: QueuedTurn) -> AddResult:
    """Learn a turn out of the outbox; the workers call it."""
    if queued.needs_llm and not rooms.asks_llm:
        raise ModelError("this turn waits for an LLM: open the memory with llm=", kind="auth")
    guard = rooms.workspace.guard(queued.scope.user_id, queued)
    user = UserMemory(rooms, queued.scope)
    return user._add(queued.messages, queued.observed_at, queued.idempotency_key, guard)
