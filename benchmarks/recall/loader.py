"""Public sets in one format: `turns.jsonl.gz` and `questions.jsonl.gz` in a folder for each set.

Turns have user_id, session_id, turn_id, time, speaker and text; questions user_id, question, evidence (turn
ids; none: not answerable), category, and where known question_time and stale (turn ids that a newer fact
replaced). A turn is indexed as `speaker: text`. Where a reader gets the sets is in benchmarks/RESULTS.md.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from langmem_ext.evaluation import LabelledQuestion, Passage

_FORMATS = ("%I:%M %p on %d %B, %Y", "%Y/%m/%d %H:%M", "%Y-%m-%d")
_WEEKDAY = re.compile(r" \([A-Z][a-z]{2}\)")
_FIRST = datetime(2020, 1, 1, tzinfo=UTC)  # of sets that only number their turns
_ADVERSARIAL = "adversarial"


@dataclass(frozen=True, slots=True)
class RecallSet:
    """One set. `names` are all who speak in it."""

    name: str
    passages: tuple[Passage, ...]
    questions: tuple[LabelledQuestion, ...]
    names: tuple[str, ...]


def load(folder: Path, *, only_speaker: str | None = None) -> RecallSet:
    """Read a set; with `only_speaker` only the turns of that one, and only evidence among them."""
    turns = [
        turn
        for turn in _records(folder / "turns.jsonl.gz")
        if only_speaker is None or turn["speaker"] == only_speaker
    ]
    kept = {(turn["user_id"], turn["turn_id"]) for turn in turns}
    questions = []
    for record in _records(folder / "questions.jsonl.gz"):
        user = record["user_id"]
        evidence = tuple(name for name in record["evidence"] if (user, name) in kept)
        if record["evidence"] and not evidence:  # it lies in what was left out
            continue
        questions.append(
            _question(record, evidence, [n for n in record.get("stale", []) if (user, n) in kept])
        )
    return RecallSet(
        folder.name,
        tuple(_passage(turn) for turn in turns),
        tuple(questions),
        tuple(sorted({turn["speaker"] for turn in turns}, key=lambda name: (-len(name), name))),
    )


def with_strangers(found: RecallSet, per_user: int = 45) -> RecallSet:
    """Questions without names: a user's own, and as unanswerable ones those that belong to other users."""
    own = [
        replace(question, query=without_names(question.query, found.names), group="own")
        for question in found.questions
        if question.relevant and question.group != _ADVERSARIAL
    ]
    strangers = []
    for user in dict.fromkeys(question.user_id for question in own):
        for other in dict.fromkeys(question.user_id for question in own if question.user_id != user):
            theirs = [question for question in own if question.user_id == other]
            step = max(1, len(theirs) // per_user)
            strangers += [
                LabelledQuestion(question.query, user_id=user, group="stranger")
                for question in theirs[::step][:per_user]
            ]
    return replace(found, questions=(*own, *strangers))


def adversarial(found: RecallSet) -> RecallSet:
    """The questions as they are asked; those marked as adversarial count as not answerable."""
    return replace(
        found,
        questions=tuple(
            replace(question, relevant=()) if question.group == _ADVERSARIAL else question
            for question in found.questions
        ),
    )


def without_names(text: str, names: tuple[str, ...]) -> str:
    """A text without these names and their possessives."""
    for name in names:
        text = re.sub(rf"{re.escape(name)}(?:'s)?", "", text, flags=re.IGNORECASE)
    return " ".join(text.split())


def time_of(text: str) -> datetime:
    """The time of a turn; turns with a number only are a minute apart."""
    if text.isdigit():
        return _FIRST + timedelta(minutes=int(text))
    for form in _FORMATS:
        try:
            return datetime.strptime(_WEEKDAY.sub("", text), form).replace(tzinfo=UTC)
        except ValueError:
            continue
    raise ValueError(f"no known form of time: {text!r}")


def _passage(turn: dict[str, Any]) -> Passage:
    return Passage(
        turn["turn_id"],
        f"{turn['speaker']}: {turn['text']}",
        turn["user_id"],
        turn["session_id"],
        time_of(turn["time"]),
    )


def _question(record: dict[str, Any], evidence: tuple[str, ...], outdated: list[str]) -> LabelledQuestion:
    asked = record.get("question_time")
    return LabelledQuestion(
        record["question"],
        relevant=evidence,
        user_id=record["user_id"],
        asked_at=None if asked is None else time_of(asked),
        outdated=tuple(outdated),
        group=record["category"],
    )


def _records(file: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)
