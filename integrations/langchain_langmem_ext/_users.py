"""Whose memories: a user bound at construction, or the one that the run names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from langmem_ext import LongTermMemory, UserMemory
from langmem_ext.adapters import checked_user
from langmem_ext.errors import InvalidInputError, InvalidUserError


class UserSource:
    """Finds the user of a run.

    Made from exactly one of a `UserMemory` (every run belongs to that user) and a `LongTermMemory`
    (each run names its user).
    """

    def __init__(self, memory: LongTermMemory | None, user: UserMemory | None) -> None:
        if (memory is None) == (user is None):
            raise InvalidInputError(
                "pass either user=memory.for_user(...), for one user, or memory=..., for a user per run"
            )
        if memory is not None and not isinstance(memory, LongTermMemory):
            raise InvalidInputError(f"memory must be a LongTermMemory, not {type(memory).__name__}")
        self._memory = memory
        self._user = None if user is None else checked_user(user)

    def find(self, named: Mapping[str, Any], session_id: str | None = None) -> UserMemory:
        """The user's memory.

        Args:
            named: Where a user id was looked for -> what was there; None where there was nothing.
            session_id: Label for what this run learns; a bound user keeps its own.

        Raises:
            InvalidUserError: nobody is named, two places disagree, or an id is not a non-blank string.
        """
        ids = {place: user_id for place, user_id in named.items() if user_id is not None}
        if self._user is not None:
            ids["user="] = self._user.scope.user_id
        if not ids:
            raise InvalidUserError(
                f"no user: set {' or '.join(named)}, or bind one with user=memory.for_user(...)"
            )
        if len({repr(user_id) for user_id in ids.values()}) > 1:
            places = ", ".join(f"{place} says {user_id!r}" for place, user_id in ids.items())
            raise InvalidUserError(f"two users in one run: {places}")
        if self._user is not None:
            return self._user
        assert self._memory is not None
        return self._memory.for_user(next(iter(ids.values())), session_id=session_id)


CONFIGURED_PLACE: Final = 'config={"configurable": {"user_id": ...}}'
CONTEXT_PLACE: Final = "context.user_id"


def configured(config: Mapping[str, Any]) -> Any:
    """`config["configurable"]["user_id"]`, or None."""
    return (config.get("configurable") or {}).get("user_id")


def in_context(context: Any) -> Any:
    """`user_id` of a run's context, which may be a dict or an object, or None."""
    return context.get("user_id") if isinstance(context, Mapping) else getattr(context, "user_id", None)


def session_of(config: Mapping[str, Any]) -> str | None:
    """The thread of a run, as LangGraph or as `RunnableWithMessageHistory` names it."""
    named = config.get("configurable") or {}
    session = named.get("thread_id") or named.get("session_id")
    return str(session) if session and str(session).strip() else None
