"""Long-term memory for LlamaIndex: chat engines, agents and retrieval.

Which one:
    `LongTermChatMemory` for everything that takes `memory=`: recalls, places the text, learns.
    `LongTermMemoryBlock` among the `memory_blocks` of LlamaIndex's own `Memory`.
    `LongTermMemoryRetriever` wherever LlamaIndex wants a retriever.
    `LlamaIndexChat` and `LlamaIndexEmbedder` make its LLMs and embedding models those of a memory.

    pip install "langmem-ext[llama-index]"
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from langmem_ext.adapters import lazy_names

if TYPE_CHECKING:
    from llama_index_langmem_ext.chat_memory import LongTermChatMemory as LongTermChatMemory
    from llama_index_langmem_ext.chat_model import LlamaIndexChat as LlamaIndexChat
    from llama_index_langmem_ext.embedder import LlamaIndexEmbedder as LlamaIndexEmbedder
    from llama_index_langmem_ext.memory_block import LongTermMemoryBlock as LongTermMemoryBlock
    from llama_index_langmem_ext.retriever import LongTermMemoryRetriever as LongTermMemoryRetriever

__all__ = [
    "LlamaIndexChat",
    "LlamaIndexEmbedder",
    "LongTermChatMemory",
    "LongTermMemoryBlock",
    "LongTermMemoryRetriever",
]

if not TYPE_CHECKING:  # a type checker would take it for "every name exists"
    __getattr__ = lazy_names(
        __name__,
        {
            "LlamaIndexChat": "chat_model",
            "LlamaIndexEmbedder": "embedder",
            "LongTermChatMemory": "chat_memory",
            "LongTermMemoryBlock": "memory_block",
            "LongTermMemoryRetriever": "retriever",
        },
        extra="llama-index",
        requirements={"llama_index": "llama-index-core>=0.14,<0.15"},
    )
