"""Commands after which something of a user is gone. They show what it is, and ask."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from langmem_ext.cli import options
from langmem_ext.cli.confirming import choose, confirm, show_all
from langmem_ext.cli.failures import Exit
from langmem_ext.cli.opening import Place
from langmem_ext.cli.output import document, printable, say, show_memory, working
from langmem_ext.errors import MemoryNotFoundError
from langmem_ext.forget_request import matching, read_wish
from langmem_ext.items import ForgetAnswer, MemoryItem
from langmem_ext.receipts import DeletionReceipt

if TYPE_CHECKING:
    from langmem_ext.user_memory import UserMemory

_MOST_CANDIDATES = 10


@options.command(
    "delete 5f0c7b9d --user ann --path ./memory_db",
    "delete --all -u ann --erase --yes --json",
    "delete --source msg-17 -u ann",
)
@click.argument("memory_id", required=False)
@click.option("--all", "everything", is_flag=True, help="Everything of this user.")
@click.option("--source", metavar="MESSAGE", help="What was learned from this message and from no other.")
@click.option("--erase", is_flag=True, help="Remove the bytes from the disk too, and look for traces.")
@options.user_option
@options.yes_option
@options.place_options
@options.json_option
def delete(
    place: Place,
    memory_id: str | None,
    everything: bool,
    source: str | None,
    erase: bool,
    user_id: str,
    yes: bool,
    as_json: bool,
) -> None:
    """Delete one memory, or all of a user.

    A memory goes with all its versions. --all drops what waits to be learned too. As JSON: memories,
    versions, memory_ids, deleted_at and erasure (its traces are what a search still found, out_of_reach says
    why not all could be erased).
    """
    if sum([memory_id is not None, everything, source is not None]) != 1:
        raise click.UsageError("give one of MEMORY_ID, --all and --source")
    with place.waiting_turns() as waiting:
        queued = waiting.counts(user_id).waiting if waiting is not None and everything else 0
    with place.opened() as memory:
        user = memory.for_user(user_id)
        if memory_id is not None:
            show_all([_found(user, memory_id)])
            confirm("Delete it, with all its versions?", yes=yes)
        else:
            meant = [item for item in user.iter_memories() if everything or _only_from(item, str(source))]
            show_all(meant)
            and_turns = f" and {queued} turns that wait to be learned" if queued else ""
            confirm(
                f"Delete {_counted(len(meant))} of {printable(user_id)}, with all versions{and_turns}?",
                yes=yes,
            )
        with working("deleting"):
            receipt = _delete(user, memory_id, source, erase=erase)
    _show_receipt(receipt, as_json=as_json)


def _delete(user: UserMemory, memory_id: str | None, source: str | None, *, erase: bool) -> DeletionReceipt:
    if memory_id is not None:
        return user.delete(memory_id, erase=erase)
    return user.delete_all(erase=erase) if source is None else user.delete_source(source, erase=erase)


def _found(user: UserMemory, memory_id: str) -> MemoryItem:
    """The memory, also where it has expired."""
    try:
        return user.get(memory_id)
    except MemoryNotFoundError:
        expired = user.list_memories(filters={"memory_id": memory_id}, include_expired=True)
        for item in expired:
            return item
        raise


def _only_from(item: MemoryItem, message_id: str) -> bool:
    return bool(item.source) and all(part.message_id == message_id for part in item.source)


def _counted(count: int) -> str:
    return "1 memory" if count == 1 else f"{count} memories"


def _show_receipt(receipt: DeletionReceipt, *, as_json: bool) -> None:
    if as_json:
        document(receipt)
        return
    say(f"{_counted(receipt.memories)} deleted, {receipt.versions} versions in all")
    if (erasure := receipt.erasure) is not None:
        say(erased(erasure.out_of_reach, erasure.traces, erasure.shards, erasure.seconds))


def erased(out_of_reach: str | None, traces: Sequence[str], shards: int, seconds: float) -> str:
    """An erasure in a sentence."""
    if out_of_reach is not None:
        return f"out of reach: {out_of_reach}"
    found = f"; traces are left in {', '.join(traces)}" if traces else ""
    return f"{shards} parts of the store were written anew in {seconds:.1f} s{found}"


@options.command(
    'forget "forget that I have a dog" --user ann --path ./memory_db',
    "forget 忘掉我对花生过敏 -u ann --yes --json",
    'forget "forget my pets" -u ann --id 5f0c7b9d --yes',
)
@click.argument("request")
@click.option("--id", "confirm_ids", multiple=True, metavar="MEMORY", help="Exactly this one; repeatable.")
@options.user_option
@options.yes_option
@options.place_options
@options.json_option
def forget(
    place: Place, request: str, confirm_ids: tuple[str, ...], user_id: str, yes: bool, as_json: bool
) -> None:
    """Delete what a wish in words means.

    It asks first, and where several memories may be meant, which. With --yes the one that is clearly
    meant is deleted, and nothing where none is. As JSON: status (deleted, confirm, no_match, everything,
    no_request), deleted and candidates. Exit code 4 where nothing was deleted.
    """
    with place.opened() as memory:
        user = memory.for_user(user_id)
        answer = _forget(user, request, confirm_ids, yes=yes)
    if as_json:
        document(answer)
    else:
        _show_answer(answer, asked=not yes)
    if answer.status != "deleted":
        raise click.exceptions.Exit(Exit.NOT_CONFIRMED)


def _forget(user: UserMemory, request: str, confirm_ids: Sequence[str], *, yes: bool) -> ForgetAnswer:
    if confirm_ids:
        show_all([user.get(memory_id) for memory_id in confirm_ids])
        confirm("Delete them, with all versions?", yes=yes)
        return user.forget(request, confirm_ids=confirm_ids)
    if yes:
        return user.forget(request)
    answer = _meant(user, request)
    for number, item in enumerate(answer.candidates, start=1):
        show_memory(item, f"{number}. ", err=True)
    chosen = choose(len(answer.candidates)) if answer.candidates else []
    if not chosen:
        return answer
    return user.forget(request, confirm_ids=[answer.candidates[index].memory_id for index in chosen])


def _meant(user: UserMemory, request: str) -> ForgetAnswer:
    """What `forget` would find; it deletes a clear match at once, and here somebody is asked first."""
    wish = read_wish(request)
    if wish is None:
        return ForgetAnswer("no_request")
    if wish.everything:
        return ForgetAnswer("everything")
    clear, possible = matching(wish.topic, list(user.iter_memories()))
    candidates = clear if wish.explicit and len(clear) == 1 else possible
    return ForgetAnswer(
        "confirm" if candidates else "no_match", candidates=tuple(candidates[:_MOST_CANDIDATES])
    )


def _show_answer(answer: ForgetAnswer, *, asked: bool) -> None:
    for item in answer.deleted:
        show_memory(item, "deleted  ")
    what = {
        "confirm": "nothing was deleted; name each with --id, or give --yes where one is clearly meant",
        "no_match": "no memory has these words",
        "everything": "that asks for everything: langmem-ext delete --all",
        "no_request": 'that does not ask to forget something; begin with "forget that …"',
    }
    if answer.status in what:
        if answer.status == "confirm" and not asked:  # then they were shown
            show_all(answer.candidates)
        say(what[answer.status])
