from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, tzinfo
from typing import Any

from langmem_ext.extraction.candidate import Candidate, ExtractionRequest
from langmem_ext.extraction.reply import parse_candidates
from langmem_ext.extraction.rules import RuleExtractor
from langmem_ext.messages import MessagesLike, parse_messages

NOW = datetime(2024, 2, 14, 10, tzinfo=UTC)  # a Wednesday


def request(
    messages: MessagesLike,
    *,
    neighbours: Sequence[str] = (),
    now: datetime = NOW,
    zone: tzinfo | None = None,
) -> ExtractionRequest:
    """A turn as the door hands it to an extractor."""
    local = now.astimezone(zone) if zone else now
    return ExtractionRequest(tuple(parse_messages(messages)), tuple(neighbours), local)


def learned(text: MessagesLike, **options: Any) -> list[Candidate]:
    """What the rules make of a turn."""
    return list(RuleExtractor().extract(request(text, **options)).candidates)


def contents(text: MessagesLike, **options: Any) -> list[str]:
    return [candidate.content for candidate in learned(text, **options)]


def parsed(said: MessagesLike, *entries: object, **options: Any) -> tuple[list[Candidate], list[str]]:
    """The candidates and the reasons of rejection for a reply with these entries."""
    candidates, rejected = parse_candidates({"memories": list(entries)}, request(said, **options))
    return candidates, [outcome.reason or "" for outcome in rejected]
