"""A user's memories as LangChain documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableConfig, ensure_config
from pydantic import ConfigDict, Field, PrivateAttr

from langchain_langmem_ext._users import CONFIGURED_PLACE, UserSource, configured
from langmem_ext.items import Filters, MemoryType, ScoredMemory

if TYPE_CHECKING:
    from langmem_ext import LongTermMemory, UserMemory


class LongTermMemoryRetriever(BaseRetriever):
    """Finds a user's memories: `retriever.invoke("where do I live?")`.

    Bound to one user (`user=memory.for_user("u-1001")`), or with `memory=memory` and the user named in
    each call: `retriever.invoke(query, config={"configurable": {"user_id": "u-1001"}})`.

    `k` and `filters` can also be given per call; a filter given there narrows the retriever's own.

    Attributes:
        k: Most documents to return.
        filters: As in `UserMemory.search`.
        memory_type: Only memories of this type.
        min_similarity: 0..1; weaker hits are left out.
    """

    model_config = ConfigDict(extra="forbid")

    k: int = Field(default=5, ge=1)
    filters: dict[str, Any] | None = None
    memory_type: MemoryType | None = None
    min_similarity: float | None = None
    _users: UserSource = PrivateAttr()

    def __init__(
        self, *, memory: LongTermMemory | None = None, user: UserMemory | None = None, **data: Any
    ) -> None:
        users = UserSource(memory, user)
        super().__init__(**data)
        self._users = users

    # LangChain hands no config to `_get_relevant_documents`, so the user is found one step earlier.
    def invoke(self, input: str, config: RunnableConfig | None = None, **kwargs: Any) -> list[Document]:
        """The documents for a query.

        Raises:
            InvalidUserError: no user is bound or named, or the two disagree.
        """
        return super().invoke(input, config, handle=self._find(config), **kwargs)

    async def ainvoke(
        self, input: str, config: RunnableConfig | None = None, **kwargs: Any
    ) -> list[Document]:
        """As `invoke`."""
        return await super().ainvoke(input, config, handle=self._find(config), **kwargs)

    def _find(self, config: RunnableConfig | None) -> UserMemory:
        return self._users.find({CONFIGURED_PLACE: configured(ensure_config(config))})

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,
        handle: UserMemory | None = None,
        k: int | None = None,
        filters: Filters | None = None,
    ) -> list[Document]:
        user = handle or self._users.find({CONFIGURED_PLACE: None})
        return [_document(hit) for hit in user.search(query, **self._arguments(k, filters))]

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,
        handle: UserMemory | None = None,
        k: int | None = None,
        filters: Filters | None = None,
    ) -> list[Document]:
        user = handle or self._users.find({CONFIGURED_PLACE: None})
        return [_document(hit) for hit in await user.asearch(query, **self._arguments(k, filters))]

    def _arguments(self, k: int | None, filters: Filters | None) -> dict[str, Any]:
        both: list[Mapping[str, Any]] = [given for given in (self.filters, filters) if given]
        return {
            "top_k": self.k if k is None else k,
            "filters": {"$and": both} if len(both) == 2 else next(iter(both), None),
            "memory_type": self.memory_type,
            "min_similarity": self.min_similarity,
        }


def _document(hit: ScoredMemory) -> Document:
    item = hit.memory
    valid_until = item.valid_until and item.valid_until.isoformat()
    return Document(
        id=item.memory_id,
        page_content=item.content,
        metadata={
            **item.metadata,  # the caller's own fields; ours win
            "memory_id": item.memory_id,
            "memory_type": item.memory_type,
            "score": hit.score,
            "similarity": hit.similarity,
            "created_at": item.created_at.isoformat(),
            "updated_at": item.updated_at.isoformat(),
            "valid_from": item.valid_from.isoformat(),
            "valid_until": valid_until,
        },
    )
