"""A chat model whose calls are kept: how it was asked, and what the answer cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from langmem_ext import ChatModel
from langmem_ext.errors import UnsupportedReplyFormatError
from langmem_ext.items import Usage
from langmem_ext.ports import ChatMessage, ChatReply, ReplySchema


@dataclass(frozen=True, slots=True)
class Call:
    """One call: the way of asking ("json_schema", "json_object" or "plain"), and whether it was refused."""

    way: str
    usage: Usage = Usage()
    refused: bool = False


class WatchedChat:
    """Passes everything on, and keeps it in `calls`, in order."""

    def __init__(self, chat: ChatModel) -> None:
        self._chat = chat
        self.calls: list[Call] = []

    @property
    def name(self) -> str:
        return self._chat.name

    def complete(self, messages: Sequence[ChatMessage], schema: ReplySchema | None) -> ChatReply:
        try:
            reply = self._chat.complete(messages, schema)
        except Exception as error:
            self._keep(schema, error)
            raise
        self._keep(schema, reply)
        return reply

    async def acomplete(self, messages: Sequence[ChatMessage], schema: ReplySchema | None) -> ChatReply:
        try:
            reply = await self._chat.acomplete(messages, schema)
        except Exception as error:
            self._keep(schema, error)
            raise
        self._keep(schema, reply)
        return reply

    def _keep(self, schema: ReplySchema | None, outcome: ChatReply | Exception) -> None:
        way = "plain" if schema is None else schema.mode
        if isinstance(outcome, ChatReply):
            self.calls.append(Call(way, outcome.usage))
        else:
            self.calls.append(Call(way, refused=isinstance(outcome, UnsupportedReplyFormatError)))


def tried_again(calls: Sequence[Call]) -> str | None:
    """The way of asking that was tried again after it had been refused; None when there is none."""
    refused: set[str] = set()
    for call in calls:
        if call.way in refused:
            return f"{call.way} was tried again"
        if call.refused:
            refused.add(call.way)
    return None
