"""Passages to be found and questions that say which: values, and the JSON lines that they come from."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from langmem_ext.errors import InvalidInputError
from langmem_ext.items import MemoryItem, as_utc
from langmem_ext.memory import LongTermMemory
from langmem_ext.text import comparison_key

_START = datetime(2000, 1, 1, tzinfo=UTC)  # for passages that do not say when
ONLY_USER = "user"


@dataclass(frozen=True, slots=True)
class Passage:
    """A memory, or a turn of a conversation, that a question can ask for.

    Attributes:
        passage_id: Names it in the labels; unique for a user.
        content: The text.
        user_id: Whose it is; a question is put to the passages of its own user.
        session_id: The conversation that it is from; passages stand beside each other in the order given.
        said_at: When it was said; None where nobody knows.
    """

    passage_id: str
    content: str
    user_id: str = ONLY_USER
    session_id: str | None = None
    said_at: datetime | None = None

    def as_memory(self) -> MemoryItem:
        """The memory that it would be."""
        when = self.said_at or _START
        return MemoryItem(
            memory_id=self.passage_id,
            user_id=self.user_id,
            content=self.content,
            memory_type="episodic",
            created_at=when,
            updated_at=when,
            valid_from=when,
            recorded_at=when,
            session_id=self.session_id,
        )


@dataclass(frozen=True, slots=True)
class LabelledQuestion:
    """A question, and which passages answer it.

    Attributes:
        query: What is asked.
        relevant: Ids of the passages that should come back, or
        texts: their texts. Neither: nothing answers it.
        user_id: Whose memories are asked.
        asked_at: What "last week" is counted from; None: a day after the user's last passage.
        outdated: Ids of passages that a newer one replaced: they should rank below the relevant ones.
        group: A name under which figures are broken down.
    """

    query: str
    relevant: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    user_id: str = ONLY_USER
    asked_at: datetime | None = None
    outdated: tuple[str, ...] = ()
    group: str = ""


def read_passages(file: str | Path) -> list[Passage]:
    """Passages from JSON lines: `content`, and where there is one `id`, `user`, `session`, `time`.

    Raises:
        InvalidInputError: a line that cannot be read; names it.
    """
    found: list[Passage] = []
    for number, record in _records(file):
        content = _text(record, ("content", "text"), number)
        when = record.get("time")
        found.append(
            Passage(
                str(record.get("id", number)),
                content,
                str(record.get("user", ONLY_USER)),
                None if record.get("session") is None else str(record["session"]),
                None if when is None else as_utc(when, f"line {number}: time"),
            )
        )
    return found


def read_questions(file: str | Path) -> list[LabelledQuestion]:
    """Questions from JSON lines.

    `query`, and `ids` or `texts` of what should come back (neither: nothing should); where there is one
    `user`, `asked_at`, `outdated` (ids) and `group`.

    Raises:
        InvalidInputError: a line that cannot be read; names it.
    """
    found: list[LabelledQuestion] = []
    for number, record in _records(file):
        when = record.get("asked_at")
        found.append(
            LabelledQuestion(
                _text(record, ("query", "question"), number),
                _texts(record, "ids", number),
                _texts(record, "texts", number),
                str(record.get("user", ONLY_USER)),
                None if when is None else as_utc(when, f"line {number}: asked_at"),
                _texts(record, "outdated", number),
                str(record.get("group", "")),
            )
        )
    return found


def passages_of(memory: LongTermMemory, users: Sequence[str] | None = None) -> list[Passage]:
    """The current memories of these users, or of all, with their memory ids; no recall is counted."""
    return [
        Passage(item.memory_id, item.content, user, item.session_id, item.recorded_at)
        for user in (memory.users() if users is None else users)
        for item in memory.for_user(user).iter_memories()
    ]


def labelled_ids(question: LabelledQuestion, passages: Sequence[Passage]) -> frozenset[str]:
    """The ids of the passages that answer a question, among those of its user.

    Raises:
        InvalidInputError: an id or a text that no passage has: a figure with it would be too low.
    """
    by_text: dict[str, list[str]] = {}
    for passage in passages:
        by_text.setdefault(comparison_key(passage.content), []).append(passage.passage_id)
    known = {passage.passage_id for passage in passages}
    missing = [name for name in question.relevant if name not in known]
    missing += [text for text in question.texts if comparison_key(text) not in by_text]
    if missing:
        raise InvalidInputError(f"the question {question.query!r} wants {missing[0]!r}, which is no passage")
    found = set(question.relevant)
    found.update(name for text in question.texts for name in by_text[comparison_key(text)])
    return frozenset(found)


def _records(file: str | Path) -> Iterator[tuple[int, dict[str, Any]]]:
    with open(file, encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except ValueError as error:
                raise InvalidInputError(f"{file}, line {number}: no JSON") from error
            if not isinstance(record, dict):
                raise InvalidInputError(f"{file}, line {number}: expected an object")
            yield number, record


def _text(record: dict[str, Any], names: tuple[str, ...], number: int) -> str:
    for name in names:
        if isinstance(record.get(name), str):
            return str(record[name])
    raise InvalidInputError(f"line {number}: {names[0]} must be a string")


def _texts(record: dict[str, Any], name: str, number: int) -> tuple[str, ...]:
    value = record.get(name, [])
    if not isinstance(value, list):
        raise InvalidInputError(f"line {number}: {name} must be a list")
    return tuple(str(entry) for entry in value)
