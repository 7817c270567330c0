"""Learning: from conversations, and sentences as they are."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from langmem_ext.change import Change
from langmem_ext.doors.door import Door, When
from langmem_ext.edits import NewMemory, new_memories
from langmem_ext.extraction.candidate import Extraction
from langmem_ext.items import (
    AddResult,
    MemoryItem,
    MemoryType,
    Metadata,
)
from langmem_ext.messages import MessagesLike
from langmem_ext.progress import progress_bar
from langmem_ext.queued_turns import Ticket
from langmem_ext.reconciliation import Proposal
from langmem_ext.turns import Turn, combined
from langmem_ext.workspace import DeletionGuard


class LearningDoor(Door):
    """Putting memories in."""

    def add(
        self,
        messages: MessagesLike,
        *,
        observed_at: When | None = None,
        idempotency_key: str | None = None,
        progress: bool = False,
    ) -> AddResult:
        """Learn from a conversation turn: at most one LLM call, plus one to repair a bad reply.

        A long conversation (more than some ten pages) is learned in parts, one call each, and later parts
        see what earlier ones gave. When a part fails the parts before it stay learned, `.error` says so, and
        the same call again goes on from there: parts that gave memories are not learned twice.

        Args:
            messages: A string (one user turn), OpenAI-style dicts, `(role, text)` pairs.
            observed_at: When it was said; now by default. Relative dates are resolved against it.
            idempotency_key: Names the turn. The same turn twice is stored once; without a key the same
                messages in the same session on the same day are the same turn. The key is forgotten
                with the memories: what came of the turn and was deleted is learned if it is given again.
            progress: Show a progress bar over the parts.

        Returns:
            What was learned. Failures of the LLM or embedder are in `.error`, not raised.

        Raises:
            InvalidInputError: messages or times that cannot be read.
            StorageError: the store is unavailable.
        """
        guard = self._rooms.workspace.guard(self._scope.user_id)
        return self._add(messages, observed_at, idempotency_key, guard, progress=progress)

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
            InvalidInputError: messages or times that cannot be read, or there is nowhere to keep
                them (a server without `state_path=`).
            StorageError: the turn could not be written down.
        """
        self._rooms.check_open()
        read, when = self._rooms.learner.read(self._scope, messages, observed_at, idempotency_key)
        workspace, workers = self._rooms.workspace, self._rooms.workers()
        barrier = workspace.shared_barrier(self._scope.user_id) if workspace.store.shared else None
        ticket = workers.outbox.put(
            self._scope,
            read,
            when,
            idempotency_key=idempotency_key,
            barrier=barrier,
            needs_llm=self._rooms.asks_llm,
        )
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
        *,
        ticket: str | None = None,
        progress: bool = False,
    ) -> AddResult:
        self._rooms.check_open()
        turns = self._rooms.learner.turns(self._scope, messages, observed_at, idempotency_key, guard, ticket)
        results: list[AddResult] = []
        for turn in progress_bar(turns, shown=progress):
            results.append(self._learn(turn))
            if results[-1].error is not None:
                break
        return combined(results, len(turns))

    def _learn(self, turn: Turn) -> AddResult:
        prepared = self._rooms.learner.prepare(turn)
        if isinstance(prepared, AddResult):
            return prepared
        return self._run(self._reconciled(prepared, self._rooms.extractor.extract(prepared.request)))

    async def aadd(
        self,
        messages: MessagesLike,
        *,
        observed_at: When | None = None,
        idempotency_key: str | None = None,
        progress: bool = False,
    ) -> AddResult:
        """As `add`."""
        self._rooms.check_open()
        guard = self._rooms.workspace.guard(self._scope.user_id)
        turns = await asyncio.to_thread(
            self._rooms.learner.turns, self._scope, messages, observed_at, idempotency_key, guard
        )
        results: list[AddResult] = []
        for turn in progress_bar(turns, shown=progress):
            results.append(await self._alearn(turn))
            if results[-1].error is not None:
                break
        return combined(results, len(turns))

    async def _alearn(self, turn: Turn) -> AddResult:
        prepared = await asyncio.to_thread(self._rooms.learner.prepare, turn)
        if isinstance(prepared, AddResult):
            return prepared
        extraction = await self._rooms.extractor.aextract(prepared.request)
        return await self._arun(self._reconciled(prepared, extraction))

    def _reconciled(
        self, turn: Turn, extraction: Extraction
    ) -> Change[list[Proposal] | AddResult, AddResult]:
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
        observed_at: When | None = None,
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
            observed_at: When it was said, for a conversation of the past; now by default.

        Raises:
            InvalidInputError: something cannot be kept; nothing was stored.
            ModelError: the embedder is unavailable; nothing was stored.
            StorageError: the store is unavailable, or `delete_all` came in between.
        """
        entry = NewMemory(content, memory_type, key, expires_at, metadata, observed_at)
        return self._run(self._edits.remember([entry]))[0]

    async def aremember(
        self,
        content: str,
        *,
        memory_type: MemoryType = "semantic",
        key: str | None = None,
        expires_at: When | None = None,
        metadata: Metadata | None = None,
        observed_at: When | None = None,
    ) -> MemoryItem:
        """As `remember`."""
        entry = NewMemory(content, memory_type, key, expires_at, metadata, observed_at)
        return (await self._arun(self._edits.remember([entry])))[0]

    def remember_many(self, memories: Sequence[str | Mapping[str, Any]]) -> list[MemoryItem]:
        """Store several memories: texts, or dicts with the arguments of `remember`.

        All are checked and embedded before the first is stored; up to 500 are stored all or none.
        """
        return self._run(self._edits.remember(new_memories(memories)))

    async def aremember_many(self, memories: Sequence[str | Mapping[str, Any]]) -> list[MemoryItem]:
        """As `remember_many`."""
        return await self._arun(self._edits.remember(new_memories(memories)))
