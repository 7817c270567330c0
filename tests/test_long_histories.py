"""A conversation that is too long for one call is learned in parts, and none is lost or doubled."""

from __future__ import annotations

import re
from typing import Any

import pytest

from langmem_ext import ModelError
from langmem_ext.testing import ScriptedChatModel, ScriptedReply
from tests.support.memories import OpenMemory, actions, contents, fact, listed, reply

FILLER = "It was a long day and there is much to tell about the weather, the train and the people in it. "


def history(things: int) -> list[dict[str, Any]]:
    """Twenty messages for each thing that is owned."""
    return [
        {"role": "user", "content": f"I own thing{n // 20}. {FILLER * 4}" if n % 20 == 10 else FILLER * 5}
        for n in range(things * 20)
    ]


def owned(messages: Any, schema: Any) -> str:
    """The facts that stand in the messages of this call."""
    said = messages[-1].content.partition("<messages>")[2]
    found = sorted(set(re.findall(r"I own (thing\d+)", said)))
    return reply(*(fact(f"The user owns {thing}", f"I own {thing}") for thing in found))


def script(*first: ScriptedReply) -> ScriptedChatModel:
    return ScriptedChatModel([*first, *[owned] * 100])


def things(number: int) -> list[str]:
    return [f"The user owns thing{n}" for n in range(number)]


def test_a_long_history_is_learned_to_the_end(open_memory: OpenMemory) -> None:
    llm = script()
    user = open_memory(llm=llm).for_user("u1")
    result = user.add(history(6))
    assert result.status == "learned"
    assert contents(result.memories) == listed(user) == things(6)
    assert 4 <= len(llm.calls) == result.usage.calls < 20
    assert len(result.message_ids) == len(set(result.message_ids)) == 7  # equal messages have one id
    assert "thing0" in llm.calls[-1].messages[-1].content.partition("<messages>")[0]  # as known by then


async def test_so_is_the_async_door(open_memory: OpenMemory) -> None:
    user = open_memory(llm=script()).for_user("u1")
    result = await user.aadd(history(6))
    assert contents(result.memories) == listed(user) == things(6)


def test_one_message_as_long_as_a_book_is_learned_to_the_end(open_memory: OpenMemory) -> None:
    user = open_memory(llm=script()).for_user("u1")
    book = " ".join(entry["content"] for entry in history(8))
    result = user.add([{"role": "user", "content": book, "id": "book"}])
    assert listed(user) == things(8)
    assert result.message_ids == ("book",)
    assert user.delete_source("book").memories == 8


@pytest.mark.parametrize("key", [None, "import-1"])
def test_a_part_that_fails_is_where_the_next_call_goes_on(open_memory: OpenMemory, key: str | None) -> None:
    down = ModelError("down", kind="unavailable", retryable=True)
    llm = ScriptedChatModel([owned, owned, owned, down, *[owned] * 100])
    user = open_memory(llm=llm).for_user("u1")
    failed = user.add(history(6), idempotency_key=key)
    assert failed.status == "failed" and failed.error is not None
    assert (failed.error.kind, failed.error.retryable) == ("unavailable", True)
    assert failed.error.message.startswith("part 4 of ")
    learned = contents(failed.memories)
    assert learned == listed(user) == things(len(learned))
    assert 0 < len(learned) < 6

    calls = len(llm.calls)
    again = user.add(history(6), idempotency_key=key)
    assert again.status == "learned"
    assert listed(user) == things(6)
    assert again.usage.calls == len(llm.calls) - calls
    assert "I own thing0." not in "".join(call.messages[-1].content for call in llm.calls[calls:])
    assert actions(again) == ["touched"] * len(learned) + ["added"] * (6 - len(learned))


def test_a_retry_does_not_bring_back_what_a_later_part_replaced(open_memory: OpenMemory) -> None:
    """The first part said Lyon, the second Nantes; Lyon must not be learned again and win."""
    down = ModelError("down", kind="unavailable", retryable=True)

    def home(messages: Any, schema: Any) -> str:
        said = messages[-1].content.partition("<messages>")[2]
        cities = [city for city in ("Lyon", "Nantes") if f"I live in {city}" in said]
        lives = [fact(f"The user lives in {c}", f"I live in {c}", key="residence.city") for c in cities]
        return reply(*lives)

    said = [FILLER * 5] * 60
    said[5], said[25] = f"I live in Lyon. {FILLER}", f"I live in Nantes. {FILLER}"
    messages = [{"role": "user", "content": text} for text in said]
    llm = ScriptedChatModel([home, home, down, *[home] * 20])
    user = open_memory(llm=llm).for_user("u1")
    assert user.add(messages).status == "failed"
    assert user.add(messages).status == "learned"
    assert listed(user) == ["The user lives in Nantes"]
    (item,) = user.list_memories()
    assert [event.action for event in user.history(item.memory_id)].count("recorded") == 2


def test_what_is_deleted_meanwhile_is_neither_stored_nor_sent(open_memory: OpenMemory) -> None:
    memory = open_memory(llm=None)

    def delete_all(messages: Any, schema: Any) -> str:
        memory.for_user("u1").delete_all()
        return owned(messages, schema)

    llm = ScriptedChatModel([owned, delete_all, *[owned] * 20])
    asking = open_memory(store=memory._workspace.store, llm=llm)
    result = asking.for_user("u1").add(history(6))
    assert (len(llm.calls), listed(asking.for_user("u1"))) == (2, [])
    assert "skipped" in actions(result)


def test_a_history_that_went_on_asks_about_what_is_new(open_memory: OpenMemory) -> None:
    llm = script()
    user = open_memory(llm=llm).for_user("u1")
    user.add(history(6))
    calls = len(llm.calls)
    user.add(history(7))
    assert listed(user) == things(7)
    assert "I own thing1." not in "".join(call.messages[-1].content for call in llm.calls[calls:])


def test_in_the_background_too(open_memory: OpenMemory) -> None:
    memory = open_memory(llm=script())
    user = memory.for_user("u1")
    user.add_later(history(6))
    assert memory.flush(timeout=60).learned == 1
    assert listed(user) == things(6)


def test_rules_read_all_of_it_at_once(open_memory: OpenMemory) -> None:
    user = open_memory().for_user("u1")
    said = [{"role": "user", "content": FILLER * 5} for _ in range(60)]
    user.add([*said, {"role": "user", "content": "I am allergic to peanuts."}])
    assert listed(user) == ["The user is allergic to peanuts."]


def test_a_bar_is_shown_where_it_is_asked_for(
    open_memory: OpenMemory, capsys: pytest.CaptureFixture[str]
) -> None:
    user = open_memory(llm=script()).for_user("u1")
    user.add(history(6))
    assert capsys.readouterr().err == ""
    user.add(history(6), progress=True)
    assert "learning: 100%" in capsys.readouterr().err
