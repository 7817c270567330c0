"""`python -m benchmarks.extraction`: what is learned from short dialogues, and what should have been."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from benchmarks.data import real_embedder
from benchmarks.extraction.dialogues import load
from benchmarks.extraction.report import failures, score_table
from benchmarks.extraction.scoring import run
from langmem_ext import ChatModel, Embedder
from langmem_ext.models.openai import OpenAIChat
from langmem_ext.testing import FakeEmbedder

SETS = ("development", "unseen")


def path_of(name: str) -> Path:
    """The file of a set."""
    return Path(__file__).with_name(f"{name}.jsonl")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.extraction", description=__doc__)
    parser.add_argument(
        "--set", choices=SETS, default="development", help="unseen: report it, never tune on it"
    )
    parser.add_argument("--llm", action="store_true", help="OPENAI_MODEL at OPENAI_BASE_URL instead of rules")
    parser.add_argument("--embedder", choices=("fake", "real"), help="by default real with --llm only")
    parser.add_argument("--show", action="store_true", help="what went wrong, by dialogue")
    options = parser.parse_args(arguments)
    path = path_of(options.set)
    if not path.exists():
        raise SystemExit(f"{path} is not there; FORMAT.md beside it says how to write one")
    dialogues = load(path)
    llm, extractor = _llm() if options.llm else (None, "the rules")
    real = options.embedder == "real" or (options.llm and options.embedder is None)
    embedder: Embedder = real_embedder() if real else FakeEmbedder()
    verdicts = [run(dialogue, llm=llm, embedder=embedder) for dialogue in dialogues]
    print(score_table(f"Extraction by {extractor}, {options.set} set, {embedder.fingerprint}", verdicts))
    if options.show:
        print("", *failures(verdicts), sep="\n")


def _llm() -> tuple[ChatModel, str]:
    model = os.environ.get("OPENAI_MODEL")
    if not model:
        raise SystemExit("set OPENAI_MODEL, and OPENAI_BASE_URL and OPENAI_API_KEY as the server needs them")
    return OpenAIChat(model), model


if __name__ == "__main__":
    main()
