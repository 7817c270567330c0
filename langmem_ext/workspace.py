"""What all handles on one store share: the strands of users, the indexes, the barriers of deletions."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

from langmem_ext.background import Workers
from langmem_ext.errors import StorageError
from langmem_ext.items import Filters
from langmem_ext.ports import WRITE_LIMIT, Clock, MemoryStore, StoredMemory
from langmem_ext.queued_turns import QueuedTurn
from langmem_ext.reconciliation import Plan, Proposal, reconcile
from langmem_ext.record_rows import RECORD, is_memory, only_memories
from langmem_ext.retrieval.user_index import IndexCache, UserIndex
from langmem_ext.state import Outbox
from langmem_ext.strands import Strands
from langmem_ext.wording import saying

T = TypeVar("T")
logger = logging.getLogger(__name__)
_MAX_PENDING_ACCESSES: Final = 10_000
_MAX_CACHED_RECORDS: Final = 10_000  # rows, over all users


class Workspace:
    """A store with everything derived from it in this process.

    Methods that change memories must run on the user's strand: `submit` puts them there.
    """

    def __init__(self, store: MemoryStore) -> None:
        self.store = store
        self.holders = 0
        self.workers: Workers | None = None
        self._strands = Strands()
        self._indexes = IndexCache()
        self._records = IndexCache(_MAX_CACHED_RECORDS)
        self._lock = threading.Lock()
        self._barriers: dict[str, int] = {}
        self._deleted_sources: dict[str, list[str]] = {}
        self._accesses: dict[str, dict[str, tuple[int, datetime]]] = {}

    def submit(self, user_id: str, function: Callable[[], T]) -> Future[T]:
        """Run a function alone among all of this user's, in this process and in others."""

        def alone() -> T:
            with self.store.exclusive(user_id):
                return function()

        return self._strands.submit(user_id, alone)

    def guard(self, user_id: str, queued: QueuedTurn | None = None) -> DeletionGuard:
        """Make one when something to be stored is handed in, before anything is waited for.

        With `queued`, it was handed in when it came into the outbox.
        """
        return DeletionGuard(self, user_id, queued)

    def learn_in_background(self, path: Path | None, *, clock: Clock, new_id: Callable[[], str]) -> Workers:
        """The workers of all that share this workspace; the first to ask opens the outbox, None: in RAM."""
        with self._lock:
            if self.workers is None:
                self.workers = Workers(Outbox(path, clock=clock, new_id=new_id), clock=clock)
            return self.workers

    def note_deleted_source(self, user_id: str, message_id: str) -> None:
        """Let nothing of this message be stored that this process is learning at the moment."""
        with self._lock:
            self._deleted_sources.setdefault(user_id, []).append(message_id)

    def deleted_sources(self, user_id: str, since: int = 0) -> list[str]:
        """The messages whose memories this process deleted, in order, without the first `since`."""
        with self._lock:
            return self._deleted_sources.get(user_id, [])[since:]

    def drop_queued(self, user_id: str, message_id: str | None = None) -> None:
        """Forget the turns that wait to be learned; only those with this message where one is given."""
        if self.workers is not None:
            self.workers.outbox.drop(user_id, message_id)

    def local_barrier(self, user_id: str) -> int:
        """Rises with every `delete_all` of this process."""
        with self._lock:
            return self._barriers.get(user_id, 0)

    def raise_local_barrier(self, user_id: str) -> None:
        """Let nothing that this process began before be stored any more."""
        with self._lock:
            self._barriers[user_id] = self._barriers.get(user_id, 0) + 1
            self._accesses.pop(user_id, None)

    def shared_barrier(self, user_id: str) -> int:
        """Rises with every `delete_all` of any process; asks the store, where it is shared."""
        return self.store.barrier(user_id) if self.store.shared else 0

    def raise_shared_barrier(self, user_id: str) -> None:
        """Let nothing that any process began before be stored any more. On the strand."""
        if self.store.shared:
            self.store.raise_barrier(user_id)

    def commit(
        self, user_id: str, proposals: Sequence[Proposal], *, now: datetime, new_id: Callable[[], str]
    ) -> Plan:
        """Reconcile proposals with what is stored and write the result. On the strand."""
        plan = reconcile(proposals, self._known(user_id, proposals), now=now, new_id=new_id)
        self.write(user_id, plan.rows)
        return plan

    def write(self, user_id: str, rows: Sequence[StoredMemory]) -> None:
        """Write full rows, at most `WRITE_LIMIT` of them all or none. On the strand."""
        for start in range(0, len(rows), WRITE_LIMIT):
            part = rows[start : start + WRITE_LIMIT]
            try:
                self.store.write(user_id, part)
            except BaseException:  # it may have been written all the same
                self._indexes.forget(user_id)
                self._records.forget(user_id)
                raise
            self._follow(user_id, part)

    def remove(self, user_id: str, memory_ids: Sequence[str]) -> int:
        """Delete rows; returns how many there were. On the strand."""
        try:
            return self.store.delete(user_id, memory_ids)
        finally:  # also after a failure half-way: what may be gone is not shown
            self._follow(user_id, (), memory_ids)

    def _follow(self, user_id: str, written: Sequence[StoredMemory], removed: Sequence[str] = ()) -> None:
        self._indexes.write(user_id, [row for row in written if is_memory(row)], removed)
        self._records.write(user_id, [row for row in written if not is_memory(row)], removed)

    def records(self, user_id: str) -> Sequence[StoredMemory]:
        """All rows of this user's records, in the order of their first write; expired ones too."""
        if self.store.shared:
            return self.store.find(user_id, {"memory_type": RECORD})
        self.store.check()
        return self._loaded(self._records, user_id, {"memory_type": RECORD}).rows

    def candidates(
        self, user_id: str, when: datetime, filters: Filters | None, *, current: bool
    ) -> tuple[UserIndex, Any]:
        """The memories to search, and which of them may be returned (bool array).

        `current` says that `when` is now: only then the index in RAM answers. A store that other
        processes write to is read every time.
        """
        if self.store.shared or not current:
            index = UserIndex(self.store.find(user_id, only_memories(filters), valid_at=when))
            return index, index.valid_at(when)
        self.store.check()  # what is in RAM must not outlive its directory
        index = self._loaded(self._indexes, user_id, only_memories(_not_over(when)))
        allowed = index.valid_at(when)
        if filters:
            ids = self.store.find_ids(user_id, filters, valid_at=when)
            chosen = [index.positions[memory_id] for memory_id in ids if memory_id in index.positions]
            matching = allowed & False
            matching[chosen] = True
            allowed &= matching
        return index, allowed

    def _loaded(self, indexes: IndexCache, user_id: str, filters: Filters) -> UserIndex:
        index = indexes.get(user_id)
        if index is None:
            with indexes.loading(user_id) as keep:
                index = UserIndex(self.store.find(user_id, filters))
                keep(index)
        return index

    def _known(self, user_id: str, proposals: Sequence[Proposal]) -> list[StoredMemory]:
        """The rows that `reconcile` must see, with all rows of their chains."""
        matching: Filters = {
            "$or": [
                saying([proposal.content for proposal in proposals]),
                {
                    "key": {"$in": sorted({p.key for p in proposals if p.key is not None})},
                    "superseded_by": None,
                },
                {"memory_id": {"$in": sorted({p.replaces for p in proposals if p.replaces is not None})}},
            ]
        }
        rows = self.store.find(user_id, only_memories(matching))
        chains = sorted({row.chain_id for row in rows})
        return rows if len(chains) < 2 else self.store.find(user_id, {"chain_id": {"$in": chains}})

    def note_access(self, user_id: str, memory_ids: Sequence[str], when: datetime) -> None:
        """Count recalls in RAM; `flush_accesses` writes them."""
        with self._lock:
            counts = self._accesses.setdefault(user_id, {}) if memory_ids else {}
            for memory_id in memory_ids:
                counts[memory_id] = (counts.get(memory_id, (0, when))[0] + 1, when)
            full = sum(map(len, self._accesses.values())) > _MAX_PENDING_ACCESSES
        if full:  # bounded; nobody waits for it
            self._submit_accesses()

    def flush_accesses(self) -> int:
        """Write what `note_access` counted; rows that are gone stay gone. Returns the rows written."""
        written = 0
        for future in self._submit_accesses():
            try:
                written += future.result()
            except StorageError as error:  # a statistic: its loss must not stop a close
                logger.warning("access counts of a user were lost (%s)", type(error).__name__)
        return written

    def _submit_accesses(self) -> list[Future[int]]:
        with self._lock:
            pending, self._accesses = self._accesses, {}
        return [
            self.submit(user_id, partial(self._write_accesses, user_id, counts))
            for user_id, counts in pending.items()
        ]

    def _write_accesses(self, user_id: str, counts: dict[str, tuple[int, datetime]]) -> int:
        rows = self.store.count_accesses(user_id, counts)
        self._indexes.write(user_id, rows)
        return len(rows)

    def drain(self) -> None:
        """Wait for what was submitted."""
        self._strands.drain()

    def close(self) -> None:
        """Finish what was submitted; the store stays open, and what waits in the outbox stays there."""
        if self.workers is not None:
            self.workers.close()
            self.workers.outbox.close()
        self._strands.close()


