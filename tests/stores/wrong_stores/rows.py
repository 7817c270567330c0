"""Faults in keeping and listing rows."""

from __future__ import annotations

import time
import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from langmem_ext.items import FrozenDict
from langmem_ext.ports import WRITE_LIMIT, EmbedderFingerprint, StoredMemory
from langmem_ext.testing import InMemoryStore
from tests.stores.wrong_stores.base import Finder, Rows, seen_by


@seen_by("a_row_comes_back_with_every_field_and_type", "erasing_keeps_what_was_not_deleted")
class LosesTheKey(InMemoryStore):
    def write(self, user_id: str, rows: Sequence[StoredMemory]) -> None:
        super().write(user_id, [replace(row, item=replace(row.item, key=None)) for row in rows])


@seen_by("metadata_comes_back_with_equal_values_and_types")
class NumbersBecomeFloats(InMemoryStore):
    def write(self, user_id: str, rows: Sequence[StoredMemory]) -> None:
        super().write(user_id, [self.floated(row) for row in rows])

    @staticmethod
    def floated(row: StoredMemory) -> StoredMemory:
        made = {name: float(v) if type(v) is int else v for name, v in row.item.metadata.items()}
        return replace(row, item=replace(row.item, metadata=FrozenDict(made)))


@seen_by("a_write_replaces_the_whole_row")
class MergesMetadata(InMemoryStore):
    def write(self, user_id: str, rows: Sequence[StoredMemory]) -> None:
        super().write(user_id, [self.merged(row, self._rows[user_id]) for row in rows])

    @staticmethod
    def merged(row: StoredMemory, stored: Mapping[str, StoredMemory]) -> StoredMemory:
        old = stored.get(row.item.memory_id, row).item.metadata
        return replace(row, item=replace(row.item, metadata=FrozenDict({**old, **row.item.metadata})))


@seen_by("rows_inherit_nothing_from_rows_that_are_gone")
class InheritsTurns(InMemoryStore):
    def delete(self, user_id: str, memory_ids: Sequence[str]) -> int:
        self.gone = self.read(user_id, memory_ids)
        return super().delete(user_id, memory_ids)

    def write(self, user_id: str, rows: Sequence[StoredMemory]) -> None:
        turns = {row.item.memory_id: row.turn_ids for row in getattr(self, "gone", ())}
        super().write(
            user_id, [replace(row, turn_ids=turns.get(row.item.memory_id, row.turn_ids)) for row in rows]
        )


@seen_by("read_answers_in_the_order_asked_and_leaves_out_what_is_unknown")
class ReadsInItsOwnOrder(InMemoryStore):
    def read(self, user_id: str, memory_ids: Sequence[str]) -> list[StoredMemory]:
        return sorted(super().read(user_id, memory_ids), key=lambda row: row.sequence)


@seen_by("an_id_that_is_named_twice_is_one_row", "delete_counts_what_was_there")
class CountsRequests(InMemoryStore):
    def delete(self, user_id: str, memory_ids: Sequence[str]) -> int:
        super().delete(user_id, memory_ids)
        return len(memory_ids)


@seen_by("find_follows_the_first_write_of_each_row", "writes_go_on_after_erasing")
class ListsByTheLastWrite(InMemoryStore):
    def write(self, user_id: str, rows: Sequence[StoredMemory]) -> None:
        for row in rows:
            self._rows[user_id].pop(row.item.memory_id, None)
        super().write(user_id, [replace(row, sequence=0.0) for row in rows])


@seen_by("a_row_that_is_written_blindly_again_keeps_its_place")
class NumbersBlindWritesAnew(InMemoryStore):
    def write(self, user_id: str, rows: Sequence[StoredMemory]) -> None:
        for row in rows:
            if not row.sequence:
                self._rows[user_id].pop(row.item.memory_id, None)
        super().write(user_id, rows)


@seen_by("find_follows_the_first_write_of_each_row", "threads_that_write_at_once_lose_nothing")
class OneNumberForAll(InMemoryStore):
    def __init__(self, fingerprint: EmbedderFingerprint) -> None:
        super().__init__(fingerprint)
        self._numbers = iter(lambda: 1, 0)


