"""Recall: hits, or a block for a prompt."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from langmem_ext.doors.door import Door, When
from langmem_ext.items import (
    Filters,
    MemoryType,
    RecalledContext,
    RecallResult,
    as_utc,
)
from langmem_ext.recall import RecallRequest
from langmem_ext.rendering import render_context


class RecallDoor(Door):
    """Finding memories."""

    def search(
        self,
        query: str,
        *,
        top_k: int = 5,
        min_similarity: float | None = None,
        filters: Filters | None = None,
        memory_type: MemoryType | None = None,
        as_of: When | None = None,
        relevant_only: bool = False,
    ) -> RecallResult:
        """This user's memories for a query, by meaning and by word, best first.

        Args:
            query: A question or a phrase. A blank one finds nothing.
            top_k: At most this many.
            min_similarity: Leaves out hits whose `similarity` is lower; 0..1, off by default.
            filters: Conditions on metadata and on the memory's fields, such as
                `{"topic": "work", "year": {"$gte": 2024}}`; `$and $or $not $eq $ne $gt $gte $lt $lte $in
                $nin`. A comparison holds only for rows that have the field.
            memory_type: Only this type.
            as_of: What was true at that time, as far as is known now.
            relevant_only: Nothing comes back where even the best hits have no more to do with the query
                than chance, measured for this embedder and this user; `.withheld` counts them. Off
                here. Users with fewer than 20 memories get their hits as they are.

        Raises:
            InvalidInputError: an argument that cannot be searched for.
            ModelError: the embedder is unavailable and no memory matches by word.
            StorageError: the store is unavailable.
        """
        return self._recall(
            "search", query, top_k, min_similarity, filters, memory_type, as_of, relevant_only
        )

    async def asearch(
        self,
        query: str,
        *,
        top_k: int = 5,
        min_similarity: float | None = None,
        filters: Filters | None = None,
        memory_type: MemoryType | None = None,
        as_of: When | None = None,
        relevant_only: bool = False,
    ) -> RecallResult:
        """As `search`."""
        return await asyncio.to_thread(
            self._recall,
            "search",
            query,
            top_k,
            min_similarity,
            filters,
            memory_type,
            as_of,
            relevant_only,
        )

    def context(
        self,
        query: str,
        *,
        max_tokens: int = 800,
        top_k: int = 10,
        min_similarity: float | None = None,
        filters: Filters | None = None,
        memory_type: MemoryType | None = None,
        as_of: When | None = None,
        relevant_only: bool = True,
    ) -> RecalledContext:
        """The memories for a query as a block for the system prompt; "" when there is nothing.

        Args:
            query: What the user just said.
            max_tokens: Limit of the whole block, counted by `count_tokens`.
            top_k: At most this many memories are looked at.
            min_similarity: As in `search`.
            filters: As in `search`.
            memory_type: As in `search`.
            as_of: As in `search`.
            relevant_only: As in `search`, but on: a prompt needs no lines that have nothing to do with
                the question.
        """
        found = self._recall(
            "context", query, top_k, min_similarity, filters, memory_type, as_of, relevant_only
        )
        block = render_context(
            found.memories,
            query=query,
            max_tokens=max_tokens,
            count_tokens=self._rooms.count_tokens,
            timezone=self._rooms.timezone,
            recall_id=found.recall_id,
            degraded=found.degraded,
        )
        return replace(block, withheld=found.withheld)

    async def acontext(
        self,
        query: str,
        *,
        max_tokens: int = 800,
        top_k: int = 10,
        min_similarity: float | None = None,
        filters: Filters | None = None,
        memory_type: MemoryType | None = None,
        as_of: When | None = None,
        relevant_only: bool = True,
    ) -> RecalledContext:
        """As `context`."""
        return await asyncio.to_thread(
            self.context,
            query,
            max_tokens=max_tokens,
            top_k=top_k,
            min_similarity=min_similarity,
            filters=filters,
            memory_type=memory_type,
            as_of=as_of,
            relevant_only=relevant_only,
        )

    def _recall(
        self,
        operation: str,
        query: str,
        top_k: int,
        min_similarity: float | None,
        filters: Filters | None,
        memory_type: MemoryType | None,
        as_of: When | None,
        relevant_only: bool,
    ) -> RecallResult:
        self._rooms.check_open()
        when = None if as_of is None else as_utc(as_of, "as_of")
        request = RecallRequest.checked(
            query, top_k, min_similarity, filters, memory_type, when, relevant_only
        )
        return self._rooms.recaller.recall(self._scope, request, operation)
