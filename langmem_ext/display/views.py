"""What there is to see of each value; the values name these functions in `@shown("…")`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from langmem_ext.display import cells
from langmem_ext.display.parts import NOTHING, Block, Code, Part, Table, Text, View
from langmem_ext.display.words import Words, instant

if TYPE_CHECKING:
    from langmem_ext.items import (
        AddResult,
        ForgetAnswer,
        HistoryEvent,
        MemoryItem,
        Outcome,
        Page,
        RecalledContext,
        RecallResult,
        ScoredMemory,
    )
    from langmem_ext.receipts import (
        DeletionReceipt,
        ErasureReceipt,
        FlushReport,
        ImportReport,
        RepairReport,
        SweepReport,
    )

    Histories = Mapping[str, Sequence[HistoryEvent]]

_MOST_ROWS: Final = 100


def item(value: MemoryItem) -> View:
    """One memory, field by field."""
    words = Words([value.content])
    labels = [f"{name}: {label}" for name in ("agent_id", "session_id") if (label := getattr(value, name))]
    fields: dict[str, Part] = {
        "Memory": Text(value.content),
        "Type": cells.memory_type(value, words),
        "Key": Text(value.key or ""),
        "Valid": cells.validity(value, words),
        "Said": cells.age(value, words),
        "Evidence": cells.evidence(value, words),
        "Metadata": cells.metadata(value),
        "Labels": Text(", ".join(labels)),
        "Importance": NOTHING if value.importance is None else Text(f"{value.importance:.2f}"),
        "Recalled": Text(words("{0} times", value.access_count)) if value.access_count else NOTHING,
        "Id": Code(value.memory_id),
    }
    rows = [[Text(words(name), muted=True), part] for name, part in fields.items() if part != NOTHING]
    return View([Table(["", ""], rows)])


def memories(items: Sequence[MemoryItem], histories: Histories | None = None) -> Part:
    """A table of memories."""
    words = Words(entry.content for entry in items)
    rows = [
        [
            cells.memory(entry, words, (histories or {}).get(entry.memory_id, ())),
            cells.memory_type(entry, words),
            cells.age(entry, words),
            cells.validity(entry, words),
            cells.evidence(entry, words),
            cells.metadata(entry),
        ]
        for entry in items[:_MOST_ROWS]
    ]
    return Table([words(name) for name in ("Memory", "Type", "Said", "Valid", "Evidence", "Metadata")], rows)


def page(value: Page, histories: Histories | None = None) -> View:
    """A page of memories."""
    if not value.memories:
        return View([Text("no memories", muted=True)])
    parts = [memories(value.memories, histories)]
    parts += _not_shown(len(value))
    if value.cursor is not None:
        parts.append(Text(f"there are more: cursor={value.cursor!r}", muted=True))
    return View(parts)


def hits(found: Sequence[ScoredMemory], histories: Histories | None = None) -> Part:
    """A table of recalled memories, best first."""
    words = Words(hit.content for hit in found)
    rows = [
        [
            cells.memory(hit.memory, words, (histories or {}).get(hit.memory_id, ())),
            cells.memory_type(hit.memory, words),
            cells.score(hit, words),
            cells.age(hit.memory, words),
            cells.validity(hit.memory, words),
            cells.evidence(hit.memory, words),
        ]
        for hit in found[:_MOST_ROWS]
    ]
    return Table([words(name) for name in ("Memory", "Type", "Score", "Said", "Valid", "Evidence")], rows)


def scored(value: ScoredMemory) -> View:
    """One recalled memory."""
    return View([hits([value])])


def recall(value: RecallResult, histories: Histories | None = None) -> View:
    """What a search found, and what it could not do."""
    parts = [hits(value.memories, histories)] if len(value) else [Text("nothing found", muted=True)]
    return View([*parts, *_not_shown(len(value)), *_shortcomings(value)])


def context(value: RecalledContext) -> View:
    """The block for the prompt, and the memories in it."""
    if not value.text:
        return View([Text("nothing recalled: the block is empty", muted=True), *_shortcomings(value)])
    count = f"{_counted(len(value.memories), 'memory')} in the block, {value.left_out} left out"
    return View([Block(value.text), Text(count, muted=True), hits(value.memories), *_shortcomings(value)])


def added(value: AddResult) -> View:
    """What became of each candidate."""
    if value.error is not None:
        again = "the same call may succeed later" if value.error.retryable else "trying again will not help"
        line = f"failed ({value.error.kind}): {value.error.message}; {again}"
        return View([Text(line), *([_outcomes(value.outcomes)] if value.outcomes else [])])
    if not value.outcomes:
        return View([Text("nothing to learn here", muted=True)])
    words = Words(learned.content for learned in value.memories)
    counts = Counter(outcome.action for outcome in value.outcomes)
    line = ", ".join(words(f"{{0}} {name}", count) for name, count in counts.items())
    if value.usage.calls:
        line += f" · {_counted(value.usage.calls, 'LLM call')}"
    if tokens := value.usage.prompt_tokens + value.usage.completion_tokens:
        line += f", {_counted(tokens, 'token')}"
    return View([Text(line, muted=True), _outcomes(value.outcomes)])


def _outcomes(outcomes: Sequence[Outcome]) -> Part:
    words = Words(outcome.memory.content for outcome in outcomes if outcome.memory is not None)
    rows = [_outcome(outcome, words) for outcome in outcomes[:_MOST_ROWS]]
    names = ("Action", "Memory", "Type", "Valid", "Evidence", "Before", "Why")
    return Table([words(name) for name in names], rows)


def _outcome(outcome: Outcome, words: Words) -> list[Part]:
    of_memory: list[Part] = [NOTHING] * 4
    if (learned := outcome.memory) is not None:
        of_memory = [
            cells.memory(learned, words),
            cells.memory_type(learned, words),
            cells.validity(learned, words),
            cells.evidence(learned, words),
        ]
    before = NOTHING if outcome.previous is None else Text(outcome.previous.content)
    return [cells.action(outcome.action, words), *of_memory, before, Text(outcome.reason or "")]


def forgotten(value: ForgetAnswer) -> View:
    """What is gone, or what may be meant."""
    listed = value.deleted or value.candidates
    words = Words(entry.content for entry in listed)
    lines = {
        "deleted": words("deleted, with all versions: {0}", len(value.deleted)),
        "confirm": words("nothing was deleted: these may be meant; confirm with confirm_ids=[…]"),
        "no_match": "nothing was deleted: no memory has these words",
        "everything": "nothing was deleted: that asks for everything, which is delete_all()",
        "no_request": "nothing was deleted: that does not ask to forget something",
    }
    return View([Text(lines[value.status]), *([memories(listed)] if listed else [])])


def history(value: Sequence[HistoryEvent]) -> View:
    """The life of a memory."""
    if not value:
        return View([Text("no history", muted=True)])
    return View([cells.events(value, Words(event.memory.content for event in value))])


def event(value: HistoryEvent) -> View:
    """One step of it."""
    return history([value])


def deletion(value: DeletionReceipt) -> View:
    """What a deletion removed."""
    counts = f"{_counted(value.memories, 'memory')} deleted, {_counted(value.versions, 'version')} in all"
    parts: list[Part] = [Text(counts, title=instant(value.deleted_at))]
    return View([*parts, *([] if value.erasure is None else erasure(value.erasure).parts)])


def erasure(value: ErasureReceipt) -> View:
    """What became of the files."""
    if value.out_of_reach is not None:
        return View([Text(f"not erased, out of reach: {value.out_of_reach}")])
    line = (
        f"{_counted(value.shards, 'part')} of the store written anew, {_counted(value.rows_kept, 'row')} kept"
    )
    if value.searched:
        where = f"{_counted(value.files_scanned, 'file')}, {value.bytes_scanned / 1e6:.1f} MB"
        found = f"traces left in {', '.join(value.traces)}" if value.traces else "no trace left"
        line += f"; {found} ({where} searched)"
    return View([Text(line)])


def swept(value: SweepReport) -> View:
    """What expired and is gone."""
    gone = _counted(value.removed, "expired row")
    return View([Text(f"{gone} of {_counted(value.users, 'user')} removed")])


def flushed(value: FlushReport) -> View:
    """What was learned in the background."""
    line = f"{value.learned} learned, {value.waiting} waiting, {value.failed} failed"
    line += f" · {_counted(value.access_counts, 'access count')} written"
    return View([Text(line), *([Text(f"last error: {value.error}")] if value.error else [])])


def repaired(value: RepairReport) -> View:
    """What was built anew."""
    return View([Text(f"{_counted(len(value.shards), 'part')} built anew, {_counted(value.rows, 'row')}")])


def imported(value: ImportReport) -> View:
    """What came in."""
    return View([Text(f"{_counted(value.imported, 'row')} imported, {value.skipped} known already")])


def _counted(count: int, name: str) -> str:
    if count == 1:
        return f"1 {name}"
    return f"{count:,} {name[:-1] + 'ies' if name.endswith('y') else name + 's'}"


def _not_shown(count: int) -> list[Part]:
    return [Text(f"{count - _MOST_ROWS:,} more", muted=True)] if count > _MOST_ROWS else []


def _shortcomings(value: RecallResult | RecalledContext) -> list[Part]:
    parts: list[Part] = []
    if value.degraded:
        parts.append(Text(f"unavailable: {', '.join(value.degraded)}; found by the rest", muted=True))
    if value.withheld:
        parts.append(Text(f"{value.withheld} near, but about something else, left out", muted=True))
    return parts
