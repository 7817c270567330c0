"""Put every question to every setting, with the ranking that `search()` uses, and keep what came back.

Nothing is stored: texts are embedded and ranked in RAM, so a store that passages come from stays as it is.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, tzinfo
from typing import TYPE_CHECKING, Final

import numpy as np

from langmem_ext.embedding import CheckedEmbedder
from langmem_ext.errors import InvalidInputError
from langmem_ext.evaluation.chunking import chunks
from langmem_ext.evaluation.data import LabelledQuestion, Passage, labelled_ids
from langmem_ext.evaluation.report import Answer, Report, Result
from langmem_ext.ports import Embedder, EmbedderFingerprint, StoredMemory
from langmem_ext.retrieval.question import Question
from langmem_ext.retrieval.ranking import Ranked, similarity
from langmem_ext.retrieval.relevance import FEWEST_ROWS, RELEVANT, probes_for
from langmem_ext.retrieval.search import Searched
from langmem_ext.retrieval.user_index import UserIndex
from langmem_ext.retrieval.weights import WEIGHTS
from langmem_ext.tokens import estimate_tokens

if TYPE_CHECKING:
    from langmem_ext.ports import Vector

DEPTH: Final = 100  # rows of a ranking that are looked at
_TIMED: Final = 50  # questions embedded one by one, for the latency; the others in one batch


@dataclass(frozen=True, slots=True)
class Setting:
    """One way to find memories.

    Attributes:
        name: Heads its column.
        embedder: Makes the vectors.
        weights: Of the signals; see `langmem_ext.retrieval.weights`.
        chunk_tokens: Longer texts are cut into rows of about so many tokens, at ends of sentences;
            None: as long as the embedder reads.
    """

    name: str
    embedder: Embedder
    weights: Mapping[str, float] = field(default_factory=lambda: WEIGHTS)
    chunk_tokens: int | None = None

    def without(self, signal: str) -> Setting:
        """The same without one signal of the ranking."""
        weights = {name: weight for name, weight in self.weights.items() if name != signal}
        return replace(self, name=f"{self.name}, no {signal}", weights=weights)

    def cut(self, tokens: int) -> Setting:
        """The same over rows of about so many tokens."""
        return replace(self, name=f"{self.name}, rows of {tokens}", chunk_tokens=tokens)


def evaluate(
    passages: Sequence[Passage],
    questions: Sequence[LabelledQuestion],
    settings: Sequence[Setting],
    *,
    timezone: tzinfo = UTC,
) -> Report:
    """Figures for every setting.

    Args:
        passages: Of all users; those of one conversation in the order in which they were said.
        questions: At least one.
        settings: At least one, with different names. The first is what the others are compared with.
        timezone: Where a day begins, for questions about a time.

    Raises:
        InvalidInputError: labels that name no passage, two settings with one name, or nothing to do.
        ModelError: an embedder is unavailable.
    """
    names = [setting.name for setting in settings]
    if not questions or not names or len(set(names)) < len(names):
        raise InvalidInputError("an evaluation needs questions, and settings with different names")
    by_user: dict[str, list[Passage]] = defaultdict(list)
    for passage in passages:
        by_user[passage.user_id].append(passage)
    labels = [labelled_ids(question, by_user.get(question.user_id, ())) for question in questions]
    results = []
    known: dict[EmbedderFingerprint, dict[str, Vector]] = defaultdict(dict)
    for setting in settings:
        bench = _Bench(setting, by_user, timezone, known[setting.embedder.fingerprint])
        results.append(Result(setting.name, tuple(bench.answers(questions, labels))))
    return Report(tuple(results))


class _Bench:
    """One setting over the passages of all users."""

    def __init__(
        self,
        setting: Setting,
        by_user: Mapping[str, Sequence[Passage]],
        zone: tzinfo,
        known: dict[str, Vector],
    ) -> None:
        """`known` keeps the vectors of texts between settings with one embedder."""
        self._setting = setting
        self._known = known
        self._zone = zone
        self._embedder = CheckedEmbedder(setting.embedder)
        self._indexes = {user: self._index(passages) for user, passages in by_user.items()}
        self._probes: dict[tuple[str, ...], np.ndarray] = {}

    def _index(self, passages: Sequence[Passage]) -> UserIndex:
        room = min(self._setting.chunk_tokens or self._embedder.max_tokens, self._embedder.max_tokens)
        parts = [
            replace(passage, content=part) for passage in passages for part in chunks(passage.content, room)
        ]
        new = [text for text in dict.fromkeys(part.content for part in parts) if text not in self._known]
        self._known.update(zip(new, self._embedder.documents(new), strict=True))
        return UserIndex(
            StoredMemory(
                replace(part.as_memory(), memory_id=str(number)), part.passage_id, self._known[part.content]
            )
            for number, part in enumerate(parts)
        )

    def answers(
        self, questions: Sequence[LabelledQuestion], labels: Sequence[frozenset[str]]
    ) -> list[Answer]:
        """One per question. The chain id of a row is the id of its passage."""
        vectors, milliseconds = self._embedded([question.query for question in questions])
        found = []
        for question, relevant, vector, took in zip(questions, labels, vectors, milliseconds, strict=True):
            index = self._indexes.get(question.user_id)
            if index is None or not len(index):
                raise InvalidInputError(f"user {question.user_id!r} has no passages")
            found.append(self._answer(question, relevant, index, vector, took))
        return found

    def _embedded(self, queries: Sequence[str]) -> tuple[list[Vector], list[float | None]]:
        self._embedder.queries(queries[:1])  # warm
        vectors: list[Vector] = []
        milliseconds: list[float | None] = []
        for query in queries[:_TIMED]:
            started = time.perf_counter()
            vectors.append(self._embedder.queries([query])[0])
            milliseconds.append((time.perf_counter() - started) * 1000)
        vectors += list(self._embedder.queries(queries[_TIMED:]))
        return vectors, milliseconds + [None] * (len(queries) - len(milliseconds))

    def _answer(
        self,
        question: LabelledQuestion,
        relevant: frozenset[str],
        index: UserIndex,
        vector: Vector,
        embedding: float | None,
    ) -> Answer:
        newest = datetime.fromtimestamp(float(index.traits.recorded_at.max()), UTC)
        now = (question.asked_at or newest + timedelta(days=1)).astimezone(self._zone)
        everything = np.ones(len(index), dtype=bool)
        _ = index.match(()), index.neighbours  # made once per user, and not part of a search's time
        started = time.perf_counter()
        searched = Searched(index, Question.read(question.query, now, newest), vector, self._setting.weights)
        hits = searched.best(everything, limit=DEPTH)
        ranking = (time.perf_counter() - started) * 1000
        relevance = searched.relevance(index.noise(self._probe_vectors(question.query)))
        assert relevance is not None  # there is a vector
        best_by_passage = _similarities(index, index.cosines(vector))
        return Answer(
            question=question,
            relevant=relevant,
            ranked=tuple(index.rows[hit.row].chain_id for hit in hits),
            tokens=tuple(estimate_tokens(f"- {index.rows[hit.row].item.content}") for hit in hits),
            hits=tuple(best_by_passage[name] for name in sorted(relevant)),
            misses=tuple(_not(relevant, index, hits)),
            relevance=float(relevance.max()),
            withheld=len(index) >= FEWEST_ROWS and float(relevance.max()) < RELEVANT,
            embedding_ms=embedding,
            ranking_ms=ranking,
        )

    def _probe_vectors(self, query: str) -> np.ndarray:
        texts = probes_for(query)
        if texts not in self._probes:
            self._probes[texts] = self._embedder.queries(texts)
        return self._probes[texts]


def _similarities(index: UserIndex, cosines: np.ndarray) -> dict[str, float]:
    best: dict[str, float] = {}
    for row, cosine in zip(index.rows, cosines, strict=True):
        best[row.chain_id] = max(best.get(row.chain_id, 0.0), similarity(float(cosine)))
    return best


def _not(relevant: frozenset[str], index: UserIndex, hits: Sequence[Ranked]) -> list[float]:
    """The similarities of the first ten hits that do not answer the question."""
    return [
        similarity(hit.signals.cosine)
        for hit in hits[:10]
        if hit.signals.cosine is not None and index.rows[hit.row].chain_id not in relevant
    ]
