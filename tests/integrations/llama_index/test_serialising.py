"""A chat memory on its way to disk and back: with its conversation, without its user and its clients."""

from __future__ import annotations

import gc
import json
import pickle
import subprocess
from typing import Any

import pytest
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.memory import BaseMemory, ChatMemoryBuffer, Memory
from llama_index.core.workflow import Context, JsonPickleSerializer, JsonSerializer

from langmem_ext import InvalidInputError, InvalidUserError, LongTermMemory, UserMemory
from llama_index_langmem_ext import LongTermChatMemory
from tests.integrations.helpers import contents
from tests.integrations.llama_index.engines import agents
from tests.integrations.llama_index.models import SeenLLM, answered, said
from tests.support.memories import python_command

pytestmark = [
    pytest.mark.filterwarnings("ignore::pydantic.warnings.PydanticDeprecationWarning"),
    pytest.mark.filterwarnings("ignore:is_running called from within a step:DeprecationWarning"),
]


@pytest.fixture
def user(memory: LongTermMemory) -> UserMemory:
    return memory.for_user("ann-of-lyon")


def under_way(user: UserMemory, short_term: BaseMemory | None = None) -> LongTermChatMemory:
    """A question without an answer so far."""
    chat = LongTermChatMemory.from_defaults(user=user, short_term=short_term, max_tokens=300, learn="now")
    chat.put_messages([said("Hello."), answered("Hi."), said("I live in Lyon.")])
    return chat


@pytest.mark.parametrize("way", ["dict", "json"])
@pytest.mark.parametrize("short_term", [None, "buffer"])
def test_it_comes_back_with_a_user_and_goes_on(user: UserMemory, way: str, short_term: str | None) -> None:
    chat = under_way(user, None if short_term is None else ChatMemoryBuffer.from_defaults())
    if way == "dict":
        back = LongTermChatMemory.from_dict(chat.to_dict(), user=user)
    else:
        back = LongTermChatMemory.from_json(chat.to_json(), user=user)
    assert back.max_tokens == 300
    assert back.get_all() == chat.get_all()
    assert type(back.short_term) is type(chat.short_term)
    back.put(answered("Noted."))
    assert contents(user) == ["The user lives in Lyon."]
    assert len(chat.get_all()) == 3  # nothing is shared


def test_a_dump_is_json_and_names_nobody(user: UserMemory) -> None:
    dumped = json.dumps(under_way(user).to_dict())
    assert "Hello." in dumped
    assert "ann-of-lyon" not in dumped
    assert json.loads(dumped)["class_name"] == "LongTermChatMemory"


def test_what_was_archived_stays_archived(user: UserMemory) -> None:
    chat = LongTermChatMemory.from_defaults(user=user, token_limit=60)
    for number in range(8):
        chat.put_messages([said(f"Tell me about number {number}."), answered("It is a fine number.")])
    shown, kept = chat.get(), chat.get_all()
    assert len(shown) < len(kept) == 16
    back = LongTermChatMemory.from_dict(chat.to_dict(), user=user)
    assert back.get() == shown
    assert back.get_all() == kept


def elsewhere(dumped: dict[str, Any]) -> dict[str, Any]:
    """The dump as another process sees it."""
    return {**json.loads(json.dumps(dumped)), "live_id": "unknown here"}


def test_in_another_process_it_needs_its_user_again(user: UserMemory) -> None:
    back = LongTermChatMemory.from_dict(elsewhere(under_way(user).to_dict()))
    for call in (back.get, lambda: back.put(answered("Noted."))):
        with pytest.raises(InvalidUserError, match="bind"):
            call()
    assert len(back.get_all()) == 3
    back.bind(user)
    back.put(answered("Noted."))
    assert contents(user) == ["The user lives in Lyon."]
    with pytest.raises(InvalidInputError, match="user must be"):
        back.bind("ann")  # type: ignore[arg-type]


def test_pickled_in_another_process_too(user: UserMemory) -> None:
    code = """
        import pickle, sys
        chat = pickle.loads(sys.stdin.buffer.read())
        print(len(chat.get_all()))
        chat.put_messages([])
    """
    done = subprocess.run(python_command(code), input=pickle.dumps(under_way(user)), capture_output=True)
    assert done.stdout.decode().strip() == "3"
    assert b"InvalidUserError" in done.stderr


