"""Numbers that rows get at their first write: listings follow them, and pages have no gap."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import chromadb


class Sequences:
    """Rising numbers per collection, near the time of writing."""

    def __init__(self, *, shared: bool) -> None:
        """`shared`: other processes write too, so the user's rows are looked at each time."""
        self._shared = shared
        self._lock = threading.Lock()
        self._last: dict[str, float] = {}

    def above(self, collection: chromadb.Collection, user_id: str) -> Iterator[float]:
        """Numbers above those of all rows of this user."""
        name = str(collection.id)
        if name not in self._last or self._shared:
            # Only where a clock was set back, or that of another machine is ahead, are there any.
            ahead: dict[str, Any] = {"sequence": {"$gt": time.time()}}
            where: Any = {"$and": [{"user_id": user_id}, ahead]} if self._shared else ahead
            for columns in collection.get(where=where, include=["metadatas"])["metadatas"] or []:
                self._raise(name, float(columns["sequence"]))  # type: ignore[arg-type]
        while True:
            # Rises also where the clock stands still or was set back.
            yield self._raise(name, time.time())

    def _raise(self, name: str, least: float) -> float:
        with self._lock:
            self._last[name] = max(least, self._last.get(name, 0.0) + 1e-6)
            return self._last[name]
