"""Ways to run the command line: inside this process, or as the command that it is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

PROJECT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "langmem_ext"]


@dataclass(frozen=True)
class Done:
    """What a command left."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as one JSON document."""
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        """Standard output as JSON lines."""
        return [json.loads(line) for line in self.out.splitlines()]


Run: TypeAlias = Callable[..., Done]


# A locale and an encoding that do not know the characters; the user is a Chinese one.
ODD: Mapping[str, str] = {"PYTHONIOENCODING": "latin-1", "LC_ALL": "C", "LANGMEM_EXT_USER": "安"}


def environment(**changes: str) -> Mapping[str, str]:
    """This process's with odd encodings, and without what would configure the command."""
    configured = ("LANGMEM_EXT_", "OPENAI_", "PYTHONUTF8")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(configured)}
    path = os.pathsep.join([str(PROJECT), str(PROJECT / "integrations")])
    return {**kept, **ODD, "PYTHONPATH": path, **changes}


def run_command(*arguments: str, stdin: bytes = b"", folder: Path | None = None) -> Done:
    """The command in a process of its own; stdin is a pipe."""
    done = subprocess.run(
        [*COMMAND, *arguments],
        input=stdin,
        capture_output=True,
        env=environment(),
        cwd=folder,
        timeout=120,
        check=False,
    )
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    return Done(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))
