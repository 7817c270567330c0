"""Results of the magics: those of the API, with more to open and to copy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from langmem_ext.display import cells, shown, views
from langmem_ext.display.parts import Code, Table, Text, View
from langmem_ext.display.words import Words
from langmem_ext.items import ForgetAnswer, HistoryEvent, MemoryItem, Page, RecallResult

if TYPE_CHECKING:
    from langmem_ext.user_memory import UserMemory

_MOST_HISTORIES = 50


@shown(lambda value: views.recall(value, value.histories))
@dataclass(frozen=True, slots=True)
class RecallWithHistories(RecallResult):
    """A search result whose table opens the history of what has changed."""

    histories: Mapping[str, Sequence[HistoryEvent]] = field(default_factory=dict, compare=False)


@shown(lambda value: views.page(value, value.histories))
@dataclass(frozen=True, slots=True)
class PageWithHistories(Page):
    """A page whose table opens the history of what has changed."""

    histories: Mapping[str, Sequence[HistoryEvent]] = field(default_factory=dict, compare=False)


def _question(value: ForgetAnswer) -> View:
    if value.status == "everything":
        line = "nothing was deleted: that asks for everything, which is"
        return View([Text(line), Code("%memory delete --all --yes")])
    if value.status != "confirm":
        return views.forgotten(value)
    words = Words(item.content for item in value.candidates)
    rows = [
        [
            cells.memory(item, words),
            cells.memory_type(item, words),
            cells.validity(item, words),
            Code(f"%memory forget --confirm {cells.short_id(item.memory_id)}"),
        ]
        for item in value.candidates
    ]
    line = words("nothing was deleted: these may be meant; run the line beside the one that shall go")
    names = [words(name) for name in ("Memory", "Type", "Valid", "To delete it")]
    return View([Text(line), Table(names, rows)])


@shown(_question)
class ForgetQuestion(ForgetAnswer):
    """What came of a `forget`, with the line to run where somebody has to choose."""

    __slots__ = ()


def with_histories(user: UserMemory, result: RecallResult) -> RecallWithHistories:
    """A search result with the histories of those hits that have one."""
    known = _histories(user, [hit.memory for hit in result])
    parts = {name: getattr(result, name) for name in RecallResult.__dataclass_fields__}
    return RecallWithHistories(**parts, histories=known)


def page_with_histories(user: UserMemory, page: Page) -> PageWithHistories:
    """A page with the histories of those memories that have one."""
    return PageWithHistories(page.memories, page.cursor, _histories(user, page.memories))


def _histories(user: UserMemory, items: Sequence[MemoryItem]) -> dict[str, Sequence[HistoryEvent]]:
    changed = [item.memory_id for item in items if item.supersedes][:_MOST_HISTORIES]
    return {memory_id: user.history(memory_id) for memory_id in changed}
