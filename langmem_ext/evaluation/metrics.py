"""What a ranking is worth: figures of one question, each 0..1 and higher is better.

A passage counts once, however many rows it was cut into. `ranked` holds ids, best first.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence


def recall_at(ranked: Sequence[str], relevant: Collection[str], k: int) -> float:
    """Share of the relevant passages among the first k rows."""
    return len(set(ranked[:k]) & set(relevant)) / len(relevant)


def all_at(ranked: Sequence[str], relevant: Collection[str], k: int) -> float:
    """1 if the first k rows hold all of them."""
    return float(set(relevant) <= set(ranked[:k]))


def reciprocal_rank(ranked: Sequence[str], relevant: Collection[str]) -> float:
    """1 / rank of the first relevant row; 0 without one."""
    return next((1 / rank for rank, name in enumerate(ranked, start=1) if name in relevant), 0.0)


def ndcg_at(ranked: Sequence[str], relevant: Collection[str], k: int) -> float:
    """Discounted gain of the first k rows, of the greatest possible; relevant is 1, all else 0."""
    seen: set[str] = set()
    gain = 0.0
    for rank, name in enumerate(ranked[:k], start=1):
        if name in relevant and name not in seen:
            gain += 1 / math.log2(rank + 1)
        seen.add(name)
    best = sum(1 / math.log2(rank + 1) for rank in range(1, min(len(relevant), k) + 1))
    return gain / best


def recall_within(
    ranked: Sequence[str], tokens: Sequence[int], relevant: Collection[str], budget: int
) -> float:
    """Share of the relevant passages in a block of at most so many tokens.

    As `context()` fills it: a row goes in whole or not at all, and after one that does not fit the next,
    perhaps shorter one is tried.
    """
    left, inside = budget, set[str]()
    for name, size in zip(ranked, tokens, strict=True):
        if size <= left:
            left -= size
            inside.add(name)
    return len(inside & set(relevant)) / len(relevant)


def newer_first(ranked: Sequence[str], relevant: Collection[str], outdated: Collection[str]) -> float:
    """1 if the first relevant row stands before the first outdated one."""
    first: Mapping[str, int] = {name: -rank for rank, name in enumerate(ranked)}
    current = max((first[name] for name in relevant if name in first), default=-len(ranked) - 1)
    old = max((first[name] for name in outdated if name in first), default=-len(ranked))
    return float(current > old)
