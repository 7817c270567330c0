"""What a model answers, and whose words it answers about: what of it becomes a memory."""

from __future__ import annotations

import json
from typing import Any

import pytest

from langmem_ext.testing import ScriptedChatModel
from tests.support.memories import OpenMemory, actions, contents, fact, listed, reply

CELLO = "The user plays the cello"
SAID = "I play the cello in an orchestra in Osaka."
ONE = json.dumps({"memories": [{"text": CELLO}]})
ANSWERS = {
    "as asked": ONE,
    "in a fence with words around": f"Sure! Here you go:\n```json\n{ONE}\n```\nAnything else?",
    "a bare array": f'[{{"text": "{CELLO}"}}]',
    "another name for the text": f'{{"memories": [{{"memory": "{CELLO}"}}]}}',
    "an object for the text": f'{{"memories": [{{"text": {{"fact": "{CELLO}"}}}}]}}',
    "a text for the object": f'{{"memories": ["{CELLO}"]}}',
    "after thinking in braces": f'<think>maybe {{"memories": [wrong]}}?</think>\n{ONE}',
    "after another answer in the thinking": f'<think>{{"memories": [{{"text": "No"}}]}}</think>\n{ONE}',
    "before more thinking": f'{ONE}\n<think>or {{"memories": [{{"text": "No"}}]}}?',
    "beside a broken entry": f'{{"memories": [{{"text": 7}}, {{"text": "{CELLO}"}}, null]}}',
}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
async def test_a_near_miss_is_the_one_sentence_it_means_for_one_call(
    open_memory: OpenMemory, answer: str
) -> None:
    llm = ScriptedChatModel([answer] * 2)
    memory = open_memory(llm=llm)
    for name, result in (
        ("u1", memory.for_user("u1").add(SAID)),
        ("u2", await memory.for_user("u2").aadd(SAID)),
    ):
        assert (result.status, contents(result.memories)) == ("learned", [CELLO])
        assert listed(memory.for_user(name)) == [CELLO]
    assert len(llm.calls) == 2


def test_a_persona_of_the_models_own_is_not_the_user(open_memory: OpenMemory) -> None:
    invented = reply(fact("The user is Maria, 34, a pilot", "I am Maria"), fact("User is Maria, 34, a pilot"))
    llm = ScriptedChatModel([invented])
    user = open_memory(llm=llm).for_user("u1")
    assert user.add("ok thanks").status == "nothing"
    assert llm.calls == []
    result = user.add("My umbrella is broken and it rains in Lyon.")
    assert (result.status, actions(result)) == ("nothing", ["rejected"] * 2)
    assert [(outcome.reason or "").split(":")[0] for outcome in result.outcomes] == ["unsupported"] * 2
    assert listed(user) == []


@pytest.mark.parametrize(
    "extra",
    [
        {},
        {"quote": "You could visit Madeira"},
        {"speaker": "assistant"},
        {"speaker": "assistant", "text": "The user is off in May"},
    ],
)
def test_what_the_assistant_suggests_is_no_wish_of_the_user(
    open_memory: OpenMemory, extra: dict[str, str]
) -> None:
    llm = ScriptedChatModel([reply({"text": "The user wants to visit Madeira", **extra})])
    user = open_memory(llm=llm).for_user("u1")
    turn = [
        ("user", "I am off in May, where could I go?"),
        ("assistant", "You could visit Madeira."),
    ]
    result = user.add(turn)
    assert (result.status, actions(result), listed(user)) == ("nothing", ["rejected"], [])
    lines = [json.loads(line) for line in llm.calls[0].messages[-1].content.splitlines() if '"role"' in line]
    assert [(line["speaker"], line["text"]) for line in lines] == turn


def test_what_somebody_else_dislikes_is_not_the_users_dislike(open_memory: OpenMemory) -> None:
    about_tom = "Tom, a colleague of the user, dislikes spreadsheets"
    llm = ScriptedChatModel([reply({"text": about_tom, "subject": "Tom"})])
    user = open_memory(llm=llm).for_user("u1")
    user.add("My colleague Tom can't stand spreadsheets, I rather like them.")
    assert contents(user.search("does the user like spreadsheets")) == [about_tom]
    assert "Tom" in user.context("does the user like spreadsheets").text


def test_questions_play_and_daydreams_do_not_last(open_memory: OpenMemory) -> None:
    entries = [
        {"text": "The user eats sushi", "type": "question"},
        {"text": "The assistant is the landlord of the user", "type": "roleplay"},
        {"text": "The user would buy a yacht", "type": "hypothetical"},
    ]
    turns = [
        "Is sushi fattening? I had some in Lyon.",
        "Pretend you are my landlord, I am late with the rent.",
        "If I were rich I would buy a yacht, my friends say.",
    ]
    friday = reply(fact("The user eats sushi every Friday", "eat sushi every Friday"))
    user = open_memory(llm=ScriptedChatModel([*map(reply, entries), friday])).for_user("u1")
    for turn in turns:
        assert user.add(turn).memories == ()
    assert listed(user) == []
    assert user.add("I eat sushi every Friday.").status == "learned"
    assert listed(user) == ["The user eats sushi every Friday"]


def test_a_picture_is_not_read_and_the_words_beside_it_are(open_memory: OpenMemory) -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    turn = {"role": "user", "content": [{"type": "text", "text": "I love sailing."}, picture]}
    llm = ScriptedChatModel([reply(fact("The user loves sailing", "love sailing"))])
    user = open_memory(llm=llm).for_user("u1")
    assert user.add([turn]).status == "learned"
    assert listed(user) == ["The user loves sailing"]
    asked = llm.calls[0].messages[-1].content
    assert "I love sailing." in asked
    assert "base64" not in asked and "AAAA" not in asked


def test_calls_of_tools_and_their_results_are_not_what_the_user_said(open_memory: OpenMemory) -> None:
    call = {"id": "c1", "function": {"name": "book", "arguments": '{"t": "9:00"}'}}
    turn: list[dict[str, Any]] = [
        {"role": "system", "content": "You book trains for Zanzibar Rail."},
        {"role": "user", "content": "Book the 9am train, I always take the early one."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": '{"ok": true, "seat": "42A"}'},
        {"role": "assistant", "content": "Booked."},
    ]
    early = fact("The user always takes the early train", "I always take the early one")
    llm = ScriptedChatModel([reply(early, fact("The seat of the user is 42A", '"seat": "42A"'))])
    user = open_memory(llm=llm).for_user("u1")
    assert actions(user.add(turn)) == ["added", "rejected"]
    assert listed(user) == ["The user always takes the early train"]
    asked = llm.calls[0].messages[-1].content
    assert not any(word in asked for word in ("None", "42A", "arguments", "Zanzibar"))
    assert "Booked." in asked
