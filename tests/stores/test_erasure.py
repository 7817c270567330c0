"""After an erasure no file holds the text, in no spelling, and everything else is as it was."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from langmem_ext import LongTermMemory, MemoryNotFoundError, StorageError, UserMemory
from langmem_ext.stores.chroma.rows import shard_number, user_key
from langmem_ext.testing import FakeEmbedder, ManualClock, ScriptedChatModel
from tests.support.memories import START, contents, fact, listed, reply

CANARY = "Zanzibar-9917-kumquat"
CHINESE = "金丝雀暗号九九一七在桑给巴尔"


def spellings(canary: str) -> list[bytes]:
    """What may not be in any file: every 8 bytes of the text, as the ways of writing it spell it."""
    escaped = json.dumps(canary)[1:-1]
    texts = [spelling for text in (canary, escaped) for spelling in (text, text.lower())]
    written = [text.encode(code) for text in texts for code in ("utf-8", "utf-16-le", "utf-16-be")]
    return sorted({whole[at : at + 8] for whole in written for at in range(len(whole) - 7)})


def files_with(folder: Path, pieces: Sequence[bytes]) -> list[str]:
    """The files that hold any of the pieces."""
    found = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        data = path.read_bytes()
        if any(piece in data for piece in pieces):
            found.append(path.name)
    return found


@pytest.fixture
def opened(tmp_path: Path, clock: ManualClock) -> Iterator[LongTermMemory]:
    """A memory in a directory, with an LLM that always learns the canary."""
    learned = reply(fact(f"The user's word is {CANARY}", f"my word is {CANARY}", key="word"))
    llm = ScriptedChatModel([learned] * 20)
    with LongTermMemory(tmp_path / "db", embedder=FakeEmbedder(), llm=llm, clock=clock) as memory:
        yield memory


def full_of(canary: str, user: UserMemory, clock: ManualClock) -> None:
    """The canary in every place to which text can go."""
    user.add(f"Hello, my word is {canary}, and I like it.", idempotency_key=f"turn {canary}")
    labelled = user.remember(
        f"Labelled {canary}",
        key=f"attribute {canary}",
        metadata={f"field {canary}": f"value {canary}", "list": [canary], "nested": {canary: {"k": canary}}},
    )
    user.update(labelled.memory_id, content=f"Edited {canary}", metadata={"note": f"note {canary}"})
    user.remember(f"Old value {canary}", key="value")
    user.remember("New value without it", key="value")
    user.remember(f"Soon over {canary}", expires_at=clock() + timedelta(minutes=1))
    user.remember_many([f"Number {number} of {canary}" for number in range(60)])
    user.search(f"What about {canary}?")


def neighbours(memory: LongTermMemory, count: int) -> list[UserMemory]:
    """Users whose rows lie in the same shard as those of u1."""
    names = (f"neighbour{number}" for number in range(1000))
    same = [name for name in names if shard_number(name, 16) == shard_number("u1", 16)]
    return [memory.for_user(name) for name in same[:count]]


@pytest.mark.parametrize("canary", [CANARY, CHINESE])
def test_no_file_holds_what_was_erased(
    opened: LongTermMemory, tmp_path: Path, clock: ManualClock, canary: str
) -> None:
    user, beside = opened.for_user("u1"), neighbours(opened, 3)
    for number, other in enumerate(beside):
        other.remember_many([f"Kept fact {number} {part}" for part in range(50)])
    kept = [list(other.iter_memories()) for other in beside]
    full_of(canary, user, clock)
    clock.advance(120)
    vectors = [row.vector.tobytes() for row in opened._workspace.store.find("u1")]
    pieces = spellings(canary)
    assert "chroma.sqlite3" in files_with(tmp_path, pieces)

    receipt = user.delete_all(erase=True)

    assert files_with(tmp_path, pieces) == []
    assert files_with(tmp_path, vectors) == []
    assert files_with(tmp_path, [user_key("u1").encode()]) == []
    assert receipt.versions > 60
    assert receipt.erasure is not None and receipt.erasure.complete
    assert (receipt.erasure.shards, receipt.erasure.rows_kept) == (1, 150)
    assert receipt.erasure.files_scanned > 2 and receipt.erasure.bytes_scanned > 10_000
    assert receipt.erasure.seconds > 0

    assert [list(other.iter_memories()) for other in beside] == kept
    assert contents(beside[0].search("Kept fact 0 7", top_k=1)) == ["Kept fact 0 7"]
    assert (listed(user), list(user.search(canary))) == ([], [])
    user.remember("A fresh start")
    assert listed(user) == ["A fresh start"]
    opened.close()
    assert files_with(tmp_path, pieces) == []


def test_deleting_alone_leaves_bytes_and_erase_takes_them(opened: LongTermMemory, tmp_path: Path) -> None:
    user = opened.for_user("u1")
    gone = user.remember(f"The secret word is {CANARY}")
    user.remember("Something that stays")
    assert user.delete(gone.memory_id).erasure is None
    assert files_with(tmp_path, [CANARY.encode()]) != []  # why there is an erasure at all
    receipt = opened.erase()
    assert files_with(tmp_path, spellings(CANARY)) == []
    assert (receipt.shards, receipt.rows_kept, receipt.complete) == (1, 1, True)
    assert listed(user) == ["Something that stays"]


def test_one_memory_can_be_erased_with_its_versions(opened: LongTermMemory, tmp_path: Path) -> None:
    user = opened.for_user("u1")
    user.remember(f"Lives at {CANARY}", key="home")
    home = user.remember("Lives elsewhere", key="home")
    user.remember("Something that stays")
    receipt = user.delete(home.memory_id, erase=True)
    assert receipt.versions == 2 and receipt.erasure is not None and receipt.erasure.complete
    assert files_with(tmp_path, spellings(CANARY)) == []
    assert listed(user) == ["Something that stays"]
    with pytest.raises(MemoryNotFoundError):
        user.delete(home.memory_id, erase=True)


def test_erase_takes_what_sweep_and_update_left(
    opened: LongTermMemory, tmp_path: Path, clock: ManualClock
) -> None:
    user = opened.for_user("u1")
    user.remember(f"For a minute {CANARY}", expires_at=START + timedelta(minutes=1))
    item = user.remember("Fine", metadata={"note": f"once {CANARY}"})
    user.update(item.memory_id, metadata={"note": None})
    clock.advance(61)
    assert opened.sweep() == (1, 1)
    opened.erase()
    assert files_with(tmp_path, spellings(CANARY)) == []
    assert user.get(item.memory_id).metadata == {}


def test_a_text_that_others_have_too_is_no_trace(opened: LongTermMemory) -> None:
    user, (other,) = opened.for_user("u1"), neighbours(opened, 1)
    sentence = "The user drinks a lot of oat milk in the morning"
    user.remember_many([sentence, "The user drinks a lot of tea in the evening"])
    other.remember_many([sentence, "The user drinks a lot of tea in the evenings"])
    receipt = user.delete_all(erase=True)
    assert receipt.erasure is not None and receipt.erasure.traces == ()
    assert contents(other.search("oat milk", top_k=1)) == [sentence]


def test_the_receipt_names_the_files_with_traces(opened: LongTermMemory, tmp_path: Path) -> None:
    user = opened.for_user("u1")
    user.remember(f"The secret word is {CANARY}")
    (tmp_path / "db" / "notes.txt").write_text(f"copied by hand: The secret word is {CANARY}")
    erasure = user.delete_all(erase=True).erasure
    assert erasure is not None and erasure.traces == ("notes.txt",)
    assert not erasure.complete


def test_erasing_where_nothing_is_stored(opened: LongTermMemory) -> None:
    assert opened.erase().shards == 0
    erasure = opened.for_user("nobody").delete_all(erase=True).erasure
    assert erasure is not None and erasure.complete and erasure.rows_kept == 0
    assert opened.users() == []


def test_others_are_served_meanwhile(opened: LongTermMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other shards read and write, the shard itself is read, and what is written to it waits."""
    from langmem_ext.stores.chroma import directories, rewriting

    user, (beside,) = opened.for_user("u1"), neighbours(opened, 1)
    far = next(
        opened.for_user(f"far{n}") for n in range(99) if shard_number(f"far{n}", 16) != shard_number("u1", 16)
    )
    user.remember(f"Word {CANARY}")
    beside.remember("Close by")
    copying, go_on = threading.Event(), threading.Event()

    def slowly(*arguments: Any, **options: Any) -> int:
        copying.set()
        assert go_on.wait(20)
        return directories.write_directory(*arguments, **options)

    monkeypatch.setattr(rewriting, "write_directory", slowly)
    erasing = threading.Thread(target=lambda: user.delete_all(erase=True))
    erasing.start()
    assert copying.wait(20)
    far.remember("Far away")
    assert contents(far.search("far away")) == ["Far away"]
    assert listed(beside) == ["Close by"]
    waiting = threading.Thread(target=lambda: beside.remember("A little later"))
    waiting.start()
    waiting.join(0.2)
    assert waiting.is_alive()
    go_on.set()
    erasing.join(30)
    waiting.join(30)
    assert not erasing.is_alive() and not waiting.is_alive()
    assert listed(beside) == ["Close by", "A little later"]


