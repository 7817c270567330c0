"""The recall log: what was asked for and what came back, in numbers and ids, never in words."""

from __future__ import annotations

import hashlib
import logging
import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from langmem_ext.errors import InvalidInputError

_log = logging.getLogger("langmem_ext.recall")


@dataclass(frozen=True, slots=True)
class RecallRecord:
    """One recall.

    Attributes:
        recall_id: As in the `RecallResult`.
        operation: "search", "context", …
        top_k: How many were asked for.
        returned: How many came back.
        user_hash: `hash_user(user_id)`.
        similarities: Of the hits, in order; None where the query could not be embedded.
        scores: Of the hits, in order.
        timings: Milliseconds by step.
        degraded: The parts that were unavailable.
        query: The words of the query; kept only by a log with `keep_queries=True`.
    """

    recall_id: str
    operation: str
    top_k: int
    returned: int
    user_hash: str | None = None
    similarities: tuple[float | None, ...] = ()
    scores: tuple[float, ...] = ()
    timings: Mapping[str, float] = field(default_factory=dict)
    degraded: tuple[str, ...] = ()
    query: str | None = field(default=None, repr=False)


class RecallLog:
    """The last recalls, in RAM. Safe to use from several threads.

    Each recall is also one INFO line of the logger `langmem_ext.recall`; neither it nor, unless
    `keep_queries` is on, the record holds any text of a user.
    """

    def __init__(self, keep_queries: bool = False, size: int = 1000) -> None:
        """Keep the last `size` records; with `keep_queries` the words of the query too."""
        if type(size) is not int or size < 1:  # True is no size
            raise InvalidInputError(f"size must be an integer of at least 1, got {size!r}")
        self.keep_queries = keep_queries
        self._records: deque[RecallRecord] = deque(maxlen=size)
        self._lock = threading.Lock()

    def append(self, record: RecallRecord) -> None:
        """Keep the record and log one line about it."""
        kept = replace(
            record, timings=dict(record.timings), query=record.query if self.keep_queries else None
        )
        with self._lock:
            self._records.append(kept)
        _log.info(
            "recall %s: operation=%s user=%s top_k=%d returned=%d best=%s total_ms=%s degraded=%s",
            kept.recall_id,
            kept.operation,
            kept.user_hash,
            kept.top_k,
            kept.returned,
            f"{kept.scores[0]:.3f}" if kept.scores else None,
            f"{kept.timings['total']:.1f}" if "total" in kept.timings else None,
            ",".join(kept.degraded) or None,
        )

    def records(self) -> tuple[RecallRecord, ...]:
        """The records kept, oldest first."""
        with self._lock:
            return tuple(self._records)


def hash_user(user_id: str) -> str:
    """A short stable name for a user in logs: 16 hexadecimal digits.

    It keeps ids out of sight, not secret: who knows the ids can compute it.
    """
    return hashlib.blake2b(user_id.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
