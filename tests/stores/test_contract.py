"""What every `MemoryStore` must do; run against Chroma in RAM, in a directory and on a server."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from langmem_ext.errors import InvalidFilterError, StorageError, StoreClosedError
from langmem_ext.items import Source
from langmem_ext.ports import WRITE_LIMIT, MemoryStore, StoredMemory
from langmem_ext.stores.chroma import ChromaStore
from langmem_ext.text import content_key
from tests.support.memories import FINGERPRINT, START, OpenStore, contents, row

LOOK_ALIKES = [
    "u1", "u10", "u", "U1", " u1", "u1 ", "a/b", "a:b", "a", "b", "用户", "用户1", "x" * 300, "x" * 299,
    "ann@example.org", 'q"uo\'te', "%", "_", "\\", "a\nb", "{}", "$ne", "u1\x00", "é", "e\u0301", "🧋",
]  # fmt: skip


def same(found: StoredMemory, expected: StoredMemory) -> bool:
    return (
        (found.item, found.chain_id, found.turn_ids) == (expected.item, expected.chain_id, expected.turn_ids)
        and found.sequence > 0
        and bool(np.allclose(found.vector, expected.vector, atol=1e-6))
    )


def full_row(memory_id: str = "full") -> StoredMemory:
    hour = timedelta(hours=1)
    return row(
        memory_id,
        "用户住在杭州 🧋 “quoted” \\ {braces}",
        chain_id="chain-7",
        turn_ids=("t1", "t2"),
        memory_type="episodic",
        metadata={
            "n": 3, "x": 2.5, "flag": True, "none": None, "empty": [], "list": ["a", 1, None],
            "nested": {"k": [1, {"deep": "值"}]}, "day": datetime(2026, 1, 2).date(),
            "when": datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC), "text": "", "chroma:document": "x",
        },
        updated_at=START + hour, last_accessed_at=START + 2 * hour, access_count=4,
        expires_at=START + 9 * hour, agent_id="agent", session_id="session", key="residence.city",
        importance=0.25,
        valid_from=START - hour, valid_until=START + 8 * hour, recorded_at=START - hour,
        retracted_at=START + 7 * hour, supersedes=("a", "b"), superseded_by="c",
        source=(Source("m1", "user", "我住在杭州"), Source("m2", "Ann", "yes")),
    )  # fmt: skip


def test_a_row_comes_back_with_every_field_and_type(store: MemoryStore) -> None:
    rows = [full_row(), row("plain")]
    store.write("u1", rows)
    found = store.read("u1", ["full", "plain"])
    assert all(same(one, other) for one, other in zip(found, rows, strict=True))
    assert type(found[0].item.metadata["n"]) is int and type(found[0].item.metadata["flag"]) is bool


def test_rows_outlast_the_store(reopen: OpenStore) -> None:
    first = reopen()
    first.write("u1", [full_row()])
    first.close()
    again = reopen()
    assert same(again.read("u1", ["full"])[0], full_row())
    assert contents(again.find("u1")) == [full_row().item.content]


def test_a_write_replaces_the_whole_row(store: MemoryStore) -> None:
    store.write("u1", [full_row("m")])
    plain = row("m", "new text", metadata={"n": "now a string"})
    store.write("u1", [plain])
    assert same(store.read("u1", ["m"])[0], plain)
    stale: list[dict[str, Any]] = [
        {"n": 3}, {"x": 2.5}, {"flag": True}, {"agent_id": "agent"}, {"key": "residence.city"},
        {"importance": 0.25}, {"text": ""}, {"turn_ids": "t1"}, {"x": {"$ne": 0}}, {"none": None},
        {"content_key": content_key(full_row().item.content)}, {"expires_at": {"$gt": START}},
    ]  # fmt: skip
    assert [filters for filters in stale if store.find_ids("u1", filters)] == []
    assert store.find_ids("u1", {"n": "now a string"}) == ["m"]


def test_read_answers_in_the_order_asked_and_leaves_out_what_is_unknown(store: MemoryStore) -> None:
    store.write("u1", [row("a"), row("b"), row("c")])
    read = store.read("u1", ["c", "nobody", "a"])
    assert [found.item.memory_id for found in read] == ["c", "a"]
    assert store.read("u1", []) == []
    assert store.read("somebody", ["a"]) == []


def test_an_id_that_is_named_twice_is_one_row(store: MemoryStore) -> None:
    store.write("u1", [row("a"), row("b")])
    read = [found.item.memory_id for found in store.read("u1", ["b", "a", "b"])]
    assert read in (["b", "a", "b"], ["b", "a"])
    assert store.delete("u1", ["b", "b"]) == 1
    assert store.find_ids("u1") == ["a"]


def test_find_follows_the_first_write_of_each_row(store: MemoryStore) -> None:
    store.write("u1", [row("b"), row("a")])
    store.write("u1", [row("c")])
    changed = replace(store.read("u1", ["b"])[0], chain_id="other")
    store.write("u1", [changed])
    found = store.find("u1")
    assert [one.item.memory_id for one in found] == ["b", "a", "c"]
    assert found[0].chain_id == "other"
    sequences = [one.sequence for one in found]
    assert sequences == sorted(set(sequences))


def test_limit_takes_the_oldest(store: MemoryStore) -> None:
    store.write("u1", [row(f"m{number}") for number in range(12)])
    assert [one.item.memory_id for one in store.find("u1", limit=3)] == ["m0", "m1", "m2"]
    assert len(store.find("u1", limit=100)) == len(store.find("u1")) == 12
    later = store.find("u1", {"sequence": {"$gt": store.find("u1", limit=3)[-1].sequence}}, limit=2)
    assert [one.item.memory_id for one in later] == ["m3", "m4"]


def test_pages_have_no_gap_when_the_clock_was_set_back(
    reopen: OpenStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = reopen()
    first.write("u1", [row("a"), row("b"), row("c")])
    first.close()
    hour_ago = time.time() - 3600
    monkeypatch.setattr(time, "time", lambda: hour_ago)
    again = reopen()
    again.write("u1", [row("d"), row("e")])
    seen: list[str] = []
    after = 0.0
    while page := again.find("u1", {"sequence": {"$gt": after}}, limit=1):
        seen.append(page[0].item.memory_id)
        after = page[0].sequence
    assert sorted(seen) == ["a", "b", "c", "d", "e"]


def test_valid_at_is_the_rule_of_the_memory_itself(store: MemoryStore) -> None:
    hour = timedelta(hours=1)
    rows = [
        row("plain"),
        row("later", valid_from=START + 2 * hour),
        row("over", valid_until=START + hour),
        row("expired", expires_at=START + hour),
        row("retracted", retracted_at=START + 9 * hour),
        row("replaced", valid_until=START + 2 * hour, superseded_by="later"),
    ]
    store.write("u1", rows)
    for steps in range(-2, 7):
        when = START + steps * hour / 2
        expected = [one.item.memory_id for one in rows if one.item.is_valid_at(when)]
        assert [one.item.memory_id for one in store.find("u1", valid_at=when)] == expected, when
        assert store.find_ids("u1", valid_at=when) == expected, when


def test_no_look_alike_user_meets_another(store: MemoryStore) -> None:
    for name in LOOK_ALIKES:
        store.write(name, [row("same-id", f"belongs to {name!r}", user_id=name, metadata={"owner": name})])
    for name in LOOK_ALIKES:
        assert (
            contents(store.find(name)) == contents(store.read(name, ["same-id"])) == [f"belongs to {name!r}"]
        )
        strangers = [other for other in LOOK_ALIKES if store.find_ids(name, {"owner": other})]
        assert strangers == [name]
    assert store.users() == sorted(LOOK_ALIKES)
    assert store.delete("u1", ["same-id"]) == 1
    assert store.users() == sorted(set(LOOK_ALIKES) - {"u1"})


@pytest.mark.parametrize(
    "filters",
    [
        {"$or": [{"n": 1}, {"n": {"$ne": 1}}]},
        {"$not": {"n": 1}},
        {},
        {"n": {"$nin": []}},
        {"$not": {"$or": []}},
    ],
)
def test_no_filter_widens_the_scope(store: MemoryStore, filters: dict[str, Any]) -> None:
    store.write("u1", [row("mine", metadata={"n": 1})])
    store.write("u2", [row("theirs", user_id="u2", metadata={"n": 2})])
    assert set(store.find_ids("u1", filters)) <= {"mine"}


@pytest.mark.parametrize("filters", [{"user_id": "u2"}, {"$or": [{"user_id": "u2"}, {"n": 1}]}])
def test_the_owner_can_not_be_filtered_on(store: MemoryStore, filters: dict[str, Any]) -> None:
    with pytest.raises(InvalidFilterError, match="user_id"):
        store.find("u1", filters)


def test_delete_counts_what_was_there(store: MemoryStore) -> None:
    store.write("u1", [row("a"), row("b"), row("c")])
    store.write("u2", [row("a", user_id="u2")])
    assert store.delete("u1", ["a", "nobody"]) == 1
    assert store.delete("u1", ["a"]) == 0
    assert store.delete("nobody", ["b"]) == 0
    assert store.find_ids("u1") == ["b", "c"]
    assert store.find_ids("u2") == ["a"]


def test_deleting_nothing_deletes_nothing(store: MemoryStore) -> None:
    store.write("u1", [row("a"), row("b")])
    assert store.delete("u1", []) == 0
    assert store.find_ids("u1") == ["a", "b"]


def test_writing_nothing_is_fine_and_too_much_is_refused_whole(store: MemoryStore) -> None:
    store.write("u1", [])
    with pytest.raises(ValueError, match=str(WRITE_LIMIT)):
        store.write("u1", [row("m")] * (WRITE_LIMIT + 1))
    assert store.find("u1") == []
    assert store.users() == []


def test_a_row_of_somebody_else_is_refused_with_all_beside_it(store: MemoryStore) -> None:
    with pytest.raises(StorageError, match="another user"):
        store.write("u1", [row("mine"), row("theirs", user_id="u2")])
    assert store.find("u1") == store.find("u2") == []


def test_more_rows_than_one_request_holds(store: MemoryStore) -> None:
    names = [f"m{number:04}" for number in range(WRITE_LIMIT + 5)]
    for start in range(0, len(names), WRITE_LIMIT):
        store.write("u1", [row(name, "text") for name in names[start : start + WRITE_LIMIT]])
    assert store.find_ids("u1") == names
    assert [one.item.memory_id for one in store.read("u1", names[::-1])] == names[::-1]
    assert store.delete("u1", names[1:]) == len(names) - 1
    assert store.find_ids("u1") == names[:1]


def test_a_filter_with_very_many_values(store: MemoryStore) -> None:
    store.write("u1", [row("a", metadata={"n": 1}), row("b", metadata={"n": "text"})])
    assert store.find_ids("u1", {"n": {"$in": [*range(3000), "text"]}}) == ["a", "b"]
    assert store.find_ids("u1", {"n": {"$nin": [*range(3000)]}}) == ["b"]


def test_close_twice_and_use_after_it(store: MemoryStore) -> None:
    store.write("u1", [row("a")])
    store.close()
    store.close()
    calls: list[Callable[[], object]] = [
        lambda: store.write("u1", [row("b")]),
        lambda: store.read("u1", ["a"]),
        lambda: store.find("u1"),
        lambda: store.find_ids("u1"),
        lambda: store.delete("u1", ["a"]),
        store.users,
    ]
    for call in calls:
        with pytest.raises(StoreClosedError, match="closed"):
            call()


def test_rows_inherit_nothing_from_rows_that_are_gone(store: MemoryStore) -> None:
    store.write("u1", [full_row("a"), full_row("b"), full_row("c")])
    store.delete("u1", ["b", "c"])
    store.write("u1", [row("d"), row("e")])
    assert store.find_ids("u1", {"turn_ids": "t1"}) == ["a"]
    assert [found.turn_ids for found in store.read("u1", ["d", "e"])] == [(), ()]


def test_rows_inherit_nothing_from_a_store_that_is_gone() -> None:
    """Stores in RAM share a database, in which Chroma may use the numbers of rows again."""
    first = ChromaStore.in_memory(FINGERPRINT)
    first.write("u1", [full_row(f"m{number}") for number in range(50)])
    first.close()
    second = ChromaStore.in_memory(FINGERPRINT)
    second.write("u1", [row(f"n{number}") for number in range(50)])
    assert second.find_ids("u1", {"turn_ids": "t1"}) == []
    assert {found.turn_ids for found in second.find("u1")} == {()}
    second.close()


def test_it_is_a_memory_store(store: MemoryStore) -> None:
    assert isinstance(store, MemoryStore)


def test_only_a_server_is_shared_with_other_processes(reopen: OpenStore, ram_store: MemoryStore) -> None:
    store = reopen()
    assert store.shared is ("Server" in type(getattr(store, "_shards", None)).__name__)
    assert ram_store.shared is False
