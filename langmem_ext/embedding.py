"""The embedder behind one check: whatever a user brings, what comes out are finite unit rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from langmem_ext.errors import ModelError, ModelErrorKind
from langmem_ext.models.vectors import check_vectors
from langmem_ext.ports import Embedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from langmem_ext.ports import Vectors


class CheckedEmbedder:
    """Calls an embedder in one batch and checks its answer.

    Both methods return float32 of shape (len(texts), dim) with rows of length 1, and raise
    `ModelError` for whatever goes wrong.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    @property
    def max_tokens(self) -> int:
        """Longest input that the embedder reads."""
        return self._embedder.max_tokens

    def documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of texts to be stored."""
        return self._call(self._embedder.embed_documents, texts)

    def queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of questions."""
        return self._call(self._embedder.embed_queries, texts)

    def _call(self, embed: Callable[[Sequence[str]], Vectors], texts: Sequence[str]) -> NDArray[np.float32]:
        if not texts:
            return check_vectors([], 0, self._embedder.dim)
        try:
            vectors = embed(texts)
        except ModelError:
            raise
        except Exception as error:  # a user's own embedder may raise anything
            raise ModelError(
                f"the embedder {self._embedder.fingerprint.model} failed ({type(error).__name__})",
                kind=_kind(error),
            ) from error
        return check_vectors(vectors, len(texts), self._embedder.dim)


def _kind(error: Exception) -> ModelErrorKind:
    if isinstance(error, TimeoutError):
        return "timeout"
    return "unavailable" if isinstance(error, OSError) else "unexpected"
