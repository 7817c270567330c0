"""A shell to type into."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("IPython")

from tests.notebook.shell import Shell  # noqa: E402


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, embedder: Any) -> Iterator[Shell]:
    """IPython with the extension loaded, in an empty folder, with the embedder of the tests."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("langmem_ext.memory._default_embedder", lambda: embedder)
    opened = Shell()
    opened.run("%load_ext langmem_ext")
    yield opened
    opened.run("%unload_ext langmem_ext")
    opened.close()
