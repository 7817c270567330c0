"""Messages, and what of a conversation counts as something a person said."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from langmem_ext.errors import InvalidInputError
from langmem_ext.text import normalise, well_formed

Role = Literal["user", "assistant"]
MessageLike: TypeAlias = "str | Message | Mapping[str, Any] | tuple[str, str]"
MessagesLike: TypeAlias = "str | Message | Mapping[str, Any] | Sequence[MessageLike]"

# The frame around memories in a prompt. Rendering writes it; here it is taken out again, so that
# a memory is never learned from its own echo.
BLOCK_OPEN = "<long_term_memory>"
BLOCK_CLOSE = "</long_term_memory>"
_OWN_BLOCK = re.compile(re.escape(BLOCK_OPEN) + r".*?(?:" + re.escape(BLOCK_CLOSE) + r"|\Z)", re.DOTALL)

_ROLES: Mapping[str, Role | None] = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    # Neither is something the user said about themselves:
    "system": None,
    "developer": None,
    "tool": None,
    "function": None,
}


@dataclass(frozen=True, slots=True)
class Message:
    """One utterance. `speaker` is a name in a group chat, otherwise the role.

    Attributes:
        role: "user" or "assistant".
        content: What was said, as plain text.
        speaker: Who said it: a name, or the role.
        message_id: Names the message; `message_id_for` derives one.
    """

    role: Role
    content: str
    speaker: str
    message_id: str


def message_id_for(role: Role, speaker: str, content: str) -> str:
    """A stable id for a message that came without one: equal messages get equal ids."""
    digest = hashlib.blake2b("\x1f".join((role, speaker, normalise(content))).encode(), digest_size=12)
    return f"msg-{digest.hexdigest()}"


def parse_messages(messages: MessagesLike) -> list[Message]:
    """What people said in a conversation, in order.

    Accepted: a string (one user turn), OpenAI-style dicts (`role`, `content`, optional `name` and
    `id`), `(role, text)` pairs, objects with these attributes (of the OpenAI client, of LangChain and
    LlamaIndex), and sequences of these. System
    prompts, tool calls and results, images and blocks that langmem_ext itself injected are left
    out, and so are blank messages.

    Raises:
        InvalidInputError: another type, an unknown role, or content that is not text.
    """
    if isinstance(messages, str | Message | Mapping):
        entries: Iterable[MessageLike] = [messages]
    elif isinstance(messages, Sequence) and not isinstance(messages, bytes):
        if _is_pair(messages):
            raise InvalidInputError(
                "a single (role, text) pair must be in a list: add([('user', 'I moved to Lyon')])"
            )
        entries = messages
    else:
        raise InvalidInputError(
            f"messages must be a string or a list of messages, not {type(messages).__name__}"
        )
    parsed = (_parse(entry, index) for index, entry in enumerate(entries))
    return [message for message in parsed if message is not None]


def _is_pair(entry: object) -> bool:
    return (
        isinstance(entry, tuple)
        and len(entry) == 2
        and all(isinstance(part, str) for part in entry)
        and entry[0].lower() in _ROLES
    )


def _parse(entry: MessageLike, index: int) -> Message | None:
    if isinstance(entry, Message):
        return _build(entry.role, entry.content, entry.speaker, entry.message_id, index)
    if isinstance(entry, str):
        return _build("user", entry, None, None, index)
    if isinstance(entry, Mapping):
        if "content" not in entry and "tool_calls" not in entry:  # under another name it would be lost
            raise InvalidInputError(f"message {index}: it has no 'content'; its keys are {', '.join(entry)}")
        return _build(entry.get("role"), entry.get("content"), entry.get("name"), entry.get("id"), index)
    if isinstance(entry, tuple) and len(entry) == 2:
        return _build(entry[0], entry[1], None, None, index)
    role = getattr(entry, "role", None) or getattr(entry, "type", None)
    if role is not None and hasattr(entry, "content"):  # an object of the OpenAI client or of a framework
        role = getattr(role, "value", role)
        return _build(role, entry.content, getattr(entry, "name", None), getattr(entry, "id", None), index)
    raise InvalidInputError(
        f"message {index}: expected a dict with role and content, a (role, text) pair or a string, "
        f"not {type(entry).__name__}"
    )


def _build(role: object, content: object, name: object, message_id: object, index: int) -> Message | None:
    if not isinstance(role, str) or role.lower() not in _ROLES:
        raise InvalidInputError(f"message {index}: unknown role {role!r}; known are {', '.join(_ROLES)}")
    kept = _ROLES[role.lower()]
    if kept is None:
        return None
    text = _OWN_BLOCK.sub(" ", well_formed(_text_of(content, index))).strip()
    if not text:
        return None
    speaker = normalise(name) if isinstance(name, str) and name.strip() else kept
    if not isinstance(message_id, str) or not message_id.strip():
        message_id = message_id_for(kept, speaker, text)
    return Message(kept, text, speaker, well_formed(message_id))


def _text_of(content: object, index: int) -> str:
    """The text of a message's content; images, audio and files are left out."""
    if content is None:  # an assistant's tool call
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, Sequence) and not isinstance(content, bytes):
        return "\n".join(part for part in (_text_of_part(part) for part in content) if part)
    raise InvalidInputError(
        f"message {index}: content must be text or a list of content parts, not {type(content).__name__}"
    )


def _text_of_part(part: object) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, Mapping) and part.get("type") in ("text", "input_text", "output_text"):
        text = part.get("text")
        return text if isinstance(text, str) else ""
    return ""
