"""Writing a shard anew: without what was deleted, or with vectors that can be read again."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from langmem_ext.ports import EmbedTexts, StoredMemory
from langmem_ext.stores.chroma.directories import Batch, write_directory
from langmem_ext.stores.chroma.generations import remove_directory
from langmem_ext.stores.chroma.paging import pages
from langmem_ext.stores.chroma.probe import is_readable
from langmem_ext.stores.chroma.rows import encode, row_texts
from langmem_ext.stores.chroma.scan import ScanResult, Traces, scan
from langmem_ext.stores.chroma.shard import Shard
from langmem_ext.stores.chroma.shards import COLLECTION, close_client, directory_client


def rewrite(shard: Shard) -> int:
    """Copy all rows into the next generation and remove the one in use. Returns the rows.

    Reads go on while the copy is made; writes to this shard wait.
    """
    with shard.writers.alone():
        new, rows = copy(shard)
        with shard.users.alone():
            shard.switch(new)
    return rows


def copy(shard: Shard, embed: EmbedTexts | None = None) -> tuple[Path, int]:
    """Write all rows into the next generation, with new vectors where `embed` is given. It is not used yet.

    Returns:
        Its directory, and the number of rows.
    """
    with shard.reading() as collection:
        new = shard.generations.following()
        return new, _written(new, pages(collection, embed))


def rebuild(shard: Shard, embed: EmbedTexts) -> int | None:
    """Write a shard whose vectors can not be read anew, from its texts. Returns the rows.

    None where the shard can be read as it is. Chroma's and SQLite's errors mean that the texts can
    not be read either.
    """
    with shard.writers.alone(), shard.users.alone():
        shard.close()
        generations = shard.generations
        if is_readable(generations.current()):
            return None
        salvage = generations.salvage()
        try:
            salvage.mkdir(mode=0o700)
            for file in generations.current().glob("chroma.sqlite3*"):  # all but the index of vectors
                shutil.copy2(file, salvage)
            new = generations.following()
            rows = _reembedded(salvage, new, embed)
        finally:
            remove_directory(salvage)
        shard.switch(new)
        return rows


def _reembedded(salvage: Path, new: Path, embed: EmbedTexts) -> int:
    client = directory_client(salvage)
    try:
        collection = client.get_collection(COLLECTION, embedding_function=None)
        return _written(new, pages(collection, embed))
    finally:
        close_client(client)


def _written(new: Path, batches: Iterable[Batch]) -> int:
    try:
        return write_directory(new, batches)
    except BaseException:
        remove_directory(new)
        raise


def search_traces(
    shards: Sequence[Shard], deleted: Sequence[StoredMemory], beside: Sequence[Path]
) -> ScanResult:
    """Look for rows that are gone in the files of these shards and in the files `beside` them."""
    kept = [batch for shard in shards for batch in _all_pages(shard)]
    traces = Traces(
        (text for row in deleted for text in row_texts(*encode(row))),
        [row.vector for row in deleted],
        (text for batch in kept for text in _texts(batch)),
        [vector for batch in kept for vector in batch.vectors],
    )
    folders = [shard.generations.folder for shard in shards]
    inside = [
        Path(place, name) for folder in folders for place, _, names in os.walk(folder) for name in names
    ]
    return scan([*inside, *beside], traces)


def _all_pages(shard: Shard) -> list[Batch]:
    with shard.reading() as collection:
        return list(pages(collection))


def _texts(batch: Batch) -> Iterator[str]:
    for row_id, document, columns in zip(batch.ids, batch.documents, batch.metadatas, strict=True):
        yield from row_texts(row_id, document or "", columns or {})
