"""Nothing that is awaited holds up the event loop: blockbuster raises where something does."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import HumanMessage
from langchain_core.prompts import ChatPromptTemplate

from langchain_langmem_ext import (
    LangChainChat,
    LongTermChainMemory,
    LongTermMemoryLearner,
    LongTermMemoryMiddleware,
    LongTermMemoryRecall,
    LongTermMemoryRetriever,
    LongTermMemoryStore,
    memory_tools,
)
from langmem_ext import LongTermMemory
from langmem_ext.testing import FakeEmbedder
from tests.integrations.helpers import contents
from tests.integrations.langchain.models import answers, calls
from tests.support.memories import fact, reply

blockbuster = pytest.importorskip("blockbuster", reason="blocking calls are found with blockbuster")

LYON = reply(fact("The user lives in Lyon", "I live in Lyon"))
ANN: Any = {"configurable": {"user_id": "ann"}}
PROMPT = ChatPromptTemplate.from_messages([("system", "{memories}"), ("human", "{question}")])


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[LongTermMemory]:
    """On disk, with an LLM of LangChain's."""
    llm = LangChainChat(answers([LYON] * 20))
    with LongTermMemory(tmp_path, embedder=FakeEmbedder(), llm=llm) as opened:
        yield opened


@pytest.fixture(autouse=True)
def guard(memory: LongTermMemory, caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """A call that blocks raises, in our code and in what it calls. Our hooks catch that, and log it."""
    with blockbuster.blockbuster_ctx(["langmem_ext", "langchain_langmem_ext"]):
        yield
    assert "could not" not in caplog.text


async def test_the_guard_sees_a_blocking_call(memory: LongTermMemory) -> None:
    with pytest.raises(blockbuster.BlockingError):
        memory.for_user("ann").remember("The user likes tea")


@pytest.mark.parametrize("learn", ["now", "later"])
async def test_the_middleware(memory: LongTermMemory, learn: Any) -> None:
    middleware = LongTermMemoryMiddleware(memory=memory, learn=learn)
    agent: Any = create_agent(answers(["Noted."] * 3), [], middleware=[middleware])
    question = {"messages": [HumanMessage("I live in Lyon.")]}
    result = await agent.ainvoke(question, ANN)
    assert result["long_term_memory_error"] is None
    assert [part async for part in agent.astream(question, ANN, stream_mode="messages")]
    await memory.aflush(30)
    assert await asyncio.to_thread(contents, memory.for_user("ann")) == ["The user lives in Lyon"]


async def test_chains(memory: LongTermMemory) -> None:
    chain = LongTermMemoryLearner(
        LongTermMemoryRecall(memory=memory) | PROMPT | answers(["Noted.", "In Lyon."]), memory=memory
    )
    await chain.ainvoke({"question": "I live in Lyon."}, ANN)
    ben, cleo = memory.for_user("ben"), memory.for_user("cleo")
    for other in (ben, cleo):  # nothing of theirs is in RAM yet
        await other.aremember("The user lives in Lyon")
    recalled = await LongTermMemoryRecall(user=ben).ainvoke("Where do I live?")
    assert "Lyon" in recalled["memories"]
    assert (
        "Lyon" in (await LongTermChainMemory(user=cleo).aload_memory_variables({"input": "Lyon"}))["memories"]
    )
    assert [chunk async for chunk in chain.astream({"question": "Where do I live?"}, ANN)]
    adapter = LongTermChainMemory(user=memory.for_user("ann"))
    assert "Lyon" in (await adapter.aload_memory_variables({"input": "Where do I live?"}))["memories"]
    await adapter.asave_context({"input": "I live in Lyon."}, {"text": "Ok."})
    assert adapter.last_error is None


async def test_the_retriever(memory: LongTermMemory) -> None:
    await memory.for_user("ann").aremember("The user lives in Lyon")
    found = await LongTermMemoryRetriever(memory=memory).ainvoke("Lyon", ANN)
    assert [document.page_content for document in found] == ["The user lives in Lyon"]


async def test_the_store(memory: LongTermMemory) -> None:
    store = LongTermMemoryStore(memory=memory, user_at=0)
    await store.aput(("ann", "notes"), "a", {"text": "tea"}, ttl=5)
    assert await store.aget(("ann", "notes"), "a")
    assert await store.asearch(("ann",), query="tea")
    assert await store.alist_namespaces(prefix=("ann",)) == [("ann", "notes")]
    await store.adelete(("ann", "notes"), "a")


async def test_the_tools(memory: LongTermMemory) -> None:
    model = answers(
        [
            calls("remember", "1", content="The user likes tea"),
            calls("recall", "2", query="tea"),
            calls("forget", "3", request="forget that I like tea"),
            "Done.",
        ]
    )
    agent: Any = create_agent(model, memory_tools(memory=memory))
    result = await agent.ainvoke({"messages": [HumanMessage("Please forget that I like tea.")]}, ANN)
    assert [str(message.content)[:7] for message in result["messages"] if message.type == "tool"] == [
        "Remembe",
        "<long_t",
        "Deleted",
    ]
