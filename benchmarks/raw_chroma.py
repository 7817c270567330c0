"""What one would write without this package: one Chroma collection for everybody, and a filter."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import chromadb
from chromadb.config import Settings


class RawChroma:
    """A directory with one collection; every row carries its `user_id`."""

    def __init__(self, path: Path) -> None:
        # Any: the protocol that it is typed as has no close().
        self._client: Any = chromadb.PersistentClient(str(path), Settings(anonymized_telemetry=False))
        self._collection = self._client.get_or_create_collection(
            "memories", embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
        )

    def add(self, user_id: str, texts: Sequence[str], vectors: Any) -> None:
        """Store texts in one batch."""
        self._collection.add(
            ids=[f"{user_id}-{number}" for number in range(len(texts))],
            documents=list(texts),
            embeddings=vectors,
            metadatas=[{"user_id": user_id} for _ in texts],
        )

    def query(self, user_id: str, vector: Any, top_k: int = 5) -> list[str]:
        """The texts of one user nearest to a vector."""
        answer = self._collection.query(
            query_embeddings=[vector], n_results=top_k, where={"user_id": user_id}
        )
        return (answer["documents"] or [[]])[0]

    def close(self) -> None:
        self._client.close()

    def __enter__(self) -> RawChroma:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()
