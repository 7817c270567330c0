"""When the ground gives way: what is said, what goes on, and how it is mended."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from langmem_ext import LongTermMemory, StorageError, UserMemory
from langmem_ext.stores.chroma.rows import shard_number
from langmem_ext.testing import FakeEmbedder
from tests.support.chroma_server import ChromaServer
from tests.support.memories import contents, run_python


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "db"


def opened(path: Path) -> LongTermMemory:
    return LongTermMemory(path, embedder=FakeEmbedder())


def shard_of(path: Path, user_id: str) -> Path:
    """The directory of a user's shard."""
    return path / "shards" / f"{shard_number(user_id, 16):02}"


def elsewhere(user_id: str) -> str:
    """A user of another shard."""
    names = (f"other{number}" for number in range(100))
    return next(name for name in names if shard_of(Path(), name) != shard_of(Path(), user_id))


def texts(user: UserMemory) -> list[str]:
    return contents(user.iter_memories())


def many(user: UserMemory, count: int = 1100) -> list[str]:
    """Enough memories for Chroma to save its index."""
    user.remember_many([f"Fact number {number}" for number in range(count)])
    return texts(user)


@pytest.fixture
def filled(path: Path) -> Path:
    """A closed store: many rows of u1, one of a user in another shard."""
    with opened(path) as memory:
        memory.for_user("u1").remember("First value", key="k")
        many(memory.for_user("u1"))
        memory.for_user("u1").remember("Second value", key="k", metadata={"n": 1})
        memory.for_user(elsewhere("u1")).remember("All well here")
    return path


def index_of(path: Path) -> Path:
    (header,) = shard_of(path, "u1").glob("g*/*/header.bin")
    return header.parent


