"""The conversation under way: made, dumped, restored, and called from code that is not async."""

from __future__ import annotations

import contextvars
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Final, ParamSpec, TypeVar

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.llms.llm import LLM
from llama_index.core.memory import BaseMemory, ChatMemoryBuffer, Memory
from llama_index.core.storage.chat_store import SimpleChatStore

from langmem_ext.errors import InvalidInputError
from llama_index_langmem_ext._chat_store import MessageStatus, RamChatStore

P = ParamSpec("P")
T = TypeVar("T")

_TOKEN_LIMIT: Final = 30_000  # LlamaIndex's own
_PART_OF_WINDOW: Final = 0.75  # the rest is for the answer
_SETTINGS: Final = ("token_limit", "token_flush_size", "chat_history_token_ratio", "session_id")


def new_memory(
    chat_history: Sequence[ChatMessage] | None, llm: LLM | None, token_limit: int | None
) -> Memory:
    """LlamaIndex's `Memory`, in RAM.

    Args:
        chat_history: Earlier messages of this conversation.
        llm: Its context window sets the limit.
        token_limit: Instead; LlamaIndex's own, 30,000, with neither.
    """
    if token_limit is None:
        token_limit = _TOKEN_LIMIT if llm is None else int(llm.metadata.context_window * _PART_OF_WINDOW)
    memory = Memory(token_limit=token_limit, sql_store=RamChatStore())
    _store(memory).put_rows(memory.session_id, [(MessageStatus.ACTIVE, m) for m in chat_history or ()])
    return memory


def dump(memory: BaseMemory) -> dict[str, Any]:
    """As JSON: the settings, and the messages where they are kept in RAM."""
    dumped: dict[str, Any] = {"class_name": memory.class_name()}
    if isinstance(memory, Memory) and isinstance(memory.sql_store, RamChatStore):
        rows = _store(memory).rows(memory.session_id)
        dumped |= {key: getattr(memory, key) for key in _SETTINGS}
        dumped["messages"] = [[state.value, message.model_dump(mode="json")] for state, message in rows]
    elif isinstance(memory, ChatMemoryBuffer) and isinstance(memory.chat_store, SimpleChatStore):
        dumped["token_limit"] = memory.token_limit
        dumped["messages"] = [["active", message.model_dump(mode="json")] for message in memory.get_all()]
    return dumped


def restore(dumped: Mapping[str, Any]) -> BaseMemory:
    """The reverse of `dump`.

    Raises:
        InvalidInputError: the messages are not in the dump.
    """
    if "messages" not in dumped:
        raise InvalidInputError(
            "this conversation is kept in a store of its own: pass short_term=, made as it was before"
        )
    rows = [(MessageStatus(state), ChatMessage.model_validate(m)) for state, m in dumped["messages"]]
    if dumped["class_name"] == ChatMemoryBuffer.class_name():
        messages = [message for _, message in rows]
        return ChatMemoryBuffer.from_defaults(chat_history=messages, token_limit=dumped["token_limit"])
    memory = Memory(**{key: dumped[key] for key in _SETTINGS}, sql_store=RamChatStore())
    _store(memory).put_rows(memory.session_id, rows)
    return memory


def apart(memory: BaseMemory, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a method of the memory that is not async.

    `Memory` is async inside. Where no event loop runs it makes one and leaves it open, and where one
    runs it takes a thread anyway. In a thread of its own it closes what it made.
    """
    if not isinstance(memory, Memory):
        return call(*args, **kwargs)
    context = contextvars.copy_context()
    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(context.run, partial(call, *args, **kwargs)).result()


def _store(memory: Memory) -> RamChatStore:
    store = memory.sql_store
    assert isinstance(store, RamChatStore)
    return store
