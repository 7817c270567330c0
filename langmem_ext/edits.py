"""Changing one user's memories by hand: no LLM is asked.

Changes come in two steps: one that checks and embeds, and one that reads and writes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TextIO, TypeVar

from langmem_ext.change import Change
from langmem_ext.embedding import CheckedEmbedder
from langmem_ext.errors import InvalidInputError, StorageError
from langmem_ext.items import (
    MEMORY_TYPES,
    UNCHANGED,
    FrozenDict,
    MemoryItem,
    MemoryType,
    Metadata,
    Scope,
    Unchanged,
    as_utc,
)
from langmem_ext.learning import checked_content
from langmem_ext.metadata import check_metadata
from langmem_ext.ports import Clock, StoredMemory
from langmem_ext.reading import Reader
from langmem_ext.receipts import ImportReport
from langmem_ext.reconciliation import Proposal, is_current, merge
from langmem_ext.record_rows import is_memory, only_memories
from langmem_ext.redaction import redact, stored_form
from langmem_ext.text import normalise_key
from langmem_ext.transfer import read_lines
from langmem_ext.wording import saying
from langmem_ext.workspace import DeletionGuard, Workspace

if TYPE_CHECKING:
    from langmem_ext.ports import Vector

P = TypeVar("P")
T = TypeVar("T")
BATCH: Final = 500  # memories that `remember_many` stores all or none


@dataclass(frozen=True, slots=True)
class NewMemory:
    """The arguments of `remember`."""

    content: str
    memory_type: MemoryType = "semantic"
    key: str | None = None
    expires_at: datetime | str | float | None = None
    metadata: Metadata | None = None
    observed_at: datetime | str | float | None = None


def new_memories(memories: Sequence[str | Mapping[str, Any]]) -> list[NewMemory]:
    """The arguments of `remember_many`, each checked for its shape."""
    if isinstance(memories, str | Mapping) or not isinstance(memories, Sequence):
        raise InvalidInputError(f"remember_many needs a list, not {type(memories).__name__}")
    return [_new_memory(memory, index) for index, memory in enumerate(memories)]


def _new_memory(memory: object, index: int) -> NewMemory:
    if isinstance(memory, str):
        return NewMemory(memory)
    known = [field.name for field in fields(NewMemory)]
    if not isinstance(memory, Mapping) or "content" not in memory:
        raise InvalidInputError(f"memory {index}: expected a string, or a dict with content")
    if unknown := [str(name) for name in memory if name not in known]:
        raise InvalidInputError(f"memory {index}: unknown {', '.join(unknown)}; known are {', '.join(known)}")
    return NewMemory(**memory)


class Edits:
    """Operations on the rows of one scope."""

    def __init__(
        self,
        workspace: Workspace,
        embedder: CheckedEmbedder,
        scope: Scope,
        *,
        clock: Clock,
        new_id: Callable[[], str],
    ) -> None:
        self._workspace = workspace
        self._store = workspace.store
        self._embedder = embedder
        self._scope = scope
        self._user = scope.user_id
        self._clock = clock
        self._new_id = new_id
        self._reader = Reader(workspace.store, self._user, clock)

    def remember(self, entries: Sequence[NewMemory]) -> Change[list[Proposal], list[MemoryItem]]:
        """See `UserMemory.remember_many`."""
        now, guard = self._clock(), self._workspace.guard(self._user)

        def prepare() -> list[Proposal]:
            checked = [self._checked(entry) for entry in entries]
            guard.note_shared()
            vectors = self._embedder.documents([content for content, _ in checked])
            return [
                Proposal(content=content, vector=vector, scope=self._scope, **{"observed_at": now, **rest})
                for (content, rest), vector in zip(checked, vectors, strict=True)
            ]

        return Change(prepare, partial(self._store_proposals, guard))

    def _store_proposals(self, guard: DeletionGuard, proposals: Sequence[Proposal]) -> list[MemoryItem]:
        _refuse_deleted(guard)
        stored: list[MemoryItem | None] = []
        for start in range(0, len(proposals), BATCH):
            part = proposals[start : start + BATCH]
            plan = self._workspace.commit(self._user, part, now=self._clock(), new_id=self._new_id)
            stored.extend(outcome.memory for outcome in plan.outcomes)
        return [item for item in stored if item is not None]

    def _checked(self, entry: NewMemory) -> tuple[str, dict[str, Any]]:
        content = checked_content(entry.content, self._embedder.max_tokens)
        if entry.memory_type not in MEMORY_TYPES:
            raise InvalidInputError(
                f"memory_type must be one of {', '.join(MEMORY_TYPES)}, got {entry.memory_type!r}"
            )
        return content, {
            "memory_type": entry.memory_type,
            "key": _checked_key(entry.key),
            "expires_at": None if entry.expires_at is None else self._future(entry.expires_at),
            "metadata": check_metadata(entry.metadata),
            **({} if entry.observed_at is None else {"observed_at": self._past(entry.observed_at)}),
        }

    def _past(self, observed_at: datetime | str | float) -> datetime:
        when = as_utc(observed_at, "observed_at")
        if when > self._clock():
            raise InvalidInputError(f"observed_at={when.isoformat()} is in the future")
        return when

    def _future(self, expires_at: datetime | str | float) -> datetime:
        when = as_utc(expires_at, "expires_at")
        if when <= self._clock():
            raise InvalidInputError(f"expires_at={when.isoformat()} is not in the future")
        return when

    def update(
        self,
        memory_id: str,
        content: str | Unchanged,
        metadata: Metadata | Unchanged,
        expires_at: datetime | str | float | None | Unchanged,
    ) -> Change[Callable[[StoredMemory], StoredMemory], MemoryItem]:
        """See `UserMemory.update`."""

        def prepare() -> Callable[[StoredMemory], StoredMemory]:
            self._current(memory_id)  # before the embedder is asked
            text, vector = None, None
            if not isinstance(content, Unchanged):
                text = checked_content(content, self._embedder.max_tokens)
                vector = self._embedder.documents([text])[0]
            patch: Metadata = {} if isinstance(metadata, Unchanged) else check_metadata(metadata)
            expiry: datetime | None | Unchanged = None
            if isinstance(expires_at, Unchanged):
                expiry = UNCHANGED
            elif expires_at is not None:
                expiry = self._future(expires_at)
            return partial(
                _edited, text=text, vector=vector, patch=patch, expires_at=expiry, now=self._clock()
            )

        return Change(prepare, partial(self._update, memory_id))

    def _update(self, memory_id: str, edit: Callable[[StoredMemory], StoredMemory]) -> MemoryItem:
        old = self._current(memory_id)
        new = edit(old)
        if new.item.content == old.item.content:
            self._workspace.write(self._user, [new])
            return new.item
        self._refuse_duplicate(new)
        # The row keeps its id; the old text moves to a row of its own in the same chain.
        kept = replace(
            old,
            sequence=0.0,
            turn_ids=(),  # the edited row speaks for the turn: it is not learned again
            item=replace(
                old.item,
                memory_id=self._new_id(),
                superseded_by=memory_id,
                retracted_at=new.item.updated_at,
            ),
        )
        item = replace(new.item, supersedes=(*new.item.supersedes, kept.item.memory_id))
        self._workspace.write(self._user, [kept, replace(new, item=item)])
        return item

    def _current(self, memory_id: str) -> StoredMemory:
        row = self._reader.row(memory_id)
        if row.item.superseded_by is not None:
            raise InvalidInputError(
                f"{memory_id!r} is an old version; update its successor {row.item.superseded_by!r}"
            )
        return row

    def _refuse_duplicate(self, new: StoredMemory) -> None:
        now = self._clock()
        same = saying([new.item.content])
        for row in self._store.find(self._user, only_memories(same)):
            if row.item.memory_id != new.item.memory_id and is_current(row.item, now):
                raise InvalidInputError(
                    f"this user has that memory already, in these or other words: {row.item.memory_id!r}; "
                    "delete one of the two"
                )

    def import_rows(self, file: str | Path | TextIO) -> Change[list[StoredMemory], ImportReport]:
        """See `UserMemory.import_memories`."""
        guard = self._workspace.guard(self._user)

        def prepare() -> list[StoredMemory]:
            records = [_without_secrets(record) for record in read_lines(file, self._user, self._clock())]
            guard.note_shared()
            vectors = self._embedder.documents([record.item.content for record in records])
            return [replace(record, vector=vector) for record, vector in zip(records, vectors, strict=True)]

        return Change(prepare, partial(self._import, guard))

    def _import(self, guard: DeletionGuard, rows: Sequence[StoredMemory]) -> ImportReport:
        _refuse_deleted(guard)
        there = self._store.find(self._user)
        known = {row.item.memory_id for row in there}
        new = merge(
            [row for row in rows if is_memory(row)],
            [row for row in there if is_memory(row)],
            now=self._clock(),
        )
        # Records are skipped whole: a part beside another value would be found for a text that is not there.
        new += [row for row in rows if not is_memory(row) and row.chain_id not in known]
        self._workspace.write(self._user, new)
        return ImportReport(len(new), len(rows) - len(new))


def _without_secrets(row: StoredMemory) -> StoredMemory:
    item = row.item
    sources = tuple(replace(source, quote=redact(source.quote).text) for source in item.source)
    return replace(row, item=replace(item, content=stored_form(item.content), source=sources))


def _refuse_deleted(guard: DeletionGuard) -> None:
    if not guard.still_holds():
        raise StorageError("delete_all() came before this was stored; nothing was stored")


def _checked_key(key: str | None) -> str | None:
    if key is None:
        return None
    if not isinstance(key, str) or not (text := normalise_key(key)):
        raise InvalidInputError(f"key must be a non-blank string such as residence.city, got {key!r}")
    return text


def _edited(
    row: StoredMemory,
    *,
    text: str | None,
    vector: Vector | None,
    patch: Metadata,
    expires_at: datetime | None | Unchanged,
    now: datetime,
) -> StoredMemory:
    merged = {**row.item.metadata, **patch}
    removed = {name for name, value in patch.items() if value is None}
    item = replace(
        row.item,
        content=row.item.content if text is None else text,
        metadata=FrozenDict({name: value for name, value in merged.items() if name not in removed}),
        expires_at=row.item.expires_at if expires_at is UNCHANGED else expires_at,
        updated_at=now,
        # A text written by hand is the latest word: an older conversation learned later does not replace it.
        recorded_at=row.item.recorded_at if text is None else now,
    )
    return replace(row, item=item, vector=row.vector if vector is None else vector)