DAMAGES = {
    "index removed": lambda path: shutil.rmtree(index_of(path)),
    "ids overwritten": lambda path: (index_of(path) / "index_metadata.pickle").write_bytes(b"nonsense"),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_a_damaged_index_is_named_and_built_anew_from_the_texts(filled: Path, damage: object) -> None:
    with opened(filled) as memory:
        before = list(memory.for_user("u1").iter_memories())
        history = memory.for_user("u1").history(before[-1].memory_id)
    assert callable(damage)
    damage(filled)
    with opened(filled) as memory:
        user = memory.for_user("u1")
        with pytest.raises(StorageError) as caught:
            user.search("Fact number 7")
        for words in (shard_of(filled, "u1").name, str(filled), "memory.repair()", "backup"):
            assert words in str(caught.value)
        assert texts(memory.for_user(elsewhere("u1"))) == ["All well here"]

        report = memory.repair()

        assert report == ((int(shard_of(filled, "u1").name),), 1102)
        assert list(user.iter_memories()) == before
        assert user.history(before[-1].memory_id) == history
        assert contents(user.search("Fact number 7", top_k=1)) == ["Fact number 7"]
        assert memory.repair() == ((), 0)
        user.remember("Goes on")
    assert sorted(entry.name for entry in shard_of(filled, "u1").iterdir()) == ["current", "g0002"]
    with opened(filled) as memory:
        assert "Goes on" in texts(memory.for_user("u1"))


@pytest.mark.parametrize(
    ("file", "size"), [("data_level0.bin", None), ("header.bin", None), ("data_level0.bin", 5000)]
)
def test_an_index_that_would_end_the_process_is_mended_too(filled: Path, file: str, size: int | None) -> None:
    """Other bytes in these files, or too few, make Chroma follow wild pointers."""
    data = index_of(filled) / file
    data.write_bytes(b"\x07" * (size or data.stat().st_size))
    with opened(filled) as memory:
        report = memory.repair()
        assert report.rows == 1102
        assert len(texts(memory.for_user("u1"))) == 1101


def test_texts_that_can_not_be_read_are_said_to_be_lost(filled: Path) -> None:
    (database,) = shard_of(filled, "u1").glob("g*/chroma.sqlite3")
    database.write_bytes(b"no database" * 1000)
    with opened(filled) as memory:
        for call in (memory.repair, lambda: texts(memory.for_user("u1"))):
            with pytest.raises(StorageError) as caught:
                call()
            assert "backup" in str(caught.value)
            assert f"{shard_of(filled, 'u1').name}" in str(caught.value)
        assert texts(memory.for_user(elsewhere("u1"))) == ["All well here"]
    assert database.read_bytes().startswith(b"no database")  # left as it was
    assert sorted(entry.name for entry in shard_of(filled, "u1").iterdir()) == ["current", "g0001"]
    shutil.rmtree(shard_of(filled, "u1"))  # the way out that the error names
    with opened(filled) as memory:
        assert texts(memory.for_user("u1")) == []
        memory.for_user("u1").remember("A new beginning")


def test_a_generation_that_is_gone_is_not_an_empty_one(filled: Path) -> None:
    shutil.rmtree(shard_of(filled, "u1") / "g0001")
    with opened(filled) as memory:
        with pytest.raises(StorageError, match="backup"):
            memory.for_user("u1").remember("New")
        with pytest.raises(StorageError, match="backup"):
            memory.users()
        assert texts(memory.for_user(elsewhere("u1"))) == ["All well here"]
    assert sorted(entry.name for entry in shard_of(filled, "u1").iterdir()) == ["current"]


def test_a_card_that_is_gone_is_not_a_new_store(filled: Path) -> None:
    (filled / "store.json").unlink()
    with pytest.raises(StorageError, match=r"store\.json is missing.*backup"):
        opened(filled)
    assert not (filled / "store.json").exists()


def test_a_folder_that_is_deleted_is_said_to_be_gone(path: Path) -> None:
    with opened(path) as memory:
        user = memory.for_user("u1")
        user.remember("First")
        user.search("First")  # fills the index in RAM
        shutil.rmtree(path)
        for call in (
            lambda: user.remember("Second"),
            lambda: user.list_memories(),
            lambda: user.search("First"),
            lambda: user.context("First"),
            lambda: user.delete_all(erase=True),
            lambda: memory.for_user(elsewhere("u1")).remember("Third"),
            lambda: memory.users(),
            lambda: memory.erase(),
            lambda: memory.repair(),
        ):
            with pytest.raises(StorageError, match=r"deleted, moved or replaced") as caught:
                call()
            assert str(path) in str(caught.value)
        assert not path.exists()  # and no half of it was made again
    with opened(path) as memory:
        assert texts(memory.for_user("u1")) == []


def test_a_folder_in_the_place_of_the_old_one_is_opened_as_a_new_store(path: Path) -> None:
    """A notebook that deletes its folder and runs the opening cell again."""
    first = opened(path)
    first.for_user("u1").remember("First")
    shutil.rmtree(path)
    second = opened(path)
    second.for_user("u1").remember("Second")
    assert texts(second.for_user("u1")) == ["Second"]
    with pytest.raises(StorageError, match="replaced"):
        first.for_user("u1").remember("Third")
    first.close()
    third = opened(path)
    assert texts(third.for_user("u1")) == texts(second.for_user("u1")) == ["Second"]
    second.close()
    third.close()


READ_ONLY = """
    import os, sys
    from pathlib import Path
    from langmem_ext import LongTermMemory, StorageError
    from langmem_ext.testing import FakeEmbedder

    with LongTermMemory(embedder=FakeEmbedder()) as memory:  # imports what the other user may not read
        memory.for_user("u1").remember("anything")
    path = Path(sys.argv[1])
    os.chmod(path.parent, 0o755)
    if os.getuid() == 0:
        for folder, _, files in os.walk(path):
            for name in ("", *files):
                os.chown(Path(folder) / name, 65534, 65534)
        os.setgid(65534); os.setuid(65534)

    def locked(mode):
        for folder, _, files in os.walk(path, topdown=False):
            for name in files:
                os.chmod(Path(folder) / name, mode & 0o666)
            os.chmod(folder, mode)

    def tried(what, call):
        try:
            call()
            print(what, "worked")
        except StorageError as error:
            print(what, str(path) in str(error) and any(w in str(error).lower() for w in
                  ("read-only", "permission", "write access")), error)

    memory = LongTermMemory(path, embedder=FakeEmbedder())
    user = memory.for_user("u1")
    user.remember("first")
    locked(0o555)
    tried("write", lambda: user.remember("second"))
    memory.close()
    tried("open", lambda: LongTermMemory(path, embedder=FakeEmbedder()).for_user("u1").remember("third"))
    locked(0o755)
    memory = LongTermMemory(path, embedder=FakeEmbedder())
    print("after", [item.content for item in memory.for_user("u1").iter_memories()][:1])
    memory.close()
"""


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="modes and users are a matter of POSIX")
def test_a_read_only_directory_is_named() -> None:
    with tempfile.TemporaryDirectory() as folder:  # another user must get there, unlike to pytest's
        with opened(Path(folder) / "db"):
            pass
        done = run_python(READ_ONLY, str(Path(folder) / "db"))
    told = dict(line.split(" ", 1) for line in done.stdout.splitlines())
    assert told.get("after") == "['first']", (told, done.stderr)
    assert told["open"].startswith("True"), told
    assert told["write"] == "worked" or told["write"].startswith("True"), told


