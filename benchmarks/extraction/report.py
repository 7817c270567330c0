"""Verdicts as a table, and as a list of what went wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta, tzinfo

from benchmarks.extraction.dialogues import CATEGORIES, LANGUAGES, Expected
from benchmarks.extraction.scoring import Score, Verdict
from benchmarks.tables import Table
from langmem_ext import MemoryItem

_HEAD = ("", "dialogues", "expected", "memories", "precision", "recall", "F1", "violations")


def score_table(title: str, verdicts: Sequence[Verdict]) -> Table:
    """All together, then by language and by category."""
    groups = {"all": list(verdicts)}
    for name in LANGUAGES:
        groups[name] = [verdict for verdict in verdicts if verdict.dialogue.language == name]
    for name in CATEGORIES:
        groups[name] = [verdict for verdict in verdicts if verdict.dialogue.category == name]
    return Table(title, _HEAD, [_row(name, group) for name, group in groups.items()], tuple(_notes(verdicts)))


def _row(name: str, verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    score = Score.of(verdicts)
    return (
        name.replace("_", " "),
        str(score.dialogues),
        str(score.expected),
        str(score.right + score.wrong),
        *(_decimal(ratio) for ratio in (score.precision, score.recall, score.f1)),
        str(score.violations),
    )


def _decimal(ratio: float | None) -> str:
    return "-" if ratio is None else f"{ratio:.2f}"


def _notes(verdicts: Sequence[Verdict]) -> Iterator[str]:
    allowed = sum(len(verdict.allowed) for verdict in verdicts)
    perfect = sum(not (verdict.wrong or verdict.missed or verdict.errors) for verdict in verdicts)
    yield f"{perfect} of {len(verdicts)} dialogues without a fault. {allowed} optional memories not counted."
    yield (
        f"Of the expected memories that came out, {_pair([verdict.dates for verdict in verdicts])} have the "
        f"right dates and {_pair([verdict.keys for verdict in verdicts])} the right key."
    )
    adds = sum(verdict.adds for verdict in verdicts)
    failed = sum(len(verdict.errors) for verdict in verdicts)
    calls = sum(verdict.usage.calls for verdict in verdicts)
    sent = sum(verdict.usage.prompt_tokens for verdict in verdicts)
    got = sum(verdict.usage.completion_tokens for verdict in verdicts)
    each = max(adds, 1)
    yield (
        f"{adds} adds, {failed} failed. For each: {calls / each:.2f} calls, {sent / each:,.0f} tokens sent, "
        f"{got / each:,.0f} received."
    )


def _pair(counts: Sequence[tuple[int, int]]) -> str:
    return f"{sum(right for right, _ in counts)} of {sum(named for _, named in counts)}"


def failures(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """One line per fault, under the id of its dialogue."""
    for verdict in verdicts:
        lines = list(_faults(verdict))
        if lines:
            yield f"{verdict.dialogue.id} ({verdict.dialogue.category.replace('_', ' ')})"
            yield from (f"  {line}" for line in lines)


def _faults(verdict: Verdict) -> Iterator[str]:
    zone = verdict.dialogue.observed_at.tzinfo
    for error in verdict.errors:
        yield f"failed     {error}"
    for memory in verdict.wrong:
        yield f"{'forbidden' if memory in verdict.forbidden else 'wrong':<9}  {_memory(memory, zone)}"
    for expected in verdict.missed:
        yield f"missed     {_expected(expected)}"
    if verdict.dates[0] < verdict.dates[1] or verdict.keys[0] < verdict.keys[1]:
        for expected in verdict.dialogue.expected:
            if expected.valid_from or expected.valid_until or expected.key:
                yield f"fields     {_expected(expected)}"
        for memory in verdict.right:
            yield f"  got      {_memory(memory, zone)}"


def _expected(expected: Expected) -> str:
    words = " + ".join("|".join(spellings) for spellings in expected.must)
    dates = (("from", expected.valid_from), ("until", expected.valid_until))
    fields = [f"{name} {'|'.join(days)}" for name, days in dates if days]
    if expected.key:
        fields.append(f"key {expected.key}")
    return ", ".join([words, *fields])


def _memory(memory: MemoryItem, zone: tzinfo | None) -> str:
    fields = [f"from {memory.valid_from.astimezone(zone).date()}"]
    if memory.valid_until is not None:
        last = memory.valid_until - timedelta(microseconds=1)
        fields.append(f"until {last.astimezone(zone).date()}")
    if memory.key:
        fields.append(f"key {memory.key}")
    return f"{memory.content!r} ({', '.join(fields)})"
