"""Rows: what was written comes back, whole, in order, and to its user only."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from random import Random
from typing import Any

from langmem_ext.errors import StorageError
from langmem_ext.ports import WRITE_LIMIT, MemoryStore, StoredMemory
from langmem_ext.testing.store_contract.checks import assert_same, ids, raises, run_at_once
from langmem_ext.testing.store_contract.examples import (
    HOUR,
    LOOK_ALIKES,
    START,
    full_row,
    random_metadata,
    row,
)
from langmem_ext.text import content_key
from langmem_ext.wording import wording_key


class RowContract:
    """What `write`, `read`, `find`, `find_ids`, `delete` and `count_accesses` must do."""

    def test_a_row_comes_back_with_every_field_and_type(self, store: MemoryStore) -> None:
        rows = [full_row(), row("plain")]
        store.write("u1", rows)
        assert_same(store.read("u1", ["full", "plain"]), rows)
        assert_same(store.find("u1"), rows)

    def test_metadata_comes_back_with_equal_values_and_types(self, store: MemoryStore) -> None:
        random = Random(7)
        rows = [row(f"m{number}", metadata=random_metadata(random)) for number in range(60)]
        store.write("u1", rows)
        assert_same(store.find("u1"), rows)

    def test_a_write_replaces_the_whole_row(self, store: MemoryStore) -> None:
        store.write("u1", [full_row("m")])
        plain = row("m", "new text", metadata={"n": "now a string"})
        store.write("u1", [plain])
        assert_same(store.find("u1"), [plain])
        stale: list[dict[str, Any]] = [
            {"n": 3}, {"x": 2.5}, {"flag": True}, {"agent_id": "agent"}, {"key": "residence.city"},
            {"importance": 0.25}, {"text": ""}, {"turn_ids": "t1"}, {"x": {"$ne": 0}}, {"none": None},
            {"content_key": content_key(full_row().item.content)},
            {"wording_key": wording_key(full_row().item.content)}, {"expires_at": {"$gt": START}},
        ]  # fmt: skip
        assert [filters for filters in stale if store.find_ids("u1", filters)] == []
        assert store.find_ids("u1", {"n": "now a string"}) == ["m"]

    def test_rows_inherit_nothing_from_rows_that_are_gone(self, store: MemoryStore) -> None:
        store.write("u1", [full_row("a"), full_row("b"), full_row("c")])
        store.delete("u1", ["b", "c"])
        again = [row("b"), row("d")]
        store.write("u1", again)
        assert store.find_ids("u1", {"turn_ids": "t1"}) == ["a"]
        assert_same(store.read("u1", ["b", "d"]), again)

    def test_read_answers_in_the_order_asked_and_leaves_out_what_is_unknown(self, store: MemoryStore) -> None:
        store.write("u1", [row("a"), row("b"), row("c")])
        assert ids(store.read("u1", ["c", "nobody", "a"])) == ["c", "a"]
        assert store.read("u1", []) == []
        assert store.read("somebody", ["a"]) == []

    def test_an_id_that_is_named_twice_is_one_row(self, store: MemoryStore) -> None:
        store.write("u1", [row("a"), row("b")])
        assert ids(store.read("u1", ["b", "a", "b"])) in (["b", "a", "b"], ["b", "a"])
        assert store.delete("u1", ["b", "b"]) == 1
        assert store.find_ids("u1") == ["a"]

    def test_find_follows_the_first_write_of_each_row(self, store: MemoryStore) -> None:
        store.write("u1", [row("b"), row("a")])
        store.write("u1", [row("c")])
        store.write("u1", [replace(store.read("u1", ["b"])[0], chain_id="other")])
        found = store.find("u1")
        assert ids(found) == store.find_ids("u1") == ["b", "a", "c"]
        assert found[0].chain_id == "other"
        sequences = [one.sequence for one in found]
        assert sequences == sorted(set(sequences)), "each row has a `sequence` of its own, and they rise"

    def test_a_row_that_is_written_blindly_again_keeps_its_place(self, store: MemoryStore) -> None:
        store.write("u1", [row("b"), row("a")])
        first = store.read("u1", ["b"])[0].sequence
        store.write("u1", [row("b", "new text")])
        assert ids(store.find("u1")) == store.find_ids("u1") == ["b", "a"]
        assert store.read("u1", ["b"])[0].sequence == first

    def test_limit_takes_the_oldest(self, store: MemoryStore) -> None:
        store.write("u1", [row(f"m{number}", metadata={"even": number % 2 == 0}) for number in range(12)])
        assert ids(store.find("u1", limit=3)) == ["m0", "m1", "m2"]
        assert ids(store.find("u1", {"even": False}, limit=2)) == ["m1", "m3"]
        assert len(store.find("u1", limit=100)) == len(store.find("u1")) == 12
        later = store.find("u1", {"sequence": {"$gt": store.find("u1", limit=3)[-1].sequence}}, limit=2)
        assert ids(later) == ["m3", "m4"]

    def test_valid_at_is_the_rule_of_the_memory_itself(self, store: MemoryStore) -> None:
        rows = [
            row("plain"),
            row("later", valid_from=START + 2 * HOUR),
            row("over", valid_until=START + HOUR),
            row("expired", expires_at=START + HOUR),
            row("retracted", retracted_at=START + 9 * HOUR),
            row("replaced", valid_until=START + 2 * HOUR, superseded_by="later"),
        ]
        store.write("u1", rows)
        for steps in range(-2, 7):
            when = START + steps * HOUR / 2
            expected = [one.item.memory_id for one in rows if one.item.is_valid_at(when)]
            assert ids(store.find("u1", valid_at=when)) == expected, when
            assert store.find_ids("u1", valid_at=when) == expected, when

    def test_no_look_alike_user_meets_another(self, store: MemoryStore) -> None:
        for name in LOOK_ALIKES:
            mine = row("same-id", f"belongs to {name!r}", user_id=name, metadata={"owner": name})
            store.write(name, [mine])
        for name in LOOK_ALIKES:
            found = [*store.find(name), *store.read(name, ["same-id"])]
            assert [one.item.content for one in found] == [f"belongs to {name!r}"] * 2
            assert [other for other in LOOK_ALIKES if store.find_ids(name, {"owner": other})] == [name]
        assert store.users() == sorted(LOOK_ALIKES)
        assert store.delete("u1", ["same-id"]) == 1
        assert store.users() == sorted(set(LOOK_ALIKES) - {"u1"})

    def test_no_look_alike_id_meets_another(self, store: MemoryStore) -> None:
        store.write("u1", [row(name) for name in LOOK_ALIKES])
        for name in LOOK_ALIKES:
            assert_same(store.read("u1", [name]), [row(name)])
            assert store.find_ids("u1", {"memory_id": name}) == [name]
        assert store.find_ids("u1") == LOOK_ALIKES
        assert store.delete("u1", LOOK_ALIKES[::2]) == len(LOOK_ALIKES[::2])
        assert store.find_ids("u1") == LOOK_ALIKES[1::2]

    def test_delete_counts_what_was_there(self, store: MemoryStore) -> None:
        store.write("u1", [row("a"), row("b"), row("c")])
        store.write("u2", [row("a", user_id="u2")])
        assert store.delete("u1", ["a", "nobody"]) == 1
        assert store.delete("u1", ["a"]) == 0
        assert store.delete("nobody", ["b"]) == 0
        assert store.find_ids("u1") == ["b", "c"]
        assert store.find_ids("u2") == ["a"]

    def test_deleting_nothing_deletes_nothing(self, store: MemoryStore) -> None:
        store.write("u1", [row("a"), row("b")])
        assert store.delete("u1", []) == 0
        assert store.find_ids("u1") == ["a", "b"]

    def test_writing_nothing_is_fine_and_too_much_is_refused_whole(self, store: MemoryStore) -> None:
        store.write("u1", [])
        with raises(ValueError, str(WRITE_LIMIT), f"a write of more than {WRITE_LIMIT} rows"):
            store.write("u1", [row("m")] * (WRITE_LIMIT + 1))
        assert store.find("u1") == []
        assert store.users() == []

    def test_a_row_of_somebody_else_is_refused_with_all_beside_it(self, store: MemoryStore) -> None:
        with raises(StorageError, "another user", "write with a row of another user"):
            store.write("u1", [row("mine"), row("theirs", user_id="u2")])
        assert store.find("u1") == store.find("u2") == []

    def test_no_row_is_lost_to_the_size_of_a_request(self, store: MemoryStore) -> None:
        names = [f"m{number:04}" for number in range(WRITE_LIMIT + 5)]
        for start in range(0, len(names), WRITE_LIMIT):
            store.write("u1", [row(name, "text") for name in names[start : start + WRITE_LIMIT]])
        assert store.find_ids("u1") == names
        assert ids(store.find("u1")) == names
        assert ids(store.read("u1", names[::-1])) == names[::-1]
        assert _by_pages(store, 300) == names
        assert store.delete("u1", names[1:]) == len(names) - 1
        assert store.find_ids("u1") == names[:1]

    def test_counting_accesses_changes_rows_that_are_there_and_nothing_else_of_them(
        self, store: MemoryStore
    ) -> None:
        store.write("u1", [full_row("a"), row("b"), row("c")])
        store.write("u2", [row("b", user_id="u2")])
        before, seen = store.find("u1"), START + timedelta(days=1)
        returned = store.count_accesses("u1", {"b": (2, seen), "a": (1, seen), "nobody": (9, seen)})
        expected = [_accessed(before[0], 5, seen), _accessed(before[1], 2, seen), before[2]]
        assert sorted(ids(returned)) == ["a", "b"]
        assert_same(sorted(returned, key=lambda one: one.item.memory_id), expected[:2])
        assert_same(store.find("u1"), expected)
        assert [one.sequence for one in store.find("u1")] == [one.sequence for one in before]
        assert_same(store.find("u2"), [row("b", user_id="u2")])
        assert store.find_ids("u1", {"access_count": 2, "last_accessed_at": seen}) == ["b"]
        assert store.count_accesses("u1", {}) == []

    def test_threads_that_write_at_once_lose_nothing(self, store: MemoryStore) -> None:
        users, threads, writes = ["u1", "u2", "u3"], 8, 12

        def write(thread: int) -> None:
            for number in range(writes):
                name = users[(thread + number) % len(users)]
                store.write(name, [row(f"{thread}-{number}-{part}", user_id=name) for part in "ab"])

        run_at_once([partial(write, thread) for thread in range(threads)], 600, "the writers did not end")
        total = 0
        for name in users:
            found = store.find(name)
            total += len(set(ids(found)))
            assert sorted(store.find_ids(name)) == sorted(ids(found))
            assert len({one.sequence for one in found}) == len(found), "two rows have one `sequence`"
            for thread in map(str, range(threads)):
                order = [one.split("-")[1:] for one in ids(found) if one.split("-")[0] == thread]
                assert order == sorted(order, key=lambda parts: (int(parts[0]), parts[1]))
        assert total == threads * writes * 2


def _accessed(before: StoredMemory, count: int, seen: datetime) -> StoredMemory:
    return replace(before, item=replace(before.item, access_count=count, last_accessed_at=seen))


def _by_pages(store: MemoryStore, size: int) -> list[str]:
    found: list[str] = []
    after = 0.0
    while page := store.find("u1", {"sequence": {"$gt": after}}, limit=size):
        found.extend(ids(page))
        after = page[-1].sequence
    return found
