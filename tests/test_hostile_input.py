"""Input that once did harm: each must be refused, or do nothing but what it says."""

from __future__ import annotations

import asyncio
import io
import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from langmem_ext import (
    InvalidInputError,
    LongTermMemory,
    MemoryNotFoundError,
    StorageError,
    StoreClosedError,
    UserMemory,
)
from langmem_ext.metadata import MAX_FIELDS
from langmem_ext.testing import FakeEmbedder, ScriptedChatModel
from tests.support.memories import OpenMemory, fact, reply


def test_a_row_too_wide_for_chroma_is_refused_and_its_shard_goes_on(tmp_path: Path) -> None:
    with LongTermMemory(tmp_path, embedder=FakeEmbedder()) as memory:
        user = memory.for_user("u1")
        user.remember("wide", metadata={f"k{i}": i for i in range(MAX_FIELDS)})
        with pytest.raises(InvalidInputError, match="201 fields"):
            user.remember("too wide", metadata={f"k{i}": i for i in range(MAX_FIELDS + 1)})
        file = io.StringIO()
        user.export_memories(file)
        record = {**json.loads(file.getvalue()), "memory_id": "m2", "chain_id": "m2", "content": "turns"}
        record["turn_ids"] = [f"turn{i}" for i in range(6000)]
        user.import_memories(io.StringIO(json.dumps(record)))
        user.remember("still writable")
    with LongTermMemory(tmp_path, embedder=FakeEmbedder()) as memory:
        assert {item.content for item in memory.for_user("u1").iter_memories()} == {
            "wide",
            "turns",
            "still writable",
        }


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("my card is 4111    1111\t\t1111    1111", "4111"),
        ("my password   is    swordfish77", "swordfish77"),
        ("我的密码是    kouling998", "kouling998"),
    ],
)
def test_odd_spacing_hides_no_secret(
    text: str, secret: str, open_memory: OpenMemory, embedder: FakeEmbedder
) -> None:
    llm = ScriptedChatModel([reply()] * 2)
    memory = open_memory(llm=llm, log_queries=True)
    user = memory.for_user("u1")
    user.remember(f"{text} and the user likes tea")
    user.add(f"{text}. I like tea and live in Lyon.")
    user.search(text + " tea")
    prompts = [message.content for call in llm.calls for message in call.messages]
    stored = [item.content for item in user.iter_memories()]
    logged = [record.query or "" for record in memory.recall_log()]
    assert not any(secret in shown for shown in [*prompts, *stored, *logged, *embedder.texts])


async def test_a_turn_handed_in_before_delete_all_is_dropped_though_no_thread_was_free(
    open_memory: OpenMemory,
) -> None:
    user = open_memory(
        llm=ScriptedChatModel([reply(fact("The user lives in Paris.", "I live in Paris"))])
    ).for_user("u1")
    loop, free = asyncio.get_running_loop(), threading.Event()
    busy = [loop.run_in_executor(None, free.wait, 20) for _ in range(min(32, (os.cpu_count() or 1) + 4))]
    task = asyncio.create_task(user.aadd("I live in Paris."))
    await asyncio.sleep(0.05)
    user.delete_all()
    free.set()
    await asyncio.gather(*busy)
    assert (await task).status == "nothing"
    assert list(user.iter_memories()) == []


def test_a_long_reply_does_not_stop_the_event_loop(open_memory: OpenMemory) -> None:
    said = "I like the sea and " + "the long story of a walk along it " * 600
    llm = ScriptedChatModel([reply(*[fact(f"The user met captain number {i} at sea.") for i in range(40)])])
    user = open_memory(llm=llm).for_user("u1")

    async def longest_gap() -> float:
        gap, running = 0.0, asyncio.create_task(user.aadd(said))
        last = asyncio.get_running_loop().time()
        while not running.done():
            await asyncio.sleep(0.005)
            now = asyncio.get_running_loop().time()
            gap, last = max(gap, now - last), now
        return gap

    assert asyncio.run(longest_gap()) < 0.75


def test_a_store_that_was_closed_is_not_opened_again_by_a_reader(tmp_path: Path) -> None:
    memory = LongTermMemory(tmp_path, embedder=FakeEmbedder())
    store = memory._workspace.store
    memory.for_user("u1").remember("likes tea")
    memory.close()
    shards = store._shards  # type: ignore[attr-defined]
    with pytest.raises(StoreClosedError), shards.reading(3):
        pass
    LongTermMemory(tmp_path, embedder=FakeEmbedder()).close()


def test_a_write_that_hangs_holds_up_no_other_store(monkeypatch: pytest.MonkeyPatch) -> None:
    hung, go_on = LongTermMemory(embedder=FakeEmbedder()), threading.Event()
    hung._workspace.submit("u1", lambda: go_on.wait(20))
    closing = threading.Thread(target=hung.close)
    closing.start()
    with LongTermMemory(embedder=FakeEmbedder()) as other:
        other.for_user("u1").remember("likes tea")
        assert closing.is_alive()
    go_on.set()
    closing.join(20)
    assert not closing.is_alive()


def test_users_without_memories_take_little_room(open_memory: OpenMemory) -> None:
    memory = open_memory()
    for number in range(50):
        memory.for_user(f"ghost{number}").search("tea")
    assert memory.flush().access_counts == 0
    assert memory._workspace._accesses == {}


def test_access_counts_of_very_many_memories_are_written(open_memory: OpenMemory) -> None:
    memory = open_memory()
    user = memory.for_user("u1")
    user.remember_many([f"tea {number}" for number in range(1200)])
    user.search("tea", top_k=1200)
    assert memory.flush().access_counts == 1200


def test_one_key_whatever_its_spelling(open_memory: OpenMemory) -> None:
    said = "My home is Lyon now."
    user = open_memory(llm=ScriptedChatModel([reply(fact("Lyon", said, key="main-city"))])).for_user("u1")
    user.remember("Paris", key="Main City")
    user.add(said)
    assert [(item.content, item.key) for item in user.iter_memories()] == [("Lyon", "main_city")]


def test_an_import_leaves_secrets_behind_in_quotes_too(user: UserMemory) -> None:
    user.remember("likes tea")
    file = io.StringIO()
    user.export_memories(file)
    record = {**json.loads(file.getvalue()), "memory_id": "m2", "chain_id": "m2", "content": "likes cake"}
    record["source"] = [["msg", "user", "my password is swordfish77"]]
    user.import_memories(io.StringIO(json.dumps(record)))
    assert "swordfish77" not in str(user.get("m2"))


def test_what_can_not_be_an_id_is_not_found(user: UserMemory) -> None:
    for call in (user.get, user.delete, user.history):
        with pytest.raises(MemoryNotFoundError):
            call("\ud800")
    with pytest.raises(InvalidInputError, match="limit"):
        user.list_memories(limit=2**32)


def test_metadata_without_end_is_refused(user: UserMemory) -> None:
    endless: dict[str, Any] = {}
    endless["again"] = endless
    with pytest.raises(InvalidInputError, match="nested"):
        user.remember("x", metadata=endless)
    assert list(user.iter_memories()) == []


def test_a_store_never_writes_a_row_wider_than_chroma_can_take(open_memory: OpenMemory) -> None:
    memory = open_memory()
    user = memory.for_user("u1")
    item = user.remember("x")
    store = memory._workspace.store
    (row,) = store.read("u1", [item.memory_id])
    wide = type(row)(row.item, row.chain_id, row.vector, tuple(f"t{i}" for i in range(3000)), row.sequence)
    with pytest.raises(StorageError, match="columns"):
        store.write("u1", [wide])
    user.remember("still writable")
