"""The messages of a conversation in RAM, for LlamaIndex's own `Memory`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.storage.chat_store.sql import (  # type: ignore[attr-defined]  # its home at first
    MessageStatus as MessageStatus,
)
from llama_index.core.storage.chat_store.sql import SQLAlchemyChatStore
from pydantic import PrivateAttr, model_serializer

_ACTIVE: Final = MessageStatus.ACTIVE


class RamChatStore(SQLAlchemyChatStore):
    """A list per conversation.

    `Memory`'s own default is a database in RAM: a connection and a thread per conversation, which
    nobody closes. It is a subclass because the first releases of LlamaIndex 0.14 take no other class.
    """

    _rows: dict[str, list[tuple[MessageStatus, ChatMessage]]] = PrivateAttr(default_factory=dict)

    def __init__(self) -> None:
        super().__init__(table_name="in_ram")

    async def get_messages(
        self,
        key: str,
        status: MessageStatus | None = _ACTIVE,
        limit: int | None = None,
        offset: int | None = None,
    ) -> list[ChatMessage]:
        """Oldest first, as copies: agents write into the messages that they are given."""
        found = [message for state, message in self._rows.get(key, []) if status in (None, state)]
        end = None if limit is None else (offset or 0) + limit
        return [message.model_copy(deep=True) for message in found[offset or 0 : end]]

    async def count_messages(self, key: str, status: MessageStatus | None = _ACTIVE) -> int:
        """How many there are."""
        return sum(status in (None, state) for state, _ in self._rows.get(key, []))

    async def add_message(self, key: str, message: ChatMessage, status: MessageStatus = _ACTIVE) -> None:
        """Add one."""
        await self.add_messages(key, [message], status)

    async def add_messages(
        self, key: str, messages: Sequence[ChatMessage], status: MessageStatus = _ACTIVE
    ) -> None:
        """Add several."""
        self._rows.setdefault(key, []).extend((status, m.model_copy(deep=True)) for m in messages)

    async def set_messages(
        self, key: str, messages: Sequence[ChatMessage], status: MessageStatus = _ACTIVE
    ) -> None:
        """Replace all."""
        self._rows[key] = [(status, message.model_copy(deep=True)) for message in messages]

    async def delete_message(self, key: str, idx: int) -> ChatMessage | None:
        """Delete one by its number, from 1."""
        rows = self._rows.get(key, [])
        return rows.pop(idx - 1)[1] if 0 < idx <= len(rows) else None

    async def delete_messages(self, key: str, status: MessageStatus | None = None) -> None:
        """Delete those with this status, or all."""
        self._rows[key] = [row for row in self._rows.get(key, []) if status not in (None, row[0])]

    async def delete_oldest_messages(self, key: str, n: int) -> list[ChatMessage]:
        """Delete the oldest active ones and return them."""
        oldest = self._oldest(key, n)
        self._rows[key] = [row for i, row in enumerate(self._rows.get(key, [])) if i not in oldest]
        return list(oldest.values())

    async def archive_oldest_messages(self, key: str, n: int) -> list[ChatMessage]:
        """Archive the oldest active ones and return them."""
        oldest = self._oldest(key, n)
        for index, message in oldest.items():
            self._rows[key][index] = (MessageStatus.ARCHIVED, message)
        return list(oldest.values())

    async def get_keys(self) -> list[str]:
        """All conversations."""
        return [key for key, rows in self._rows.items() if rows]

    def rows(self, key: str) -> list[tuple[MessageStatus, ChatMessage]]:
        """All messages with their status."""
        return list(self._rows.get(key, []))

    def put_rows(self, key: str, rows: Sequence[tuple[MessageStatus, ChatMessage]]) -> None:
        """The reverse of `rows`."""
        self._rows[key] = list(rows)

    def _oldest(self, key: str, n: int) -> dict[int, ChatMessage]:
        active = [(i, m) for i, (state, m) in enumerate(self._rows.get(key, [])) if state == _ACTIVE]
        return dict(active[:n])

    @model_serializer()
    def dump_store(self) -> dict[str, Any]:
        """Nothing: a conversation is dumped with the memory that it belongs to."""
        return {}
