"""Commands for the whole store, and the demo."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

import click

from langmem_ext.cli import options
from langmem_ext.cli.confirming import confirm
from langmem_ext.cli.deleting import erased
from langmem_ext.cli.opening import Place
from langmem_ext.cli.output import document, line, say, with_bar, working
from langmem_ext.errors import StoreLockedError
from langmem_ext.items import MEMORY_TYPES

if TYPE_CHECKING:
    from langmem_ext.memory import LongTermMemory


@options.command("stats --path ./memory_db", "stats --url http://localhost:8000 --json")
@options.place_options
@options.json_option
def stats(place: Place, as_json: bool) -> None:
    """Count what is stored.

    As JSON: users, memories (semantic, episodic, procedural, all), versions, waiting_turns and failed_turns
    of add_later (null where another process has them), and bytes on disk (null for a server).
    """
    waiting, failed = _turns(place)  # the memory will have that file open
    with place.opened() as memory:
        users = memory.users()
        kinds, versions = _counts(memory, users)
    path = place.settings().get("path")
    by_type: dict[str, int] = {kind: kinds[kind] for kind in MEMORY_TYPES}
    numbers = {
        "users": len(users),
        "memories": by_type | {"all": kinds.total()},
        "versions": versions,
        "waiting_turns": waiting,
        "failed_turns": failed,
        "bytes": None if path is None else _bytes(Path(path).expanduser()),
    }
    if as_json:
        document(numbers)
        return
    line(f"users          {len(users)}")
    line(
        f"memories       {kinds.total()} ({', '.join(f'{count} {kind}' for kind, count in by_type.items())})"
    )
    line(f"versions       {versions}")
    line(f"waiting turns  {'unknown' if waiting is None else waiting}")
    line(f"failed turns   {'unknown' if failed is None else failed}")
    if path is not None:
        line(f"on disk        {_bytes(Path(path).expanduser()) / 1e6:.1f} MB")


def _counts(memory: LongTermMemory, users: list[str]) -> tuple[Counter[str], int]:
    kinds: Counter[str] = Counter()
    versions = 0
    for user_id in with_bar(users, "counting"):
        user = memory.for_user(user_id)
        kinds.update(item.memory_type for item in user.iter_memories())
        versions += user.export_memories(_Nowhere())
    return kinds, versions


class _Nowhere(StringIO):
    """Takes lines that are only counted."""

    def write(self, text: str) -> int:
        """As of a file."""
        return len(text)


def _turns(place: Place) -> tuple[int | None, int | None]:
    try:
        with place.waiting_turns() as outbox:
            return (0, 0) if outbox is None else outbox.counts()
    except StoreLockedError:  # a file of the process that uses the server
        return None, None


def _bytes(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


@options.command("sweep --path ./memory_db", "sweep --yes --json")
@options.yes_option
@options.place_options
@options.json_option
def sweep(place: Place, yes: bool, as_json: bool) -> None:
    """Remove what has expired, of all users.

    Older versions of it too. As JSON: removed (rows) and users.
    """
    with place.opened() as memory:
        if not yes:
            say(f"{_expired(memory)} memories have expired")
            confirm("Remove them for good?", yes=yes)
        with working("sweeping"):
            report = memory.sweep()
    if as_json:
        document(report)
    else:
        say(f"{report.removed} rows of {report.users} users removed")


def _expired(memory: LongTermMemory) -> int:
    over = {"expires_at": {"$lte": datetime.now(UTC)}}
    total = 0
    for user_id in memory.users():
        cursor: str | None = None
        while True:
            page = memory.for_user(user_id).list_memories(
                limit=500, cursor=cursor, filters=over, include_expired=True
            )
            total += len(page)
            if (cursor := page.cursor) is None:
                break
    return total


@options.command("erase --path ./memory_db", "erase --yes --json")
@options.yes_option
@options.place_options
@options.json_option
def erase(place: Place, yes: bool, as_json: bool) -> None:
    """Write the files anew, without what was deleted.

    Memories stay; the bytes of deleted ones go. It takes room for a copy, and writes wait meanwhile. As
    JSON: shards, rows_kept, files_scanned, bytes_scanned, traces, out_of_reach and seconds.
    """
    with place.opened() as memory, place.waiting_turns() as waiting:
        confirm("Write the whole store anew? What was deleted cannot be recovered then.", yes=yes)
        with working("erasing"):
            receipt = memory.erase()
            if waiting is not None:
                waiting.compact()
    if as_json:
        document(receipt)
    else:
        say(erased(receipt.out_of_reach, receipt.traces, receipt.shards, receipt.seconds))


@options.command("demo", "demo --path ./demo_db")
@click.option("--path", metavar="DIRECTORY", help="Keep its memories there; a temporary place by default.")
def demo(path: str | None) -> None:
    """See it all on two sample conversations.

    It needs no key and no network. It uses OPENAI_API_KEY, OPENAI_BASE_URL and OPENAI_MODEL where they are
    set, and says so.
    """
    from langmem_ext.demo.__main__ import main

    raise click.exceptions.Exit(main([] if path is None else ["--path", path]))
