"""Doubles for your own tests: an LLM that follows a script, an embedder, a clock and ids without chance.

None of them needs a network, a model or a test framework.
"""

from __future__ import annotations

import hashlib
import itertools
import math
import re
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple, TypeAlias

from langmem_ext.errors import InvalidInputError
from langmem_ext.ports import ChatMessage, ChatReply, EmbedderFingerprint, ReplySchema
from langmem_ext.text import comparison_key

ScriptedReply: TypeAlias = (
    "str | ChatReply | Exception | Callable[[Sequence[ChatMessage], ReplySchema | None], str | ChatReply]"
)

# A run of letters and digits is a word; a Chinese character is one by itself.
_WORD = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]|[^\W_\u3400-\u9fff\uf900-\ufaff]+")


class ScriptExhaustedError(BaseException):
    """The code under test called the LLM more often than the script has replies.

    No `Exception`, because `add()` handles those of an LLM: the test must fail instead of seeing an outage.
    """


class ScriptedCall(NamedTuple):
    """One call of a `ScriptedChatModel`."""

    messages: tuple[ChatMessage, ...]
    schema: ReplySchema | None


class ScriptedChatModel:
    """A `ChatModel` that answers from a list, in order. Safe to use from several threads.

    Attributes:
        calls: What it was asked, in order.
    """

    def __init__(self, replies: Iterable[ScriptedReply] = (), *, name: str = "scripted") -> None:
        """Take the replies.

        Args:
            replies: A text, a whole `ChatReply`, an exception to raise, or a function of
                (messages, schema) that returns or raises one of these.
            name: What `name` says.
        """
        if isinstance(replies, str):
            raise InvalidInputError("replies must be a list of replies, not one string")
        self._name = name
        self._replies = list(replies)
        self._lock = threading.Lock()
        self.calls: list[ScriptedCall] = []

    @property
    def name(self) -> str:
        """The name given."""
        return self._name

    @property
    def remaining(self) -> int:
        """How many replies were not used yet."""
        with self._lock:
            return max(0, len(self._replies) - len(self.calls))

    def complete(self, messages: Sequence[ChatMessage], schema: ReplySchema | None) -> ChatReply:
        """The next reply of the script.

        Raises:
            ScriptExhaustedError: there is none left.
        """
        with self._lock:
            self.calls.append(ScriptedCall(tuple(messages), schema))
            number = len(self.calls)
            if number > len(self._replies):
                raise ScriptExhaustedError(
                    f"call {number} of {self._name!r}, but the script has {len(self._replies)} replies; "
                    "add one to ScriptedChatModel([...]) or find out why the model is called again"
                )
            reply = self._replies[number - 1]
        # Outside the lock: a function may call the model again, or wait for another thread that does.
        if not isinstance(reply, str | ChatReply | Exception):
            reply = reply(messages, schema)
        if isinstance(reply, Exception):
            raise reply
        return ChatReply(reply) if isinstance(reply, str) else reply

    async def acomplete(self, messages: Sequence[ChatMessage], schema: ReplySchema | None) -> ChatReply:
        """As `complete`."""
        return self.complete(messages, schema)


class FakeEmbedder:
    """An `Embedder` in which texts are similar when they share words (Chinese: characters).

    A text is the bag of its words, each hashed to one axis, scaled to length 1: the cosine of two texts is
    0 without a common word (but for rare collisions) and 1 for the same words. Equal on every machine.

    Attributes:
        calls: How many times it was called.
        texts: All texts it was given, in order.
        error: Set it to an exception to play an outage; None ends it.
    """

    max_tokens = 8192

    def __init__(
        self,
        dim: int | None = None,
        vectors: Mapping[str, Sequence[float]] | None = None,
        name: str = "fake",
    ) -> None:
        """Make an embedder.

        Args:
            dim: Length of a vector; by default that of `vectors`, or else 256.
            vectors: Vectors of particular texts; scaled to length 1. All other texts are hashed.
            name: The model's name in the fingerprint.
        """
        given = dict(vectors or {})
        lengths = {len(vector) for vector in given.values()}
        self.dim = dim if dim is not None else max(lengths, default=256)
        if self.dim < 1 or lengths - {self.dim}:
            raise InvalidInputError(f"all vectors must have {self.dim} >= 1 numbers, got {sorted(lengths)}")
        self._vectors = {text: _unit(vector) for text, vector in given.items()}
        self._lock = threading.Lock()
        self.fingerprint = EmbedderFingerprint(model=name, dim=self.dim)
        self.calls = 0
        self.texts: list[str] = []
        self.error: Exception | None = None

    def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        """One unit vector per text, shape (len(texts), dim)."""
        with self._lock:
            self.calls += 1
            self.texts.extend(texts)
        if self.error is not None:
            raise self.error
        return [list(self._vectors[text]) if text in self._vectors else self._hashed(text) for text in texts]

    def embed_queries(self, texts: Sequence[str]) -> list[list[float]]:
        """As `embed_documents`."""
        return self.embed_documents(texts)

    def _hashed(self, text: str) -> list[float]:
        counts = [0.0] * self.dim
        for word in _WORD.findall(comparison_key(text)) or [text]:
            digest = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()
            counts[int.from_bytes(digest) % self.dim] += 1.0
        return _unit(counts)


class ManualClock:
    """A `Clock` that stands still until a test moves it."""

    def __init__(self, start: datetime | None = None) -> None:
        """Start at this aware datetime; by default at 2026-01-01 00:00 UTC."""
        start = datetime(2026, 1, 1, tzinfo=UTC) if start is None else start
        if start.tzinfo is None:
            raise InvalidInputError("start has no time zone; add one, such as tzinfo=UTC")
        self._lock = threading.Lock()
        self._now = start.astimezone(UTC)

    def __call__(self) -> datetime:
        """The time it stands at."""
        with self._lock:
            return self._now

    def advance(self, by: float | timedelta) -> datetime:
        """Move on by seconds or a timedelta (backwards when negative); returns the new time."""
        step = by if isinstance(by, timedelta) else timedelta(seconds=by)
        with self._lock:
            self._now += step
            return self._now


class SequentialIds:
    """Makes ids in order: "id-0001", "id-0002", … Safe to use from several threads."""

    def __init__(self, prefix: str = "id-") -> None:
        """Put this in front of each number."""
        self._prefix = prefix
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()

    def __call__(self) -> str:
        """The next id."""
        with self._lock:
            return f"{self._prefix}{next(self._numbers):04d}"


def _unit(vector: Sequence[float]) -> list[float]:
    length = math.sqrt(sum(value * value for value in vector))
    if not length > 0 or math.isinf(length):
        raise InvalidInputError("a vector must have a direction: finite numbers, not all zero")
    return [value / length for value in vector]
