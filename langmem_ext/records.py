"""Storing and finding the records of one user: see `record_rows` for what they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np

from langmem_ext.change import Change
from langmem_ext.embedding import CheckedEmbedder
from langmem_ext.errors import InvalidInputError, StorageError
from langmem_ext.items import Filters, Scope
from langmem_ext.ports import WRITE_LIMIT, Clock, StoredMemory
from langmem_ext.record_filters import check, matches
from langmem_ext.record_rows import (
    MAX_TEXTS,
    FoundRecord,
    NewRecord,
    PreparedRecord,
    Record,
    RecordName,
    checked_labels,
    checked_ttl,
    compared,
    decode,
    encode,
    is_first,
    value_json,
)
from langmem_ext.redaction import stored_form
from langmem_ext.tokens import estimate_tokens
from langmem_ext.workspace import DeletionGuard, Workspace

if TYPE_CHECKING:
    from langmem_ext.ports import Vector

_GROUP: Final = 250  # records that are written in one go; with more rows than one write takes, fewer


class Records:
    """Operations on the records of one scope."""

    def __init__(
        self, workspace: Workspace, embedder: CheckedEmbedder, scope: Scope, *, clock: Clock
    ) -> None:
        self._workspace = workspace
        self._store = workspace.store
        self._embedder = embedder
        self._scope = scope
        self._user = scope.user_id
        self._clock = clock

    def write(
        self, records: Sequence[NewRecord], delete: Sequence[RecordName]
    ) -> Change[list[PreparedRecord], None]:
        """See `UserMemory.write_records`."""
        guard = self._workspace.guard(self._user)

        def prepare() -> list[PreparedRecord]:
            checked = [self._checked(record) for record in records]
            guard.note_shared()
            return self._embedded(checked)

        return Change(prepare, partial(self._write, guard, delete))

    def _checked(self, record: NewRecord) -> tuple[NewRecord, str, tuple[str, ...]]:
        checked_ttl(record.ttl)
        pieces = tuple(
            piece for text in record.texts for piece in _pieces(stored_form(text), self._embedder.max_tokens)
        )
        if len(pieces) > MAX_TEXTS:
            raise InvalidInputError(
                f"record {record.name.key!r} has {len(pieces)} texts of the embedder's length; "
                f"at most {MAX_TEXTS} can be found by meaning: leave some out of its texts"
            )
        return record, value_json(record.value), pieces

    def _embedded(self, checked: Sequence[tuple[NewRecord, str, tuple[str, ...]]]) -> list[PreparedRecord]:
        """Every text is embedded once, in one batch."""
        texts = list(dict.fromkeys(piece for _, _, pieces in checked for piece in pieces))
        vectors = dict(zip(texts, self._embedder.documents(texts), strict=True))
        return [
            PreparedRecord(new, text, pieces, [vectors[piece] for piece in pieces] or [self._anywhere()])
            for new, text, pieces in checked
        ]

    def _anywhere(self) -> Vector:
        """Every row has a vector; this one is never compared."""
        vector = np.zeros(self._store.fingerprint.dim, dtype=np.float32)
        vector[0] = 1.0
        return vector

    def _write(
        self, guard: DeletionGuard, delete: Sequence[RecordName], prepared: Sequence[PreparedRecord]
    ) -> None:
        if not guard.still_holds():
            raise StorageError("delete_all() came before this was stored; nothing was stored")
        now = self._clock()
        new = {record.new.name: record for record in prepared}  # of two under one name the last counts
        for part in _groups(list(new.values())):
            there = self._rows([record.new.name for record in part])
            created = {row.chain_id: row.item.created_at for row in there if not _is_over(row, now)}
            rows = [
                row
                for record in part
                for row in encode(record, self._scope, created.get(record.new.name.row_id, now), now)
            ]
            self._workspace.write(self._user, rows)
            self._remove(there, rows)
        self._remove(self._rows([name for name in delete if name not in new]), ())

    def _remove(self, there: Iterable[StoredMemory], kept: Iterable[StoredMemory]) -> None:
        ids = {row.item.memory_id for row in there} - {row.item.memory_id for row in kept}
        if ids:
            self._workspace.remove(self._user, sorted(ids))

    def _rows(self, names: Sequence[RecordName]) -> list[StoredMemory]:
        heads = [name.row_id for name in names]
        return self._store.find(self._user, {"chain_id": {"$in": heads}}) if heads else []

    def read(self, names: Sequence[RecordName]) -> list[Record | None]:
        """See `UserMemory.read_records`."""
        now = self._clock()
        rows = self._store.read(self._user, list(dict.fromkeys(name.row_id for name in names)))
        found = {row.item.memory_id: decode(row) for row in rows if not _is_over(row, now)}
        return [found.get(name.row_id) for name in names]

    def keep(self, names: Sequence[RecordName]) -> Change[None, None]:
        """See `UserMemory.keep_records`."""

        def commit(_: None) -> None:
            now, rows = self._clock(), self._rows(list(dict.fromkeys(names)))
            lives = {
                row.chain_id: decode(row).ttl for row in rows if is_first(row) and not _is_over(row, now)
            }
            kept = [
                replace(row, item=replace(row.item, expires_at=now + ttl))
                for row in rows
                if (ttl := lives.get(row.chain_id)) is not None
            ]
            self._workspace.write(self._user, kept)

        return Change(_nothing, commit)

    def search(
        self, prefix: tuple[str, ...], query: str | None, filters: Filters | None, limit: int, offset: int
    ) -> list[FoundRecord]:
        """See `UserMemory.search_records`."""
        checked_labels(prefix)
        check(filters or {})
        if any(isinstance(n, bool) or not isinstance(n, int) or n < 0 for n in (limit, offset)):
            raise InvalidInputError("limit and offset must be whole numbers of at least 0")
        if query is not None and not isinstance(query, str):
            raise InvalidInputError(f"query must be a string or None, not {type(query).__name__}")
        rows = self._workspace.records(self._user)
        records = map(decode, self._under(rows, prefix))
        found = [FoundRecord(record) for record in records if matches(filters or {}, record.value)]
        if found and query is not None and query.strip():
            found = self._ranked(found, compared(rows), query)
        return found[offset : offset + limit]

    def _ranked(
        self, found: Sequence[FoundRecord], rows: dict[str, list[StoredMemory]], query: str
    ) -> list[FoundRecord]:
        """The nearest first; those without a text at the end, in the order of the listing."""
        compared_with = [rows[hit.record.name.row_id] for hit in found]
        if not any(compared_with):
            return list(found)
        vector = self._embedder.queries([stored_form(query)])[0]
        scored = [
            replace(hit, cosine=max((float(row.vector @ vector) for row in texts), default=None))
            for hit, texts in zip(found, compared_with, strict=True)
        ]
        return sorted(scored, key=lambda hit: -2.0 if hit.cosine is None else hit.cosine, reverse=True)

    def namespaces(self, prefix: tuple[str, ...]) -> list[tuple[str, ...]]:
        """See `UserMemory.list_namespaces`."""
        checked_labels(prefix)
        rows = self._under(self._workspace.records(self._user), prefix)
        return sorted({decode(row).name.namespace for row in rows})

    def _under(self, rows: Sequence[StoredMemory], prefix: tuple[str, ...]) -> list[StoredMemory]:
        """The first rows of the records whose namespace begins so, but for those that are over."""
        now = self._clock()
        return [
            row
            for row in rows
            if is_first(row)
            and not _is_over(row, now)
            and tuple(row.item.metadata["namespace"][: len(prefix)]) == prefix
        ]


def _groups(records: Sequence[PreparedRecord]) -> Iterator[list[PreparedRecord]]:
    """Parts that one write takes, so that none is cut."""
    group: list[PreparedRecord] = []
    rows = 0
    for record in records:
        if len(group) == _GROUP or rows + len(record.vectors) > WRITE_LIMIT:
            yield group
            group, rows = [], 0
        group.append(record)
        rows += len(record.vectors)
    if group:
        yield group


def _is_over(row: StoredMemory, now: datetime) -> bool:
    return row.item.expires_at is not None and row.item.expires_at <= now


def _pieces(text: str, max_tokens: int) -> list[str]:
    """A text in parts that the embedder reads to their ends."""
    text = text.strip()
    if not text:
        return []
    if estimate_tokens(text) <= max_tokens or len(text) < 2:
        return [text]
    middle = len(text) // 2
    space = text.rfind(" ", middle // 2, middle)  # rather between two words; Chinese has no spaces
    cut = space if space > 0 else middle
    return [*_pieces(text[:cut], max_tokens), *_pieces(text[cut:], max_tokens)]


def _nothing() -> None:
    return None
