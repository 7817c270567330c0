"""Whatever door is used, a question has one answer."""

from __future__ import annotations

import pytest

from langchain_langmem_ext import LongTermChainMemory, LongTermMemoryRecall, memory_tools
from langchain_langmem_ext import LongTermMemoryRetriever as LangChainRetriever
from langmem_ext import LongTermMemory
from langmem_ext.testing import FakeEmbedder
from llama_index_langmem_ext import LongTermMemoryRetriever as LlamaIndexRetriever

QUERY = "green tea"
TEXTS = [
    "green tea",
    "tea",
    "green grass and tea",
    "a walk by the sea",
    "tea and a long walk by the sea at dawn",
]


@pytest.mark.parametrize("min_similarity", [None, 0.5, 0.8, 0.9, 1.0])
def test_a_threshold_means_the_same_everywhere(min_similarity: float | None) -> None:
    with LongTermMemory(embedder=FakeEmbedder()) as memory:
        user = memory.for_user("u1")
        user.remember_many(TEXTS)
        memory.for_user("u2").remember(QUERY)

        found = user.search(QUERY, top_k=10, min_similarity=min_similarity)
        block = user.context(QUERY, top_k=10, min_similarity=min_similarity)
        chained = LongTermChainMemory(user=user, top_k=10, min_similarity=min_similarity)
        documents = LangChainRetriever(user=user, k=10, min_similarity=min_similarity).invoke(QUERY)
        nodes = LlamaIndexRetriever(user=user, top_k=10, min_similarity=min_similarity).retrieve(QUERY)

        ids = {hit.memory_id for hit in found}
        assert ids == {hit.memory_id for hit in block.memories}
        assert ids == {document.id for document in documents}
        assert ids == {node.node_id for node in nodes}
        assert chained.load_memory_variables({"input": QUERY})["memories"] == block.text
        recall = LongTermMemoryRecall(user=user, top_k=10, min_similarity=min_similarity)
        assert recall.invoke(QUERY)["memories"] == block.text
        if min_similarity is None:
            (tool,) = (tool for tool in memory_tools(user=user) if tool.name == "recall")
            assert tool.invoke({"query": QUERY}) == block.text
        if min_similarity is not None:
            assert all(hit.similarity is not None and hit.similarity >= min_similarity for hit in found)
            assert 0 < len(ids) < len(TEXTS) or min_similarity == 0.5
