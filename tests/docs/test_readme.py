"""Every Python block of the README runs, in order, and prints what its comments say."""

from __future__ import annotations

import io
import json
import re
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.embeddings import MockEmbedding

from tests.integrations.langchain.models import answers
from tests.integrations.llama_index.models import SeenLLM
from tests.support.openai_server import OpenAIServer

README = Path(__file__).parents[2] / "README.md"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
PRINTED = re.compile(r"^\s*print\(.*\)  # (.*)$", re.MULTILINE)

# What an LLM answers to the conversation in the README.
EXTRACTED = json.dumps(
    {
        "memories": [
            {
                "text": "The user lives in Nantes since March 2026; before that in Lyon.",
                "type": "semantic",
                "key": "residence.city",
                "quote": "I moved from Lyon to Nantes in March",
                "valid_from": "2026-03-01",
                "valid_until": None,
                "replaces": None,
                "correction": False,
                "importance": 0.8,
            }
        ]
    }
)


def blocks() -> list[str]:
    return BLOCK.findall(README.read_text(encoding="utf-8"))


def test_there_are_blocks_with_printed_values() -> None:
    assert len(blocks()) >= 5
    assert sum(len(PRINTED.findall(block)) for block in blocks()) >= 8


@pytest.mark.filterwarnings("ignore::langchain_core._api.LangChainDeprecationWarning")
def test_the_blocks_run_and_print_what_they_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {
        "model": answers(["Noted.", "Peanuts.", "A fine city.", "Good."]),
        "llm": SeenLLM(["A fine city."]),
        "embed_model": MockEmbedding(embed_dim=3, model_name="mock"),
    }
    with OpenAIServer(default=EXTRACTED) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "test")
        for number, block in enumerate(blocks()):
            printed = io.StringIO()
            with redirect_stdout(printed):
                exec(compile(block, f"README block {number}", "exec"), names)
            assert printed.getvalue().splitlines() == PRINTED.findall(block), f"block {number}"


@pytest.mark.parametrize("target", ["demo", "test", "check", "bench", "soak", "test-llm", "test-lowest"])
def test_the_make_targets_that_it_names_exist(target: str) -> None:
    makefile = README.with_name("Makefile").read_text(encoding="utf-8")
    assert f"make {target}" in README.read_text(encoding="utf-8")
    assert re.search(rf"^{target}:", makefile, re.MULTILINE)
