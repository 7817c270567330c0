"""Vectors kept in a file between runs: the same texts are embedded once."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from langmem_ext import Embedder

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from langmem_ext.ports import Vectors

_BATCH = 256


class CachedEmbedder:
    """An embedder that looks texts up before it computes. The latency of what is looked up means nothing."""

    def __init__(self, embedder: Embedder, folder: Path) -> None:
        self._embedder = embedder
        self._folder = folder
        self._vectors: dict[str, dict[str, NDArray[np.float32]]] = {}
        self.dim = embedder.dim
        self.max_tokens = embedder.max_tokens
        self.fingerprint = embedder.fingerprint
        folder.mkdir(parents=True, exist_ok=True)

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._looked_up("documents", texts, self._embedder.embed_documents)

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._looked_up("queries", texts, self._embedder.embed_queries)

    def _looked_up(
        self, kind: str, texts: Sequence[str], embed: Callable[[Sequence[str]], Vectors]
    ) -> NDArray[np.float32]:
        known = self._known(kind)
        new = sorted({text for text in texts if _key(text) not in known}, key=lambda text: (len(text), text))
        for start in range(0, len(new), _BATCH):
            part = new[start : start + _BATCH]
            rows = np.asarray(embed(part), dtype=np.float32)
            known.update(zip(map(_key, part), rows, strict=True))
        if new:
            np.savez(self._file(kind), keys=np.array(list(known)), rows=np.stack(list(known.values())))
        return np.stack([known[_key(text)] for text in texts])

    def _known(self, kind: str) -> dict[str, NDArray[np.float32]]:
        if kind not in self._vectors:
            self._vectors[kind] = {}
            if self._file(kind).exists():
                with np.load(self._file(kind)) as saved:
                    self._vectors[kind] = dict(zip(saved["keys"].tolist(), saved["rows"], strict=True))
        return self._vectors[kind]

    def _file(self, kind: str) -> Path:
        name = self.fingerprint.model.replace("/", "_")
        return self._folder / f"{name}.{kind}.npz"


def _key(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()
