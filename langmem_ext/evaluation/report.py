"""What came of an evaluation: figures by setting, their differences, and tables of both."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from langmem_ext.evaluation.data import LabelledQuestion
from langmem_ext.evaluation.metrics import (
    all_at,
    ndcg_at,
    newer_first,
    recall_at,
    recall_within,
    reciprocal_rank,
)
from langmem_ext.evaluation.statistics import (
    Difference,
    Interval,
    auroc,
    bootstrap,
    paired_bootstrap,
)
from langmem_ext.evaluation.tables import percent, table

KEPT: Final = 0.95  # of the hits, by the suggested threshold


@dataclass(frozen=True, slots=True)
class Answer:
    """What one setting found for one question.

    Attributes:
        question: The question.
        relevant: Ids of the passages that answer it; empty where none does.
        ranked: Passage ids of the rows, best first; a passage that was cut may come several times.
        tokens: What each row takes in a prompt.
        hits: `similarity` of the relevant passages.
        misses: Those of the first ten rows that are not relevant.
        relevance: The highest of all rows, as the gate of `context()` sees it.
        withheld: Whether that gate returns nothing.
        embedding_ms: Of the query alone; None where it was embedded in a batch.
        ranking_ms: Everything else of a warm search in RAM.
    """

    question: LabelledQuestion
    relevant: frozenset[str]
    ranked: tuple[str, ...]
    tokens: tuple[int, ...]
    hits: tuple[float, ...]
    misses: tuple[float, ...]
    relevance: float
    withheld: bool
    embedding_ms: float | None
    ranking_ms: float


Metric: TypeAlias = Callable[[Answer], float]


def _at(compute: Callable[[Sequence[str], frozenset[str], int], float], k: int) -> Metric:
    return lambda answer: compute(answer.ranked, answer.relevant, k)


def _within(budget: int) -> Metric:
    return lambda answer: recall_within(answer.ranked, answer.tokens, answer.relevant, budget)


METRICS: Final[dict[str, Metric]] = {
    **{f"R@{k}": _at(recall_at, k) for k in (1, 3, 5, 10, 25)},
    **{f"all@{k}": _at(all_at, k) for k in (5, 10)},
    "MRR": lambda answer: reciprocal_rank(answer.ranked, answer.relevant),
    **{f"nDCG@{k}": _at(ndcg_at, k) for k in (5, 10)},
    **{f"R in {budget:,} tokens": _within(budget) for budget in (500, 1_000, 2_000)},
}
NEWER: Final = "newer first"


@dataclass(frozen=True, slots=True)
class Result:
    """All answers of one setting."""

    name: str
    answers: tuple[Answer, ...]

    @property
    def answerable(self) -> list[Answer]:
        """The answers to questions that have one."""
        return [answer for answer in self.answers if answer.relevant]

    def values(self, metric: str, group: str | None = None) -> list[float]:
        """A figure of every question that can be answered, in their order."""
        if metric == NEWER:
            return [
                newer_first(a.ranked, a.relevant, a.question.outdated)
                for a in self.answerable
                if a.question.outdated
            ]
        compute = METRICS[metric]
        return [compute(a) for a in self.answerable if group is None or a.question.group == group]

    def interval(self, metric: str, group: str | None = None) -> Interval:
        """The mean over the questions, with its 95 % interval."""
        return bootstrap(self.values(metric, group))

    @property
    def suggested_min_similarity(self) -> float | None:
        """The greatest threshold that keeps 95 % of the relevant passages; None without any.

        It belongs to this embedder and to texts like these.
        """
        hits = sorted(hit for answer in self.answerable for hit in answer.hits)
        if not hits:
            return None
        return hits[min(int(len(hits) * (1 - KEPT)), len(hits) - 1)]

    def misses_below(self, threshold: float) -> float:
        """Share of the irrelevant rows among the first ten that a threshold takes out."""
        misses = [miss for answer in self.answers for miss in answer.misses]
        return sum(miss < threshold for miss in misses) / len(misses) if misses else float("nan")

    def withheld(self, *, answerable: bool) -> float:
        """Share of the questions for which the gate of `context()` returns nothing."""
        asked = [answer for answer in self.answers if bool(answer.relevant) == answerable]
        return sum(answer.withheld for answer in asked) / len(asked) if asked else float("nan")

    @property
    def relevance_auroc(self) -> float:
        """How well the gate tells answerable from unanswerable questions: 0.5 is chance, 1 perfect."""
        return auroc(
            [answer.relevance for answer in self.answers if answer.relevant],
            [answer.relevance for answer in self.answers if not answer.relevant],
        )


@dataclass(frozen=True, slots=True)
class Report:
    """Results side by side; the first is what the others are compared with. `str()` gives all tables."""

    results: tuple[Result, ...]

    def __getitem__(self, name: str) -> Result:
        """The result of a setting. KeyError when there is none of that name."""
        for result in self.results:
            if result.name == name:
                return result
        raise KeyError(name)

    def difference(self, first: str, second: str, metric: str) -> Difference:
        """How much better the second setting is, with a paired bootstrap over the questions."""
        return paired_bootstrap(self[first].values(metric), self[second].values(metric))

    def __str__(self) -> str:
        parts = [self.quality(), *self._if_several(), self.scores(), self.latency()]
        groups = sorted({answer.question.group for answer in self.results[0].answerable} - {""})
        if groups:
            parts.insert(1, self.by_group(groups))
        return "\n\n".join(parts)

    def _metrics(self) -> list[str]:
        return [*METRICS, *([NEWER] if self.results[0].values(NEWER) else [])]

    def quality(self) -> str:
        """Every figure in percent, with its 95 % interval."""
        count = len(self.results[0].answerable)
        rows = [
            [metric, *(_with_interval(result.interval(metric)) for result in self.results)]
            for metric in self._metrics()
        ]
        return table(f"Found, in % of {count} answerable questions (95 % interval)", self._head(""), rows)

    def by_group(self, groups: Sequence[str], metric: str = "R@10") -> str:
        """One figure for every group of questions."""
        rows = [
            [
                f"{group} ({len(self.results[0].values(metric, group))})",
                *(_with_interval(result.interval(metric, group)) for result in self.results),
            ]
            for group in groups
        ]
        return table(f"{metric} by group of questions", self._head("group"), rows)

    def _if_several(self) -> list[str]:
        return [self.differences()] if len(self.results) > 1 else []

    def differences(self, metrics: Sequence[str] = ("R@1", "R@5", "R@10", "MRR")) -> str:
        """Every setting minus the first, in points; * where the interval leaves out 0."""
        first, *others = self.results
        rows = []
        for metric in [*metrics, *([NEWER] if first.values(NEWER) else [])]:
            found = [self.difference(first.name, other.name, metric) for other in others]
            rows.append([metric, *(_points(difference) for difference in found)])
        head = ["", *(other.name for other in others)]
        return table(f"Points more than {first.name} (95 % interval of a paired bootstrap)", head, rows)

    def scores(self) -> str:
        """Similarities of hits and misses, what threshold they suggest, and what the gate does."""
        hits = [[hit for answer in result.answers for hit in answer.hits] for result in self.results]
        misses = [[miss for answer in result.answers for miss in answer.misses] for result in self.results]
        rows = [
            ["similarity of hits: 5 / 50 / 95 %", *map(_spread, hits)],
            ["similarity of misses: 5 / 50 / 95 %", *map(_spread, misses)],
        ]
        suggested = [(result, result.suggested_min_similarity) for result in self.results]
        rows.append(["suggested min_similarity", *("-" if s is None else f"{s:.3f}" for _, s in suggested)])
        rows.append(
            ["misses below it", *("-" if s is None else percent(r.misses_below(s)) for r, s in suggested)]
        )
        rows += [
            ["answerable, yet withheld", *(percent(r.withheld(answerable=True)) for r in self.results)],
            ["not answerable, and withheld", *(percent(r.withheld(answerable=False)) for r in self.results)],
            ["AUROC of relevance", *(_plain(r.relevance_auroc) for r in self.results)],
        ]
        return table(f"Scores (the threshold keeps {KEPT:.0%} of the hits)", self._head(""), rows)

    def latency(self) -> str:
        """Milliseconds of a warm search in RAM."""
        rows = [
            [
                "embedding the query",
                *(_milliseconds([a.embedding_ms for a in r.answers]) for r in self.results),
            ],
            ["ranking", *(_milliseconds([a.ranking_ms for a in r.answers]) for r in self.results)],
        ]
        return table("Latency in ms: median (95 %)", self._head(""), rows)

    def _head(self, first: str) -> list[str]:
        return [first, *(result.name for result in self.results)]


def _with_interval(found: Interval) -> str:
    return f"{percent(found.mean)} ({percent(found.low)} to {percent(found.high)})"


def _points(found: Difference) -> str:
    sure = "*" if found.sure else " "
    return f"{100 * found.mean:+.1f}{sure} ({100 * found.low:+.1f} to {100 * found.high:+.1f})"


def _plain(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.3f}"


def _spread(values: Sequence[float]) -> str:
    if len(values) < 2:
        return "-"
    cuts = statistics.quantiles(values, n=20, method="inclusive")
    return f"{cuts[0]:.3f} / {cuts[9]:.3f} / {cuts[18]:.3f}"


def _milliseconds(values: Sequence[float | None]) -> str:
    known = sorted(value for value in values if value is not None)
    if not known:
        return "-"
    return f"{statistics.median(known):.1f} ({known[int(0.95 * (len(known) - 1))]:.1f})"
