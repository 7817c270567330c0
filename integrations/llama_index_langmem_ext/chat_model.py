"""Any LLM of LlamaIndex as the LLM that extracts memories."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, Final

from llama_index.core.base.llms.types import ChatMessage as LlamaMessage
from llama_index.core.base.llms.types import ChatResponse, CompletionResponse, MessageRole
from llama_index.core.llms import LLM, CustomLLM

from langmem_ext.errors import InvalidInputError, ModelError
from langmem_ext.items import Usage
from langmem_ext.models.foreign_errors import model_error_of
from langmem_ext.ports import ChatMessage, ChatReply, ReplySchema

_STOPS: Final = {
    "length": "length",
    "max_tokens": "length",
    "max_output_tokens": "length",
    "content_filter": "content_filter",
    "safety": "content_filter",
    "refusal": "content_filter",
}
_STOP_FIELDS: Final = ("finish_reason", "stop_reason", "done_reason")
_PROMPT_FIELDS: Final = ("prompt_tokens", "input_tokens", "prompt_eval_count", "prompt_token_count")
_COMPLETION_FIELDS: Final = ("completion_tokens", "output_tokens", "eval_count", "candidates_token_count")


class LlamaIndexChat:
    """A `ChatModel` over an LLM of LlamaIndex: `LongTermMemory(llm=LlamaIndexChat(Settings.llm))`.

    A model that only completes text (`is_chat_model` is false) gets the prompt that LlamaIndex writes
    for it. Timeouts and repeated attempts are the LLM's own. A reply that was cut is recognised where
    the LLM hands on why it stopped.

    Args:
        llm: The LLM.
        name: Names it in logs and errors; by default its class and its model's name.
        response_format: Whether it takes OpenAI's `response_format`, so that the server enforces the
            JSON. None: LlamaIndex's own OpenAI classes do. Others are asked for JSON in words.
        options: Further arguments of every call, such as `{"temperature": 0}`.

    Raises:
        InvalidInputError: it is no LLM of LlamaIndex.
    """

    def __init__(
        self,
        llm: LLM,
        *,
        name: str | None = None,
        response_format: bool | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        if not isinstance(llm, LLM):
            raise InvalidInputError(f"llm must be an LLM of LlamaIndex, not {type(llm).__name__}")
        self._llm = llm
        self._name = name or f"{llm.class_name()}({llm.metadata.model_name})"
        self._takes_format = _is_openai(llm) if response_format is None else response_format
        self._options = dict(options or {})

    @property
    def name(self) -> str:
        """Class and model."""
        return self._name

    def complete(self, messages: Sequence[ChatMessage], schema: ReplySchema | None) -> ChatReply:
        """One reply.

        Raises:
            ModelError: no reply; `kind` says why.
            UnsupportedReplyFormatError: the server refuses the schema's mode.
        """
        arguments = self._arguments(schema)
        answer: ChatResponse | CompletionResponse
        try:
            if self._llm.metadata.is_chat_model:
                answer = self._llm.chat(self._converted(messages), **arguments)
            else:
                answer = self._llm.complete(self._prompt(messages), formatted=True, **arguments)
            return _reply(answer)
        except Exception as error:  # whatever an LLM raises
            raise self._error(error, arguments) from error

    async def acomplete(self, messages: Sequence[ChatMessage], schema: ReplySchema | None) -> ChatReply:
        """As `complete`. An LLM that knows no other way than to block does so in a thread."""
        if self._blocks:
            return await asyncio.to_thread(self.complete, messages, schema)
        arguments = self._arguments(schema)
        answer: ChatResponse | CompletionResponse
        try:
            if self._llm.metadata.is_chat_model:
                answer = await self._llm.achat(self._converted(messages), **arguments)
            else:
                answer = await self._llm.acomplete(self._prompt(messages), formatted=True, **arguments)
            return _reply(answer)
        except Exception as error:  # as in complete
            raise self._error(error, arguments) from error

    def _error(self, error: Exception, arguments: Mapping[str, Any]) -> ModelError:
        return model_error_of(error, self._name, format_asked="response_format" in arguments)

    @property
    def _blocks(self) -> bool:
        name = "achat" if self._llm.metadata.is_chat_model else "acomplete"
        # LlamaIndex wraps the methods of every class anew.
        own, inherited = (inspect.unwrap(getattr(cls, name)) for cls in (type(self._llm), CustomLLM))
        return own is inherited

    def _arguments(self, schema: ReplySchema | None) -> dict[str, Any]:
        if schema is None or not self._takes_format:
            return self._options
        return {**self._options, "response_format": _response_format(schema)}

    def _converted(self, messages: Sequence[ChatMessage]) -> list[LlamaMessage]:
        roles = {"system": self._llm.metadata.system_role}
        return [
            LlamaMessage(role=roles.get(message.role) or MessageRole(message.role), content=message.content)
            for message in messages
        ]

    def _prompt(self, messages: Sequence[ChatMessage]) -> str:
        return str(self._llm.messages_to_prompt(self._converted(messages)))  # type: ignore[misc]  # never None


def _is_openai(llm: LLM) -> bool:
    places = {(cls.__module__, cls.__name__) for cls in type(llm).__mro__}
    return ("llama_index.llms.openai.base", "OpenAI") in places


def _response_format(schema: ReplySchema) -> dict[str, Any]:
    if schema.mode == "json_object":
        return {"type": "json_object"}
    described = {"name": schema.name, "schema": dict(schema.json_schema), "strict": True}
    return {"type": "json_schema", "json_schema": described}


def _reply(answer: ChatResponse | CompletionResponse) -> ChatReply:
    text = answer.message.content if isinstance(answer, ChatResponse) else answer.text
    places = list(_places(answer))
    stop = _first(places, _STOP_FIELDS, (str, Enum))
    reason = str(getattr(stop, "name", stop) or "stop").lower()
    return ChatReply(
        text=text or "",
        finish_reason=_STOPS.get(reason, reason),
        usage=Usage(
            calls=1,
            prompt_tokens=_first(places, _PROMPT_FIELDS, int) or 0,
            completion_tokens=_first(places, _COMPLETION_FIELDS, int) or 0,
        ),
    )


def _places(answer: ChatResponse | CompletionResponse) -> Iterator[Any]:
    """Where vendors put why they stopped and what it cost."""
    yield answer.additional_kwargs
    yield answer.raw
    for outer in (answer.raw, _field(answer.raw, "choices"), _field(answer.raw, "candidates")):
        first = outer[0] if isinstance(outer, list) and outer else outer
        yield first
        yield _field(first, "usage")
        yield _field(first, "usage_metadata")
    if isinstance(answer, ChatResponse):
        yield answer.message.additional_kwargs


def _first(places: Sequence[Any], names: Sequence[str], kinds: type | tuple[type, ...]) -> Any:
    found = (_field(place, name) for place in places for name in names)
    return next((value for value in found if isinstance(value, kinds) and not isinstance(value, bool)), None)


def _field(place: Any, name: str) -> Any:
    return place.get(name) if isinstance(place, Mapping) else getattr(place, name, None)
