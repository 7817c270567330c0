"""Long-term memory for LLM applications: learned from conversations, kept in Chroma, one user at a time.

    from langmem_ext import LongTermMemory

    memory = LongTermMemory(path="./memory_db")
    user = memory.for_user("u-1001")

Names are loaded when they are first used (PEP 562), so that importing the package costs next to
nothing and needs neither chromadb nor a framework.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:  # the same names as in _HOMES, for type checkers and editors
    from langmem_ext.errors import EmbedderMismatchError as EmbedderMismatchError
    from langmem_ext.errors import InvalidFilterError as InvalidFilterError
    from langmem_ext.errors import InvalidInputError as InvalidInputError
    from langmem_ext.errors import InvalidUserError as InvalidUserError
    from langmem_ext.errors import LangMemExtError as LangMemExtError
    from langmem_ext.errors import MemoryNotFoundError as MemoryNotFoundError
    from langmem_ext.errors import MissingDependencyError as MissingDependencyError
    from langmem_ext.errors import ModelError as ModelError
    from langmem_ext.errors import StorageError as StorageError
    from langmem_ext.errors import StoreClosedError as StoreClosedError
    from langmem_ext.errors import StoreLockedError as StoreLockedError
    from langmem_ext.errors import UnsupportedReplyFormatError as UnsupportedReplyFormatError
    from langmem_ext.items import UNCHANGED as UNCHANGED
    from langmem_ext.items import AddResult as AddResult
    from langmem_ext.items import ForgetAnswer as ForgetAnswer
    from langmem_ext.items import HistoryEvent as HistoryEvent
    from langmem_ext.items import LearningError as LearningError
    from langmem_ext.items import MemoryItem as MemoryItem
    from langmem_ext.items import Outcome as Outcome
    from langmem_ext.items import Page as Page
    from langmem_ext.items import RecalledContext as RecalledContext
    from langmem_ext.items import RecallResult as RecallResult
    from langmem_ext.items import Scope as Scope
    from langmem_ext.items import ScoredMemory as ScoredMemory
    from langmem_ext.items import Signals as Signals
    from langmem_ext.items import Source as Source
    from langmem_ext.items import Usage as Usage
    from langmem_ext.memory import LongTermMemory as LongTermMemory
    from langmem_ext.messages import Message as Message
    from langmem_ext.models import OpenAIChat as OpenAIChat
    from langmem_ext.models import OpenAIEmbedder as OpenAIEmbedder
    from langmem_ext.models import PackagedE5Embedder as PackagedE5Embedder
    from langmem_ext.models import SentenceTransformerEmbedder as SentenceTransformerEmbedder
    from langmem_ext.models import default_embedder as default_embedder
    from langmem_ext.observability import RecallRecord as RecallRecord
    from langmem_ext.ports import ChatMessage as ChatMessage
    from langmem_ext.ports import ChatModel as ChatModel
    from langmem_ext.ports import ChatReply as ChatReply
    from langmem_ext.ports import Clock as Clock
    from langmem_ext.ports import Embedder as Embedder
    from langmem_ext.ports import EmbedderFingerprint as EmbedderFingerprint
    from langmem_ext.ports import MemoryStore as MemoryStore
    from langmem_ext.ports import ReplySchema as ReplySchema
    from langmem_ext.ports import StoredMemory as StoredMemory
    from langmem_ext.ports import TokenCounter as TokenCounter
    from langmem_ext.queued_turns import FailedTurn as FailedTurn
    from langmem_ext.queued_turns import Ticket as Ticket
    from langmem_ext.receipts import DeletionReceipt as DeletionReceipt
    from langmem_ext.receipts import ErasureReceipt as ErasureReceipt
    from langmem_ext.receipts import FlushReport as FlushReport
    from langmem_ext.receipts import ImportReport as ImportReport
    from langmem_ext.receipts import RepairReport as RepairReport
    from langmem_ext.receipts import SweepReport as SweepReport
    from langmem_ext.record_rows import FoundRecord as FoundRecord
    from langmem_ext.record_rows import NewRecord as NewRecord
    from langmem_ext.record_rows import Record as Record
    from langmem_ext.record_rows import RecordName as RecordName
    from langmem_ext.user_memory import UserMemory as UserMemory

_HOMES = {
    "memory": ("LongTermMemory",),
    "user_memory": ("UserMemory",),
    "items": (
        "UNCHANGED",
        "AddResult",
        "ForgetAnswer",
        "HistoryEvent",
        "LearningError",
        "MemoryItem",
        "Outcome",
        "Page",
        "RecallResult",
        "RecalledContext",
        "Scope",
        "ScoredMemory",
        "Signals",
        "Source",
        "Usage",
    ),
    "messages": ("Message",),
    "ports": (
        "ChatMessage",
        "ChatModel",
        "ChatReply",
        "Clock",
        "Embedder",
        "EmbedderFingerprint",
        "MemoryStore",
        "ReplySchema",
        "StoredMemory",
        "TokenCounter",
    ),
    "models": (
        "OpenAIChat",
        "OpenAIEmbedder",
        "PackagedE5Embedder",
        "SentenceTransformerEmbedder",
        "default_embedder",
    ),
    "queued_turns": ("FailedTurn", "Ticket"),
    "receipts": (
        "DeletionReceipt",
        "ErasureReceipt",
        "FlushReport",
        "ImportReport",
        "RepairReport",
        "SweepReport",
    ),
    "record_rows": ("FoundRecord", "NewRecord", "Record", "RecordName"),
    "observability": ("RecallRecord",),
    "errors": (
        "EmbedderMismatchError",
        "InvalidFilterError",
        "InvalidInputError",
        "InvalidUserError",
        "LangMemExtError",
        "MemoryNotFoundError",
        "MissingDependencyError",
        "ModelError",
        "StorageError",
        "StoreClosedError",
        "StoreLockedError",
        "UnsupportedReplyFormatError",
    ),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = ["__version__", *_HOME_OF]


if not TYPE_CHECKING:  # a type checker would take it for "every name exists"

    def __getattr__(name: str) -> object:
        """Load a public name from its module and keep it."""
        home = _HOME_OF.get(name)
        if home is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f"{__name__}.{home}"), name)
        globals()[name] = value
        return value


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext langmem_ext`: the magics `%memory`, `%remember`, `%recall` and `%%chat`."""
    import_module(f"{__name__}.notebook.magics").load(shell)


def unload_ipython_extension(shell: Any) -> None:
    """`%unload_ext langmem_ext`."""
    import_module(f"{__name__}.notebook.magics").unload(shell)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
