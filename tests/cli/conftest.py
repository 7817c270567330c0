"""A directory of memories, and the command line with a small embedder."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from langmem_ext import memory as memory_module
from langmem_ext.cli.app import main
from langmem_ext.testing import FakeEmbedder
from tests.cli.running import Done, Run


class Terminal(io.StringIO):
    """A stdin at which somebody sits, with what they will type."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith(("LANGMEM_EXT_", "OPENAI_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setattr(memory_module, "_default_embedder", FakeEmbedder)
    monkeypatch.setattr("langmem_ext.models.default.default_embedder", FakeEmbedder)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Iterator[Run]:
    """Runs commands of the user ann on the directory `db`; other options can be added or win."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LANGMEM_EXT_PATH", "db")
    monkeypatch.setenv("LANGMEM_EXT_USER", "ann")

    def run_one(*arguments: str, stdin: str = "", typed: str | None = None) -> Done:
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin) if typed is None else Terminal(typed))
        code = main(arguments)
        captured = capsys.readouterr()
        return Done(int(code), captured.out, captured.err)

    yield run_one
