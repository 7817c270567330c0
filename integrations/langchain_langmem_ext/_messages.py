"""LangChain's messages, and what chains take for them, as the dicts that `add()` reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, convert_to_messages
from langchain_core.prompt_values import PromptValue


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


def new_messages(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """The user's messages at the end of a thread: what nobody answered yet."""
    new: list[BaseMessage] = []
    for message in reversed(messages):
        # LangChain's own summary of older messages wears a user's clothes.
        if not isinstance(message, HumanMessage) or "lc_source" in message.additional_kwargs:
            break
        new.insert(0, message)
    return new


def said_in(value: Any) -> list[dict[str, Any]]:
    """What the user said in an input of a chain: a text, a message, messages, or a prompt's value.

    Of a whole thread only what nobody answered yet. Anything else says nothing.
    """
    if isinstance(value, str):
        return as_dicts([HumanMessage(value)])
    return as_dicts(new_messages(_messages(value)))


def answered_in(value: Any) -> list[dict[str, Any]]:
    """What the assistant said in an output of a chain: a text, a message, or the last of several."""
    if isinstance(value, str):
        return as_dicts([AIMessage(value)])
    return as_dicts([message for message in _messages(value)[-1:] if isinstance(message, AIMessage)])


def query_of(said: Sequence[dict[str, Any]]) -> str:
    """The words to search with."""
    return "\n".join(entry["content"] for entry in said).strip()


def _messages(value: Any) -> list[BaseMessage]:
    if isinstance(value, BaseMessage):
        return [value]
    if isinstance(value, PromptValue):
        return value.to_messages()
    if isinstance(value, list | tuple) and value:
        try:
            return convert_to_messages(value)
        except (ValueError, NotImplementedError, KeyError, TypeError):  # a list of something else
            return []
    return []
