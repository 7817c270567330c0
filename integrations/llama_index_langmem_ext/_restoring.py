"""A chat memory that was dumped finds its user again, where that can be known.

LlamaIndex dumps and restores the memory in an agent's `Context` between two runs, in one process too,
and calls `from_dict` where nobody can hand in a user.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any
from uuid import uuid4
from weakref import WeakValueDictionary

from langmem_ext import UserMemory
from langmem_ext.adapters import checked_user

if TYPE_CHECKING:
    from llama_index_langmem_ext.chat_memory import LongTermChatMemory

# By an id that only its dump knows. It says nothing in another process.
_alive: WeakValueDictionary[str, LongTermChatMemory] = WeakValueDictionary()
_restoring_for: ContextVar[UserMemory | None] = ContextVar("restoring_for", default=None)


def register(memory: LongTermChatMemory) -> str:
    """Remember it for as long as somebody uses it; the id for its dump."""
    live_id = uuid4().hex
    _alive[live_id] = memory
    return live_id


def alive(dumped: dict[str, Any]) -> LongTermChatMemory | None:
    """The memory that this was dumped from, where it is still in use."""
    return _alive.get(str(dumped.get("live_id")))


def restoring_for() -> UserMemory | None:
    """Whose it is, as `restoring` said."""
    return _restoring_for.get()


@contextmanager
def restoring(user: UserMemory) -> Iterator[None]:
    """Whatever is restored inside belongs to this user."""
    before = _restoring_for.set(checked_user(user))
    try:
        yield
    finally:
        _restoring_for.reset(before)
