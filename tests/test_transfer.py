"""Export and import: nothing is lost, nothing is doubled, nothing of somebody else comes in."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from langmem_ext import InvalidInputError, ModelError, UserMemory
from langmem_ext.testing import FakeEmbedder, ManualClock, ScriptedChatModel
from tests.support.memories import START, OpenMemory, fact, listed, reply

FIXED = {
    "none": None,
    "tags": ["甲", 1],
    "deep": {"k": {"day": date(2026, 1, 2)}},
    "when": datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC),
}
Change = Callable[[dict[str, Any]], Any]


def exported(user: UserMemory) -> list[str]:
    file = io.StringIO()
    user.export_memories(file)
    return file.getvalue().splitlines()


def imported(user: UserMemory, *lines: str) -> tuple[int, int]:
    report = user.import_memories(io.StringIO("\n".join(lines)))
    return report.imported, report.skipped


def fill(open_memory: OpenMemory, clock: ManualClock) -> UserMemory:
    memory = open_memory(llm=ScriptedChatModel([reply(fact("The user has a cat", "have a cat"))]))
    user = memory.for_user("u1", agent_id="agent", session_id="会话")
    for number in range(50):
        clock.advance(1)
        user.remember(
            f"用户的第 {number} 个爱好 🧋🏽‍♀️ “x\u2028y” {{}} \\",
            memory_type=("semantic", "episodic", "procedural")[number % 3],
            key=f"hobby.{number}" if number % 5 == 0 else None,
            expires_at=clock() + timedelta(days=number + 1) if number % 4 == 0 else None,
            metadata={"n": number, "x": number / 2, "ok": number % 2 == 0, **FIXED},
        )
    return user


def test_fifty_memories_make_the_round_trip(
    open_memory: OpenMemory, clock: ManualClock, tmp_path: Path
) -> None:
    user = fill(open_memory, clock)
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    assert user.export_memories(first) == 50
    other = open_memory().for_user("u1")
    assert other.import_memories(str(first)) == (50, 0)
    assert other.export_memories(second) == 50
    assert second.read_bytes() == first.read_bytes()
    assert other.list_memories().memories == user.list_memories().memories
    assert other.import_memories(first) == (0, 50)
    assert len(listed(other)) == 50
    assert (
        other.search("用户的第 7 个爱好", top_k=1)[0].memory
        == user.search("用户的第 7 个爱好", top_k=1)[0].memory
    )


def test_versions_edits_sources_and_turns_come_along(open_memory: OpenMemory, clock: ManualClock) -> None:
    llm = ScriptedChatModel(
        [reply(fact("The user lives in Lyon", "live in Lyon", key="city", importance=0.5))]
    )
    user = open_memory(llm=llm).for_user("u1")
    said = user.add("I live in Lyon.").memories[0]
    clock.advance(3600)
    new = user.remember("The user lives in Nantes", key="city")
    user.update(new.memory_id, content="The user lives in Nantes now")
    user.search("Nantes")
    lines = exported(user)
    again = ScriptedChatModel()
    other = open_memory(llm=again).for_user("u1")
    assert imported(other, *lines) == (3, 0)
    assert exported(other) == lines
    assert other.history(new.memory_id) == user.history(new.memory_id)
    assert other.get(said.memory_id).source == said.source
    assert listed(other) == ["The user lives in Nantes now"]
    assert other.delete(new.memory_id).versions == 3


def test_lines_are_readable_json_with_times_in_utc(user: UserMemory) -> None:
    user.remember("用户爱喝茶 🧋", expires_at=START + timedelta(days=1))
    (line,) = exported(user)
    assert "用户爱喝茶 🧋" in line
    record = json.loads(line)
    assert record["created_at"] == "2026-01-01T00:00:00+00:00"
    assert record["expires_at"] == "2026-01-02T00:00:00+00:00"
    assert "vector" not in record


def test_expired_memories_are_moved_as_what_they_are(open_memory: OpenMemory, clock: ManualClock) -> None:
    user = open_memory().for_user("u1")
    user.remember("Parking code", expires_at=clock() + timedelta(hours=1))
    clock.advance(7200)
    other = open_memory().for_user("u1")
    assert imported(other, *exported(user)) == (1, 0)
    assert (listed(other), listed(other, include_expired=True)) == ([], ["Parking code"])


def test_a_sentence_that_is_there_is_skipped_under_any_id(open_memory: OpenMemory) -> None:
    first, second = open_memory().for_user("u1"), open_memory().for_user("u1")
    first.remember_many(["User is a nurse", "User owns a kayak"])
    second.remember("user is a NURSE.")
    assert imported(second, *exported(first)) == (1, 1)
    assert listed(second) == ["user is a NURSE.", "User owns a kayak"]


def test_an_import_leaves_one_current_value_of_a_key(open_memory: OpenMemory, clock: ManualClock) -> None:
    first, second = open_memory().for_user("u1"), open_memory().for_user("u1")
    first.remember("User lives in Lyon", key="city")
    clock.advance(60)
    second.remember("User lives in Nantes", key="city")
    imported(second, *exported(first))
    assert listed(second) == ["User lives in Nantes"]


def test_the_file_of_another_user_is_refused_whole(open_memory: OpenMemory) -> None:
    memory = open_memory()
    alice, bob = memory.for_user("alice"), memory.for_user("bob")
    alice.remember_many(["A", "B"])
    for name in ("bob", "ALICE", "alice "):
        with pytest.raises(InvalidInputError, match="line 1.*another user"):
            imported(memory.for_user(name), *exported(alice))
    assert listed(bob) == []


def test_blank_lines_and_a_missing_last_newline_are_fine(open_memory: OpenMemory, user: UserMemory) -> None:
    user.remember_many(["A", "B"])
    first, second = exported(user)
    other = open_memory().for_user("u1")
    assert imported(other, "", first, "   ", second) == (2, 0)
    assert imported(other) == (0, 0)


def broken(line: str, change: Change) -> str:
    record = json.loads(line)
    change(record)
    return json.dumps(record, ensure_ascii=False)


DAMAGE: dict[str, Change] = {
    "no content": lambda r: r.pop("content"),
    "blank content": lambda r: r.update(content="  "),
    "content is a dict": lambda r: r.update(content={"text": "x"}),
    "no id": lambda r: r.pop("memory_id"),
    "id is a number": lambda r: r.update(memory_id=7),
    "unknown type": lambda r: r.update(memory_type="fact"),
    "no owner": lambda r: r.pop("user_id"),
    "time without zone": lambda r: r.update(created_at="2026-01-01T00:00:00"),
    "time is no time": lambda r: r.update(valid_until="soon"),
    "metadata is a list": lambda r: r.update(metadata=[1]),
    "metadata takes a reserved name": lambda r: r.update(metadata={"user_id": "bob"}),
    "metadata holds a broken date": lambda r: r.update(metadata={"d": {"$date": "soon"}}),
    "sources are numbers": lambda r: r.update(source=[1]),
    "a source is too short": lambda r: r.update(source=[["m1", "user"]]),
    "count is text": lambda r: r.update(access_count="x"),
    "count is negative": lambda r: r.update(access_count=-1),
    "count is missing a value": lambda r: r.update(access_count=[1]),
    "importance is text": lambda r: r.update(importance="high"),
    "importance is a dict": lambda r: r.update(importance={"a": 1}),
    "importance is beyond one": lambda r: r.update(importance=5),
    "supersedes is one text": lambda r: r.update(supersedes="abc"),
    "turns are one text": lambda r: r.update(turn_ids="abc"),
    "key is a number": lambda r: r.update(key=5),
    "agent is a list": lambda r: r.update(agent_id=["x"]),
    "chain is a list": lambda r: r.update(chain_id=[1]),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_line_is_named_and_nothing_is_stored(
    open_memory: OpenMemory, user: UserMemory, damage: str
) -> None:
    user.remember_many(["A", "B"])
    first, second = exported(user)
    other = open_memory().for_user("u1")
    with pytest.raises(InvalidInputError, match="line 2"):
        imported(other, first, broken(second, DAMAGE[damage]))
    assert listed(other, include_expired=True) == []


@pytest.mark.parametrize("line", ["{", "[]", "null", "42", '"text"', "not json", '{"memory_id": "a"}'])
def test_a_line_that_is_no_memory_is_named(open_memory: OpenMemory, user: UserMemory, line: str) -> None:
    user.remember("A")
    other = open_memory().for_user("u1")
    with pytest.raises(InvalidInputError, match="line 2"):
        imported(other, *exported(user), line)
    assert listed(other) == []


def test_one_id_twice_is_refused(open_memory: OpenMemory, user: UserMemory) -> None:
    user.remember("A")
    (line,) = exported(user)
    with pytest.raises(InvalidInputError, match="line 2.*twice"):
        imported(open_memory().for_user("u1"), line, line)


def test_files_that_can_not_be_read_or_written_are_named(user: UserMemory, tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00 no text")
    for path in (tmp_path / "missing", tmp_path, tmp_path / "binary"):
        with pytest.raises(InvalidInputError, match=str(path)):
            user.import_memories(path)
    with pytest.raises(InvalidInputError, match="no-folder"):
        user.export_memories(tmp_path / "no-folder" / "file")


def test_an_embedder_that_is_down_stores_nothing(open_memory: OpenMemory, user: UserMemory) -> None:
    user.remember_many(["A", "B"])
    down = FakeEmbedder()
    other = open_memory(embedder=down).for_user("u1")
    down.error = ConnectionError()
    with pytest.raises(ModelError):
        imported(other, *exported(user))
    down.error = None
    assert listed(other) == []
