from __future__ import annotations

import asyncio
import gc
import socket
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import openai
import pytest

from langmem_ext.errors import InvalidInputError, ModelError, UnsupportedReplyFormatError
from langmem_ext.items import Usage
from langmem_ext.models import OpenAIChat
from langmem_ext.models.structured import StructuredChat
from langmem_ext.ports import ChatMessage, ChatModel, ReplySchema
from tests.support.openai_server import OpenAIServer, Reply

JSON_SCHEMA = {"type": "object", "properties": {"memories": {"type": "array"}}, "required": ["memories"]}
SCHEMA = ReplySchema("memories", JSON_SCHEMA)
SECRET = "I am allergic to penicillin"
PROMPT = [ChatMessage("system", "Reply as JSON."), ChatMessage("user", SECRET)]


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as running:
        yield running


def chat_with(server: OpenAIServer, **options: Any) -> OpenAIChat:
    return OpenAIChat("test-model", base_url=server.base_url, **{"max_retries": 0, **options})


def test_a_reply_and_its_usage(server: OpenAIServer) -> None:
    server.script(Reply("hello", prompt_tokens=7, completion_tokens=3))
    chat: ChatModel = chat_with(server)
    reply = chat.complete(PROMPT, None)
    assert (reply.text, reply.finish_reason, reply.usage) == ("hello", "stop", Usage(1, 7, 3))
    body = server.requests[0].body
    assert body["messages"] == [
        {"role": "system", "content": "Reply as JSON."},
        {"role": "user", "content": SECRET},
    ]
    assert body["model"] == "test-model"
    assert body["temperature"] == 0.0
    assert body.keys() == {"messages", "model", "temperature"}


def test_how_json_is_asked_for(server: OpenAIServer) -> None:
    server.default = "{}"
    chat = chat_with(server)
    chat.complete(PROMPT, ReplySchema("long-term memories!", JSON_SCHEMA))
    chat.complete(PROMPT, ReplySchema("memories", JSON_SCHEMA, mode="json_object"))
    first, second = (request.body["response_format"] for request in server.requests)
    assert first == {
        "type": "json_schema",
        "json_schema": {"name": "long-term_memories_", "schema": JSON_SCHEMA, "strict": True},
    }
    assert second == {"type": "json_object"}


@pytest.mark.parametrize(
    ("reply", "kind", "retryable"),
    [
        (Reply(status=401), "auth", False),
        (Reply(status=403), "auth", False),
        (Reply(status=429), "rate_limit", True),
        (Reply(status=429, error={"code": "insufficient_quota"}), "rate_limit", False),
        (Reply(status=500), "unavailable", True),
        (Reply(status=503), "unavailable", True),
        (Reply(status=408), "timeout", True),
        (Reply(status=400, error={"message": f"bad: {SECRET}"}), "bad_request", False),
        (Reply(status=404, error={"code": "model_not_found"}), "bad_request", False),
        (Reply(status=422, body=f'{{"detail": [{{"input": "{SECRET}"}}]}}'), "bad_request", False),
        (Reply(status=400, error={"code": "content_filter"}), "refused", False),
        (Reply(body="<html>a portal</html>", content_type="text/html"), "bad_reply", False),
        (Reply(body="{not json"), "bad_reply", False),
        (Reply(body="{}"), "bad_reply", False),
        (Reply(body='{"error": {"message": "upstream"}}'), "unavailable", True),
    ],
)
async def test_failures_have_a_kind_and_quote_nothing(
    server: OpenAIServer, reply: Reply, kind: str, retryable: bool
) -> None:
    server.script(reply, reply)
    chat = chat_with(server)
    with pytest.raises(ModelError, match="test-model at http://127") as caught:
        chat.complete(PROMPT, None)
    assert (caught.value.kind, caught.value.retryable) == (kind, retryable)
    assert SECRET not in str(caught.value)
    with pytest.raises(ModelError) as twin:
        await chat.acomplete(PROMPT, None)
    assert str(twin.value) == str(caught.value)


def test_the_original_error_is_the_cause(server: OpenAIServer) -> None:
    server.script(Reply(status=401))
    with pytest.raises(ModelError) as caught:
        chat_with(server).complete(PROMPT, None)
    assert isinstance(caught.value.__cause__, openai.AuthenticationError)


def test_a_slow_server_is_a_timeout(server: OpenAIServer) -> None:
    server.script(Reply("late", delay=1.0))
    with pytest.raises(ModelError) as caught:
        chat_with(server, timeout=0.2).complete(PROMPT, None)
    assert caught.value.kind == "timeout"


def test_no_server_is_unavailable() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
        with pytest.raises(ModelError) as caught:
            OpenAIChat("m", base_url=url, max_retries=0).complete(PROMPT, None)
    assert caught.value.kind == "unavailable"


def test_a_rate_limit_is_tried_again(server: OpenAIServer) -> None:
    server.script(Reply(status=429, headers={"retry-after-ms": "10"}), "hello")
    assert chat_with(server, max_retries=1).complete(PROMPT, None).text == "hello"
    assert len(server.requests) == 2