@seen_by("limit_takes_the_oldest")
class LimitTakesTheNewest(Finder):
    def found(self, user_id: str, filters: Any = None, when: Any = None, limit: Any = None) -> Rows:
        return super().found(user_id, filters, when)[-(limit or 10**9) :]


@seen_by("a_filter_is_one_condition_beside_time_and_limit")
class LimitsBeforeItFilters(Finder):
    def found(self, user_id: str, filters: Any = None, when: Any = None, limit: Any = None) -> Rows:
        first = super().found(user_id, None, None, limit)
        return [row for row in super().found(user_id, filters, when) if row in first]


@seen_by("no_row_is_lost_to_the_size_of_a_request")
class AnswersOnePage(Finder):
    def found(self, user_id: str, filters: Any = None, when: Any = None, limit: Any = None) -> Rows:
        return super().found(user_id, filters, when, min(limit or 1000, 1000))


@seen_by("valid_at_is_the_rule_of_the_memory_itself")
class IgnoresTime(Finder):
    def found(self, user_id: str, filters: Any = None, when: Any = None, limit: Any = None) -> Rows:
        return super().found(user_id, filters, None, limit)


@seen_by("no_look_alike_user_meets_another", "no_filter_widens_the_scope", "delete_counts_what_was_there")
class IgnoresTheUser(Finder):
    def found(self, user_id: str, filters: Any = None, when: Any = None, limit: Any = None) -> Rows:
        everyone = [super(IgnoresTheUser, self).found(name, filters) for name in list(self._rows)]
        return [row for rows in everyone for row in rows][:limit]


class Folded(dict[str, Any]):
    """A dict in which é and e + accent are one key."""

    def __setitem__(self, key: str, value: Any) -> None:
        super().__setitem__(unicodedata.normalize("NFC", key), value)


@seen_by("no_look_alike_user_meets_another")
class TrimsUsers(Finder):
    def found(self, user_id: str, filters: Any = None, when: Any = None, limit: Any = None) -> Rows:
        return super().found(user_id.strip(), filters, when, limit)


@seen_by("no_look_alike_id_meets_another")
class FoldsIds(InMemoryStore):
    def __init__(self, fingerprint: EmbedderFingerprint) -> None:
        super().__init__(fingerprint)
        self._rows = defaultdict(Folded)


@seen_by("deleting_nothing_deletes_nothing")
class DeletesAllForNothing(InMemoryStore):
    def delete(self, user_id: str, memory_ids: Sequence[str]) -> int:
        return super().delete(user_id, memory_ids or self.find_ids(user_id))


@seen_by("writing_nothing_is_fine_and_too_much_is_refused_whole")
class TakesAnyNumber(InMemoryStore):
    def write(self, user_id: str, rows: Sequence[StoredMemory]) -> None:
        for start in range(0, len(rows), WRITE_LIMIT):
            super().write(user_id, rows[start : start + WRITE_LIMIT])


@seen_by("a_row_of_somebody_else_is_refused_with_all_beside_it")
class WritesUpToTheFault(InMemoryStore):
    def write(self, user_id: str, rows: Sequence[StoredMemory]) -> None:
        for row in rows:
            super().write(user_id, [row])


@seen_by("counting_accesses_changes_rows_that_are_there_and_nothing_else_of_them")
class ForgetsEarlierAccesses(InMemoryStore):
    def count_accesses(
        self, user_id: str, accesses: Mapping[str, tuple[int, datetime]]
    ) -> list[StoredMemory]:
        before = self.read(user_id, list(accesses))
        self.write(user_id, [replace(row, item=replace(row.item, access_count=0)) for row in before])
        return super().count_accesses(user_id, accesses)


@seen_by("threads_that_write_at_once_lose_nothing")
class WritesWithoutALock(InMemoryStore):
    def write(self, user_id: str, rows: Sequence[StoredMemory]) -> None:
        before = dict(self._rows[user_id])
        time.sleep(0.001)
        super().write(user_id, rows)
        written = {row.item.memory_id: self._rows[user_id][row.item.memory_id] for row in rows}
        self._rows[user_id] = before | written
