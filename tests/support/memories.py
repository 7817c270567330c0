"""Short ways to write what the tests of the doors write again and again."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from langmem_ext import AddResult, LongTermMemory, MemoryItem, MemoryStore, StoredMemory, UserMemory
from langmem_ext.items import FrozenDict
from langmem_ext.testing import FakeEmbedder

START = datetime(2026, 1, 1, tzinfo=UTC)  # where a ManualClock stands at first
FINGERPRINT = FakeEmbedder().fingerprint
OpenMemory: TypeAlias = Callable[..., LongTermMemory]
OpenStore: TypeAlias = Callable[[], MemoryStore]
PROJECT = Path(__file__).parents[2]


def fact(text: str, quote: str | None = None, **fields: Any) -> dict[str, Any]:
    """One memory in an LLM's reply; without a quote the support is looked up in the messages."""
    return {"text": text, **({} if quote is None else {"quote": quote}), **fields}


def reply(*facts: dict[str, Any] | str) -> str:
    """An LLM's whole reply."""
    return json.dumps({"memories": list(facts)}, ensure_ascii=False)


def row(
    memory_id: str,
    content: str | None = None,
    *,
    user_id: str = "u1",
    chain_id: str | None = None,
    turn_ids: tuple[str, ...] = (),
    metadata: Mapping[str, Any] | None = None,
    **fields: Any,
) -> StoredMemory:
    """A full row with a vector of its own."""
    text = f"content of {memory_id}" if content is None else content
    times = {name: START for name in ("created_at", "updated_at", "valid_from", "recorded_at")}
    item = MemoryItem(
        memory_id=memory_id,
        user_id=user_id,
        content=text,
        memory_type=fields.pop("memory_type", "semantic"),
        metadata=FrozenDict(metadata or {}),
        **{**times, **fields},
    )
    vector = np.asarray(FakeEmbedder().embed_documents([text])[0], dtype=np.float32)
    return StoredMemory(item, chain_id or memory_id, vector, turn_ids)


def contents(found: Iterable[Any]) -> list[str]:
    """The texts of memories, hits or rows, in order."""
    return [getattr(entry, "item", entry).content for entry in found]


def listed(user: UserMemory, **options: Any) -> list[str]:
    """The texts of all current memories."""
    return contents(user.list_memories(limit=1000, **options).memories)


def actions(result: AddResult) -> list[str]:
    """What became of the candidates."""
    return [outcome.action for outcome in result.outcomes]


def run_python(
    code: str, *arguments: str, timeout: float = 60.0, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """A script in a fresh interpreter that finds this package."""
    return subprocess.run(
        python_command(code, *arguments),
        capture_output=True,
        text=True,
        timeout=timeout,
        env=env,
        cwd=PROJECT,
    )


def python_command(code: str, *arguments: str) -> Sequence[str]:
    """The command line of such a script."""
    return [sys.executable, "-c", textwrap.dedent(code), *arguments]
