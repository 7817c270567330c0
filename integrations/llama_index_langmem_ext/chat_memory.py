"""Long-term memory behind the `memory=` argument of LlamaIndex's chat engines and agents."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, MessageRole, TextBlock
from llama_index.core.llms.llm import LLM
from llama_index.core.memory import BaseMemory, ChatMemoryBuffer
from pydantic import ConfigDict, Field, PrivateAttr, SerializeAsAny

from langmem_ext import UserMemory
from langmem_ext.adapters import checked_user, error_of, log_failure
from langmem_ext.items import AddResult
from llama_index_langmem_ext._turns import Turns

logger = logging.getLogger(__name__)


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

    One instance is one conversation of one user.

    Attributes:
        short_term: Keeps the current conversation.
        max_tokens: Upper limit of the block of memories.
        top_k: As in `UserMemory.context`.
        min_similarity: As in `UserMemory.context`.
        filters: As in `UserMemory.context`.
        learn: False to recall only.
    """

    model_config = ConfigDict(extra="forbid")

    short_term: SerializeAsAny[BaseMemory]
    max_tokens: int = Field(default=800, ge=1)
    top_k: int = Field(default=10, ge=1)
    min_similarity: float | None = None
    filters: dict[str, Any] | None = None
    learn: bool = True
    _user: UserMemory = PrivateAttr()
    _turns: Turns = PrivateAttr(default_factory=Turns)
    _last_error: Exception | None = PrivateAttr(default=None)

    def __init__(self, *, user: UserMemory, **data: Any) -> None:
        super().__init__(**data)
        self._user = checked_user(user)

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
        """A memory over LlamaIndex's `ChatMemoryBuffer`, or over a memory of your choice.

        Args:
            user: From `memory.for_user(...)`.
            short_term: Keeps the current conversation; `chat_history`, `llm` and `token_limit` are
                for the one that is made by default.
            chat_history: Earlier messages of this conversation; nothing is learned from them.
            llm: Its context window sets the token limit.
            token_limit: Of the conversation and the memories together.
            data: The other attributes.
        """
        if short_term is None:
            short_term = ChatMemoryBuffer.from_defaults(
                chat_history=chat_history, llm=llm, token_limit=token_limit
            )
        return cls(user=user, short_term=short_term, **data)

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
        query = _text(input) or _latest(self.short_term.get_all())
        block = self._turns.block_for(query)
        if block is None:
            try:
                block = self._recalled(query, self._user.context(query, **self._limits(kwargs)).text)
            except Exception as error:  # whatever it is, the user still gets an answer
                block = self._recalled(query, "", error)
        history = self.short_term.get(input=_text(input), **self._room(block, kwargs))
        # The first releases of LlamaIndex 0.14 return nothing where not even the last message fits.
        return _place(block, query, history or self.short_term.get_all()[-1:])

    async def aget(self, input: str | ChatMessage | None = None, **kwargs: Any) -> list[ChatMessage]:
        """As `get`."""
        query = _text(input) or _latest(await self.short_term.aget_all())
        block = self._turns.block_for(query)
        if block is None:
            try:
                found = await self._user.acontext(query, **self._limits(kwargs))
                block = self._recalled(query, found.text)
            except Exception as error:  # whatever it is, the user still gets an answer
                block = self._recalled(query, "", error)
        history = await self.short_term.aget(input=_text(input), **self._room(block, kwargs))
        return _place(block, query, history or (await self.short_term.aget_all())[-1:])

    def get_all(self) -> list[ChatMessage]:
        """The conversation as it is kept, without memories."""
        return self.short_term.get_all()

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
        turn = self._turns.take(messages)
        self.short_term.put_messages(messages)
        if turn and self.learn:
            try:
                self._note(self._user.add(turn))
            except Exception as error:  # an exception here would destroy the finished answer
                self._failed("learn from a turn", error)

    async def aput_messages(self, messages: list[ChatMessage]) -> None:
        """As `put`, for several."""
        turn = self._turns.take(messages)
        await self.short_term.aput_messages(messages)
        if turn and self.learn:
            try:
                self._note(await self._user.aadd(turn))
            except Exception as error:  # an exception here would destroy the finished answer
                self._failed("learn from a turn", error)

    def set(self, messages: list[ChatMessage]) -> None:
        """Replace the conversation. Nothing is learned: it was, when it took place."""
        self._turns.forget()
        self.short_term.set(messages)

    async def aset(self, messages: list[ChatMessage]) -> None:
        """As `set`."""
        self._turns.forget()
        await self.short_term.aset(messages)

    def reset(self) -> None:
        """Clear the conversation. The long-term memories stay: `UserMemory.delete_all` removes those."""
        self._turns.forget()
        self.short_term.reset()

    async def areset(self) -> None:
        """As `reset`."""
        self._turns.forget()
        await self.short_term.areset()

    def _limits(self, kwargs: dict[str, Any]) -> dict[str, Any]:
        free = self._token_limit() - _count(kwargs.get("initial_token_count"))
        return {
            # A system prompt that fills everything leaves a token, into which no memory fits.
            "max_tokens": max(1, min(self.max_tokens, free)),
            "top_k": self.top_k,
            "min_similarity": self.min_similarity,
            "filters": self.filters,
        }

    def _room(self, block: str, kwargs: dict[str, Any]) -> dict[str, Any]:
        """The engine's arguments, with the block counted among what the prompt already holds."""
        tokenizer = getattr(self.short_term, "tokenizer_fn", None)
        if tokenizer is None:
            return kwargs
        taken = _count(kwargs.get("initial_token_count")) + (len(tokenizer(f"{block}\n")) if block else 0)
        # More than the limit would be an error there; the last message is what it then keeps.
        return {**kwargs, "initial_token_count": min(taken, self._token_limit())}

    def _token_limit(self) -> int:
        return int(getattr(self.short_term, "token_limit", 1_000_000))

    def _recalled(self, query: str, block: str, error: Exception | None = None) -> str:
        self._last_error = None
        if error is not None:
            self._failed("recall", error)
        self._turns.keep(query, block)  # after a failure too: one attempt per message
        return block

    def _note(self, result: AddResult) -> None:
        self._last_error = None
        if (error := error_of(result)) is not None:
            self._failed("learn from a turn", error)

    def _failed(self, step: str, error: Exception) -> None:
        self._last_error = error
        log_failure(logger, step, error)


