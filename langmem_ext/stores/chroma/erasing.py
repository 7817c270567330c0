"""Looking whether an erasure left something behind."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from langmem_ext.ports import StoredMemory
from langmem_ext.stores.chroma.directories import Batch
from langmem_ext.stores.chroma.paging import pages
from langmem_ext.stores.chroma.rows import encode, row_texts
from langmem_ext.stores.chroma.scan import ScanResult, Traces, scan
from langmem_ext.stores.chroma.shard import Shard

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def search_traces(
    shards: Sequence[Shard], deleted: Sequence[StoredMemory], beside: Sequence[Path]
) -> ScanResult:
    """Look for rows that are gone in the files of these shards and in the files `beside` them.

    What the rows that stay have in common with them is no trace, so those are read, twice.
    """
    traces = Traces(
        (text for row in deleted for text in row_texts(*encode(row))),
        (row.vector for row in deleted),
        _kept_texts(shards),
        _kept_vectors(shards),
    )
    folders = [shard.generations.folder for shard in shards]
    inside = [
        Path(place, name) for folder in folders for place, _, names in os.walk(folder) for name in names
    ]
    return scan([*inside, *beside], traces)


def _kept_texts(shards: Sequence[Shard]) -> Iterator[str]:
    for batch in _batches(shards):
        for row_id, document, columns in zip(batch.ids, batch.documents, batch.metadatas, strict=True):
            yield from row_texts(row_id, document or "", columns or {})


def _kept_vectors(shards: Sequence[Shard]) -> Iterator[NDArray[np.float32]]:
    for batch in _batches(shards):
        yield batch.vectors


def _batches(shards: Sequence[Shard]) -> Iterator[Batch]:
    for shard in shards:
        with shard.reading() as collection:
            yield from pages(collection)
