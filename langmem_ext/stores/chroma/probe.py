"""Trying out whether a Chroma directory can be read, in a process of its own: a damaged index can end it."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from langmem_ext.errors import StorageError
from langmem_ext.stores.chroma.directories import read_through

_PATIENCE: Final = 1800.0  # seconds; 100,000 rows take less than one minute
_STARTED: Final = b"started"
# The child finds this package where the parent did, and the SQLite that was put in place of Python's own.
_BOOTSTRAP: Final = """
import importlib, json, sys
start = json.loads(sys.stdin.buffer.readline())
sys.path[:] = start["path"]
sys.modules["sqlite3"] = importlib.import_module(start["sqlite3"])
from langmem_ext.stores.chroma import probe
sys.exit(probe.main(start["directory"]))
"""
# They would open a prompt at the end, run code of the user's, or turn a warning into an error.
_NOT_INHERITED: Final = frozenset({"PYTHONINSPECT", "PYTHONSTARTUP", "PYTHONWARNINGS"})
_ENDED_FROM_OUTSIDE: Final = frozenset(
    -getattr(signal, name) for name in ("SIGKILL", "SIGTERM", "SIGINT", "SIGHUP") if hasattr(signal, name)
)


def is_readable(path: Path) -> bool:
    """Whether all rows of a Chroma directory can be read with their vectors. Nobody may have it open.

    Raises:
        StorageError: it could not be tried.
    """
    if not _can_start_python():
        return _can_read(path)
    start = {"path": list(_import_path()), "sqlite3": sqlite3.__name__, "directory": str(path.absolute())}
    try:
        child = subprocess.run(
            [sys.executable, "-P", "-c", _BOOTSTRAP],
            input=json.dumps(start).encode() + b"\n",
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # it may quote rows
            cwd=path.parent,  # the current one may be gone, or have an .env that Chroma would read
            env={name: value for name, value in os.environ.items() if name not in _NOT_INHERITED},
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            timeout=_PATIENCE,
        )
    except subprocess.TimeoutExpired as error:
        raise StorageError(
            f"{path} could not be tried out within {_PATIENCE:g} s. Nothing was changed"
        ) from error
    except OSError as error:
        raise StorageError(
            f"cannot start {sys.executable} to try out {path}: {error.strerror}. Nothing was changed"
        ) from error
    code = child.returncode
    if _STARTED not in child.stdout or code in _ENDED_FROM_OUTSIDE:
        raise StorageError(f"{path} could not be tried out (exit code {code}). Nothing was changed")
    return code == 0


def main(directory: str) -> int:
    """The child: 0 where the directory can be read."""
    sys.stdout.buffer.write(_STARTED)
    sys.stdout.flush()
    return 0 if _can_read(Path(directory)) else 1


def _can_read(path: Path) -> bool:
    try:
        read_through(path)
    except Exception:  # Chroma's own, SQLite's, Rust's
        return False
    return True


def _can_start_python() -> bool:
    # The executable of a frozen app, or of a program with Python inside, would do something else.
    name = Path(sys.executable or "").name.lower()
    return name.startswith(("python", "pypy")) and not getattr(sys, "frozen", False)


def _import_path() -> Iterator[str]:
    for entry in sys.path:
        with suppress(OSError):  # relative to a current directory that is gone
            yield os.path.abspath(entry)