FULL = """
    import resource, signal, sys
    from langmem_ext import LongTermMemory, StorageError
    from langmem_ext.testing import FakeEmbedder

    memory = LongTermMemory(sys.argv[1], embedder=FakeEmbedder())
    user, told = memory.for_user("u1"), []
    user.remember("before")
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, unlimited[1]))  # of each file: as good as a full disk
    for number in range(400):
        try:
            user.remember(f"number {number} " + "x" * 900)
            told.append(number)
        except StorageError as error:
            print("refused", sys.argv[1] in str(error), error)
            break
    try:
        memory.erase()
        print("erase worked")
    except StorageError as error:
        print("erase", sys.argv[1] in str(error), error)
    resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
    memory.close()
    memory = LongTermMemory(sys.argv[1], embedder=FakeEmbedder())
    texts = {item.content.partition(" x")[0] for item in memory.for_user("u1").iter_memories()}
    print("lost", sorted({"before", *(f"number {n}" for n in told)} - texts))
    memory.for_user("u1").remember("after")
    print("shards", memory.erase().shards)
    memory.close()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits of file sizes are a matter of POSIX")
def test_a_full_disk_is_an_error_and_loses_nothing_that_was_stored(path: Path) -> None:
    done = run_python(FULL, str(path))
    told = dict(line.split(" ", 1) for line in done.stdout.splitlines())
    assert told["refused"].startswith("True"), (told, done.stderr)
    assert told["erase"] == "worked" or told["erase"].startswith("True"), told
    assert (told["lost"], told["shards"]) == ("[]", "1"), (told, done.stderr)


@pytest.fixture
def server() -> Iterator[ChromaServer]:
    with ChromaServer() as running:
        yield running


def test_a_server_that_is_gone_is_named_and_when_it_is_back_all_goes_on(server: ChromaServer) -> None:
    with LongTermMemory(url=server.url, embedder=FakeEmbedder()) as memory:
        user = memory.for_user("u1")
        user.remember("Before")
        server.stop()
        for call in (lambda: user.remember("Meanwhile"), lambda: user.search("Before"), memory.users):
            with pytest.raises(StorageError, match="does not answer") as caught:
                call()
            assert server.url.removeprefix("http://") in str(caught.value)
        server.start_again()
        user.remember("After")
        assert texts(user) == ["Before", "After"]
        with pytest.raises(StorageError, match="cannot be repaired from here"):
            memory.repair()


def test_no_descriptor_and_no_thread_is_left(filled: Path) -> None:
    told = run_python(
        """
        import os, sys, threading, time
        from langmem_ext import LongTermMemory
        from langmem_ext.testing import FakeEmbedder

        def below():
            targets = [os.readlink(f"/proc/self/fd/{name}") for name in os.listdir("/proc/self/fd")
                       if os.path.exists(f"/proc/self/fd/{name}")]
            return [target for target in targets if target.startswith(sys.argv[1])]

        memory = LongTermMemory(sys.argv[1], embedder=FakeEmbedder())
        for name in ("u1", "u2", "u3", "u4"):
            memory.for_user(name).remember("Something")
            memory.for_user(name).search("something")
        memory.erase()
        print("open", len(below()) > 0)
        memory.close()
        until = time.monotonic() + 10  # under load Chroma gives them back a little later
        while below() and time.monotonic() < until:
            time.sleep(0.05)
        print("files", below())
        print("threads", [thread.name for thread in threading.enumerate() if "langmem" in thread.name])
        """,
        str(filled),
    )
    lines = dict(line.split(" ", 1) for line in told.stdout.splitlines())
    if sys.platform == "linux":
        assert (lines["open"], lines["files"]) == ("True", "[]"), told.stderr
    assert lines["threads"] == "[]", told.stderr


def test_shards_that_nobody_uses_are_closed_and_opened_again(path: Path) -> None:
    from langmem_ext.stores.chroma.embedded import EmbeddedShards
    from langmem_ext.stores.chroma.store import ChromaStore
    from tests.support.memories import FINGERPRINT, row, soon

    shards = EmbeddedShards(path, FINGERPRINT, idle=0.05)
    store = ChromaStore(shards)
    store.write("u1", [row("a")])
    number = store._number("u1")
    soon(lambda: shards.shards[number]._open is None)
    assert [found.item.memory_id for found in store.find("u1")] == ["a"]
    store.write("u1", [row("b")])
    soon(lambda: shards.shards[number]._open is None)
    assert len(store.find("u1")) == 2
    store.close()


def test_the_data_of_a_process_is_in_no_file_of_an_index(path: Path) -> None:
    """Chroma writes uninitialised memory into the files of a young index; here it would be 0x5a."""
    code = """
        import sys
        from langmem_ext import LongTermMemory
        from langmem_ext.testing import FakeEmbedder

        for part in range(2):
            with LongTermMemory(sys.argv[1], embedder=FakeEmbedder()) as memory:
                memory.for_user("u1").remember(f"Something {part}")
                memory.for_user("u1").search("something")
                memory.for_user(f"other {part}").remember_many([f"fact {n}" for n in range(20)])
                if part:
                    memory.erase()
    """
    if sys.platform != "linux":
        pytest.skip("only the C library of Linux can be told to fill memory")
    done = run_python(code, str(path), env={**os.environ, "MALLOC_PERTURB_": "165"})
    assert done.returncode == 0, done.stderr
    files = [file for file in path.rglob("*") if file.is_file()]
    assert [file.name for file in files if b"\x5a" * 16 in file.read_bytes()] == []
    assert any(file.name == "data_level0.bin" for file in files)


def test_a_panic_in_chroma_is_an_error_like_others(filled: Path) -> None:
    (database,) = shard_of(filled, "u1").glob("g*/chroma.sqlite3")
    data = bytearray(database.read_bytes())
    data[40_000:100_000] = b"\x07" * 60_000
    database.write_bytes(bytes(data))
    with opened(filled) as memory:
        for call in (lambda: texts(memory.for_user("u1")), memory.users, memory.erase, memory.repair):
            with pytest.raises(StorageError, match="backup"):
                call()
        assert texts(memory.for_user(elsewhere("u1"))) == ["All well here"]


def test_a_store_that_takes_the_place_during_an_erasure_is_not_touched(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from langmem_ext.stores.chroma import directories, rewriting

    for place in (path, tmp_path / "backup"):
        with opened(place) as memory:
            memory.for_user("u1").remember(f"In {place.name}")

    def replaced(*arguments: object, **options: object) -> int:
        rows = directories.write_directory(*arguments, **options)  # type: ignore[arg-type]
        path.rename(tmp_path / "moved")
        (tmp_path / "backup").rename(path)
        return rows

    memory = opened(path)
    monkeypatch.setattr(rewriting, "write_directory", replaced)
    with pytest.raises(StorageError, match="replaced"):
        memory.erase()
    monkeypatch.undo()
    memory.close()
    for place, name in ((path, "backup"), (tmp_path / "moved", "db")):
        with opened(place) as memory:
            assert texts(memory.for_user("u1")) == [f"In {name}"]


def test_an_empty_shard_folder_is_no_damage(path: Path) -> None:
    with opened(path) as memory:
        memory.for_user("u1").remember("Fine")
        (path / "shards" / "15").mkdir(exist_ok=True)
        assert memory.repair() == ((), 0)
        assert memory.users() == ["u1"]
        assert memory.erase().complete


@pytest.mark.parametrize(
    "change",
    [
        {"shards": 0},
        {"shards": "16"},
        {"format": -1},
        {"pending": {"3": "../../elsewhere"}},
        {"pending": {"77": "g0002"}},
        {"pending": ["g0002"]},
    ],
)
def test_a_card_that_was_edited_is_damaged_and_changes_nothing(path: Path, change: dict[str, object]) -> None:
    opened(path).close()
    card = json.loads((path / "store.json").read_text())
    (path / "store.json").write_text(json.dumps({**card, **change}))
    with pytest.raises(StorageError, match="damaged"):
        opened(path)
    (path / "store.json").write_text(json.dumps(card))
    opened(path).close()
