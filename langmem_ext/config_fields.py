"""The fields of a configuration, and what each may hold."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Kind:
    """What a field holds.

    Attributes:
        type: str, bool, int, float (whole numbers too) or dict (texts by name).
        wanted: In words, to stand after "must be".
        least: The smallest number.
        above: A number must be greater than this.
        choices: The only texts.
        blank: Whether a text may be blank.
        scheme: Whether a text must begin like an HTTP address.
    """

    type: type
    wanted: str
    least: float = -math.inf
    above: float = -math.inf
    choices: tuple[str, ...] = ()
    blank: bool = False
    scheme: bool = False


TEXT: Final = Kind(str, "a text that is not blank")
URL: Final = Kind(str, "an address such as http://localhost:8000", scheme=True)
PREFIX: Final = Kind(str, "a text", blank=True)
FLAG: Final = Kind(bool, "true or false")
TEXTS: Final = Kind(dict, "a table of texts")
SECONDS: Final = Kind(float, "a number of seconds above 0", above=0)
TEMPERATURE: Final = Kind(float, "a number, 0 or more", least=0)
COUNT: Final = Kind(int, "a whole number, 0 or more", least=0)
POSITIVE: Final = Kind(int, "a whole number, 1 or more", least=1)

TOP: Final[Mapping[str, Kind]] = {
    "path": TEXT,
    "url": URL,
    "headers": TEXTS,
    "headers_env": TEXTS,
    "state_path": TEXT,
    "instructions": TEXT,
    "timezone": TEXT,
    "log_queries": FLAG,
}
_SERVER: Final[Mapping[str, Kind]] = {
    "model": TEXT,
    "base_url": URL,
    "api_key_env": TEXT,
    "timeout": SECONDS,
    "max_retries": COUNT,
}
LLM: Final[Mapping[str, Kind]] = {**_SERVER, "temperature": TEMPERATURE, "max_tokens": POSITIVE}
_PREFIXES: Final[Mapping[str, Kind]] = {"query_prefix": PREFIX, "document_prefix": PREFIX}
EMBEDDERS: Final[Mapping[str, Mapping[str, Kind]]] = {
    "default": {},
    "packaged": {},
    "sentence-transformers": {
        "model": TEXT,
        "device": TEXT,
        "batch_size": POSITIVE,
        **_PREFIXES,
        "local_files_only": FLAG,
        "revision": TEXT,
        "name": TEXT,
    },
    "openai": {
        **_SERVER,
        "dim": POSITIVE,
        "batch_size": POSITIVE,
        "max_tokens": POSITIVE,
        **_PREFIXES,
        "query_model": TEXT,
        "document_model": TEXT,
    },
}
_KIND: Final = Kind(str, f"one of {', '.join(EMBEDDERS)}", choices=tuple(EMBEDDERS))
_OF_ANY_EMBEDDER: Final = {name: kind for fields in EMBEDDERS.values() for name, kind in fields.items()}
TABLES: Final[Mapping[str, Mapping[str, Kind]]] = {
    "llm": LLM,
    "embedder": {"kind": _KIND, **_OF_ANY_EMBEDDER},
}


def problem(value: Any, kind: Kind) -> str | None:
    """What the field wants, where this value is not it; else None."""
    return None if _fits(value, kind) else kind.wanted


def _fits(value: Any, kind: Kind) -> bool:
    if kind.type is bool:
        return isinstance(value, bool)
    if kind.type is dict:
        return isinstance(value, Mapping) and all(
            isinstance(text, str) and text.strip() for pair in value.items() for text in pair
        )
    if kind.type is str:
        return isinstance(value, str | os.PathLike) and _text_fits(os.fspath(value), kind)
    if isinstance(value, bool) or not isinstance(value, int if kind.type is int else int | float):
        return False
    return value >= kind.least and value > kind.above and value < math.inf  # not NaN either


def _text_fits(text: str | bytes, kind: Kind) -> bool:
    if not isinstance(text, str) or not (kind.blank or text.strip()):
        return False
    if kind.choices:
        return text in kind.choices
    return not kind.scheme or text.lower().startswith(("http://", "https://"))
