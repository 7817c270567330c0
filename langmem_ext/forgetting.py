"""Deleting one user's memories: by id, by source, by request, all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from langmem_ext.change import Change
from langmem_ext.errors import InvalidInputError, MemoryNotFoundError, StorageError
from langmem_ext.forget_request import Wish, matching, read_wish
from langmem_ext.items import ForgetAnswer
from langmem_ext.ports import Clock, StoredMemory
from langmem_ext.reading import Reader
from langmem_ext.receipts import DeletionReceipt, ErasureReceipt
from langmem_ext.reconciliation import is_current
from langmem_ext.record_rows import is_memory, only_memories
from langmem_ext.workspace import Workspace

_MOST_CANDIDATES = 10


class Forgetting:
    """Deletions of one user."""

    def __init__(self, workspace: Workspace, user_id: str, clock: Clock) -> None:
        self._workspace = workspace
        self._store = workspace.store
        self._user = user_id
        self._clock = clock
        self._reader = Reader(workspace.store, user_id, clock)

    def delete(self, memory_id: str, *, erase: bool) -> Change[None, DeletionReceipt]:
        """See `UserMemory.delete`."""
        return Change(
            _nothing, lambda _: self._remove(self._reader.chain(memory_id, expired=True), erase=erase)
        )

    def delete_all(self, *, erase: bool) -> Change[None, DeletionReceipt]:
        """See `UserMemory.delete_all`."""

        def commit(_: None) -> DeletionReceipt:
            self._workspace.raise_shared_barrier(self._user)
            rows = self._store.find(self._user)
            try:
                self._workspace.remove(self._user, [row.item.memory_id for row in rows])
            finally:  # a queue that cannot be written must not keep the rows
                self._workspace.drop_queued(self._user)
            return self._receipt(rows, erase=erase)

        return Change(lambda: self._workspace.raise_local_barrier(self._user), commit)

    def delete_source(self, message_id: str, *, erase: bool) -> Change[None, DeletionReceipt]:
        """See `UserMemory.delete_source`."""
        if not isinstance(message_id, str) or not message_id.strip():
            raise InvalidInputError(f"message_id must be a non-blank string, got {message_id!r}")

        def commit(_: None) -> DeletionReceipt:
            gone, kept = [], []
            for row in self._store.find(self._user):
                sources = tuple(part for part in row.item.source if part.message_id != message_id)
                if len(sources) == len(row.item.source):
                    continue
                if sources:  # said elsewhere too
                    item = replace(row.item, source=sources, updated_at=self._clock())
                    kept.append(replace(row, item=item))
                else:
                    gone.append(row)
            self._workspace.write(self._user, kept)
            return self._remove(gone, erase=erase)

        def prepare() -> None:
            self._workspace.note_deleted_source(self._user, message_id)
            self._workspace.drop_queued(self._user, message_id)

        return Change(prepare, commit)

    def forget(self, request: str, confirm_ids: Sequence[str] | None) -> Change[Wish | None, ForgetAnswer]:
        """See `UserMemory.forget`."""
        if not isinstance(request, str):
            raise InvalidInputError(f"request must be a string, not {type(request).__name__}")
        if confirm_ids is not None:
            ids = _checked_ids(confirm_ids)
            return Change(lambda: None, lambda _: self._confirmed(ids))
        return Change(lambda: read_wish(request), self._forget)

    def _forget(self, wish: Wish | None) -> ForgetAnswer:
        if wish is None:
            return ForgetAnswer("no_request")
        if wish.everything:
            return ForgetAnswer("everything")
        rows = self._store.find(self._user, only_memories(), valid_at=self._clock())
        current = [row.item for row in rows]
        clear, possible = matching(wish.topic, current)
        if wish.explicit and len(clear) == 1:
            self._remove(self._reader.chain(clear[0].memory_id), erase=False)
            return ForgetAnswer("deleted", deleted=(clear[0],))
        if not possible:
            return ForgetAnswer("no_match")
        return ForgetAnswer("confirm", candidates=tuple(possible[:_MOST_CANDIDATES]))

    def _confirmed(self, memory_ids: Sequence[str]) -> ForgetAnswer:
        chains = [self._reader.chain(memory_id, expired=True) for memory_id in memory_ids]  # all, or an error
        rows = {row.item.memory_id: row for chain in chains for row in chain}
        deleted = tuple(rows[memory_id].item for memory_id in memory_ids)
        self._remove(list(rows.values()), erase=False)
        return ForgetAnswer("deleted" if deleted else "no_match", deleted=deleted)

    def _remove(self, rows: Sequence[StoredMemory], *, erase: bool) -> DeletionReceipt:
        self._workspace.remove(self._user, [row.item.memory_id for row in rows])
        return self._receipt(rows, erase=erase)

    def _receipt(self, rows: Sequence[StoredMemory], *, erase: bool) -> DeletionReceipt:
        """Of rows that are gone."""
        now = self._clock()
        current = sum(is_memory(row) and is_current(row.item, now) for row in rows)
        ids = tuple(row.item.memory_id for row in rows)
        erasure = self._erased(rows) if erase else None
        return DeletionReceipt(current, len(ids), ids, now, erasure)

    def _erased(self, rows: Sequence[StoredMemory]) -> ErasureReceipt:
        try:
            return self._store.erase(self._user, rows)
        except StorageError as error:
            raise StorageError(
                f"deleted and out of sight, but not erased from the files: {error}. Then call memory.erase()"
            ) from error


def _checked_ids(memory_ids: Sequence[str]) -> list[str]:
    if isinstance(memory_ids, str) or not isinstance(memory_ids, Sequence):
        raise InvalidInputError("confirm_ids must be a list of memory ids")
    for memory_id in memory_ids:
        if not isinstance(memory_id, str):
            raise MemoryNotFoundError(str(memory_id))
    return list(dict.fromkeys(memory_ids))


def _nothing() -> None:
    return None
