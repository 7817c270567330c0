"""The command itself: its parts, and how it ends."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import click

from langmem_ext import __version__
from langmem_ext.cli import deleting, evaluating, reading, upkeep, writing
from langmem_ext.cli.failures import MEANINGS, Exit, advice, exit_code
from langmem_ext.cli.output import printable, say, use_utf8
from langmem_ext.errors import LangMemExtError

_CODES = "\n".join(f"  {code.value:<4}{meaning}" for code, meaning in MEANINGS.items())
_EPILOG = f"""\b
Where the memories are, in the order of what wins:
  --path or --url
  LANGMEM_EXT_PATH or LANGMEM_EXT_URL
  a TOML file: --config or LANGMEM_EXT_CONFIG

\b
Exit codes:
{_CODES}

\b
Examples:
  langmem-ext remember "The user lives in Lyon." --user ann --path ./memory_db
  langmem-ext search "Where does the user live?" --user ann --path ./memory_db
  langmem-ext list --help
"""


class _InOrder(click.Group):
    """Its help lists the commands as they were added: the most used first."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands."""
        return list(self.commands)


@click.group(cls=_InOrder, epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="langmem-ext")
def app() -> None:
    """Look into long-term memories, add to them, and delete from them.

    Data goes to stdout, everything else to stderr. --json prints the values of the Python API, with
    their attribute names.
    """


for _command in (
    upkeep.demo,
    writing.add,
    writing.remember,
    reading.search,
    reading.context,
    reading.list_memories,
    reading.show,
    reading.history,
    deleting.forget,
    deleting.delete,
    reading.export_memories,
    writing.import_memories,
    reading.users,
    upkeep.stats,
    upkeep.sweep,
    upkeep.erase,
    evaluating.evaluate,
):
    app.add_command(_command)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit code."""
    use_utf8()
    try:
        code = app.main(
            args=None if arguments is None else list(arguments),
            prog_name="langmem-ext",
            standalone_mode=False,
        )
        sys.stdout.flush()
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        where = context.command_path if context is not None else "langmem-ext"
        _complain(f"{error.format_message().rstrip('.')} (see {where} --help)")
        return Exit.USAGE
    except LangMemExtError as error:
        _complain(advice(error))
        return exit_code(error)
    except (click.Abort, KeyboardInterrupt):
        _complain("interrupted")
        return Exit.INTERRUPTED
    except OSError as error:  # of stdout: nobody reads on, or a full disk
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left is flushed at the end
        _complain(str(error))
        return Exit.FAILED
    return code if isinstance(code, int) else Exit.DONE


def _complain(message: str) -> None:
    """One line, whatever the message holds."""
    say(f"langmem-ext: {printable(' '.join(message.split()))}")
