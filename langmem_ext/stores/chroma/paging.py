"""Requests in parts and answers in pages, so that no limit of Chroma's loses a row."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

import chromadb
import numpy as np
from chromadb.errors import InternalError

from langmem_ext.ports import EmbedTexts
from langmem_ext.stores.chroma.directories import Batch

_IDS: Final = 1000  # in one request
_PAGE: Final = 250  # whole rows in one answer; Chroma holds the interpreter while it adds a page
_ID_PAGE: Final = 10_000  # ids in one answer
_ATTEMPTS: Final = 8
_PAUSE: Final = 0.005  # seconds, times the number of the attempt
_VANISHED: Final = re.compile(r"finding id|getting embedding", re.IGNORECASE)


def get_rows(collection: chromadb.Collection, **arguments: Any) -> Any:
    """What `get` returns, tried again where a row was deleted while its vector was looked up."""
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            return collection.get(**arguments)
        except InternalError as error:
            if attempt == _ATTEMPTS or not _VANISHED.search(str(error)):
                raise
            time.sleep(_PAUSE * attempt)
    raise AssertionError


def parts(ids: Sequence[str]) -> Iterator[list[str]]:
    """The ids, as many at a time as one request may hold."""
    for start in range(0, len(ids), _IDS):
        yield list(ids[start : start + _IDS])


def pages(collection: chromadb.Collection, *, vectors: bool = True) -> Iterator[Batch]:
    """All rows in the order of insertion; without `vectors` those of the batches have no dimensions."""
    include: list[Any] = ["documents", "metadatas", *(["embeddings"] if vectors else [])]
    start = 0
    while True:
        page = get_rows(collection, limit=_PAGE, offset=start, include=include)
        if not page["ids"]:
            return
        found = page["embeddings"] if vectors else np.empty((len(page["ids"]), 0))
        yield Batch(page["ids"], np.asarray(found, dtype=np.float32), page["documents"], page["metadatas"])
        start += len(page["ids"])


def reembedded(batches: Iterable[Batch], embed: EmbedTexts) -> Iterator[Batch]:
    """The batches with new vectors, made from their texts."""
    for batch in batches:
        vectors = embed([document or "" for document in batch.documents])
        yield replace(batch, vectors=np.asarray(vectors, dtype=np.float32))


def owners(collection: chromadb.Collection, where: Any) -> Iterator[str]:
    """The users of the rows that match, in pages: one row's metadata for each of them."""
    seen: set[str] = set()
    start = 0
    while ids := collection.get(where=where, limit=_ID_PAGE, offset=start, include=[])["ids"]:
        start += len(ids)
        first = {chroma_id.partition(":")[0]: chroma_id for chroma_id in ids}
        new = [chroma_id for key, chroma_id in first.items() if key not in seen]
        seen.update(first)
        for part in parts(new):
            metadatas = collection.get(ids=part, include=["metadatas"])["metadatas"] or []
            yield from (str(columns["user_id"]) for columns in metadatas)
