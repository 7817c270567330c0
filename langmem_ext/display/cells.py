"""The cells of a table of memories."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from langmem_ext.display.escaping import shortened
from langmem_ext.display.parts import NOTHING, Badge, Bar, Code, Folded, Part, Row, Stack, Table, Text
from langmem_ext.display.words import Words, day, instant

if TYPE_CHECKING:
    from langmem_ext.items import HistoryEvent, MemoryItem, ScoredMemory, Source

COLOURS: Final = {"semantic": (59, 130, 246), "episodic": (245, 158, 11), "procedural": (16, 185, 129)}
_GREY: Final = (128, 128, 128)
_ACTION_COLOURS: Final = {
    "added": (16, 185, 129),
    "recorded": (16, 185, 129),
    "replaced": (59, 130, 246),
    "rejected": (239, 68, 68),
    "retracted": (239, 68, 68),
}
_LONGEST_QUOTE: Final = 48
_MOST_SOURCES = 10
ID_SHOWN: Final = 8  # hex digits: enough to name one of a user's memories


def short_id(memory_id: str) -> str:
    """An id as tables show it: the beginning of a long one."""
    return memory_id[:ID_SHOWN] if len(memory_id) > 2 * ID_SHOWN else memory_id


def memory(item: MemoryItem, words: Words, history: Sequence[HistoryEvent] = ()) -> Part:
    """What it says; below that its id and key; and its history, to be opened, where it is known."""
    about: list[Part] = [Code(short_id(item.memory_id))]
    about += [Text(item.key, muted=True)] if item.key else []
    parts: list[Part] = [Text(item.content), Row(about)]
    versions = {event.memory.memory_id: event.memory for event in history}
    if len(versions) > 1:
        line = Text(words("history: {0} versions", len(versions)), muted=True)
        parts.append(Folded(line, Stack([_version(one, words) for one in versions.values()])))
    elif item.supersedes:
        parts.append(Text(words("replaces {0} older", len(item.supersedes)), muted=True))
    return Stack(parts)


def _version(item: MemoryItem, words: Words) -> Part:
    """On one line: a table would push the columns beside it out of sight."""
    return Row([Text(validity(item, words).text(), muted=True), Text(item.content)])


def memory_type(item: MemoryItem, words: Words) -> Part:
    """The type, coloured."""
    return Badge(words(item.memory_type), COLOURS.get(item.memory_type, _GREY))


def action(name: str, words: Words) -> Part:
    """What happened, coloured."""
    return Badge(words(name), _ACTION_COLOURS.get(name, _GREY))


def score(hit: ScoredMemory, words: Words) -> Part:
    """The score as a bar, with the similarity below."""
    if hit.similarity is None:
        return Bar(hit.score)
    return Stack([Bar(hit.score), Text(words("similarity {0}", f"{hit.similarity:.2f}"), muted=True)])


def age(item: MemoryItem, words: Words) -> Part:
    """How long ago it was last said."""
    return Text(words.age(item.recorded_at), title=instant(item.recorded_at), whole=True)


def validity(item: MemoryItem, words: Words) -> Part:
    """From when until when the fact is true, as far as is known."""
    start = day(item.valid_from)
    if item.valid_until is None:
        parts: list[Part] = [Text(words("since {0}", start), whole=True)]
    else:
        parts = [Text(words("{0} to {1}", start, day(item.valid_until)), whole=True)]
    if item.retracted_at is not None:
        parts.append(Text(words("taken back {0}", day(item.retracted_at)), muted=True, whole=True))
    if item.expires_at is not None:
        parts.append(Text(words("expires {0}", day(item.expires_at)), muted=True, whole=True))
    return Stack(parts) if len(parts) > 1 else parts[0]


def evidence(item: MemoryItem, words: Words) -> Part:
    """The last quote; all of them, with who said it and in which message, to be opened."""
    if not item.source:
        return NOTHING
    last = item.source[-1]
    line = Row([Text(_quoted(last, _LONGEST_QUOTE)), Text(last.speaker, muted=True)])
    inside: list[Part] = [_whole(source) for source in reversed(item.source[-_MOST_SOURCES:])]
    if len(item.source) > _MOST_SOURCES:
        inside.append(Text(words("+{0} more", len(item.source) - _MOST_SOURCES), muted=True))
    return Folded(line, Stack(inside))


def metadata(item: MemoryItem) -> Part:
    """The caller's own fields as JSON."""
    if not item.metadata:
        return NOTHING
    return Text(json.dumps(dict(item.metadata), ensure_ascii=False, default=str))


def events(history: Sequence[HistoryEvent], words: Words) -> Table:
    """What happened to a fact, oldest first."""
    return Table(
        [words("When"), words("What"), words("Memory"), words("Valid"), words("Evidence")],
        [
            [
                Text(day(event.at), title=instant(event.at), whole=True),
                action(event.action, words),
                Stack([Text(event.memory.content), Code(short_id(event.memory.memory_id))]),
                validity(event.memory, words),
                evidence(event.memory, words),
            ]
            for event in history
        ],
    )


def _quoted(source: Source, longest: int) -> str:
    return f"“{shortened(source.quote, longest)}”"


def _whole(source: Source) -> Part:
    return Row(
        [
            Text(_quoted(source, 500)),
            Text(source.speaker, muted=True),
            Code(shortened(source.message_id, 60)),  # whole: delete_source() takes it
        ]
    )
