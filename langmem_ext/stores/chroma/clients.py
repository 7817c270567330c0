"""Chroma's clients and collections, opened as this package needs them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import chromadb
from chromadb.api import ClientAPI
from chromadb.config import Settings

from langmem_ext.errors import StorageError

_PAGE: Final = 1000
COLLECTION: Final = "memories"  # of a store whose shards are clients of their own


def settings() -> Settings:
    """Of every client but those in RAM."""
    return Settings(anonymized_telemetry=False)


def open_collection(client: ClientAPI, name: str, where: str) -> chromadb.Collection:
    """A collection with cosine distance, made when it is not there."""
    # Without `embedding_function=None` Chroma would take its own, which downloads weights.
    collection = client.get_or_create_collection(
        name, embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
    )
    hnsw: Any = (collection.configuration_json or {}).get("hnsw") or {}
    if hnsw.get("space") != "cosine":  # get_or_create ignores another space silently
        raise StorageError(
            f"collection {name} of {where} was not made by langmem-ext: it does not use cosine"
        )
    return collection


def directory_client(path: Path) -> ClientAPI:
    """A client of a directory, which is made when it is not there.

    Chroma keeps a client that failed to open and hands it out, broken, for the same spelling of the
    path: so after a failure the path is spelled in another way.
    """
    spelling = str(path)
    while spelling in _failed:
        spelling += f"{os.sep}."
    try:
        return chromadb.PersistentClient(path=spelling, settings=settings())
    except BaseException:
        _failed.add(spelling)
        raise


_failed: set[str] = set()


def close_client(client: ClientAPI) -> None:
    """Close a client of a directory."""
    client.close()  # type: ignore[attr-defined]  # of the class behind ClientAPI


def memory_client() -> ClientAPI:
    """A client in RAM. All of a process are one, and Chroma refuses a second one with other settings.

    So it has Chroma's default settings, with which an application's own client gets along; the
    telemetry that they allow does nothing in the versions supported here (a test holds that).
    """
    try:
        return chromadb.EphemeralClient()
    except ValueError:
        try:
            return chromadb.EphemeralClient(settings=settings())
        except ValueError as error:
            raise StorageError(
                "this process has a Chroma client in RAM with settings of its own, and there can be one: "
                "give LongTermMemory a path=, or make that client with chromadb.EphemeralClient()"
            ) from error


def all_collections(client: ClientAPI) -> Iterator[chromadb.Collection]:
    """Every collection of a client, however many there are."""
    start = 0
    while found := client.list_collections(limit=_PAGE, offset=start):
        yield from found
        start += len(found)
