from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.response_synthesizers import get_response_synthesizer
from llama_index.core.schema import MetadataMode
from llama_index.core.vector_stores import FilterCondition, FilterOperator, MetadataFilter, MetadataFilters

from langmem_ext import InvalidFilterError, LongTermMemory
from langmem_ext.testing import FakeEmbedder
from llama_index_langmem_ext import LongTermMemoryRetriever
from tests.integrations.helpers import make_memory
from tests.integrations.llama_index.models import SeenLLM


@pytest.fixture(autouse=True)
def _two_users(memory: LongTermMemory) -> None:
    ann, ben = memory.for_user("ann"), memory.for_user("ben")
    ann.remember("Ann likes green tea", metadata={"topic": "food"})
    ann.remember("Ann's tea ceremony is on Monday", metadata={"topic": "work"})
    ben.remember("Ben likes black tea", metadata={"topic": "food"})


def test_nodes_of_one_user(memory: LongTermMemory) -> None:
    nodes = LongTermMemoryRetriever(user=memory.for_user("ann")).retrieve("green tea")
    assert [hit.text[:3] for hit in nodes] == ["Ann", "Ann"]
    first = nodes[0]
    assert first.text == "Ann likes green tea"
    assert memory.for_user("ann").get(first.node_id).content == first.text
    assert first.metadata["topic"] == "food"
    assert first.metadata["memory_type"] == "semantic"
    assert 0 < first.metadata["similarity"] <= 1
    assert nodes[0].get_score() >= nodes[1].get_score() > 0


def test_a_model_sees_the_memory_and_not_its_metadata(memory: LongTermMemory) -> None:
    (hit, _) = LongTermMemoryRetriever(user=memory.for_user("ann")).retrieve("green tea")
    assert hit.node.get_content(MetadataMode.LLM) == "Ann likes green tea"
    assert hit.node.get_content(MetadataMode.EMBED) == "Ann likes green tea"


async def test_async_finds_the_same(memory: LongTermMemory) -> None:
    retriever = LongTermMemoryRetriever(user=memory.for_user("ann"))
    found, afound = retriever.retrieve("green tea"), await retriever.aretrieve("green tea")
    assert [hit.node_id for hit in found] == [hit.node_id for hit in afound]


async def test_async_leaves_the_loop_free(memory: LongTermMemory) -> None:
    class SlowEmbedder(FakeEmbedder):
        def embed_queries(self, texts: Any) -> list[list[float]]:
            time.sleep(0.3)
            return super().embed_queries(texts)

    with make_memory(embedder=SlowEmbedder()) as slow:
        slow.for_user("ann").remember("Ann likes tea")
        search = asyncio.create_task(LongTermMemoryRetriever(user=slow.for_user("ann")).aretrieve("tea"))
        ticks = 0
        while not search.done():
            await asyncio.sleep(0.01)
            ticks += 1
    assert ticks > 5


def test_limits_are_passed_on(memory: LongTermMemory) -> None:
    ann = memory.for_user("ann")
    assert len(LongTermMemoryRetriever(user=ann, top_k=1).retrieve("tea")) == 1
    (hit,) = LongTermMemoryRetriever(user=ann, filters={"topic": "work"}).retrieve("tea")
    assert hit.metadata["topic"] == "work"
    assert LongTermMemoryRetriever(user=ann, min_similarity=0.99).retrieve("Monday") == []
    assert LongTermMemoryRetriever(user=ann, memory_type="episodic").retrieve("tea") == []


def one(key: str, operator: str, value: Any) -> MetadataFilter:
    return MetadataFilter(key=key, operator=FilterOperator(operator), value=value)


def several(condition: str, *filters: MetadataFilter | MetadataFilters) -> MetadataFilters:
    return MetadataFilters(filters=list(filters), condition=FilterCondition(condition))


