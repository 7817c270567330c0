"""Another embedder for a store that is there."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from langmem_ext import (
    EmbedderMismatchError,
    LongTermMemory,
    MemoryItem,
    ModelError,
    StorageError,
    StoreLockedError,
)
from langmem_ext.stores.chroma.generations import Generations
from langmem_ext.testing import FakeEmbedder
from tests.support.memories import contents

OLD, NEW = FakeEmbedder(dim=384, name="m1"), FakeEmbedder(dim=768, name="m2")
USERS = [f"u{number}" for number in range(5)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store with versions, written with the old embedder."""
    with LongTermMemory(tmp_path / "db", embedder=OLD) as memory:
        for name in USERS:
            memory.for_user(name).remember("Lived in Lyon", key="home")
            memory.for_user(name).remember(f"{name} lives in Nantes", key="home", metadata={"n": 1})
            memory.for_user(name).remember("Likes plum cake")
    return tmp_path / "db"


def unread(item: MemoryItem) -> MemoryItem:
    """Without the counts of recalls."""
    return replace(item, access_count=0, last_accessed_at=None)


def everything(path: Path, embedder: FakeEmbedder) -> list[object]:
    with LongTermMemory(path, embedder=embedder) as memory:
        users = [memory.for_user(name) for name in memory.users()]
        items = [[unread(item) for item in user.iter_memories()] for user in users]
        histories = [
            [(event.action, unread(event.memory)) for event in user.history(found[0].memory_id)]
            for user, found in zip(users, items, strict=True)
        ]
        hits = [contents(user.search("plum cake", top_k=1)) for user in users]
    assert hits == [["Likes plum cake"]] * len(USERS)
    return [*items, *histories]


def test_the_error_names_both_and_the_way(path: Path) -> None:
    with pytest.raises(EmbedderMismatchError) as caught:
        LongTermMemory(path, embedder=NEW)
    for word in ("m1", "384", "m2", "768", "LongTermMemory.reembed("):
        assert word in str(caught.value)


def test_after_reembedding_all_is_there_and_found(path: Path) -> None:
    before = everything(path, OLD)
    report = LongTermMemory.reembed(path, embedder=NEW)
    assert (report.rows, len(report.shards)) == (15, len(set(report.shards)))
    assert everything(path, NEW) == before
    with pytest.raises(EmbedderMismatchError, match=r"m2.*m1"):
        LongTermMemory(path, embedder=OLD)
    assert len(list(path.glob("shards/*/g*"))) == len(report.shards)


class Failing(FakeEmbedder):
    """Fails after the first shard."""

    def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        if self.calls == 1:
            self.error = ModelError("no answer", kind="unavailable")
        return super().embed_documents(texts)


def test_an_embedder_that_fails_leaves_the_store_as_it_was(path: Path) -> None:
    before = everything(path, OLD)
    with pytest.raises(ModelError):
        LongTermMemory.reembed(path, embedder=Failing(dim=768, name="m2"))
    assert everything(path, OLD) == before
    assert {found.name for found in path.glob("shards/*/g*")} == {"g0001"}


@pytest.mark.parametrize("switched", [0, 1, 3])
def test_a_crash_after_the_decision_is_brought_to_its_end(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, switched: int
) -> None:
    """The card says so; the pointers of some shards do not yet."""
    before = everything(path, OLD)
    done = 0

    def switch(generations: Generations, new: Path) -> None:
        nonlocal done
        if done == switched:
            shutil.copytree(path, tmp_path / "crashed")
        done += 1
        (new.parent / "current").write_text(new.name)

    monkeypatch.setattr(Generations, "switch", switch)
    LongTermMemory.reembed(path, embedder=NEW)
    monkeypatch.undo()
    os.remove(tmp_path / "crashed" / "lock")
    assert everything(tmp_path / "crashed", NEW) == before
    assert everything(path, NEW) == before


def test_a_store_that_is_open_is_refused(path: Path) -> None:
    with LongTermMemory(path, embedder=OLD), pytest.raises(StoreLockedError, match="close it first"):
        LongTermMemory.reembed(path, embedder=NEW)


def test_where_no_store_is_none_is_made(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="no store"):
        LongTermMemory.reembed(tmp_path / "nothing", embedder=NEW)
    assert not (tmp_path / "nothing").exists()
