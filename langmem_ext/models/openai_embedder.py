"""Embeddings from a server that speaks the OpenAI protocol."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import openai

from langmem_ext.errors import InvalidInputError
from langmem_ext.models.dimension import Dimension
from langmem_ext.models.openai import client_options, endpoint_of
from langmem_ext.models.openai_errors import not_this_protocol, translate
from langmem_ext.models.vectors import check_vectors
from langmem_ext.ports import EmbedderFingerprint
from langmem_ext.text import well_formed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_KNOWN_DIMS = {"text-embedding-3-small": 1536, "text-embedding-3-large": 3072, "text-embedding-ada-002": 1536}
_SHORTENABLE = frozenset({"text-embedding-3-small", "text-embedding-3-large"})
# OpenAI takes 300,000 tokens in a request, and a token is at least one byte.
_BYTES_PER_REQUEST = 250_000
# Longer texts would be refused. English takes about 4 bytes per token, Chinese 2 to 3: rather cut early.
_BYTES_PER_TOKEN = 2


class OpenAIEmbedder:
    """An `Embedder` over `/embeddings`.

    Safe to use from several threads. Texts beyond `max_tokens` are cut, by an estimate.

    Args:
        model: The model's name on that server; it also names the vector space.
        dim: Length of the vectors. Known for OpenAI's models, whose v3 ones can be told to return
            shorter vectors; asked of the server with one short call for others.
        base_url: As for `OpenAIChat`.
        api_key: As for `OpenAIChat`.
        timeout: Seconds for one attempt.
        max_retries: Further attempts after a failure that may pass; the client pauses between them.
        batch_size: Texts in one request.
        max_tokens: The model's window.
        query_prefix: Put in front of questions.
        document_prefix: Put in front of what is stored.
        query_model: Name under which the server embeds questions, where that is another one.
        document_model: Name under which it embeds what is stored.

    Raises:
        InvalidInputError: no API key where one is needed, or a number out of range.
    """

    def __init__(
        self,
        model: str = "text-embedding-3-small",
        *,
        dim: int | None = None,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout: float = 30.0,
        max_retries: int = 2,
        batch_size: int = 256,
        max_tokens: int = 8191,
        query_prefix: str = "",
        document_prefix: str = "",
        query_model: str | None = None,
        document_model: str | None = None,
    ) -> None:
        if batch_size < 1 or max_tokens < 1 or (dim is not None and dim < 1):
            raise InvalidInputError("batch_size, max_tokens and dim must be at least 1")
        self._client = openai.OpenAI(**client_options(base_url, api_key, timeout, max_retries))
        self._endpoint = endpoint_of(self._client, model)
        self._model = model
        self._query_model = query_model or model
        self._document_model = document_model or model
        self._query_prefix = query_prefix
        self._document_prefix = document_prefix
        self._batch_size = batch_size
        self._max_tokens = max_tokens
        known = _KNOWN_DIMS.get(model)
        self._dim = Dimension(model, dim or known, lambda texts: self._request(self._document_model, texts))
        self._extra: dict[str, Any] = (
            {"dimensions": dim} if model in _SHORTENABLE and dim not in (None, known) else {}
        )

    @property
    def dim(self) -> int:
        """Length of a vector; the first use may ask the server.

        Raises:
            ModelError: the server had to be asked and did not answer.
        """
        return self._dim.get()

    @property
    def max_tokens(self) -> int:
        """The model's window."""
        return self._max_tokens

    @property
    def fingerprint(self) -> EmbedderFingerprint:
        """The model, not the server: the same model has the same vectors elsewhere."""
        return EmbedderFingerprint(
            model=self._model,
            dim=self.dim,
            query_prefix=self._query_prefix,
            document_prefix=self._document_prefix,
        )

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors of texts to be found, shape (len(texts), dim).

        Raises:
            ModelError: no answer, or one of another shape.
        """
        return self._embed(self._document_model, self._document_prefix, texts)

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """As `embed_documents`, for questions."""
        return self._embed(self._query_model, self._query_prefix, texts)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _embed(self, model: str, prefix: str, texts: Sequence[str]) -> NDArray[np.float32]:
        inputs = [self._input(prefix + text) for text in texts]
        rows: list[list[float]] = []
        for batch in _batches(inputs, self._batch_size):
            rows += self._request(model, batch)
        return check_vectors(rows, len(inputs), self.dim, embedder=self._endpoint)

    def _input(self, text: str) -> str:
        limit = self._max_tokens * _BYTES_PER_TOKEN
        cut = well_formed(text).encode()[: min(limit, _BYTES_PER_REQUEST)].decode(errors="ignore")
        return cut if cut.strip() else "."  # an empty input is refused

    def _request(self, model: str, batch: list[str]) -> list[list[float]]:
        try:
            # "float" is said, because the client asks for base64, which not every server knows.
            answer = self._client.embeddings.create(
                model=model, input=batch, encoding_format="float", **self._extra
            )
        except openai.OpenAIError as error:
            raise translate(error, self._endpoint) from error
        except ValueError as error:  # a body that is not JSON, or without data
            raise not_this_protocol(self._endpoint) from error
        data = getattr(answer, "data", None) or []
        rows = {row.index: row.embedding for row in data}
        if sorted(rows) != list(range(len(batch))):
            raise not_this_protocol(self._endpoint)
        return [rows[index] for index in range(len(batch))]


def _batches(texts: list[str], most: int) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for text in texts:
        length = len(text.encode())
        if batch and (len(batch) == most or size + length > _BYTES_PER_REQUEST):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += length
    if batch:
        yield batch
