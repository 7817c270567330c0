"""What becomes of a new memory beside those that are there: a pure function.

In this order: the same statement, in these or other words, touches the old row, unless it is said of
another `key`; the same `key`, or an accepted `replaces`, retires the old row and takes its place in the
chain of versions; everything else is added. Similarity decides nothing here, because it cannot tell a
duplicate from a contradiction: it only chooses which memories the LLM is shown.

A *change* ends the validity of the old row (at the latest when it began, where the new fact is older
than that); a *correction* retracts it. What was said earlier than the current value of its key (an
old conversation learned late) goes into the past and does not replace it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from langmem_ext.items import (
    FrozenDict,
    MemoryItem,
    MemoryType,
    Metadata,
    Outcome,
    Scope,
    Source,
)
from langmem_ext.ports import MAX_SOURCES, StoredMemory
from langmem_ext.wording import common_form

if TYPE_CHECKING:
    from langmem_ext.ports import Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A memory to be, complete and embedded.

    Attributes:
        observed_at: When it was said.
        replaces: Id of a row of this user that it makes outdated.
        turn_ids: What names the turn it comes from; empty for `remember`.
    """

    scope: Scope
    content: str
    vector: Vector
    memory_type: MemoryType
    observed_at: datetime
    key: str | None = None
    metadata: Metadata = field(default_factory=FrozenDict)
    expires_at: datetime | None = None
    importance: float | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    source: tuple[Source, ...] = ()
    replaces: str | None = None
    correction: bool = False
    turn_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """Outcomes, one per proposal, and the full rows to write in one go."""

    outcomes: tuple[Outcome, ...]
    rows: tuple[StoredMemory, ...]


def reconcile(
    proposals: Sequence[Proposal],
    known: Iterable[StoredMemory],
    *,
    now: datetime,
    new_id: Callable[[], str],
) -> Plan:
    """Decide for each proposal, in order; later ones see what became of earlier ones.

    Args:
        proposals: All of one user.
        known: This user's rows that say what the proposals say, have their keys or their `replaces`
            ids, with all rows of their chains; more do no harm.
        now: The time of writing.
        new_id: Makes ids for new rows.
    """
    book = _Book(known, now)
    outcomes = [book.enter(proposal, new_id) for proposal in proposals]
    # A row may have changed again after its outcome was noted; show it as it will be stored.
    final = [replace(outcome, memory=book.latest(outcome.memory)) for outcome in outcomes]
    return Plan(tuple(final), tuple(book.changed.values()))


