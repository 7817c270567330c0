"""Notices work that blocks an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import wraps
from typing import Any

from langmem_ext.state import Outbox
from langmem_ext.stores.chroma import ChromaStore
from langmem_ext.testing import FakeEmbedder

WORK: list[tuple[type, str]] = [
    *((ChromaStore, name) for name in ("write", "read", "find", "find_ids", "delete", "users")),
    (FakeEmbedder, "embed_documents"),
    (FakeEmbedder, "embed_queries"),
    (Outbox, "put"),
]


def watch(replace: Callable[[type, str, Any], None] = setattr) -> list[str]:
    """The names of calls that block a loop are put into the list, from now on.

    Args:
        replace: As `setattr`, or `monkeypatch.setattr`.
    """
    blocking: list[str] = []
    for owner, name in WORK:
        replace(owner, name, _watched(owner, name, blocking))
    return blocking


def _watched(owner: type, name: str, blocking: list[str]) -> Callable[..., Any]:
    method = getattr(owner, name)

    @wraps(method)
    def watched(*args: Any, **kwargs: Any) -> Any:
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            pass
        else:
            blocking.append(f"{owner.__name__}.{name}")
        return method(*args, **kwargs)

    return watched
