"""Any embedding model of LlamaIndex as the embedder of a memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from llama_index.core.base.embeddings.base import BaseEmbedding

from langmem_ext.errors import InvalidInputError
from langmem_ext.models.dimension import Dimension
from langmem_ext.models.foreign_errors import model_error_of
from langmem_ext.ports import EmbedderFingerprint

_USUAL_WINDOW: Final = 512  # tokens; what lies beyond an unknown window would not be found


class LlamaIndexEmbedder:
    """An `Embedder` over an embedding model of LlamaIndex.

    Args:
        embed_model: The model. It puts its own instructions in front of questions and texts.
        model: Names the vector space; it is written into the store, and another one is refused. None:
            the `model_name` that the object carries.
        dim: Length of a vector; None: asked of the model with one short text, at the first use.
        max_tokens: Longest text; None: the model's `max_length`, or 512.

    Raises:
        InvalidInputError: it is no embedding model of LlamaIndex, has no name, or a number is below 1.
    """

    def __init__(
        self,
        embed_model: BaseEmbedding,
        *,
        model: str | None = None,
        dim: int | None = None,
        max_tokens: int | None = None,
    ) -> None:
        if not isinstance(embed_model, BaseEmbedding):
            raise InvalidInputError(
                f"embed_model must be an embedding model of LlamaIndex, not {type(embed_model).__name__}"
            )
        self._name = embed_model.model_name if model is None else model
        if self._name in ("", "unknown"):
            raise InvalidInputError(
                f"{embed_model.class_name()} does not say which model it is: pass model=, a name of its "
                "vector space"
            )
        window = getattr(embed_model, "max_length", None) if max_tokens is None else max_tokens
        self._max_tokens = window if isinstance(window, int) else _USUAL_WINDOW
        if self._max_tokens < 1 or (dim is not None and dim < 1):
            raise InvalidInputError("dim and max_tokens must be at least 1")
        self._model = embed_model
        self._dim = Dimension(self._name, dim, self.embed_documents)

    @property
    def dim(self) -> int:
        """Length of a vector; the first use may ask the model.

        Raises:
            ModelError: the model had to be asked and did not answer.
        """
        return self._dim.get()

    @property
    def max_tokens(self) -> int:
        """Longest text."""
        return self._max_tokens

    @property
    def fingerprint(self) -> EmbedderFingerprint:
        """The name, and the instructions that the model puts in front."""
        return EmbedderFingerprint(
            model=self._name,
            dim=self.dim,
            query_prefix=getattr(self._model, "query_instruction", None) or "",
            document_prefix=getattr(self._model, "text_instruction", None) or "",
        )

    def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        """One row per text, shape (len(texts), dim).

        Raises:
            ModelError: the model failed; `kind` says why.
        """
        try:
            return self._model.get_text_embedding_batch(list(texts))
        except Exception as error:  # whatever a model raises
            raise model_error_of(error, self._name) from error

    def embed_queries(self, texts: Sequence[str]) -> list[list[float]]:
        """As `embed_documents`, for questions."""
        try:
            return [self._model.get_query_embedding(text) for text in texts]
        except Exception as error:  # whatever a model raises
            raise model_error_of(error, self._name) from error