class _Book:
    """The rows while proposals are entered one by one."""

    def __init__(self, known: Iterable[StoredMemory], now: datetime) -> None:
        self.rows: dict[str, StoredMemory] = {}
        self.changed: dict[str, StoredMemory] = {}
        self.now = now
        # Ids that ever had a wording or a key: few to look through, instead of all rows per proposal.
        self._by_wording: defaultdict[str, dict[str, None]] = defaultdict(dict)
        self._by_key: defaultdict[str | None, dict[str, None]] = defaultdict(dict)
        for row in known:
            self._note(row)

    def latest(self, item: MemoryItem | None) -> MemoryItem | None:
        return None if item is None else self.rows[item.memory_id].item

    def enter(self, proposal: Proposal, new_id: Callable[[], str]) -> Outcome:
        same = self._same_statement(proposal)
        rivals = [row for row in self._rivals(proposal) if row is not same]
        newer = next((row for row in rivals if row.item.recorded_at > proposal.observed_at), None)
        if newer is not None and same is None:
            return self._into_the_past(proposal, newer, new_id)
        if newer is not None:  # a newer value holds the key: the old sentence is confirmed, no more
            proposal = replace(proposal, key=None)
        row = _new_row(proposal, new_id(), self.now) if same is None else _touched(same, proposal, self.now)
        self._put(row)
        if rivals and newer is None:
            return self._replace(rivals, row, proposal)
        if same is None:
            return Outcome("added", row.item)
        return Outcome("touched", row.item, reason="known already")

    def _put(self, row: StoredMemory) -> None:
        self.changed[row.item.memory_id] = row
        self._note(row)

    def _note(self, row: StoredMemory) -> None:
        memory_id = row.item.memory_id
        known = self.rows.get(memory_id)
        self.rows[memory_id] = row
        if known is None:  # a row's sentence stays what it is
            self._by_wording[common_form(row.item.content)][memory_id] = None
        self._by_key[row.item.key][memory_id] = None

    def _current(self, ids: Iterable[str]) -> list[StoredMemory]:
        rows = (self.rows[memory_id] for memory_id in ids if memory_id in self.rows)
        return [row for row in rows if is_current(row.item, self.now)]

    def _same_statement(self, proposal: Proposal) -> StoredMemory | None:
        """The row that says this, unless it says it of another attribute."""
        rows = self._current(self._by_wording[common_form(proposal.content)])
        keys = (None, proposal.key)
        return next((row for row in rows if proposal.key is None or row.item.key in keys), None)

    def _rivals(self, proposal: Proposal) -> list[StoredMemory]:
        ids = dict(self._by_key[proposal.key]) if proposal.key is not None else {}
        if proposal.replaces is not None:
            ids[proposal.replaces] = None
        return self._current(ids)

    def _replace(self, rivals: Sequence[StoredMemory], row: StoredMemory, proposal: Proposal) -> Outcome:
        """Retire the rivals; their chains become one chain, which the new row heads."""
        chain = rivals[0].chain_id
        merged = {rival.chain_id for rival in rivals} | {row.chain_id}
        for rival in rivals:
            self._put(replace(rival, item=_retired(rival.item, row.item, proposal, self.now)))
        retired = tuple(rival.item.memory_id for rival in rivals)
        item = replace(row.item, supersedes=(*row.item.supersedes, *retired))
        self._put(replace(row, item=item))
        for member in [member for member in self.rows.values() if member.chain_id in merged - {chain}]:
            self._put(replace(member, chain_id=chain))
        return Outcome("replaced", item, previous=rivals[0].item)

    def _into_the_past(self, proposal: Proposal, newer: StoredMemory, new_id: Callable[[], str]) -> Outcome:
        for memory_id in self._by_wording[common_form(proposal.content)]:
            old = self.rows[memory_id]
            if old.chain_id == newer.chain_id:  # an old version says so already
                self._put(replace(old, turn_ids=_with_turns(old.turn_ids, proposal.turn_ids)))
                return Outcome("touched", old.item, reason="known already, as history")
        row = _new_row(proposal, new_id(), self.now)
        until = min(newer.item.valid_from, row.item.valid_until or newer.item.valid_from)
        until = max(until, row.item.valid_from)
        past = replace(
            row.item,
            valid_until=until,
            superseded_by=newer.item.memory_id,
        )
        self._put(replace(row, item=past, chain_id=newer.chain_id))
        return Outcome("added", past, reason="said before the current value; kept as history")


def merge(
    rows: Sequence[StoredMemory], known: Iterable[StoredMemory], *, now: datetime
) -> list[StoredMemory]:
    """The rows of an import that are to be written beside all rows that are there.

    An id that is there, and a chain whose current sentence is there, are skipped. Where both have
    a current value for a key, the one that is there stays current and the other becomes its history.
    """
    there = list(known)
    ids = {row.item.memory_id for row in there}
    current = [row for row in there if is_current(row.item, now)]
    said = {common_form(row.item.content) for row in current}
    holders = {row.item.key: row for row in current if row.item.key is not None}
    new = [row for row in rows if row.item.memory_id not in ids]
    doubled: set[str] = set()
    rivals: dict[str, StoredMemory] = {}
    for head in (row for row in new if is_current(row.item, now)):
        sentence = common_form(head.item.content)
        if sentence in said:
            doubled.add(head.chain_id)
            continue
        said.add(sentence)
        if head.item.key is not None and holders.setdefault(head.item.key, head) is not head:
            rivals[head.chain_id] = holders[head.item.key]
    return [_behind(row, rivals.get(row.chain_id), now) for row in new if row.chain_id not in doubled]


