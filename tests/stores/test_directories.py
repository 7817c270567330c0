"""A whole Chroma directory is written as it was handed over, or with an error; and read to its last row."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from langmem_ext.errors import StorageError
from langmem_ext.stores.chroma.clients import COLLECTION, close_client, directory_client
from langmem_ext.stores.chroma.directories import Batch, read_through, write_directory
from tests.support.memories import run_python, soon

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="files and limits of POSIX")


def batch(start: int, count: int, dimension: int = 6) -> Batch:
    numbers = range(start, start + count)
    vectors = np.random.default_rng(start).normal(size=(count, dimension)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    metadatas = [{"int": n, "float": float(n), "bool": n % 2 == 0, "text": f"“{n}” 八\n"} for n in numbers]
    ids = [f"z{-n}é" for n in numbers]
    return Batch(ids, vectors, [f"row {n}\n\0 😀 \\u0041" for n in numbers], metadatas)


def stored(path: Path) -> Any:
    client = directory_client(path)
    try:
        collection = client.get_collection(COLLECTION, embedding_function=None)
        assert (collection.configuration_json or {})["hnsw"]["space"] == "cosine"
        return collection.get(include=["embeddings", "documents", "metadatas"])
    finally:
        close_client(client)


def test_rows_come_back_as_they_were_in_their_order(tmp_path: Path) -> None:
    batches = [batch(0, 3), batch(3, 0), batch(3, 2500), batch(2503, 1)]
    assert write_directory(tmp_path / "new", iter(batches)) == 2504
    found = stored(tmp_path / "new")
    assert found["ids"] == [one for part in batches for one in part.ids]
    assert found["documents"] == [one for part in batches for one in part.documents]
    expected = [one for part in batches for one in part.metadatas]
    assert found["metadatas"] == expected
    types = [{name: type(value) for name, value in (one or {}).items()} for one in expected]
    assert [{name: type(value) for name, value in one.items()} for one in found["metadatas"]] == types
    vectors = np.concatenate([part.vectors for part in batches])
    np.testing.assert_allclose(found["embeddings"], vectors, atol=1e-6)
    assert read_through(tmp_path / "new") == 2504


def test_rows_without_text_or_metadata_and_no_rows_at_all(tmp_path: Path) -> None:
    part = Batch(["a", "b"], np.eye(2, 5, dtype=np.float32), [None, "text"], [{"n": 2**62}, None])
    assert write_directory(tmp_path / "two", [part]) == 2
    found = stored(tmp_path / "two")
    assert (found["documents"], found["metadatas"]) == ([None, "text"], [{"n": 2**62}, None])
    assert write_directory(tmp_path / "none", []) == 0
    assert stored(tmp_path / "none")["ids"] == []
    assert read_through(tmp_path / "none") == 0


def test_vectors_of_any_layout_arrive(tmp_path: Path) -> None:
    given = np.random.default_rng(0).normal(size=(3, 8)).astype(np.float32)[:, ::2].T
    write_directory(tmp_path / "new", [Batch(list("abcd"), given, list("abcd"), [None] * 4)])
    np.testing.assert_allclose(stored(tmp_path / "new")["embeddings"], given, rtol=1e-5)


def test_rows_that_chroma_drops_are_an_error(tmp_path: Path) -> None:
    """It takes the first of two equal ids, and says nothing."""
    with pytest.raises(StorageError, match="4 rows were handed to .* and 2 are there"):
        write_directory(tmp_path / "twice", [batch(0, 2), batch(0, 2)])


def test_what_the_batches_raise_goes_through_and_nothing_stays_open(tmp_path: Path) -> None:
    def broken() -> Iterator[Batch]:
        yield batch(0, 2000)
        raise OSError(28, "of the source")

    with pytest.raises(OSError, match="of the source"):
        write_directory(tmp_path / "new", broken())
    soon(lambda: open_below(tmp_path) == [])  # Chroma's threads close them
    shutil.rmtree(tmp_path / "new")
    assert write_directory(tmp_path / "new", [batch(0, 2)]) == 2  # the same place can be tried again


def open_below(path: Path) -> list[str]:
    """The files below a folder that this process has open, where the system says so."""
    names = []
    for entry in Path("/proc/self/fd").glob("*"):
        with suppress(FileNotFoundError):  # closed meanwhile
            names.append(os.readlink(entry))
    return [name for name in names if name.startswith(str(path))]


def test_rows_that_chroma_refuses_are_an_error(tmp_path: Path) -> None:
    bad = Batch(["a", "b"], np.eye(2, dtype=np.float32), ["x"] * 2, [{"k": ["x", 1]}, None])
    with pytest.raises(ValueError, match="metadata"):
        write_directory(tmp_path / "new", [batch(0, 2, 2), bad])
    soon(lambda: open_below(tmp_path) == [])


def test_a_directory_that_is_there_is_left_alone(tmp_path: Path) -> None:
    write_directory(tmp_path / "new", [batch(0, 2)])
    with pytest.raises(FileExistsError):
        write_directory(tmp_path / "new", [batch(2, 2)])
    assert len(stored(tmp_path / "new")["ids"]) == 2


@posix_only
def test_a_full_disk_is_an_error(tmp_path: Path) -> None:
    """A limit on the size of files makes SQLite fail as a full disk does."""
    code = """
        import resource, sys
        from pathlib import Path
        import numpy as np
        from langmem_ext.stores.chroma.directories import Batch, write_directory
        resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
        ids = [str(number) for number in range(1000)]
        rows = Batch(ids, np.ones((1000, 64), dtype=np.float32), ["plum cake " * 40] * 1000, [None] * 1000)
        try:
            print("written:", write_directory(Path(sys.argv[1]), [rows]))
        except Exception as error:
            print("failed:", error)
    """
    done = run_python(code, str(tmp_path / "new"))
    assert done.stdout.startswith("failed: "), (done.stdout, done.stderr)
    assert "disk" in done.stdout


@posix_only
@pytest.mark.parametrize("count", [20, 1200])
def test_all_of_a_directory_is_synced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    """With a young index and with a saved one."""
    synced: set[int] = set()
    real = os.fsync

    def fsync(descriptor: int) -> None:
        synced.add(os.fstat(descriptor).st_ino)
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    write_directory(tmp_path / "new", [batch(0, count)])
    everything = [tmp_path, tmp_path / "new", *(tmp_path / "new").rglob("*")]
    assert any(entry.name == "data_level0.bin" for entry in everything)
    assert [entry for entry in everything if entry.stat().st_ino not in synced] == []


@posix_only
def test_nobody_else_may_look_into_a_directory(tmp_path: Path) -> None:
    write_directory(tmp_path / "new", [])
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700


@pytest.mark.skipif(sys.platform != "linux", reason="only the C library of Linux can be told to fill memory")
def test_the_memory_of_the_process_is_in_no_file(tmp_path: Path) -> None:
    code = """
        import sys
        from pathlib import Path
        import numpy as np
        from langmem_ext.stores.chroma.directories import Batch, write_directory
        write_directory(Path(sys.argv[1]), [Batch(["a"], np.eye(1, 8, dtype=np.float32), ["x"], [None])])
    """
    done = run_python(code, str(tmp_path / "new"), env={**os.environ, "MALLOC_PERTURB_": "165"})
    assert done.returncode == 0, done.stderr
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert any(file.name == "data_level0.bin" for file in files)
    assert [file.name for file in files if b"\x5a" * 16 in file.read_bytes()] == []


def length_file(path: Path) -> Path:
    (found,) = path.glob("*/length.bin")
    return found


@pytest.mark.parametrize("damage", [b"\0\0\0\0", b"\0\0\xc0\x7f", b"\xff\xff\xff\xff", b"ZZZZ"])
def test_vectors_that_came_back_damaged_without_an_error_are_one(tmp_path: Path, damage: bytes) -> None:
    """Chroma multiplies by what that file says: zeros after a crash of the machine, or anything."""
    write_directory(tmp_path / "new", [batch(0, 1200)])
    file = length_file(tmp_path / "new")
    content = bytearray(file.read_bytes())
    content[4 * 1100 : 4 * 1101] = damage  # of one row on the second page
    file.write_bytes(content)
    with pytest.raises(ValueError):  # noqa: PT011  # it has no words: nobody sees it
        read_through(tmp_path / "new")
    soon(lambda: open_below(tmp_path) == [])


def test_reading_makes_nothing(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for name in ("empty", "missing"):
        with pytest.raises(FileNotFoundError):
            read_through(tmp_path / name)
    assert list(tmp_path.rglob("*")) == [tmp_path / "empty"]
