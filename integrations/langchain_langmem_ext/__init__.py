"""Long-term memory for LangChain: agents, chains and retrieval.

Which one:
    `LongTermMemoryMiddleware` for agents made with `create_agent`: recalls, injects and learns.
    `LongTermMemoryRecall` and `LongTermMemoryLearner` for chains in LCEL: one recalls, one learns.
    `LongTermMemoryRetriever` wherever LangChain wants documents.
    `LongTermChainMemory` for classic chains that take `memory=`.
    `memory_tools`: tools with which a model remembers, recalls and forgets.
    `LongTermMemoryStore` for what wants a LangGraph store; `namespace_label` for user ids in it.
    `LangChainChat` and `LangChainEmbedder` make LangChain's models those of a memory.

    pip install "langmem-ext[langchain]"
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from langmem_ext.adapters import lazy_names

if TYPE_CHECKING:
    from langchain_langmem_ext._namespaces import namespace_label as namespace_label
    from langchain_langmem_ext.chain_memory import LongTermChainMemory as LongTermChainMemory
    from langchain_langmem_ext.chat_model import LangChainChat as LangChainChat
    from langchain_langmem_ext.embedder import LangChainEmbedder as LangChainEmbedder
    from langchain_langmem_ext.middleware import LongTermMemoryMiddleware as LongTermMemoryMiddleware
    from langchain_langmem_ext.retriever import LongTermMemoryRetriever as LongTermMemoryRetriever
    from langchain_langmem_ext.runnables import LongTermMemoryLearner as LongTermMemoryLearner
    from langchain_langmem_ext.runnables import LongTermMemoryRecall as LongTermMemoryRecall
    from langchain_langmem_ext.store import LongTermMemoryStore as LongTermMemoryStore
    from langchain_langmem_ext.tools import memory_tools as memory_tools

__all__ = [
    "LangChainChat",
    "LangChainEmbedder",
    "LongTermChainMemory",
    "LongTermMemoryLearner",
    "LongTermMemoryMiddleware",
    "LongTermMemoryRecall",
    "LongTermMemoryRetriever",
    "LongTermMemoryStore",
    "memory_tools",
    "namespace_label",
]

if not TYPE_CHECKING:  # a type checker would take it for "every name exists"
    __getattr__ = lazy_names(
        __name__,
        {
            "LangChainChat": "chat_model",
            "LangChainEmbedder": "embedder",
            "LongTermChainMemory": "chain_memory",
            "LongTermMemoryLearner": "runnables",
            "LongTermMemoryMiddleware": "middleware",
            "LongTermMemoryRecall": "runnables",
            "LongTermMemoryRetriever": "retriever",
            "LongTermMemoryStore": "store",
            "memory_tools": "tools",
            "namespace_label": "_namespaces",
        },
        extra="langchain",
        requirements={
            "langchain": "langchain>=1.3,<2",
            "langchain_classic": "langchain-classic>=1.0,<2",
            "langchain_core": "langchain-core>=1.4,<2",
            "langgraph": "langgraph>=1.2,<2",
        },
    )
