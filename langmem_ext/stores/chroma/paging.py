"""Requests in parts and answers in pages, so that no limit of Chroma's loses a row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

import chromadb
import numpy as np

from langmem_ext.ports import EmbedTexts
from langmem_ext.stores.chroma.directories import Batch

_IDS: Final = 1000  # in one request
_PAGE: Final = 1000  # whole rows in one answer
_ID_PAGE: Final = 10_000  # ids in one answer


def parts(ids: Sequence[str]) -> Iterator[list[str]]:
    """The ids, as many at a time as one request may hold."""
    for start in range(0, len(ids), _IDS):
        yield list(ids[start : start + _IDS])


def pages(collection: chromadb.Collection, *, vectors: bool = True) -> Iterator[Batch]:
    """All rows in the order of insertion; without `vectors` those of the batches have no dimensions."""
    include: list[Any] = ["documents", "metadatas", *(["embeddings"] if vectors else [])]
    start = 0
    while True:
        page: Any = collection.get(limit=_PAGE, offset=start, include=include)
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
