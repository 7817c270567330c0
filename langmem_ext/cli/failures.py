"""What ends a command: its exit code, and one line that says what to do."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from langmem_ext.errors import (
    EmbedderMismatchError,
    InvalidInputError,
    LangMemExtError,
    MemoryNotFoundError,
    StoreLockedError,
)


class Exit(IntEnum):
    """Exit codes; the texts are those of the help."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    NOT_FOUND = 3
    NOT_CONFIRMED = 4
    IN_USE = 5
    INTERRUPTED = 130


MEANINGS: Final = {
    Exit.DONE: "done; finding or learning nothing is fine too",
    Exit.FAILED: "failed: the store, the LLM or the embedder, or a package is missing",
    Exit.USAGE: "wrong options, input or configuration; nothing was changed",
    Exit.NOT_FOUND: "no store there, or no such memory of this user",
    Exit.NOT_CONFIRMED: "nothing was deleted: not confirmed, or it is not clear what is meant",
    Exit.IN_USE: "another process has the store open; later it may work",
    Exit.INTERRUPTED: "interrupted (Ctrl-C)",
}


class NoStoreError(LangMemExtError):
    """There is no store where one is to be read."""


class NotConfirmedError(LangMemExtError):
    """A deletion was not confirmed. Nothing was deleted."""


def exit_code(error: LangMemExtError) -> Exit:
    """The code for an error."""
    codes = (
        ((NoStoreError, MemoryNotFoundError), Exit.NOT_FOUND),
        ((NotConfirmedError,), Exit.NOT_CONFIRMED),
        ((StoreLockedError,), Exit.IN_USE),
        ((InvalidInputError,), Exit.USAGE),
    )
    return next((code for classes, code in codes if isinstance(error, classes)), Exit.FAILED)


def advice(error: LangMemExtError) -> str:
    """The error for somebody who has commands and no methods."""
    if isinstance(error, MemoryNotFoundError):
        return f"this user has no memory {error.memory_id!r}; langmem-ext list shows the ids"
    if isinstance(error, EmbedderMismatchError):
        return f"{error}. Here: name the first one under [embedder] in a file and pass it as --config"
    return str(error)
