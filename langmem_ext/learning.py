"""From a conversation to memories: prepare, extract, propose, commit.

The steps are the same for `add` and `aadd`; the doors differ only in how they wait for each.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta, tzinfo
from typing import TYPE_CHECKING, Final, Literal

from langmem_ext.embedding import CheckedEmbedder
from langmem_ext.errors import InvalidInputError, ModelError
from langmem_ext.extraction.candidate import Candidate, Extraction, ExtractionRequest, user_messages
from langmem_ext.extraction.replacing import may_replace
from langmem_ext.extraction.rules import worth_a_call
from langmem_ext.extraction.windows import windows
from langmem_ext.items import AddResult, MemoryItem, Outcome, Scope, Usage, as_utc
from langmem_ext.messages import Message, MessagesLike, message_id_for, parse_messages
from langmem_ext.ports import Clock
from langmem_ext.reconciliation import Proposal, is_current
from langmem_ext.redaction import redact, stored_form
from langmem_ext.redaction_dialogue import redact_dialogue
from langmem_ext.text import normalise
from langmem_ext.tokens import estimate_tokens
from langmem_ext.turns import Turn, check_key, dropped, failed, turn_id
from langmem_ext.workspace import DeletionGuard, Workspace

if TYPE_CHECKING:
    from langmem_ext.ports import Vector

_BLANKS: Final = re.compile(r"[^\S\n]+")
_MAX_NEIGHBOURS: Final = 10
_MAX_NEIGHBOUR_QUERIES: Final = 16
_CLOCK_SKEW: Final = timedelta(days=1)


class Learner:
    """The steps around the extractor."""

    def __init__(
        self,
        workspace: Workspace,
        embedder: CheckedEmbedder,
        *,
        clock: Clock,
        new_id: Callable[[], str],
        timezone: tzinfo,
        window: int | None,
    ) -> None:
        self._workspace = workspace
        self._embedder = embedder
        self._clock = clock
        self._new_id = new_id
        self._timezone = timezone
        self._window = window

    def read(
        self,
        scope: Scope,
        messages: MessagesLike,
        observed_at: datetime | str | float | None,
        idempotency_key: str | None,
    ) -> tuple[tuple[Message, ...], datetime]:
        """The redacted messages, and when they were said.

        Raises:
            InvalidInputError: messages, time or key that cannot be read.
        """
        check_key(idempotency_key)
        parsed = parse_messages(messages)
        # Odd spacing must not hide a secret: what is stored has single spaces.
        said = redact_dialogue([_BLANKS.sub(" ", message.content) for message in parsed])
        read = tuple(_redacted(message, content) for message, content in zip(parsed, said, strict=True))
        return read, self._observed(observed_at)

    def turns(
        self,
        scope: Scope,
        messages: MessagesLike,
        observed_at: datetime | str | float | None,
        idempotency_key: str | None,
        guard: DeletionGuard,
        ticket: str | None = None,
    ) -> list[Turn]:
        """A conversation as turns that are learned one after the other: one, unless it is long.

        Raises:
            InvalidInputError: messages, time or key that cannot be read.
        """
        read, when = self.read(scope, messages, observed_at, idempotency_key)
        parts = windows(read, self._window) if self._window is not None else [read]
        return [
            Turn(
                scope,
                ExtractionRequest(part, (), when),
                (),
                turn_id(scope, part, when, idempotency_key, number),
                None if ticket is None else f"{ticket}-{number}",
                guard,
                # What a window gave may be replaced by a later window of the same conversation.
                once=idempotency_key is not None or len(parts) > 1,
            )
            for number, part in enumerate(parts)
        ]

    def prepare(self, turn: Turn) -> Turn | AddResult:
        """The turn with what is known around it, or the result where there is nothing to ask."""
        if not turn.guard.holds_here():
            return AddResult("nothing", (dropped(),), message_ids=turn.message_ids)
        if not worth_a_call(turn.request.messages):
            return AddResult("nothing", _secrets(turn.request.messages), message_ids=turn.message_ids)
        turn.guard.note_shared()
        if (known := self._learned_before(turn)) is not None:
            return known
        try:
            return self._with_related(turn)
        except ModelError as error:
            return failed(error, turn.message_ids)

    def check(self, extraction: Extraction) -> Extraction:
        """Without the candidates that the embedder could not read to the end."""
        fitting, rejected = [], list(extraction.rejected)
        for candidate in extraction.candidates:
            if estimate_tokens(candidate.content) <= self._embedder.max_tokens:
                fitting.append(candidate)
            else:
                rejected.append(Outcome("rejected", reason="invalid: longer than the embedder can read"))
        return replace(extraction, candidates=tuple(fitting), rejected=tuple(rejected))

    def propose(self, turn: Turn, extraction: Extraction) -> list[Proposal] | AddResult:
        """Embedded proposals, or the result where there are none."""
        if extraction.error is not None:
            return AddResult(
                "failed", extraction.rejected, extraction.error, extraction.usage, turn.message_ids
            )
        if not extraction.candidates:
            return AddResult("nothing", extraction.rejected, None, extraction.usage, turn.message_ids)
        try:
            vectors = self._embedder.documents([candidate.content for candidate in extraction.candidates])
        except ModelError as error:
            return replace(failed(error, turn.message_ids), usage=extraction.usage)
        pairs = zip(extraction.candidates, vectors, strict=True)
        return [_proposal(turn, candidate, vector) for candidate, vector in pairs]

    def commit(self, turn: Turn, extraction: Extraction, proposals: Sequence[Proposal]) -> AddResult:
        """Reconcile and store. On the user's strand."""
        if not turn.guard.still_holds():
            outcomes = tuple(dropped() for _ in proposals)
            return AddResult("nothing", outcomes, None, extraction.usage, turn.message_ids)
        if (known := self._learned_before(turn)) is not None:
            return replace(known, usage=extraction.usage)
        gone = set(turn.guard.deleted_sources())
        kept = [p for p in proposals if gone.isdisjoint(part.message_id for part in p.source)]
        reason = "delete_source() came after this turn was handed in"
        skipped = [Outcome("skipped", reason=reason)] * (len(proposals) - len(kept))
        plan = self._workspace.commit(turn.scope.user_id, kept, now=self._clock(), new_id=self._new_id)
        outcomes = (*plan.outcomes, *skipped, *extraction.rejected)
        status: Literal["learned", "nothing"] = "learned" if kept else "nothing"
        return AddResult(status, outcomes, None, extraction.usage, turn.message_ids)

    def _observed(self, observed_at: datetime | str | float | None) -> datetime:
        """When it was said, in the zone that the caller gave, else in the configured one."""
        now = self._clock()
        if observed_at is None:
            return now.astimezone(self._timezone)
        when = as_utc(observed_at, "observed_at")
        if when > now + _CLOCK_SKEW:
            raise InvalidInputError(f"observed_at={when.isoformat()} is in the future")
        given = datetime.fromisoformat(observed_at) if isinstance(observed_at, str) else observed_at
        zone = given.tzinfo if isinstance(given, datetime) else self._timezone
        return min(when, now).astimezone(zone)

    def _learned_before(self, turn: Turn) -> AddResult | None:
        """The result of the same turn, where what came of it still stands.

        Without a key of the caller's, a turn whose memories were replaced or deleted since counts
        as said again. With one, a turn counts as new only when all that came of it was deleted.
        """
        rows = self._workspace.store.find(turn.scope.user_id, {"turn_ids": {"$in": list(turn.names)}})
        now = self._clock()
        once = turn.once or any(turn.ticket_id in row.turn_ids for row in rows)  # a crash came before `done`
        if not rows or not (once or all(_stands(row.item, now) for row in rows)):
            return None
        outcomes = tuple(Outcome("touched", row.item, reason="this turn was learned before") for row in rows)
        return AddResult("learned", outcomes, None, Usage(), turn.message_ids)

    def _with_related(self, turn: Turn) -> Turn:
        """The turn with the memories nearest to what the user said."""
        index, allowed = self._workspace.candidates(turn.scope.user_id, self._clock(), None, current=True)
        if not allowed.any():
            return turn
        said = [message.content for message in user_messages(turn.request.messages)]
        vectors = self._embedder.queries(said[-_MAX_NEIGHBOUR_QUERIES:])
        best = index.cosines(vectors.T).max(axis=1)
        nearest = [row for row in best.argsort(kind="stable")[::-1] if allowed[row]][:_MAX_NEIGHBOURS]
        items = [index.rows[row].item for row in nearest]
        request = replace(turn.request, neighbours=tuple(item.content for item in items))
        return replace(turn, request=request, neighbour_ids=tuple(item.memory_id for item in items))


