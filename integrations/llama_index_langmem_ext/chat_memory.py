"""Long-term memory behind the `memory=` argument of LlamaIndex's chat engines and agents."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import Any

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.llms.llm import LLM
from llama_index.core.memory import BaseMemory
from pydantic import ConfigDict, Field, PrivateAttr, field_serializer

from langmem_ext import UserMemory
from langmem_ext.adapters import LearnMode, ahand_over, checked_user, hand_over, log_failure
from langmem_ext.errors import InvalidUserError
from llama_index_langmem_ext._placing import Room, latest_words
from llama_index_langmem_ext._restoring import alive, register, restoring, restoring_for
from llama_index_langmem_ext._short_term import apart, dump, new_memory, restore
from llama_index_langmem_ext._turns import Turns, words_of

logger = logging.getLogger(__name__)
_UNBOUND: Any = object()


class LongTermChatMemory(BaseMemory):
    """A chat memory that also knows the user from earlier conversations.

        chat_memory = LongTermChatMemory.from_defaults(user=memory.for_user("u-1001"))
        agent.run("...", memory=chat_memory)        # or index.as_chat_engine(memory=chat_memory)

    The current conversation is kept by one of LlamaIndex's own memories (`short_term`). The memories
    are recalled once per user message and placed in a copy of it; where the engine hands that message
    over later (context engines), they come first, in a system message. They never enter the
    conversation. A turn is learned once, when its answer is put.

    A memory that fails does not fail the chat: it goes on without, the log says so, and `last_error`
    holds the reason until the next step that works.

    One instance is one conversation of one user. Dumped (`to_dict`, `to_json`, pickle) it holds the
    conversation and the settings, not the user: `from_dict(dumped, user=...)`, `bind` or `restoring`
    gives it one.

    Attributes:
        short_term: Keeps the current conversation.
        max_tokens: Upper limit of the block of memories.
        top_k: As in `UserMemory.context`.
        min_similarity: As in `UserMemory.context`.
        filters: As in `UserMemory.context`.
        learn: "now": before the answer is handed on; "later": in the background, see
            `UserMemory.add_later`; "off": recall only.
    """

    model_config = ConfigDict(extra="forbid")

    short_term: BaseMemory
    max_tokens: int = Field(default=800, ge=1)
    top_k: int = Field(default=10, ge=1)
    min_similarity: float | None = None
    filters: dict[str, Any] | None = None
    learn: LearnMode = "now"
    _user: UserMemory | None = PrivateAttr(default=None)
    _turns: Turns = PrivateAttr(default_factory=Turns)
    _last_error: Exception | None = PrivateAttr(default=None)
    _live_id: str = PrivateAttr(default="")

    def __init__(
        self,
        *,
        user: UserMemory,
        unlearned: Iterable[dict[str, Any]] = (),
        live_id: None = None,
        **data: Any,
    ) -> None:
        super().__init__(**data)
        self._user = None if user is _UNBOUND else checked_user(user)
        self._turns = Turns(unlearned)
        self._live_id = register(self)

    @classmethod
    def class_name(cls) -> str:
        """The name under which LlamaIndex serialises it."""
        return "LongTermChatMemory"

    @classmethod
    def from_defaults(  # type: ignore[override]  # the base takes anything; this says what
        cls,
        *,
        user: UserMemory,
        short_term: BaseMemory | None = None,
        chat_history: list[ChatMessage] | None = None,
        llm: LLM | None = None,
        token_limit: int | None = None,
        **data: Any,
    ) -> LongTermChatMemory:
        """A memory over LlamaIndex's `Memory` in RAM, or over a memory of your choice.

        Args:
            user: From `memory.for_user(...)`.
            short_term: Keeps the current conversation; `chat_history`, `llm` and `token_limit` are
                for the one that is made by default.
            chat_history: Earlier messages of this conversation; nothing is learned from them.
            llm: Its context window sets the token limit.
            token_limit: Of the conversation and the memories together; 30,000 by default.
            data: The other attributes.
        """
        if short_term is None:
            short_term = new_memory(chat_history, llm, token_limit)
        return cls(user=user, short_term=short_term, **data)

    def to_dict(self, **kwargs: Any) -> dict[str, Any]:
        """The settings, the conversation and what waits to be learned, as JSON; not the user."""
        waiting = {"unlearned": self._turns.unlearned, "live_id": self._live_id}
        return {**super().to_dict(**kwargs), **waiting}

    @classmethod
    def from_dict(cls, data: dict[str, Any], **kwargs: Any) -> LongTermChatMemory:
        """What `to_dict` made, as a memory again.

        Without `user`, what was dumped in this process and is still in use belongs to the user that it
        had; unchanged it is that memory itself. All else has to be given its user by `restoring` or `bind`.

        Args:
            data: From `to_dict`.
            kwargs: `user`, the user of this conversation, and `short_term`, where the conversation is
                kept in a store of its own.

        Raises:
            InvalidInputError: `short_term` is needed.
        """
        live = alive(data)
        if live is not None and not kwargs and live.to_dict() == data:
            return live
        user = restoring_for() or (live and live._user) or _UNBOUND
        given = {"user": user, **kwargs, "live_id": None}
        if "short_term" not in given:
            given["short_term"] = restore(data["short_term"])
        return super().from_dict(data, **given)

    @staticmethod
    def restoring(user: UserMemory) -> AbstractContextManager[None]:
        """Whatever is restored inside belongs to this user, where LlamaIndex calls `from_dict`.

        with LongTermChatMemory.restoring(memory.for_user("u-1001")):
            handler = agent.run("...", ctx=Context.from_dict(agent, dumped))
        """
        return restoring(user)

    def bind(self, user: UserMemory) -> None:
        """Give a restored memory its user again."""
        self._user = checked_user(user)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_dict, (self.to_dict(),)

    @field_serializer("short_term")
    def _dumped(self, short_term: BaseMemory) -> dict[str, Any]:
        return dump(short_term)

    @property
    def last_error(self) -> Exception | None:
        """Why the last recall or learning failed; None when it worked."""
        return self._last_error

    @property
    def tokenizer_fn(self) -> Callable[[str], list[Any]]:
        """The short-term memory's: engines count their system prompt with it."""
        tokenizer: Callable[[str], list[Any]] = self.short_term.tokenizer_fn  # type: ignore[attr-defined]
        return tokenizer

    def get(self, input: str | ChatMessage | None = None, **kwargs: Any) -> list[ChatMessage]:
        """The conversation, with the memories that belong to the user's message.

        Args:
            input: That message; the latest one of the conversation by default.
            kwargs: Whatever the engine passes on to the short-term memory.
        """
        said, room = words_of(input), Room(self.short_term, kwargs)
        # The first releases of LlamaIndex 0.14 return nothing where not even the last message fits.
        history = (
            apart(self.short_term, self.short_term.get, input=said, **room.arguments) or self.get_all()[-1:]
        )
        query = said or latest_words(history)
        block, user = self._turns.block_for(query), self._bound
        if block is None:
            try:
                found = user.context(query, **self._limits(room.left(query, history, self.max_tokens)))
                block = self._recalled(query, found.text)
            except Exception as error:  # whatever it is, the user still gets an answer
                block = self._recalled(query, "", error)
        return room.place(block, query, history)

    async def aget(self, input: str | ChatMessage | None = None, **kwargs: Any) -> list[ChatMessage]:
        """As `get`."""
        said, room = words_of(input), Room(self.short_term, kwargs)
        history = (
            await self.short_term.aget(input=said, **room.arguments)
            or (await self.short_term.aget_all())[-1:]
        )
        query = said or latest_words(history)
        block, user = self._turns.block_for(query), self._bound
        if block is None:
            try:
                limits = self._limits(room.left(query, history, self.max_tokens))
                block = self._recalled(query, (await user.acontext(query, **limits)).text)
            except Exception as error:  # as in get
                block = self._recalled(query, "", error)
        return room.place(block, query, history)

    def get_all(self) -> list[ChatMessage]:
        """The conversation as it is kept, without memories."""
        return apart(self.short_term, self.short_term.get_all)

    async def aget_all(self) -> list[ChatMessage]:
        """As `get_all`."""
        return await self.short_term.aget_all()

    def put(self, message: ChatMessage) -> None:
        """Add to the conversation; with the answer, learn from the turn."""
        self.put_messages([message])

    async def aput(self, message: ChatMessage) -> None:
        """As `put`."""
        await self.aput_messages([message])

    def put_messages(self, messages: list[ChatMessage]) -> None:
        """As `put`, for several."""
        user, turns = self._bound, self._turns.take(messages)
        apart(self.short_term, self.short_term.put_messages, messages)
        for turn in turns:
            self._note(hand_over(user, turn, self.learn))

    async def aput_messages(self, messages: list[ChatMessage]) -> None:
        """As `put`, for several."""
        user, turns = self._bound, self._turns.take(messages)
        await self.short_term.aput_messages(messages)
        for turn in turns:
            self._note(await ahand_over(user, turn, self.learn))

    def flush(self) -> None:
        """Learn from what the user said without an answer, at the end of a conversation for example.

        With `learn="later"` it is handed over as turns are; `LongTermMemory.flush` waits for all of it.
        """
        if rest := self._turns.rest():
            self._note(hand_over(self._bound, rest, self.learn))

    async def aflush(self) -> None:
        """As `flush`."""
        if rest := self._turns.rest():
            self._note(await ahand_over(self._bound, rest, self.learn))

    def set(self, messages: list[ChatMessage]) -> None:
        """Replace the conversation. Nothing is learned: it was, when it took place."""
        self._turns.start_over(messages)
        apart(self.short_term, self.short_term.set, messages)

    async def aset(self, messages: list[ChatMessage]) -> None:
        """As `set`."""
        self._turns.start_over(messages)
        await self.short_term.aset(messages)

    def reset(self) -> None:
        """Clear the conversation. The long-term memories stay: `UserMemory.delete_all` removes those."""
        self._turns.start_over()
        apart(self.short_term, self.short_term.reset)

    async def areset(self) -> None:
        """As `reset`."""
        self._turns.start_over()
        await self.short_term.areset()

    @property
    def _bound(self) -> UserMemory:
        if self._user is None:
            raise InvalidUserError("restored without its user: call bind(memory.for_user(...)) first")
        return self._user

    def _limits(self, max_tokens: int) -> dict[str, Any]:
        return {
            "max_tokens": max_tokens,
            "top_k": self.top_k,
            "min_similarity": self.min_similarity,
            "filters": self.filters,
        }

    def _recalled(self, query: str, block: str, error: Exception | None = None) -> str:
        self._note(error, "recall")
        self._turns.keep(query, block)  # after a failure too: one attempt per message
        return block

    def _note(self, error: Exception | None, step: str = "learn from a turn") -> None:
        self._last_error = error
        if error is not None:
            log_failure(logger, step, error)
