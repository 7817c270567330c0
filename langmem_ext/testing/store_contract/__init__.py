"""The suite that every `MemoryStore` must pass."""

from __future__ import annotations

from langmem_ext.testing.store_contract.filters import FilterContract
from langmem_ext.testing.store_contract.rows import RowContract
from langmem_ext.testing.store_contract.upkeep import UpkeepContract


class StoreContract(RowContract, FilterContract, UpkeepContract):
    """What every `MemoryStore` must do, as tests for pytest. Inherit it to test a store of your own.

    Give it a fixture `store`: an empty store for each test. Where the rows outlast `close()`, override
    `reopen` as well; without it the tests of what lasts are skipped::

        class TestMyStore(StoreContract):
            @pytest.fixture
            def store(self, tmp_path):
                self.path = tmp_path / "memories"
                store = MyStore(self.path, self.fingerprint)
                yield store
                store.close()

            def reopen(self, store):
                return MyStore(self.path, self.fingerprint)

    A fixture with `params=[…]` runs all of it once per kind of store. Some tests write a thousand rows,
    and one writes from eight threads at once.

    Attributes:
        fingerprint: Of the vectors that the tests write; open the store with it.
        patience: Seconds that a test waits for what should happen at once, such as a user that is free.
    """


__all__ = ["StoreContract"]
