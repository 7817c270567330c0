"""A long conversation in windows that an LLM reads with care; nothing at the end is lost."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from langmem_ext.messages import Message
from langmem_ext.tokens import estimate_tokens

_CONTEXT_TOKENS = 200  # of the assistant's message before a window, to which its first words may answer
_SENTENCE = re.compile(r"[^\n.!?。！？]*(?:[\n.!?。！？]+[\"'”）)\s]*|\Z)")
_FRAME_TOKENS = 20  # number, role and speaker around each message


def windows(messages: Sequence[Message], limit: int) -> list[tuple[Message, ...]]:
    """The messages in order, in as few windows of at most `limit` tokens as there can be.

    A message that is longer than a window is split between sentences (without any, between words); its
    parts keep its id. The assistant's message before a window is repeated in front of it, shortened: it
    is no evidence, but may say what "yes" means. The same messages with more at the end have the same
    windows in front.

    Args:
        messages: What was said.
        limit: Estimated tokens, context not counted.
    """
    found: list[tuple[Message, ...]] = []
    current: list[Message] = []
    used = 0
    for message in (part for whole in messages for part in _parts(whole, limit)):
        tokens = estimate_tokens(message.content) + _FRAME_TOKENS
        if current and used + tokens > limit:
            found.append(tuple(current))
            current, used = _context(current[-1]), 0
        current.append(message)
        used += tokens
    return [*found, tuple(current)] if current else found


def _context(last: Message) -> list[Message]:
    if last.role != "assistant":
        return []
    kept: list[str] = []
    room = _CONTEXT_TOKENS
    for sentence in reversed(_sentences(last.content)):
        room -= estimate_tokens(sentence)
        if room < 0 and kept:
            break
        kept.insert(0, sentence)
    return [replace(last, content="".join(kept).strip()[-4 * _CONTEXT_TOKENS :])]


def _parts(message: Message, limit: int) -> Iterator[Message]:
    """The message, or as many as it takes."""
    room = max(limit - _FRAME_TOKENS, 1)
    if estimate_tokens(message.content) <= room:
        yield message
        return
    text, used = "", 0
    for piece in (piece for sentence in _sentences(message.content) for piece in _cut(sentence, room)):
        tokens = estimate_tokens(piece)
        if text and used + tokens > room:
            yield replace(message, content=text.strip())
            text, used = "", 0
        text += piece
        used += tokens
    if text.strip():
        yield replace(message, content=text.strip())


def _sentences(text: str) -> list[str]:
    """All of the text, sentence by sentence."""
    return [sentence for sentence in _SENTENCE.findall(text) if sentence]


def _cut(sentence: str, room: int) -> Iterator[str]:
    """A sentence without an end, in halves of halves, between words where it has any."""
    if estimate_tokens(sentence) <= room or len(sentence) < 2:
        yield sentence
        return
    middle = len(sentence) // 2
    space = sentence.find(" ", middle)
    at = space + 1 if 0 <= space < len(sentence) * 3 // 4 else middle
    yield from _cut(sentence[:at], room)
    yield from _cut(sentence[at:], room)
