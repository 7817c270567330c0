"""Stores with one fault each, and the tests of the contract that have to see it."""

from tests.stores.wrong_stores import filters, rows, upkeep  # noqa: F401  # each lists its stores
from tests.stores.wrong_stores.base import FAULTS, LastingStore

__all__ = ["FAULTS", "LastingStore"]