class DeletionGuard:
    """Whether everything of a user was deleted since something to be stored was handed in.

    This process is asked at once, without waiting; other processes by `note_shared`, which may wait
    for a server, so call it where that is allowed, and before an LLM is asked.
    """

    def __init__(self, workspace: Workspace, user_id: str, queued: QueuedTurn | None) -> None:
        self._queued = queued
        self._workspace = workspace
        self._user = user_id
        self._local = workspace.local_barrier(user_id)
        self._shared: int | None = None
        self._sources = len(workspace.deleted_sources(user_id))

    def deleted_sources(self) -> list[str]:
        """The messages whose memories were deleted since. On the strand."""
        return self._workspace.deleted_sources(self._user, self._sources)

    def holds_here(self) -> bool:
        """Whether this process deleted nothing since; costs nothing."""
        return self._workspace.local_barrier(self._user) == self._local

    def note_shared(self) -> None:
        """Note what other processes deleted until it was handed in. Only the first call counts."""
        if self._shared is not None:
            return
        queued = None if self._queued is None else self._queued.barrier
        self._shared = self._workspace.shared_barrier(self._user) if queued is None else queued

    def still_holds(self) -> bool:
        """Whether nothing was, so that it may be stored. On the strand."""
        if self._shared is None:
            raise RuntimeError("note_shared() comes first")
        workers = self._workspace.workers
        if self._queued is not None and workers is not None and not workers.outbox.holds(self._queued):
            return False
        return self.holds_here() and self._workspace.shared_barrier(self._user) == self._shared


