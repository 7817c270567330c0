from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from langmem_ext.ports import MemoryStore
from langmem_ext.stores.chroma import ChromaStore
from tests.support.memories import FINGERPRINT, OpenStore

_numbers = itertools.count(1)


def server_store(url: str) -> ChromaStore:
    """A store of its own on the shared server."""
    return ChromaStore.server(url, FINGERPRINT, prefix=f"contract{next(_numbers)}")


@pytest.fixture(params=["ram", "embedded", "server"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MemoryStore]:
    """An empty store of each kind; a test with this fixture is a part of the port's contract."""
    if request.param == "ram":
        opened = ChromaStore.in_memory(FINGERPRINT)
    elif request.param == "embedded":
        opened = ChromaStore.embedded(tmp_path / "memories", FINGERPRINT)
    else:
        opened = server_store(request.getfixturevalue("chroma_url"))
    yield opened
    opened.close()


@pytest.fixture
def ram_store() -> Iterator[MemoryStore]:
    """An empty store in RAM."""
    opened = ChromaStore.in_memory(FINGERPRINT)
    yield opened
    opened.close()


@pytest.fixture(params=["embedded", "server"])
def reopen(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OpenStore]:
    """Opens one and the same lasting store again and again."""
    opened: list[ChromaStore] = []
    prefix = f"reopen{next(_numbers)}"

    def open_one() -> MemoryStore:
        if request.param == "embedded":
            store = ChromaStore.embedded(tmp_path / "memories", FINGERPRINT)
        else:
            url = request.getfixturevalue("chroma_url")
            store = ChromaStore.server(url, FINGERPRINT, prefix=prefix)
        opened.append(store)
        return store

    yield open_one
    for store in opened:
        store.close()
