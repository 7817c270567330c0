"""What all doors of a user share: the rooms behind them, the scope, and how to wait."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import TypeVar

from langmem_ext.background import Workers
from langmem_ext.change import Change
from langmem_ext.edits import Edits
from langmem_ext.embedding import CheckedEmbedder
from langmem_ext.extraction.candidate import Extractor
from langmem_ext.forgetting import Forgetting
from langmem_ext.items import (
    Scope,
)
from langmem_ext.learning import Learner
from langmem_ext.ports import Clock, TokenCounter
from langmem_ext.reading import Reader
from langmem_ext.recall import Recaller
from langmem_ext.records import Records
from langmem_ext.workspace import Workspace

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
    asks_llm: bool
    workers: Callable[[], Workers]  # of the outbox, opened at the first call


class Door:
    """One user's way to the rooms."""

    def __init__(self, rooms: Rooms, scope: Scope) -> None:
        self._rooms = rooms
        self._scope = scope
        self._edits = Edits(rooms.workspace, rooms.embedder, scope, clock=rooms.clock, new_id=rooms.new_id)
        self._forgetting = Forgetting(rooms.workspace, scope.user_id, rooms.clock)
        self._reader = Reader(rooms.workspace.store, scope.user_id, rooms.clock)
        self._records = Records(rooms.workspace, rooms.embedder, scope, clock=rooms.clock)

    def __repr__(self) -> str:
        return f"<UserMemory of {self._scope.user_id!r}>"

    @property
    def scope(self) -> Scope:
        """The user and the labels that this handle writes."""
        return self._scope

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
