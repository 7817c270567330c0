"""LangChain's own classes for OpenAI, against a server that speaks the protocol."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import pytest
from langchain.agents import create_agent
from langchain_core.messages import HumanMessage

from langchain_langmem_ext import LangChainChat, LangChainEmbedder, LongTermMemoryMiddleware
from langmem_ext import LongTermMemory
from langmem_ext.testing import FakeEmbedder
from tests.integrations.helpers import contents
from tests.integrations.langchain.models import answers
from tests.support.memories import fact, reply
from tests.support.openai_server import OpenAIServer, Reply

langchain_openai = pytest.importorskip(
    "langchain_openai", reason="no langchain-openai for this langchain-core", exc_type=ImportError
)

LYON = reply(fact("The user lives in Lyon", "I live in Lyon"))
SAID = "I live in Lyon."


@pytest.fixture
async def clients() -> AsyncIterator[dict[str, Any]]:
    """Connections of the test's own; LangChain's are never closed."""
    with httpx.Client() as client:
        async with httpx.AsyncClient() as async_client:
            yield {"http_client": client, "http_async_client": async_client}


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as running:
        yield running


def options_for(server: OpenAIServer, clients: dict[str, Any]) -> dict[str, Any]:
    return {"base_url": server.base_url, "api_key": "test", "max_retries": 0, **clients}


def memory_with(server: OpenAIServer, clients: dict[str, Any], **options: Any) -> LongTermMemory:
    chat = langchain_openai.ChatOpenAI(model="test-model", **options_for(server, clients), **options)
    return LongTermMemory(llm=LangChainChat(chat), embedder=FakeEmbedder())


@pytest.mark.parametrize("streaming", [False, True])
async def test_json_is_asked_for_as_the_server_knows_it(
    server: OpenAIServer, clients: dict[str, Any], streaming: bool
) -> None:
    server.script(LYON, LYON)
    with memory_with(server, clients, streaming=streaming) as memory:
        assert memory.for_user("ann").add(SAID).status == "learned"
        result = await memory.for_user("ben").aadd(SAID)
        assert result.status == "learned"
        assert result.usage.calls == 1
        assert result.usage.prompt_tokens == (0 if streaming else 10)  # this server streams no usage
    assert [request.response_format for request in server.chat_requests] == ["json_schema", "json_schema"]


def test_a_server_that_refuses_a_format_is_asked_in_another(
    server: OpenAIServer, clients: dict[str, Any]
) -> None:
    refusal = Reply(status=400, error={"message": "unknown response_format", "code": "x"})
    server.script(refusal, refusal, LYON, reply())
    with memory_with(server, clients) as memory:
        user = memory.for_user("ann")
        assert user.add(SAID).status == "learned"
        assert user.add("I like green tea a lot.").status == "nothing"
    assert [request.response_format for request in server.chat_requests] == [
        "json_schema",
        "json_object",
        None,
        None,
    ]


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (Reply(status=401), "auth"),
        (Reply(status=429), "rate_limit"),
        (Reply(status=503), "unavailable"),
        (Reply(LYON[:-20], finish_reason="length"), "truncated"),
        (Reply(None, refusal="I cannot"), "refused"),
        (Reply("", finish_reason="content_filter"), "refused"),
        (Reply(""), "empty_reply"),
    ],
)
def test_failures_have_their_kind(
    server: OpenAIServer, clients: dict[str, Any], answer: Reply, kind: str
) -> None:
    server.script(answer)
    with memory_with(server, clients) as memory:
        result = memory.for_user("ann").add(SAID)
        assert result.error is not None
        assert result.error.kind == kind
        assert contents(memory.for_user("ann")) == []


def test_a_server_that_is_gone(clients: dict[str, Any]) -> None:
    with OpenAIServer() as gone:
        memory = memory_with(gone, clients)
    with memory:
        result = memory.for_user("ann").add(SAID)
        assert result.error is not None
        assert result.error.kind in ("unavailable", "timeout")


def test_its_embeddings_are_an_embedder(server: OpenAIServer, clients: dict[str, Any]) -> None:
    embeddings = langchain_openai.OpenAIEmbeddings(
        model="test-embedding", check_embedding_ctx_length=False, **options_for(server, clients)
    )
    embedder = LangChainEmbedder(embeddings)
    with LongTermMemory(embedder=embedder) as memory:
        user = memory.for_user("ann")
        user.remember_many(["The user likes green tea", "The user lives in Lyon"])
        hit = user.search("green tea", top_k=1)[0]
        assert hit.content == "The user likes green tea"
        assert hit.similarity is not None
    assert embedder.fingerprint.model == "test-embedding"
    assert {request.path for request in server.requests} == {"/v1/embeddings"}


async def test_a_streaming_model_stays_out_of_the_users_stream(
    server: OpenAIServer, clients: dict[str, Any]
) -> None:
    server.script(LYON)
    with memory_with(server, clients, streaming=True) as memory:
        middleware = LongTermMemoryMiddleware(memory=memory)
        agent: Any = create_agent(answers(["Noted and kept."]), [], middleware=[middleware])
        config: Any = {"configurable": {"user_id": "ann"}}
        question = {"messages": [HumanMessage(SAID)]}
        parts = [part async for part in agent.astream(question, config, stream_mode="messages")]
        assert "".join(str(message.text) for message, _ in parts) == "Noted and kept."
        assert contents(memory.for_user("ann")) == ["The user lives in Lyon"]
