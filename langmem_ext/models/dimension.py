"""The length of a model's vectors, for models that do not tell it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from langmem_ext.errors import ModelError

Embed = Callable[[list[str]], Sequence[Sequence[float]]]


class Dimension:
    """Known from the start, or found out with one short text when it is first needed.

    Safe to use from several threads: the model is asked once.
    """

    def __init__(self, model: str, dim: int | None, embed: Embed) -> None:
        """Take what is known, and whom to ask."""
        self._model = model
        self._dim = dim
        self._embed = embed
        self._lock = threading.Lock()

    def get(self) -> int:
        """The length.

        Raises:
            ModelError: the model had to be asked and did not answer, or with nothing.
        """
        with self._lock:
            if self._dim is None:
                vectors = self._embed(["dimension"])
                if len(vectors) == 0 or len(vectors[0]) == 0:
                    raise ModelError(f"{self._model} returned no vector", kind="bad_reply")
                self._dim = len(vectors[0])
            return self._dim
