"""Commands that put memories in."""

from __future__ import annotations

import json
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import click

from langmem_ext.cli import options
from langmem_ext.cli.opening import Place
from langmem_ext.cli.output import dim, document, line, printable, say, show_memory, shows_progress, working
from langmem_ext.errors import InvalidInputError
from langmem_ext.items import MEMORY_TYPES, AddResult
from langmem_ext.messages import MessagesLike

_STDIN = "-"


@options.command(
    """add "I'm allergic to peanuts." --user ann --path ./memory_db""",
    "add --messages chat.json -u ann --observed-at 2026-05-02T10:00:00+02:00 --json",
    'echo "我搬到了上海。" | langmem-ext add - -u ann --no-llm',
)
@click.argument("text", required=False)
@click.option(
    "--messages",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, allow_dash=True),
    help="A conversation: a JSON list of {role, content}, or one of them a line; - is stdin.",
)
@options.user_option
@click.option("--observed-at", metavar="TIME", help="When it was said, with a zone; now by default.")
@click.option("--idempotency-key", metavar="NAME", help="Names the turn: the same twice is stored once.")
@options.session_option
@options.agent_option
@click.option("--no-llm", is_flag=True, help="Let rules find the memories, also where an LLM is configured.")
@options.place_options
@options.json_option
def add(
    place: Place,
    text: str | None,
    messages: str | None,
    user_id: str,
    session: str | None,
    agent: str | None,
    no_llm: bool,
    as_json: bool,
    **said: Any,
) -> None:
    """Learn from what a user said.

    That is TEXT (- reads it from stdin) or a conversation in a file.

    The LLM is the one of the configuration, or of OPENAI_API_KEY, OPENAI_BASE_URL and OPENAI_MODEL; without
    one, rules find what they can. As JSON: status (learned, nothing, failed), outcomes, error, usage and
    message_ids. Exit code 1 where the status is failed.
    """
    conversation = _conversation(text, messages)
    say(f"memories are extracted by {place.extractor(llm=not no_llm)}")
    with place.opened(embeds=True, learns=True, creates=True, llm=not no_llm) as memory:
        user = memory.for_user(user_id, agent_id=agent, session_id=session)
        result = user.add(conversation, progress=shows_progress(), **said)
    if as_json:
        document(result)
    else:
        _show_result(result)
    if result.error is not None:
        again = "; the same command again may succeed" if result.error.retryable else ""
        say(f"langmem-ext: {result.error.kind}: {result.error.message}{again}")
        raise click.exceptions.Exit(1)


def _conversation(text: str | None, messages: str | None) -> MessagesLike:
    if (text is None) == (messages is None):
        raise click.UsageError("give TEXT (- reads it from stdin) or --messages FILE")
    if messages is not None:
        return _messages(_read(messages))
    return _read(_STDIN) if text == _STDIN else str(text)


def _messages(text: str) -> MessagesLike:
    """A JSON list, or JSON lines."""
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        try:
            parsed = [json.loads(row) for row in text.splitlines() if row.strip()]
        except (ValueError, RecursionError) as error:
            raise InvalidInputError("--messages is neither a JSON list nor JSON lines") from error
    found = parsed if isinstance(parsed, list) else [parsed]
    if not all(isinstance(entry, dict) for entry in found):
        raise InvalidInputError('--messages must hold objects such as {"role": "user", "content": "…"}')
    return found


def _read(file: str) -> str:
    try:
        if file == _STDIN:
            return sys.stdin.read().removeprefix("\ufeff")
        return Path(file).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInputError(f"{'stdin' if file == _STDIN else file} is no UTF-8 text") from error
    except OSError as error:
        raise InvalidInputError(f"cannot read {file}: {error.strerror}") from error


def _show_result(result: AddResult) -> None:
    for outcome in result.outcomes:
        if outcome.memory is not None:
            show_memory(outcome.memory, f"{outcome.action:<9} ")
        else:
            line(f"{outcome.action:<9} " + dim(printable(outcome.reason or "")))
    if result.status == "nothing":
        say("nothing to learn")


@options.command(
    'remember "The user lives in Lyon." --key residence.city --user ann --path ./memory_db',
    """remember 用户喜欢喝茶 -u ann --metadata '{"topic": "drinks"}' --json""",
)
@click.argument("text")
@options.user_option
@click.option(
    "--type",
    "memory_type",
    type=click.Choice(MEMORY_TYPES),
    default="semantic",
    show_default=True,
    help="What kind of memory it is.",
)
@click.option("--key", metavar="NAME", help="A single-valued attribute; a new value replaces the old.")
@click.option("--expires-at", metavar="TIME", help="From then on it is not returned; with a zone.")
@click.option("--metadata", metavar="JSON", callback=options.json_object, help="Fields of your own.")
@options.session_option
@options.agent_option
@options.place_options
@options.json_option
def remember(
    place: Place,
    text: str,
    user_id: str,
    session: str | None,
    agent: str | None,
    as_json: bool,
    **fields: Any,
) -> None:
    """Store a sentence as it is.

    TEXT may be - to read it from stdin. As JSON: the memory.
    """
    content = _read(_STDIN) if text == _STDIN else text
    with place.opened(embeds=True, creates=True) as memory:
        user = memory.for_user(user_id, agent_id=agent, session_id=session)
        item = user.remember(content, **fields)
    if as_json:
        document(item)
    else:
        show_memory(item)


@options.command(
    "import ann.jsonl --user ann --path ./new_db",
    "langmem-ext export -u ann --path ./old | langmem-ext import - -u ann --path ./new",
    name="import",
)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@options.user_option
@options.place_options
@options.json_option
def import_memories(place: Place, file: str, user_id: str, as_json: bool) -> None:
    """Read what export wrote for this user.

    FILE may be - for stdin. What is there already is skipped; where a line is wrong nothing is stored. As
    JSON: imported and skipped.
    """
    with place.opened(embeds=True, creates=True) as memory, working("importing"):
        user = memory.for_user(user_id)
        report = user.import_memories(StringIO(_read(file)))
    if as_json:
        document(report)
    else:
        say(f"{report.imported} imported, {report.skipped} skipped: they were there already")
