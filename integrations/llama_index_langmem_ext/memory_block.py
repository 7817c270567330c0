"""Long-term memory as a block of LlamaIndex's own `Memory`."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from llama_index.core.async_utils import asyncio_run
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory import BaseMemoryBlock, Memory
from pydantic import ConfigDict, Field, PrivateAttr

from langmem_ext import UserMemory
from langmem_ext.adapters import LearnMode, ahand_over, checked_user, log_failure
from langmem_ext.errors import InvalidUserError
from llama_index_langmem_ext._chat_store import MessageStatus
from llama_index_langmem_ext._placing import latest_words
from llama_index_langmem_ext._short_term import apart
from llama_index_langmem_ext._turns import Turn, key_of, turns_of

logger = logging.getLogger(__name__)
FindUser: TypeAlias = Callable[[str], UserMemory]


@dataclass(slots=True)
class _Conversation:
    """What is known of one conversation."""

    learned_ahead: list[tuple[str, str | None]] = field(default_factory=list)
    kept: list[Turn] = field(default_factory=list)


class LongTermMemoryBlock(BaseMemoryBlock[str]):
    """Shows a user's memories in LlamaIndex's `Memory`, and learns from what leaves it.

        block = LongTermMemoryBlock(user=memory.for_user("u-1001"))
        chat_memory = Memory.from_defaults(memory_blocks=[block])
        ...
        await block.aflush(chat_memory)      # at the end of the conversation

    `Memory` hands a block only the messages that no longer fit into its token limit. What is still there
    at the end is learned by `aflush`. Each turn is learned once, however often it is offered: a turn is
    its words and its conversation. `LongTermChatMemory` learns at once, in short chats too.

    A turn that cannot be learned goes to the outbox, and where that is not possible it is kept and tried
    again with the next ones. A memory that fails does not fail the chat: the log says so, and
    `last_error` holds the reason until the next step that works.

    A block may serve several conversations of its user. One that serves several users needs a function
    that tells whose a conversation is: `user=lambda session_id: memory.for_user(owner[session_id])`.

    Attributes:
        name: The tag around the block in LlamaIndex's template.
        priority: 0: never cut by `Memory`. The block keeps its own budget, `max_tokens`.
        max_tokens: Upper limit of the block of memories.
        top_k, min_similarity, filters: As in `UserMemory.context`.
        learn: "later": in the background, see `UserMemory.add_later`; "now": while the message that
            made others leave is put; "off": recall only.
    """

    model_config = ConfigDict(extra="forbid")

    name: str = "LongTermMemory"
    description: str | None = "What is known about the user from earlier conversations."
    max_tokens: int = Field(default=800, ge=1)
    top_k: int = Field(default=10, ge=1)
    min_similarity: float | None = None
    filters: dict[str, Any] | None = None
    learn: LearnMode = "later"
    _find: FindUser = PrivateAttr()
    _lock: Any = PrivateAttr(default_factory=threading.Lock)
    _conversations: dict[str, _Conversation] = PrivateAttr(default_factory=dict)
    _last_error: Exception | None = PrivateAttr(default=None)

    def __init__(self, *, user: UserMemory | FindUser, **data: Any) -> None:
        super().__init__(**data)
        if callable(user):
            self._find = user
        else:
            bound = checked_user(user)
            self._find = lambda session_id: bound

    @property
    def last_error(self) -> Exception | None:
        """Why the last recall or learning failed; None when it worked."""
        return self._last_error

    async def aflush(self, memory: Memory) -> None:
        """Learn from what has not left this memory yet. The conversation stays as it is and may go on.

        With `learn="later"` it is handed over; `LongTermMemory.flush` waits until it is learned.
        """
        active = await memory.aget_all(status=MessageStatus.ACTIVE)
        with self._lock:
            conversation = self._conversation(memory.session_id)
            new = active[_same(conversation.learned_ahead, active) :]
            conversation.learned_ahead = list(map(_words, active))
        await self._learn(memory.session_id, new)

    def flush(self, memory: Memory) -> None:
        """As `aflush`."""
        apart(memory, lambda: asyncio_run(self.aflush(memory)))

    async def _aget(self, messages: list[ChatMessage] | None = None, **block_kwargs: Any) -> str:
        """The block for what the user said last."""
        query = latest_words(messages or [])
        user = self._user(block_kwargs.get("session_id"))
        if not query:
            return ""
        try:
            found = await user.acontext(
                query,
                max_tokens=self.max_tokens,
                top_k=self.top_k,
                min_similarity=self.min_similarity,
                filters=self.filters,
            )
        except Exception as error:  # whatever it is, the user still gets an answer
            self._note("recall", error)
            return ""
        self._note("recall", None)
        return found.text

    async def _aput(self, messages: list[ChatMessage]) -> None:
        """Learn from messages that left the short-term memory: they are offered only once."""
        if not messages:
            return
        session_id = messages[-1].additional_kwargs.get("session_id") or ""
        with self._lock:
            conversation = self._conversation(session_id)
            known = _same(conversation.learned_ahead, messages)
            # Another beginning: the conversation was replaced since.
            conversation.learned_ahead = conversation.learned_ahead[known:] if known else []
        await self._learn(session_id, messages[known:])

    async def _learn(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        user = self._user(session_id)
        with self._lock:
            conversation = self._conversation(session_id)
            waiting, conversation.kept = [*conversation.kept, *turns_of(messages)], []
        left: list[Turn] = []
        for turn in waiting:
            # Not one before those that were said earlier.
            if left or not await self._learned(user, turn, key_of(session_id, turn)):
                left.append(turn)
        with self._lock:
            conversation.kept = [*left, *conversation.kept]

    async def _learned(self, user: UserMemory, turn: Turn, key: str) -> bool:
        error = await ahand_over(user, turn, self.learn, idempotency_key=key)
        self._note("learn from a turn", error)
        if error is None or self.learn == "later":
            return error is None
        # The outbox tries again, and sets aside what fails for good.
        return await ahand_over(user, turn, "later", idempotency_key=key) is None

    def _conversation(self, session_id: str) -> _Conversation:
        return self._conversations.setdefault(session_id, _Conversation())

    def _user(self, session_id: str | None) -> UserMemory:
        user = self._find(session_id or "")
        if not isinstance(user, UserMemory):
            raise InvalidUserError(
                f"user= returned {type(user).__name__} for a conversation, not memory.for_user(...)"
            )
        return user

    def _note(self, step: str, error: Exception | None) -> None:
        self._last_error = error
        if error is not None:
            log_failure(logger, step, error)


def _words(message: ChatMessage) -> tuple[str, str | None]:
    return message.role.value, message.content


def _same(known: Sequence[tuple[str, str | None]], messages: Sequence[ChatMessage]) -> int:
    """With how many of the known messages these begin."""
    count = 0
    for one, message in zip(known, messages, strict=False):
        if one != _words(message):
            break
        count += 1
    return count
