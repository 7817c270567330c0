"""The one check that every embedder's answer passes, a user's own embedder included."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from langmem_ext.errors import ModelError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from langmem_ext.ports import Vectors

# A shorter vector has no direction that float32 could hold.
_SHORTEST = 1e-12


def check_vectors(
    vectors: Vectors, count: int, dim: int, *, embedder: str = "the embedder"
) -> NDArray[np.float32]:
    """Unit rows made of an embedder's answer: a new float32 array of shape (count, dim).

    Args:
        vectors: What the embedder returned.
        count: How many texts were given to it.
        dim: The length that its vectors must have.
        embedder: Named in the error.

    Raises:
        ModelError: kind "bad_reply": another shape, values that are not finite numbers, or a vector
            of zeros, which has no direction and would be near to nothing or to everything.
    """
    try:
        rows: NDArray[Any] = np.asarray(vectors, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise _bad(embedder, "rows of unequal length or values that are not numbers") from error
    if count == 0 and rows.size == 0:
        return np.empty((0, dim), dtype=np.float32)
    if rows.shape != (count, dim):
        raise _bad(embedder, f"an array of shape {rows.shape} where {(count, dim)} was expected")
    if not np.isfinite(rows).all():
        raise _bad(embedder, "values that are not finite (NaN or infinity)")
    # Scaled first: the square of a value near the end of the float range overflows.
    largest = np.abs(rows).max(axis=1, keepdims=True)
    if (largest < _SHORTEST).any():
        raise _bad(embedder, "a vector of zeros")
    rows = rows / largest
    unit: NDArray[np.float32] = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return unit


def _bad(embedder: str, what: str) -> ModelError:
    return ModelError(
        f"{embedder} returned {what}; nothing was stored. Check the embedder's model and its dim.",
        kind="bad_reply",
    )
