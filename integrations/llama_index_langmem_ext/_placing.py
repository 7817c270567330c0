"""Where the memories go in the messages that an engine gets, and what makes room for them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, MessageRole, TextBlock
from llama_index.core.memory import BaseMemory

from llama_index_langmem_ext._turns import text_of

# Context engines make a template of the history, and would fill texts of theirs into such a field.
_FIELD = re.compile(r"\{(\w+)\}")


class Room:
    """How many tokens there are, of which the engine's system prompt takes some.

    Args:
        short_term: Its `token_limit` and `tokenizer_fn` count; without them there is room for all.
        arguments: The engine's, for the short-term memory.
    """

    def __init__(self, short_term: BaseMemory, arguments: Mapping[str, Any]) -> None:
        self._tokenizer = getattr(short_term, "tokenizer_fn", None)
        limit = getattr(short_term, "token_limit", None)
        self._limit = limit if isinstance(limit, int) and self._tokenizer else None
        self._arguments = arguments
        taken = arguments.get("initial_token_count")
        self._taken = taken if isinstance(taken, int) else 0

    @property
    def arguments(self) -> dict[str, Any]:
        """The engine's. A system prompt beyond the limit would be an error there."""
        if self._limit is None or self._taken <= self._limit:
            return dict(self._arguments)
        return {**self._arguments, "initial_token_count": self._limit}

    def left(self, query: str, history: Sequence[ChatMessage], most: int) -> int:
        """Tokens for the block, at most so many: what the prompt and the user's message leave."""
        if self._limit is None:
            return most
        inside = _holds(query, history)
        needed = sum(map(self._count, self._cut(history, 0, keep_last=inside)))
        if not inside:
            needed += self._tokens(query)
        # A prompt that fills everything leaves a token, into which no memory fits.
        return max(1, min(most, self._limit - self._taken - needed))

    def place(self, block: str, query: str, history: Sequence[ChatMessage]) -> list[ChatMessage]:
        """The history with the block in it; the oldest turns go where both do not fit."""
        placed = _place(block, query, history)
        if self._limit is None:
            return placed
        return self._cut(placed, self._limit - self._taken, keep_last=_holds(query, history))

    def _cut(self, history: Sequence[ChatMessage], tokens: int, *, keep_last: bool) -> list[ChatMessage]:
        """Begins with the conversation's system message, if any, and then with a user's message."""
        head = list(history[:1]) if history and history[0].role == MessageRole.SYSTEM else []
        rest = list(history[len(head) :])
        free = tokens - sum(map(self._count, head))
        sizes = [self._count(message) for message in rest]
        starts = [i for i, message in enumerate(rest) if message.role == MessageRole.USER]
        if sum(sizes) <= free or not starts:
            return [*head, *rest]
        # The question stays whole, and so do the steps that an agent took since.
        last = starts[-1] if keep_last else len(rest)
        return [*head, *rest[next((start for start in starts if sum(sizes[start:]) <= free), last) :]]

    def _count(self, message: ChatMessage) -> int:
        extra = str(message.additional_kwargs) if message.additional_kwargs else ""
        return self._tokens(f"{message.content or ''}{extra}")

    def _tokens(self, text: str) -> int:
        return len(self._tokenizer(text)) if self._tokenizer and text else 0


def latest_words(history: Sequence[ChatMessage]) -> str:
    """What the user said last."""
    said = (text_of(message) for message in reversed(history) if message.role == MessageRole.USER)
    return next((text for text in said if text), "")


def _place(block: str, query: str, history: Sequence[ChatMessage]) -> list[ChatMessage]:
    """In the user's message where it is there, else in a system message that comes first.

    Engines and agents put a system prompt of their own in front, and chat templates of several models
    refuse a second one. Context engines hand the user's message over later.
    """
    placed = list(history)
    if not block:
        return placed
    if _holds(query, history):
        last = _last_of_user(history)
        placed[last] = _with_block(placed[last], block)
        return placed
    block = _FIELD.sub(r"{ \1 }", block)
    if placed and placed[0].role == MessageRole.SYSTEM:
        return [_with_block(placed[0], block, last=True), *placed[1:]]
    return [ChatMessage(role=MessageRole.SYSTEM, content=block), *placed]


def _holds(query: str, history: Sequence[ChatMessage]) -> bool:
    """Whether the user's message is in the history."""
    last = _last_of_user(history)
    return last >= 0 and text_of(history[last]) == query


def _last_of_user(history: Sequence[ChatMessage]) -> int:
    return max((i for i, message in enumerate(history) if message.role == MessageRole.USER), default=-1)


def _with_block(message: ChatMessage, block: str, *, last: bool = False) -> ChatMessage:
    """A deep copy: agents write into the messages that they are given."""
    copied = message.model_copy(deep=True)
    ours = TextBlock(text=block)
    copied.blocks = [*copied.blocks, ours] if last else [ours, *copied.blocks]
    return copied