def test_in_this_process_it_knows_its_user(user: UserMemory) -> None:
    chat = under_way(user)
    dumped = json.loads(json.dumps(chat.to_dict()))
    assert LongTermChatMemory.from_dict(dumped) is chat
    assert pickle.loads(pickle.dumps(chat)) is chat
    chat.put(answered("Noted."))
    older = LongTermChatMemory.from_dict(dumped)
    assert (len(older.get_all()), len(chat.get_all())) == (3, 4)
    assert older.get(input="Where do I live?")[0].content != ""  # it has its user


def test_what_is_no_longer_in_use_is_not_held(user: UserMemory) -> None:
    dumped = under_way(user).to_dict()
    gc.collect()
    with pytest.raises(InvalidUserError, match="bind"):
        LongTermChatMemory.from_dict(dumped).get()


def test_a_conversation_in_a_database_is_handed_over_again(user: UserMemory) -> None:
    short_term = Memory.from_defaults(session_id="s-1")
    dumped = LongTermChatMemory(user=user, short_term=short_term).to_dict()
    assert "sqlite" not in str(dumped)
    with pytest.raises(InvalidInputError, match="short_term"):
        LongTermChatMemory.from_dict(dumped, user=user)
    back = LongTermChatMemory.from_dict(dumped, user=user, short_term=short_term)
    assert back.short_term is short_term


@pytest.mark.parametrize("serializer", [JsonSerializer, JsonPickleSerializer])
async def test_a_context_of_an_agent_comes_back(user: UserMemory, serializer: Any) -> None:
    agent: FunctionAgent = agents(SeenLLM(["Noted.", "In Lyon.", "Noted."]))["agent"]
    context = Context(agent)
    await agent.run("I live in Lyon.", ctx=context, memory=LongTermChatMemory.from_defaults(user=user))
    dumped = json.dumps(context.to_dict(serializer=serializer()))
    assert "ann-of-lyon" not in dumped
    del context
    gc.collect()
    restored = Context.from_dict(agent, json.loads(dumped), serializer=serializer())
    with LongTermChatMemory.restoring(user):
        handler = agent.run("Where do I live?", ctx=restored)
    assert str(await handler) == "In Lyon."
    assert str(await agent.run("I like tea.", ctx=restored)) == "Noted."
    assert contents(user) == ["The user lives in Lyon.", "The user likes tea."]
    assert len((await restored.store.get("memory")).get_all()) == 6


async def test_a_context_without_its_user_answers_nobody(user: UserMemory) -> None:
    agent: FunctionAgent = agents(SeenLLM(["Noted.", "Noted."]))["agent"]
    context = Context(agent)
    await agent.run("I live in Lyon.", ctx=context, memory=LongTermChatMemory.from_defaults(user=user))
    dumped = context.to_dict()
    del context
    gc.collect()
    with pytest.raises(InvalidUserError, match="bind"):
        await agent.run("Where do I live?", ctx=Context.from_dict(agent, dumped))


async def test_one_context_over_several_runs_is_one_conversation(memory: LongTermMemory) -> None:
    llm = SeenLLM(["Noted."] * 6)
    agent: FunctionAgent = agents(llm)["agent"]
    users = {name: memory.for_user(name) for name in ("ann", "ben")}
    contexts = {name: Context(agent) for name in users}
    chats = {name: LongTermChatMemory.from_defaults(user=user) for name, user in users.items()}
    for text in ("I live in {}.", "I like {}.", "What do you know?"):
        for name, word in (("ann", "Lyon"), ("ben", "Nantes")):
            await agent.run(text.format(word), ctx=contexts[name], memory=chats[name])
    assert [len(chat.get_all()) for chat in chats.values()] == [6, 6]
    assert contents(users["ann"]) == ["The user lives in Lyon.", "The user likes Lyon."]
    assert "Nantes" not in str(llm.seen[4]) and "Lyon" not in str(llm.seen[5])
