"""The few ways in which the contract checks an answer, with what a failure has to say."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from datetime import datetime
from typing import Any

from langmem_ext.items import MemoryItem
from langmem_ext.ports import StoredMemory


def ids(rows: Iterable[StoredMemory]) -> list[str]:
    """The memory ids, in order."""
    return [one.item.memory_id for one in rows]


def assert_same(found: Sequence[StoredMemory], expected: Sequence[StoredMemory]) -> None:
    """Fail, and name the fields, unless these are the same rows with the same values of the same types.

    The store's own `sequence` only has to be there.
    """
    assert ids(found) == ids(expected)
    for one, other in zip(found, expected, strict=True):
        differing = differences(one, other)
        assert not differing, f"{other.item.memory_id!r} came back with other fields: {differing}"


def differences(found: StoredMemory, expected: StoredMemory) -> dict[str, tuple[Any, Any]]:
    """Field -> what was found and what was expected, where the two differ."""
    import numpy as np

    pairs = {
        f.name: (getattr(found.item, f.name), getattr(expected.item, f.name)) for f in fields(MemoryItem)
    }
    pairs |= {name: (getattr(found, name), getattr(expected, name)) for name in ("chain_id", "turn_ids")}
    differing = {name: pair for name, pair in pairs.items() if _exact(pair[0]) != _exact(pair[1])}
    if not np.allclose(found.vector, expected.vector, atol=1e-6):
        differing["vector"] = (found.vector[:4], expected.vector[:4])
    if not found.sequence > 0:
        differing["sequence"] = (found.sequence, "a number above 0")
    return differing


def _exact(value: Any) -> Any:
    """With types, which `==` overlooks: 1, 1.0 and True are three values, and so are two zones."""
    if isinstance(value, Mapping):
        return {key: _exact(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [type(value), *map(_exact, value)]
    return type(value), value.isoformat() if isinstance(value, datetime) else value


@contextmanager
def raises(error: type[Exception], words: str, call: str) -> Iterator[None]:
    """Fail unless the block raises this error with a message that matches `words`; `call` names it."""
    try:
        yield
    except error as caught:
        assert re.search(words, str(caught)), f"{call}: the message does not match {words!r}: {caught}"
    else:
        raise AssertionError(f"{call} must raise {error.__name__}, and raised nothing")


def run_at_once(functions: Iterable[Callable[[], None]], patience: float, otherwise: str) -> None:
    """Run each function in a thread of its own, and raise the first error of any.

    Fails with `otherwise` when they have not come to an end after `patience` seconds.
    """
    failures: list[BaseException] = []

    def run(function: Callable[[], None]) -> None:
        try:
            function()
        except BaseException as error:  # raised below, in the thread of the test
            failures.append(error)

    threads = [threading.Thread(target=run, args=(function,), daemon=True) for function in functions]
    deadline = time.monotonic() + patience
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
    if failures:
        raise failures[0]
    assert not any(thread.is_alive() for thread in threads), otherwise
