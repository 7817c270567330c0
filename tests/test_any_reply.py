"""Whatever an LLM replies: `add` raises nothing, says what came of it, and stores only what was checked."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Sequence
from datetime import UTC, date
from typing import Any, Final, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langmem_ext import AddResult, ChatReply, LongTermMemory, MemoryItem, UserMemory
from langmem_ext.errors import ModelErrorKind
from langmem_ext.extraction.reply import MAX_CANDIDATES
from langmem_ext.items import MEMORY_TYPES
from langmem_ext.ports import StoredMemory
from langmem_ext.redaction import PLACEHOLDER
from langmem_ext.testing import FakeEmbedder, ManualClock, ScriptedChatModel
from langmem_ext.text import normalise
from tests.support.memories import START
from tests.support.replies import (
    ANY_TEXT,
    ENTRIES,
    FIELDS,
    HUGE,
    REPLY,
    SAID,
    TURN,
    Asked,
    Instrument,
    changed_replies,
    odd_entries,
    with_literals,
)

KNOWN: Final = ["The user lives in Paris", "The user plays the piano"]
WORDS: Final = ("Lyon", "花生", "481920", "Zanzibar")  # of the people, for no error and no reason


def opened(llm: ScriptedChatModel | None = None, *, own_fields: bool = False) -> LongTermMemory:
    schema = Instrument if own_fields else None
    return LongTermMemory(llm=llm, schema=schema, embedder=FakeEmbedder(), clock=ManualClock())


def rows_of(memory: LongTermMemory, user: UserMemory) -> dict[str, StoredMemory]:
    """Every row of a user, older versions too."""
    return {row.item.memory_id: row for row in memory._workspace.store.find(user.scope.user_id)}


def items_of(memory: LongTermMemory, user: UserMemory) -> list[MemoryItem]:
    return [row.item for row in rows_of(memory, user).values()]


def exported(user: UserMemory) -> str:
    file = io.StringIO()
    user.export_memories(file)
    return file.getvalue()


def check_row(row: StoredMemory) -> None:
    """A stored row holds nothing that was not looked at."""
    item = row.item
    assert item.content and item.content == normalise(item.content)
    assert len(item.content) <= 1000
    assert item.memory_type in MEMORY_TYPES
    assert item.key is None or (
        re.fullmatch(r"[a-z0-9_.]{1,64}", item.key) and item.key.strip(".") == item.key
    )
    assert item.importance is None or (type(item.importance) is float and 0 <= item.importance <= 1)
    times = [item.created_at, item.updated_at, item.valid_from, item.recorded_at, item.valid_until]
    assert all(when is None or when.tzinfo is UTC for when in times)
    assert item.valid_from <= START
    assert item.valid_until is None or item.valid_until > START
    assert item.expires_at is None and item.agent_id is None and item.session_id is None
    (source,) = item.source
    speaker, said = SAID[source.message_id]
    assert source.speaker == speaker
    parts = [part.strip() for part in re.split(rf"…|{PLACEHOLDER.pattern}", source.quote)]
    assert any(parts)
    assert all(part in normalise(said) for part in parts)
    whole = json.dumps(item.to_dict(), allow_nan=False, ensure_ascii=False)
    whole.encode()
    assert "481920" not in json.dumps([item.content, source.quote])


def check_result(user: UserMemory, result: AddResult, calls: int, stored: set[str]) -> None:
    """The result says what is so: `stored` are the ids of the rows that are new or were confirmed."""
    assert 1 <= calls <= 2
    assert result.usage.calls == calls
    assert result.message_ids == ("m1", "m2", "m3")
    learned = [outcome for outcome in result.outcomes if outcome.memory is not None]
    rejected = [outcome for outcome in result.outcomes if outcome.memory is None]
    assert {outcome.action for outcome in learned} <= {"added", "replaced", "touched"}
    for outcome in rejected:
        assert outcome.action == "rejected" and outcome.reason is not None
        assert re.match("(unsupported|sensitive|invalid|not durable): ", outcome.reason)
        assert not any(word in outcome.reason for word in WORDS)
    assert (result.status == "learned") == bool(learned)
    assert (result.status == "failed") == (result.error is not None)
    if result.error is not None:
        assert result.error.kind in get_args(ModelErrorKind)
        assert result.error.kind != "unexpected"  # that is for faults, of the model's class or of ours
        assert not any(word in result.error.message for word in WORDS)
    assert stored <= {memory.memory_id for memory in result.memories}
    if result.status != "learned":
        assert not stored


def check_rows(before: dict[str, StoredMemory], after: dict[str, StoredMemory]) -> None:
    """What was there is still there as it was said; what came on top was checked."""
    assert before.keys() <= after.keys()
    for memory_id, old in before.items():
        now = after[memory_id].item
        assert (now.content, now.created_at) == (old.item.content, old.item.created_at)
        assert now.superseded_by is None or now.superseded_by in after
    for memory_id in after.keys() - before.keys():
        check_row(after[memory_id])


def summary(result: AddResult) -> Any:
    """What must be the same through both doors."""
    told = [(o.action, o.reason, o.memory and (o.memory.content, o.memory.key)) for o in result.outcomes]
    return result.status, result.error, told


async def learn(
    first: str | ChatReply,
    second: str | ChatReply,
    *,
    own_fields: bool,
    doors: Sequence[str] = ("add", "aadd"),
) -> AddResult:
    """Every check of what comes of these replies; returns the result of the first door."""
    llm = Asked(first, second)
    with opened(llm, own_fields=own_fields) as memory, opened() as other:
        results = []
        for door in doors:
            user, calls = memory.for_user(door), len(llm.calls)
            user.remember_many(KNOWN)
            before = rows_of(memory, user)
            result = user.add(TURN) if door == "add" else await user.aadd(TURN)
            results.append(result)
            after = rows_of(memory, user)
            check_rows(before, after)
            check_result(user, result, len(llm.calls) - calls, after.keys() - before.keys())
        assert summary(results[0]) == summary(results[-1])
        if results[0].memories:
            text, copied = exported(memory.for_user(doors[0])), other.for_user(doors[0])
            copied.import_memories(io.StringIO(text))
            assert exported(copied) == text
            assert items_of(other, copied) == items_of(memory, memory.for_user(doors[0]))
        return results[0]


@pytest.mark.parametrize("own_fields", [False, True])
async def test_the_reply_that_is_changed_below_is_good(own_fields: bool) -> None:
    result = await learn(REPLY, "", own_fields=own_fields)
    assert [memory.content for memory in result.memories] == [entry["text"] for entry in ENTRIES]
    assert [outcome.action for outcome in result.outcomes] == ["replaced", "added", "replaced"]
    expected = {**FIELDS, "since": date(2019, 5, 1)} if own_fields else {}
    assert result.memories[2].metadata == expected


PLACES: Final = [
    *([name] for name in ENTRIES[2]),
    *(["fields", name] for name in FIELDS),
    ["fields", "more", "a"],
]


@pytest.mark.parametrize("path", PLACES, ids=".".join)
async def test_one_field_may_hold_anything(path: list[str]) -> None:
    entries = odd_entries(path)
    half = len(entries) // 2
    assert half < MAX_CANDIDATES
    for part in (entries[:half], entries[half:]):
        text = with_literals(json.dumps({"memories": [*part, ENTRIES[1]]}))
        result = await learn(text, "", own_fields=True, doors=["add"])
        assert result.error is None  # no field takes others with it
        assert len(result.outcomes) == len(part) + 1
        assert ENTRIES[1]["text"] in [memory.content for memory in result.memories]


@settings(max_examples=70, deadline=None)
@given(changed_replies(), changed_replies() | st.just(ChatReply(REPLY)), st.booleans())
async def test_a_changed_reply(first: ChatReply, second: ChatReply, own_fields: bool) -> None:
    await learn(first, second, own_fields=own_fields)


@settings(max_examples=40, deadline=None)
@given(ANY_TEXT, ANY_TEXT | st.just(REPLY))
async def test_any_text(first: str, second: str) -> None:
    result = await learn(first, second, own_fields=True)
    assert result.status != "learned" or second == REPLY


@pytest.mark.parametrize("text", HUGE.values(), ids=HUGE)
async def test_a_huge_reply(text: str) -> None:
    await learn(text, text, own_fields=True)


TWO: Final = [
    {"text": "The user lives in Lyon.", "quote": "I live in Lyon", "valid_until": None},
    {"text": "用户不喜欢花生。", "quote": "我对花生过敏"},
]
SHORT: Final = json.dumps({"memories": TWO}, ensure_ascii=False)
WAYS: Final = {
    "an object": SHORT,
    "an array": json.dumps(TWO, ensure_ascii=False),
    "escapes": json.dumps({"memories": TWO}),
    "after words": f"I found [2] memories in {{your}} messages:\n{SHORT}",
    "in a fence": f"```json\n{SHORT}",
    "after thinking": f"<think>[1] or {SHORT}?</think>\n{SHORT}",
}


@pytest.mark.parametrize("reason", ["length", "stop"])
@pytest.mark.parametrize("whole", WAYS.values(), ids=WAYS)
def test_a_reply_that_ends_at_any_character_leaves_nothing_half(whole: str, reason: str) -> None:
    script: list[ChatReply] = []
    for end in range(len(whole)):  # what is cut by a limit or empty is not asked for again
        script += [ChatReply(whole[:end], reason)] * (2 if reason == "stop" and end else 1)
    with opened(ScriptedChatModel([*script, whole])) as memory:
        user = memory.for_user("u1")
        for end in range(len(whole)):
            result = user.add(TURN)
            kind = "truncated" if reason == "length" else "bad_reply" if end else "empty_reply"
            assert (result.status, result.error and result.error.kind) == ("failed", kind)
            assert result.outcomes == ()
        assert rows_of(memory, user) == {}
        assert len(user.add(TURN).memories) == 2
