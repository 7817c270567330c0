"""Dialogues go in through the public door; what is stored afterwards is judged."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from benchmarks.extraction.dialogues import Dialogue, Expected
from benchmarks.extraction.matching import breaks, dates_right, meets
from langmem_ext import ChatModel, Embedder, LongTermMemory, MemoryItem
from langmem_ext.items import Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What came out of one dialogue.

    Attributes:
        dialogue: It.
        right: Memories that are expected.
        allowed: Memories that may be there; they count neither for nor against.
        wrong: All others, forbidden ones included.
        forbidden: Those that break a rule of `dialogue.forbidden`.
        missed: Expected memories that no right one meets.
        dates, keys: How many expected memories that came out name dates, a key, and how many of
            those have them right: (right, named).
        adds: Calls of `user.add`.
        usage: What they cost.
        errors: Why an add failed, one text per failed add.
    """

    dialogue: Dialogue
    right: tuple[MemoryItem, ...] = ()
    allowed: tuple[MemoryItem, ...] = ()
    wrong: tuple[MemoryItem, ...] = ()
    forbidden: tuple[MemoryItem, ...] = ()
    missed: tuple[Expected, ...] = ()
    dates: tuple[int, int] = (0, 0)
    keys: tuple[int, int] = (0, 0)
    adds: int = 0
    usage: Usage = Usage()
    errors: tuple[str, ...] = ()

    @property
    def required(self) -> int:
        """How many memories should have come out."""
        return sum(not expected.optional for expected in self.dialogue.expected)


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """Sums over dialogues. A ratio over nothing is None."""

    dialogues: int
    expected: int
    found: int
    right: int
    wrong: int
    violations: int

    @staticmethod
    def of(verdicts: Sequence[Verdict]) -> Score:
        expected = sum(verdict.required for verdict in verdicts)
        return Score(
            dialogues=len(verdicts),
            expected=expected,
            found=expected - sum(len(verdict.missed) for verdict in verdicts),
            right=sum(len(verdict.right) for verdict in verdicts),
            wrong=sum(len(verdict.wrong) for verdict in verdicts),
            violations=sum(len(verdict.forbidden) for verdict in verdicts),
        )

    @property
    def precision(self) -> float | None:
        return _ratio(self.right, self.right + self.wrong)

    @property
    def recall(self) -> float | None:
        return _ratio(self.found, self.expected)

    @property
    def f1(self) -> float | None:
        precision, recall = self.precision, self.recall
        if precision is None or recall is None:
            return None
        return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def run(dialogue: Dialogue, *, llm: ChatModel | None, embedder: Embedder) -> Verdict:
    """Every turn is added a minute after the one before, to a new memory in RAM."""
    now = dialogue.observed_at
    usage, errors = Usage(), []
    turns = dialogue.turns()
    with LongTermMemory(llm=llm, embedder=embedder, clock=lambda: now) as memory:
        user = memory.for_user("u-1001")
        for turn in turns:
            result = user.add(turn, observed_at=now)
            usage += result.usage
            if result.error is not None:
                errors.append(f"{result.error.kind}: {result.error.message}")
            now += timedelta(minutes=1)
        stored = list(user.iter_memories())
    return judge(dialogue, stored, adds=len(turns), usage=usage, errors=errors)


def judge(
    dialogue: Dialogue,
    stored: Sequence[MemoryItem],
    *,
    adds: int = 0,
    usage: Usage = Usage(),  # noqa: B008 (it is immutable)
    errors: Sequence[str] = (),
) -> Verdict:
    """Compare what is stored with what should be."""
    forbidden = [m for m in stored if any(breaks(m.content, rule) for rule in dialogue.forbidden)]
    clean = [memory for memory in stored if memory not in forbidden]
    required = [expected for expected in dialogue.expected if not expected.optional]
    right = _meeting(clean, required)
    allowed = [memory for memory in _meeting(clean, dialogue.expected) if memory not in right]
    met = {expected: _meeting(right, [expected]) for expected in required}
    return Verdict(
        dialogue=dialogue,
        right=tuple(right),
        allowed=tuple(allowed),
        wrong=tuple(memory for memory in stored if memory not in right and memory not in allowed),
        forbidden=tuple(forbidden),
        missed=tuple(expected for expected in required if not met[expected]),
        dates=_dates(dialogue, met),
        keys=_keys(met),
        adds=adds,
        usage=usage,
        errors=tuple(errors),
    )


def _meeting(memories: Sequence[MemoryItem], expected: Iterable[Expected]) -> list[MemoryItem]:
    wanted = list(expected)
    return [memory for memory in memories if any(meets(memory.content, one) for one in wanted)]


def _dates(dialogue: Dialogue, met: dict[Expected, list[MemoryItem]]) -> tuple[int, int]:
    zone = dialogue.observed_at.tzinfo
    assert zone is not None  # checked when it was read
    found = [
        any(dates_right(memory, expected, zone) for memory in memories)
        for expected, memories in met.items()
        if memories and (expected.valid_from or expected.valid_until)
    ]
    return sum(found), len(found)


def _keys(met: dict[Expected, list[MemoryItem]]) -> tuple[int, int]:
    found = [
        any(memory.key == expected.key for memory in memories)
        for expected, memories in met.items()
        if memories and expected.key is not None
    ]
    return sum(found), len(found)


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None
