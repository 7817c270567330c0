"""Every engine and agent of LlamaIndex, and every way to ask it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from llama_index.core.agent.workflow import AgentWorkflow, FunctionAgent
from llama_index.core.chat_engine import CondensePlusContextChatEngine, ContextChatEngine, SimpleChatEngine
from llama_index.core.memory import BaseMemory
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from tests.integrations.llama_index.models import SeenLLM

Ask: TypeAlias = Callable[[str], Awaitable[str]]
Build: TypeAlias = Callable[[SeenLLM, BaseMemory, str], Any]


class Library(BaseRetriever):
    """The knowledge base of a context engine."""

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [NodeWithScore(node=TextNode(text="A page of the library."), score=1.0)]


def simple(llm: SeenLLM, chat: BaseMemory, prompt: str = "Be brief.") -> Any:
    return SimpleChatEngine.from_defaults(llm=llm, memory=chat, system_prompt=prompt)


def context(llm: SeenLLM, chat: BaseMemory, prompt: str = "Be brief.") -> Any:
    return ContextChatEngine.from_defaults(Library(), llm=llm, memory=chat, system_prompt=prompt)


def condensing(llm: SeenLLM, chat: BaseMemory, prompt: str = "Be brief.") -> Any:
    return CondensePlusContextChatEngine.from_defaults(
        Library(), llm=llm, memory=chat, system_prompt=prompt, skip_condense=True
    )


def weather(city: str) -> str:
    """The weather in a city."""
    return f"It rains in {city}. I live in the tool."


def function_agent(llm: SeenLLM, *, streaming: bool = False, name: str = "one") -> FunctionAgent:
    return FunctionAgent(
        name=name,
        description=name,
        tools=[weather],
        llm=llm,
        system_prompt="Be brief.",
        streaming=streaming,
    )


def agents(llm: SeenLLM, *, streaming: bool = False) -> dict[str, Any]:
    agent = function_agent(llm, streaming=streaming)
    return {"agent": agent, "workflow": AgentWorkflow(agents=[agent])}


async def ask(engine: Any, text: str) -> str:
    return str(engine.chat(text))


async def aask(engine: Any, text: str) -> str:
    return str(await engine.achat(text))


async def stream(engine: Any, text: str) -> str:
    return "".join(engine.stream_chat(text).response_gen)


async def astream(engine: Any, text: str) -> str:
    response = await engine.astream_chat(text)
    return "".join([token async for token in response.async_response_gen()])


ENGINES: dict[str, Build] = {"simple": simple, "context": context, "condensing": condensing}
DOORS: dict[str, Callable[[Any, str], Awaitable[str]]] = {
    "chat": ask,
    "achat": aask,
    "stream": stream,
    "astream": astream,
}
COMBINATIONS = [(engine, door) for engine in ENGINES for door in DOORS] + [
    (agent, door) for agent in ("agent", "workflow") for door in ("run", "stream")
]


def way(engine: str, door: str, llm: SeenLLM, chat: BaseMemory) -> Ask:
    """A function that asks this engine in this way."""
    if engine in ENGINES:
        built = ENGINES[engine](llm, chat, "Be brief.")
        return lambda text: DOORS[door](built, text)
    agent = agents(llm, streaming=door == "stream")[engine]

    async def run(text: str) -> str:
        handler = agent.run(text, memory=chat)
        if door == "stream":
            async for _ in handler.stream_events():
                pass
        return str(await handler)

    return run
