"""The values that users see: memories, what came of an `add`, what a search found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import Enum
from typing import Any, Final, Literal, NoReturn, TypeAlias, overload

from langmem_ext.display import shown
from langmem_ext.errors import InvalidInputError, InvalidUserError, ModelErrorKind
from langmem_ext.json_values import to_json
from langmem_ext.text import is_well_formed

MemoryType = Literal["semantic", "episodic", "procedural"]
MEMORY_TYPES: Final[tuple[MemoryType, ...]] = ("semantic", "episodic", "procedural")
# A day inside what datetime can hold in every time zone; the last year stands for "never" in the store.
_FIRST_YEAR: Final = 2
_LAST_YEAR: Final = 9997
Action = Literal["added", "replaced", "merged", "touched", "skipped", "rejected", "pending"]
Metadata: TypeAlias = Mapping[str, Any]
Filters: TypeAlias = Mapping[str, Any]


class FrozenDict(dict[str, Any]):
    """A dict that cannot be changed, so that a memory can be shared; it pickles and copies as usual."""

    def _refuse(self, *args: object, **kwargs: object) -> NoReturn:
        raise TypeError("a memory's metadata cannot be changed here; use update(memory_id, metadata=…)")

    __setitem__ = __delitem__ = clear = pop = popitem = setdefault = update = __ior__ = _refuse

    def __reduce__(self) -> tuple[type[FrozenDict], tuple[dict[str, Any]]]:
        return FrozenDict, (dict(self),)


class Unchanged(Enum):
    """The type of `UNCHANGED`: the default of `update()`, because None means "remove"."""

    UNCHANGED = "UNCHANGED"

    def __repr__(self) -> str:
        return "UNCHANGED"


UNCHANGED: Final = Unchanged.UNCHANGED


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose memories: one user, and two labels that are written beside what is learned.

    The labels narrow a search only where a filter asks for them.
    """

    user_id: str
    agent_id: str | None = None
    session_id: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.user_id, str):
            raise InvalidUserError(
                f"user_id must be a string, not {type(self.user_id).__name__}; pass str(user_id) "
                "everywhere, so that 42 and '42' are one user"
            )
        if not self.user_id.strip():
            raise InvalidUserError("user_id is blank; every memory belongs to one named user")
        for name in ("user_id", "agent_id", "session_id"):
            value = getattr(self, name)
            if value is None:
                continue
            if not isinstance(value, str) or not value.strip():
                raise InvalidInputError(f"{name} must be a non-blank string or None, got {value!r}")
            if not is_well_formed(value):
                raise InvalidInputError(f"{name} holds half of a surrogate pair; pass valid Unicode")


@dataclass(frozen=True, slots=True)
class Source:
    """Where a memory came from: the message, who said it, and the words that show it."""

    message_id: str
    speaker: str
    quote: str


