"""What is deleted is gone, and nothing else is."""

from __future__ import annotations

import pytest

from langmem_ext import InvalidInputError, LongTermMemory, MemoryNotFoundError, UserMemory
from tests.support.memories import contents, listed


def test_delete_all_leaves_other_users_alone(memory: LongTermMemory) -> None:
    alice, bob = memory.for_user("alice"), memory.for_user("bob")
    alice.remember_many(["A", "B", "C"])
    kept = bob.remember_many(["D", "E"])
    assert alice.delete_all().memories == 3
    assert listed(alice) == []
    assert list(bob.list_memories().memories) == kept
    assert sorted(contents(bob.search("D E"))) == ["D", "E"]


async def test_delete_all_takes_more_than_a_page(memory: LongTermMemory) -> None:
    first, second = memory.for_user("u1"), memory.for_user("u2")
    second.remember("kept")
    first.remember_many([f"fact {number}" for number in range(250)])
    assert first.delete_all().memories == 250
    assert listed(first) == []
    first.remember_many([f"fact {number}" for number in range(250)])
    assert (await first.adelete_all()).memories == 250
    assert (listed(first), listed(second)) == ([], ["kept"])


def test_nothing_to_delete_deletes_nothing(memory: LongTermMemory, user: UserMemory) -> None:
    user.remember_many(["A", "B", "C"])
    assert memory.for_user("nobody").delete_all().versions == 0
    for memory_id in ("", "no-such-id"):
        with pytest.raises(MemoryNotFoundError):
            user.delete(memory_id)
    with pytest.raises(InvalidInputError):
        user.delete([])  # type: ignore[arg-type]
    assert listed(user) == ["A", "B", "C"]


def test_the_id_of_a_hit_deletes_it(user: UserMemory) -> None:
    user.remember("User owns a red bicycle")
    hit = user.search("bicycle")[0]
    user.delete(hit.memory_id)
    with pytest.raises(MemoryNotFoundError):
        user.get(hit.memory_id)
    with pytest.raises(MemoryNotFoundError):
        user.delete(hit.memory_id)
    assert len(user.search("bicycle")) == 0
