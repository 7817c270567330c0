"""What is refused at the door, and who holds what."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import threading
from pathlib import Path
from typing import Any

import chromadb
import pytest

from langmem_ext import (
    EmbedderMismatchError,
    InvalidInputError,
    LongTermMemory,
    StorageError,
    StoreClosedError,
)
from langmem_ext.stores.chroma import ChromaStore
from langmem_ext.testing import FakeEmbedder
from tests.support.memories import FINGERPRINT, OpenMemory


@pytest.mark.parametrize("part", ["llm", "embedder", "store"])
def test_a_wrong_part_is_refused_and_told_what_it_lacks(part: str) -> None:
    wanted = {"llm": "acomplete", "embedder": "embed_documents", "store": "find_ids"}[part]
    with pytest.raises(InvalidInputError, match=rf"{part}=object is no .*{wanted}"):
        LongTermMemory(**{"embedder": FakeEmbedder(), part: object()})  # type: ignore[arg-type]


@pytest.mark.parametrize("path", ["", "   "])
def test_a_blank_path_is_not_the_working_directory(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInputError, match="path is blank"):
        LongTermMemory(path, embedder=FakeEmbedder())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "url",
    ["localhost:8000", "chroma://me:s3cret@host", "http://localhost:99999", "http://h:8000/a/path", "", 8000],
)
def test_a_url_that_is_none_is_refused_without_repeating_it(url: Any) -> None:
    with pytest.raises(InvalidInputError, match="url must look like") as caught:
        LongTermMemory(url=url, embedder=FakeEmbedder())
    assert "s3cret" not in str(caught.value)


def test_a_store_of_another_embedder_is_refused() -> None:
    store = ChromaStore.in_memory(FINGERPRINT)
    with pytest.raises(EmbedderMismatchError, match="7 dimensions"):
        LongTermMemory(store=store, embedder=FakeEmbedder(dim=7))
    store.close()


def test_two_memories_on_one_store_close_it_together() -> None:
    store = ChromaStore.in_memory(FINGERPRINT)
    first = LongTermMemory(store=store, embedder=FakeEmbedder())
    second = LongTermMemory(store=store, embedder=FakeEmbedder())
    first.for_user("u1").remember("likes tea")
    first.close()
    first.close()
    assert [hit.content for hit in second.for_user("u1").search("tea")] == ["likes tea"]
    second.close()
    with pytest.raises(StoreClosedError):
        store.users()


def test_closing_from_many_threads_lets_go_once(tmp_path: Path, open_memory: OpenMemory) -> None:
    kept = open_memory(tmp_path)
    other = LongTermMemory(tmp_path, embedder=FakeEmbedder())
    threads = [threading.Thread(target=other.close) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    kept.for_user("u1").remember("still open")
    assert kept.users() == ["u1"]


def test_an_application_s_own_chroma_in_ram_gets_along_with_ours(open_memory: OpenMemory) -> None:
    client = chromadb.EphemeralClient()
    user = open_memory().for_user("u1")
    user.remember("likes tea")
    assert (
        chromadb.EphemeralClient().get_or_create_collection("their-own", embedding_function=None).count() == 0
    )
    client.delete_collection("their-own")
    assert len(user.search("tea")) == 1


def test_access_counts_that_can_not_be_written_do_not_stop_a_close(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = LongTermMemory(tmp_path, embedder=FakeEmbedder())
    memory.for_user("u1").remember("likes tea")
    memory.for_user("u1").search("tea")

    def fail(*_: Any) -> None:
        raise StorageError("disk full")

    monkeypatch.setattr(ChromaStore, "count_accesses", fail)
    memory.close()
    monkeypatch.undo()
    with LongTermMemory(tmp_path, embedder=FakeEmbedder()) as again:  # the directory was given back
        assert again.users() == ["u1"]


def test_a_memory_can_be_closed_at_interpreter_exit(tmp_path: Path) -> None:
    """Then no new threads can be started any more."""
    script = textwrap.dedent(
        f"""
        import atexit
        from langmem_ext import LongTermMemory
        from langmem_ext.testing import FakeEmbedder
        memory = LongTermMemory({str(tmp_path / "db")!r}, embedder=FakeEmbedder())
        user = memory.for_user("u1")
        user.remember("likes tea")
        user.search("tea")
        atexit.register(memory.close)
        """
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    with LongTermMemory(tmp_path / "db", embedder=FakeEmbedder()) as memory:
        (item,) = memory.for_user("u1").iter_memories()
        assert item.access_count == 1


def test_a_damaged_card_is_named(tmp_path: Path) -> None:
    (tmp_path / "store.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(StorageError, match=r"store\.json"):
        LongTermMemory(tmp_path, embedder=FakeEmbedder())


def test_listing_follows_the_order_of_writing_also_when_the_clock_was_set_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = [f"fact {number}" for number in range(6)]
    with LongTermMemory(tmp_path, embedder=FakeEmbedder()) as memory:
        memory.for_user("u1").remember_many(written[:3])
    monkeypatch.setattr("langmem_ext.stores.chroma.sequences.time.time", lambda: 1_000_000.0)
    with LongTermMemory(tmp_path, embedder=FakeEmbedder()) as memory:
        user = memory.for_user("u1")
        user.remember_many(written[3:])
        listed: list[str] = []
        cursor: str | None = None
        while True:
            page = user.list_memories(limit=1, cursor=cursor)
            listed += [item.content for item in page.memories]
            if (cursor := page.cursor) is None:
                break
        assert listed == written
