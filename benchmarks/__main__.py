"""`python -m benchmarks [--quick]`: prints its tables one after another."""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Callable
from importlib.metadata import version

from benchmarks.data import real_embedder
from benchmarks.erasure import erasure_table
from benchmarks.ingest import ingest_table
from benchmarks.mem0_cost import PYTHON as MEM0_PYTHON
from benchmarks.prompt_cost import prompt_table
from benchmarks.search import SearchSizes, search_tables
from benchmarks.tables import Table
from langmem_ext import Embedder, __version__
from langmem_ext.testing import FakeEmbedder

_QUICK_SIZES = SearchSizes(own=(20,), others=(60,), warm=3, cold=2)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="seconds: few rows and a hashing embedder")
    quick = parser.parse_args(arguments).quick
    embedder: Embedder = FakeEmbedder() if quick else real_embedder()
    print(
        f"langmem_ext {__version__}, chromadb {version('chromadb')}, Python {platform.python_version()}, "
        f"{os.cpu_count()} cores, {embedder.fingerprint}\n"
        "Ratios are medians of interleaved repetitions, with the quartiles in brackets."
        f"{' QUICK: too few rows and repetitions to conclude anything.' if quick else ''}\n"
    )
    for make in _benchmarks(embedder, quick=quick):
        for table in make():
            print(table, end="\n\n", flush=True)


def _benchmarks(embedder: Embedder, *, quick: bool) -> list[Callable[[], list[Table]]]:
    shards: tuple[int, ...]
    if quick:
        sizes, count, whole, storing, shards = _QUICK_SIZES, 20, 2, 2, (100,)
    else:
        sizes, count, whole, storing, shards = SearchSizes(), 500, 3, 9, (500, 6_000)
    return [
        lambda: [prompt_table(embedder, None if quick else MEM0_PYTHON)],
        lambda: search_tables(embedder, sizes),
        lambda: [ingest_table(embedder, count, with_embedding=whole, storing=storing)],
        lambda: [erasure_table(embedder, shards, whole)],
    ]


if __name__ == "__main__":
    main()
