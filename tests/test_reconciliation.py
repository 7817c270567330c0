"""What becomes of a new memory beside the old ones; no store, no model."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from langmem_ext.items import Scope, Source
from langmem_ext.ports import StoredMemory
from langmem_ext.reconciliation import Plan, Proposal, is_current, reconcile
from langmem_ext.testing import SequentialIds
from tests.support.memories import START, row

DAY = timedelta(days=1)
NOW = START + 100 * DAY


def proposal(content: str, day: float = 50, **fields: Any) -> Proposal:
    """Something said on this day after START."""
    return Proposal(
        **{
            "scope": Scope("u1"),
            "content": content,
            "vector": np.zeros(2, np.float32),
            "memory_type": "semantic",
            "observed_at": START + day * DAY,
            **fields,
        }
    )


def decide(proposals: list[Proposal], known: list[StoredMemory] | None = None) -> Plan:
    return reconcile(proposals, known or [], now=NOW, new_id=SequentialIds("new"))


def by_id(plan: Plan) -> dict[str, StoredMemory]:
    return {changed.item.memory_id: changed for changed in plan.rows}


def test_something_new_is_added_as_it_was_proposed() -> None:
    source = Source("m1", "user", "I drink tea")
    plan = decide(
        [
            proposal(
                "User drinks tea",
                key="drink",
                source=(source,),
                turn_ids=("t1",),
                metadata={"a": 1},
                importance=0.5,
            )
        ]
    )
    (outcome,) = plan.outcomes
    item = plan.rows[0].item
    assert (outcome.action, outcome.memory, outcome.previous) == ("added", item, None)
    assert (item.memory_id, item.user_id, item.content, item.key) == (
        "new0001",
        "u1",
        "User drinks tea",
        "drink",
    )
    assert (item.created_at, item.updated_at, item.recorded_at, item.valid_from) == (
        NOW, NOW, START + 50 * DAY, START + 50 * DAY,
    )  # fmt: skip
    assert (item.source, dict(item.metadata), item.importance) == ((source,), {"a": 1}, 0.5)
    assert (plan.rows[0].chain_id, plan.rows[0].turn_ids) == ("new0001", ("t1",))


@pytest.mark.parametrize("again", ["User drinks tea", "user  drinks TEA.", "User drinks ｔｅａ"])
def test_the_same_sentence_touches_the_old_row(again: str) -> None:
    old = row("old", "User drinks tea", source=(Source("m0", "user", "tea"),), importance=0.4)
    source = Source("m1", "user", "tea again")
    plan = decide([proposal(again, source=(source,), turn_ids=("t2",), importance=0.3)], [old])
    (outcome,) = plan.outcomes
    assert (outcome.action, outcome.previous) == ("touched", None)
    item = by_id(plan)["old"].item
    assert outcome.memory == item
    assert (item.content, item.created_at, item.updated_at) == ("User drinks tea", START, NOW)
    assert item.source == (*old.item.source, source)
    assert (item.importance, item.recorded_at) == (0.4, START + 50 * DAY)
    assert by_id(plan)["old"].turn_ids == ("t2",)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The user likes tea", "User really enjoys tea."),
        ("用户喜欢喝茶", "用户很爱喝茶。"),
        ("The user has a dog named Rex", "The user owns a dog called Rex"),
    ],
)
def test_the_same_fact_in_other_words_touches_the_old_row(old: str, new: str) -> None:
    plan = decide([proposal(new), proposal(old)], [row("old", old)])
    assert [outcome.action for outcome in plan.outcomes] == ["touched", "touched"]
    assert by_id(plan)["old"].item.content == old


def test_a_mention_in_a_conversation_does_not_take_an_end_away() -> None:
    end = NOW + DAY
    old = row("old", "User drinks tea", expires_at=end, valid_until=end)
    said = by_id(decide([proposal("User drinks tea", turn_ids=("t1",))], [old]))["old"].item
    stored = by_id(decide([proposal("User drinks tea")], [old]))["old"].item
    assert (said.expires_at, said.valid_until) == (end, end)
    assert (stored.expires_at, stored.valid_until) == (None, None)  # remember() means it


def test_similar_is_not_the_same() -> None:
    known = [row("old", "User likes cats"), row("flight", "User flight is on 2026-05-03")]
    plan = decide([proposal("User dislikes cats"), proposal("User flight is on 2026-05-30")], known)
    assert [outcome.action for outcome in plan.outcomes] == ["added", "added"]


def test_a_new_value_of_a_key_retires_the_old_one_whatever_its_wording() -> None:
    old = row("old", "User's editor is Vim", key="editor")
    plan = decide([proposal("User switched to Helix", key="editor")], [old])
    (outcome,) = plan.outcomes
    rows = by_id(plan)
    assert (outcome.action, outcome.memory, outcome.previous) == ("replaced", rows["new0001"].item, old.item)
    assert rows["old"].item.valid_until == START + 50 * DAY
    assert rows["old"].item.retracted_at is None
    assert rows["old"].item.superseded_by == "new0001"
    assert rows["new0001"].item.supersedes == ("old",)
    assert rows["new0001"].chain_id == rows["old"].chain_id == "old"


def test_an_accepted_replaces_needs_no_key() -> None:
    plan = decide([proposal("User hates coriander", replaces="old")], [row("old", "User loves coriander")])
    assert plan.outcomes[0].action == "replaced"
    assert by_id(plan)["old"].item.superseded_by == "new0001"


def test_a_replaces_that_nobody_knows_is_ignored() -> None:
    old = row("old", "User loves coriander")
    plan = decide([proposal("User works at Airbus", replaces="12")], [old])
    assert plan.outcomes[0].action == "added"
    assert list(by_id(plan)) == ["new0001"]


@pytest.mark.parametrize(
    "gone", [{"superseded_by": "x"}, {"retracted_at": START}, {"expires_at": NOW}, {"valid_until": NOW - DAY}]
)
def test_what_is_gone_is_neither_touched_nor_replaced(gone: dict[str, Any]) -> None:
    old = row("old", "User drinks tea", key="drink", **gone)
    plan = decide([proposal("User drinks tea", key="drink", replaces="old")], [old])
    assert plan.outcomes[0].action == "added"
    assert list(by_id(plan)) == ["new0001"]


def test_a_correction_takes_the_old_one_back() -> None:
    plan = decide([proposal("User is 41", key="age", correction=True)], [row("old", "User is 40", key="age")])
    old = by_id(plan)["old"].item
    assert (old.retracted_at, old.valid_until, old.superseded_by) == (NOW, None, "new0001")


def test_a_change_from_before_the_old_value_was_known_ends_it_where_it_began() -> None:
    """ "I live in Lyon", and an hour later "I moved to Nantes last week": it was true, and is no more."""
    old = row("old", "Lyon", key="city", valid_from=START + 50 * DAY)
    plan = decide([proposal("Nantes", key="city", valid_from=START + 40 * DAY)], [old])
    ended = by_id(plan)["old"].item
    assert (ended.retracted_at, ended.valid_until) == (None, ended.valid_from)
    assert not ended.is_valid_at(ended.valid_from)


def test_what_was_said_earlier_goes_into_the_past() -> None:
    current = row("now", "Nantes", key="city", recorded_at=START + 60 * DAY, valid_from=START + 60 * DAY)
    plan = decide([proposal("Lyon", key="city")], [current])
    (outcome,) = plan.outcomes
    (past,) = plan.rows
    assert (outcome.action, outcome.memory) == ("added", past.item)
    assert (past.item.valid_from, past.item.valid_until) == (START + 50 * DAY, START + 60 * DAY)
    assert (past.item.superseded_by, past.chain_id, past.item.retracted_at) == ("now", "now", None)


def test_a_past_that_ended_earlier_keeps_its_own_end() -> None:
    current = row("now", "Nantes", key="city", recorded_at=START + 60 * DAY, valid_from=START + 60 * DAY)
    plan = decide([proposal("Lyon", key="city", valid_until=START + 55 * DAY)], [current])
    assert plan.rows[0].item.valid_until == START + 55 * DAY


def test_an_old_sentence_does_not_get_the_key_of_a_newer_fact() -> None:
    known = [row("bare", "Lyon"), row("now", "Nantes", key="city", recorded_at=START + 60 * DAY)]
    plan = decide([proposal("Lyon", key="city")], known)
    rows = {one.item.memory_id: one for one in [*known, *plan.rows]}
    keyed = [
        one.item.content for one in rows.values() if one.item.key == "city" and is_current(one.item, NOW)
    ]
    assert keyed == ["Nantes"]


def test_later_proposals_see_what_became_of_earlier_ones() -> None:
    plan = decide(
        [
            proposal("User lives in Lyon", key="city"),
            proposal("user lives in lyon."),
            proposal("User lives in Nantes", key="city"),
            proposal("User drinks tea"),
            proposal("User drinks tea", replaces="new0001"),
        ]
    )
    assert [outcome.action for outcome in plan.outcomes][:4] == ["added", "touched", "replaced", "added"]
    rows = by_id(plan)
    current = [one.item.content for one in rows.values() if is_current(one.item, NOW)]
    assert current == ["User lives in Nantes", "User drinks tea"]
    assert plan.outcomes[0].memory == rows["new0001"].item  # as it is stored, not as it was first meant


def test_two_chains_become_one() -> None:
    known = [
        row("a", "Vim", key="editor"),
        row("a0", "Nano", key="editor", chain_id="a", superseded_by="a", retracted_at=START),
        row("b", "User edits with Emacs"),
        row("b0", "User edits with Joe", chain_id="b", superseded_by="b", retracted_at=START),
    ]
    plan = decide([proposal("Helix", key="editor", replaces="b")], known)
    rows = {one.item.memory_id: one for one in [*known, *plan.rows]}
    assert {one.chain_id for one in rows.values()} == {rows["new0001"].chain_id}
    assert rows["a"].item.superseded_by == rows["b"].item.superseded_by == "new0001"
    assert set(rows["new0001"].item.supersedes) == {"a", "b"}


def test_the_longer_life_wins_when_a_fact_is_said_again() -> None:
    known = [row("a", "A", expires_at=NOW + DAY), row("b", "B", expires_at=NOW + DAY), row("c", "C")]
    later = NOW + 9 * DAY
    plan = decide([proposal("A", expires_at=later), proposal("B"), proposal("C", expires_at=later)], known)
    assert [one.item.expires_at for one in plan.rows] == [later, None, None]


def test_a_fact_said_very_often_keeps_its_first_and_latest_sources() -> None:
    known = [row("a", "A", source=(Source("first", "user", "A"),))]
    said = [proposal("A", source=(Source(f"m{n}", "user", "A"),), turn_ids=(f"t{n}",)) for n in range(120)]
    (stored,) = decide(said, known).rows
    names = [source.message_id for source in stored.item.source]
    assert (names[0], names[-1], len(names)) == ("first", "m119", 50)
    assert stored.turn_ids[-1] == "t119" and len(stored.turn_ids) <= 50


def test_labels_of_the_scope_are_written() -> None:
    plan = decide([proposal("A", scope=Scope("u1", "agent", "session"))])
    assert (plan.rows[0].item.agent_id, plan.rows[0].item.session_id) == ("agent", "session")


def test_nothing_proposed_changes_nothing() -> None:
    plan = decide([], [row("a")])
    assert (plan.outcomes, plan.rows) == ((), ())
