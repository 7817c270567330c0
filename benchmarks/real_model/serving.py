"""Starts the small model, and ends it."""

from __future__ import annotations

import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

PYTHON = Path(__file__).parents[2] / ".venv-llm/bin/python"  # `make test-llm` puts it there
SERVER = Path(__file__).with_name("model_server.py")

_STARTING_SECONDS = 120
_ENDING_SECONDS = 10
_LINES_SHOWN = 5


@contextmanager
def small_model(python: Path = PYTHON) -> Iterator[str]:
    """The base URL of a server that runs until the end of the block.

    Raises:
        SystemExit: it did not start; the message holds the last lines that it wrote.
    """
    if not python.exists():
        raise SystemExit(f"{python} is not there: `make test-llm` makes it")
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as log:
        process = subprocess.Popen(
            [python, "-I", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True
        )
        try:
            yield f"{_address(process, log)}/v1"
        finally:
            _end(process)


def _address(process: subprocess.Popen[str], log: IO[str]) -> str:
    assert process.stdout is not None
    watchdog = threading.Timer(_STARTING_SECONDS, process.kill)
    watchdog.start()
    try:
        line = process.stdout.readline().strip()
    finally:
        watchdog.cancel()
    if line:
        return line
    code = process.wait()
    log.seek(0)
    last = log.read().strip().splitlines()[-_LINES_SHOWN:]
    raise SystemExit("\n".join([f"the small model did not start (exit code {code}):", *last]))


def _end(process: subprocess.Popen[str]) -> None:
    process.terminate()
    try:
        process.communicate(timeout=_ENDING_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
