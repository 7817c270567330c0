from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.runnables import RunnableConfig, RunnableLambda, RunnablePassthrough
from pydantic import ValidationError

from langchain_langmem_ext import LongTermChainMemory, LongTermMemoryMiddleware, LongTermMemoryRetriever
from langmem_ext import InvalidInputError, InvalidUserError, LongTermMemory
from langmem_ext.testing import ScriptedChatModel


def config(user_id: Any) -> RunnableConfig:
    return {"configurable": {"user_id": user_id}}


@pytest.fixture(autouse=True)
def _two_users(memory: LongTermMemory) -> None:
    ann, ben = memory.for_user("ann"), memory.for_user("ben")
    ann.remember("Ann likes green tea", metadata={"topic": "food"})
    ann.remember("Ann's tea ceremony is on Monday at work", metadata={"topic": "work", "floor": 3})
    ben.remember("Ben likes black tea", metadata={"topic": "food"})


def test_documents_of_a_bound_user(memory: LongTermMemory) -> None:
    documents = LongTermMemoryRetriever(user=memory.for_user("ann")).invoke("green tea")
    first = documents[0]
    assert [document.page_content[:3] for document in documents] == ["Ann", "Ann"]
    assert first.page_content == "Ann likes green tea"
    assert first.id == first.metadata["memory_id"] == memory.for_user("ann").get(str(first.id)).memory_id
    assert first.metadata["memory_type"] == "semantic"
    assert first.metadata["topic"] == "food"
    assert 0 < first.metadata["score"] <= 1
    assert 0 < first.metadata["similarity"] <= 1
    assert datetime.fromisoformat(first.metadata["created_at"]).tzinfo is not None
    assert first.metadata["valid_until"] is None


async def test_async_finds_the_same(memory: LongTermMemory) -> None:
    retriever = LongTermMemoryRetriever(user=memory.for_user("ann"))
    assert await retriever.ainvoke("green tea") == retriever.invoke("green tea")


async def test_each_run_names_its_user(memory: LongTermMemory) -> None:
    retriever = LongTermMemoryRetriever(memory=memory, k=1)
    assert [d.page_content for d in retriever.invoke("tea", config("ben"))] == ["Ben likes black tea"]
    assert [d.page_content for d in await retriever.ainvoke("tea", config("ben"))] == ["Ben likes black tea"]
    batch = retriever.batch(["green tea", "black tea"], [config("ann"), config("ben")])
    assert [d.page_content for (d,) in batch] == ["Ann likes green tea", "Ben likes black tea"]


async def test_the_user_reaches_it_through_a_chain(memory: LongTermMemory) -> None:
    chain = RunnablePassthrough.assign(
        memories=RunnableLambda(lambda inputs: inputs["question"])
        | LongTermMemoryRetriever(memory=memory, k=1)
    )
    question = {"question": "tea"}
    for result in (chain.invoke(question, config("ben")), await chain.ainvoke(question, config("ben"))):
        assert [d.page_content for d in result["memories"]] == ["Ben likes black tea"]
    with pytest.raises(InvalidUserError):
        chain.invoke(question)


def test_the_user_reaches_it_inside_a_function(memory: LongTermMemory) -> None:
    retriever = LongTermMemoryRetriever(memory=memory, k=1)
    step: RunnableLambda[str, list[Document]] = RunnableLambda(lambda question: retriever.invoke(question))
    assert [d.page_content for d in step.invoke("tea", config("ben"))] == ["Ben likes black tea"]


@pytest.mark.parametrize("given", [None, {}, {"configurable": {}}, {"configurable": {"thread_id": "t"}}])
async def test_a_run_without_a_user_is_refused(memory: LongTermMemory, given: Any) -> None:
    retriever = LongTermMemoryRetriever(memory=memory)
    with pytest.raises(ValueError, match=r"configurable.*user_id.* bind one with user=memory\.for_user"):
        retriever.invoke("tea", given)
    with pytest.raises(InvalidUserError, match="user_id"):
        await retriever.ainvoke("tea", given)


@pytest.mark.parametrize("user_id", ["", "  ", 42])
def test_a_user_id_is_a_non_blank_string(memory: LongTermMemory, user_id: Any) -> None:
    with pytest.raises(InvalidUserError):
        LongTermMemoryRetriever(memory=memory).invoke("tea", config(user_id))


def test_a_run_cannot_name_another_user_than_the_bound_one(memory: LongTermMemory) -> None:
    retriever = LongTermMemoryRetriever(user=memory.for_user("ann"))
    assert retriever.invoke("tea", config("ann"))
    with pytest.raises(InvalidUserError, match="'ben'.*'ann'"):
        retriever.invoke("tea", config("ben"))


async def test_filters_and_k_can_be_given_per_call_and_only_narrow(memory: LongTermMemory) -> None:
    retriever = LongTermMemoryRetriever(user=memory.for_user("ann"), filters={"topic": "work"})
    assert [d.metadata["topic"] for d in retriever.invoke("tea")] == ["work"]
    assert [d.metadata["topic"] for d in await retriever.ainvoke("tea", filters={"floor": 3})] == ["work"]
    assert retriever.invoke("tea", filters={"topic": "food"}) == []
    everything = LongTermMemoryRetriever(user=memory.for_user("ann"))
    assert len(everything.invoke("tea")) == 2
    assert len(everything.invoke("tea", k=1)) == 1


def test_weak_hits_can_be_left_out(memory: LongTermMemory) -> None:
    assert LongTermMemoryRetriever(user=memory.for_user("ann"), min_similarity=0.99).invoke("Monday") == []


def test_mistakes_are_told_when_it_is_made(memory: LongTermMemory) -> None:
    with pytest.raises(InvalidInputError, match=r"either user=.* or memory="):
        LongTermMemoryRetriever()
    with pytest.raises(InvalidInputError, match=r"either user=.* or memory="):
        LongTermMemoryRetriever(memory=memory, user=memory.for_user("ann"))
    with pytest.raises(ValidationError, match="top_k"):
        LongTermMemoryRetriever(memory=memory, top_k=3)
    with pytest.raises(ValidationError, match="k"):
        LongTermMemoryRetriever(memory=memory, k=0)


def test_an_unknown_keyword_of_a_call_is_an_error(memory: LongTermMemory) -> None:
    with pytest.raises(TypeError, match="filter"):
        LongTermMemoryRetriever(user=memory.for_user("ann")).invoke("tea", filter={"topic": "work"})


def test_retrieving_learns_nothing_and_asks_no_llm() -> None:
    from tests.integrations.helpers import make_memory

    llm = ScriptedChatModel()
    with make_memory(llm) as memory:
        user = memory.for_user("ann")
        user.remember("Ann likes tea")
        LongTermMemoryRetriever(user=user).invoke("I also like coffee and tea")
        assert [item.content for item in user.iter_memories()] == ["Ann likes tea"]
    assert llm.calls == []


@pytest.mark.parametrize("wrong", ["u1", 5, object()])
def test_what_is_no_memory_is_refused_at_once(wrong: Any) -> None:
    for part in ("user", "memory"):
        with pytest.raises(InvalidInputError, match=f"{part} must be"):
            LongTermMemoryRetriever(**{part: wrong})
        with pytest.raises(InvalidInputError, match=f"{part} must be"):
            LongTermMemoryMiddleware(**{part: wrong})
    with pytest.raises(InvalidInputError, match="user must be"):
        LongTermChainMemory(user=wrong)
