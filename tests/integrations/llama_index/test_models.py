"""LlamaIndex's LLMs behind the core's port."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from llama_index.core.base.llms.types import (
    ChatMessage,
    ChatResponse,
    CompletionResponse,
    LLMMetadata,
    MessageRole,
)
from llama_index.core.llms import CustomLLM
from pydantic import PrivateAttr

from langmem_ext import InvalidInputError, ModelError
from langmem_ext.errors import UnsupportedReplyFormatError
from langmem_ext.items import Usage
from langmem_ext.models.structured import StructuredChat
from langmem_ext.ports import ChatMessage as Asked
from langmem_ext.ports import ChatModel, ReplySchema
from llama_index_langmem_ext import LlamaIndexChat
from tests.integrations.helpers import contents
from tests.integrations.llama_index.models import SeenLLM
from tests.integrations.llama_index.vendor_errors import ERRORS, refused
from tests.support.memories import OpenMemory, fact, reply

FOUND = reply(fact("The user lives in Lyon", "I live in Lyon", key="residence.city"))
MESSAGES = [
    Asked("system", "Be brief."),
    Asked("user", "Hello"),
    Asked("assistant", "Hi"),
    Asked("user", "JSON"),
]
SCHEMA = ReplySchema("answer", {"type": "object", "properties": {"n": {"type": "integer"}}})


class Vendor(SeenLLM):
    """An LLM that gets arguments, and fails or tells more about its replies."""

    _raw: Any = PrivateAttr()
    _errors: list[Exception] = PrivateAttr()
    _arguments: list[dict[str, Any]] = PrivateAttr(default_factory=list)

    def __init__(self, replies: Sequence[str], raw: Any = None, errors: Sequence[Exception] = ()) -> None:
        super().__init__(replies)
        self._raw = raw
        self._errors = list(errors)

    @property
    def arguments(self) -> list[dict[str, Any]]:
        return self._arguments

    def chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        self._arguments.append(kwargs)
        if self._errors:
            raise self._errors.pop(0)
        response = self._next(messages)
        response.raw = self._raw
        return response

    async def achat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        return self.chat(messages, **kwargs)


class TextOnly(CustomLLM):
    """Completes text, and blocks while it does."""

    _replies: list[str] = PrivateAttr()
    _prompts: list[str] = PrivateAttr(default_factory=list)
    _threads: list[int] = PrivateAttr(default_factory=list)

    def __init__(self, replies: Sequence[str]) -> None:
        super().__init__()
        self._replies = list(replies)

    @property
    def prompts(self) -> list[str]:
        return self._prompts

    @property
    def threads(self) -> list[int]:
        return self._threads

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(is_chat_model=False, model_name="text-only")

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        assert formatted
        self._prompts.append(prompt)
        self._threads.append(threading.get_ident())
        return CompletionResponse(text=self._replies.pop(0), raw={"done_reason": "length"})

    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        raise NotImplementedError


class NoChat(TextOnly):
    """Has an asynchronous way of its own, and no chat."""

    def __init__(self, replies: Sequence[str]) -> None:
        super().__init__(replies)

    def chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        raise NotImplementedError

    async def achat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        raise NotImplementedError

    async def acomplete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        await asyncio.sleep(0)
        return self.complete(prompt, formatted=formatted)


async def both(model: LlamaIndexChat, schema: ReplySchema | None = None) -> list[Any]:
    """What the two doors answer."""
    return [model.complete(MESSAGES, schema), await model.acomplete(MESSAGES, schema)]


async def test_a_conversation_is_learned_with_any_llm(open_memory: OpenMemory) -> None:
    llm = SeenLLM([FOUND, FOUND])
    memory = open_memory(llm=LlamaIndexChat(llm))
    assert memory.for_user("ann").add("I live in Lyon.").status == "learned"
    assert (await memory.for_user("ben").aadd("I live in Lyon.")).status == "learned"
    assert contents(memory.for_user("ann")) == ["The user lives in Lyon"]
    assert [message.role.value for message in llm.seen[0]] == ["system", "user"]


@pytest.mark.parametrize("kind", [TextOnly, NoChat])
async def test_an_llm_that_only_completes_text(open_memory: OpenMemory, kind: type[TextOnly]) -> None:
    llm = kind([f"Here it is:\n```json\n{FOUND}\n```"] * 2)
    answers = await both(LlamaIndexChat(llm))
    assert [answer.finish_reason for answer in answers] == ["length"] * 2
    assert llm.prompts[0] == llm.prompts[1]
    assert llm.prompts[0].startswith("system: Be brief.\nuser: Hello\nassistant: Hi\nuser: JSON")


async def test_an_llm_that_blocks_does_so_in_a_thread() -> None:
    blocking, free = TextOnly(["{}"]), NoChat(["{}"])
    await LlamaIndexChat(blocking).acomplete(MESSAGES, None)
    await LlamaIndexChat(free).acomplete(MESSAGES, None)
    assert blocking.threads != [threading.get_ident()]
    assert free.threads == [threading.get_ident()]


async def test_roles_and_words_arrive() -> None:
    llm = Vendor(["{}"] * 2)
    await both(LlamaIndexChat(llm, options={"temperature": 0}))
    assert llm.seen[0] == llm.seen[1]
    assert [(message.role, message.content) for message in llm.seen[0]] == [
        (MessageRole.SYSTEM, "Be brief."),
        (MessageRole.USER, "Hello"),
        (MessageRole.ASSISTANT, "Hi"),
        (MessageRole.USER, "JSON"),
    ]
    assert llm.arguments == [{"temperature": 0}] * 2


def openai_like(kind: str, **usage: int) -> Any:
    return SimpleNamespace(choices=[SimpleNamespace(finish_reason=kind)], usage=SimpleNamespace(**usage))


RAW: list[tuple[Any, str, Usage]] = [
    (None, "stop", Usage(calls=1)),
    (openai_like("stop", prompt_tokens=7, completion_tokens=3), "stop", Usage(1, 7, 3)),
    (openai_like("length", prompt_tokens=7, completion_tokens=3), "length", Usage(1, 7, 3)),
    (openai_like("content_filter"), "content_filter", Usage(calls=1)),
    ({"choices": [{"finish_reason": "length"}], "usage": {"prompt_tokens": 7}}, "length", Usage(1, 7, 0)),
    (
        {"stop_reason": "max_tokens", "usage": {"input_tokens": 7, "output_tokens": 3}},
        "length",
        Usage(1, 7, 3),
    ),
    ({"done_reason": "length", "prompt_eval_count": 7, "eval_count": 3}, "length", Usage(1, 7, 3)),
    ({"candidates": [{"finish_reason": "MAX_TOKENS"}]}, "length", Usage(calls=1)),
    ({"candidates": [{"finish_reason": "SAFETY"}]}, "content_filter", Usage(calls=1)),
    ("something", "stop", Usage(calls=1)),
]


@pytest.mark.parametrize(("raw", "finish_reason", "usage"), RAW)
async def test_why_it_stopped_and_what_it_cost(raw: Any, finish_reason: str, usage: Usage) -> None:
    for answer in await both(LlamaIndexChat(Vendor(["{}"] * 2, raw))):
        assert (answer.text, answer.finish_reason, answer.usage) == ("{}", finish_reason, usage)


def test_a_reply_that_was_cut_teaches_nothing(open_memory: OpenMemory) -> None:
    memory = open_memory(llm=LlamaIndexChat(Vendor([FOUND[:-3]], openai_like("length"))))
    result = memory.for_user("ann").add("I live in Lyon.")
    assert result.error is not None and result.error.kind == "truncated"


@pytest.mark.parametrize(("error", "kind"), ERRORS)
async def test_failures_have_their_kind_and_quote_nobody(error: Exception, kind: str) -> None:
    model = LlamaIndexChat(Vendor([], errors=[error, error]))
    with pytest.raises(ModelError) as caught:
        model.complete(MESSAGES, None)
    with pytest.raises(ModelError) as acaught:
        await model.acomplete(MESSAGES, None)
    for found in (caught.value, acaught.value):
        assert found.kind == kind
        assert "Lyon" not in str(found)


async def test_json_is_asked_for_as_strictly_as_the_server_allows() -> None:
    llm = Vendor(['{"n": 1}'] * 3, errors=[refused(400), TypeError("unexpected argument")])
    chat = StructuredChat(LlamaIndexChat(llm, response_format=True))
    assert chat.ask(MESSAGES, SCHEMA, lambda value: value).value == {"n": 1}
    assert (await chat.aask(MESSAGES, SCHEMA, lambda value: value)).value == {"n": 1}
    formats = [arguments.get("response_format", {}).get("type") for arguments in llm.arguments]
    assert formats == ["json_schema", "json_object", None, None]
    assert llm.arguments[0]["response_format"]["json_schema"]["schema"] == SCHEMA.json_schema


def test_an_unknown_llm_is_asked_in_words_only() -> None:
    llm = Vendor(['{"n": 1}'])
    assert StructuredChat(LlamaIndexChat(llm)).ask(MESSAGES, SCHEMA, lambda value: value).value == {"n": 1}
    assert llm.arguments == [{}]


def test_a_refusal_without_a_format_asked_is_no_matter_of_formats() -> None:
    with pytest.raises(ModelError) as caught:
        LlamaIndexChat(Vendor([], errors=[refused(400)]), response_format=True).complete(MESSAGES, None)
    assert not isinstance(caught.value, UnsupportedReplyFormatError)


def test_the_openai_classes_take_a_format() -> None:
    base = type("OpenAI", (Vendor,), {"__module__": "llama_index.llms.openai.base"})
    llm = type("OpenAILike", (base,), {})(['{"n": 1}'])
    LlamaIndexChat(llm).complete(MESSAGES, SCHEMA)
    assert llm.arguments[0]["response_format"]["type"] == "json_schema"


def test_names() -> None:
    assert LlamaIndexChat(TextOnly([])).name == "custom_llm(text-only)"
    assert LlamaIndexChat(TextOnly([]), name="mine").name == "mine"
    assert isinstance(LlamaIndexChat(TextOnly([])), ChatModel)
    with pytest.raises(InvalidInputError, match="llm must be"):
        LlamaIndexChat("gpt")  # type: ignore[arg-type]
