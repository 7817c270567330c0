"""What commands have in common: their options, and help with examples."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from typing import Any

import click

from langmem_ext.cli.opening import Place
from langmem_ext.items import MEMORY_TYPES

Body = Callable[..., None]


def command(*examples: str, name: str | None = None) -> Callable[[Body], click.Command]:
    """A command whose help ends with examples of its use."""
    lines = "\n".join(
        f"  {example}" if " | langmem-ext " in example else f"  langmem-ext {example}" for example in examples
    )

    def made(body: Body) -> click.Command:
        return click.command(name, epilog=f"\b\nExamples:\n{lines}", no_args_is_help=False)(body)

    return made


def place_options(body: Body) -> Body:
    """`--config`, `--path` and `--url`, handed over as one `place`."""

    @click.option("--config", metavar="FILE", help="A TOML file [LANGMEM_EXT_CONFIG].")
    @click.option("--url", metavar="ADDRESS", help="The Chroma server that has them [LANGMEM_EXT_URL].")
    @click.option("--path", metavar="DIRECTORY", help="The directory of the memories [LANGMEM_EXT_PATH].")
    @functools.wraps(body)
    def with_place(config: str | None, path: str | None, url: str | None, **others: Any) -> None:
        body(place=Place(config, path, url), **others)

    return with_place


user_option = click.option(
    "--user",
    "-u",
    "user_id",
    metavar="ID",
    required=True,
    envvar="LANGMEM_EXT_USER",
    help="Whose memories [LANGMEM_EXT_USER].",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
yes_option = click.option("--yes", "-y", is_flag=True, help="Do not ask.")
type_option = click.option("--type", "memory_type", type=click.Choice(MEMORY_TYPES), help="Only this type.")
as_of_option = click.option("--as-of", metavar="TIME", help="What was true then: 2026-05-01T00:00+02:00.")
agent_option = click.option("--agent", metavar="ID", help="A label on what is written.")
session_option = click.option("--session", metavar="ID", help="Another label; tells equal turns apart.")


def json_object(ctx: click.Context, param: click.Parameter, value: str | None) -> dict[str, Any] | None:
    """The JSON object in an option; a usage error where it is none."""
    if value is None:
        return None
    try:
        parsed = json.loads(value)
    except (ValueError, RecursionError):
        parsed = None
    if not isinstance(parsed, dict):
        raise click.BadParameter('it must be a JSON object such as \'{"topic": "work"}\'', ctx, param)
    return parsed


filter_option = click.option(
    "--filter",
    "filters",
    metavar="JSON",
    callback=json_object,
    help='Conditions on fields and metadata: \'{"year": {"$gte": 2024}}\'.',
)


def query_options(body: Body) -> Body:
    """What narrows a search."""
    for option in (as_of_option, filter_option, type_option):
        body = option(body)
    return click.option(
        "--min-similarity", type=float, metavar="0..1", help="Leave out what is less similar."
    )(body)
