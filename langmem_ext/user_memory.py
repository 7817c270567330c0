"""The door of one user: every operation is bound to a scope that cannot be left out."""

from __future__ import annotations

from langmem_ext.doors.changing import ChangingDoor
from langmem_ext.doors.door import Rooms
from langmem_ext.doors.learning import LearningDoor
from langmem_ext.doors.reading import ReadingDoor
from langmem_ext.doors.recall import RecallDoor
from langmem_ext.doors.records import RecordsDoor
from langmem_ext.errors import ModelError
from langmem_ext.items import AddResult
from langmem_ext.ports import StoredMemory
from langmem_ext.queued_turns import QueuedTurn
from langmem_ext.record_rows import only_memories


class UserMemory(LearningDoor, RecallDoor, ReadingDoor, ChangingDoor, RecordsDoor):
    """The memories of one user, from `LongTermMemory.for_user()`.

    An id of another user behaves exactly like an id that does not exist.
    """


def learn_queued(rooms: Rooms, queued: QueuedTurn) -> AddResult:
    """Learn a turn out of the outbox; the workers call it."""
    if queued.needs_llm and not rooms.asks_llm:
        raise ModelError("this turn waits for an LLM: open the memory with llm=", kind="auth")
    guard = rooms.workspace.guard(queued.scope.user_id, queued)
    user = UserMemory(rooms, queued.scope)
    return user._add(
        queued.messages,
        queued.observed_at,
        queued.idempotency_key,
        guard,
        ticket=queued.ticket.ticket_id,
    )


def stored_rows(user: UserMemory) -> list[StoredMemory]:
    """The valid memories with their vectors, which no method shows; for a map of them."""
    rooms = user._rooms
    rooms.check_open()
    return rooms.workspace.store.find(user.scope.user_id, only_memories(), valid_at=rooms.clock())
