"""An LLM behind the OpenAI protocol: OpenAI itself, or any server that speaks it."""

from __future__ import annotations

import os
import re
from collections.abc import Generator, Mapping, Sequence
from typing import Any, Final

import openai

from langmem_ext.errors import InvalidInputError, ModelError
from langmem_ext.items import Usage
from langmem_ext.models.loop_local import LoopLocal
from langmem_ext.models.openai_errors import not_this_protocol, refused_parameter, translate
from langmem_ext.ports import ChatMessage, ChatReply, ReplySchema
from langmem_ext.text import well_formed

_NOT_IN_A_NAME = re.compile(r"[^a-zA-Z0-9_-]+")
# Servers on one's own machine want no key, the client wants one.
_NO_KEY: Final = "not-needed"


def client_options(
    base_url: str | None, api_key: str | None, timeout: float, max_retries: int
) -> dict[str, Any]:
    """Arguments for a client of the openai package.

    Raises:
        InvalidInputError: no API key, neither given nor in OPENAI_API_KEY, where one is needed.
    """
    if timeout <= 0 or max_retries < 0:
        raise InvalidInputError("timeout must be positive (seconds) and max_retries not negative")
    key = api_key or os.environ.get("OPENAI_API_KEY")
    if not key:
        if base_url is None and not os.environ.get("OPENAI_BASE_URL"):
            raise InvalidInputError(
                "no API key: set OPENAI_API_KEY, or pass api_key=, or base_url= of a server that needs none"
            )
        key = _NO_KEY
    return {"base_url": base_url, "api_key": key, "timeout": timeout, "max_retries": max_retries}


def endpoint_of(client: openai.OpenAI, model: str) -> str:
    """Model and server, for messages; a password in the URL is left out."""
    url = client.base_url
    port = f":{url.port}" if url.port else ""
    return f"{model} at {url.scheme}://{url.host}{port}{url.path.rstrip('/')}"


class OpenAIChat:
    """A `ChatModel` over `/chat/completions`.

    Safe to use from several threads and from several event loops, one after the other too. Requests
    that hit a rate limit or a broken connection are repeated by the client, with growing pauses.

    Args:
        model: The model's name on that server.
        base_url: The server, often ending in `/v1`; None: OPENAI_BASE_URL, or OpenAI.
        api_key: None: OPENAI_API_KEY. May be left out for a server given by `base_url`.
        timeout: Seconds for one attempt.
        max_retries: Further attempts after a failure that may pass.
        temperature: 0.0 for replies that vary little; None leaves it to the server. Left out by
            itself for models that refuse it.
        max_tokens: Cap on a reply; None leaves it to the server. A reply that is cut learns nothing.

    Raises:
        InvalidInputError: no API key where one is needed, or a number out of range.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout: float = 30.0,
        max_retries: int = 2,
        temperature: float | None = 0.0,
        max_tokens: int | None = None,
    ) -> None:
        options = client_options(base_url, api_key, timeout, max_retries)
        self._model = model
        self._client = openai.OpenAI(**options)
        self._async_clients = LoopLocal(lambda: openai.AsyncOpenAI(**options))
        self._name = endpoint_of(self._client, model)
        optional = {"temperature": temperature, "max_tokens": max_tokens}
        self._optional: Mapping[str, Any] = {
            key: value for key, value in optional.items() if value is not None
        }

    @property
    def name(self) -> str:
        """Model and endpoint."""
        return self._name

    def complete(self, messages: Sequence[ChatMessage], schema: ReplySchema | None) -> ChatReply:
        """One reply.

        Raises:
            ModelError: no reply; `kind` says why.
            UnsupportedReplyFormatError: the server refuses the schema's mode.
        """
        flow = self._flow(messages, schema)
        try:
            request = next(flow)
            while True:
                try:
                    answer = self._client.chat.completions.create(**request)
                except (openai.OpenAIError, ValueError) as error:
                    request = flow.throw(error)
                else:
                    request = flow.send(answer)
        except StopIteration as done:
            return _reply(done.value, self._name)

    async def acomplete(self, messages: Sequence[ChatMessage], schema: ReplySchema | None) -> ChatReply:
        """As `complete`."""
        flow = self._flow(messages, schema)
        client = await self._async_clients.get()
        try:
            request = next(flow)
            while True:
                try:
                    answer = await client.chat.completions.create(**request)
                except (openai.OpenAIError, ValueError) as error:
                    request = flow.throw(error)
                else:
                    request = flow.send(answer)
        except StopIteration as done:
            return _reply(done.value, self._name)

    def close(self) -> None:
        """Close the connections of `complete`. Those of `acomplete` are closed with their event loop."""
        self._client.close()

    async def aclose(self) -> None:
        """Close the connections of `acomplete` in this event loop, and those of `complete`."""
        await self._async_clients.close()
        self._client.close()

    def _flow(
        self, messages: Sequence[ChatMessage], schema: ReplySchema | None
    ) -> Generator[dict[str, Any], Any, Any]:
        """Yields requests, is sent their answers or thrown the client's errors, returns the good answer."""
        fixed: dict[str, Any] = {
            "model": self._model,
            "messages": [
                {"role": message.role, "content": well_formed(message.content)} for message in messages
            ],
        }
        if schema is not None:
            fixed["response_format"] = _response_format(schema)
        optional = self._optional
        while True:
            try:
                answer = yield {**fixed, **optional}
            except openai.OpenAIError as error:
                refused = refused_parameter(error, frozenset(optional))
                if refused is None:
                    raise translate(error, self._name, format_asked=schema is not None) from error
                optional = _without(optional, refused)
            except ValueError as error:  # a body that is not JSON
                raise not_this_protocol(self._name) from error
            else:
                # Kept only now: a server that refuses everything tells nothing about a parameter.
                self._optional = optional
                return answer


def _response_format(schema: ReplySchema) -> dict[str, Any]:
    if schema.mode == "json_object":
        return {"type": "json_object"}
    name = _NOT_IN_A_NAME.sub("_", schema.name)[:64] or "reply"
    return {
        "type": "json_schema",
        "json_schema": {"name": name, "schema": dict(schema.json_schema), "strict": True},
    }


def _without(optional: Mapping[str, Any], refused: str) -> Mapping[str, Any]:
    """The optional parameters less one. The cap has two names: older servers know only the first."""
    kept = {key: value for key, value in optional.items() if key != refused}
    if refused == "max_tokens":
        kept["max_completion_tokens"] = optional[refused]
    return kept


def _count(usage: Any, name: str) -> int:
    """A token count; servers send what they like."""
    value = getattr(usage, name, None)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0


def _reply(answer: Any, endpoint: str) -> ChatReply:
    choices = getattr(answer, "choices", None)
    if not choices:
        if getattr(answer, "error", None) is not None:  # gateways report failures behind them with HTTP 200
            raise ModelError(f"{endpoint} answered with an error; try again later", kind="unavailable")
        raise not_this_protocol(endpoint)
    message, usage = choices[0].message, answer.usage
    refused = bool(getattr(message, "refusal", None)) and not message.content
    return ChatReply(
        text=message.content or "",
        finish_reason="content_filter" if refused else choices[0].finish_reason or "stop",
        usage=Usage(
            calls=1,
            prompt_tokens=_count(usage, "prompt_tokens"),
            completion_tokens=_count(usage, "completion_tokens"),
        ),
    )