@pytest.mark.parametrize("mode", ["json_schema", "json_object"])
@pytest.mark.parametrize(
    "refusal",
    [
        Reply(status=400, error={"message": "unknown field"}),
        Reply(status=422),
        Reply(status=404, error={"message": "response_format is not available for this model"}),
        Reply(status=500, error={"message": "failed to parse grammar"}),
    ],
)
def test_a_refused_format_is_told_apart(server: OpenAIServer, mode: Any, refusal: Reply) -> None:
    server.script(refusal)
    with pytest.raises(UnsupportedReplyFormatError):
        chat_with(server).complete(PROMPT, ReplySchema("memories", JSON_SCHEMA, mode=mode))


@pytest.mark.parametrize(
    "reply",
    [
        Reply(status=400, error={"code": "context_length_exceeded"}),
        Reply(status=404, error={"code": "model_not_found"}),
        Reply(status=500),
        Reply(status=401),
    ],
)
def test_other_failures_are_not_about_the_format(server: OpenAIServer, reply: Reply) -> None:
    server.script(reply)
    with pytest.raises(ModelError) as caught:
        chat_with(server).complete(PROMPT, SCHEMA)
    assert not isinstance(caught.value, UnsupportedReplyFormatError)


@pytest.mark.parametrize(
    ("refuses", "formats"),
    [
        ((), ["json_schema"]),
        (("json_schema",), ["json_schema", "json_object"]),
        (("json_schema", "json_object"), ["json_schema", "json_object", None]),
    ],
)
def test_the_ladder_over_http(refuses: Sequence[str], formats: list[str | None]) -> None:
    with OpenAIServer(default='{"memories": []}', refuse_formats=refuses) as server:
        structured = StructuredChat(chat_with(server))
        assert structured.ask(PROMPT, SCHEMA, lambda value: value).value == {"memories": []}
        structured.ask(PROMPT, SCHEMA, lambda value: value)
    assert [request.response_format for request in server.requests] == [*formats, formats[-1]]


def test_a_refusal_and_a_cut_reply(server: OpenAIServer) -> None:
    server.script(
        Reply(None, refusal="I cannot help with that."), Reply("{", finish_reason="length"), Reply(None)
    )
    structured = StructuredChat(chat_with(server))
    kinds = [structured.ask(PROMPT, SCHEMA, lambda value: value).error for _ in range(3)]
    assert [error.kind if error else None for error in kinds] == ["refused", "truncated", "empty_reply"]


async def test_parameters_that_a_model_refuses_are_left_out() -> None:
    with OpenAIServer(default="hello", refuse_parameters=("temperature", "max_tokens")) as server:
        chat = chat_with(server, max_tokens=50)
        assert chat.complete(PROMPT, SCHEMA).text == "hello"
        assert len(server.requests) == 3
        assert (await chat.acomplete(PROMPT, SCHEMA)).text == "hello"
    assert len(server.requests) == 4  # remembered
    last = server.requests[-1].body
    assert "temperature" not in last and "max_tokens" not in last
    assert last["max_completion_tokens"] == 50
    assert last["response_format"]["type"] == "json_schema"


def test_temperature_none_is_not_sent(server: OpenAIServer) -> None:
    server.script("hello")
    chat_with(server, temperature=None).complete(PROMPT, None)
    assert "temperature" not in server.requests[0].body


def test_one_chat_serves_several_event_loops() -> None:
    """Two `asyncio.run`, and loops in other threads; nothing is left open (warnings are errors)."""
    with OpenAIServer(default="hello") as server:
        chat = chat_with(server)

        async def talk() -> list[str]:
            replies = await asyncio.gather(*(chat.acomplete(PROMPT, None) for _ in range(3)))
            return [reply.text for reply in (*replies, await chat.acomplete(PROMPT, None))]

        texts: list[str] = []
        for _ in range(3):
            texts += asyncio.run(talk())
        threads = [threading.Thread(target=lambda: texts.extend(asyncio.run(talk()))) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        gc.collect()
        assert texts == ["hello"] * 24
        assert not chat._async_clients._clients  # closed together with their loops


async def test_a_client_is_reused_within_a_loop_and_may_be_closed(server: OpenAIServer) -> None:
    server.default = "hello"
    chat = chat_with(server)
    first = await chat._async_clients.get()
    assert await chat._async_clients.get() is first
    await chat.aclose()
    assert first.is_closed()
    assert (await chat.acomplete(PROMPT, None)).text == "hello"


async def test_a_cancelled_call_stops(server: OpenAIServer) -> None:
    server.default = Reply("late", delay=2.0)
    structured = StructuredChat(chat_with(server))
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.2):
            await structured.aask(PROMPT, SCHEMA, lambda value: value)


def test_a_lone_surrogate_does_not_break_the_request(server: OpenAIServer) -> None:
    server.script("hello")
    assert chat_with(server).complete([ChatMessage("user", "a\ud800b")], None).text == "hello"


def test_a_missing_key_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(InvalidInputError, match="OPENAI_API_KEY"):
        OpenAIChat("m")
    with pytest.raises(InvalidInputError, match="timeout"):
        OpenAIChat("m", api_key="k", timeout=0)


def test_the_name_holds_no_password() -> None:
    chat = OpenAIChat("m", base_url="http://user:hunter2@127.0.0.1:9/v1")
    assert chat.name == "m at http://127.0.0.1:9/v1"
