"""Dialogues with the memories that should and should not come out of them; FORMAT.md describes the file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TypeAlias

LANGUAGES = ("en", "zh")
CATEGORIES = (
    "preference",
    "identity",
    "correction",
    "plan",
    "order",
    "joke",
    "other_person",
    "secret",
    "ticket",
    "small_talk",
)
Spellings: TypeAlias = tuple[str, ...]
_DATE = re.compile(r"\d{4}(-\d\d(-\d\d)?)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """A memory that should come out, or with `optional` one that may.

    `valid_from` and `valid_until` are days, months or years, any of which counts.
    """

    must: tuple[Spellings, ...]
    without: Spellings = ()
    key: str | None = None
    valid_from: tuple[str, ...] = ()
    valid_until: tuple[str, ...] = ()
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Forbidden:
    """Words that no memory may contain together, save one that also contains a word of `unless`."""

    all: tuple[Spellings, ...]
    unless: Spellings = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialogue:
    """One line of a set. `messages` are dicts as `user.add` takes them."""

    id: str
    language: str
    category: str
    observed_at: datetime
    messages: tuple[dict[str, str], ...]
    expected: tuple[Expected, ...]
    forbidden: tuple[Forbidden, ...]

    def turns(self) -> list[list[dict[str, str]]]:
        """The messages in turns: what users say up to and including the assistant's reply."""
        turns: list[list[dict[str, str]]] = []
        before = "assistant"
        for message in self.messages:
            if message["role"] == "user" and before == "assistant":
                turns.append([])
            turns[-1].append(message)
            before = message["role"]
        return turns


def load(path: Path) -> list[Dialogue]:
    """The dialogues of a file.

    Raises:
        ValueError: a line is not as FORMAT.md says; the message names the line.
    """
    dialogues: list[Dialogue] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            dialogues.append(parse(json.loads(line)))
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path.name}, line {number}: {error!r}") from error
    ids = [dialogue.id for dialogue in dialogues]
    if twice := {name for name in ids if ids.count(name) > 1}:
        raise ValueError(f"{path.name}: ids are there twice: {', '.join(sorted(twice))}")
    return dialogues


def parse(record: dict[str, Any]) -> Dialogue:
    """One dialogue from its JSON object; ValueError, TypeError or KeyError when it is malformed."""
    fields = {"id", "language", "category", "observed_at", "messages", "expected", "forbidden"}
    _only(record, fields, "dialogue")
    observed_at = datetime.fromisoformat(record["observed_at"])
    if observed_at.tzinfo is None:
        raise ValueError("observed_at has no zone")
    messages = tuple(_message(entry) for entry in _list(record["messages"]))
    if not messages or messages[0]["role"] != "user":
        raise ValueError("the first message is not a user's")
    return Dialogue(
        id=_text(record["id"]),
        language=_one_of(record["language"], LANGUAGES),
        category=_one_of(record["category"], CATEGORIES),
        observed_at=observed_at,
        messages=messages,
        expected=tuple(_expected(entry) for entry in _list(record["expected"])),
        forbidden=tuple(_forbidden(entry) for entry in _list(record["forbidden"])),
    )


def _message(entry: dict[str, Any]) -> dict[str, str]:
    _only(entry, {"role", "content", "speaker"}, "message")
    role = _one_of(entry["role"], ("user", "assistant"))
    message = {"role": role, "content": _text(entry["content"])}
    return message | ({"name": _text(entry["speaker"])} if "speaker" in entry else {})


def _expected(entry: dict[str, Any]) -> Expected:
    _only(entry, {"must", "not", "key", "valid_from", "valid_until", "optional"}, "expected")
    optional = entry.get("optional", False)
    if not isinstance(optional, bool):
        raise ValueError("optional is true or false")
    return Expected(
        must=_groups(entry["must"]),
        without=_spellings(entry.get("not", [])),
        key=_text(entry["key"]) if "key" in entry else None,
        valid_from=_dates(entry.get("valid_from", [])),
        valid_until=_dates(entry.get("valid_until", [])),
        optional=optional,
    )


def _forbidden(entry: list[Any] | dict[str, Any]) -> Forbidden:
    if isinstance(entry, list):
        return Forbidden(_groups(entry))
    _only(entry, {"all", "unless"}, "forbidden")
    return Forbidden(_groups(entry["all"]), _spellings(entry["unless"]))


def _groups(entries: Any) -> tuple[Spellings, ...]:
    """Words that belong together: each a word, or a list of its spellings."""
    groups = tuple(_spellings([entry] if isinstance(entry, str) else entry) for entry in _list(entries))
    if not groups or not all(groups):
        raise ValueError("a list of words is empty")
    return groups


def _spellings(entries: Any) -> Spellings:
    return tuple(_text(entry) for entry in _list(entries))


def _dates(entry: Any) -> tuple[str, ...]:
    dates = _spellings([entry] if isinstance(entry, str) else entry)
    for date in dates:
        if not _DATE.fullmatch(date):
            raise ValueError(f"{date!r} is no day, month or year in ISO 8601")
    return dates


def _list(value: Any) -> Sequence[Any]:
    if not isinstance(value, list):
        raise TypeError(f"{value!r} is no list")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip(" *"):
        raise TypeError(f"{value!r} is no text")
    return value


def _one_of(value: Any, known: tuple[str, ...]) -> str:
    if value not in known:
        raise ValueError(f"{value!r} is none of {', '.join(known)}")
    return str(value)


def _only(record: Any, fields: set[str], where: str) -> None:
    if not isinstance(record, dict):
        raise TypeError(f"{where}: {record!r} is no object")
    if unknown := sorted(record.keys() - fields):
        raise ValueError(f"{where}: unknown {', '.join(unknown)}")


def said(dialogue: Dialogue, *roles: str) -> Iterator[str]:
    """What people of these roles said, each with the speaker's name where there is one."""
    for message in dialogue.messages:
        if message["role"] in roles:
            yield f"{message.get('name', '')} {message['content']}"
