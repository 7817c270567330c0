"""Messages, and what of a conversation counts as something a person said."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias
from uuid import UUID

from langmem_ext.errors import InvalidInputError
from langmem_ext.text import normalise, well_formed

Role = Literal["user", "assistant"]
MessageLike: TypeAlias = "str | Message | Mapping[str, Any] | tuple[str, str]"
MessagesLike: TypeAlias = "str | Message | Mapping[str, Any] | Sequence[MessageLike]"

# The frame around memories in a prompt. Rendering writes it; here it is taken out again, so that
# a memory is never learned from its own echo.
BLOCK_OPEN = "<long_term_memory>"
BLOCK_CLOSE = "</long_term_memory>"
# How the text of a block begins. A person may name the tag: what follows it then is theirs.
BLOCK_STARTS = (
    "What is known about the user from earlier conversations.",
    "以下是从以往对话中得知的用户信息。",
)
_OWN_START = "|".join(map(re.escape, BLOCK_STARTS))
_OWN_BLOCK = re.compile(
    rf"{re.escape(BLOCK_OPEN)}(?:[^\S\n]*\n|\s*(?:{_OWN_START}|- \())"
    rf"(?:(?!{re.escape(BLOCK_OPEN)}).)*?{re.escape(BLOCK_CLOSE)}"
    rf"|{re.escape(BLOCK_OPEN)}\s*(?:{_OWN_START}|- \().*",  # cut off
    re.DOTALL,
)

_ROLES: Mapping[str, Role | None] = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "model": "assistant",
    "chatbot": "assistant",
    "bot": "assistant",
    # Neither is something the user said about themselves:
    "system": None,
    "developer": None,
    "tool": None,
    "function": None,
    "ipython": None,
    "remove": None,
}
_TEXT_TYPES = ("text", "input_text", "output_text")
# Items of a conversation that hold no message: "function_call", "web_search_call", "mcp_list_tools", ...
_NO_MESSAGE = re.compile(
    r".*_calls?(?:_outputs?|_results?)?|mcp_\w+|reasoning|item_reference|compaction|tool_result"
)


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
    out, and so are blank messages. A whole number as an id is the same id as text.

    Raises:
        InvalidInputError: another type, an unknown role, or content that is not text.
    """
    if isinstance(messages, str | Message | Mapping) or _is_message(messages):
        entries: Iterable[MessageLike] = [messages]  # type: ignore[list-item]
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
    if isinstance(entry, tuple) and len(entry) == 2:
        return _build(entry[0], entry[1], None, None, index)
    if _is_no_message(entry):
        return None
    if isinstance(entry, Mapping):
        if "content" not in entry and "tool_calls" not in entry:  # under another name it would be lost
            raise InvalidInputError(f"message {index}: it has no 'content'; its keys are {', '.join(entry)}")
        return _build(_role_of(entry), entry.get("content"), entry.get("name"), entry.get("id"), index)
    if _is_message(entry):
        return _build(
            _role_of(entry), _field(entry, "content"), _field(entry, "name"), _field(entry, "id"), index
        )
    raise InvalidInputError(
        f"message {index}: expected a dict with role and content, a (role, text) pair or a string, "
        f"not {type(entry).__name__}"
    )


def _field(entry: object, name: str) -> object:
    """A field of a dict or an object, or None."""
    return entry.get(name) if isinstance(entry, Mapping) else getattr(entry, name, None)


def _role_of(entry: object) -> object:
    """The role, or the type of a framework's message that has none ("human", "AIMessageChunk")."""
    role = _field(entry, "role")
    if role is None:
        role = _field(entry, "type")
        if isinstance(role, str):
            role = re.sub(r"Message(?:Chunk)?$", "", role)
    return getattr(role, "value", role)


def _is_message(entry: object) -> bool:
    """Whether this is an object of the OpenAI client or of a framework that says something."""
    if isinstance(entry, str | bytes | Mapping | Sequence | type):
        return False
    return hasattr(entry, "content") and _role_of(entry) is not None


def _is_no_message(entry: object) -> bool:
    """Whether this is a call of a tool, its result or another item that nobody said."""
    kind = _field(entry, "type")
    if not isinstance(kind, str) or isinstance(_field(entry, "role"), str):
        return False
    return bool(_NO_MESSAGE.fullmatch(kind))


def _label(value: object) -> str | None:
    """A name or an id as text; databases number theirs."""
    if isinstance(value, int | UUID) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) and value.strip() else None


def _build(role: object, content: object, name: object, message_id: object, index: int) -> Message | None:
    if not isinstance(role, str) or role.lower() not in _ROLES:
        raise InvalidInputError(f"message {index}: unknown role {role!r}; known are {', '.join(_ROLES)}")
    kept = _ROLES[role.lower()]
    if kept is None:
        return None
    text = _without_own_blocks(well_formed(_text_of(content, index)))
    if not text:
        return None
    given, label = _label(message_id), _label(name)
    speaker = normalise(label) if label is not None else kept
    if given is None:
        given = message_id_for(kept, speaker, text)
    return Message(kept, text, speaker, well_formed(given))


def _without_own_blocks(text: str) -> str:
    """The text without the blocks that rendering put into a prompt, one that is cut off too."""
    text = _OWN_BLOCK.sub(" ", text)
    before, tag, rest = text.rpartition(BLOCK_OPEN)
    if tag and any(start.startswith(" ".join(rest.split())) for start in BLOCK_STARTS):
        text = before
    return text.strip()


def _text_of(content: object, index: int) -> str:
    """The text of a message's content; images, audio and files are left out."""
    if content is None:  # an assistant's tool call
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping) or _has_text(content):
        return _text_of_part(content)
    if isinstance(content, Sequence) and not isinstance(content, bytes):
        if any(isinstance(part, bytes | int | float) for part in content):
            raise InvalidInputError(f"message {index}: a part of its content is neither text nor an object")
        return "\n".join(part for part in (_text_of_part(part) for part in content) if part)
    raise InvalidInputError(
        f"message {index}: content must be text or a list of content parts, not {type(content).__name__}"
    )


def _has_text(part: object) -> bool:
    return not isinstance(part, Sequence) and isinstance(getattr(part, "text", None), str)


def _text_of_part(part: object) -> str:
    """The text of a content part: a string, a dict or an object; one without a type is told by its text."""
    if isinstance(part, str):
        return part
    kind = _field(part, "type") or _field(part, "block_type")
    if kind is not None and getattr(kind, "value", kind) not in _TEXT_TYPES:
        return ""
    text = _field(part, "text")
    if text is None and kind is not None:
        text = _field(part, "content")
    if text is not None and not isinstance(text, str):  # as threads of assistants hold it
        text = _field(text, "value")
    return text if isinstance(text, str) else ""
