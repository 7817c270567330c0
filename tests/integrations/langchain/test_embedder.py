"""LangChain's embeddings as the embedder of a memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langchain_core.embeddings import DeterministicFakeEmbedding, Embeddings

from langchain_langmem_ext import LangChainEmbedder
from langmem_ext import (
    Embedder,
    EmbedderFingerprint,
    EmbedderMismatchError,
    InvalidInputError,
    LongTermMemory,
    ModelError,
)
from langmem_ext.testing import FakeEmbedder


class Words(Embeddings):
    """Texts are similar when they share words; counts its calls."""

    model = "words-1"

    def __init__(self) -> None:
        self.inner = FakeEmbedder(dim=64)
        self.documents: list[list[str]] = []
        self.queries: list[str] = []
        self.error: Exception | None = None

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        if self.error is not None:
            raise self.error
        self.documents.append(texts)
        return self.inner.embed_documents(texts)

    def embed_query(self, text: str) -> list[float]:
        self.queries.append(text)
        return self.inner.embed_queries([text])[0]


def test_memories_are_found_by_their_vectors() -> None:
    words = Words()
    with LongTermMemory(embedder=LangChainEmbedder(words, dim=64)) as memory:
        user = memory.for_user("ann")
        user.remember_many(["The user likes green tea", "The user lives in Lyon"])
        hit = user.search("green tea", top_k=1)[0]
        assert hit.content == "The user likes green tea"
        assert hit.similarity is not None
    assert words.documents == [["The user likes green tea", "The user lives in Lyon"]]
    assert words.queries == ["green tea"]


def test_the_fingerprint_is_given_or_found_out() -> None:
    assert LangChainEmbedder(Words()).fingerprint == EmbedderFingerprint("words-1", 64)
    assert LangChainEmbedder(Words(), model="x", dim=64).fingerprint == EmbedderFingerprint("x", 64)
    words = Words()
    given = LangChainEmbedder(words, dim=64)
    assert given.dim == 64
    assert words.documents == []  # nothing was asked
    asked = LangChainEmbedder(words)
    assert [asked.dim, asked.dim] == [64, 64]
    assert len(words.documents) == 1


def test_another_model_is_refused_by_the_store(tmp_path: Path) -> None:
    LongTermMemory(tmp_path, embedder=LangChainEmbedder(Words())).close()
    LongTermMemory(tmp_path, embedder=LangChainEmbedder(Words())).close()
    with pytest.raises(EmbedderMismatchError, match=r"words-1.*words-2"):
        LongTermMemory(tmp_path, embedder=LangChainEmbedder(Words(), model="words-2"))


def test_embeddings_without_a_name_need_one() -> None:
    nameless = DeterministicFakeEmbedding(size=8)
    with pytest.raises(InvalidInputError, match=r"DeterministicFakeEmbedding.*model="):
        LangChainEmbedder(nameless)
    assert LangChainEmbedder(nameless, model="fake").fingerprint.dim == 8


def test_an_outage_has_a_kind_and_search_goes_on_by_word() -> None:
    class RateLimitError(Exception):
        status_code = 429

    words = Words()
    with LongTermMemory(embedder=LangChainEmbedder(words)) as memory:
        user = memory.for_user("ann")
        user.remember("The user likes green tea")
        words.error = RateLimitError("the user said …")
        with pytest.raises(ModelError, match="words-1") as raised:
            user.remember("Another")
        assert raised.value.kind == "rate_limit"
        assert "the user said" not in str(raised.value)


def test_a_wrong_dimension_is_told() -> None:
    with LongTermMemory(embedder=LangChainEmbedder(Words(), dim=32)) as memory:
        with pytest.raises(ModelError, match=r"\(1, 64\) where \(1, 32\)"):
            memory.for_user("ann").remember("x")


@pytest.mark.parametrize("options", [{"dim": 0}, {"max_tokens": 0}])
def test_numbers_are_positive(options: Any) -> None:
    with pytest.raises(InvalidInputError, match="at least 1"):
        LangChainEmbedder(Words(), **options)


@pytest.mark.parametrize("wrong", [None, "text-embedding-3-small", FakeEmbedder()])
def test_what_is_no_embeddings_object_is_refused_at_once(wrong: Any) -> None:
    with pytest.raises(InvalidInputError, match="embeddings must be"):
        LangChainEmbedder(wrong)


def test_it_is_the_port() -> None:
    assert isinstance(LangChainEmbedder(Words()), Embedder)
