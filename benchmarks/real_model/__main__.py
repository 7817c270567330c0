"""`python -m benchmarks.real_model`: the whole path with a real LLM, then what it learns from dialogues.

The model is OPENAI_MODEL at OPENAI_BASE_URL, or without these a small one that is started for the run. Ends
with exit code 1 when a check failed; precision and recall are reported only.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from typing import TypeVar

from benchmarks.data import real_embedder
from benchmarks.extraction.__main__ import SETS, path_of
from benchmarks.extraction.dialogues import load
from benchmarks.extraction.report import score_table
from benchmarks.extraction.scoring import Verdict, run
from benchmarks.real_model.model_server import MODEL
from benchmarks.real_model.path import Check, MakeChat, walk
from benchmarks.real_model.serving import small_model
from benchmarks.tables import Table
from langmem_ext import Embedder
from langmem_ext.models import OpenAIChat
from langmem_ext.testing import FakeEmbedder

T = TypeVar("T")

_SMALL_LIMIT = 6
_SMALL_REPLY = 384
_SMALL_SECONDS = 300.0
_ABOUT_SMALL = """\
A model of 135 million parameters is a smoke test of the path, no more: it copies sentences, makes memories up
and mixes people up. Its precision and recall say nothing about a model that one would use."""


@dataclass(frozen=True, slots=True)
class Model:
    """A model under test. `limit`: how many dialogues of each set by default; None: all."""

    name: str
    chat: MakeChat
    limit: int | None = None
    about: str = ""


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.real_model", description=__doc__)
    parser.add_argument("--limit", type=int, help="so many dialogues of each set, spread over it")
    parser.add_argument("--embedder", choices=("fake", "real"), default="real")
    options = parser.parse_args(arguments)
    if options.limit is not None and options.limit < 1:
        parser.error("--limit must be at least 1")
    embedder: Embedder = real_embedder() if options.embedder == "real" else FakeEmbedder()
    started = time.perf_counter()
    with _model() as model:
        print(f"{model.name}, {embedder.fingerprint}\n{model.about}".rstrip(), end="\n\n", flush=True)
        failed = _report(walk(model.chat, embedder))
        print()
        failed += _score(model, options.limit or model.limit, embedder)
    print(f"Checks that failed: {failed}. It took {time.perf_counter() - started:,.0f} s.")
    sys.exit(1 if failed else 0)


@contextmanager
def _model() -> Iterator[Model]:
    name = os.environ.get("OPENAI_MODEL")
    if os.environ.get("OPENAI_BASE_URL") and not name:
        raise SystemExit("OPENAI_BASE_URL names a server: set OPENAI_MODEL too")
    if name:
        yield Model(name, lambda cap: OpenAIChat(name, max_tokens=cap))
        return
    with small_model() as base_url:

        def chat(cap: int | None) -> OpenAIChat:
            # The key of another server has no business here.
            return OpenAIChat(
                MODEL,
                base_url=base_url,
                api_key="not-needed",
                timeout=_SMALL_SECONDS,
                max_retries=0,
                max_tokens=cap or _SMALL_REPLY,
            )

        yield Model(MODEL, chat, _SMALL_LIMIT, _ABOUT_SMALL)


def _score(model: Model, limit: int | None, embedder: Embedder) -> int:
    """Score the sets; the number of checks that failed on the way."""
    chat = model.chat(None)
    judged: list[Verdict] = []
    for name in SETS:
        dialogues = load(path_of(name))
        chosen = spread(dialogues, limit or len(dialogues))
        verdicts = [run(dialogue, llm=chat, embedder=embedder) for dialogue in chosen]
        title = f"Extraction by {model.name}, {name} set, {len(chosen)} of {len(dialogues)} dialogues"
        print(_short(score_table(title, verdicts)), end="\n\n", flush=True)
        judged += verdicts
    return _report(_structure(judged))


def _short(table: Table) -> Table:
    """Without groups of no dialogues."""
    return replace(table, rows=[row for row in table.rows if row[1] != "0"])


def spread(entries: Sequence[T], count: int) -> list[T]:
    """So many of them, at even distances; the sets are sorted by language and category."""
    count = min(count, len(entries))
    return [entries[index * len(entries) // count] for index in range(count)]


def _structure(verdicts: Sequence[Verdict]) -> Iterator[Check]:
    stored = chain.from_iterable((*one.right, *one.allowed, *one.wrong) for one in verdicts)
    bare = [memory.content for memory in stored if not any(part.quote for part in memory.source)]
    yield Check("every memory of the dialogues has its evidence", f"{bare} have none" if bare else None)
    failed = [one for one in verdicts if len(one.errors) == one.adds]
    filled = [one.dialogue.id for one in failed if one.right or one.allowed or one.wrong]
    yield Check("dialogues that failed left nothing", f"{filled} did" if filled else None)


def _report(checks: Iterable[Check]) -> int:
    failed = 0
    for check in checks:
        failed += check.fault is not None
        print(f"FAILED  {check.what}: {check.fault}" if check.fault else f"ok      {check.what}", flush=True)
    return failed


if __name__ == "__main__":
    main()
