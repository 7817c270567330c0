"""Which directory of a shard counts, whatever a crash left beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from langmem_ext.errors import StorageError
from langmem_ext.stores.chroma.generations import Generations


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "07"


def made(folder: Path, *names: str, current: str | None = None) -> Generations:
    for name in names:
        (folder / name).mkdir(parents=True)
        (folder / name / "file").write_text(name)
    if current is not None:
        (folder / "current").write_text(current)
    return Generations(folder)


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def test_a_new_shard_exists_once_its_first_generation_is_in_use(folder: Path) -> None:
    generations = Generations(folder)
    generations.remove_leftovers()
    assert not generations.exist
    first = generations.first()
    first.mkdir()
    assert not generations.exist
    generations.switch(first)
    assert generations.exist
    assert generations.current() == first


def test_a_crash_before_the_swap_leaves_the_old_one(folder: Path) -> None:
    generations = made(folder, "g0003", "g0004", "g0003.salvage", current="g0003")
    generations.remove_leftovers()
    assert names(folder) == ["current", "g0003"]
    assert (generations.current() / "file").read_text() == "g0003"


def test_a_crash_after_the_swap_leaves_the_new_one(folder: Path) -> None:
    generations = made(folder, "g0003", "g0004", current="g0004\n")
    generations.remove_leftovers()
    assert names(folder) == ["current", "g0004"]


def test_what_somebody_else_put_there_stays(folder: Path) -> None:
    generations = made(folder, "g0001", "backup", "g0001.old", current="g0001")
    generations.remove_leftovers()
    assert names(folder) == ["backup", "current", "g0001", "g0001.old"]


def test_a_crash_before_the_first_pointer_keeps_the_only_directory(folder: Path) -> None:
    generations = made(folder, "g0001")
    generations.remove_leftovers()
    assert generations.current() == folder / "g0001"


def test_without_a_pointer_nobody_guesses(folder: Path) -> None:
    generations = made(folder, "g0001", "g0002")
    with pytest.raises(StorageError, match=r"current is missing.*g0001, g0002"):
        generations.remove_leftovers()
    assert names(folder) == ["g0001", "g0002"]


@pytest.mark.parametrize("pointer", ["g0009", "", "../07/g0001", "nonsense"])
def test_a_pointer_to_nothing_is_an_error_and_removes_nothing(folder: Path, pointer: str) -> None:
    generations = made(folder, "g0001", "g0002", current=pointer)
    generations.remove_leftovers()
    assert names(folder) == ["current", "g0001", "g0002"]
    with pytest.raises(StorageError, match="backup"):
        generations.current()


def test_following_removes_what_a_failed_attempt_left(folder: Path) -> None:
    generations = made(folder, "g0009", "g0010", current="g0009")
    assert generations.following() == folder / "g0010"
    assert names(folder) == ["current", "g0009"]
    generations = made(folder, "g9999", current="g9999")
    assert generations.following().name == "g10000"
