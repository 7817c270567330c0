"""Looking after the whole store: what has expired, what was deleted, what is damaged."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Final

from langmem_ext.embedding import CheckedEmbedder
from langmem_ext.items import Filters
from langmem_ext.ports import Clock
from langmem_ext.queued_turns import FailedTurn
from langmem_ext.receipts import ErasureReceipt, FlushReport, RepairReport, SweepReport
from langmem_ext.workspace import Workspace

_PAGE: Final = 500  # rows removed in one go; other work of the user comes in between


class Upkeep:
    """Operations over all users of a workspace."""

    def __init__(self, workspace: Workspace, embedder: CheckedEmbedder, clock: Clock) -> None:
        self._workspace = workspace
        self._embedder = embedder
        self._clock = clock

    def users(self) -> list[str]:
        """See `LongTermMemory.users`."""
        return self._workspace.store.users()

    def flush(self, timeout: float | None) -> FlushReport:
        """See `LongTermMemory.flush`."""
        workers = self._workspace.workers
        if workers is None:
            return FlushReport(self._workspace.flush_accesses())
        learned, waiting, failed = workers.flush(timeout)
        failure = workers.take_failure()
        error = None if failure is None else f"{failure.kind}: {failure.message}"
        return FlushReport(self._workspace.flush_accesses(), learned, waiting, failed, error)

    def failed_turns(self) -> tuple[FailedTurn, ...]:
        """See `LongTermMemory.failed_turns`."""
        workers = self._workspace.workers
        return () if workers is None else tuple(workers.outbox.failed())

    def discard_failed(self, ticket_id: str) -> bool:
        """See `LongTermMemory.discard_failed`."""
        workers = self._workspace.workers
        found = [turn.ticket for turn in self.failed_turns() if turn.ticket.ticket_id == ticket_id]
        return workers is not None and any(
            workers.outbox.forget(ticket.user_id, ticket_id) for ticket in found
        )

    def retry_failed(self, ticket_id: str | None) -> int:
        """See `LongTermMemory.retry_failed`."""
        workers = self._workspace.workers
        retried = 0 if workers is None else workers.outbox.retry(ticket_id=ticket_id)
        if workers is not None:
            workers.wake(hurry=True)
        return retried

    def sweep(self) -> SweepReport:
        """See `LongTermMemory.sweep`."""
        now = self._clock()
        users = self._workspace.store.users(_expired(now))
        removed = {user_id: self._sweep(user_id, now) for user_id in users}
        return SweepReport(sum(removed.values()), sum(count > 0 for count in removed.values()))

    def _sweep(self, user_id: str, now: datetime) -> int:
        removed = 0
        while count := self._workspace.submit(user_id, partial(self._sweep_page, user_id, now)).result():
            removed += count
        return removed

    def _sweep_page(self, user_id: str, now: datetime) -> int:
        """Remove some expired rows, and with a current one its older versions. On the strand."""
        rows = self._workspace.store.find(user_id, _expired(now), limit=_PAGE)
        over = [row.chain_id for row in rows if row.item.superseded_by is None]
        versions = self._versions(user_id, over) if over else []
        ids = dict.fromkeys([*(row.item.memory_id for row in rows), *versions])
        return self._workspace.remove(user_id, list(ids))

    def _versions(self, user_id: str, chain_ids: Sequence[str]) -> list[str]:
        replaced = {"$not": {"superseded_by": None}}
        return self._workspace.store.find_ids(
            user_id, {"$and": [{"chain_id": {"$in": list(chain_ids)}}, replaced]}
        )

    def erase(self) -> ErasureReceipt:
        """See `LongTermMemory.erase`."""
        if self._workspace.workers is not None:
            self._workspace.workers.outbox.compact()
        return self._workspace.store.erase()

    def repair(self) -> RepairReport:
        """See `LongTermMemory.repair`."""
        return self._workspace.store.repair(self._embedder.documents)


def _expired(now: datetime) -> Filters:
    return {"expires_at": {"$lte": now}}
