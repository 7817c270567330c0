"""The line behind a magic: options at its ends, and between them a text that is taken as it is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from langmem_ext.errors import InvalidInputError

Kinds: TypeAlias = Mapping[str, type]  # option -> bool for a flag, str, int or float for a value

_VALUE: Final = r"""(?:"[^"]*"|'[^']*'|\S+)"""
_FIRST: Final = re.compile(rf"--([a-z][a-z-]*)(?:(?:=|\s+)({_VALUE}))?(?=\s|$)")
_QUESTION: Final = re.compile(r"\s*(?:[\w, ]+=\s*)?%(?:recall|remember|memory)\s+\S.*\?\s*$", re.DOTALL)
_END: Final = " --"
_COMMENT: Final = re.compile(r"\s+#\s.*$")
_QUOTED: Final = re.compile(r"""(?s)(["'])((?:(?!\1).)*)\1""")


@dataclass(frozen=True, slots=True)
class Line:
    """A line as it was read."""

    text: str
    options: Mapping[str, Any]

    def get(self, name: str, default: Any = None) -> Any:
        """The value of an option."""
        return self.options.get(name, default)


def keep_questions(cell: list[str]) -> list[str]:
    """Lines of a cell, with an end mark behind the questions in them.

    IPython takes a `?` at the end of a line for a wish for help on the last word: "Where do I live?" would
    look for an object named live.
    """
    if cell and cell[0].startswith("%%"):
        return cell
    return [f"{line.rstrip()}{_END}\n" if _QUESTION.match(line) else line for line in cell]


def read_line(line: str, kinds: Kinds, *, free: bool = False) -> Line:
    """Take the options off both ends of a line; a comment behind it goes, unless it may be somebody's words.

    Args:
        line: What follows the magic.
        kinds: The options that there are.
        free: The rest is what somebody says, and may have `--` in it.

    Raises:
        InvalidInputError: an option that does not exist, or a value that it cannot have.
    """
    rest, options = line.strip().removesuffix(_END), dict[str, Any]()
    if not free:
        rest = _COMMENT.sub("", rest)
    while found := _FIRST.match(rest):
        rest = _take(rest, found.start(), found.group(1), kinds, options, at_start=True)
    names = "|".join(map(re.escape, kinds))
    last = re.compile(rf"(?:^|\s)--({names})(?:(?:=|\s+){_VALUE})?$")
    while names and (found := last.search(rest)) and _fits(found, kinds):
        start = found.start(1) - 2
        rest = rest[:start].rstrip() + _take(rest[start:], 0, found.group(1), kinds, options, at_start=False)
    if rest.startswith("-- "):
        rest = rest[3:].lstrip()
    elif not free and (stray := re.search(r"(?:^|\s)--([a-z]\S*)", rest)):
        raise _unknown(stray.group(1), kinds)
    if quoted := _QUOTED.fullmatch(rest):
        rest = quoted.group(2)
    return Line(rest, options)


def _fits(found: re.Match[str], kinds: Kinds) -> bool:
    """Whether the last option of a line ends it: a flag followed by words does not."""
    return kinds[found.group(1)] is not bool or found.group(0).strip() == f"--{found.group(1)}"


def _take(rest: str, start: int, name: str, kinds: Kinds, options: dict[str, Any], *, at_start: bool) -> str:
    """Read the option at the start of `rest` into `options`; returns what follows."""
    if name not in kinds:
        raise _unknown(name, kinds)
    after = rest[start + 2 + len(name) :]
    if kinds[name] is bool:
        options[name] = True
        return after.lstrip() if at_start else after
    value = re.match(rf"(?:=|\s+)({_VALUE})", after)
    if value is None:
        raise InvalidInputError(f"--{name} needs a value")
    options[name] = _converted(name, value.group(1), kinds[name])
    return after[value.end() :].lstrip()


def _converted(name: str, value: str, kind: type) -> Any:
    if quoted := _QUOTED.fullmatch(value):
        value = quoted.group(2)
    try:
        return kind(value)
    except ValueError as error:
        what = {int: "a whole number", float: "a number"}[kind]
        raise InvalidInputError(f"--{name} must be {what}, got {value!r}") from error


def _unknown(name: str, kinds: Kinds) -> InvalidInputError:
    known = ", ".join(f"--{kind}" for kind in kinds) or "none"
    return InvalidInputError(f"there is no option --{name} here; there are: {known}")
