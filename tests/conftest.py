"""Fixtures for all tests: doubles, memories that are closed again, and a real Chroma server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from langmem_ext import LongTermMemory, UserMemory
from langmem_ext.state import Outbox
from langmem_ext.testing import FakeEmbedder, ManualClock, SequentialIds
from tests.support.chroma_server import ChromaServer
from tests.support.memories import OpenMemory
from tests.support.outbox import OpenOutbox


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--kills", type=int, default=4, help="how often the durability test kills a writer")


@pytest.fixture(scope="session")
def chroma_url() -> Iterator[str]:
    """A server that the whole run shares; use names of your own on it."""
    with ChromaServer() as server:
        yield server.url


@pytest.fixture
def clock() -> ManualClock:
    """Stands still until a test moves it."""
    return ManualClock()


@pytest.fixture
def embedder() -> FakeEmbedder:
    """Texts are similar when they share words."""
    return FakeEmbedder()


@pytest.fixture
def open_memory(clock: ManualClock, embedder: FakeEmbedder) -> Iterator[OpenMemory]:
    """Opens memories, in RAM with the doubles by default, and closes them after the test."""
    opened: list[LongTermMemory] = []

    def open_one(path: Any = None, **options: Any) -> LongTermMemory:
        memory = LongTermMemory(path, **{"embedder": embedder, "clock": clock, **options})
        opened.append(memory)
        return memory

    yield open_one
    for memory in reversed(opened):
        memory.close()


@pytest.fixture
def memory(open_memory: OpenMemory) -> LongTermMemory:
    """In RAM, with the doubles and without an LLM."""
    return open_memory()


@pytest.fixture
def user(memory: LongTermMemory) -> UserMemory:
    """A user of that memory."""
    return memory.for_user("u1")


@pytest.fixture
def open_outbox(tmp_path: Path, clock: ManualClock) -> Iterator[OpenOutbox]:
    """Opens the file, and closes before that what was open."""
    ids = SequentialIds()
    opened: list[Outbox] = []

    def open_one() -> Outbox:
        for other in opened:
            other.close()
        opened.append(Outbox(tmp_path / "state.sqlite3", clock=clock, new_id=ids))
        return opened[-1]

    yield open_one
    for outbox in opened:
        outbox.close()


@pytest.fixture
def outbox(open_outbox: OpenOutbox) -> Outbox:
    return open_outbox()