@shown("item")
@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryItem:
    """One memory of one user. All times are aware UTC datetimes.

    Attributes:
        memory_id: Unique among this user's memories; kept by `update()`.
        user_id: The owner.
        content: The sentence that goes into a prompt.
        memory_type: "semantic" (facts, preferences), "episodic" (what happened) or "procedural".
        metadata: The caller's own fields.
        created_at: When this version was first stored; `updated_at` when it last changed.
        last_accessed_at, access_count: Recall statistics, written in batches by `flush()`.
        expires_at: From this instant on it is returned no more, but for `as_of` an earlier time and
            `include_expired=True`.
        agent_id, session_id: Labels of the handle that wrote it.
        key: Names a single-valued attribute (`residence.city`), so that a new value replaces the old.
        importance: 0..1; None when nobody judged it.
        valid_from, valid_until: When the fact was true, [from, until).
        recorded_at, retracted_at: When it was last said, and when it was taken back; a correction
            retracts.
        supersedes: Ids of the versions that this one replaced.
        superseded_by: The id of the version that replaced this one.
        source: The utterances it was learned from.
    """

    memory_id: str
    user_id: str
    content: str
    memory_type: MemoryType
    metadata: Metadata = field(default_factory=FrozenDict, hash=False)
    created_at: datetime
    updated_at: datetime
    last_accessed_at: datetime | None = None
    access_count: int = 0
    expires_at: datetime | None = None
    agent_id: str | None = None
    session_id: str | None = None
    key: str | None = None
    importance: float | None = None
    valid_from: datetime
    valid_until: datetime | None = None
    recorded_at: datetime
    retracted_at: datetime | None = None
    supersedes: tuple[str, ...] = ()
    superseded_by: str | None = None
    source: tuple[Source, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """All fields as JSON has them: times as ISO 8601 in UTC, sources as [message id, speaker, quote]."""
        record = {name: _plain(getattr(self, name)) for name in self.__dataclass_fields__}
        record["source"] = [[part.message_id, part.speaker, part.quote] for part in self.source]
        return record

    def is_valid_at(self, when: datetime) -> bool:
        """Whether the fact, as far as is known now, held at this instant."""
        return (
            self.retracted_at is None
            and self.valid_from <= when
            and (self.valid_until is None or when < self.valid_until)
            and (self.expires_at is None or when < self.expires_at)
        )


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that LLM calls took, as the server reported them."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
        )


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one candidate.

    Attributes:
        action: added, replaced (a new version retired an older one), touched (it was known
            already), rejected (see `reason`) or skipped (the user deleted everything meanwhile);
            merged and pending are reserved.
        memory: The row as it stands now; None when the candidate was rejected.
        previous: What it replaced.
        reason: For rejections a short code first: "unsupported: …", "sensitive: …", "invalid: …".
    """

    action: Action
    memory: MemoryItem | None = None
    previous: MemoryItem | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class LearningError:
    """Why nothing could be learned. `retryable`: the same call may succeed later."""

    kind: ModelErrorKind
    message: str
    retryable: bool


@shown("added")
@dataclass(frozen=True, slots=True)
class AddResult:
    """What came of one `add()`.

    Attributes:
        status: "learned" (at least one memory was stored, changed or confirmed), "nothing" (there was
            nothing to learn) or "failed".
        outcomes: One per candidate: what was stored, in the order of extraction, then what was rejected.
        error: Set exactly when the status is "failed".
        usage: Calls and tokens; zero calls when the rules saw nothing worth one.
        message_ids: The ids of the messages that were read, given or made.
    """

    status: Literal["learned", "nothing", "failed"]
    outcomes: tuple[Outcome, ...] = ()
    error: LearningError | None = None
    usage: Usage = Usage()
    message_ids: tuple[str, ...] = ()

    @property
    def memories(self) -> tuple[MemoryItem, ...]:
        """The memories that were added, replaced or touched."""
        return tuple(outcome.memory for outcome in self.outcomes if outcome.memory is not None)


@shown("forgotten")
@dataclass(frozen=True, slots=True)
class ForgetAnswer:
    """What came of a `forget()`.

    Attributes:
        status: "deleted"; "confirm" (several memories may be meant, or none clearly: ask the user and pass
            the ids as `confirm_ids`); "no_match"; "everything" (the text asks for all of them: ask the
            user and call `delete_all()`); "no_request" (it asks for nothing to be forgotten).
        deleted: The memories that are gone; each with all of its versions.
        candidates: Those to ask about, best first.
    """

    status: Literal["deleted", "confirm", "no_match", "everything", "no_request"]
    deleted: tuple[MemoryItem, ...] = ()
    candidates: tuple[MemoryItem, ...] = ()


@dataclass(frozen=True, slots=True)
class Signals:
    """What a score was made of.

    Attributes:
        cosine: Of query and memory; None when there is none.
        dense_rank: Its place by cosine alone, from 1.
        keyword_score: BM25 of the memory's own words; `keyword_rank` its place by that alone, None
            without a common word.
        context_score: BM25 of the memory with its neighbours in the session.
        contributions: What each signal added to the logarithm of the score, by name; see
            `langmem_ext.retrieval.weights.WEIGHTS`.
        relevance: How much more it has to do with the query than chance; only where that was asked.
    """

    cosine: float | None
    dense_rank: int | None
    keyword_score: float
    keyword_rank: int | None
    context_score: float = 0.0
    contributions: Mapping[str, float] = field(default_factory=dict, hash=False)
    relevance: float | None = None


@shown("scored")
@dataclass(frozen=True, slots=True)
class ScoredMemory:
    """A recalled memory.

    Attributes:
        memory: The memory.
        score: Orders a result: 0..1, higher is better, 1 for the best; 0.5 is half as likely as that
            one to be what was asked for. Comparable within one result only.
        similarity: (1 + cosine) / 2 of query and memory, 0..1; None when the query could not be
            embedded. `min_similarity` tests this.
        signals: What the score was made of.
    """

    memory: MemoryItem
    score: float
    similarity: float | None
    signals: Signals

    @property
    def memory_id(self) -> str:
        """Id of the memory."""
        return self.memory.memory_id

    @property
    def content(self) -> str:
        """Text of the memory."""
        return self.memory.content

    def explain(self) -> dict[str, Any]:
        """Every signal by name, for a log or a table."""
        return {
            "memory_id": self.memory_id,
            "score": self.score,
            "similarity": self.similarity,
            "cosine": self.signals.cosine,
            "dense_rank": self.signals.dense_rank,
            "keyword_score": self.signals.keyword_score,
            "keyword_rank": self.signals.keyword_rank,
            "context_score": self.signals.context_score,
            "relevance": self.signals.relevance,
            "contributions": dict(self.signals.contributions),
        }


@shown("recall")
@dataclass(frozen=True, slots=True)
class RecallResult(Sequence[ScoredMemory]):
    """What a search found, best first.

    Attributes:
        memories: The hits.
        recall_id: Names this recall in the log.
        timings: Milliseconds by step: "load", "embed", "rank", "total".
        degraded: The parts that were unavailable, such as ("dense",); empty when all is well.
        withheld: How many memories came near but had nothing to do with the query, and are left out:
            only where `relevant_only` asks for that.
    """

    memories: tuple[ScoredMemory, ...] = ()
    recall_id: str = ""
    timings: Mapping[str, float] = field(default_factory=dict, compare=False)
    degraded: tuple[str, ...] = ()
    withheld: int = 0

    @overload
    def __getitem__(self, index: int) -> ScoredMemory: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[ScoredMemory, ...]: ...
    def __getitem__(self, index: int | slice) -> ScoredMemory | tuple[ScoredMemory, ...]:
        return self.memories[index]

    def __len__(self) -> int:
        return len(self.memories)


@shown("context")
@dataclass(frozen=True, slots=True)
class RecalledContext:
    """Memories as a block for a prompt.

    Attributes:
        text: The block, or "" when nothing was recalled. Pass it as a template *value*; braces in
            it are left as they are.
        memories: Those in the block, best first.
        left_out: How many recalled memories did not fit into the budget.
        recall_id: Of the search behind it.
        degraded, withheld: As in `RecallResult`.
    """

    text: str
    memories: tuple[ScoredMemory, ...] = ()
    left_out: int = 0
    recall_id: str = ""
    degraded: tuple[str, ...] = ()
    withheld: int = 0

    def __str__(self) -> str:
        return self.text

    @property
    def template_text(self) -> str:
        """The block with doubled braces, for pasting into an f-string style template itself."""
        return self.text.replace("{", "{{").replace("}", "}}")


@shown("page")
@dataclass(frozen=True, slots=True)
class Page:
    """A page of memories in the order in which they were stored; `cursor` fetches the next one."""

    memories: tuple[MemoryItem, ...]
    cursor: str | None = None

    def __iter__(self) -> Iterator[MemoryItem]:
        return iter(self.memories)

    def __len__(self) -> int:
        return len(self.memories)


@shown("event")
@dataclass(frozen=True, slots=True)
class HistoryEvent:
    """One step in the life of a memory: the version, and what happened with it when."""

    at: datetime
    action: Literal["recorded", "superseded", "retracted"]
    memory: MemoryItem


@shown("history")
class History(list[HistoryEvent]):
    """What happened to a fact, oldest first."""


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    return list(value) if isinstance(value, tuple) else to_json(value)


def as_utc(value: datetime | str | float, name: str) -> datetime:
    """An aware UTC datetime from a datetime, an ISO 8601 string or epoch seconds.

    Raises:
        InvalidInputError: a datetime or string without a zone, or something else; names the argument.
    """
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError as error:
            raise InvalidInputError(f"{name}={value!r} is no ISO 8601 time") from error
    if isinstance(value, bool) or not isinstance(value, datetime | int | float):
        raise InvalidInputError(
            f"{name} must be an aware datetime, an ISO 8601 string or epoch seconds, "
            f"not {type(value).__name__}"
        )
    if not isinstance(value, datetime):
        try:
            value = datetime.fromtimestamp(value, UTC)
        except (ValueError, OverflowError, OSError) as error:
            raise InvalidInputError(f"{name}={value!r} is outside the range of times") from error
    if value.tzinfo is None:
        raise InvalidInputError(f"{name}={value.isoformat()} has no time zone; add one, such as +00:00")
    if not _FIRST_YEAR <= value.year <= _LAST_YEAR:
        raise InvalidInputError(f"{name}={value.isoformat()} is not between {_FIRST_YEAR} and {_LAST_YEAR}")
    return value.astimezone(UTC)
