"""What holds after any sequence of proposals."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from langmem_ext.ports import StoredMemory
from langmem_ext.reconciliation import is_current, reconcile
from langmem_ext.testing import SequentialIds
from langmem_ext.text import comparison_key
from tests.support.memories import START
from tests.test_reconciliation import DAY, proposal

DAYS = st.integers(0, 8)
SENTENCES = st.sampled_from(
    ["tea", "Tea.", "TEA", "coffee", "Lyon", "lyon", "Nantes", "Paris", "杭州", "杭州。"]
)
SPOKEN = st.fixed_dictionaries(
    {"content": SENTENCES, "day": DAYS},
    optional={
        "key": st.sampled_from(["city", "drink"]),
        "replaces": st.integers(1, 6).map(lambda n: f"id{n:04}") | st.just("nobody"),
        "correction": st.booleans(),
        "valid_from": DAYS.map(lambda day: START + day * DAY),
        "valid_until": DAYS.map(lambda day: START + (day + 5) * DAY),
        "expires_at": DAYS.map(lambda day: START + (day + 9) * DAY),
        "turn_ids": st.sampled_from([("t1",), ("t2",)]),
    },
)
BATCHES = st.lists(st.lists(SPOKEN, min_size=1, max_size=4), min_size=1, max_size=6)


@settings(max_examples=300, deadline=None)
@given(BATCHES, st.lists(st.integers(0, 3), min_size=6, max_size=6))
def test_invariants(batches: list[list[dict[str, Any]]], steps: list[int]) -> None:
    rows: dict[str, StoredMemory] = {}
    new_id = SequentialIds("id")
    now = START + 8 * DAY
    for batch, step in zip(batches, steps, strict=False):
        now += step * timedelta(days=1)
        before = dict(rows)
        plan = reconcile([proposal(**spoken) for spoken in batch], rows.values(), now=now, new_id=new_id)
        rows.update({changed.item.memory_id: changed for changed in plan.rows})

        current = [row for row in rows.values() if is_current(row.item, now)]
        keys = Counter(row.item.key for row in current if row.item.key is not None)
        # One sentence may be the value of two attributes.
        sentences = Counter((comparison_key(row.item.content), row.item.key) for row in current)
        assert [key for key, count in keys.items() if count > 1] == []
        assert [text for text, count in sentences.items() if count > 1] == []

        assert len(plan.outcomes) == len(batch)
        for spoken, outcome in zip(batch, plan.outcomes, strict=True):
            assert outcome.memory is not None and outcome.memory == rows[outcome.memory.memory_id].item
            assert comparison_key(outcome.memory.content) == comparison_key(spoken["content"])
        assert before.keys() <= rows.keys()
        for memory_id, row in before.items():  # what was said is not rewritten
            assert rows[memory_id].item.content == row.item.content
            assert rows[memory_id].item.created_at == row.item.created_at

        for row in rows.values():
            successor = row.item.superseded_by
            if successor is None:
                assert row.item.retracted_at is None
                continue
            assert rows[successor].chain_id == row.chain_id
            assert not is_current(row.item, now)
        for row in rows.values():
            for replaced in row.item.supersedes:
                assert rows[replaced].item.superseded_by is not None
                assert rows[replaced].chain_id == row.chain_id
