"""LangGraph's namespaces: labels that may hold any text, their rules, and what a listing matches."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from langgraph.store.base import (
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    SearchOp,
)

from langmem_ext.errors import InvalidInputError

# What LangGraph forbids in a label, its wildcard, and the sign that escapes them.
_ESCAPED: Final = {".": "%2E", "\x00": "%00", "*": "%2A", "%": "%25"}
_TEXTS: Final = {code: char for char, code in _ESCAPED.items()}


def namespace_label(text: str) -> str:
    """A label for a namespace that stands for any text, such as an e-mail address as user id.

    LangGraph forbids full stops in labels. `ann@example.org` becomes `ann@example%2Eorg`; the store reads it
    back, so that the item belongs to `memory.for_user("ann@example.org")`. No two texts share a label.

    Raises:
        InvalidInputError: not a non-blank string.
    """
    if not isinstance(text, str) or not text.strip():
        raise InvalidInputError(f"a label stands for a non-blank string, got {text!r}")
    return re.sub(r"[.\x00*%]", lambda found: _ESCAPED[found[0]], text)


def text_in(label: str) -> str:
    """What a label stands for."""
    return re.sub(r"%(?:2E|00|2A|25)", lambda found: _TEXTS[found[0]], label)


def check_labels(op: Op) -> None:
    """Refuse labels that LangGraph does not allow; calls of `batch` come here unchecked.

    Raises:
        InvalidNamespaceError: a label that is no string, is empty, or holds a full stop or a NUL.
    """
    if isinstance(op, GetOp | PutOp):
        paths: Sequence[Sequence[object]] = [op.namespace]
    elif isinstance(op, SearchOp):
        paths = [op.namespace_prefix]
    elif isinstance(op, ListNamespacesOp):
        paths = [condition.path for condition in op.match_conditions or ()]
    else:
        raise InvalidInputError(f"unknown operation {type(op).__name__}")
    for path in paths:
        for label in path:
            if not isinstance(label, str) or not label or "." in label or "\x00" in label:
                raise InvalidNamespaceError(
                    f"{label!r} in {tuple(path)!r} is no label: non-empty strings without full stops are; "
                    "namespace_label() makes one of any text"
                )


def listed(namespaces: Sequence[tuple[str, ...]], op: ListNamespacesOp) -> list[tuple[str, ...]]:
    """What a listing asks for, of all namespaces in order."""
    found = [
        namespace
        for namespace in namespaces
        if all(_matches(condition, namespace) for condition in op.match_conditions or ())
    ]
    if op.max_depth is not None:
        found = sorted({namespace[: op.max_depth] for namespace in found})
    return found[op.offset : op.offset + op.limit]


def _matches(condition: MatchCondition, namespace: tuple[str, ...]) -> bool:
    path = tuple(condition.path)
    if len(namespace) < len(path):
        return False
    part = (
        namespace[: len(path)]
        if condition.match_type == "prefix"
        else namespace[len(namespace) - len(path) :]
    )
    return all(wanted in ("*", label) for wanted, label in zip(path, part, strict=True))