FILTERS: list[tuple[MetadataFilters, set[str]]] = [
    (several("and", one("year", "==", 2024)), {"b"}),
    (several("and", one("year", "!=", 2024)), {"a", "c"}),
    (several("and", one("year", ">", 2023)), {"b", "c"}),
    (several("and", one("year", ">=", 2024)), {"b", "c"}),
    (several("and", one("year", "<", 2024)), {"a"}),
    (several("and", one("year", "<=", 2024)), {"a", "b"}),
    (several("and", one("topic", "in", ["work", "food"])), {"a", "b", "c"}),
    (several("and", one("topic", "nin", ["work"])), {"b"}),
    (several("and", one("topic", "==", "work"), one("year", ">", 2023)), {"c"}),
    (several("or", one("topic", "==", "food"), one("year", "==", 2025)), {"b", "c"}),
    (several("not", one("topic", "==", "food"), one("year", "==", 2025)), {"a", "d"}),
    (several("not", several("or", one("topic", "==", "food"), one("year", "==", 2025))), {"a", "d"}),
    (several("and", one("topic", "==", "work"), several("not", one("year", "==", 2023))), {"c"}),
    (several("or", one("year", "==", 2023), several("and", one("topic", "==", "food"))), {"a", "b"}),
    (several("and"), {"a", "b", "c", "d"}),
    (several("and", one("year", "==", 2024), several("and")), {"b"}),
    (several("or", one("year", "==", 2024), several("and")), {"a", "b", "c", "d"}),
    (several("not"), {"a", "b", "c", "d"}),
    (MetadataFilters(filters=[one("year", "==", 2024)], condition=None), {"b"}),
    (MetadataFilters(filters=[one("year", "==", 1900)]), set()),
]


@pytest.mark.parametrize(("filters", "expected"), FILTERS)
async def test_metadata_filters(memory: LongTermMemory, filters: MetadataFilters, expected: set[str]) -> None:
    cat = memory.for_user("cat")
    for content, metadata in {
        "a": {"topic": "work", "year": 2023},
        "b": {"topic": "food", "year": 2024},
        "c": {"topic": "work", "year": 2025},
        "d": {},
    }.items():
        cat.remember(f"tea {content}", metadata=metadata)
    retriever = LongTermMemoryRetriever(user=cat, filters=filters)
    assert {hit.text[-1] for hit in retriever.retrieve("tea")} == expected
    assert {hit.text[-1] for hit in await retriever.aretrieve("tea")} == expected


KNOWN = {"==", "!=", ">", "<", ">=", "<=", "in", "nin"}


@pytest.mark.parametrize("operator", [op.value for op in FilterOperator if op.value not in KNOWN])
def test_an_operator_without_a_counterpart_is_named(memory: LongTermMemory, operator: str) -> None:
    filters = several("or", one("topic", "==", "a"), several("not", one("topic", operator, "a")))
    with pytest.raises(InvalidFilterError, match=f"topic.*'{operator}'.*'nin'"):
        LongTermMemoryRetriever(user=memory.for_user("ann"), filters=filters)


def test_a_filter_reaches_nobody_else(memory: LongTermMemory) -> None:
    filters = several("or", one("topic", "==", "food"), several("and"))
    nodes = LongTermMemoryRetriever(user=memory.for_user("ann"), filters=filters).retrieve("tea")
    assert {hit.text[:3] for hit in nodes} == {"Ann"}
    for key in ("user_id", "content"):
        with pytest.raises(InvalidFilterError, match=key):
            LongTermMemoryRetriever(
                user=memory.for_user("ann"), filters=several("and", one(key, "==", "ben"))
            ).retrieve("tea")


def test_it_serves_a_query_engine(memory: LongTermMemory) -> None:
    llm = SeenLLM(["Green tea."])
    engine = RetrieverQueryEngine(
        LongTermMemoryRetriever(user=memory.for_user("ann")), get_response_synthesizer(llm=llm)
    )
    assert str(engine.query("Which tea?")) == "Green tea."
    assert "Ann likes green tea" in str(llm.seen[0])
    assert "Ben" not in str(llm.seen[0])
