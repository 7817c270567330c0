"""The one JSON value that a model meant, out of what it wrote around it."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from typing import Any, NoReturn

# Far above any reply worth reading; bounds the work on a hostile one.
_MOST_CHARACTERS = 200_000
_MOST_UNCLOSED = 20
_MOST_BROKEN = 1_000
_MOST_REPAIRS = 100

_THINK_OPEN = re.compile(r"<(think|thinking|thought|reasoning)\b[^<>]*>", re.IGNORECASE)
_THINK_CLOSE = re.compile(r"</(?:think|thinking|thought|reasoning)\s*>", re.IGNORECASE)
_START = re.compile(r"[{\[]|<(?=/?(?:think|thought|reason))", re.IGNORECASE)
_LOOKS_LIKE_JSON = re.compile(r"""\{\s*["}]|\[\s*[\[{"\]]""")
_CLOSES = re.compile(r"\s*[}\]]")
_BEGINS = re.compile(r"\s*(?:(?:```|~~~)\w*\s*)?[\[{]")
_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"?|[{}\[\]]', re.DOTALL)


class ReplyShapeError(ValueError):
    """A reply is not the JSON that was asked for. The message names fields, and holds no values."""


def parse_json_reply(text: str, fields: Collection[str] = ()) -> Any:
    """The object or array that a reply consists of, or contains.

    Read past: a BOM, code fences, sentences around the JSON, thinking blocks (open ones too), and
    commas before a closing bracket. Never invented: a missing end. A reply that breaks off inside
    its JSON is an error, although parts of it would parse.

    Objects without one of `fields` that follow one another directly, as in JSON lines, are one array.
    Of several values the last one counts that is an object with one of `fields` (in any case), or an
    array of objects; models show an example before the answer, and remarks in brackets after it. But
    where the reply begins with such a value, an empty one behind it ("... or {"memories": []}") is no
    answer. Without such a value the last object counts, then the last array of strings.

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
        found = _choose(text[closes[-1].end() :], fields)
        if found is not None:
            return found
    found = _choose(text, fields)
    if found is None:
        raise ReplyShapeError("the reply holds no complete JSON object or array")
    return found


def _choose(text: str, fields: Collection[str]) -> Any | None:
    values = _values(text, fields)
    full = [value for value in values if _is_full(value, fields)]
    objects = [value for value in values if isinstance(value, dict)]
    texts = [value for value in values if _holds_only(value, str)]
    if full and full[0] is values[0] and _BEGINS.match(text):
        full = [value for value in full if not _is_empty(value)] or full
    return next(reversed(full or objects or texts), None)


def _is_full(value: Any, fields: Collection[str]) -> bool:
    if isinstance(value, list):
        return not value or _holds_only(value, dict) or all(_holds_only(part, dict) for part in value)
    return not fields or _has_any(value, fields)


def _has_any(value: Mapping[str, Any], fields: Collection[str]) -> bool:
    wanted = {name.casefold() for name in fields}
    return any(name.strip().casefold() in wanted for name in value)


def _holds_only(value: Any, kind: type) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(part, kind) for part in value)


def _is_empty(value: Any) -> bool:
    return not value or (isinstance(value, dict) and not any(value.values()))


class _Lines(list[Any]):
    """Objects that followed one another."""


def _values(text: str, fields: Collection[str]) -> list[Any]:
    """The complete objects and arrays that stand in the text itself, not inside of one another.

    Raises:
        ReplyShapeError: the text ends inside of one.
    """
    position = unclosed = broken = end = 0
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
            broken += 1
            if unclosed > _MOST_UNCLOSED or broken > _MOST_BROKEN:
                raise ReplyShapeError("too many brackets in the reply are not JSON") from None
            position = after
        else:
            bare = isinstance(value, dict) and bool(fields) and not _has_any(value, fields)
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
    end = _closing(text, position)
    if end is not None:
        return end
    if _LOOKS_LIKE_JSON.match(text, position):
        raise ReplyShapeError("the reply breaks off inside its JSON, or a bracket in it does not close")
    return position + 1


def _closing(text: str, position: int) -> int | None:
    """Behind the bracket that closes the one at this position."""
    depth = 0
    for token in _STRING_OR_BRACKET.finditer(text, position):
        depth += (token.group() in ("{", "[")) - (token.group() in ("}", "]"))
        if depth == 0:
            return token.end()
    return None


def _decode(text: str, position: int) -> tuple[Any, int]:
    """The value at this position and where it ends; commas before a closing bracket are dropped."""
    try:
        return _raw_decode(text, position)
    except json.JSONDecodeError as error:
        if _comma_to_drop(text, error.pos) is None or (end := _closing(text, position)) is None:
            raise
    value, length = _repaired(text[position:end])
    return value, position + length


def _repaired(part: str) -> tuple[Any, int]:
    removed = 0
    while True:
        try:
            return _raw_decode(part, 0)
        except json.JSONDecodeError as error:
            comma = _comma_to_drop(part, error.pos)
            if comma is None or removed == _MOST_REPAIRS:
                raise
            # A space instead of the comma: positions stay as they are.
            part = f"{part[:comma]} {part[comma + 1 :]}"
            removed += 1


def _raw_decode(text: str, position: int) -> tuple[Any, int]:
    try:
        return _DECODER.raw_decode(text, position)
    except RecursionError as error:
        raise ReplyShapeError("the JSON in the reply is nested too deeply") from error


def _comma_to_drop(text: str, position: int) -> int | None:
    # Python 3.13 reports the comma, earlier ones the bracket behind it.
    if text[position : position + 1] != ",":
        position -= 1
        while position >= 0 and text[position].isspace():
            position -= 1
    if position < 0 or text[position] != ",":
        return None
    return position if _CLOSES.match(text, position + 1) else None


def _no_constant(name: str) -> NoReturn:
    raise ReplyShapeError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_no_constant)
