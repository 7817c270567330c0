"""Whole Chroma directories: written in one go, and tried out."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from langmem_ext.errors import StorageError
from langmem_ext.stores.chroma.clients import COLLECTION, close_client, directory_client, open_collection
from langmem_ext.stores.chroma.files import sync_directory
from langmem_ext.stores.chroma.wipe import wipe

if TYPE_CHECKING:
    from numpy.typing import NDArray

_PAGE: Final = 1000  # rows in one request
_LENGTH_ERROR: Final = 1e-3  # of a unit vector; Chroma's own rounding is below 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Rows as a collection's `get` returns them: `vectors` is float32 of shape (n, dim)."""

    ids: Sequence[str]
    vectors: NDArray[np.float32]
    documents: Sequence[str | None]
    metadatas: Sequence[Mapping[str, Any] | None]


def write_directory(path: Path, batches: Iterable[Batch]) -> int:
    """Write rows into a new Chroma directory, in their order, durable when this returns.

    The directory must not be there yet; a batch has at most 5,461 rows. What the batches and Chroma
    raise goes through. After an error the half-written directory stays for the caller to remove.

    Returns:
        The number of rows.

    Raises:
        StorageError: rows are missing in what was written.
    """
    sent = 0
    path.mkdir(mode=0o700)
    client = directory_client(path)
    try:
        collection = open_collection(client, COLLECTION, str(path))
        for batch in batches:
            if not batch.ids:  # Chroma refuses it
                continue
            collection.add(
                ids=list(batch.ids),
                embeddings=batch.vectors,
                documents=list(batch.documents),  # type: ignore[arg-type]  # as `get` returns them
                metadatas=list(batch.metadatas),  # type: ignore[arg-type]
            )
            sent += len(batch.ids)
        written = collection.count()
    finally:
        close_client(client)
    if written != sent:
        raise StorageError(f"{sent} rows were handed to {path} and {written} are there; nothing was changed")
    wipe(path)
    _sync(path)
    return written


def read_through(path: Path) -> int:
    """Read all rows of a Chroma directory with their unit vectors; returns their number.

    Raises:
        Exception: Chroma's own, SQLite's or Rust's, or ValueError for rows without such vectors.
    """
    if not (path / "chroma.sqlite3").is_file():  # Chroma would make it
        raise FileNotFoundError(path)
    client = directory_client(path)
    try:
        collection = client.get_collection(COLLECTION, embedding_function=None)
        rows, count = 0, collection.count()
        while rows < count:
            page: Any = collection.get(limit=_PAGE, offset=rows, include=["documents", "embeddings"])
            # A damaged index may give zeros, or numbers that are none, without an error.
            if not page["ids"] or not _are_unit(page["embeddings"]):
                raise ValueError
            rows += len(page["ids"])
    finally:
        close_client(client)
    return rows


def _are_unit(vectors: NDArray[np.float32]) -> bool:
    with np.errstate(all="ignore"):  # NaN and what overflows are not 1 either
        return bool((abs(np.linalg.norm(vectors, axis=1) - 1) < _LENGTH_ERROR).all())


def _sync(path: Path) -> None:
    for folder, _, names in os.walk(path):
        for name in names:
            with open(os.path.join(folder, name), "rb+") as file:  # Windows syncs no other mode
                os.fsync(file.fileno())
        sync_directory(Path(folder))
    sync_directory(path.parent)
