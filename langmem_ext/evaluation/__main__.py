"""`python -m langmem_ext.evaluation questions.jsonl (--memories memories.jsonl | --store DIRECTORY)`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from langmem_ext.errors import LangMemExtError
from langmem_ext.evaluation.data import Passage, passages_of, read_passages, read_questions
from langmem_ext.evaluation.run import Setting, evaluate
from langmem_ext.memory import LongTermMemory
from langmem_ext.models import PackagedE5Embedder, SentenceTransformerEmbedder
from langmem_ext.ports import Embedder
from langmem_ext.retrieval.weights import WEIGHTS

PACKAGED = "packaged-e5"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run an evaluation and print its tables. 1 when it could not be made."""
    options = _parser().parse_args(arguments)
    try:
        questions = read_questions(options.questions)
        embedders = {name: _embedder(name) for name in options.embedder or [PACKAGED]}
        passages = _passages(options, next(iter(embedders.values())))
        print(evaluate(passages, questions, _settings(embedders, options)))
    except (LangMemExtError, OSError) as error:
        print(f"no evaluation: {error}", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m langmem_ext.evaluation",
        description="How well memories are found: recall, ranks, score distributions, a threshold, latency.",
        epilog="Questions are JSON lines with query and ids or texts of what should come back; memories are "
        "JSON lines with content and, where there is one, id, user, session and time.",
    )
    parser.add_argument("questions", help="labelled questions, JSON lines")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--memories", help="what is searched, JSON lines")
    source.add_argument("--store", help="the directory of a memory, which is read and not changed")
    parser.add_argument(
        "--embedder",
        action="append",
        help=f"{PACKAGED}, or a model for sentence-transformers (a name or a folder); several are compared. "
        "With --store the first must be the one that the store was written with",
    )
    parser.add_argument(
        "--without", action="append", default=[], choices=sorted(WEIGHTS), help="also without this signal"
    )
    parser.add_argument(
        "--chunk-tokens", action="append", default=[], type=int, help="also with longer texts cut"
    )
    return parser


def _embedder(name: str) -> Embedder:
    return PackagedE5Embedder() if name == PACKAGED else SentenceTransformerEmbedder(name)


def _passages(options: argparse.Namespace, embedder: Embedder) -> list[Passage]:
    if options.memories is not None:
        return read_passages(options.memories)
    with LongTermMemory(options.store, embedder=embedder) as memory:
        return passages_of(memory)


def _settings(embedders: dict[str, Embedder], options: argparse.Namespace) -> list[Setting]:
    settings = [Setting(name, embedder) for name, embedder in embedders.items()]
    first = settings[0]
    settings += [first.without(signal) for signal in options.without]
    return settings + [first.cut(size) for size in options.chunk_tokens]


if __name__ == "__main__":
    sys.exit(main())
