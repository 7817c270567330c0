"""Writing a shard anew: without what was deleted, or with vectors that can be read again."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from chromadb.api import ClientAPI

from langmem_ext.ports import EmbedTexts
from langmem_ext.stores.chroma.clients import COLLECTION, close_client, directory_client
from langmem_ext.stores.chroma.directories import Batch, write_directory
from langmem_ext.stores.chroma.failures import raise_unless_chroma
from langmem_ext.stores.chroma.generations import remove_directory
from langmem_ext.stores.chroma.paging import pages, reembedded
from langmem_ext.stores.chroma.probe import is_readable
from langmem_ext.stores.chroma.shard import Shard


def rewrite(shard: Shard) -> int:
    """Copy all rows into the next generation and remove the one in use. Returns the rows.

    Alone in `shard.writers`. Reads go on while the copy is made.
    """
    new, rows = copy(shard)
    with shard.in_use.exclusive():
        shard.check()  # closed, or another directory in its place: then nothing may be touched
        shard.switch(new)
    return rows


def copy(shard: Shard, embed: EmbedTexts | None = None) -> tuple[Path, int]:
    """Write all rows into the next generation, with new vectors where `embed` is given. It is not used yet.

    Returns:
        Its directory, and the number of rows.
    """
    with shard.reading() as collection:
        new = shard.generations.following()
        if embed is None:
            return new, _written(new, pages(collection))
        return new, _written(new, reembedded(pages(collection, vectors=False), embed))


def rebuild(shard: Shard, embed: EmbedTexts) -> int | None:
    """Write a shard whose vectors cannot be read anew, from its texts. Returns the rows.

    None where the shard can be read as it is.

    Raises:
        UnreadableTextsError: the texts cannot be read either.
    """
    with shard.writers.exclusive(), shard.in_use.exclusive():
        shard.check()
        shard.close()
        generations = shard.generations
        if not generations.exist or is_readable(generations.current()):
            return None
        salvage = generations.salvage()
        try:
            salvage.mkdir(mode=0o700)
            for file in generations.current().glob("chroma.sqlite3*"):  # all but the index of vectors
                shutil.copy2(file, salvage)
            new = generations.following()
            rows = _salvaged(salvage, new, embed)
        finally:
            remove_directory(salvage)
        shard.check()
        shard.switch(new)
        return rows


class UnreadableTextsError(Exception):
    """What is left of a shard cannot be read; the cause says what Chroma or SQLite said."""


def _salvaged(salvage: Path, new: Path, embed: EmbedTexts) -> int:
    try:
        client = directory_client(salvage)
    except BaseException as error:
        raise_unless_chroma(error)
        raise UnreadableTextsError from error
    try:
        return _written(new, reembedded(_texts(client), embed))
    finally:
        close_client(client)


def _texts(client: ClientAPI) -> Iterator[Batch]:
    try:
        yield from pages(client.get_collection(COLLECTION, embedding_function=None), vectors=False)
    except BaseException as error:
        raise_unless_chroma(error)
        raise UnreadableTextsError from error


def _written(new: Path, batches: Iterable[Batch]) -> int:
    try:
        return write_directory(new, batches)
    except BaseException:
        remove_directory(new)
        raise
