"""A user's memories as LlamaIndex nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from llama_index.core.callbacks import CallbackManager
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from llama_index.core.vector_stores import MetadataFilters

from langmem_ext.adapters import checked_user
from langmem_ext.items import Filters, MemoryType, ScoredMemory
from llama_index_langmem_ext._filters import translated

if TYPE_CHECKING:
    from langmem_ext import UserMemory


class LongTermMemoryRetriever(BaseRetriever):
    """Finds the memories of one user: `retriever.retrieve("where do I live?")`.

    A node's text is the memory and its score the memory's. The metadata (id, type, similarity, dates,
    the caller's own fields) is kept out of what an LLM or an embedder sees.
    """

    def __init__(
        self,
        *,
        user: UserMemory,
        top_k: int = 5,
        min_similarity: float | None = None,
        filters: Filters | MetadataFilters | None = None,
        memory_type: MemoryType | None = None,
        callback_manager: CallbackManager | None = None,
    ) -> None:
        """Take the user's memory.

        Args:
            user: From `memory.for_user(...)`.
            top_k, min_similarity, memory_type: As in `UserMemory.search`.
            filters: As in `UserMemory.search`, or LlamaIndex's `MetadataFilters`: `== != > >= < <= in
                nin`, combined with "and", "or", "not".
            callback_manager: LlamaIndex's own.

        Raises:
            InvalidFilterError: another operator, such as "contains".
        """
        super().__init__(callback_manager=callback_manager)
        self._user = checked_user(user)
        self._arguments: dict[str, Any] = {
            "top_k": top_k,
            "min_similarity": min_similarity,
            "filters": translated(filters),
            "memory_type": memory_type,
        }

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [_node(hit) for hit in self._user.search(query_bundle.query_str, **self._arguments)]

    # Without this one, `aretrieve` would block the event loop.
    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [_node(hit) for hit in await self._user.asearch(query_bundle.query_str, **self._arguments)]


def _node(hit: ScoredMemory) -> NodeWithScore:
    item = hit.memory
    metadata = {
        **item.metadata,  # the caller's own fields; ours win
        "memory_id": item.memory_id,
        "memory_type": item.memory_type,
        "similarity": hit.similarity,
        "created_at": item.created_at.isoformat(),
        "updated_at": item.updated_at.isoformat(),
        "valid_from": item.valid_from.isoformat(),
        "valid_until": item.valid_until and item.valid_until.isoformat(),
    }
    node = TextNode(
        id_=item.memory_id,
        text=item.content,
        metadata=metadata,
        excluded_llm_metadata_keys=list(metadata),
        excluded_embed_metadata_keys=list(metadata),
    )
    return NodeWithScore(node=node, score=hit.score)
