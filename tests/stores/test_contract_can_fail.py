"""The contract passes on a right store, and every test of it sees a wrong one."""

from __future__ import annotations

from collections.abc import Iterator
from unittest import SkipTest

import pytest

from langmem_ext.errors import StorageError
from langmem_ext.ports import MemoryStore
from langmem_ext.testing import InMemoryStore, StoreContract
from tests.stores.wrong_stores import FAULTS, LastingStore


class TestInMemoryStore(StoreContract):
    @pytest.fixture
    def store(self) -> Iterator[MemoryStore]:
        store = InMemoryStore(self.fingerprint)
        yield store
        store.close()


class TestLastingStore(StoreContract):
    @pytest.fixture
    def store(self) -> Iterator[MemoryStore]:
        store = LastingStore(self.fingerprint)
        yield store
        store.close()

    def reopen(self, store: MemoryStore) -> MemoryStore:
        assert isinstance(store, LastingStore)
        return store.again()


class ImpatientContract(TestLastingStore):
    """Waits for next to nothing, because the store will not come."""

    __test__ = False
    patience = 0.2


@pytest.mark.parametrize("wrong", FAULTS, ids=lambda wrong: wrong.__name__)
def test_a_wrong_store_is_seen(wrong: type[InMemoryStore]) -> None:
    for name in FAULTS[wrong]:
        store = wrong(ImpatientContract.fingerprint)
        try:
            getattr(ImpatientContract(), name)(store)
        except SkipTest:
            pytest.fail(f"{name} was skipped")
        except (AssertionError, StorageError):
            continue
        pytest.fail(f"{name} passes on {wrong.__name__}")


def test_every_test_of_the_contract_can_fail() -> None:
    tests = {name for name in dir(StoreContract) if name.startswith("test_")}
    assert {name for names in FAULTS.values() for name in names} == tests


def test_what_lasts_is_skipped_where_nothing_does() -> None:
    with pytest.raises(SkipTest, match="reopen"):
        StoreContract().test_rows_outlast_the_store(InMemoryStore(StoreContract.fingerprint))
