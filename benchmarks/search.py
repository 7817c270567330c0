"""How long a search takes beside embedding its query, and beside raw Chroma on the same rows."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.data import QUERIES, GivenVectors, sentences, unit_vectors
from benchmarks.measure import Task, Times, interleaved, timed
from benchmarks.raw_chroma import RawChroma
from benchmarks.tables import Table
from langmem_ext import Embedder, LongTermMemory

_FILLERS = 1_000  # users beside the one that searches


@dataclass(frozen=True, slots=True)
class SearchSizes:
    """How much to search, and how often."""

    own: tuple[int, ...] = (80, 1_000)
    others: tuple[int, ...] = (1_000, 10_000, 100_000)
    warm: int = 40
    cold: int = 9


class Place:
    """The same rows twice: in a memory, and in raw Chroma."""

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        self._folder = folder
        self.embedder = embedder
        self._given = GivenVectors(embedder)
        self.rows = 0

    def memory(self) -> LongTermMemory:
        return LongTermMemory(self._folder / "memory", embedder=self._given)

    def raw(self) -> RawChroma:
        return RawChroma(self._folder / "raw")

    def fill(self, counts: Mapping[str, int]) -> None:
        """Give each user so many memories, with random vectors, in both."""
        with self.memory() as memory, self.raw() as raw:
            for user_id, count in counts.items():
                texts = sentences(count, user_id)
                vectors = unit_vectors(count, self.embedder.dim, seed=self.rows)
                self._given.give(texts, vectors)
                memory.for_user(user_id).remember_many(texts)
                raw.add(user_id, texts, vectors)
                self.rows += count


@dataclass(frozen=True, slots=True)
class Case:
    """What was measured for one user among others."""

    own: int
    total: int
    warm: Times
    cold: Times


def search_tables(embedder: Embedder, sizes: SearchSizes) -> list[Table]:
    cases = [case for others in sizes.others for case in _cases(embedder, others, sizes)]
    return [_warm_table(cases), _cold_table(cases)]


def _cases(embedder: Embedder, others: int, sizes: SearchSizes) -> Iterator[Case]:
    with tempfile.TemporaryDirectory() as folder:
        place = Place(Path(folder), embedder)
        place.fill(
            {f"filler-{number}": max(1, others // _FILLERS) for number in range(min(_FILLERS, others))}
        )
        for own in sizes.own:
            place.fill({f"user-{own}": own})
            warm = _warm(place, f"user-{own}", sizes.warm)
            cold = interleaved(_cold_tasks(place, f"user-{own}"), sizes.cold)
            yield Case(own, place.rows, warm, cold)


def _warm(place: Place, user_id: str, repetitions: int) -> Times:
    with place.memory() as memory, place.raw() as raw:
        user = memory.for_user(user_id)

        def without_embedding(number: int) -> float:
            timings = user.search(_query(number)).timings
            return (timings["total"] - timings["embed"]) / 1000

        def raw_without_embedding(number: int) -> float:
            vector = place.embedder.embed_queries([_query(number)])[0]
            return timed(lambda: raw.query(user_id, vector))

        def raw_search(number: int) -> list[str]:
            return raw.query(user_id, place.embedder.embed_queries([_query(number)])[0])

        tasks: dict[str, Task] = {
            **_embedding(place),
            "search": lambda number: timed(lambda: user.search(_query(number))),
            "raw": lambda number: timed(lambda: raw_search(number)),
            "search without embedding": without_embedding,
            "raw without embedding": raw_without_embedding,
        }
        return interleaved(tasks, repetitions)


def _cold_tasks(place: Place, user_id: str) -> dict[str, Task]:
    def ours(number: int) -> float:
        opened: list[LongTermMemory] = []

        def open_and_search() -> None:
            opened.append(place.memory())
            opened[0].for_user(user_id).search(_query(number))

        took = timed(open_and_search)
        opened[0].close()
        return took

    def raw(number: int) -> float:
        opened: list[RawChroma] = []

        def open_and_search() -> None:
            opened.append(place.raw())
            opened[0].query(user_id, place.embedder.embed_queries([_query(number)])[0])

        took = timed(open_and_search)
        opened[0].close()
        return took

    return {**_embedding(place), "search": ours, "raw": raw}


def _embedding(place: Place) -> dict[str, Task]:
    return {"embed": lambda number: timed(lambda: place.embedder.embed_queries([_query(number)]))}


def _query(number: int) -> str:
    return QUERIES[number % len(QUERIES)]


def _warm_table(cases: list[Case]) -> Table:
    rows = [
        (
            f"{case.own:,} of {case.total:,}",
            case.warm.milliseconds("embed"),
            str(case.warm.ratio("search", "embed")),
            str(case.warm.ratio("raw", "embed")),
            str(case.warm.ratio("search without embedding", "raw without embedding")),
        )
        for case in cases
    ]
    return Table(
        "Search, warm. Embedding the query alone = 1",
        ("rows of the user", "1 is about", "langmem_ext", "raw Chroma", "ours / raw, both without embedding"),
        rows,
    )


def _cold_table(cases: list[Case]) -> Table:
    rows = [
        (
            f"{case.own:,} of {case.total:,}",
            case.cold.milliseconds("embed"),
            str(case.cold.ratio("search", "embed")),
            str(case.cold.ratio("raw", "embed")),
            str(case.cold.ratio("search", "raw")),
        )
        for case in cases
    ]
    return Table(
        "Opening the directory and the first search. Embedding the query alone = 1",
        ("rows of the user", "1 is about", "langmem_ext", "raw Chroma", "ours / raw"),
        rows,
    )
