"""How long erasing one user takes beside writing the rest of that shard into a new directory by hand."""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks.data import GivenVectors, sentences, unit_vectors
from benchmarks.measure import Task, Times, interleaved, timed
from benchmarks.raw_chroma import RawChroma
from benchmarks.tables import Table
from langmem_ext import Embedder, LongTermMemory
from langmem_ext.stores.chroma.rows import shard_number

_SHARDS = 16
_ROWS_OF_A_USER = 50


def erasure_table(embedder: Embedder, shard_sizes: tuple[int, ...], repetitions: int) -> Table:
    """Shards of so many rows, in which one user is erased again and again."""
    rows = []
    for size in shard_sizes:
        times = _times(embedder, size, repetitions)
        rows.append(
            (
                f"{_ROWS_OF_A_USER} of {size:,}",
                times.milliseconds("raw"),
                str(times.ratio("erase", "raw")),
                str(times.ratio("delete", "raw")),
            )
        )
    return Table(
        "Erasing a user. Writing the rows that stay into a new raw Chroma directory = 1",
        ("rows of the user, in the shard", "1 is about", "delete_all(erase=True)", "delete_all()"),
        rows,
    )


def _times(embedder: Embedder, size: int, repetitions: int) -> Times:
    given = GivenVectors(embedder)
    with tempfile.TemporaryDirectory() as folder:
        with LongTermMemory(Path(folder) / "memory", embedder=given) as memory:
            stays, gone = _users_of_one_shard(size // _ROWS_OF_A_USER)
            texts = {user: sentences(_ROWS_OF_A_USER, user) for user in (*stays, gone)}
            for number, user in enumerate(texts):
                given.give(texts[user], unit_vectors(_ROWS_OF_A_USER, embedder.dim, seed=number))
            for user in stays:
                memory.for_user(user).remember_many(texts[user])

            def remove(*, erase: bool) -> float:
                memory.for_user(gone).remember_many(texts[gone])
                return timed(lambda: memory.for_user(gone).delete_all(erase=erase))

            def raw(number: int) -> float:
                with tempfile.TemporaryDirectory() as other:
                    return timed(lambda: _written(Path(other), {user: texts[user] for user in stays}, given))

            tasks: dict[str, Task] = {
                "erase": lambda number: remove(erase=True),
                "delete": lambda number: remove(erase=False),
                "raw": raw,
            }
            return interleaved(tasks, repetitions)


def _users_of_one_shard(count: int) -> tuple[list[str], str]:
    """Users that stay, and one more: all hash to the same shard."""
    names: list[str] = []
    number = 0
    while len(names) < count:
        name = f"user-{number}"
        if shard_number(name, _SHARDS) == 0:
            names.append(name)
        number += 1
    return names[:-1], names[-1]


def _written(folder: Path, texts: dict[str, list[str]], given: GivenVectors) -> None:
    with RawChroma(folder) as raw:
        for user, sentences_of_user in texts.items():
            raw.add(user, sentences_of_user, given.embed_documents(sentences_of_user))
