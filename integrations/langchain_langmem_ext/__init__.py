"""Long-term memory for LangChain: agents, chains and retrieval.

Which one:
    `LongTermMemoryMiddleware` for agents made with `create_agent`: recalls, injects and learns.
    `LongTermMemoryRetriever` wherever LangChain wants documents, in LCEL for example.
    `LongTermChainMemory` for classic chains that take `memory=`.

    pip install "langmem-ext[langchain]"
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from langmem_ext.adapters import lazy_names

if TYPE_CHECKING:
    from langchain_langmem_ext.chain_memory import LongTermChainMemory as LongTermChainMemory
    from langchain_langmem_ext.middleware import LongTermMemoryMiddleware as LongTermMemoryMiddleware
    from langchain_langmem_ext.retriever import LongTermMemoryRetriever as LongTermMemoryRetriever

__all__ = ["LongTermChainMemory", "LongTermMemoryMiddleware", "LongTermMemoryRetriever"]

if not TYPE_CHECKING:  # a type checker would take it for "every name exists"
    __getattr__ = lazy_names(
        __name__,
        {
            "LongTermChainMemory": "chain_memory",
            "LongTermMemoryMiddleware": "middleware",
            "LongTermMemoryRetriever": "retriever",
        },
        extra="langchain",
        requirements={
            "langchain": "langchain>=1.3,<2",
            "langchain_classic": "langchain-classic>=1.0,<2",
            "langchain_core": "langchain-core>=1.4,<2",
            "langgraph": "langgraph>=1.2,<2",
        },
    )
