"""Rows, values and filters that the contract asks a store about, and its few ways to check an answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta, timezone
from random import Random
from typing import Any, Final

from langmem_ext.items import FrozenDict, MemoryItem, Source
from langmem_ext.ports import StoredMemory
from langmem_ext.testing.doubles import FakeEmbedder

START: Final = datetime(2026, 1, 1, tzinfo=UTC)
HOUR: Final = timedelta(hours=1)
EMBEDDER: Final = FakeEmbedder()

LOOK_ALIKES: Final = [
    "u1", "u10", "u", "U1", " u1", "u1 ", "a/b", "a:b", "a", "b", "用户", "用户1", "x" * 300, "x" * 299,
    "ann@example.org", 'q"uo\'te', "%", "_", "\\", "a\nb", "{}", "$ne", "u1\x00", "é", "e\u0301", "🧋",
]  # fmt: skip

_DAYS: Final = [START + timedelta(days=number) for number in range(-2, 3)]
_EAST: Final = timezone(timedelta(hours=8))
# Few values, so that rows and filters meet; the odd ones now and then.
_NUMBERS: Final = [*[0, 1, 1.0, 2.5, 3] * 3, -1, -0.0, 2**53, 1e-9]
_TEXTS: Final = [*["x", "值", "1"] * 3, "", "X", "True", "None", "$ne", "a'b"]
_DATES: Final = [*_DAYS, date(2026, 1, 1), _DAYS[0].astimezone(_EAST)]
_SCALARS: Final[list[Any]] = [None, True, False, *_NUMBERS, *_TEXTS, *_DATES]
_NESTED: Final[list[Any]] = [[], ["x"], [1, None], {"k": 1}]
_METADATA_FIELDS: Final = ["a", "b", "t:a"]
_TIME_FIELDS: Final = ["expires_at", "valid_until", "created_at", "last_accessed_at"]
_OTHER_FIELDS: Final = ["memory_type", "agent_id", "key", "importance", "access_count", "superseded_by"]
_RANGES: Final = ["$gt", "$gte", "$lt", "$lte"]


def row(
    memory_id: str,
    content: str | None = None,
    *,
    user_id: str = "u1",
    chain_id: str | None = None,
    turn_ids: tuple[str, ...] = (),
    metadata: Mapping[str, Any] | None = None,
    **others: Any,
) -> StoredMemory:
    """A full row with a vector of its own; `others` are fields of `MemoryItem`."""
    import numpy as np

    text = f"content of {memory_id}" if content is None else content
    times = {name: START for name in ("created_at", "updated_at", "valid_from", "recorded_at")}
    item = MemoryItem(
        memory_id=memory_id,
        user_id=user_id,
        content=text,
        memory_type=others.pop("memory_type", "semantic"),
        metadata=FrozenDict(metadata or {}),
        **{**times, **others},
    )
    vector = np.asarray(EMBEDDER.embed_documents([text])[0], dtype=np.float32)
    return StoredMemory(item, chain_id or memory_id, vector, turn_ids)


def full_row(memory_id: str = "full", user_id: str = "u1") -> StoredMemory:
    """A row in which every field is set."""
    return row(
        memory_id,
        "用户住在杭州 🧋 “quoted” \\ {braces}",
        user_id=user_id,
        chain_id="chain-7",
        turn_ids=("t1", "t2"),
        memory_type="episodic",
        metadata={
            "n": 3, "x": 2.5, "flag": True, "none": None, "empty": [], "list": ["a", 1, None],
            "nested": {"k": [1, {"deep": "值"}]}, "day": date(2026, 1, 2),
            "when": datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC), "text": "", "chroma:document": "x",
        },
        updated_at=START + HOUR, last_accessed_at=START + 2 * HOUR, access_count=4,
        expires_at=START + 9 * HOUR, agent_id="agent", session_id="session", key="residence.city",
        importance=0.25,
        valid_from=START - HOUR, valid_until=START + 8 * HOUR, recorded_at=START - HOUR,
        retracted_at=START + 7 * HOUR, supersedes=("a", "b"), superseded_by="c",
        source=(Source("m1", "user", "我住在杭州"), Source("m2", "Ann", "yes")),
    )  # fmt: skip


def random_row(random: Random, memory_id: str) -> StoredMemory:
    """A row whose fields and metadata hold few different values, or are not set."""
    chosen = random.sample(_METADATA_FIELDS, random.randint(0, 3))
    optional_times: dict[str, Any] = {
        name: random.choice([None, None, *_DAYS]) for name in _TIME_FIELDS if name != "created_at"
    }
    return row(
        memory_id,
        random.choice(["one text", "another text"]),
        chain_id=random.choice(["chain-1", "chain-2"]),
        turn_ids=tuple(random.sample(["t1", "t2", "t"], random.randint(0, 2))),
        memory_type=random.choice(["semantic", "episodic"]),
        metadata={name: random.choice([*_SCALARS, *_NESTED]) for name in chosen},
        agent_id=random.choice([None, "x", "值", "None"]),
        key=random.choice([None, "x", "1"]),
        importance=random.choice([None, 0.0, 0.5, 1.0]),
        access_count=random.randint(0, 3),
        superseded_by=random.choice([None, "x"]),
        created_at=random.choice(_DAYS),
        **optional_times,
    )


def random_metadata(random: Random, depth: int = 0) -> dict[str, Any]:
    """Values of every type that metadata may hold, nested up to three levels."""
    names = ["a", "b c", "键", "with.dot", "UPPER", "t:a", "m:a", "_id", "0"]
    return {name: _random_value(random, depth) for name in random.sample(names, random.randint(0, 6))}


def _random_value(random: Random, depth: int) -> Any:
    simple: list[Callable[[], Any]] = [
        lambda: random.choice([None, True, False]),
        lambda: random.choice([0, 1, -1, 2**31, 2**53, -(2**53), random.randint(-(10**6), 10**6)]),
        lambda: random.choice([0.0, 1.0, -2.5, 0.1, 1e300, 5e-324, random.random()]),
        lambda: random.choice(
            ["", "text", "值 🧋", "a\nb\tc", "\x00", '"\\', "null", "2026-01-01", "x" * 3000]
        ),
        lambda: date(2026, 1, 1) + timedelta(days=random.randint(-9999, 9999)),
        lambda: START + timedelta(microseconds=random.randint(-(10**15), 10**15)),
    ]
    if depth < 2 and random.random() < 0.3:
        if random.random() < 0.5:
            return [_random_value(random, depth + 1) for _ in range(random.randint(0, 3))]
        return random_metadata(random, depth + 1)
    return random.choice(simple)()


def random_filter(random: Random, sequences: Sequence[float], depth: int = 0) -> dict[str, Any]:
    """A filter that is allowed. `sequences` are numbers to compare `sequence` with."""
    shape = random.random()
    if depth < 3 and shape < 0.4:
        parts = [random_filter(random, sequences, depth + 1) for _ in range(random.randint(0, 3))]
        return random.choice([{"$and": parts}, {"$or": parts}, {"$not": parts[0] if parts else {}}])
    leaves = [_random_leaf(random, sequences) for _ in range(random.choice([0, 1, 1, 1, 1, 2]))]
    return {name: condition for leaf in leaves for name, condition in leaf.items()}


def _random_leaf(random: Random, sequences: Sequence[float]) -> dict[str, Any]:
    operands: Sequence[Any]
    bounds: Sequence[Any]
    kind = random.random()
    if kind < 0.55:
        field = random.choice([*_METADATA_FIELDS, "nobody_has_it"])
        operands, bounds = _SCALARS, [*_NUMBERS, *_DATES]
    elif kind < 0.7:
        zoned = [day.astimezone(_EAST).isoformat() for day in _DAYS]
        instants = [*_DAYS, *zoned, *(day.timestamp() for day in _DAYS)]
        field, operands, bounds = random.choice(_TIME_FIELDS), [None, *instants], instants
    elif kind < 0.85:
        field, operands, bounds = random.choice(_OTHER_FIELDS), _SCALARS, _NUMBERS
    elif kind < 0.95:
        known = ["chain-1", "chain-2", "t1", "t2", "t", "m1", "m2", "nothing"]
        field, operands, bounds = random.choice(["chain_id", "turn_ids", "memory_id"]), known, []
    else:
        field, operands, bounds = "sequence", sequences, sequences
    return {field: _random_condition(random, operands, bounds)}


def _random_condition(random: Random, operands: Sequence[Any], bounds: Sequence[Any]) -> Any:
    if random.random() < 0.25:
        return random.choice(operands)
    operators: dict[str, Any] = {}
    for name in random.sample(
        ["$eq", "$ne", "$in", "$nin", *(_RANGES if bounds else [])], random.choice([1, 1, 2])
    ):
        if name in ("$in", "$nin"):
            operators[name] = random.choices(operands, k=random.randint(0, 3))
        else:
            operators[name] = random.choice(bounds if name in _RANGES else operands)
    return {"$not": operators} if random.random() < 0.2 else operators
