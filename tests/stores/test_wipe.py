"""Chroma writes memory of the process into the files of a young index: wiping it, which harms nothing."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import chromadb
import numpy as np
import pytest

from langmem_ext.stores.chroma.clients import close_client, directory_client, open_collection
from langmem_ext.stores.chroma.wipe import is_dirty, is_saved, wipe
from tests.support.memories import run_python

SAVING = 1000  # writes after which Chroma saves an index
FILLED = b"\x5a" * 16  # what fresh memory holds in a process that is told to fill it
linux_only = pytest.mark.skipif(
    sys.platform != "linux", reason="only the C library of Linux can be told to fill memory"
)
VECTORS = np.random.default_rng(0).normal(size=(2 * SAVING, 16)).astype(np.float32)


@contextmanager
def opened(path: Path) -> Iterator[chromadb.Collection]:
    client = directory_client(path)
    try:
        yield open_collection(client, "memories", str(path))
    finally:
        close_client(client)


def write(collection: chromadb.Collection, start: int, stop: int) -> None:
    ids = [str(number) for number in range(start, stop)]
    collection.upsert(ids=ids, embeddings=VECTORS[start:stop])


def dirty(path: Path) -> None:
    """Files of a young index as a process with a past leaves them."""
    for name in ("data_level0.bin", "length.bin"):
        (file,) = path.glob(f"*/{name}")
        file.write_bytes((FILLED * file.stat().st_size)[: file.stat().st_size])


def assert_all_there(collection: chromadb.Collection, count: int) -> None:
    found = collection.get(include=["embeddings"])
    assert found["ids"] == [str(number) for number in range(count)]
    np.testing.assert_allclose(np.asarray(found["embeddings"]), VECTORS[:count], rtol=1e-5)
    for number in (0, count // 2, count - 1):
        assert collection.query(query_embeddings=[VECTORS[number]], n_results=1)["ids"] == [[str(number)]]


FILES = """
    import shutil, sys
    from pathlib import Path
    import chromadb, numpy as np
    from chromadb.config import Settings

    path = Path(sys.argv[1])
    vectors = np.random.default_rng(0).normal(size=(6000, 16)).astype(np.float32)

    def opened():
        client = chromadb.PersistentClient(str(path / "db"), settings=Settings(anonymized_telemetry=False))
        cosine = {"hnsw": {"space": "cosine"}}
        return client, client.get_or_create_collection("rows", embedding_function=None, configuration=cosine)

    def write(start, stop):
        rows.upsert(ids=[str(n) for n in range(start, stop)], embeddings=vectors[start:stop])

    def files(name):
        shutil.copytree(path / "db", path / name)

    client, rows = opened()
"""


def filled(path: Path) -> set[str]:
    """The files that hold what fresh memory held."""
    return {file.name for file in path.rglob("*") if file.is_file() and FILLED in file.read_bytes()}


@linux_only
def test_what_was_in_memory_is_in_the_files_of_a_young_index(tmp_path: Path) -> None:
    """And in no others than those that are wiped."""
    code = FILES + "    write(0, 10); files('first'); write(10, 900); files('later')\n"
    done = run_python(code, str(tmp_path), env={**os.environ, "MALLOC_PERTURB_": "165"})
    assert done.returncode == 0, done.stderr
    for name in ("first", "later"):
        assert filled(tmp_path / name) == {"data_level0.bin", "length.bin"}
        assert is_dirty(tmp_path / name)
        wipe(tmp_path / name)
        assert not is_dirty(tmp_path / name)
        assert filled(tmp_path / name) == set()


@linux_only
def test_nothing_of_it_is_in_an_index_that_was_saved(tmp_path: Path) -> None:
    """Nor later: after deletes, after it grew, and after it was opened again.

    With cosine distance, that is: with another one the lengths of vectors are never set.
    """
    code = FILES + (
        "    write(0, 900); write(900, 1100); files('saved')\n"
        "    rows.delete(ids=[str(n) for n in range(600)]); files('deleted')\n"
        "    write(1100, 1700); write(1700, 6000); files('grown')\n"
        "    rows.delete(ids=[str(n) for n in range(600, 5000)]); client.close(); files('closed')\n"
        "    client, rows = opened(); write(0, 3000); client.close(); files('again')\n"
    )
    done = run_python(code, str(tmp_path), env={**os.environ, "MALLOC_PERTURB_": "165"})
    assert done.returncode == 0, done.stderr
    for name in ("saved", "deleted", "grown", "closed", "again"):
        assert is_saved(tmp_path / name)
        assert filled(tmp_path / name) == set(), name


@pytest.mark.parametrize("saved_by", ["the same client", "the next client"])
def test_wiping_a_young_index_harms_nothing(tmp_path: Path, saved_by: str) -> None:
    with opened(tmp_path / "db") as collection:
        write(collection, 0, 700)
        dirty(tmp_path / "db")
        wipe(tmp_path / "db")
        assert_all_there(collection, 700)
        if saved_by == "the same client":
            write(collection, 700, 2 * SAVING)
            assert_all_there(collection, 2 * SAVING)
    with opened(tmp_path / "db") as collection:
        if saved_by == "the next client":
            assert_all_there(collection, 700)
            write(collection, 700, 2 * SAVING)
        assert_all_there(collection, 2 * SAVING)
    assert is_saved(tmp_path / "db")
    with opened(tmp_path / "db") as collection:
        assert_all_there(collection, 2 * SAVING)


def test_only_the_files_that_chroma_does_not_read_are_changed(tmp_path: Path) -> None:
    with opened(tmp_path / "db") as collection:
        write(collection, 0, 20)
    dirty(tmp_path / "db")
    before = contents(tmp_path / "db")
    wipe(tmp_path / "db")
    after = contents(tmp_path / "db")
    assert before.keys() == after.keys()
    changed = {path.name for path in before if before[path] != after[path]}
    assert changed == {"data_level0.bin", "length.bin"}
    assert {len(before[path]) for path in before} == {len(after[path]) for path in after}


def contents(path: Path) -> dict[Path, bytes]:
    return {file: file.read_bytes() for file in path.rglob("*") if file.is_file()}


def test_a_saved_index_is_left_alone(tmp_path: Path) -> None:
    with opened(tmp_path / "db") as collection:
        write(collection, 0, SAVING + 200)
    assert is_saved(tmp_path / "db")
    assert not is_dirty(tmp_path / "db")
    before = contents(tmp_path / "db")
    wipe(tmp_path / "db")
    assert contents(tmp_path / "db") == before


def test_one_young_index_beside_a_saved_one_is_wiped(tmp_path: Path) -> None:
    with opened(tmp_path / "saved") as collection:
        write(collection, 0, SAVING + 200)
    with opened(tmp_path / "db") as collection:
        write(collection, 0, 20)
    dirty(tmp_path / "db")
    (index,) = (header.parent for header in (tmp_path / "saved").glob("*/header.bin"))
    shutil.copytree(index, tmp_path / "db" / index.name)
    assert not is_saved(tmp_path / "db")
    assert is_dirty(tmp_path / "db")
    wipe(tmp_path / "db")
    assert not is_dirty(tmp_path / "db")
    assert set(contents(tmp_path / "db" / index.name).values()) == set(contents(index).values())


@pytest.mark.parametrize("make", [lambda path: None, Path.mkdir, lambda path: opened(path).__enter__()])
def test_without_an_index_there_is_nothing_to_wipe(tmp_path: Path, make: Callable[[Path], object]) -> None:
    make(tmp_path / "db")
    assert not is_saved(tmp_path / "db")
    assert not is_dirty(tmp_path / "db")
    wipe(tmp_path / "db")
