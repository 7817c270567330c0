"""Short ways to write what the tests of the doors write again and again."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from langmem_ext import AddResult, LongTermMemory, MemoryStore, UserMemory
from langmem_ext.testing import FakeEmbedder
from langmem_ext.testing.store_contract.examples import START as START  # where a ManualClock stands at first
from langmem_ext.testing.store_contract.examples import row as row

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


def contents(found: Iterable[Any]) -> list[str]:
    """The texts of memories, hits or rows, in order."""
    return [getattr(entry, "item", entry).content for entry in found]


def listed(user: UserMemory, **options: Any) -> list[str]:
    """The texts of all current memories."""
    return contents(user.list_memories(limit=1000, **options).memories)


def actions(result: AddResult) -> list[str]:
    """What became of the candidates."""
    return [outcome.action for outcome in result.outcomes]


def soon(condition: Callable[[], bool], within: float = 20.0) -> None:
    """Wait until something is so."""
    until = time.monotonic() + within
    while not condition():
        assert time.monotonic() < until, "it did not happen"
        time.sleep(0.01)


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
