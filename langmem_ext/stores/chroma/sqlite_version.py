"""Chroma refuses an old SQLite when it is imported, with a puzzling message; this one comes first."""

from __future__ import annotations

import sqlite3
from typing import Final

from langmem_ext.errors import StorageError

OLDEST: Final = (3, 35, 0)  # what chromadb asks for


def check_sqlite() -> None:
    """Raise a StorageError that names the remedy where this Python's SQLite is too old."""
    if sqlite3.sqlite_version_info < OLDEST:
        found, needed = ".".join(map(str, sqlite3.sqlite_version_info)), ".".join(map(str, OLDEST))
        raise StorageError(
            f"Chroma needs SQLite {needed} or newer, this Python has {found}. Use a newer Python build, or "
            "put the pysqlite3-binary package in place of sqlite3 before langmem_ext is used"
        )
