"""For your own tests: doubles of an LLM, an embedder, a clock and ids, and the contract of a store.

Nothing here needs a network, a model or, to be imported, a test framework.
"""

from __future__ import annotations

import sys

if "pytest" in sys.modules:  # so that a failed assert of the contract shows the values, as in a test file
    sys.modules["pytest"].register_assert_rewrite("langmem_ext.testing.store_contract")

from langmem_ext.testing.doubles import (  # noqa: E402
    FakeEmbedder,
    ManualClock,
    ScriptedCall,
    ScriptedChatModel,
    ScriptedReply,
    ScriptExhaustedError,
    SequentialIds,
)
from langmem_ext.testing.filter_rules import check_filters, matches  # noqa: E402
from langmem_ext.testing.in_memory_store import InMemoryStore  # noqa: E402
from langmem_ext.testing.store_contract import StoreContract  # noqa: E402

__all__ = [
    "FakeEmbedder",
    "InMemoryStore",
    "ManualClock",
    "ScriptExhaustedError",
    "ScriptedCall",
    "ScriptedChatModel",
    "ScriptedReply",
    "SequentialIds",
    "StoreContract",
    "check_filters",
    "matches",
]
