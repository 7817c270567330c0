"""What is wrong when Chroma fails and the data are fine."""

from __future__ import annotations

import re
from typing import Final

_TOLD: Final = {
    r"(?:disk|device) is full|no space left|file too large|quota": (
        "the disk is full. Free some space and repeat it"
    ),
    r"readonly|read-only|permission denied|access is denied": (
        "it is read-only. Give this process write access to all of its files"
    ),
    r"disk i/o error": "the disk does not take it. It is full, or failing",
    r"too many open files": "too many files are open. Close some, or raise the limit (ulimit -n)",
    r"database (?:table )?is locked": "its database is locked. Another program has it open; close that one",
}
_LONGEST_CHAIN: Final = 5  # errors that caused each other


def circumstance(error: BaseException) -> str | None:
    """What to do about an error that comes from the surroundings; None where it may be the data."""
    texts: list[str] = []
    cause: BaseException | None = error
    while cause is not None and len(texts) < _LONGEST_CHAIN:
        texts.append(str(cause))
        cause = cause.__cause__ or cause.__context__
    said = "\n".join(texts)
    return next((told for words, told in _TOLD.items() if re.search(words, said, re.IGNORECASE)), None)


def raise_unless_chroma(error: BaseException) -> None:
    """Raise what is no failure of Chroma's: an interrupt, an exit. A panic in its Rust is no `Exception`."""
    if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
        raise error
