"""Commands that look: they make no store, and change nothing but the count of recalls."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from langmem_ext.cli import options
from langmem_ext.cli.opening import Place
from langmem_ext.cli.output import document, json_line, line, printable, say, show_memory, shows_progress
from langmem_ext.errors import InvalidInputError

if TYPE_CHECKING:
    from langmem_ext.items import MemoryItem
    from langmem_ext.user_memory import UserMemory

_PAGE = 500


@options.command(
    'search "What does the user eat?" --user ann --path ./memory_db',
    "search 用户住在哪里 -u ann --top-k 3 --type semantic --json",
    """search trips -u ann --filter '{"year": {"$gte": 2024}}' --as-of 2026-05-01T00:00+02:00""",
)
@click.argument("query")
@options.user_option
@click.option("--top-k", default=5, show_default=True, help="At most this many.")
@options.query_options
@options.place_options
@options.json_option
def search(place: Place, query: str, user_id: str, as_json: bool, **narrowed: Any) -> None:
    """Find memories by meaning and by word, best first.

    As text: score and memory. As JSON: memories (memory, score, similarity, signals), recall_id, timings
    and degraded.
    """
    with place.opened(embeds=True) as memory:
        found = memory.for_user(user_id).search(query, **narrowed)
        if found.degraded:
            say(f"without {', '.join(found.degraded)}: the embedder is unavailable")
        if as_json:
            document(found)
            return
        for hit in found:
            show_memory(hit.memory, f"{hit.score:.2f}  ")
        if not found:
            say("nothing found")


@options.command(
    'context "What should I cook?" --user ann --path ./memory_db',
    'context "我该吃什么？" -u ann --max-tokens 300 --json',
)
@click.argument("query")
@options.user_option
@click.option("--max-tokens", default=800, show_default=True, help="Limit of the whole block.")
@click.option("--top-k", default=10, show_default=True, help="At most this many memories are looked at.")
@options.query_options
@options.place_options
@options.json_option
def context(place: Place, query: str, user_id: str, as_json: bool, **narrowed: Any) -> None:
    """Print the block of memories that goes into a prompt.

    Nothing where there is nothing to recall. As JSON: text, memories, left_out, recall_id and degraded.
    """
    with place.opened(embeds=True) as memory:
        block = memory.for_user(user_id).context(query, **narrowed)
    if as_json:
        document(block)
    elif block.text:
        # Into a file or a pipe as it is: somebody's prompt.
        shown = sys.stdout.isatty()
        line("\n".join(map(printable, block.text.split("\n"))) if shown else block.text)
    say(f"{len(block.memories)} memories, {block.left_out} left out")


@options.command(
    "list --user ann --path ./memory_db",
    "list -u ann --type episodic --limit 20",
    """list -u ann --filter '{"key": "residence.city"}' --json""",
    name="list",
)
@options.user_option
@click.option("--limit", type=click.IntRange(1), help="At most this many; all by default.")
@options.type_option
@options.filter_option
@options.as_of_option
@click.option("--include-expired", is_flag=True, help="Also what expired or ended and is still stored.")
@options.place_options
@options.json_option
def list_memories(place: Place, user_id: str, limit: int | None, as_json: bool, **narrowed: Any) -> None:
    """List what is known of a user.

    In the order in which it was stored. As JSON: one memory a line.
    """
    count = 0
    with place.opened() as memory:
        for item in islice(_all_pages(memory.for_user(user_id), **narrowed), limit):
            (json_line if as_json else show_memory)(item)
            count += 1
    if not count:
        say("no memories")


def _all_pages(user: UserMemory, **narrowed: Any) -> Iterator[MemoryItem]:
    cursor: str | None = None
    while True:
        page = user.list_memories(limit=_PAGE, cursor=cursor, **narrowed)
        yield from page
        if (cursor := page.cursor) is None:
            return


@options.command(
    "show 5f0c7b9d --user ann --path ./memory_db",
    "show 5f0c7b9d -u ann --json",
)
@click.argument("memory_id")
@options.user_option
@options.place_options
@options.json_option
def show(place: Place, memory_id: str, user_id: str, as_json: bool) -> None:
    """Show one memory with all of its fields.

    As JSON: the memory.
    """
    with place.opened() as memory:
        item = memory.for_user(user_id).get(memory_id)
    if as_json:
        document(item)
        return
    fields = item.to_dict()
    line(printable(fields.pop("content")))
    for speaker, quote in ((part.speaker, part.quote) for part in item.source):
        line(f"  {printable(speaker)}: “{printable(quote)}”")
    fields.pop("source")
    for name, value in fields.items():
        if value not in (None, [], {}):
            line(f"  {name}: {printable(str(value))}")


@options.command(
    "history 5f0c7b9d --user ann --path ./memory_db",
    "history 5f0c7b9d -u ann --json",
)
@click.argument("memory_id")
@options.user_option
@options.place_options
@options.json_option
def history(place: Place, memory_id: str, user_id: str, as_json: bool) -> None:
    """Show what happened to a memory.

    Every version of it, oldest first. As JSON: events (at, action, memory).
    """
    with place.opened() as memory:
        events = memory.for_user(user_id).history(memory_id)
    if as_json:
        document({"events": events})
        return
    for event in events:
        show_memory(event.memory, f"{event.at:%Y-%m-%d %H:%M}Z  {event.action:<10}  ")


@options.command("users --path ./memory_db", "users --url http://localhost:8000 --json")
@options.place_options
@options.json_option
def users(place: Place, as_json: bool) -> None:
    """List the users that have memories.

    As text one a line. As JSON: users.
    """
    with place.opened() as memory:
        found = memory.users()
    if as_json:
        document({"users": found})
        return
    for user_id in found:
        line(printable(user_id))


@options.command(
    "export --user ann --path ./memory_db > ann.jsonl",
    "export -u ann --output ann.jsonl --yes",
    name="export",
)
@options.user_option
@click.option("--output", "-o", "file", metavar="FILE", help="Write there, for you alone to read.")
@options.yes_option
@options.place_options
@options.json_option
def export_memories(place: Place, user_id: str, file: str | None, yes: bool, as_json: bool) -> None:
    """Write all memories of a user as JSON lines.

    Every version is a line; import reads them. With --output, --json prints what was done: exported and
    file. A file that exists is replaced only with --yes.
    """
    if file is not None and os.path.exists(file) and not yes:
        raise InvalidInputError(f"{file} exists; give --yes to replace it")
    with place.opened() as memory:
        user = memory.for_user(user_id)
        if file is None:
            say(f"{user.export_memories(sys.stdout)} lines")
            return
        with _replaced(Path(file)) as stream, _counted(stream) as counted:
            count = user.export_memories(counted)
    if as_json:
        document({"exported": count, "file": file})
    else:
        say(f"{count} lines written to {file}")


@contextmanager
def _replaced(file: Path) -> Iterator[TextIO]:
    """A file that is there when all of it is written, and for the owner only."""
    try:
        handle, temporary = tempfile.mkstemp(dir=file.absolute().parent, prefix=f".{file.name}.")
    except OSError as error:
        raise InvalidInputError(f"cannot write {file}: {error.strerror}") from error
    try:
        with open(handle, "w", encoding="utf-8", newline="\n") as stream:
            yield stream
        os.replace(temporary, file)
    except BaseException as error:
        os.unlink(temporary)
        if isinstance(error, OSError):
            raise InvalidInputError(f"cannot write {file}: {error.strerror}") from error
        raise


@contextmanager
def _counted(stream: TextIO) -> Iterator[TextIO]:
    """The stream; on a terminal one that shows how much was written to it."""
    if not shows_progress():
        yield stream
        return
    from tqdm import tqdm

    with tqdm(desc="exporting", unit=" lines", leave=False) as bar:
        yield _Counting(stream, bar.update)


class _Counting(StringIO):
    """Tells at every line that it hands on."""

    def __init__(self, stream: TextIO, tell: Callable[[], object]) -> None:
        super().__init__()
        self._stream = stream
        self._tell = tell

    def write(self, text: str) -> int:
        """As of a file."""
        self._tell()
        return self._stream.write(text)
