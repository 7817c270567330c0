"""Turns through mem0, in a process and an environment of its own."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PYTHON = Path(__file__).parents[1] / ".venv-mem0/bin/python"  # `make bench` puts it there
NOTHING = json.dumps({"memory": []})

_CHILD = Path(__file__).with_name("mem0_child.py")
_SECONDS = 180
# Nothing else of this environment: a key or a proxy in it would send the child elsewhere.
_PASSED_ON = ("PATH", "SYSTEMROOT", "TMPDIR", "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")


class NotMeasuredError(Exception):
    """mem0 could not be run; the message says why."""


@dataclass(frozen=True, slots=True)
class Request:
    """A turn for mem0, and under which name its LLM shall ask."""

    model: str
    turn: Sequence[tuple[str, str]]
    memories: Sequence[str]

    def as_dict(self) -> dict[str, Any]:
        turn = [{"role": role, "content": text} for role, text in self.turn]
        return {"model": self.model, "turn": turn, "memories": list(self.memories)}


def add_to_mem0(requests: Sequence[Request], base_url: str, dim: int, python: Path) -> str:
    """Add each turn to a new store of mem0's whose user has these memories.

    Args:
        requests: The turns.
        base_url: A server with chats and embeddings, the latter of `dim` numbers.
        dim: How many.
        python: The interpreter of an environment with mem0.

    Returns:
        mem0's version.

    Raises:
        NotMeasuredError: it is not installed, or failed.
    """
    if not python.exists():
        raise NotMeasuredError("it is not installed; `make bench` makes .venv-mem0")
    wanted = {"base_url": base_url, "dim": dim, "cases": [request.as_dict() for request in requests]}
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = subprocess.run(
                [python, "-I", _CHILD, folder],
                input=json.dumps(wanted),
                capture_output=True,
                text=True,
                timeout=_SECONDS,
                env={name: os.environ[name] for name in _PASSED_ON if name in os.environ},
            )
        except subprocess.TimeoutExpired:
            raise NotMeasuredError(f"it took more than {_SECONDS} s") from None
        except OSError as error:
            raise NotMeasuredError(f"{python} does not run: {error.strerror}") from error
    if done.returncode != 0:
        raise NotMeasuredError(f"it failed: {(done.stderr.strip().splitlines() or ['no message'])[-1]}")
    try:
        return str(json.loads(done.stdout.splitlines()[-1])["version"])
    except (IndexError, KeyError, TypeError, ValueError):
        raise NotMeasuredError("it did not say its version") from None
