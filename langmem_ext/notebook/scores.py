"""How similar what was found is, beside a threshold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from langmem_ext.errors import InvalidInputError
from langmem_ext.items import RecallResult
from langmem_ext.notebook.figures import GREY, Plot, families, rc_context, say
from langmem_ext.user_memory import UserMemory

Similarities: TypeAlias = RecallResult | Sequence[float]
Found: TypeAlias = RecallResult | Mapping[str, Similarities] | Sequence[RecallResult] | Sequence[str]

_MOST_LINES: Final = 30
_BEST: Final = "#2f6fde"


def plot_scores(found: Found, *, threshold: float | None = None, user: UserMemory | None = None) -> Plot:
    """The similarities of hits, question by question: is there a gap where a threshold fits?

    The best hit of each question is filled. Of more than 30 questions it shows two histograms: of the best
    hits and of the others.

    Args:
        found: One search result or several; a mapping from a name to a result or to similarities; or
            questions, which are searched for then (`top_k=10`).
        threshold: A `min_similarity` to draw, 0..1.
        user: Who is asked, where questions are given.

    Returns:
        A matplotlib figure.

    Raises:
        InvalidInputError: questions without a user.
        MissingDependencyError: matplotlib is not installed.
    """
    lines = {name: values for name, values in _lines(found, user).items() if values}
    many = len(lines) > _MOST_LINES
    plot = Plot(8, 3.2 if many else 1.3 + 0.3 * max(1, len(lines)))
    with rc_context({"font.family": families()}):
        axes = plot.subplots()
        if not lines:
            say(axes, "nothing found")
            return plot
        (_histograms if many else _strips)(plot, axes, lines)
        if threshold is not None:
            _threshold(axes, lines, threshold)
        axes.set_xlabel("similarity", fontsize=9)
        axes.tick_params(labelsize=8)
        axes.spines[["top", "right"]].set_visible(False)
    return plot


def _lines(found: Found, user: UserMemory | None) -> dict[str, list[float]]:
    if isinstance(found, RecallResult):
        return {"": _similarities(found)}
    if isinstance(found, Mapping):
        return {str(name): _similarities(values) for name, values in found.items()}
    lines: dict[str, list[float]] = {}
    for number, one in enumerate(found, start=1):
        if not isinstance(one, str):
            lines[f"{number}"] = _similarities(one)
        elif user is None:
            raise InvalidInputError("who is asked these questions? Pass user=memory.for_user(...)")
        else:
            lines[one] = _similarities(user.search(one, top_k=10))
    return lines


def _similarities(values: Any) -> list[float]:
    """Best first."""
    if isinstance(values, RecallResult):
        known = [hit.similarity for hit in values if hit.similarity is not None]
    else:
        known = [float(value) for value in values]
    return sorted(known, reverse=True)


def _strips(plot: Plot, axes: Any, lines: Mapping[str, Sequence[float]]) -> None:
    for place, values in enumerate(lines.values()):
        axes.plot([min(values), max(values)], [place, place], color="0.85", linewidth=1, zorder=0)
        axes.plot(values[1:], [place] * (len(values) - 1), "o", color=_BEST, fillstyle="none", markersize=6)
        axes.plot(values[:1], [place], "o", color=_BEST, markersize=8)
    axes.set_yticks(range(len(lines)), [plot.label(name, 48) for name in lines], fontsize=9)
    axes.set_ylim(len(lines) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)


def _histograms(plot: Plot, axes: Any, lines: Mapping[str, Sequence[float]]) -> None:
    best = [values[0] for values in lines.values()]
    rest = [value for values in lines.values() for value in values[1:]]
    bins = 40
    low, high = min([*best, *rest]), max(best)
    axes.hist(rest, bins=bins, range=(low, high), color=GREY, alpha=0.6, label="other hits")
    axes.hist(best, bins=bins, range=(low, high), color=_BEST, alpha=0.75, label="best hit of each question")
    axes.set_ylabel("hits", fontsize=9)
    axes.legend(fontsize=8, frameon=False)


def _threshold(axes: Any, lines: Mapping[str, Sequence[float]], threshold: float) -> None:
    above = sum(values[0] >= threshold for values in lines.values())
    axes.axvline(threshold, color="#d9480f", linewidth=1.5)
    axes.set_title(
        f"threshold {threshold:.2f}: {above} of {len(lines)} questions keep a hit",
        fontsize=9,
        color="#d9480f",
        loc="left",
    )
