"""Whether a directory can be read is found out by another Python: a damaged index can end the process."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from langmem_ext.errors import StorageError
from langmem_ext.stores.chroma import probe
from langmem_ext.stores.chroma.directories import Batch, write_directory
from langmem_ext.stores.chroma.probe import is_readable
from tests.support.memories import PROJECT, run_python

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="shell scripts and signals of POSIX")
READ = """
    import sys
    from pathlib import Path
    from langmem_ext.stores.chroma.directories import read_through
    read_through(Path(sys.argv[1]))
"""


def write(path: Path, count: int) -> Path:
    vectors = np.random.default_rng(0).normal(size=(count, 32)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    ids = [str(number) for number in range(count)]
    write_directory(path, [Batch(ids, vectors, [f"row {name}" for name in ids], [None] * count)])
    return path


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a saved index. Not to be changed."""
    return write(tmp_path_factory.mktemp("whole") / "db", 1200)


@pytest.fixture(scope="module")
def broken(whole: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One whose rows cannot be read, with an error of Chroma's. Not to be changed."""
    path = tmp_path_factory.mktemp("broken") / "db"
    shutil.copytree(whole, path)
    cut(path)
    return path


def index_file(path: Path, name: str) -> Path:
    (found,) = path.glob(f"*/{name}")
    return found


def cut(path: Path) -> None:
    index_file(path, "data_level0.bin").write_bytes(b"\1" * 1000)


def misplace(path: Path) -> None:
    """Let the index look for its vectors far outside: that ends a process which reads them."""
    header = index_file(path, "header.bin")
    header.write_bytes(header.read_bytes()[:40] + b"\1" + bytes(55))


def lose_lengths(path: Path) -> None:
    lengths = index_file(path, "length.bin")
    lengths.write_bytes(b"\0\0\xc0\x7f" * (lengths.stat().st_size // 4))


def zero_lengths(path: Path) -> None:
    lengths = index_file(path, "length.bin")
    lengths.write_bytes(bytes(lengths.stat().st_size))


def garble_ids(path: Path) -> None:
    index_file(path, "index_metadata.pickle").write_bytes(b"\x80\5damaged")


def garble_rows(path: Path) -> None:
    (path / "chroma.sqlite3").write_bytes(b"SQLite format 3\0" + b"\1" * 9000)


@pytest.mark.parametrize("damage", [cut, lose_lengths, zero_lengths, garble_ids, garble_rows, misplace])
def test_a_damaged_directory_is_not_readable_and_this_process_lives(
    whole: Path, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    shutil.copytree(whole, tmp_path / "db")
    damage(tmp_path / "db")
    assert not is_readable(tmp_path / "db")


@posix_only
def test_one_of_those_damages_ends_the_process_that_reads(whole: Path, tmp_path: Path) -> None:
    shutil.copytree(whole, tmp_path / "db")
    misplace(tmp_path / "db")
    assert run_python(READ, str(tmp_path / "db")).returncode < 0


def test_a_whole_directory_is_readable_with_any_number_of_rows(whole: Path, tmp_path: Path) -> None:
    assert is_readable(whole)
    assert is_readable(write(tmp_path / "young", 3))
    write_directory(tmp_path / "none", [])
    assert is_readable(tmp_path / "none")


def test_a_check_makes_nothing(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert not is_readable(tmp_path / "empty")
    assert not is_readable(tmp_path / "missing")
    assert list(tmp_path.rglob("*")) == [tmp_path / "empty"]


def test_the_child_finds_the_package_where_the_parent_did(tmp_path: Path) -> None:
    """Only through sys.path, by a relative entry too, and when the current directory is gone."""
    shutil.copytree(PROJECT / "langmem_ext", tmp_path / "package" / "langmem_ext")
    (tmp_path / "told").mkdir()
    with (tmp_path / "package" / "langmem_ext" / "stores" / "chroma" / "probe.py").open("a") as file:
        file.write(f"\nopen(os.path.join({str(tmp_path / 'told')!r}, str(os.getpid())), 'w').close()\n")
    (tmp_path / "current").mkdir()
    code = """
        import os, sys
        from pathlib import Path
        path = Path(sys.argv[1])
        os.chdir(path / "current")
        sys.path[:] = ["", os.path.join("..", "package"), *sys.path[1:]]
        from langmem_ext.stores.chroma.directories import write_directory
        from langmem_ext.stores.chroma.probe import is_readable
        write_directory(path / "new", [])
        print(is_readable(path / "new"))
        sys.path[1] = os.path.abspath(sys.path[1])
        if os.name != "nt":
            os.rmdir(os.getcwd())
        print(is_readable(path / "new"))
    """
    done = run_python(code, str(tmp_path))
    assert done.stdout.split() == ["True", "True"], done.stderr
    assert len(list((tmp_path / "told").iterdir())) == 3  # this parent and two children


def test_what_stands_in_for_sqlite_does_so_in_the_child(tmp_path: Path) -> None:
    """Python's own is too old for Chroma here, in the parent and in the child."""
    (tmp_path / "sitecustomize.py").write_text("import sqlite3; sqlite3.sqlite_version_info = (3, 8, 0)\n")
    (tmp_path / "new_sqlite.py").write_text("from sqlite3 import *; sqlite_version_info = (3, 45, 0)\n")
    code = """
        import sys
        from pathlib import Path
        import new_sqlite
        sys.modules["sqlite3"] = new_sqlite
        from langmem_ext.stores.chroma.directories import write_directory
        from langmem_ext.stores.chroma.probe import is_readable
        write_directory(Path(sys.argv[1]), [])
        print(is_readable(Path(sys.argv[1])))
    """
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    assert "unsupported version of sqlite3" in run_python("import chromadb", env=environment).stderr
    done = run_python(code, str(tmp_path / "new"), env=environment)
    assert done.stdout.split() == ["True"], done.stderr


def test_a_prompt_at_the_end_is_not_inherited(whole: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Python that is to open one takes no exit for an exit: it would say that all is damaged."""
    monkeypatch.setenv("PYTHONINSPECT", "1")
    assert is_readable(whole)


def test_warnings_as_errors_are_not_inherited(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "noisy_sqlite.py").write_text(
        "from sqlite3 import *; import warnings; warnings.warn('old')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(probe, "sqlite3", ModuleType("noisy_sqlite"))
    monkeypatch.setenv("PYTHONWARNINGS", "error")
    assert is_readable(whole)


def test_what_lies_beside_a_directory_or_in_the_current_one_is_not_the_childs(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No module with the name of one of Python's, and no settings for Chroma."""
    shutil.copytree(whole, tmp_path / "beside" / "db")
    (tmp_path / "beside" / "json.py").write_text("raise SystemExit(1)\n")
    (tmp_path / "current").mkdir()
    (tmp_path / "current" / ".env").write_text("chroma_server_nofile=none\n")
    (tmp_path / "current" / "json.py").write_text("raise SystemExit(1)\n")
    monkeypatch.chdir(tmp_path / "current")
    assert is_readable(tmp_path / "beside" / "db")


def python_of(path: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A script in the place of Python."""
    python = path / "python3"
    python.write_text(f"#!/bin/sh\n{script}\n")
    python.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(python))


@posix_only
@pytest.mark.parametrize(
    ("script", "code"),
    [
        ("exit 0", 0),
        ("exit 3", 3),
        ("kill -9 $$", -9),
        ("kill -11 $$", -11),
        ("printf started; kill -9 $$", -9),
        ("printf started; kill -15 $$", -15),
    ],
)
def test_a_child_that_did_not_start_or_was_killed_is_an_error_and_no_damage(
    whole: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    script: str,
    code: int,
) -> None:
    """And what it said is not shown: it may quote rows."""
    python_of(tmp_path, f"echo 'row 1' >&2; {script}", monkeypatch)
    with pytest.raises(StorageError, match=rf"exit code {code}\). Nothing was changed") as caught:
        is_readable(whole)
    assert "row 1" not in str(caught.value)
    assert capfd.readouterr() == ("", "")


@posix_only
@pytest.mark.parametrize("script", ["kill -11 $$", "kill -6 $$", "exit 1"])
def test_a_child_that_ends_while_it_reads_is_damage(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    """Whatever bytes others print."""
    python_of(tmp_path, rf"printf 'started\377'; {script}", monkeypatch)
    assert not is_readable(whole)


@posix_only
def test_a_child_that_hangs_is_ended_and_an_error(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python_of(tmp_path, f"echo $$ > {tmp_path / 'pid'}; printf started; exec sleep 600", monkeypatch)
    monkeypatch.setattr(probe, "_PATIENCE", 2.0)
    with pytest.raises(StorageError, match="could not be tried out within 2 s. Nothing was changed"):
        is_readable(whole)
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_a_python_that_can_not_be_started_is_an_error(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    with pytest.raises(StorageError, match="cannot start .*Nothing was changed"):
        is_readable(whole)


@pytest.mark.parametrize("executable", ["", None, "/opt/app/uwsgi", "frozen"])
def test_no_other_program_is_started_in_place_of_python(
    whole: Path, broken: Path, monkeypatch: pytest.MonkeyPatch, executable: str | None
) -> None:
    """This process reads instead, and says nothing: an app with windows has no stdout."""
    if executable == "frozen":
        monkeypatch.setattr(sys, "frozen", True, raising=False)
    else:
        monkeypatch.setattr(sys, "executable", executable)
    monkeypatch.setattr(subprocess, "Popen", None)
    monkeypatch.setattr(sys, "stdout", None)
    assert is_readable(whole)
    assert not is_readable(broken)
