"""LlamaIndex's embedding models behind the core's port."""

from __future__ import annotations

from typing import Any

import pytest
from llama_index.core.embeddings import BaseEmbedding, MockEmbedding
from pydantic import PrivateAttr

from langmem_ext import EmbedderMismatchError, InvalidInputError, LongTermMemory, ModelError
from langmem_ext.ports import Embedder
from langmem_ext.testing import FakeEmbedder
from llama_index_langmem_ext import LlamaIndexEmbedder
from tests.integrations.llama_index.vendor_errors import ERRORS
from tests.support.memories import OpenMemory


class Vectors(BaseEmbedding):
    """Tells questions from texts, and may fail."""

    query_instruction: str | None = None
    max_length: int | None = None
    _fake: FakeEmbedder = PrivateAttr(default_factory=lambda: FakeEmbedder(dim=64))
    _error: Exception | None = PrivateAttr(default=None)
    _seen: list[tuple[str, str]] = PrivateAttr(default_factory=list)

    @property
    def seen(self) -> list[tuple[str, str]]:
        return self._seen

    def failing(self, error: Exception) -> Vectors:
        self._error = error
        return self

    def _vector(self, kind: str, text: str) -> list[float]:
        self._seen.append((kind, text))
        if self._error is not None:
            raise self._error
        return self._fake.embed_documents([text])[0]

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._vector("query", query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        raise AssertionError("the core embeds in threads of its own")

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._vector("text", text)


def test_any_embedding_model_serves_a_memory(open_memory: OpenMemory) -> None:
    model = Vectors(model_name="vectors")
    memory = open_memory(embedder=LlamaIndexEmbedder(model))
    user = memory.for_user("ann")
    user.remember_many(["The user likes tea", "The user lives in Lyon"])
    assert user.search("likes tea")[0].content == "The user likes tea"
    assert ("query", "likes tea") in model.seen and ("text", "The user likes tea") in model.seen


def test_another_model_is_refused_by_the_store(open_memory: OpenMemory, tmp_path: Any) -> None:
    open_memory(tmp_path / "db", embedder=LlamaIndexEmbedder(Vectors(model_name="one"))).close()
    open_memory(tmp_path / "db", embedder=LlamaIndexEmbedder(Vectors(model_name="one"))).close()
    for other in (
        LlamaIndexEmbedder(Vectors(model_name="two")),
        LlamaIndexEmbedder(Vectors(model_name="one", query_instruction="query: ")),
        LlamaIndexEmbedder(Vectors(model_name="one"), model="mine"),
    ):
        with pytest.raises(EmbedderMismatchError):
            open_memory(tmp_path / "db", embedder=other)


def test_what_an_embedder_says_of_itself() -> None:
    embedder = LlamaIndexEmbedder(Vectors(model_name="vectors", max_length=256, query_instruction="query: "))
    assert (embedder.dim, embedder.max_tokens) == (64, 256)
    assert embedder.fingerprint.as_dict() == {
        "model": "vectors",
        "dim": 64,
        "normalised": True,
        "query_prefix": "query: ",
        "document_prefix": "",
    }
    model = Vectors(model_name="vectors")
    known = LlamaIndexEmbedder(model, dim=64, max_tokens=99)
    assert (known.dim, known.max_tokens, known.fingerprint.dim, model.seen) == (64, 99, 64, [])
    assert LlamaIndexEmbedder(model).max_tokens == 512
    assert isinstance(known, Embedder)


def test_mistakes_are_told_when_it_is_made() -> None:
    with pytest.raises(InvalidInputError, match="pass model="):
        LlamaIndexEmbedder(MockEmbedding(embed_dim=3))
    assert LlamaIndexEmbedder(MockEmbedding(embed_dim=3), model="mock").dim == 3
    with pytest.raises(InvalidInputError, match="embed_model must be"):
        LlamaIndexEmbedder(FakeEmbedder())  # type: ignore[arg-type]
    with pytest.raises(InvalidInputError, match="at least 1"):
        LlamaIndexEmbedder(Vectors(model_name="one"), dim=0)


@pytest.mark.parametrize(("error", "kind"), ERRORS)
def test_an_embedder_fails_with_a_kind(error: Exception, kind: str) -> None:
    embedder = LlamaIndexEmbedder(Vectors(model_name="vectors").failing(error), dim=64)
    for embed in (embedder.embed_documents, embedder.embed_queries):
        with pytest.raises(ModelError) as caught:
            embed(["tea"])
        assert caught.value.kind == kind
        assert "Lyon" not in str(caught.value)


def test_a_memory_without_its_embedder_says_so() -> None:
    with pytest.raises(ModelError):
        LongTermMemory(embedder=LlamaIndexEmbedder(Vectors(model_name="v").failing(TimeoutError())))
