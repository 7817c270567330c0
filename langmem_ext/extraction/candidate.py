"""What an extractor hands over: candidates for memories, before anything is looked up or stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from langmem_ext.items import FrozenDict, LearningError, MemoryType, Metadata, Outcome, Source, Usage
from langmem_ext.messages import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One memory that an extractor proposes.

    Attributes:
        content: The sentence to remember, in the speaker's language.
        memory_type: "semantic", "episodic" or "procedural".
        key: A single-valued attribute (`residence.city`), or None.
        source: The message and the quoted words that show it.
        valid_from: Since when it is true; None means since it was said. Never in the future.
        valid_until: Until when it is true; None means until something replaces it.
        replaces: The number (from 1) of the shown neighbour that this one makes outdated.
        correction: The replaced statement was never true, rather than no longer true.
        importance: 0..1, or None.
        metadata: The application's own fields.
    """

    content: str
    memory_type: MemoryType = "semantic"
    key: str | None = None
    source: Source
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    replaces: int | None = None
    correction: bool = False
    importance: float | None = None
    metadata: Metadata = field(default_factory=FrozenDict)


@dataclass(frozen=True, slots=True)
class Extraction:
    """What came out of one conversation turn. `rejected` holds outcomes with action "rejected"."""

    candidates: tuple[Candidate, ...] = ()
    rejected: tuple[Outcome, ...] = ()
    usage: Usage = Usage()
    error: LearningError | None = None


@dataclass(frozen=True, slots=True)
class ExtractionRequest:
    """What an extractor sees: new messages, what is known around them, and when it was said.

    Attributes:
        messages: The turn, redacted; context of the assistant included.
        neighbours: Contents of this user's related memories; number n is `neighbours[n - 1]`.
        observed_at: When it was said, in the speaker's own time zone.
    """

    messages: tuple[Message, ...]
    neighbours: tuple[str, ...]
    observed_at: datetime


class Extractor(Protocol):
    """Reads a conversation turn. Failures are values (`Extraction.error`), never exceptions."""

    @property
    def window(self) -> int | None:
        """How many tokens of messages it reads at once; longer conversations come in windows. None: all."""

    def extract(self, request: ExtractionRequest) -> Extraction:
        """What the turn holds that is worth keeping."""

    async def aextract(self, request: ExtractionRequest) -> Extraction:
        """As `extract`."""


def user_messages(messages: Sequence[Message]) -> list[Message]:
    """The messages whose words are evidence: what people said, not the assistant."""
    return [message for message in messages if message.role == "user"]
