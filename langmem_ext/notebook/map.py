"""A user's memories on a map: what is near in meaning lies near."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from langmem_ext.notebook.figures import Plot, add_types, colour, families, rc_context, say
from langmem_ext.user_memory import UserMemory, stored_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Points = NDArray[np.float64]

_LABELLED: Final = 40
_LINE_HEIGHT: Final = 0.035  # of the map


def plot_map(user: UserMemory, *, labels: bool = True) -> Plot:
    """The valid memories by meaning, in two dimensions, coloured by type.

    Their vectors are projected to the two directions in which they differ most (PCA); how much of the
    differences these show is written on the axes. The rest is not to be seen, so near on the map
    need not be near in meaning.

    Args:
        user: From `memory.for_user()`.
        labels: Write the texts beside the points, up to 40 memories.

    Returns:
        A matplotlib figure.

    Raises:
        MissingDependencyError: matplotlib is not installed.
    """
    rows = stored_rows(user)
    plot = Plot(8, 5.5)
    with rc_context({"font.family": families()}):
        axes: Any = plot.subplots()
        if not rows:
            say(axes, "no memories")
            return plot
        points, shares = project([row.vector for row in rows])
        axes.scatter(
            *points.T, c=[colour(row.item.memory_type) for row in rows], s=45, alpha=0.85, linewidths=0
        )
        if labels and len(rows) <= _LABELLED:
            _label(plot, axes, points, [plot.label(row.item.content, 36) for row in rows])
        axes.margins(0.15, 0.12)
        axes.set_xticks([])
        axes.set_yticks([])
        axes.set_xlabel(f"{shares[0]:.0%} of the differences", fontsize=8)
        axes.set_ylabel(f"{shares[1]:.0%}", fontsize=8)
        axes.spines[["top", "right"]].set_visible(False)
        add_types(axes, {row.item.memory_type for row in rows})
    return plot


def project(vectors: Any) -> tuple[Points, tuple[float, float]]:
    """The two principal components.

    Args:
        vectors: Shape (n, dim), n >= 1.

    Returns:
        Points, shape (n, 2), and the share of the variance that each direction shows.
    """
    matrix = np.asarray(vectors, dtype=np.float64)
    centred = matrix - matrix.mean(axis=0)
    _, sizes, directions = np.linalg.svd(centred, full_matrices=False)
    points = np.zeros((len(matrix), 2))
    found = min(2, len(sizes))
    points[:, :found] = centred @ directions[:found].T
    variances = np.zeros(2)
    variances[:found] = sizes[:found] ** 2
    whole = float((sizes**2).sum()) or 1.0
    return points, (float(variances[0]) / whole, float(variances[1]) / whole)


def _label(plot: Plot, axes: Any, points: Points, words: list[str]) -> None:
    """Texts to the right of their points, pushed up where they would lie on each other."""
    height = max(float(np.ptp(points[:, 1])), 1e-9)
    width = max(float(np.ptp(points[:, 0])), 1e-9)
    placed: list[tuple[float, float]] = []
    for n in np.argsort(points[:, 1]):
        x, y = (float(value) for value in points[n])
        for other_x, other_y in placed:
            if abs(x - other_x) < 0.4 * width and y - other_y < _LINE_HEIGHT * height:
                y = other_y + _LINE_HEIGHT * height
        placed.append((x, y))
        axes.annotate(
            words[n], points[n], xytext=(x + 0.012 * width, y), fontsize=8, va="center", annotation_clip=False
        )
