"""The door of one user: every operation is bound to a scope that can not be left out.

Sync and async doors run the same steps: a blocking part, and for changes a part on the user's
strand. They differ only in how they wait.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Any, TextIO, TypeVar

from langmem_ext.background import Workers
from langmem_ext.change import Change
from langmem_ext.edits import Edits, NewMemory, new_memories
from langmem_ext.embedding import CheckedEmbedder
from langmem_ext.extraction.candidate import Extraction, Extractor
from langmem_ext.forgetting import Forgetting
from langmem_ext.items import (
    UNCHANGED,
    AddResult,
    Filters,
    ForgetAnswer,
    HistoryEvent,
    MemoryItem,
    MemoryType,
    Metadata,
    Page,
    RecalledContext,
    RecallResult,
    Scope,
    Unchanged,
    as_utc,
)
from langmem_ext.learning import Learner, Turn
from langmem_ext.messages import MessagesLike
from langmem_ext.ports import Clock, TokenCounter
from langmem_ext.queued_turns import QueuedTurn, Ticket
from langmem_ext.reading import Reader
from langmem_ext.recall import Recaller, RecallRequest
from langmem_ext.receipts import DeletionReceipt, ImportReport
from langmem_ext.reconciliation import Proposal
from langmem_ext.rendering import render_context
from langmem_ext.workspace import DeletionGuard, Workspace

P = TypeVar("P")
T = TypeVar("T")
When = datetime | str | float  # an aware datetime, an ISO 8601 string with a zone, or epoch seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Rooms:
    """What a `LongTermMemory` puts together for its handles."""

    workspace: Workspace
    embedder: CheckedEmbedder
    extractor: Extractor
    learner: Learner
    recaller: Recaller
    count_tokens: TokenCounter
    timezone: tzinfo
    clock: Clock
    new_id: Callable[[], str]
    check_open: Callable[[], None]
    workers: Callable[[], Workers]  # of the outbox, opened at the first call


class UserMemory:
    """The memories of one user, from `LongTermMemory.for_user()`.

    An id of another user behaves exactly like an id that does not exist.
    """

    def __init__(self, rooms: Rooms, scope: Scope) -> None:
        self._rooms = rooms
        self._scope = scope
        self._edits = Edits(rooms.workspace, rooms.embedder, scope, clock=rooms.clock, new_id=rooms.new_id)
        self._forgetting = Forgetting(rooms.workspace, scope.user_id, rooms.clock)
        self._reader = Reader(rooms.workspace.store, scope.user_id, rooms.clock)

    def __repr__(self) -> str:
        return f"<UserMemory of {self._scope.user_id!r}>"

    @property
    def scope(self) -> Scope:
        """The user and the labels that this handle writes."""
        return self._scope

    # -- learning

    def add(
        self,
        messages: MessagesLike,
        *,
        observed_at: When | None = None,
        idempotency_key: str | None = None,
    ) -> AddResult:
        """Learn from a conversation turn: at most one LLM call, plus one to repair a bad reply.

        Args:
            messages: A string (one user turn), OpenAI-style dicts, `(role, text)` pairs.
            observed_at: When it was said; now by default. Relative dates are resolved against it.
            idempotency_key: Names the turn. The same turn twice is stored once; without a key the same
                messages in the same session on the same day are the same turn. The key is forgotten
                with the memories: what came of the turn and was deleted is learned if it is given again.

        Returns:
            What was learned. Failures of the LLM or embedder are in `.error`, not raised.

        Raises:
            InvalidInputError: messages or times that can not be read.
            StorageError: the store is unavailable.
        """
        guard = self._rooms.workspace.guard(self._scope.user_id)
        return self._add(messages, observed_at, idempotency_key, guard)

    def add_later(
        self,
        messages: MessagesLike,
        *,
        observed_at: When | None = None,
        idempotency_key: str | None = None,
    ) -> Ticket:
        """Learn from a conversation turn in the background; the arguments are those of `add`.

        When this returns, the redacted turn is on disk (with `path=` or `state_path=`): it survives a
        crash, and is learned once, in order with the user's other turns. While the LLM cannot be
        reached it waits; what fails for good is set aside: see `LongTermMemory.failed_turns`.

        Raises:
            InvalidInputError: messages or times that can not be read, or there is nowhere to keep
                them (a server without `state_path=`).
            StorageError: the turn could not be written down.
        """
        self._rooms.check_open()
        read, when, _ = self._rooms.learner.read(self._scope, messages, observed_at, idempotency_key)
        workspace, workers = self._rooms.workspace, self._rooms.workers()
        barrier = workspace.shared_barrier(self._scope.user_id) if workspace.store.shared else None
        ticket = workers.outbox.put(self._scope, read, when, idempotency_key=idempotency_key, barrier=barrier)
        workers.wake()
        return ticket

    async def aadd_later(
        self,
        messages: MessagesLike,
        *,
        observed_at: When | None = None,
        idempotency_key: str | None = None,
    ) -> Ticket:
        """As `add_later`."""
        return await asyncio.to_thread(
            self.add_later, messages, observed_at=observed_at, idempotency_key=idempotency_key
        )

    def _add(
        self,
        messages: MessagesLike,
        observed_at: When | None,
        idempotency_key: str | None,
        guard: DeletionGuard,
    ) -> AddResult:
        self._rooms.check_open()
        turn = self._rooms.learner.prepare(self._scope, messages, observed_at, idempotency_key, guard)
        if isinstance(turn, AddResult):
            return turn
        extraction = self._rooms.extractor.extract(turn.request)
        return self._run(self._learn(turn, extraction))

    async def aadd(
        self,
        messages: MessagesLike,
        *,
        observed_at: When | None = None,
        idempotency_key: str | None = None,
    ) -> AddResult:
        """As `add`."""
        self._rooms.check_open()
        guard = self._rooms.workspace.guard(self._scope.user_id)
        turn = await asyncio.to_thread(
            self._rooms.learner.prepare, self._scope, messages, observed_at, idempotency_key, guard
        )
        if isinstance(turn, AddResult):
            return turn
        extraction = await self._rooms.extractor.aextract(turn.request)
        return await self._arun(self._learn(turn, extraction))

    def _learn(self, turn: Turn, extraction: Extraction) -> Change[list[Proposal] | AddResult, AddResult]:
        learner = self._rooms.learner
        extraction = learner.check(extraction)

        def commit(proposals: list[Proposal] | AddResult) -> AddResult:
            if isinstance(proposals, AddResult):
                return proposals
            return learner.commit(turn, extraction, proposals)

        return Change(lambda: learner.propose(turn, extraction), commit)

    def remember(
        self,
        content: str,
        *,
        memory_type: MemoryType = "semantic",
        key: str | None = None,
        expires_at: When | None = None,
        metadata: Metadata | None = None,
    ) -> MemoryItem:
        """Store a memory as it is, without an LLM.

        A sentence that is there already is confirmed and not doubled: metadata is merged, the later
        expiry counts, and its type stays.

        Args:
            content: One fact as a sentence. Secrets in it are replaced by placeholders. What an estimate
                of its tokens puts beyond the embedder's window is refused.
            memory_type: "semantic", "episodic" or "procedural".
            key: A single-valued attribute such as `residence.city`; the new value replaces the old.
            expires_at: From then on it is no longer returned.
            metadata: Own fields: str, int, float, bool, None, dates, lists and dicts of these.

        Raises:
            InvalidInputError: something can not be kept; nothing was stored.
            ModelError: the embedder is unavailable; nothing was stored.
            StorageError: the store is unavailable, or `delete_all` came in between.
        """
        entry = NewMemory(content, memory_type, key, expires_at, metadata)
        return self._run(self._edits.remember([entry]))[0]

    async def aremember(
        self,
        content: str,
        *,
        memory_type: MemoryType = "semantic",
        key: str | None = None,
        expires_at: When | None = None,
        metadata: Metadata | None = None,
    ) -> MemoryItem:
        """As `remember`."""
        entry = NewMemory(content, memory_type, key, expires_at, metadata)
        return (await self._arun(self._edits.remember([entry])))[0]

    def remember_many(self, memories: Sequence[str | Mapping[str, Any]]) -> list[MemoryItem]:
        """Store several memories: texts, or dicts with the arguments of `remember`.

        All are checked and embedded before the first is stored; up to 500 are stored all or none.
        """
        return self._run(self._edits.remember(new_memories(memories)))

    async def aremember_many(self, memories: Sequence[str | Mapping[str, Any]]) -> list[MemoryItem]:
        """As `remember_many`."""
        return await self._arun(self._edits.remember(new_memories(memories)))

    # -- recall

    def search(
        self,
        query: str,
        *,
        top_k: int = 5,
        min_similarity: float | None = None,
        filters: Filters | None = None,
        memory_type: MemoryType | None = None,
        as_of: When | None = None,
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

        Raises:
            InvalidInputError: an argument that can not be searched for.
            ModelError: the embedder is unavailable and no memory matches by word.
            StorageError: the store is unavailable.
        """
        return self._recall("search", query, top_k, min_similarity, filters, memory_type, as_of)

    async def asearch(
        self,
        query: str,
        *,
        top_k: int = 5,
        min_similarity: float | None = None,
        filters: Filters | None = None,
        memory_type: MemoryType | None = None,
        as_of: When | None = None,
    ) -> RecallResult:
        """As `search`."""
        return await asyncio.to_thread(
            self._recall, "search", query, top_k, min_similarity, filters, memory_type, as_of
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
        """
        found = self._recall("context", query, top_k, min_similarity, filters, memory_type, as_of)
        return render_context(
            found.memories,
            query=query,
            max_tokens=max_tokens,
            count_tokens=self._rooms.count_tokens,
            timezone=self._rooms.timezone,
            recall_id=found.recall_id,
            degraded=found.degraded,
        )

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
    ) -> RecallResult:
        self._rooms.check_open()
        when = None if as_of is None else as_utc(as_of, "as_of")
        request = RecallRequest.checked(query, top_k, min_similarity, filters, memory_type, when)
        return self._rooms.recaller.recall(self._scope, request, operation)

    # -- reading

    def get(self, memory_id: str) -> MemoryItem:
        """A memory by id, older versions included. MemoryNotFoundError when it is not this user's."""
        self._rooms.check_open()
        return self._reader.get(memory_id)

    async def aget(self, memory_id: str) -> MemoryItem:
        """As `get`."""
        return await asyncio.to_thread(self.get, memory_id)

    def list_memories(
        self,
        *,
        limit: int = 100,
        cursor: str | None = None,
        filters: Filters | None = None,
        memory_type: MemoryType | None = None,
        as_of: When | None = None,
        include_expired: bool = False,
    ) -> Page:
        """A page of the valid memories, in the order in which they were stored.

        Args:
            limit: At most this many.
            cursor: `Page.cursor` of the page before.
            filters: As in `search`.
            memory_type: As in `search`.
            as_of: As in `search`.
            include_expired: Also those that expired or ended and were not removed yet.
        """
        self._rooms.check_open()
        when = None if as_of is None else as_utc(as_of, "as_of")
        return self._reader.page(limit, cursor, filters, memory_type, when, include_expired)

    async def alist_memories(
        self,
        *,
        limit: int = 100,
        cursor: str | None = None,
        filters: Filters | None = None,
        memory_type: MemoryType | None = None,
        as_of: When | None = None,
        include_expired: bool = False,
    ) -> Page:
        """As `list_memories`."""
        return await asyncio.to_thread(
            self.list_memories,
            limit=limit,
            cursor=cursor,
            filters=filters,
            memory_type=memory_type,
            as_of=as_of,
            include_expired=include_expired,
        )

    def iter_memories(
        self, *, filters: Filters | None = None, memory_type: MemoryType | None = None
    ) -> Iterator[MemoryItem]:
        """All valid memories, page by page."""
        cursor: str | None = None
        while True:
            page = self.list_memories(limit=500, cursor=cursor, filters=filters, memory_type=memory_type)
            yield from page.memories
            if (cursor := page.cursor) is None:
                return

    async def aiter_memories(
        self, *, filters: Filters | None = None, memory_type: MemoryType | None = None
    ) -> AsyncIterator[MemoryItem]:
        """As `iter_memories`."""
        cursor: str | None = None
        while True:
            page = await self.alist_memories(
                limit=500, cursor=cursor, filters=filters, memory_type=memory_type
            )
            for item in page.memories:
                yield item
            if (cursor := page.cursor) is None:
                return

    def history(self, memory_id: str) -> list[HistoryEvent]:
        """What happened to a fact, oldest first: every version of its chain."""
        self._rooms.check_open()
        return self._reader.history(memory_id)

    async def ahistory(self, memory_id: str) -> list[HistoryEvent]:
        """As `history`."""
        return await asyncio.to_thread(self.history, memory_id)

    # -- changing and forgetting

    def update(
        self,
        memory_id: str,
        *,
        content: str | Unchanged = UNCHANGED,
        metadata: Metadata | Unchanged = UNCHANGED,
        expires_at: When | None | Unchanged = UNCHANGED,
    ) -> MemoryItem:
        """Change a memory by hand; it keeps its id, and the old text stays in its history.

        Args:
            memory_id: A current memory of this user.
            content: The new text.
            metadata: Merged into the old: given keys change, None removes a key, others stay.
            expires_at: The new expiry; None removes it.

        Raises:
            MemoryNotFoundError: not a memory of this user, or expired.
            InvalidInputError: an old version, a text that another memory has already, or a value that can
                not be kept; nothing was changed.
        """
        return self._run(self._edits.update(memory_id, content, metadata, expires_at))

    async def aupdate(
        self,
        memory_id: str,
        *,
        content: str | Unchanged = UNCHANGED,
        metadata: Metadata | Unchanged = UNCHANGED,
        expires_at: When | None | Unchanged = UNCHANGED,
    ) -> MemoryItem:
        """As `update`."""
        return await self._arun(self._edits.update(memory_id, content, metadata, expires_at))

    def delete(self, memory_id: str, *, erase: bool = False) -> DeletionReceipt:
        """Delete a memory with all its versions.

        Args:
            memory_id: Any version of it.
            erase: Also from the files, as in `delete_all`.

        Raises:
            MemoryNotFoundError: not a memory of this user.
            StorageError: it could not be deleted; or it was, and its bytes could not be erased.
        """
        return self._run(self._forgetting.delete(memory_id, erase=erase))

    async def adelete(self, memory_id: str, *, erase: bool = False) -> DeletionReceipt:
        """As `delete`."""
        return await self._arun(self._forgetting.delete(memory_id, erase=erase))

    def delete_all(self, *, erase: bool = False) -> DeletionReceipt:
        """Delete everything of this user. Turns handed in before and still being learned are dropped.

        Args:
            erase: Deleted text is hidden at once, but its bytes stay in the files of the database. This
                removes them too: the part of the store that holds this user is written anew, which
                takes seconds for thousands of rows, and searched for traces. `receipt.erasure` tells
                what was done, and what was out of reach.

        Raises:
            StorageError: it could not be deleted; or it was, and its bytes could not be erased.
        """
        return self._run(self._forgetting.delete_all(erase=erase))

    async def adelete_all(self, *, erase: bool = False) -> DeletionReceipt:
        """As `delete_all`."""
        return await self._arun(self._forgetting.delete_all(erase=erase))

    def delete_source(self, message_id: str, *, erase: bool = False) -> DeletionReceipt:
        """Delete what was learned from a message; what was also said elsewhere loses only this source.

        Older versions that other messages brought stay history and do not come back.

        Args:
            message_id: As in `AddResult.message_ids` and `MemoryItem.source`.
            erase: As in `delete_all`.
        """
        return self._run(self._forgetting.delete_source(message_id, erase=erase))

    async def adelete_source(self, message_id: str, *, erase: bool = False) -> DeletionReceipt:
        """As `delete_source`."""
        return await self._arun(self._forgetting.delete_source(message_id, erase=erase))

    def forget(self, request: str, *, confirm_ids: Sequence[str] | None = None) -> ForgetAnswer:
        """Delete what the user wants forgotten, if it is clear what that is; else say what may be meant.

        Words decide: a memory is clearly meant when it has four fifths of the request's content words and
        the same negation, and no other has. No LLM is asked. "Don't let me forget ..." deletes nothing.

        Args:
            request: Such as "forget that I have a dog", "忘掉我对花生过敏", or a topic alone.
            confirm_ids: The memories that the user confirmed; exactly these are deleted.

        Raises:
            MemoryNotFoundError: a confirmed id is not this user's; nothing was deleted.
        """
        return self._run(self._forgetting.forget(request, confirm_ids))

    async def aforget(self, request: str, *, confirm_ids: Sequence[str] | None = None) -> ForgetAnswer:
        """As `forget`."""
        return await self._arun(self._forgetting.forget(request, confirm_ids))

    # -- moving

    def export_memories(self, file: str | Path | TextIO) -> int:
        """Write all of this user's memories, every version, as JSON lines. Returns the lines."""
        self._rooms.check_open()
        return self._reader.export(file)

    async def aexport_memories(self, file: str | Path | TextIO) -> int:
        """As `export_memories`."""
        return await asyncio.to_thread(self.export_memories, file)

    def import_memories(self, file: str | Path | TextIO) -> ImportReport:
        """Read what `export_memories` wrote for this user; what is there already is skipped.

        Raises:
            InvalidInputError: a line that can not be read or belongs to another user; nothing was stored.
        """
        return self._run(self._edits.import_rows(file))

    async def aimport_memories(self, file: str | Path | TextIO) -> ImportReport:
        """As `import_memories`."""
        return await self._arun(self._edits.import_rows(file))

    # -- how to wait

    def _run(self, change: Change[P, T]) -> T:
        self._rooms.check_open()
        prepared = change.prepare()
        return self._rooms.workspace.submit(self._scope.user_id, lambda: change.commit(prepared)).result()

    async def _arun(self, change: Change[P, T]) -> T:
        self._rooms.check_open()
        prepared = await asyncio.to_thread(change.prepare)
        # Waiting for the strand holds no thread.
        return await asyncio.wrap_future(
            self._rooms.workspace.submit(self._scope.user_id, lambda: change.commit(prepared))
        )


def learn_queued(rooms: Rooms, queued: QueuedTurn) -> AddResult:
    """Learn a turn out of the outbox; the workers call it."""
    guard = rooms.workspace.guard(queued.scope.user_id, queued)
    user = UserMemory(rooms, queued.scope)
    return user._add(queued.messages, queued.observed_at, queued.idempotency_key, guard)