def _not_over(now: datetime) -> Filters:
    """Rows that hold now or will hold later: what an index in RAM keeps."""
    return {
        "retracted_at": None,
        "$and": [{"$or": [{name: None}, {name: {"$gt": now}}]} for name in ("valid_until", "expires_at")],
    }


_workspaces: dict[int, Workspace] = {}
_workspaces_lock = threading.Lock()


def take_workspace(store: MemoryStore) -> Workspace:
    """The workspace of a store, one for all that use the store in this process."""
    with _workspaces_lock:
        workspace = _workspaces.setdefault(id(store), Workspace(store))
        workspace.holders += 1
        return workspace


def release_workspace(workspace: Workspace, *, own_hold: bool) -> None:
    """The reverse of `take_workspace`.

    The last one closes the store. With `own_hold` the caller opened the store itself (a directory
    that several have opened counts them), so it closes its hold in any case.
    """
    try:
        workspace.flush_accesses()
        if workspace.holders == 1:
            workspace.drain()
    finally:
        with _workspaces_lock:
            workspace.holders -= 1
            last = workspace.holders == 0
            if last:
                del _workspaces[id(workspace.store)]
        try:  # not under the lock: what takes long here must not hold up other stores
            if last:
                workspace.close()
        finally:
            if last or own_hold:
                workspace.store.close()
