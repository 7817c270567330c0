"""The command that measures how well memories are found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import click

from langmem_ext.cli import options
from langmem_ext.cli.opening import Place
from langmem_ext.cli.output import as_json, document, line, say, working
from langmem_ext.errors import InvalidInputError

if TYPE_CHECKING:
    from langmem_ext.evaluation import Passage, Report, Setting
    from langmem_ext.evaluation.report import Result
    from langmem_ext.ports import Embedder

_EXISTING_FILE = click.Path(exists=True, dir_okay=False)


@options.command(
    "eval questions.jsonl --path ./memory_db",
    "eval questions.jsonl --memories memories.jsonl --embedder BAAI/bge-m3 --json",
    "eval questions.jsonl --path ./memory_db --user ann --chunk-tokens 128",
    name="eval",
)
@click.argument("questions", type=_EXISTING_FILE)
@click.option("--memories", metavar="FILE", type=_EXISTING_FILE, help="Search these instead of a store.")
@click.option("--user", "-u", "users", metavar="ID", multiple=True, help="Of the store, only these users.")
@click.option(
    "--embedder",
    "others",
    metavar="MODEL",
    multiple=True,
    help="Compare with this: packaged, or a model for sentence-transformers.",
)
@click.option("--without", metavar="SIGNAL", multiple=True, help="Compare with a ranking without it.")
@click.option(
    "--chunk-tokens", metavar="N", multiple=True, type=click.IntRange(1), help="Compare with texts cut."
)
@options.place_options
@options.json_option
def evaluate(
    place: Place, questions: str, memories: str | None, users: tuple[str, ...], as_json: bool, **compared: Any
) -> None:
    """Measure how well memories are found.

    QUESTIONS are JSON lines: query, and ids or texts of what should come back; where there is one user,
    asked_at, outdated (ids) and group. Memories are those of a store, which stays as it is, or JSON lines:
    content, and where there is one id, user, session and time. The configured embedder comes first, and
    what else is named is compared with it. As JSON: settings (name, questions, answerable, metrics,
    suggested_min_similarity) and differences (first, second, metric, mean, low, high, sure).
    """
    from langmem_ext.evaluation import evaluate as measure
    from langmem_ext.evaluation import read_questions

    try:
        asked = read_questions(questions)
        passages = _passages(place, memories, users)
    except UnicodeDecodeError as error:
        raise InvalidInputError(f"{questions} or {memories} is no UTF-8 text") from error
    with working("measuring"):
        settings = _settings(place.embedder(), **compared)
        report = measure(passages, asked, settings, timezone=_zone(place))
    if as_json:
        document(_comparison(report))
    else:
        line(str(report))


def _passages(place: Place, memories: str | None, users: tuple[str, ...]) -> list[Passage]:
    from langmem_ext.evaluation import passages_of, read_passages

    if memories is not None:
        if users:
            raise click.UsageError("--user chooses from a store; leave it out with --memories")
        return read_passages(memories)
    with place.opened() as memory:
        found = passages_of(memory, users or None)
    say(f"{len(found)} memories")
    return found


def _settings(
    embedder: Embedder, others: tuple[str, ...], without: tuple[str, ...], chunk_tokens: tuple[int, ...]
) -> list[Setting]:
    from langmem_ext.evaluation import Setting
    from langmem_ext.models import PackagedE5Embedder, SentenceTransformerEmbedder
    from langmem_ext.retrieval.weights import WEIGHTS

    first = Setting(embedder.fingerprint.model, embedder)
    settings = [first]
    for other in others:
        made = PackagedE5Embedder() if other == "packaged" else SentenceTransformerEmbedder(other)
        settings.append(Setting(other, made))
    for signal in without:
        if signal not in WEIGHTS:
            raise click.UsageError(f"--without: there is no signal {signal}; there are {', '.join(WEIGHTS)}")
        settings.append(first.without(signal))
    return settings + [first.cut(size) for size in chunk_tokens]


def _zone(place: Place) -> ZoneInfo:
    name = place.settings(needed=False).get("timezone", "UTC")
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise InvalidInputError(f"timezone={name!r} is no IANA name such as Asia/Shanghai") from error


def _comparison(report: Report) -> dict[str, Any]:
    first, *others = report.results
    differences = []
    for other in others:
        for metric in _metrics(first):
            found = report.difference(first.name, other.name, metric)
            names = {"first": first.name, "second": other.name, "metric": metric}
            differences.append({**names, **as_json(found), "sure": found.sure})
    return {"settings": [_figures(result) for result in report.results], "differences": differences}


def _metrics(result: Result) -> list[str]:
    from langmem_ext.evaluation.report import METRICS, NEWER

    return [*METRICS, *([NEWER] if result.values(NEWER) else [])] if result.answerable else []


def _figures(result: Result) -> dict[str, Any]:
    return {
        "name": result.name,
        "questions": len(result.answers),
        "answerable": len(result.answerable),
        "metrics": {metric: result.interval(metric) for metric in _metrics(result)},
        "suggested_min_similarity": result.suggested_min_similarity,
    }
