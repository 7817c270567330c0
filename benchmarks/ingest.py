"""How long `remember_many` takes beside embedding and a raw batch `add` of the same texts."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.data import GivenVectors, sentences, unit_vectors
from benchmarks.measure import Task, Times, interleaved, timed
from benchmarks.raw_chroma import RawChroma
from benchmarks.tables import Table
from langmem_ext import Embedder, LongTermMemory

if TYPE_CHECKING:
    from langmem_ext.ports import Vectors


def ingest_table(embedder: Embedder, count: int, *, with_embedding: int, storing: int) -> Table:
    """Store `count` memories of a new user in a new directory; the two last are repetitions."""
    texts = sentences(count, "batch")
    given = GivenVectors(embedder)
    vectors = unit_vectors(count, embedder.dim, seed=0)
    given.give(texts, vectors)
    stored = interleaved(_tasks(given, texts, lambda: vectors), storing)
    with_model = _tasks(embedder, texts, lambda: embedder.embed_documents(texts))
    whole = interleaved(with_model, with_embedding, warm_up=False)  # a round takes half a minute
    return Table(
        f"remember_many of {count:,}, in a new directory. The same with raw Chroma, one batch = 1",
        ("", "1 is about", "langmem_ext"),
        [("embedding and storing", *_cells(whole)), ("storing alone, vectors given", *_cells(stored))],
    )


def _cells(times: Times) -> tuple[str, str]:
    return times.milliseconds("raw"), str(times.ratio("memory", "raw"))


def _tasks(embedder: Embedder, texts: list[str], embed: Callable[[], Vectors]) -> dict[str, Task]:
    """Both open their directory, store everything and close it."""

    def memory(number: int) -> float:
        with tempfile.TemporaryDirectory() as folder:
            return timed(lambda: _remember(Path(folder), embedder, texts))

    def raw(number: int) -> float:
        with tempfile.TemporaryDirectory() as folder:
            return timed(lambda: _add(Path(folder), texts, embed))

    return {"memory": memory, "raw": raw}


def _remember(folder: Path, embedder: Embedder, texts: list[str]) -> None:
    with LongTermMemory(folder, embedder=embedder) as memory:
        memory.for_user("u-1001").remember_many(texts)


def _add(folder: Path, texts: list[str], embed: Callable[[], Vectors]) -> None:
    with RawChroma(folder) as raw:
        raw.add("u-1001", texts, embed())
