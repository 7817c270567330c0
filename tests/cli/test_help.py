"""A command that is not documented fails here."""

from __future__ import annotations

import re
import shlex
import tomllib
from importlib import import_module

import click
import pytest

from langmem_ext.cli.app import app
from langmem_ext.cli.failures import Exit
from tests.cli.running import PROJECT, Run

COMMANDS = (
    "demo add remember search context list show history forget delete export import users stats sweep erase "
    "eval"
).split()
WITHOUT_JSON = {"demo"}  # a tour for eyes
EXAMPLE = re.compile(r"^  (langmem-ext .*|.* \| langmem-ext .*)$", re.MULTILINE)


def examples(command: click.Command) -> list[str]:
    return EXAMPLE.findall(command.epilog or "")


def test_the_commands_are_what_was_agreed() -> None:
    assert list(app.commands) == COMMANDS


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_says_what_it_does_in_one_line_and_more(name: str) -> None:
    command = app.commands[name]
    short = command.get_short_help_str(limit=60)
    assert short and not short.endswith("..."), short
    if name not in WITHOUT_JSON:
        assert "JSON" in (command.help or "") and "--json" in flags(command)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_has_a_help_text(name: str) -> None:
    for option in app.commands[name].params:
        if isinstance(option, click.Option):
            assert option.help, option.name


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_names_its_store_and_has_examples_that_can_be_typed(name: str, run: Run) -> None:
    command = app.commands[name]
    assert {"--path"} <= flags(command)
    assert len(examples(command)) >= 2
    for example in examples(command):
        words = shlex.split(example.split(" > ")[0].split("langmem-ext ")[-1])
        words = [
            word
            for word in words
            if word not in ("--messages", "chat.json", "ann.jsonl", "--memories", "memories.jsonl")
        ]
        words = [__file__ if word == "questions.jsonl" else word for word in words]
        words += ["-"] if words[0] == "import" and "-" not in words else []
        assert words.pop(0) == name
        command.make_context(name, words)  # raises where an option or its value does not exist


def flags(command: click.Command) -> set[str]:
    return {flag for option in command.params for flag in option.opts}


def test_the_help_lists_the_exit_codes(run: Run) -> None:
    done = run("--help")
    for code in Exit:
        assert re.search(rf"^ +{code.value} +\w", done.out, re.MULTILINE)
    assert (done.code, done.err) == (0, "")


def test_the_readme_lists_the_commands_and_the_exit_codes() -> None:
    text = (PROJECT / "README.md").read_text(encoding="utf-8")
    _, found, section = text.partition("\n## Command line\n")
    assert found
    section = section.partition("\n## ")[0]
    for name in COMMANDS:
        assert re.search(rf"`{name}\b", section), name
    for code in Exit:
        assert re.search(rf"\| {code.value} \|", section), code


def test_the_installed_command_is_this_one() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    module, _, name = project["scripts"]["langmem-ext"].partition(":")
    assert callable(getattr(import_module(module), name))