def test_a_failed_copy_changes_nothing(
    opened: LongTermMemory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from langmem_ext.stores.chroma import rewriting

    user, (beside,) = opened.for_user("u1"), neighbours(opened, 1)
    user.remember(f"Word {CANARY}")
    beside.remember("Close by")

    def fail(path: Path, *arguments: Any, **options: Any) -> int:
        path.mkdir()
        (path / "half").write_text("half a copy")
        raise StorageError("the copy failed")

    with monkeypatch.context() as patched:
        patched.setattr(rewriting, "write_directory", fail)
        with pytest.raises(StorageError, match="copy failed"):
            user.delete_all(erase=True)
    assert [path for path in tmp_path.rglob("half")] == []
    assert (listed(user), listed(beside)) == ([], ["Close by"])  # deleted and hidden, not yet erased
    erasure = user.delete_all(erase=True).erasure
    assert erasure is not None and erasure.complete
    assert files_with(tmp_path, spellings(CANARY)) == []


def test_erasing_gives_the_room_back(opened: LongTermMemory, tmp_path: Path) -> None:
    user = opened.for_user("u1")
    item = user.remember("Version 0")
    for number in range(1, 200):
        user.update(item.memory_id, content=f"Version {number} {'x' * 300}")
        other = user.remember(f"Passing {number} {'y' * 300}")
        user.delete(other.memory_id)
    versions = user.history(item.memory_id)
    before = sum(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file())
    opened.erase()
    after = sum(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file())
    assert after < before
    assert user.history(item.memory_id) == versions
    again = opened.erase()
    assert again.rows_kept == 200
    assert sum(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file()) <= after * 1.1


async def test_async_doors_erase_too(opened: LongTermMemory, tmp_path: Path) -> None:
    user = opened.for_user("u1")
    await user.aremember(f"Word {CANARY}")
    one = await user.aremember("One more")
    assert (await user.adelete(one.memory_id, erase=True)).erasure is not None
    erasure = (await user.adelete_all(erase=True)).erasure
    assert erasure is not None and erasure.complete
    assert files_with(tmp_path, spellings(CANARY)) == []
    assert (await opened.aerase()).rows_kept == 0


def test_a_server_says_what_is_out_of_reach(chroma_url: str) -> None:
    with LongTermMemory(url=chroma_url, embedder=FakeEmbedder()) as memory:
        user = memory.for_user("erased")
        user.remember(f"Word {CANARY}")
        erasure = user.delete_all(erase=True).erasure
        assert erasure is not None and not erasure.complete
        assert erasure.out_of_reach is not None and "disk of the Chroma server" in erasure.out_of_reach
        assert erasure.shards == 0
        assert listed(user) == []


def test_in_ram_there_is_nothing_to_erase(memory: LongTermMemory, user: UserMemory) -> None:
    user.remember(f"Word {CANARY}")
    erasure = user.delete_all(erase=True).erasure
    assert erasure is not None and erasure.complete and erasure.files_scanned == 0
    assert memory.erase().complete


def test_rows_keep_their_order_and_numbers(opened: LongTermMemory) -> None:
    user = opened.for_user("u1")
    user.remember_many([f"Fact {number}" for number in range(30)])
    page = user.list_memories(limit=10)
    before = opened._workspace.store.find("u1")
    opened.erase()
    after = opened._workspace.store.find("u1")
    assert [row.item for row in after] == [row.item for row in before]
    assert [row.sequence for row in after] == [row.sequence for row in before]
    assert all(np.allclose(one.vector, two.vector, atol=1e-6) for one, two in zip(before, after, strict=True))
    user.remember("The latest")
    rest = user.list_memories(limit=100, cursor=page.cursor)
    assert contents(rest.memories) == [*(f"Fact {number}" for number in range(10, 30)), "The latest"]


def test_the_words_of_chroma_itself_are_no_trace(opened: LongTermMemory) -> None:
    user, (beside,) = opened.for_user("u1"), neighbours(opened, 1)
    beside.remember_many([f"Enough for a saved index {number}" for number in range(1010)])
    user.remember(
        "The tables are collection_metadata and embedding_metadata, made by CREATE TABLE IF NOT EXISTS",
        metadata={
            "database": "default_database",
            "index": "sqlite_autoindex_tenants_1",
            "n": "INTEGER NOT NULL",
        },
    )
    user.remember("The pickle has total_elements_added, id_to_label and INTEGER PRIMARY KEY")
    erasure = user.delete_all(erase=True).erasure
    assert erasure is not None and erasure.files_scanned > 0 and erasure.traces == ()


def test_a_copy_in_a_folder_of_the_store_is_a_trace(opened: LongTermMemory, tmp_path: Path) -> None:
    user = opened.for_user("u1")
    user.remember(f"The secret word is {CANARY}")
    (tmp_path / "db" / "exports").mkdir()
    user.export_memories(tmp_path / "db" / "exports" / "u1.jsonl")
    erasure = user.delete_all(erase=True).erasure
    assert erasure is not None and erasure.traces == (str(Path("exports", "u1.jsonl")),)


def test_a_close_in_the_middle_waits_and_moves_nothing_afterwards(
    opened: LongTermMemory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from langmem_ext.stores.chroma import directories, rewriting

    opened.for_user("u1").remember("Stays")
    copying, go_on, ended = threading.Event(), threading.Event(), []

    def slowly(*arguments: Any, **options: Any) -> int:
        rows = directories.write_directory(*arguments, **options)
        copying.set()
        assert go_on.wait(20)
        return rows

    def erase() -> None:
        try:
            opened.erase()
        except StorageError as error:
            ended.append(type(error).__name__)

    monkeypatch.setattr(rewriting, "write_directory", slowly)
    erasing = threading.Thread(target=erase)
    erasing.start()
    assert copying.wait(20)
    closing = threading.Thread(target=opened.close)
    closing.start()
    closing.join(0.3)
    assert closing.is_alive()  # the copy is not done
    go_on.set()
    closing.join(20)
    erasing.join(20)
    pointers = {path: path.read_text() for path in tmp_path.rglob("current")}
    monkeypatch.undo()
    with LongTermMemory(tmp_path / "db", embedder=FakeEmbedder()) as again:
        assert listed(again.for_user("u1")) == ["Stays"]
    assert {path: path.read_text() for path in tmp_path.rglob("current")} == pointers
    assert ended in ([], ["StoreClosedError"])


def test_more_waiting_writers_than_a_few_do_not_hold_up_other_shards(
    opened: LongTermMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    from langmem_ext.stores.chroma import directories, rewriting

    user, beside = opened.for_user("u1"), neighbours(opened, 20)
    user.remember("Gone")
    copying, go_on = threading.Event(), threading.Event()

    def slowly(*arguments: Any, **options: Any) -> int:
        copying.set()
        assert go_on.wait(20)
        return directories.write_directory(*arguments, **options)

    monkeypatch.setattr(rewriting, "write_directory", slowly)
    threads = [threading.Thread(target=lambda: user.delete_all(erase=True))]
    threads[0].start()
    assert copying.wait(20)
    threads += [threading.Thread(target=other.remember, args=("Later",)) for other in beside]
    for thread in threads[1:]:
        thread.start()
    names = (f"far{number}" for number in range(99))
    far = next(opened.for_user(name) for name in names if shard_number(name, 16) != shard_number("u1", 16))
    far.remember("Far away")  # would wait for ever
    assert listed(far) == ["Far away"]
    go_on.set()
    for thread in threads:
        thread.join(30)
    assert [listed(other) for other in beside] == [["Later"]] * 20


def test_reads_beside_deletions_never_fail(opened: LongTermMemory) -> None:
    """Chroma finds no vector for a row that was deleted since it was listed; that is no damage."""
    user, stop = opened.for_user("u1"), threading.Event()
    failed: list[Exception] = []

    def read() -> None:
        while not stop.is_set():
            try:
                user.list_memories(limit=1000, include_expired=True)
            except Exception as error:  # whatever it is, it is shown below
                failed.append(error)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for number in range(60):
        items = user.remember_many([f"Fact {number} {part}" for part in range(5)])
        for item in items:
            user.delete(item.memory_id)
    stop.set()
    for reader in readers:
        reader.join()
    assert failed == []
