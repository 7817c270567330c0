"""All signals of one user's memories for one question, and the ranking that they give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from langmem_ext.retrieval.fusion import signals
from langmem_ext.retrieval.question import Question
from langmem_ext.retrieval.ranking import Evidence, Ranked, exact, rank
from langmem_ext.retrieval.relevance import RELEVANT, Noise, relevance
from langmem_ext.retrieval.user_index import UserIndex
from langmem_ext.retrieval.versions import newer_first
from langmem_ext.retrieval.weights import WEIGHTS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from langmem_ext.ports import Vector
    from langmem_ext.retrieval.bm25 import KeywordMatch


class Searched:
    """One question put to one user's memories."""

    def __init__(
        self,
        index: UserIndex,
        question: Question,
        vector: Vector | None,
        weights: Mapping[str, float] = WEIGHTS,
    ) -> None:
        """Compute the signals of all rows; without a vector the words alone decide."""
        self._index = index
        self._question = question
        self._weights = weights
        self._match: KeywordMatch = index.match(question.terms)
        self._cosines = None if vector is None else exact(index.cosines(vector))
        self._signals = signals(question, self._match, self._cosines, index.traits, index.neighbours)

    def best(
        self, allowed: NDArray[np.bool_], *, limit: int, min_similarity: float | None = None
    ) -> list[Ranked]:
        """The best rows, as `rank` gives them; newer versions go before older ones."""
        evidence = Evidence(self._cosines, self._match.alone, self._match.context, self._signals)
        return rank(
            evidence,
            allowed,
            -self._index.traits.recorded_at,  # what was said last goes first
            limit=limit,
            weights=self._weights,
            # Who asks about a time may mean the older one.
            newer=self._newer if self._weights.get("newer") and not self._question.spans else None,
            min_similarity=min_similarity,
        )

    def relevance(self, noise: Noise) -> NDArray[np.float64] | None:
        """How much more each row has to do with the question than chance; None without a vector."""
        if self._cosines is None:
            return None
        return relevance(self._match, self._cosines, self._signals["time"], noise)

    def relevant(self, hits: Sequence[Ranked], allowed: NDArray[np.bool_], noise: Noise) -> list[Ranked]:
        """The hits, each with its relevance; [] if no allowed row has to do with the question.

        Without a vector there is nothing to tell it by, and the hits are returned as they are.
        """
        found = self.relevance(noise)
        if found is None:
            return list(hits)
        if not hits or found[allowed].max() < RELEVANT:
            return []
        return [hit._replace(signals=replace(hit.signals, relevance=float(found[hit.row]))) for hit in hits]

    def _newer(self, rows: Sequence[int]) -> dict[int, int]:
        said, recorded = self._index.utterances, self._index.traits.recorded_at
        asked = frozenset(self._question.terms)
        return newer_first(
            rows,
            lambda row: said[row].statement,
            lambda row: (said[row].speaker, asked.intersection(said[row].terms)),
            lambda row: (float(recorded[row]), row),
        )