def _count(value: Any) -> int:
    return value if isinstance(value, int) else 0


def _text(input: str | ChatMessage | None) -> str | None:
    """The words of an engine's input; None for none, and for a message without text."""
    text = input.content if isinstance(input, ChatMessage) else input
    return text if text and text.strip() else None


def _latest(history: list[ChatMessage]) -> str:
    """What the user said last."""
    said = (_text(message) for message in reversed(history) if message.role == MessageRole.USER)
    return next(said, None) or ""


def _place(block: str, query: str, history: list[ChatMessage]) -> list[ChatMessage]:
    """A copy of the history with the block in it.

    In the user's message where it is there: engines and agents put a system prompt of their own in
    front, and chat templates of several models refuse a second one.
    """
    if not block:
        return history
    placed = list(history)
    for index in range(len(placed) - 1, -1, -1):
        if placed[index].role == MessageRole.USER:
            if _text(placed[index]) == query:
                placed[index] = _with_block(placed[index], block)
                return placed
            break
    if placed and placed[0].role == MessageRole.SYSTEM:
        return [_with_block(placed[0], block, last=True), *placed[1:]]
    return [ChatMessage(role=MessageRole.SYSTEM, content=block), *placed]


def _with_block(message: ChatMessage, block: str, *, last: bool = False) -> ChatMessage:
    """A deep copy: agents write into the messages that they are given."""
    copied = message.model_copy(deep=True)
    ours = TextBlock(text=block)
    copied.blocks = [*copied.blocks, ours] if last else [ours, *copied.blocks]
    return copied
