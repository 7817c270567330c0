"""From a question to memories: embed, collect this user's candidates, fuse, cut, log."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import TYPE_CHECKING

from langmem_ext.embedding import CheckedEmbedder
from langmem_ext.errors import InvalidInputError, ModelError
from langmem_ext.items import MEMORY_TYPES, Filters, MemoryType, RecallResult, Scope, ScoredMemory, Signals
from langmem_ext.observability import RecallLog, RecallRecord, hash_user
from langmem_ext.ports import Clock
from langmem_ext.redaction import stored_form
from langmem_ext.retrieval.question import Question
from langmem_ext.retrieval.ranking import Ranked, similarity
from langmem_ext.retrieval.relevance import FEWEST_ROWS, probes_for
from langmem_ext.retrieval.search import Searched
from langmem_ext.retrieval.user_index import UserIndex
from langmem_ext.workspace import Workspace

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from langmem_ext.ports import Vector


@dataclass(frozen=True, slots=True)
class RecallRequest:
    """A checked search."""

    query: str
    top_k: int
    min_similarity: float | None
    filters: Filters | None
    as_of: datetime | None
    relevant_only: bool = False

    @classmethod
    def checked(
        cls,
        query: str,
        top_k: int,
        min_similarity: float | None,
        filters: Filters | None,
        memory_type: MemoryType | None,
        as_of: datetime | None,
        relevant_only: bool = False,
    ) -> RecallRequest:
        """Raises InvalidInputError for anything that could not be searched for."""
        if not isinstance(query, str):
            raise InvalidInputError(f"query must be a string, not {type(query).__name__}")
        if isinstance(top_k, bool) or not isinstance(top_k, int) or top_k < 1:
            raise InvalidInputError(f"top_k must be a whole number of at least 1, got {top_k!r}")
        if min_similarity is not None and not (
            isinstance(min_similarity, int | float) and 0 <= min_similarity <= 1
        ):
            raise InvalidInputError(f"min_similarity must be between 0 and 1, got {min_similarity!r}")
        # A query may go to a remote embedder and into the log: it is redacted like all that is stored.
        return cls(
            stored_form(query),
            top_k,
            min_similarity,
            with_type(filters, memory_type),
            as_of,
            bool(relevant_only),
        )


def with_type(filters: Filters | None, memory_type: MemoryType | None) -> Filters | None:
    """Both conditions as one filter."""
    if memory_type is None:
        return filters
    if memory_type not in MEMORY_TYPES:
        raise InvalidInputError(f"memory_type must be one of {', '.join(MEMORY_TYPES)}, got {memory_type!r}")
    only: Mapping[str, object] = {"memory_type": memory_type}
    return only if not filters else {"$and": [only, filters]}


class Recaller:
    """Searches one workspace."""

    def __init__(
        self,
        workspace: Workspace,
        embedder: CheckedEmbedder,
        clock: Clock,
        log: RecallLog,
        timezone: tzinfo = UTC,
    ) -> None:
        self._workspace = workspace
        self._embedder = embedder
        self._clock = clock
        self._log = log
        self._timezone = timezone
        self._probes: dict[tuple[str, ...], NDArray[np.float32]] = {}

    def recall(self, scope: Scope, request: RecallRequest, operation: str) -> RecallResult:
        """The memories of this user for a query, best first.

        Raises:
            ModelError: the embedder is unavailable and no memory matches by word.
            StorageError: the store is unavailable.
        """
        timings: dict[str, float] = {}
        now = self._clock()
        found = _Found()
        with _timed(timings, "total"):
            if request.query:
                found = self._search(scope, request, now, timings)
        if found.failure is not None and not found.hits:
            raise found.failure
        result = RecallResult(
            found.hits,
            uuid.uuid4().hex,
            timings,
            () if found.failure is None else ("dense",),
            found.withheld,
        )
        self._workspace.note_access(scope.user_id, [hit.memory_id for hit in found.hits], now)
        self._log.append(_record(result, scope, request, operation))
        return result

    def _search(
        self, scope: Scope, request: RecallRequest, now: datetime, timings: dict[str, float]
    ) -> _Found:
        when = now if request.as_of is None else request.as_of
        with _timed(timings, "load"):
            index, allowed = self._workspace.candidates(
                scope.user_id, when, request.filters, current=request.as_of is None
            )
        if not allowed.any():  # nothing to compare the query with
            return _Found()
        with _timed(timings, "embed"):
            vector, failure = self._embed(request.query)
        with _timed(timings, "rank"):
            newest = datetime.fromtimestamp(float(index.traits.recorded_at.max()), UTC)
            question = Question.read(request.query, when.astimezone(self._timezone), newest)
            searched = Searched(index, question, vector)
            ranking = searched.best(allowed, limit=request.top_k, min_similarity=request.min_similarity)
            relevant = self._relevant(searched, ranking, index, allowed, request)
        hits = tuple(_scored(index, *ranked) for ranked in relevant)
        return _Found(hits, failure, len(ranking) - len(hits))

    def _relevant(
        self,
        searched: Searched,
        ranking: list[Ranked],
        index: UserIndex,
        allowed: NDArray[np.bool_],
        request: RecallRequest,
    ) -> list[Ranked]:
        if not request.relevant_only or len(index) < FEWEST_ROWS:
            return ranking
        texts = probes_for(request.query)
        if texts not in self._probes:
            try:
                self._probes[texts] = self._embedder.queries(texts)
            except ModelError:  # of the embedder that was down a moment ago, too: the hits are what there is
                return ranking
        return searched.relevant(ranking, allowed, index.noise(self._probes[texts]))

    def _embed(self, query: str) -> tuple[Vector | None, ModelError | None]:
        try:
            return self._embedder.queries([query])[0], None
        except ModelError as error:
            return None, error


@dataclass(frozen=True, slots=True)
class _Found:
    """What a search comes to."""

    hits: tuple[ScoredMemory, ...] = ()
    failure: ModelError | None = None
    withheld: int = 0


def _scored(index: UserIndex, row: int, score: float, signals: Signals) -> ScoredMemory:
    known = None if signals.cosine is None else similarity(signals.cosine)
    return ScoredMemory(index.rows[row].item, score, known, signals)


def _record(result: RecallResult, scope: Scope, request: RecallRequest, operation: str) -> RecallRecord:
    return RecallRecord(
        recall_id=result.recall_id,
        operation=operation,
        top_k=request.top_k,
        returned=len(result),
        user_hash=hash_user(scope.user_id),
        similarities=tuple(hit.similarity for hit in result),
        scores=tuple(hit.score for hit in result),
        timings=result.timings,
        degraded=result.degraded,
        query=request.query,
    )


@contextmanager
def _timed(timings: dict[str, float], step: str) -> Iterator[None]:
    started = time.perf_counter()
    try:
        yield
    finally:
        timings[step] = (time.perf_counter() - started) * 1000
