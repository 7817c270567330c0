"""Tools with which a model remembers, recalls and forgets for a user."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from langchain.tools import ToolRuntime
from langchain_core.messages import BaseMessage, HumanMessage, ToolMessage
from langchain_core.tools import BaseTool, StructuredTool

from langchain_langmem_ext._messages import text_of
from langchain_langmem_ext._users import (
    CONFIGURED_PLACE,
    CONTEXT_PLACE,
    UserSource,
    configured,
    in_context,
    session_of,
)
from langmem_ext.adapters import kind_of, log_failure
from langmem_ext.errors import InvalidInputError, MemoryNotFoundError
from langmem_ext.items import ForgetAnswer

if TYPE_CHECKING:
    from langmem_ext import LongTermMemory, UserMemory

logger = logging.getLogger(__name__)

_SENTENCE_END: Final = re.compile(r"(?<=[.!?。！？\n])\s*")
_REMEMBER: Final = (
    "Keep a fact about the user for later conversations: one full sentence that says who it is about. For "
    "what stays true and matters, such as preferences, people, plans; never for passwords or codes."
)
_RECALL: Final = "Look up what is known about the user from earlier conversations."
_FORGET: Final = (
    "Forget something, only when the user asks for it. Give the user's own words as request. Where several "
    "memories may be meant, the answer lists them with their ids: ask the user which ones, and call again "
    "with confirm_ids once they answered."
)


def memory_tools(*, user: UserMemory | None = None, memory: LongTermMemory | None = None) -> list[BaseTool]:
    """The tools `remember`, `recall` and `forget`.

    Bound (`user=memory.for_user(...)`) they work anywhere, also outside an agent. With `memory=` they work in
    agents and find the user as the middleware does: in `config["configurable"]["user_id"]` or the run's
    context; and they check the thread before they delete: the request must be in words of the user's, and
    a confirmation counts only after the user had the word. A bound tool takes the model's word for that.

    A memory that fails does not fail the run: the model reads that it is unavailable.

    Raises:
        InvalidInputError: not exactly one of the two.
    """
    users = UserSource(memory, user)
    functions = _bound(user) if user is not None else _in_run(users)
    return [
        StructuredTool.from_function(function, name=function.__name__, description=description)
        for function, description in zip(functions, (_REMEMBER, _RECALL, _FORGET), strict=True)
    ]


def _bound(user: UserMemory) -> tuple[Callable[..., str], ...]:
    def remember(content: str) -> str:
        return _told("remember", lambda: _remembered(user, content))

    def recall(query: str) -> str:
        return _told("recall", lambda: _recalled(user, query))

    def forget(request: str, confirm_ids: list[str] | None = None) -> str:
        return _told("forget", lambda: _forgotten(user.forget(request, confirm_ids=confirm_ids)))

    return remember, recall, forget


def _in_run(users: UserSource) -> tuple[Callable[..., str], ...]:
    def remember(content: str, runtime: ToolRuntime[Any, Any]) -> str:
        user = _find(users, runtime)
        return _told("remember", lambda: _remembered(user, content))

    def recall(query: str, runtime: ToolRuntime[Any, Any]) -> str:
        user = _find(users, runtime)
        return _told("recall", lambda: _recalled(user, query))

    def forget(request: str, runtime: ToolRuntime[Any, Any], confirm_ids: list[str] | None = None) -> str:
        user, thread = _find(users, runtime), _thread(runtime.state)
        if confirm_ids and not _was_asked(thread, confirm_ids):
            return "Nothing was deleted: show the user what may be meant, and wait for the answer."
        words = request if confirm_ids else _users_words(thread, request)
        if words is None:
            return "Nothing was deleted: the request must be in the user's own words, as they wrote it."
        return _told("forget", lambda: _forgotten(user.forget(words, confirm_ids=confirm_ids or None)))

    return remember, recall, forget


def _find(users: UserSource, runtime: ToolRuntime[Any, Any]) -> UserMemory:
    named = {CONFIGURED_PLACE: configured(runtime.config), CONTEXT_PLACE: in_context(runtime.context)}
    return users.find(named, session_id=session_of(runtime.config))


def _told(step: str, act: Callable[[], str]) -> str:
    """What came of it, in words for the model."""
    try:
        return act()
    except (InvalidInputError, MemoryNotFoundError) as error:  # the model can do better
        return f"Not done: {error}"
    except Exception as error:  # whatever it is, the conversation goes on
        log_failure(logger, step, error)
        return f"Not done: the memory is not available now ({kind_of(error)})."


def _remembered(user: UserMemory, content: str) -> str:
    return f"Remembered: {user.remember(content).content}"


def _recalled(user: UserMemory, query: str) -> str:
    return user.context(query).text or "Nothing is known about that."


def _forgotten(answer: ForgetAnswer) -> str:
    if answer.status == "deleted":
        return "\n".join(["Deleted:", *(f"- {item.content}" for item in answer.deleted)])
    if answer.status == "confirm":
        listed = [f"- {item.memory_id}: {item.content}" for item in answer.candidates]
        return "\n".join(["Nothing was deleted. Ask the user which of these to forget:", *listed])
    return {
        "no_match": "Nothing was deleted: no memory matches.",
        "everything": "Nothing was deleted: that everything goes is not for this tool; tell the user so.",
        "no_request": "Nothing was deleted: the words do not ask for anything to be forgotten.",
    }[answer.status]


def _thread(state: Any) -> Sequence[BaseMessage]:
    messages = state.get("messages", ()) if isinstance(state, dict) else getattr(state, "messages", ())
    return list(messages)


def _users_words(thread: Sequence[BaseMessage], request: str) -> str | None:
    """The sentence of the user's that a request is taken from, whole: a model may leave out its "don't"."""
    wanted = _plain(request)
    for message in reversed(thread):
        text = text_of(message)
        if wanted and isinstance(message, HumanMessage) and wanted in _plain(text):
            return next((part for part in _SENTENCE_END.split(text) if wanted in _plain(part)), text)
    return None


def _was_asked(thread: Sequence[BaseMessage], memory_ids: Sequence[str]) -> bool:
    """Whether these were listed before the user's last message."""
    last = max((i for i, message in enumerate(thread) if isinstance(message, HumanMessage)), default=0)
    listed = [text_of(message) for message in thread[:last] if isinstance(message, ToolMessage)]
    return all(any(f"- {memory_id}: " in text for text in listed) for memory_id in memory_ids)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .!?。！？\"'")
