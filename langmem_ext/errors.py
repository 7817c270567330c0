"""The errors of langmem_ext. Each message says what happened and what to do next.

LangMemExtError
├── InvalidInputError (ValueError)       an argument is wrong; nothing was stored
│   ├── InvalidUserError (TypeError)     a user id that is not a non-blank string
│   └── InvalidFilterError               an operator or value that filters do not know
├── MemoryNotFoundError (LookupError)    no such memory under this user
├── MissingDependencyError (ImportError) an optional package is not installed
├── EmbedderMismatchError                the store was written with another embedder
├── ModelError                           the LLM or the embedder could not answer
│   └── UnsupportedReplyFormatError      the server refuses this way of asking for JSON
└── StorageError                         the store could not read or write
├── StoreLockedError                 another process holds the directory
└── StoreClosedError                 used after close()
"""

from __future__ import annotations

from typing import Literal, get_args

ModelErrorKind = Literal[
    "auth",  # 401, 403: the key is wrong; never retried
    "rate_limit",  # 429
    "timeout",
    "unavailable",  # 5xx, connection refused
    "bad_request",  # 400, 404, 422: this request cannot succeed as it is
    "empty_reply",
    "bad_reply",  # not JSON, or JSON of another shape
    "truncated",  # the reply was cut by the token limit
    "refused",  # the model declined
    "unexpected",  # a failure that the model's own class did not translate
]
RETRYABLE_KINDS = frozenset({"rate_limit", "timeout", "unavailable", "empty_reply"})


class LangMemExtError(Exception):
    """Base of every error that langmem_ext raises on purpose."""


class InvalidInputError(LangMemExtError, ValueError):
    """An argument is wrong. Nothing was stored or changed."""


class InvalidUserError(InvalidInputError, TypeError):
    """A user id must be a non-blank string."""


class InvalidFilterError(InvalidInputError):
    """A filter uses an operator, a field or a value that does not exist."""


class MemoryNotFoundError(LangMemExtError, LookupError):
    """This user has no memory with this id. An id of another user looks the same."""

    def __init__(self, memory_id: str) -> None:
        super().__init__(
            f"this user has no memory {memory_id!r}; ids come from search(), list_memories() or add()"
        )
        self.memory_id = memory_id


class MissingDependencyError(LangMemExtError, ImportError):
    """An optional package is missing; the message holds the command that installs it."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(
            f'{purpose} needs the package {package}. Install it with: pip install "langmem-ext[{extra}]" '
            f'(in a clone: pip install ".[{extra}]")'
        )
        self.package = package
        self.extra = extra


class EmbedderMismatchError(LangMemExtError):
    """The vectors in the store were made by another embedder than the one given."""


class ModelError(LangMemExtError):
    """The LLM or the embedder could not answer.

    `kind` is one of `ModelErrorKind`; `retryable` says whether the same call may succeed later.
    """

    def __init__(self, message: str, *, kind: ModelErrorKind, retryable: bool | None = None) -> None:
        super().__init__(message)
        if kind not in get_args(ModelErrorKind):
            raise ValueError(f"unknown kind {kind!r}")
        self.kind: ModelErrorKind = kind
        self.retryable = kind in RETRYABLE_KINDS if retryable is None else retryable


class UnsupportedReplyFormatError(ModelError):
    """The server does not know `json_schema` or `json_object`; plain text may work."""

    def __init__(self, message: str) -> None:
        super().__init__(message, kind="bad_request", retryable=False)


class StorageError(LangMemExtError):
    """The store could not read or write. The message names the path or the server."""


class StoreLockedError(StorageError):
    """Another process (or the parent of this one) holds the data directory."""


class StoreClosedError(StorageError):
    """The memory was used after close(), or closed meanwhile."""

    def __init__(self) -> None:
        super().__init__("this memory was closed; open a new LongTermMemory")
