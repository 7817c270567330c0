"""The contract of stores on Chroma in RAM, in a directory and on a server, and what is Chroma's own."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from langmem_ext.ports import MemoryStore
from langmem_ext.stores.chroma import ChromaStore
from langmem_ext.testing import StoreContract
from langmem_ext.testing.store_contract.examples import full_row
from tests.support.memories import FINGERPRINT, row

_numbers = itertools.count(1)


class TestChroma(StoreContract):
    open_again: Callable[[], ChromaStore] | None

    @pytest.fixture(params=["ram", "embedded", "server"])
    def store(self, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MemoryStore]:
        if request.param == "ram":
            self.open_again = None
            opened = ChromaStore.in_memory(self.fingerprint)
        else:
            self.open_again = partial(ChromaStore.embedded, tmp_path / "memories", self.fingerprint)
            if request.param == "server":
                url, prefix = request.getfixturevalue("chroma_url"), f"contract{next(_numbers)}"
                self.open_again = partial(ChromaStore.server, url, self.fingerprint, prefix=prefix)
            opened = self.open_again()
        yield opened
        opened.close()

    def reopen(self, store: MemoryStore) -> MemoryStore | None:
        return None if self.open_again is None else self.open_again()

    def test_only_a_server_is_shared_with_other_processes(
        self, store: MemoryStore, request: pytest.FixtureRequest
    ) -> None:
        assert store.shared is ("server" in request.node.callspec.id)


def test_rows_inherit_nothing_from_a_store_that_is_gone() -> None:
    """Stores in RAM share a database, in which Chroma may use the numbers of rows again."""
    first = ChromaStore.in_memory(FINGERPRINT)
    first.write("u1", [full_row(f"m{number}") for number in range(50)])
    first.close()
    second = ChromaStore.in_memory(FINGERPRINT)
    second.write("u1", [row(f"n{number}") for number in range(50)])
    assert second.find_ids("u1", {"turn_ids": "t1"}) == []
    assert {found.turn_ids for found in second.find("u1")} == {()}
    second.close()
