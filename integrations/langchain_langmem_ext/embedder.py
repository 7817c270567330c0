"""Any LangChain `Embeddings` as the embedder of a memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from langchain_core.embeddings import Embeddings

from langmem_ext.errors import InvalidInputError
from langmem_ext.models.dimension import Dimension
from langmem_ext.models.foreign_errors import model_error_of
from langmem_ext.ports import EmbedderFingerprint


class LangChainEmbedder:
    """An `Embedder` over LangChain's `Embeddings`: `LongTermMemory(embedder=LangChainEmbedder(embeddings))`.

    Args:
        embeddings: What makes the vectors; prefixes, batches, time limits and retries are its own.
        model: Names the vector space; it is written into the store, and another one is refused. By
            default the name that the object carries (`model`, `model_name` or `model_id`).
        dim: Length of the vectors; by default found out with one short text at first use.
        max_tokens: The model's window. LangChain does not tell it, so the default is a small one: a
            longer memory is refused.

    Raises:
        InvalidInputError: no `Embeddings`, no name can be found, or a number below 1.
    """

    def __init__(
        self,
        embeddings: Embeddings,
        *,
        model: str | None = None,
        dim: int | None = None,
        max_tokens: int = 512,
    ) -> None:
        if not isinstance(embeddings, Embeddings):
            raise InvalidInputError(f"embeddings must be LangChain's, not {type(embeddings).__name__}")
        if max_tokens < 1 or (dim is not None and dim < 1):
            raise InvalidInputError("max_tokens and dim must be at least 1")
        self._embeddings = embeddings
        self._model = model or _name_of(embeddings)
        self._max_tokens = max_tokens
        self._dim = Dimension(self._model, dim, self.embed_documents)

    @property
    def dim(self) -> int:
        """Length of a vector; the first use may ask the model.

        Raises:
            ModelError: the model had to be asked and did not answer.
        """
        return self._dim.get()

    @property
    def max_tokens(self) -> int:
        """The model's window."""
        return self._max_tokens

    @property
    def fingerprint(self) -> EmbedderFingerprint:
        """The model, not the class: the same model has the same vectors behind another client."""
        return EmbedderFingerprint(model=self._model, dim=self.dim)

    def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        """One row per text, shape (len(texts), dim).

        Raises:
            ModelError: no answer; `kind` says why.
        """
        return self._called(self._embeddings.embed_documents, texts)

    def embed_queries(self, texts: Sequence[str]) -> list[list[float]]:
        """As `embed_documents`, for questions."""
        return self._called(lambda queries: [self._embeddings.embed_query(query) for query in queries], texts)

    def _called(
        self, embed: Callable[[list[str]], list[list[float]]], texts: Sequence[str]
    ) -> list[list[float]]:
        try:
            return embed(list(texts))
        except Exception as error:  # whatever a model raises
            raise model_error_of(error, self._model) from error


def _name_of(embeddings: Embeddings) -> str:
    for attribute in ("model", "model_name", "model_id"):
        if isinstance(found := getattr(embeddings, attribute, None), str) and found.strip():
            return found
    raise InvalidInputError(
        f"{type(embeddings).__name__} does not say which model it is: pass model=, a name of its vector space"
    )