def _secrets(messages: Sequence[Message]) -> tuple[Outcome, ...]:
    """What was taken out of a turn that held nothing else worth a call."""
    kinds = [kind for message in messages for kind in redact(message.content).kinds]
    return tuple(Outcome("rejected", reason=f"sensitive: {kind}") for kind in kinds)


def _stands(item: MemoryItem, now: datetime) -> bool:
    """Whether a row is still what its turn made it: valid, or stored as history from the first."""
    return is_current(item, now) or item.updated_at == item.created_at


def checked_content(content: object, max_tokens: int) -> str:
    """A text to remember, redacted and in the stored form.

    Raises:
        InvalidInputError: not a string, blank, or longer than the embedder can read: the end
            would be stored and never found.
    """
    if not isinstance(content, str):
        raise InvalidInputError(f"content must be a string, not {type(content).__name__}")
    text = stored_form(content)
    if not text:
        raise InvalidInputError("content is blank; there is nothing to remember")
    if (tokens := estimate_tokens(text)) > max_tokens:
        raise InvalidInputError(
            f"content has about {tokens} tokens, the embedder reads {max_tokens}: split it into single facts"
        )
    return text


def _redacted(message: Message, content: str) -> Message:
    """The message with its redacted content: no prompt, row, log or id made from it holds a secret."""
    speaker = redact(normalise(message.speaker)).text
    derived = message_id_for(message.role, message.speaker, message.content) == message.message_id
    fresh = message_id_for(message.role, speaker, content)
    return replace(
        message, content=content, speaker=speaker, message_id=fresh if derived else message.message_id
    )


def _proposal(turn: Turn, candidate: Candidate, vector: Vector) -> Proposal:
    observed_at = turn.request.observed_at.astimezone(UTC)
    return Proposal(
        scope=turn.scope,
        content=candidate.content,
        vector=vector,
        memory_type=candidate.memory_type,
        observed_at=observed_at,
        key=candidate.key,
        importance=candidate.importance,
        metadata=candidate.metadata,
        # A date of today stands for its noon, which may be still to come; a fact is true when it is said.
        valid_from=min(candidate.valid_from or observed_at, observed_at),
        valid_until=candidate.valid_until,
        source=(candidate.source,),
        replaces=_replaced(turn, candidate),
        correction=candidate.correction,
        turn_ids=turn.names,
    )


def _replaced(turn: Turn, candidate: Candidate) -> str | None:
    """The id of the neighbour that the model named, where it was shown one that this may replace."""
    number = candidate.replaces
    if number is None or not 1 <= number <= len(turn.neighbour_ids):
        return None
    known = turn.request.neighbours[number - 1]
    return turn.neighbour_ids[number - 1] if may_replace(candidate, known) else None
