"""Looking whether an erasure left something behind."""

from __future__ import annotations

import itertools
import os
import tempfile
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from langmem_ext.ports import StoredMemory
from langmem_ext.stores.chroma.directories import Batch, write_directory
from langmem_ext.stores.chroma.paging import pages
from langmem_ext.stores.chroma.rows import encode, row_texts
from langmem_ext.stores.chroma.scan import ScanResult, Traces, scan
from langmem_ext.stores.chroma.shard import Shard

if TYPE_CHECKING:
    from numpy.typing import NDArray

_WORDS_OF_A_SAVED_INDEX: Final = (
    "dimensionality total_elements_added max_seq_id id_to_label label_to_id id_to_seq_id"
)


def search_traces(shard: Shard, deleted: Sequence[StoredMemory], beside: Sequence[Path]) -> ScanResult:
    """Look for rows that are gone in the files of a shard and in the files `beside` it.

    Alone in `shard.writers`. What the rows that stay have in common with them is no trace, so those
    are read, twice; nor are the names that Chroma itself writes.
    """
    traces = Traces(
        (text for row in deleted for text in row_texts(*encode(row))),
        (row.vector for row in deleted),
        itertools.chain(_words_of_chroma(), _kept_texts(shard)),
        _kept_vectors(shard),
    )
    inside = [Path(place, name) for place, _, names in os.walk(shard.generations.folder) for name in names]
    return scan([*inside, *beside], traces)


def _kept_texts(shard: Shard) -> Iterator[str]:
    for batch in _batches(shard):
        for row_id, document, columns in zip(batch.ids, batch.documents, batch.metadatas, strict=True):
            yield from row_texts(row_id, document or "", columns or {})


def _kept_vectors(shard: Shard) -> Iterator[NDArray[np.float32]]:
    for batch in _batches(shard):
        yield batch.vectors


def _batches(shard: Shard) -> Iterator[Batch]:
    with shard.reading() as collection:
        yield from pages(collection)


@lru_cache(maxsize=1)
def _words_of_chroma() -> tuple[str, ...]:
    """The texts of a directory with one empty row: names of tables, settings, formats."""
    with tempfile.TemporaryDirectory() as folder:
        row = Batch(["-"], np.ones((1, 2), np.float32), ["-"], [{"-": "-"}])
        write_directory(directory := Path(folder) / "empty", [row])
        files = [Path(place, name) for place, _, names in os.walk(directory) for name in names]
        texts = [file.read_bytes().decode("ascii", errors="ignore") for file in files]
    return (*texts, _WORDS_OF_A_SAVED_INDEX)
