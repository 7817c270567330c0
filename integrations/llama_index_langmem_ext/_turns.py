"""The turn under way: the user's words that were not learned yet, and the block recalled for them."""

from __future__ import annotations

import threading
from typing import Any
from uuid import uuid4

from llama_index.core.base.llms.types import ChatMessage, MessageRole


class Turns:
    """The turn under way. Streaming engines put the answer from another thread, hence the lock."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._said: list[dict[str, Any]] = []
        self._query: str | None = None
        self._block = ""

    def take(self, messages: list[ChatMessage]) -> list[dict[str, Any]]:
        """Note new messages; the whole turn once it has its answer, else nothing.

        Tool calls, tool results and system prompts are not part of a turn. Neither is a second
        assistant message, as a ReAct agent puts: by then the turn was handed out.
        """
        turn: list[dict[str, Any]] = []
        with self._lock:
            for message in messages:
                text = (message.content or "").strip()
                if message.role == MessageRole.USER:
                    self._query, self._block = None, ""
                    if text:
                        self._said.append(_entry("user", text))
                elif (
                    message.role == MessageRole.ASSISTANT and text and self._said and not _calls_tool(message)
                ):
                    turn += [*self._said, _entry("assistant", text)]
                    self._said = []
        return turn

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

    def forget(self) -> None:
        """Start over: the chat was replaced or cleared."""
        with self._lock:
            self._said, self._query, self._block = [], None, ""


def _entry(role: str, text: str) -> dict[str, Any]:
    # An id of its own: two turns with the same words are still two turns.
    return {"role": role, "content": text, "id": f"msg-{uuid4().hex}"}


def _calls_tool(message: ChatMessage) -> bool:
    if message.additional_kwargs.get("tool_calls"):
        return True
    return any(getattr(block, "block_type", "") == "tool_call" for block in message.blocks)
