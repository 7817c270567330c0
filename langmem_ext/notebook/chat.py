"""A cell as a turn of a conversation: recall, answer, learn."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from langmem_ext.display import shown, views
from langmem_ext.display.parts import Block, Folded, Part, Text, View
from langmem_ext.errors import LangMemExtError
from langmem_ext.items import AddResult, RecalledContext
from langmem_ext.ports import ChatMessage, ChatModel
from langmem_ext.user_memory import UserMemory

logger = logging.getLogger(__name__)
_SYSTEM: Final = "You are a helpful assistant."
_NOBODY: Final = "no LLM, so no answer: set OPENAI_API_KEY or OPENAI_BASE_URL, or open with --llm"
_LONG: Final = 10_000  # characters; from here on learning may take several calls


def _turn(value: ChatTurn) -> View:
    parts: list[Part] = [Text(_NOBODY, muted=True) if value.answer is None else Block(value.answer)]
    if value.recalled.memories:
        count = len(value.recalled.memories)
        line = Text(f"recalled {'1 memory' if count == 1 else f'{count} memories'}", muted=True)
        parts.append(Folded(line, views.hits(value.recalled.memories)))
    else:
        parts.append(Text("recalled nothing", muted=True))
    parts += views.added(value.learned).parts if value.learned is not None else ()
    return View([*parts, *(Text(problem) for problem in value.problems)])


@shown(_turn)
@dataclass(frozen=True, slots=True)
class ChatTurn:
    """One turn.

    Attributes:
        question: What was said.
        answer: What the LLM answered; None without one.
        recalled: What it was told of earlier conversations.
        learned: What was learned from the turn; None when the store failed.
        problems: What the memory could not do; the chat goes on.
    """

    question: str
    answer: str | None
    recalled: RecalledContext
    learned: AddResult | None
    problems: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.answer or ""


def take_turn(
    question: str,
    user: UserMemory,
    llm: ChatModel | None,
    earlier: Sequence[ChatMessage] = (),
    *,
    max_tokens: int = 800,
    top_k: int = 5,
) -> ChatTurn:
    """Answer with what is known, then learn from the turn.

    Raises:
        ModelError: the LLM did not answer; nothing was learned.
    """
    problems: list[str] = []
    recalled = RecalledContext("")
    try:
        recalled = user.context(question, max_tokens=max_tokens, top_k=top_k)
    except LangMemExtError as error:
        logger.warning("a chat goes on without its memories: %s", type(error).__name__)
        problems.append(f"answered without memories: {error}")
    answer = None
    said = [ChatMessage("user", question)]
    if llm is not None:
        system = f"{_SYSTEM}\n\n{recalled.text}".rstrip()
        answer = llm.complete([ChatMessage("system", system), *earlier, *said], None).text
        said.append(ChatMessage("assistant", answer))
    learned = None
    try:
        turn = [{"role": message.role, "content": message.content} for message in said]
        learned = user.add(turn, progress=len(question) > _LONG)
    except LangMemExtError as error:
        logger.warning("nothing was learned from a turn: %s", type(error).__name__)
        problems.append(f"nothing was learned: {error}")
    return ChatTurn(question, answer, recalled, learned, tuple(problems))
