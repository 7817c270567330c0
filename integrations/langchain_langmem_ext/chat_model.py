"""Any LangChain chat model as the LLM that extracts memories."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.runnables import Runnable, RunnableConfig

from langchain_langmem_ext._messages import text_of
from langmem_ext.errors import InvalidInputError, ModelError, UnsupportedReplyFormatError
from langmem_ext.items import Usage
from langmem_ext.models.foreign_errors import model_error_of
from langmem_ext.ports import ChatMessage, ChatReply, ReplySchema

# Neither the callbacks of the run that we are called in nor its streams see what is said here.
_UNSEEN: Final[RunnableConfig] = {"callbacks": [], "tags": ["nostream"], "run_name": "langmem_ext"}
_ROLES: Final = {"system": SystemMessage, "user": HumanMessage, "assistant": AIMessage}
_METHODS: Final = {"json_schema": "json_schema", "json_object": "json_mode"}
_CUT: Final = frozenset(("length", "max_tokens", "model_length", "max_output_tokens"))
_DECLINED: Final = frozenset(
    (
        "content_filter",
        "refusal",
        "safety",
        "recitation",
        "blocklist",
        "prohibited_content",
        "guardrail_intervened",
    )
)


class LangChainChat:
    """A `ChatModel` over a LangChain chat model: `LongTermMemory(llm=LangChainChat(model))`.

    JSON is asked for as the model knows it (`with_structured_output`), and in words where it knows
    nothing of the kind. What is said here stays out of the callbacks and streams of a run around it:
    a user who watches an agent's tokens does not see those of the extraction. Time limits and retries are
    the model's own.

    Args:
        model: A chat model, or a runnable made from one (`with_retry`, `with_fallbacks`, `bind`).
        name: Names it in logs and errors; by default its class and its model's name.

    Raises:
        InvalidInputError: not such a model.
    """

    def __init__(self, model: Runnable[LanguageModelInput, Any], *, name: str | None = None) -> None:
        if not isinstance(model, Runnable):
            raise InvalidInputError(f"model must be a LangChain chat model, not {type(model).__name__}")
        self._model = model
        self._name = name or _name_of(model)

    @property
    def name(self) -> str:
        """Class and model."""
        return self._name

    def complete(self, messages: Sequence[ChatMessage], schema: ReplySchema | None) -> ChatReply:
        """One reply.

        Raises:
            ModelError: no reply; `kind` says why.
            UnsupportedReplyFormatError: the model does not know the schema's mode.
        """
        model = self._asking_for(schema)
        try:
            return self._reply(model.invoke(_converted(messages), _UNSEEN))
        except Exception as error:  # whatever a model raises
            raise self._error(error, schema) from error

    async def acomplete(self, messages: Sequence[ChatMessage], schema: ReplySchema | None) -> ChatReply:
        """As `complete`."""
        model = self._asking_for(schema)
        try:
            return self._reply(await model.ainvoke(_converted(messages), _UNSEEN))
        except Exception as error:  # whatever a model raises
            raise self._error(error, schema) from error

    def _asking_for(self, schema: ReplySchema | None) -> Runnable[LanguageModelInput, Any]:
        if schema is None:
            return self._model
        described = {"title": schema.name, "description": "The answer.", **schema.json_schema}
        try:
            structured: Runnable[LanguageModelInput, Any] = self._model.with_structured_output(  # type: ignore[attr-defined]  # not every runnable has it
                described, method=_METHODS[schema.mode], include_raw=True
            )
        except Exception as error:  # nothing was sent yet: the model does not know this way
            raise UnsupportedReplyFormatError(f"{self._name} has no {schema.mode}") from error
        return structured

    def _reply(self, answer: object) -> ChatReply:
        # LangChain's own parser is passed by: it completes a reply that was cut.
        message = answer.get("raw") if isinstance(answer, Mapping) else answer
        if not isinstance(message, BaseMessage):
            raise ModelError(f"{self._name} sent no message", kind="bad_reply")
        return ChatReply(_text(message), _finish_reason(message), _usage(message))

    def _error(self, error: Exception, schema: ReplySchema | None) -> ModelError:
        return model_error_of(error, self._name, format_asked=schema is not None)


def _name_of(model: object) -> str:
    bound = getattr(model, "bound", model)  # of a model with arguments or retries
    for attribute in ("model_name", "model", "model_id", "deployment_name"):
        if isinstance(found := getattr(bound, attribute, None), str) and found.strip():
            return f"{type(bound).__name__}({found})"
    return type(bound).__name__


def _converted(messages: Sequence[ChatMessage]) -> list[BaseMessage]:
    return [_ROLES[message.role](message.content) for message in messages]


def _text(message: BaseMessage) -> str:
    """The reply; of a model that answers by calling a tool, the tool's arguments."""
    if calls := getattr(message, "tool_calls", None):
        return json.dumps(calls[0]["args"], ensure_ascii=False)
    if broken := getattr(message, "invalid_tool_calls", None):
        return str(broken[0].get("args") or "")
    return text_of(message)


def _finish_reason(message: BaseMessage) -> str:
    """As OpenAI spells it; providers put it under different names."""
    metadata = message.response_metadata
    names = ("finish_reason", "stop_reason", "done_reason", "stopReason")
    given = {str(metadata.get(name)).lower() for name in names}
    if given & _CUT:
        return "length"
    refused = message.additional_kwargs.get("refusal") and not message.text
    return "content_filter" if given & _DECLINED or refused else "stop"


def _usage(message: BaseMessage) -> Usage:
    counts = getattr(message, "usage_metadata", None) or {}
    return Usage(
        calls=1,
        prompt_tokens=int(counts.get("input_tokens") or 0),
        completion_tokens=int(counts.get("output_tokens") or 0),
    )
