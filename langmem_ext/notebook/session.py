"""What the magics of one notebook share: the open memory, whose it is, and who answers."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Mapping
from typing import Any, Final

from langmem_ext.config import DEFAULT_LLM, memory_arguments
from langmem_ext.errors import InvalidInputError, MemoryNotFoundError
from langmem_ext.memory import LongTermMemory
from langmem_ext.ports import ChatMessage, ChatModel
from langmem_ext.user_memory import UserMemory

_SHORTEST_ID: Final = 4
_LARGEST_PAGE: Final = 10_000
_REMEMBERED_TURNS: Final = 20  # messages of this conversation that the LLM sees again
_NOTHING_OPEN: Final = "no memory is open; begin with: %memory open ./memory_db --user u-1001"


class Session:
    """One memory at a time, and one user of it at a time."""

    def __init__(self) -> None:
        self._memory: LongTermMemory | None = None
        self._owned = False
        self._opened_with: tuple[object, ...] | None = None
        self._user: UserMemory | None = None
        self.llm: ChatModel | None = None
        self.place = ""
        self._turns: defaultdict[str, list[ChatMessage]] = defaultdict(list)

    @property
    def memory(self) -> LongTermMemory:
        """The open memory."""
        if self._memory is None:
            raise InvalidInputError(_NOTHING_OPEN)
        return self._memory

    @property
    def user(self) -> UserMemory:
        """The user whose turn it is."""
        if self._user is None:
            raise InvalidInputError(_NOTHING_OPEN)
        return self._user

    def open(
        self, source: str | None, place: Mapping[str, str], user_id: str | None, llm: str | ChatModel | None
    ) -> None:
        """Open a memory, or keep the one that is open with the same arguments: a cell may run again.

        Args:
            source: A configuration file, if any.
            place: Some of path, url and timezone.
            user_id: Whose turn it is then; None: who it was.
            llm: Who answers and extracts: a model, or a model's name; None: as the configuration and the
                environment say.
        """
        wanted = (source, tuple(sorted(place.items())), llm)
        if self._memory is None or wanted != self._opened_with:
            if user_id is None and self._user is None:
                raise InvalidInputError("whose memory? Add --user and an id, such as --user u-1001")
            arguments = _arguments(source, place, llm)
            memory = LongTermMemory(**arguments)  # before the other closes: on one path they share the store
            self._take(memory, user_id, arguments.get("llm"), owned=True)
            self._opened_with = wanted
            where = arguments.get("path") or arguments.get("url")
            self.place = "RAM" if where is None else str(where)
        elif user_id is not None:
            self.switch(user_id)

    def use(self, memory: LongTermMemory, user_id: str | None, llm: ChatModel | None) -> None:
        """Work with a memory that somebody else opened, and will close."""
        if memory is not self._memory:
            self._take(memory, user_id, llm, owned=False)
            self._opened_with = None
            self.place = repr(memory).strip("<>").partition(" in ")[2]
        elif user_id is not None:
            self.switch(user_id)
        self.llm = llm if llm is not None else self.llm

    def _take(
        self, memory: LongTermMemory, user_id: str | None, llm: ChatModel | None, *, owned: bool
    ) -> None:
        try:
            user = memory.for_user(self._known_user(user_id))
        except BaseException:
            if owned:
                memory.close()
            raise
        self.close()
        self._memory, self._user, self._owned, self.llm = memory, user, owned, llm

    def _known_user(self, user_id: str | None) -> str:
        if user_id is not None:
            return user_id
        if self._user is None:
            raise InvalidInputError("whose memory? Add --user and an id, such as --user u-1001")
        return self._user.scope.user_id

    def switch(self, user_id: str) -> UserMemory:
        """Let it be another user's turn."""
        self._user = self.memory.for_user(user_id)
        return self._user

    def close(self) -> None:
        """Close what was opened here. Twice is fine."""
        memory, owned = self._memory, self._owned
        self._memory = self._user = self.llm = self._opened_with = None
        self._turns.clear()
        if memory is not None and owned:
            memory.close()

    def find(self, memory_id: str) -> str:
        """A whole id from its beginning, as tables show it.

        Raises:
            MemoryNotFoundError: no memory of this user begins so.
            InvalidInputError: several do.
        """
        page = self.user.list_memories(limit=_LARGEST_PAGE, include_expired=True)
        known = {one for item in page for one in (item.memory_id, *item.supersedes)}
        if memory_id in known:
            return memory_id
        matching = sorted(one for one in known if one.startswith(memory_id))
        if len(matching) > 1 and len(memory_id) >= _SHORTEST_ID:
            raise InvalidInputError(f"{len(matching)} ids begin with {memory_id!r}; give more of it")
        if len(memory_id) < _SHORTEST_ID or not matching:
            return self.user.get(memory_id).memory_id if memory_id else _missing(memory_id)
        return matching[0]

    def earlier_turns(self, question: str) -> list[ChatMessage]:
        """What was said in this notebook with this user; a cell that runs again takes back its last turn."""
        turns = self._turns[self.user.scope.user_id]
        if turns and turns[-2].content == question:
            del turns[-2:]
        return list(turns)

    def note_turn(self, question: str, answer: str) -> None:
        """Keep a turn for the next one."""
        turns = self._turns[self.user.scope.user_id]
        turns += [ChatMessage("user", question), ChatMessage("assistant", answer)]
        del turns[:-_REMEMBERED_TURNS]


def _missing(memory_id: str) -> str:
    raise MemoryNotFoundError(memory_id)


def _arguments(source: str | None, place: Mapping[str, str], llm: str | ChatModel | None) -> dict[str, Any]:
    """The arguments of LongTermMemory; who is not named, the environment may name."""
    given: dict[str, Any] = dict(place)
    if isinstance(llm, str):
        given["llm"] = _chat_model(llm)
    elif llm is not None:
        given["llm"] = llm
    arguments = memory_arguments(source, given)
    if "llm" not in arguments and (os.environ.get("OPENAI_API_KEY") or os.environ.get("OPENAI_BASE_URL")):
        arguments["llm"] = _chat_model(os.environ.get("OPENAI_MODEL") or DEFAULT_LLM)
    return arguments


def _chat_model(name: str) -> ChatModel:
    from langmem_ext.models import OpenAIChat

    return OpenAIChat(name)
