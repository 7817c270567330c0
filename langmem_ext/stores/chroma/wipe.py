"""Overwriting what Chroma writes by accident.

Until an index of vectors has enough rows to be saved, its files hold whatever was in the memory of
the process when they were made: texts of anybody, keys, anything. Chroma never reads them, for
without `index_metadata.pickle` it begins anew. A saved index holds nothing of that kind where the
distance is cosine, as here; with another one the lengths of the vectors are never set.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path


def is_saved(directory: Path) -> bool:
    """Whether every index in a Chroma directory is one that Chroma will read."""
    indexes = [header.parent for header in directory.glob("*/header.bin")]
    return bool(indexes) and all(_is_saved(index) for index in indexes)


def is_dirty(directory: Path) -> bool:
    """Whether there are files that want wiping. Nobody may write to them meanwhile, or after it."""
    return any(any(path.read_bytes()) for path in _unread(directory))


def wipe(directory: Path) -> None:
    """Overwrite those files with zeros. Nobody may use the directory meanwhile."""
    for path in _unread(directory):
        size = path.stat().st_size
        with path.open("r+b") as file:
            file.write(bytes(size))


def _is_saved(index: Path) -> bool:
    return (index / "index_metadata.pickle").exists()


def _unread(directory: Path) -> Iterator[Path]:
    for header in directory.glob("*/header.bin"):
        if not _is_saved(header.parent):
            yield from (path for path in header.parent.glob("*.bin") if path != header)
