"""What a user may bring: an LLM, an embedder, a store, a token counter, a clock."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, runtime_checkable

from langmem_ext.items import Filters, MemoryItem, Usage
from langmem_ext.receipts import ErasureReceipt, RepairReport

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector: TypeAlias = NDArray[np.float32]
    Vectors: TypeAlias = "Sequence[Sequence[float]] | NDArray[np.float32]"

TokenCounter: TypeAlias = Callable[[str], int]
Clock: TypeAlias = Callable[[], datetime]
EmbedTexts: TypeAlias = "Callable[[Sequence[str]], Vectors]"


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message to an LLM."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class ReplySchema:
    """How to ask for JSON: a JSON Schema that the server enforces, or just any JSON object."""

    name: str
    json_schema: Mapping[str, Any]
    mode: Literal["json_schema", "json_object"] = "json_schema"


@dataclass(frozen=True, slots=True)
class ChatReply:
    """An LLM's answer. `finish_reason` as OpenAI spells it: "stop", "length", "content_filter"."""

    text: str
    finish_reason: str = "stop"
    usage: Usage = Usage(calls=1)


@runtime_checkable
class ChatModel(Protocol):
    """An LLM. A model that ignores `schema` works: the prompt describes the JSON as well.

    Both methods raise `ModelError` when there is no answer, and `UnsupportedReplyFormatError` when
    the server refuses the schema's mode; `schema=None` asks for plain text.
    """

    @property
    def name(self) -> str:
        """Endpoint and model, for logs and for remembering what this endpoint can do."""

    def complete(self, messages: Sequence[ChatMessage], schema: ReplySchema | None) -> ChatReply:
        """One answer."""

    async def acomplete(self, messages: Sequence[ChatMessage], schema: ReplySchema | None) -> ChatReply:
        """As `complete`."""


@dataclass(frozen=True, slots=True)
class EmbedderFingerprint:
    """What must be equal for two vectors to be comparable. Written into the store when it is made."""

    model: str
    dim: int
    normalised: bool = True
    query_prefix: str = ""
    document_prefix: str = ""

    def as_dict(self) -> dict[str, Any]:
        """As it is written into the store card."""
        return asdict(self)

    def __str__(self) -> str:
        return f"{self.model} ({self.dim} dimensions)"


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into vectors. Implementations put their model's prefixes in front themselves."""

    @property
    def dim(self) -> int:
        """Length of a vector."""

    @property
    def max_tokens(self) -> int:
        """Longest input; what lies beyond is not seen."""

    @property
    def fingerprint(self) -> EmbedderFingerprint:
        """Names the vector space."""

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """One row per text, shape (len(texts), dim)."""

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """As `embed_documents`, for questions."""


@dataclass(frozen=True, slots=True)
class StoredMemory:
    """A row: the memory, the chain of versions it belongs to, and its unit vector."""

    item: MemoryItem
    chain_id: str
    vector: Vector
    turn_ids: tuple[str, ...] = ()  # the turns it was learned from, for "the same turn twice"
    sequence: float = 0.0  # orders listings; given by the store at the first write

    def accessed(self, count: int, when: datetime) -> StoredMemory:
        """The row after so many more recalls, the last one then."""
        count += self.item.access_count
        return replace(self, item=replace(self.item, access_count=count, last_accessed_at=when))


@runtime_checkable
class MemoryStore(Protocol):
    """Rows of all users. Every operation is limited to one user, by argument and not by filter.

    Filters use the language of `search(filters=…)`, over the caller's metadata, the fields of
    `MemoryItem` and the columns `chain_id`, `content_key`, `wording_key`, `turn_ids` and `sequence`.
    `valid_at` limits to the facts that held at that instant. Errors are `StorageError`s.
    """

    @property
    def shared(self) -> bool:
        """Whether other processes may write to it too; if so nothing of it is cached."""

    @property
    def fingerprint(self) -> EmbedderFingerprint:
        """Of the embedder that its vectors were made with."""

    def check(self) -> None:
        """Raise a StorageError where the store cannot be used any more; costs next to nothing."""

    def write(self, user_id: str, rows: Sequence[StoredMemory]) -> None:
        """Store full rows, replacing those with the same id; up to `WRITE_LIMIT` all or none."""

    def read(self, user_id: str, memory_ids: Sequence[str]) -> list[StoredMemory]:
        """The rows with these ids, in this order; unknown ids are left out."""

    def find(
        self,
        user_id: str,
        filters: Filters | None = None,
        *,
        valid_at: datetime | None = None,
        limit: int | None = None,
    ) -> list[StoredMemory]:
        """The rows that match, oldest write first; all of them without a limit."""

    def find_ids(
        self, user_id: str, filters: Filters | None = None, *, valid_at: datetime | None = None
    ) -> list[str]:
        """As `find`, ids only."""

    def delete(self, user_id: str, memory_ids: Sequence[str]) -> int:
        """Remove rows; returns how many there were. An empty list removes nothing."""

    def count_accesses(
        self, user_id: str, accesses: Mapping[str, tuple[int, datetime]]
    ) -> list[StoredMemory]:
        """Add to the access counts of rows that are there, and to no others; returns those rows.

        Args:
            user_id: The owner.
            accesses: Memory id -> how often it was recalled since, and when last.
        """

    def users(self, filters: Filters | None = None) -> list[str]:
        """All users that have rows (that match), sorted."""

    def exclusive(self, user_id: str) -> AbstractContextManager[None]:
        """Alone among all processes that change this user's rows: enter it to read and then write.

        Threads of one process queue up before they come here. Not to be entered twice.
        """

    def barrier(self, user_id: str) -> int:
        """Rises with every `raise_barrier`; what was begun under a lower one must not be stored."""

    def raise_barrier(self, user_id: str) -> None:
        """Let nothing that any process began before be stored any more. Inside `exclusive`."""

    def erase(self, user_id: str | None = None, deleted: Sequence[StoredMemory] = ()) -> ErasureReceipt:
        """Write anew what holds this user's rows, or all, so that the files keep nothing deleted.

        Args:
            user_id: Whose; None for everybody's.
            deleted: Rows of that user that are gone, to search the files for traces of them.
        """

    def repair(self, embed: EmbedTexts) -> RepairReport:
        """Build anew what cannot be read, from the texts and new vectors. What can be read stays.

        A StorageError where that cannot be done from here.
        """

    def close(self) -> None:
        """Give back files, sockets and threads. A second call does nothing."""


WRITE_LIMIT = 1000
# Of a fact said again and again: sources and turns that its row keeps.
MAX_SOURCES = 50
