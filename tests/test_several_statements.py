"""What was said when: old conversations learned late, edits by hand, one sentence for two attributes."""

from __future__ import annotations

from datetime import timedelta

from langmem_ext import UserMemory
from langmem_ext.testing import FakeEmbedder, ManualClock, ScriptedChatModel
from tests.support.memories import OpenMemory, fact, reply


def contents(user: UserMemory) -> list[str]:
    return [item.content for item in user.iter_memories()]


def test_an_old_conversation_learned_again_and_again_is_history_once(
    open_memory: OpenMemory, clock: ManualClock
) -> None:
    lyon, paris = "I live in Lyon.", "I live in Paris."
    said = reply(fact("The user lives in Paris.", paris, key="residence.city"))
    first = reply(fact("The user lives in Lyon.", lyon, key="residence.city"))
    llm = ScriptedChatModel([first, *[said] * 4])
    user = open_memory(llm=llm).for_user("u1")
    user.add(lyon)
    long_ago = clock() - timedelta(days=300)
    for days in (0, 0, 1, 2):  # the same turn, and the same statement of other days
        assert user.add(paris, observed_at=long_ago + timedelta(days=days)).status == "learned"
    assert contents(user) == ["The user lives in Lyon."]
    (current,) = user.iter_memories()
    recorded = [
        event.memory.content for event in user.history(current.memory_id) if event.action == "recorded"
    ]
    assert recorded.count("The user lives in Paris.") == 1
    assert len(llm.calls) == 4  # the same turn was not asked about twice


def test_a_turn_about_a_time_that_is_over_is_stored_once(open_memory: OpenMemory, clock: ManualClock) -> None:
    said = "I am on a diet until Friday."
    ends = (clock() - timedelta(days=90)).date().isoformat()
    llm = ScriptedChatModel([reply(fact("The user is on a diet.", said, valid_until=ends))])
    user = open_memory(llm=llm).for_user("u1")
    spoken = clock() - timedelta(days=100)
    for _ in range(3):
        user.add(said, observed_at=spoken)
    assert len(user.list_memories(include_expired=True).memories) == 1
    assert contents(user) == []


def test_one_sentence_can_be_the_value_of_two_attributes(user: UserMemory) -> None:
    user.remember("Lyon", key="residence.city")
    user.remember("Paris", key="birthplace")
    user.remember("Lyon", key="birthplace")
    found = {item.key: item.content for item in user.iter_memories()}
    assert found == {"residence.city": "Lyon", "birthplace": "Lyon"}


def test_an_edit_by_hand_is_the_latest_word(open_memory: OpenMemory, clock: ManualClock) -> None:
    said = "I live in Paris."
    llm = ScriptedChatModel([reply(fact("The user lives in Paris.", said, key="residence.city"))])
    user = open_memory(llm=llm).for_user("u1")
    item = user.remember("The user lives in Lyon.", key="residence.city")
    clock.advance(timedelta(days=9))
    user.update(item.memory_id, content="The user lives in Nantes.")
    user.add(said, observed_at=clock() - timedelta(days=5))
    assert contents(user) == ["The user lives in Nantes."]


def test_no_secret_in_a_question_reaches_the_embedder(
    open_memory: OpenMemory, embedder: FakeEmbedder
) -> None:
    memory = open_memory(log_queries=True)
    user = memory.for_user("u1")
    user.remember("The user likes tea")
    for recall in (user.search, user.context):
        recall("my password is hunter2XYZ9! which tea do I like?")
    assert not any("hunter2" in text for text in embedder.texts)
    assert not any("hunter2" in str(record) + (record.query or "") for record in memory.recall_log())
