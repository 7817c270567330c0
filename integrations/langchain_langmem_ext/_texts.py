"""By which of its texts an item of a LangGraph store is found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from langgraph.store.base import get_text_at_path, tokenize_path

from langmem_ext.errors import InvalidInputError

Path: TypeAlias = "str | list[str]"


def tokenized(fields: Sequence[str]) -> tuple[Path, ...]:
    """Paths as LangGraph writes them, read once.

    Raises:
        InvalidInputError: not a sequence of strings.
    """
    if isinstance(fields, str) or not all(isinstance(field, str) for field in fields):
        raise InvalidInputError(f"fields must be a list of paths, got {fields!r}")
    return tuple(field if field == "$" else tokenize_path(field) for field in fields)


def texts_of(value: Mapping[str, Any], paths: Sequence[Path]) -> tuple[str, ...]:
    """The texts at these paths, each once.

    Raises:
        InvalidInputError: the value is no JSON object.
    """
    try:
        texts = [text for path in paths for text in get_text_at_path(dict(value), path)]
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"value must be a dict of JSON: {error}") from error
    return tuple(dict.fromkeys(texts))
