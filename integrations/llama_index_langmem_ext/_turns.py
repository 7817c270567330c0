"""LlamaIndex's messages as the turns that `add()` learns from."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias
from uuid import uuid4

from llama_index.core.base.llms.types import ChatMessage, MessageRole

Turn: TypeAlias = list[dict[str, Any]]


class Turns:
    """The turn under way: what the user said and was not learned yet, and the block recalled for it.

    Streaming engines put the answer from another thread, hence the lock.
    """

    def __init__(self, unlearned: Iterable[dict[str, Any]] = ()) -> None:
        self._lock = threading.Lock()
        self._said: Turn = [dict(entry) for entry in unlearned]
        self._query: str | None = None
        self._block = ""

    @property
    def unlearned(self) -> Turn:
        """What the user said without an answer so far."""
        with self._lock:
            return [dict(entry) for entry in self._said]

    def take(self, messages: Sequence[ChatMessage]) -> list[Turn]:
        """Note new messages; the turns that have their answer now.

        Tool calls, tool results and system prompts are not part of a turn. Neither is a second
        assistant message, as a ReAct agent puts: by then the turn was handed out.
        """
        turns: list[Turn] = []
        with self._lock:
            for message in messages:
                text = text_of(message)
                if message.role == MessageRole.USER:
                    self._query, self._block = None, ""
                    if text:
                        self._said.append(_entry("user", text))
                elif text and self._said and is_answer(message):
                    turns.append([*self._said, _entry("assistant", text)])
                    self._said = []
        return turns

    def rest(self) -> Turn:
        """Hand out what the user said without an answer."""
        with self._lock:
            said, self._said = self._said, []
            return said

    def block_for(self, query: str) -> str | None:
        """What was recalled for this query in this turn; None when that is still to be done."""
        if not query:
            return ""
        with self._lock:
            return self._block if query == self._query else None

    def keep(self, query: str, block: str) -> None:
        """Keep it: an agent asks again at every step."""
        with self._lock:
            self._query, self._block = query, block

    def start_over(self, messages: Sequence[ChatMessage] = ()) -> None:
        """The chat was replaced by these messages, or cleared.

        Turns of theirs were learned when they took place; only a question at the end, which an agent
        may be given in this way, still waits for its answer.
        """
        asked: Turn = []
        for message in reversed(messages):
            if message.role != MessageRole.USER:
                break
            if text := text_of(message):
                asked.insert(0, _entry("user", text))
        with self._lock:
            self._said, self._query, self._block = asked, None, ""


def turns_of(messages: Sequence[ChatMessage]) -> list[Turn]:
    """All turns in a piece of conversation, the last one perhaps without an answer.

    An answer whose question is not there is left out: only what a user said is learned from.
    """
    turns = Turns()
    found = turns.take(messages)
    last = turns.rest()
    return [*found, last] if last else found


def key_of(session: str, turn: Turn) -> str:
    """Names a turn by its words: the same turn that is offered twice has one name."""
    said = [session, *(part for entry in turn for part in (entry["role"], entry["content"]))]
    return hashlib.blake2b("\x1f".join(said).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def text_of(message: ChatMessage) -> str:
    """The words of a message; "" for a picture or a tool call."""
    return (message.content or "").strip()


def words_of(input: str | ChatMessage | None) -> str | None:
    """The words of an engine's input; None for none, and for a message without text."""
    text = text_of(input) if isinstance(input, ChatMessage) else (input or "").strip()
    return text or None


def is_answer(message: ChatMessage) -> bool:
    """Whether it is what the assistant says to the user, and not a step on the way."""
    if message.role not in (MessageRole.ASSISTANT, MessageRole.CHATBOT, MessageRole.MODEL):
        return False
    if message.additional_kwargs.get("tool_calls"):
        return False
    return all(getattr(block, "block_type", "") != "tool_call" for block in message.blocks)


def _entry(role: str, text: str) -> dict[str, Any]:
    # An id of its own: two turns with the same words are still two turns.
    return {"role": role, "content": text, "id": f"msg-{uuid4().hex}"}
