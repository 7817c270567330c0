"""Facts that change: one current value, the old one in the history, nothing lost on the way."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest

from langmem_ext import ChatMessage, InvalidInputError, ReplySchema, UserMemory
from langmem_ext.testing import ManualClock, ScriptedChatModel
from tests.support.memories import OpenMemory, actions, contents, fact, listed, reply


@pytest.mark.parametrize("number", [12, "12", 0, -1, 3, 1.5, True, None, "the first", [1, 2]])
def test_a_number_that_was_not_offered_changes_nothing_and_loses_nothing(
    open_memory: OpenMemory, number: Any
) -> None:
    llm = ScriptedChatModel([reply(fact("The user works at Airbus", "work at Airbus", replaces=number))])
    user = open_memory(llm=llm).for_user("u1")
    user.remember_many(["The user works with Anna", "The user works at night"])
    assert actions(user.add("I now work at Airbus.")) == ["added"]
    assert listed(user) == ["The user works with Anna", "The user works at night", "The user works at Airbus"]


def test_a_contradiction_leaves_the_new_statement(open_memory: OpenMemory, clock: ManualClock) -> None:
    said = reply(fact("The user loves coriander", "love coriander"))
    now = reply(
        {**fact("The user dislikes coriander", "can't stand coriander", replaces=1), "action": "DELETE"}
    )
    user = open_memory(llm=ScriptedChatModel([said, now])).for_user("u1")
    old = user.add("I love coriander.").memories[0]
    clock.advance(timedelta(days=30))
    result = user.add("I can't stand coriander any more.")
    assert actions(result) == ["replaced"] and result.outcomes[0].previous == old
    assert listed(user) == ["The user dislikes coriander"]
    assert contents(user.search("coriander")) == ["The user dislikes coriander"]
    assert "The user loves coriander" in contents(
        event.memory for event in user.history(result.memories[0].memory_id)
    )


@pytest.mark.parametrize("number", [1, 2, 3])
def test_the_numbered_memory_is_the_one_that_is_replaced(open_memory: OpenMemory, number: int) -> None:
    known = ["The user loves coriander", "The user loves coriander soup", "The user loves coriander bread"]
    shown: dict[int, str] = {}

    def answer(messages: Sequence[ChatMessage], schema: ReplySchema | None) -> str:
        lines = messages[-1].content.partition("<known>")[2].partition("</known>")[0]
        shown.update({line["n"]: line["text"] for line in map(json.loads, lines.strip().splitlines())})
        return reply(fact("The user hates coriander cake", "hate coriander cake", replaces=number))

    user = open_memory(llm=ScriptedChatModel([answer])).for_user("u1")
    user.remember_many(known)
    (outcome,) = user.add("I hate coriander cake now.").outcomes
    assert sorted(shown.values()) == sorted(known)
    assert outcome.previous is not None and outcome.previous.content == shown[number]
    assert sorted(listed(user)) == sorted({*known, "The user hates coriander cake"} - {shown[number]})


def test_a_deletion_alone_is_not_in_a_models_power(open_memory: OpenMemory) -> None:
    answers = ['{"memories":[{"action":"DELETE","id":"1","replaces":1}]}', '{"memories":[],"delete":[1]}']
    user = open_memory(llm=ScriptedChatModel(answers)).for_user("u1")
    user.remember("The user has a twin sister")
    for text in ("I have a twin sister, you know.", "My twin sister lives in Lyon."):
        assert user.add(text).memories == ()
    assert listed(user) == ["The user has a twin sister"]


def test_the_editor_of_today_is_the_only_one_found(open_memory: OpenMemory, clock: ManualClock) -> None:
    answers = [
        reply(fact("The user's main editor is Vim", "my main editor is Vim", key="favorite.editor")),
        reply(
            fact(
                "The user's main editor is Helix",
                "my main editor is Helix",
                key="favorite.editor",
                replaces=1,
            )
        ),
    ]
    user = open_memory(llm=ScriptedChatModel(answers)).for_user("u1")
    user.add("Well, my main editor is Vim.")
    clock.advance(timedelta(days=30))
    user.add("I switched, my main editor is Helix.")
    assert listed(user) == ["The user's main editor is Helix"]
    assert contents(user.search("which editor do I use")) == ["The user's main editor is Helix"]
    assert "Vim" not in user.context("which editor do I use").text


def test_saying_it_again_keeps_the_memory_and_its_id(open_memory: OpenMemory, clock: ManualClock) -> None:
    twin = fact("The user has a twin sister", "have a twin sister")
    llm = ScriptedChatModel([reply(twin), reply({**twin, "action": "DELETE", "replaces": 1})])
    user = open_memory(llm=llm).for_user("u1")
    first = user.add("I have a twin sister.").memories[0]
    clock.advance(timedelta(days=1))
    again = user.add("I have a twin sister.")
    assert (actions(again), again.memories[0].memory_id) == (["touched"], first.memory_id)
    assert [item.created_at for item in user.list_memories().memories] == [first.created_at]


def test_a_dict_is_no_text(user: UserMemory) -> None:
    item = user.remember("User plays padel")
    with pytest.raises(TypeError):
        user.update(item.memory_id, {"text": "x"})  # type: ignore[call-arg, arg-type]
    with pytest.raises(InvalidInputError, match="content"):
        user.update(item.memory_id, content={"text": "User plays tennis"})  # type: ignore[arg-type]
    assert listed(user) == ["User plays padel"]


def test_one_key_has_one_value_whoever_wrote_it(tmp_path: Any, open_memory: OpenMemory) -> None:
    for _ in range(2):
        with open_memory(tmp_path) as memory:
            memory.for_user("u1").remember("The user lives in Lyon", key="residence.city")
    user = open_memory(tmp_path).for_user("u1")
    user.remember("The user lives in Nantes", key="residence.city")
    text = user.context("where does the user live").text
    assert text.count("Nantes") == 1 and "Lyon" not in text


def test_two_writers_on_one_server_leave_one_value(chroma_url: str, open_memory: OpenMemory) -> None:
    one, other = open_memory(url=chroma_url), open_memory(url=chroma_url)
    try:
        for memory in (one, other):
            memory.for_user("two-writers").remember("The user lives in Lyon", key="residence.city")
        one.for_user("two-writers").remember("The user lives in Nantes", key="residence.city")
        for memory in (one, other):
            assert listed(memory.for_user("two-writers")) == ["The user lives in Nantes"]
    finally:
        one.for_user("two-writers").delete_all()
