"""Small files and directories of a store, changed so that a crash leaves the old or the new."""

from __future__ import annotations

import os
from pathlib import Path

from langmem_ext.errors import StorageError


def read_file(path: Path) -> str:
    """A small file of the store; StorageError where it cannot be read."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise StorageError(
            f"cannot read {path} ({type(error).__name__}); restore it from a backup"
        ) from error


def write_file(path: Path, text: str) -> None:
    """Replace a small file in one step, durable when this returns; StorageError where it cannot be."""
    temporary = path.with_name(path.name + ".new")
    try:
        with temporary.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
        sync_directory(path.parent)
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror}") from error


def make_directory(path: Path) -> None:
    """A directory for the owner only, with its parents; StorageError where it cannot be made."""
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        sync_directory(path.parent)
    except OSError as error:
        raise StorageError(f"cannot create the directory {path}: {error.strerror}") from error


def sync_directory(path: Path) -> None:
    """Make the names in a directory durable."""
    if os.name == "nt":  # Windows opens no directories, and needs it less
        return
    directory = os.open(path, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)
