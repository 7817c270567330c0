"""Looking after the whole store."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from typing import Final

from langmem_ext.errors import InvalidInputError
from langmem_ext.queued_turns import FailedTurn
from langmem_ext.receipts import ErasureReceipt, FlushReport, RepairReport, SweepReport
from langmem_ext.upkeep import Upkeep

_LONGEST_WAIT: Final = 1e6  # seconds


class UpkeepDoor(ABC):
    """Operations over all users."""

    def __init__(self, upkeep: Upkeep) -> None:
        self._upkeep = upkeep

    @abstractmethod
    def _check_open(self) -> None:
        """Raise a StorageError where the memory may not be used any more."""

    @abstractmethod
    def _attach_where_turns_wait(self) -> None:
        """Begin to learn what waits in the outbox, where there is one."""

    def users(self) -> list[str]:
        """All users that have memories, sorted."""
        self._check_open()
        return self._upkeep.users()

    async def ausers(self) -> list[str]:
        """As `users`."""
        return await asyncio.to_thread(self.users)

    def flush(self, timeout: float | None = None) -> FlushReport:
        """Learn the turns of `add_later` that wait, and write the access counts collected in RAM.

        Args:
            timeout: Seconds to wait at most. Turns that rest after a failure are tried once more; where the
                first of a user fails again, the others of that user keep waiting behind it.
        """
        self._check_open()
        if timeout is not None and (isinstance(timeout, bool) or not 0 <= timeout <= _LONGEST_WAIT):
            raise InvalidInputError(
                f"timeout must be between 0 and {_LONGEST_WAIT:g} seconds, got {timeout!r}"
            )
        self._attach_where_turns_wait()
        return self._upkeep.flush(timeout)

    async def aflush(self, timeout: float | None = None) -> FlushReport:
        """As `flush`."""
        return await asyncio.to_thread(self.flush, timeout)

    def failed_turns(self) -> tuple[FailedTurn, ...]:
        """The turns of `add_later` that were set aside, oldest first, with what went wrong."""
        self._check_open()
        return self._upkeep.failed_turns()

    async def afailed_turns(self) -> tuple[FailedTurn, ...]:
        """As `failed_turns`."""
        return await asyncio.to_thread(self.failed_turns)

    def retry_failed(self, ticket_id: str | None = None) -> int:
        """Put turns that were set aside back to be learned: one, or all. Returns how many."""
        self._check_open()
        return self._upkeep.retry_failed(ticket_id)

    def discard_failed(self, ticket_id: str) -> bool:
        """Forget a turn that was set aside. Whether there was one."""
        self._check_open()
        return self._upkeep.discard_failed(ticket_id)

    async def adiscard_failed(self, ticket_id: str) -> bool:
        """As `discard_failed`."""
        return await asyncio.to_thread(self.discard_failed, ticket_id)

    async def aretry_failed(self, ticket_id: str | None = None) -> int:
        """As `retry_failed`."""
        return await asyncio.to_thread(self.retry_failed, ticket_id)

    def sweep(self) -> SweepReport:
        """Remove what has expired, of all users. Searches skip it already; this frees disk space.

        With a memory that has expired go its older versions. `as_of` no longer sees what was removed.
        Call it now and then, such as once a day.
        """
        self._check_open()
        return self._upkeep.sweep()

    async def asweep(self) -> SweepReport:
        """As `sweep`."""
        return await asyncio.to_thread(self.sweep)

    def erase(self) -> ErasureReceipt:
        """Write the whole store anew, so that its files keep nothing of what was deleted or replaced.

        It also gives back the space that this took. Reads go on; writes to the part that is being written
        wait. It takes about as long as storing all rows again, without embedding them. Not searched
        for traces: it is not known any more what was deleted (see `UserMemory.delete_all`).

        Raises:
            StorageError: something could not be read or written; what is stored is as it was.
        """
        self._check_open()
        return self._upkeep.erase()

    async def aerase(self) -> ErasureReceipt:
        """As `erase`."""
        return await asyncio.to_thread(self.erase)

    def repair(self) -> RepairReport:
        """Build the parts of the store whose vectors cannot be read anew: from the texts, embedded again.

        Call it when an error says so, when nothing else uses the memory. What can be read is not touched.

        Raises:
            StorageError: the texts cannot be read either, or the store is on a server.
            ModelError: the embedder is unavailable; what is stored is as it was.
        """
        self._check_open()
        return self._upkeep.repair()

    async def arepair(self) -> RepairReport:
        """As `repair`."""
        return await asyncio.to_thread(self.repair)
