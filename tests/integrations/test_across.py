"""One store under both frameworks: what one of them learned the other recalls, and nobody else does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.embeddings import Embeddings
from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.embeddings import BaseEmbedding
from pydantic import PrivateAttr

from langchain_langmem_ext import LangChainEmbedder, LongTermChainMemory, LongTermMemoryMiddleware
from langchain_langmem_ext import LongTermMemoryRetriever as LangChainRetriever
from langmem_ext import LongTermMemory
from langmem_ext.testing import FakeEmbedder
from llama_index_langmem_ext import LlamaIndexEmbedder, LongTermChatMemory, LongTermMemoryBlock
from llama_index_langmem_ext import LongTermMemoryRetriever as LlamaIndexRetriever
from tests.integrations.helpers import BLOCK, contents
from tests.integrations.langchain.models import answers
from tests.integrations.llama_index.engines import agents, simple
from tests.integrations.llama_index.models import SeenLLM
from tests.support.memories import OpenMemory

# LlamaIndex's agents use what Pydantic and LlamaIndex's own workflows have deprecated.
pytestmark = [
    pytest.mark.filterwarnings("ignore::pydantic.warnings.PydanticDeprecationWarning"),
    pytest.mark.filterwarnings("ignore:is_running called from within a step:DeprecationWarning"),
]

QUESTION = "Where do I live and what do I like?"
PEOPLE = {"ann": ("Lyon", "tea"), "ben": ("Nantes", "coffee")}
LEARNED = {
    name: [f"The user lives in {city}.", f"The user likes {it}."] for name, (city, it) in PEOPLE.items()
}


def langchain_agent(model: Any, memory: LongTermMemory) -> Any:
    return create_agent(model, middleware=[LongTermMemoryMiddleware(memory=memory)])


def learn_with_langchain(memory: LongTermMemory) -> None:
    agent = langchain_agent(answers(["Noted."] * 2), memory)
    for name, (city, drink) in PEOPLE.items():
        agent.invoke(
            {"messages": [("user", f"I live in {city}.")]}, config={"configurable": {"user_id": name}}
        )
        chain = LongTermChainMemory(user=memory.for_user(name))
        chain.save_context({"input": f"I like {drink}."}, {"output": "Noted."})


async def learn_with_llama_index(memory: LongTermMemory) -> None:
    for name, (city, drink) in PEOPLE.items():
        chat = LongTermChatMemory.from_defaults(user=memory.for_user(name))
        await agents(SeenLLM(["Noted."]))["agent"].run(f"I live in {city}.", memory=chat)
        block = LongTermMemoryBlock(user=memory.for_user(name), learn="now")
        await block.aput(
            [
                ChatMessage(role=MessageRole.USER, content=f"I like {drink}."),
                ChatMessage(role=MessageRole.ASSISTANT, content="Noted."),
            ]
        )


def ask_langchain(memory: LongTermMemory, name: str) -> dict[str, str]:
    """What each way of asking shows."""
    model = answers(["You know it."])
    agent = langchain_agent(model, memory)
    agent.invoke({"messages": [("user", QUESTION)]}, config={"configurable": {"user_id": name}})
    user = memory.for_user(name)
    documents = LangChainRetriever(user=user).invoke(QUESTION)
    return {
        "middleware": str(model.seen[0]),
        "chain": LongTermChainMemory(user=user).load_memory_variables({"input": QUESTION})["memories"],
        "retriever": BLOCK + "\n".join(document.page_content for document in documents),
    }


def ask_llama_index(memory: LongTermMemory, name: str) -> dict[str, str]:
    """What each way of asking shows."""
    llm = SeenLLM(["You know it."])
    user = memory.for_user(name)
    simple(llm, LongTermChatMemory.from_defaults(user=user, learn="off")).chat(QUESTION)
    nodes = LlamaIndexRetriever(user=user).retrieve(QUESTION)
    return {
        "chat": str(llm.seen[0]),
        "retriever": BLOCK + "\n".join(node.text for node in nodes),
    }


def check(shown: dict[str, str], name: str) -> None:
    own = PEOPLE[name]
    others = [word for other, words in PEOPLE.items() if other != name for word in words]
    for way, text in shown.items():
        assert text.count(BLOCK) == 1, way
        assert f"lives in {own[0]}" in text and f"likes {own[1]}" in text, way
        assert not [word for word in others if word in text], way


@pytest.fixture(params=["open", "reopened"])
def reopen(request: pytest.FixtureRequest, open_memory: OpenMemory, tmp_path: Path) -> Any:
    """The store in a directory, and the same one or another opening of it."""
    memory = open_memory(tmp_path / "db")

    def again() -> LongTermMemory:
        if request.param == "open":
            return memory
        memory.close()
        return open_memory(tmp_path / "db")

    return memory, again


def test_llama_index_recalls_what_langchain_learned(reopen: Any) -> None:
    memory, again = reopen
    learn_with_langchain(memory)
    memory = again()
    for name in PEOPLE:
        assert contents(memory.for_user(name)) == LEARNED[name]
        check(ask_llama_index(memory, name), name)


async def test_langchain_recalls_what_llama_index_learned(reopen: Any) -> None:
    memory, again = reopen
    await learn_with_llama_index(memory)
    memory = again()
    for name in PEOPLE:
        assert contents(memory.for_user(name)) == LEARNED[name]
        check(ask_langchain(memory, name), name)


def test_a_fact_that_changes_in_one_changes_in_the_other(memory: LongTermMemory) -> None:
    user = memory.for_user("ann")
    LongTermChainMemory(user=user).save_context({"input": "I live in Lyon."}, {"output": "Noted."})
    chat = LongTermChatMemory.from_defaults(user=user)
    simple(SeenLLM(["Noted."]), chat).chat("I live in Nantes.")
    assert contents(user) == ["The user lives in Nantes."]
    LongTermChainMemory(user=user).save_context({"input": "I live in Paris."}, {"output": "Noted."})
    llm = SeenLLM(["In Paris."])
    simple(llm, chat).chat("Where do I live?")
    (shown,) = [str(m.content) for m in llm.seen[0] if BLOCK in str(m.content)]
    assert "Paris" in shown and "Lyon" not in shown and "Nantes" not in shown


class LangChainVectors(Embeddings):
    """A model behind LangChain."""

    model = "one-model"

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return FakeEmbedder(dim=64).embed_documents(texts)

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


class LlamaIndexVectors(BaseEmbedding):
    """The same model behind LlamaIndex."""

    _fake: FakeEmbedder = PrivateAttr(default_factory=lambda: FakeEmbedder(dim=64))

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._fake.embed_documents([query])[0]

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_query_embedding(text)


def test_one_embedding_model_behind_both_is_one_vector_space(open_memory: OpenMemory, tmp_path: Path) -> None:
    with open_memory(tmp_path / "db", embedder=LangChainEmbedder(LangChainVectors())) as memory:
        memory.for_user("ann").remember("The user likes tea")
    embedder = LlamaIndexEmbedder(LlamaIndexVectors(model_name="one-model"))
    with open_memory(tmp_path / "db", embedder=embedder) as memory:
        (found,) = memory.for_user("ann").search("likes tea", min_similarity=0.8)
        assert found.content == "The user likes tea"