def _behind(row: StoredMemory, holder: StoredMemory | None, now: datetime) -> StoredMemory:
    """An imported row as history of the one that holds its key."""
    if holder is None:
        return row
    item = row.item
    if is_current(item, now):
        over = item.valid_from >= holder.item.valid_from
        item = replace(
            item,
            superseded_by=holder.item.memory_id,
            retracted_at=now if over else None,
            valid_until=item.valid_until if over else holder.item.valid_from,
            updated_at=now,
        )
    return replace(row, item=item, chain_id=holder.chain_id)


def is_current(item: MemoryItem, now: datetime) -> bool:
    """Whether a row takes part in reconciling: not retired, not over, not expired."""
    return (
        item.retracted_at is None
        and item.superseded_by is None
        and (item.valid_until is None or item.valid_until > now)
        and (item.expires_at is None or item.expires_at > now)
    )


def _new_row(proposal: Proposal, memory_id: str, now: datetime) -> StoredMemory:
    item = MemoryItem(
        memory_id=memory_id,
        user_id=proposal.scope.user_id,
        content=proposal.content,
        memory_type=proposal.memory_type,
        metadata=proposal.metadata,
        created_at=now,
        updated_at=now,
        expires_at=proposal.expires_at,
        agent_id=proposal.scope.agent_id,
        session_id=proposal.scope.session_id,
        key=proposal.key,
        importance=proposal.importance,
        valid_from=proposal.valid_from or proposal.observed_at,
        valid_until=proposal.valid_until,
        recorded_at=proposal.observed_at,
        source=proposal.source,
    )
    return StoredMemory(item, memory_id, proposal.vector, _with_turns((), proposal.turn_ids))


def _touched(row: StoredMemory, proposal: Proposal, now: datetime) -> StoredMemory:
    """The row after it was said again: evidence added, metadata merged, the later end kept.

    In a conversation no end was mentioned where there is none; `remember` means it: without end.
    """
    item = row.item
    learned = bool(proposal.turn_ids)
    added = tuple(source for source in proposal.source if source not in item.source)
    sources = (*item.source, *added)
    item = replace(
        item,
        updated_at=now,
        key=item.key or proposal.key,
        metadata=FrozenDict({**item.metadata, **proposal.metadata}),
        expires_at=_later(item.expires_at, proposal.expires_at or (item.expires_at if learned else None)),
        valid_until=_later(item.valid_until, proposal.valid_until or (item.valid_until if learned else None)),
        importance=max((i for i in (item.importance, proposal.importance) if i is not None), default=None),
        recorded_at=max(item.recorded_at, proposal.observed_at),
        source=sources[:1] + sources[1:][-(MAX_SOURCES - 1) :],
    )
    return replace(row, item=item, turn_ids=_with_turns(row.turn_ids, proposal.turn_ids))


def _retired(old: MemoryItem, new: MemoryItem, proposal: Proposal, now: datetime) -> MemoryItem:
    if proposal.correction:
        return replace(old, retracted_at=now, superseded_by=new.memory_id, updated_at=now)
    until = max(proposal.valid_from or proposal.observed_at, old.valid_from)
    return replace(old, valid_until=until, superseded_by=new.memory_id, updated_at=now)


def _with_turns(turn_ids: tuple[str, ...], new: tuple[str, ...]) -> tuple[str, ...]:
    return (*turn_ids, *(name for name in new if name not in turn_ids))[-MAX_SOURCES:]


def _later(one: datetime | None, other: datetime | None) -> datetime | None:
    return None if one is None or other is None else max(one, other)
