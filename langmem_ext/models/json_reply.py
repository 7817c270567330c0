"""The one JSON value that a model meant, out of what it wrote around it."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import Any, NoReturn

# Far above any reply worth reading; bounds the work on a hostile one.
_MOST_CHARACTERS = 200_000
_MOST_UNCLOSED = 20
_MOST_REPAIRS = 100

_THINK_OPEN = re.compile(r"<(think|thinking|thought|reasoning)\b[^<>]*>", re.IGNORECASE)
_THINK_CLOSE = re.compile(r"</(?:think|thinking|thought|reasoning)\s*>", re.IGNORECASE)
_START = re.compile(r"[{\[]|<(?=/?(?:think|thought|reason))", re.IGNORECASE)
_LOOKS_LIKE_JSON = re.compile(r"""\{\s*["}]|\[\s*[\[{"\]]""")
_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"?|[{}\[\]]', re.DOTALL)


class ReplyShapeError(ValueError):
    """A reply is not the JSON that was asked for. The message names fields, and holds no values."""


def parse_json_reply(text: str, fields: Collection[str] = ()) -> Any:
    """The object or array that a reply consists of, or contains.

    Read past: a BOM, code fences, sentences around the JSON, thinking blocks (open ones too), and
    commas before a closing bracket. Never invented: a missing end. A reply that breaks off inside
    its JSON is an error, although parts of it would parse.

    Objects without one of `fields` that follow one another directly, as in JSON lines, are one array.
    Of several values the last one counts that is an object with one of `fields`, or an array of
    objects; models show an example before the answer, and remarks in brackets after it. Without
    such a value the last object counts.

    Args:
        text: The reply.
        fields: Names of which the object that was asked for has at least one.

    Raises:
        ReplyShapeError: there is no such value.
    """
    text = text.replace("\ufeff", "").strip()
    if len(text) > _MOST_CHARACTERS:
        raise ReplyShapeError(f"the reply is longer than {_MOST_CHARACTERS} characters")
    if text[:1] in ("{", "["):
        try:
            value, end = _decode(text, 0)
        except ValueError:
            pass
        else:
            if end == len(text):
                return value
    closes = list(_THINK_CLOSE.finditer(text))
    if closes:  # what follows the thinking is the answer, if there is anything in it
        found = _choose(_values(text[closes[-1].end() :], fields), fields)
        if found is not None:
            return found
    found = _choose(_values(text, fields), fields)
    if found is None:
        raise ReplyShapeError("the reply holds no complete JSON object or array")
    return found


def _choose(values: list[Any], fields: Collection[str]) -> Any | None:
    def is_full(value: Any) -> bool:
        if isinstance(value, list):
            return all(isinstance(entry, dict) for entry in value)
        return not fields or any(name in value for name in fields)

    full = [value for value in values if is_full(value)]
    objects = [value for value in values if isinstance(value, dict)]
    return next(reversed(full or objects), None)


class _Lines(list[Any]):
    """Objects that followed one another."""


def _values(text: str, fields: Collection[str]) -> list[Any]:
    """The complete objects and arrays that stand in the text itself, not inside of one another.

    Raises:
        ReplyShapeError: the text ends inside of one.
    """
    position = unclosed = end = 0
    found: list[Any] = []
    while start := _START.search(text, position):
        position = begin = start.start()
        if text[position] == "<":
            position, drop = _after_thinking(text, position)
            if drop:
                found.clear()
            continue
        try:
            value, position = _decode(text, position)
        except ValueError:
            after = _after_broken(text, position)
            unclosed += after == position + 1
            if unclosed > _MOST_UNCLOSED:
                raise ReplyShapeError("too many brackets in the reply do not close") from None
            position = after
        else:
            bare = isinstance(value, dict) and bool(fields) and not any(name in value for name in fields)
            if bare and found and isinstance(found[-1], _Lines) and not text[end:begin].strip(", \t\r\n"):
                found[-1].append(value)
            else:
                found.append(_Lines([value]) if bare else value)
            end = position
    return [value[0] if isinstance(value, _Lines) and len(value) == 1 else value for value in found]


def _after_thinking(text: str, position: int) -> tuple[int, bool]:
    """Where to read on after a thinking tag, and whether all before it was thinking."""
    if _THINK_CLOSE.match(text, position):  # some chat templates write the opening tag themselves
        return position + 1, True
    opening = _THINK_OPEN.match(text, position)
    if opening is None:
        return position + 1, False
    closing = _THINK_CLOSE.search(text, opening.end())
    return (closing.end() if closing else len(text)), False


def _after_broken(text: str, position: int) -> int:
    """Where to read on after a bracket that does not begin JSON; what it encloses is skipped.

    Inside broken JSON there are values that parse, and each is only a part of what was meant.

    Raises:
        ReplyShapeError: it never closes and looks like JSON: the reply broke off there.
    """
    depth = 0
    for token in _STRING_OR_BRACKET.finditer(text, position):
        depth += (token.group() in ("{", "[")) - (token.group() in ("}", "]"))
        if depth == 0:
            return token.end()
    if _LOOKS_LIKE_JSON.match(text, position):
        raise ReplyShapeError("the reply breaks off inside its JSON, or a bracket in it does not close")
    return position + 1


def _decode(text: str, position: int) -> tuple[Any, int]:
    """The value at this position and where it ends; commas before a closing bracket are dropped."""
    removed = 0
    while True:
        try:
            value, end = _DECODER.raw_decode(text, position)
        except json.JSONDecodeError as error:
            comma = _comma_to_drop(text, error.pos)
            if comma is None or comma < position or removed == _MOST_REPAIRS:
                raise
            # A space instead of the comma: positions stay as they are.
            text = f"{text[:comma]} {text[comma + 1 :]}"
            removed += 1
        except RecursionError as error:
            raise ReplyShapeError("the JSON in the reply is nested too deeply") from error
        else:
            return value, end


def _comma_to_drop(text: str, position: int) -> int | None:
    # Python 3.13 reports the comma, earlier ones the bracket behind it.
    if text[position : position + 1] != ",":
        position = len(text[:position].rstrip()) - 1
    if position < 0 or text[position] != ",":
        return None
    return position if text[position + 1 :].lstrip()[:1] in ("}", "]") else None


def _no_constant(name: str) -> NoReturn:
    raise ReplyShapeError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_no_constant)
