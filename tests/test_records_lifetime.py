"""How long records stay, what takes them away, and what takes them along."""

from __future__ import annotations

import io
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from langmem_ext import (
    InvalidInputError,
    LongTermMemory,
    ModelError,
    StorageError,
    UserMemory,
)
from langmem_ext.ports import WRITE_LIMIT
from langmem_ext.record_rows import NewRecord, PreparedRecord
from langmem_ext.records import _groups
from langmem_ext.testing import FakeEmbedder, ManualClock
from tests.support.memories import OpenMemory, listed
from tests.support.records import NOTES, found, name, put, value_of


def test_deleting_takes_all_rows(tmp_path: Path, open_memory: OpenMemory) -> None:
    memory = open_memory(tmp_path)
    user = memory.for_user("u1")
    put(user, "a", {"secret": "sapphire"}, "sapphire one", "sapphire two")
    put(user, "b", {"v": 1})
    user.write_records([], delete=[name("a"), name("nowhere")])
    assert found(user) == ["b"]
    user.remember("The user likes tea")
    put(user, "a", {"secret": "sapphire necklace in the drawer"}, "sapphire one", "sapphire two")
    receipt = user.delete_all(erase=True)
    assert (receipt.memories, receipt.versions) == (1, 4)
    assert receipt.erasure is not None
    assert receipt.erasure.complete
    assert found(user) == []
    assert memory.users() == []
    memory.close()
    assert not any(b"sapphire" in file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())


def test_what_was_handed_in_before_delete_all_is_not_stored(open_memory: OpenMemory) -> None:
    class Deleting(FakeEmbedder):
        def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
            user.delete_all()
            return super().embed_documents(texts)

    user = open_memory(embedder=Deleting()).for_user("u1")
    with pytest.raises(StorageError, match=r"delete_all\(\) came before"):
        put(user, "a", {"v": 1}, "text")
    assert found(user) == []


def test_times_to_live(memory: LongTermMemory, user: UserMemory, clock: ManualClock) -> None:
    put(user, "short", {"v": 1}, "tea one", "tea two", ttl=timedelta(minutes=10))
    put(user, "kept", {"v": 1}, "tea one", "tea two", ttl=timedelta(minutes=10))
    put(user, "forever", {"v": 1}, "tea")
    clock.advance(5 * 60)
    user.keep_records([name("kept"), name("forever"), name("nowhere")])
    clock.advance(6 * 60)
    assert (value_of(user, "short"), value_of(user, "kept")) == (None, {"v": 1})
    assert set(found(user)) == set(found(user, query="tea")) == {"kept", "forever"}
    user.keep_records([name("short")])  # what is over stays over
    assert value_of(user, "short") is None
    assert memory.sweep().removed == 2
    clock.advance(6 * 60)
    assert user.list_namespaces() == [NOTES]
    assert found(user) == ["forever"]


def test_a_name_that_expired_is_new_again(user: UserMemory, clock: ManualClock) -> None:
    put(user, "a", {"v": 1}, "x", "y", ttl=timedelta(minutes=1))
    clock.advance(3600)
    put(user, "a", {"v": 2}, "z")
    record = user.read_records([name("a")])[0]
    assert record is not None
    assert (record.created_at, record.expires_at, record.ttl) == (clock(), None, None)


def test_export_and_import_take_them_along(open_memory: OpenMemory) -> None:
    user = open_memory().for_user("u1")
    user.remember("tea")
    put(user, "a", {"v": "你好"}, "green tea", "black tea", ttl=timedelta(days=1))
    put(user, "b", {"v": 2}, "tea")
    file = io.StringIO()
    assert user.export_memories(file) == 4
    file.seek(0)
    other = open_memory().for_user("u1")
    assert other.import_memories(file) == (4, 0)
    assert other.read_records([name("a"), name("b")]) == user.read_records([name("a"), name("b")])
    assert found(other, query="green tea") == ["a", "b"]
    assert listed(other) == ["tea"]
    put(other, "a", {"v": 3}, "new")
    file.seek(0)
    assert other.import_memories(file) == (0, 4)
    assert value_of(other, "a") == {"v": 3}
    again, copy = io.StringIO(), io.StringIO()
    user.export_memories(again)
    third = open_memory().for_user("u1")
    again.seek(0)
    third.import_memories(again)
    third.export_memories(copy)
    assert copy.getvalue() == again.getvalue()


def test_a_made_up_line_is_no_record(user: UserMemory) -> None:
    put(user, "a", {"v": 1}, "text", "text two")
    file = io.StringIO()
    user.export_memories(file)
    for old, new in (
        ('"record_key": "a"', '"record_key": "b"'),
        ('"part": 1', '"part": 2'),
        ('"part": 0', '"part": 1'),
    ):
        assert old in file.getvalue()
        with pytest.raises(InvalidInputError, match="part of a record"):
            user.import_memories(io.StringIO(file.getvalue().replace(old, new)))


def test_an_outage_stores_nothing(user: UserMemory, embedder: FakeEmbedder) -> None:
    put(user, "a", {"v": 1}, "tea")
    embedder.error = ModelError("down", kind="unavailable")
    with pytest.raises(ModelError):
        user.write_records([NewRecord(name("b"), {}), NewRecord(name("c"), {}, ("tea",))], delete=[name("a")])
    with pytest.raises(ModelError):
        user.search_records(query="tea")
    assert found(user) == ["a"]
    put(user, "d", {"v": 1})  # nothing to embed


def test_a_large_batch_is_stored_whole(user: UserMemory) -> None:
    user.write_records([NewRecord(name(f"{number:03}"), {"n": number}, ("text",)) for number in range(60)])
    assert found(user, limit=100) == [f"{number:03}" for number in range(60)]
    user.write_records(
        [NewRecord(name("001"), {"n": 1}), NewRecord(name("001"), {"n": 2})], delete=[name("000")]
    )
    assert value_of(user, "001") == {"n": 2}
    assert value_of(user, "000") is None


def test_no_record_is_cut_between_two_writes() -> None:
    records = [
        PreparedRecord(NewRecord(name(f"{number}"), {}), "{}", (), [None] * rows)  # type: ignore[list-item]
        for number, rows in enumerate([200] * 6 + [1] * 600)
    ]
    groups = list(_groups(records))
    assert [record for group in groups for record in group] == records
    assert all(sum(len(record.vectors) for record in group) <= WRITE_LIMIT for group in groups)
    assert len(groups) < 6
