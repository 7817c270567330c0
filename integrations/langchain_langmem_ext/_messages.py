"""LangChain's messages as the dicts that `add()` reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage


def as_dict(message: BaseMessage) -> dict[str, Any] | None:
    """What a person or the assistant said; None for system prompts, tool results and the like."""
    if isinstance(message, HumanMessage):
        role = "user"
    elif isinstance(message, AIMessage):  # its chunks too
        role = "assistant"
    else:
        return None
    # Without an id of its own a message would share one with every other that says the same.
    return {
        "role": role,
        "content": text_of(message),
        "name": message.name,
        "id": message.id or f"msg-{uuid4().hex}",
    }


def as_dicts(messages: Sequence[BaseMessage]) -> list[dict[str, Any]]:
    """All that people and the assistant said, in order."""
    return [entry for entry in map(as_dict, messages) if entry is not None]


def text_of(message: BaseMessage) -> str:
    """The text of a message without images, reasoning and tool calls."""
    return str(message.text).strip()
