"""From a conversation to memories: one call of the LLM, and what becomes of its answer."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest

from langmem_ext import AddResult, ChatReply, InvalidInputError, ModelError, UnsupportedReplyFormatError
from langmem_ext.testing import FakeEmbedder, ManualClock, ScriptedChatModel, ScriptExhaustedError
from tests.support.memories import START, OpenMemory, actions, contents, fact, listed, reply

TEA = reply(fact("The user drinks oolong tea", "I drink oolong tea"))
SAID = "I drink oolong tea."


def test_a_turn_becomes_a_memory_with_its_source(open_memory: OpenMemory) -> None:
    llm = ScriptedChatModel(
        [
            reply(
                fact(
                    "The user lives in Lyon",
                    "live in Lyon",
                    type="semantic",
                    key="residence.city",
                    importance=0.8,
                )
            )
        ]
    )
    user = open_memory(llm=llm).for_user("u1", agent_id="agent", session_id="s1")
    result = user.add([{"role": "user", "content": "I live in Lyon.", "id": "m-7", "name": "Ann"}])
    assert (result.status, result.error, result.usage.calls, result.message_ids) == (
        "learned",
        None,
        1,
        ("m-7",),
    )
    (item,) = result.memories
    assert (item.content, item.key, item.importance) == ("The user lives in Lyon", "residence.city", 0.8)
    assert (item.agent_id, item.session_id, item.user_id) == ("agent", "s1", "u1")
    assert [(s.message_id, s.speaker, s.quote) for s in item.source] == [("m-7", "Ann", "live in Lyon")]
    assert (item.created_at, item.recorded_at, item.valid_from) == (START, START, START)
    assert user.get(item.memory_id) == item


def test_one_turn_costs_one_call_and_one_batch_per_step(
    open_memory: OpenMemory, embedder: FakeEmbedder
) -> None:
    facts = [fact(f"The user owns a {thing}", f"a {thing}") for thing in ("kayak", "bicycle", "piano")]
    llm = ScriptedChatModel([reply(*facts)])
    user = open_memory(llm=llm).for_user("u1")
    user.remember_many([f"The user knows fact {number}" for number in range(50)])
    calls = embedder.calls
    result = user.add("I own a kayak, a bicycle and a piano.")
    assert actions(result) == ["added"] * 3
    assert (len(llm.calls), embedder.calls - calls) == (1, 2)  # neighbours of what was said; the new texts


@pytest.mark.parametrize(
    "messages", [[], "", [{"role": "user", "content": " \n\t"}], [("assistant", "Hello!")]]
)
async def test_nothing_said_costs_nothing(
    open_memory: OpenMemory, embedder: FakeEmbedder, messages: Any
) -> None:
    llm = ScriptedChatModel()
    user = open_memory(llm=llm).for_user("u1")
    for result in (user.add(messages), await user.aadd(messages)):
        assert (result.status, result.outcomes, result.error) == ("nothing", (), None)
    assert (llm.calls, embedder.calls, listed(user)) == ([], 0, [])


async def test_a_script_that_is_too_short_fails_the_test_and_not_the_turn(open_memory: OpenMemory) -> None:
    user = open_memory(llm=ScriptedChatModel()).for_user("u1")
    with pytest.raises(ScriptExhaustedError):
        user.add(SAID)
    with pytest.raises(ScriptExhaustedError):
        await user.aadd(SAID)


def test_nothing_to_learn_is_not_a_failure(open_memory: OpenMemory) -> None:
    user = open_memory(llm=ScriptedChatModel([reply()])).for_user("u1")
    result = user.add("I wonder whether it will rain in Lyon tomorrow, my umbrella is broken.")
    assert (result.status, result.error, result.usage.calls) == ("nothing", None, 1)


FAILURES: list[tuple[Any, str, bool]] = [
    (ModelError("no key", kind="auth"), "auth", False),
    (ModelError("slow down", kind="rate_limit"), "rate_limit", True),
    (ModelError("late", kind="timeout"), "timeout", True),
    (ModelError("down", kind="unavailable"), "unavailable", True),
    (TimeoutError("late"), "timeout", True),
    (ConnectionError("down"), "unavailable", True),
    (RuntimeError("my salary is 91234"), "unexpected", False),
    ("", "empty_reply", True),
    (ChatReply('{"memories":[{"text":"The user dri', finish_reason="length"), "truncated", False),
    (ChatReply("no", finish_reason="content_filter"), "refused", False),
]


@pytest.mark.parametrize(
    ("answer", "kind", "retryable"), FAILURES, ids=[f"{a[1]}-{i}" for i, a in enumerate(FAILURES)]
)
async def test_a_failed_model_is_told_apart_and_stores_nothing(
    open_memory: OpenMemory, answer: Any, kind: str, retryable: bool
) -> None:
    llm = ScriptedChatModel([answer, answer, TEA])
    user = open_memory(llm=llm).for_user("u1")
    for result in (user.add(SAID), await user.aadd(SAID)):
        assert result.status == "failed" and result.error is not None
        assert (result.error.kind, result.error.retryable, result.outcomes) == (kind, retryable, ())
        assert "91234" not in result.error.message
        assert result.message_ids
    assert listed(user) == []
    assert len(llm.calls) == 2
    assert user.add(SAID).status == "learned"
    assert listed(user) == ["The user drinks oolong tea"]


def test_prose_is_asked_about_once_more_and_then_an_error(open_memory: OpenMemory) -> None:
    llm = ScriptedChatModel(["You have hit your usage limit.", "Resets at 5pm.", "Sorry?", TEA])
    user = open_memory(llm=llm).for_user("u1")
    failed = user.add(SAID)
    assert (failed.status, failed.error and failed.error.kind) == ("failed", "bad_reply")
    assert user.add(SAID).status == "learned"
    assert len(llm.calls) == 4
    assert listed(user) == ["The user drinks oolong tea"]


def test_a_server_without_schemas_is_asked_for_plain_json(open_memory: OpenMemory) -> None:
    refusal = UnsupportedReplyFormatError("json_schema is not supported")
    llm = ScriptedChatModel([refusal, refusal, f"Sure!\n```json\n{TEA}\n```", reply()])
    user = open_memory(llm=llm).for_user("u1")
    assert user.add(SAID).status == "learned"
    modes = [None if call.schema is None else call.schema.mode for call in llm.calls]
    assert modes == ["json_schema", "json_object", None]
    user.add("I also drink coffee in the morning.")
    assert llm.calls[-1].schema is None  # what the server cannot do is remembered


def test_an_embedder_that_is_down_is_a_failure_of_this_turn_only(
    open_memory: OpenMemory, embedder: FakeEmbedder
) -> None:
    llm = ScriptedChatModel([TEA, TEA])
    user = open_memory(llm=llm).for_user("u1")
    embedder.error = ConnectionError("no route")
    result = user.add(SAID)
    assert result.status == "failed" and result.error is not None
    assert (result.error.kind, result.error.retryable) == ("unavailable", True)
    embedder.error = None
    assert user.add(SAID).status == "learned"
    assert listed(user) == ["The user drinks oolong tea"]


def test_the_same_turn_twice_is_stored_once(open_memory: OpenMemory) -> None:
    llm = ScriptedChatModel([TEA])
    user = open_memory(llm=llm).for_user("u1")
    first = user.add(SAID)
    again = user.add(SAID)
    assert actions(again) == ["touched"] and again.memories[0].memory_id == first.memories[0].memory_id
    assert len(llm.calls) == 1
    assert len(listed(user)) == 1


def test_a_replay_with_its_key_asks_nobody(open_memory: OpenMemory, clock: ManualClock) -> None:
    llm = ScriptedChatModel([TEA])
    user = open_memory(llm=llm).for_user("u1")
    first = user.add(SAID, idempotency_key="t-17")
    clock.advance(timedelta(days=3))
    again = user.add("whatever was sent under that key", idempotency_key="t-17")
    assert contents(again.memories) == contents(first.memories)
    assert (len(llm.calls), again.usage.calls, again.status) == (1, 0, "learned")


def test_the_same_words_on_another_day_or_in_another_session_are_another_turn(
    open_memory: OpenMemory, clock: ManualClock
) -> None:
    llm = ScriptedChatModel([TEA] * 3)
    memory = open_memory(llm=llm)
    memory.for_user("u1", session_id="s1").add(SAID)
    memory.for_user("u1", session_id="s2").add(SAID)
    clock.advance(timedelta(days=1))
    memory.for_user("u1", session_id="s1").add(SAID)
    assert len(llm.calls) == 3
    assert len(listed(memory.for_user("u1"))) == 1


def test_a_turn_is_said_again_after_its_memory_was_deleted(open_memory: OpenMemory) -> None:
    user = open_memory(llm=ScriptedChatModel([TEA, TEA])).for_user("u1")
    user.delete(user.add(SAID).memories[0].memory_id)
    assert actions(user.add(SAID)) == ["added"]


def test_the_same_turn_does_not_undo_an_edit_by_hand(open_memory: OpenMemory, clock: ManualClock) -> None:
    user = open_memory(llm=ScriptedChatModel([TEA, TEA])).for_user("u1")
    item = user.add(SAID).memories[0]
    clock.advance(60)
    user.update(item.memory_id, content="The user drinks green tea")
    again = user.add(SAID)
    assert listed(user) == ["The user drinks green tea"]
    assert contents(again.memories) == ["The user drinks green tea"]


@pytest.mark.parametrize("key", ["", "  ", 17, b"t"])
def test_an_idempotency_key_is_text(open_memory: OpenMemory, key: Any) -> None:
    with pytest.raises(InvalidInputError, match="idempotency_key"):
        open_memory(llm=ScriptedChatModel()).for_user("u1").add(SAID, idempotency_key=key)


@pytest.mark.parametrize("when", ["soon", "2024-02-14", True, START + timedelta(days=2)])
def test_a_time_that_can_not_be_is_refused(open_memory: OpenMemory, when: Any) -> None:
    llm = ScriptedChatModel()
    with pytest.raises(InvalidInputError, match="observed_at"):
        open_memory(llm=llm).for_user("u1").add(SAID, observed_at=when)
    assert llm.calls == []


def in_threads(count: int, call: Callable[[int], AddResult]) -> list[AddResult]:
    barrier = threading.Barrier(count)

    def run(number: int) -> AddResult:
        barrier.wait()
        return call(number)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count), timeout=30))


def test_ten_threads_with_one_turn_store_one_memory(open_memory: OpenMemory) -> None:
    memory = open_memory(llm=ScriptedChatModel([TEA] * 10))
    results = in_threads(10, lambda number: memory.for_user("u1").add(SAID))
    assert [result.status for result in results] == ["learned"] * 10
    assert len({result.memories[0].memory_id for result in results}) == 1
    assert listed(memory.for_user("u1")) == ["The user drinks oolong tea"]


def test_ten_threads_with_ten_wordings_of_one_turn_store_one_memory(open_memory: OpenMemory) -> None:
    memory = open_memory(llm=ScriptedChatModel([TEA] * 10))
    results = in_threads(10, lambda number: memory.for_user("u1").add(SAID, idempotency_key=f"t{number}"))
    assert sorted(actions(result)[0] for result in results) == ["added", *["touched"] * 9]
    assert len(listed(memory.for_user("u1"))) == 1


def test_ten_threads_with_ten_values_of_one_key_leave_one_current(open_memory: OpenMemory) -> None:
    def answer(messages: Any, schema: Any) -> str:
        city = messages[-1].content.partition("<messages>")[2].split("City")[1][0]
        return reply(fact(f"The user lives in City{city}", f"City{city}", key="residence.city"))

    memory = open_memory(llm=ScriptedChatModel([answer] * 10))
    in_threads(10, lambda number: memory.for_user("u1").add(f"I moved to City{number} now."))
    user = memory.for_user("u1")
    assert len(listed(user)) == 1
    (current,) = user.list_memories().memories
    assert len({event.memory.memory_id for event in user.history(current.memory_id)}) == 10


def test_a_key_with_many_values_makes_no_fact_replace_another(open_memory: OpenMemory) -> None:
    nuts = fact("The user is allergic to peanuts", "allergic to peanuts", key="allergy")
    drug = fact("The user is allergic to penicillin", "and penicillin", key="allergy")
    user = open_memory(llm=ScriptedChatModel([reply(nuts, drug)])).for_user("u1")
    user.add("I am allergic to peanuts and penicillin.")
    assert listed(user) == [nuts["text"], drug["text"]]


@pytest.mark.parametrize(
    ("known", "said", "text", "replaced"),
    [
        ("The user is allergic to penicillin", "I like tea", "The user likes tea", False),
        ("用户对青霉素过敏", "我喜欢喝茶", "用户喜欢喝茶", False),
        ("The user is in Lyon", "I've moved to Nantes", "The user lives in Nantes", True),
        ("The user loves coriander", "I hate coriander", "The user hates coriander", True),
        ("用户在里昂", "我搬到南特了", "用户住在南特", True),
    ],
)
def test_only_what_has_to_do_with_a_memory_replaces_it(
    open_memory: OpenMemory, known: str, said: str, text: str, replaced: bool
) -> None:
    user = open_memory(llm=ScriptedChatModel([reply(fact(text, said, replaces=1))])).for_user("u1")
    user.remember(known)
    assert actions(user.add(said)) == ["replaced" if replaced else "added"]
    assert listed(user) == ([text] if replaced else [known, text])
