"""An LLM for LlamaIndex that answers from a list and remembers what it was shown."""

from __future__ import annotations

import copy
from collections.abc import AsyncGenerator, Generator, Sequence
from typing import Any

from llama_index.core.base.llms.types import (
    ChatMessage,
    ChatResponse,
    CompletionResponse,
    LLMMetadata,
    MessageRole,
)
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.llms.llm import ToolSelection
from pydantic import PrivateAttr


class SeenLLM(FunctionCallingLLM):
    """Each reply is a text, or a tool call made with `calls`."""

    _replies: list[ChatMessage] = PrivateAttr()
    _seen: list[list[ChatMessage]] = PrivateAttr(default_factory=list)

    def __init__(self, replies: Sequence[str | ChatMessage]) -> None:
        super().__init__()
        self._replies = [
            ChatMessage(role=MessageRole.ASSISTANT, content=reply) if isinstance(reply, str) else reply
            for reply in replies
        ]

    @property
    def seen(self) -> list[list[ChatMessage]]:
        return self._seen

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(is_function_calling_model=True, is_chat_model=True, context_window=4000)

    def _next(self, messages: Sequence[ChatMessage]) -> ChatResponse:
        self._seen.append(copy.deepcopy(list(messages)))
        message = self._replies.pop(0)
        return ChatResponse(message=message, delta=message.content)

    def chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        return self._next(messages)

    async def achat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        return self._next(messages)

    def stream_chat(
        self, messages: Sequence[ChatMessage], **kwargs: Any
    ) -> Generator[ChatResponse, None, None]:
        whole = self._next(messages)

        def chunks() -> Generator[ChatResponse, None, None]:
            text = ""
            for word in (whole.message.content or "").split(" "):
                delta = word if not text else f" {word}"
                text += delta
                message = ChatMessage(
                    role=MessageRole.ASSISTANT,
                    content=text,
                    additional_kwargs=whole.message.additional_kwargs,
                )
                yield ChatResponse(message=message, delta=delta)

        return chunks()

    async def astream_chat(
        self, messages: Sequence[ChatMessage], **kwargs: Any
    ) -> AsyncGenerator[ChatResponse, None]:
        chunks = self.stream_chat(messages)

        async def agen() -> AsyncGenerator[ChatResponse, None]:
            for chunk in chunks:
                yield chunk

        return agen()

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        message = self._next([ChatMessage(role=MessageRole.USER, content=prompt)]).message
        return CompletionResponse(text=message.content or "")

    async def acomplete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        return self.complete(prompt)

    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        raise NotImplementedError

    async def astream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        raise NotImplementedError

    def _prepare_chat_with_tools(
        self,
        tools: Sequence[Any],
        user_msg: str | ChatMessage | None = None,
        chat_history: list[ChatMessage] | None = None,
        verbose: bool = False,
        allow_parallel_tool_calls: bool = False,
        tool_required: bool = False,
        **kwargs: Any,
    ) -> dict[str, Any]:
        return {"messages": list(chat_history or [])}

    def get_tool_calls_from_response(
        self, response: ChatResponse, error_on_no_tool_call: bool = True, **kwargs: Any
    ) -> list[ToolSelection]:
        return [
            ToolSelection(tool_id=call["id"], tool_name=call["name"], tool_kwargs=call["arguments"])
            for call in response.message.additional_kwargs.get("tool_calls", [])
        ]


class BreakingLLM(SeenLLM):
    """Its streams break off after their text."""

    def __init__(self, replies: Sequence[str | ChatMessage]) -> None:
        super().__init__(replies)

    def stream_chat(
        self, messages: Sequence[ChatMessage], **kwargs: Any
    ) -> Generator[ChatResponse, None, None]:
        whole = super().stream_chat(messages)

        def broken() -> Generator[ChatResponse, None, None]:
            yield from whole
            raise ConnectionError("the line broke")

        return broken()


def said(text: str) -> ChatMessage:
    return ChatMessage(role=MessageRole.USER, content=text)


def answered(text: str) -> ChatMessage:
    return ChatMessage(role=MessageRole.ASSISTANT, content=text)


def calls(name: str, call_id: str, text: str = "", **arguments: Any) -> ChatMessage:
    """A model's wish to call a tool, perhaps with a word about it."""
    call = {"id": call_id, "name": name, "arguments": arguments}
    return ChatMessage(role=MessageRole.ASSISTANT, content=text, additional_kwargs={"tool_calls": [call]})
