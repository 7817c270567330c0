"""Whose memories an agent works with, and that nobody sees those of another."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, SystemMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.checkpoint.memory import InMemorySaver

from langchain_langmem_ext import LongTermMemoryMiddleware
from langmem_ext import InvalidUserError, LongTermMemory
from tests.integrations.helpers import contents
from tests.integrations.langchain.agents import agent_of, run_of, says
from tests.integrations.langchain.models import SeenChatModel, answers


@dataclass
class Context:
    user_id: str


class EchoModel(SeenChatModel):
    """Answers with the system message that it was shown."""

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        shown = [str(message.text) for message in messages if isinstance(message, SystemMessage)]
        return ChatResult(generations=[ChatGeneration(message=AIMessage("\n".join(shown)))])


@pytest.mark.parametrize("learn", ["now", "later"])
async def test_ten_users_at_once_through_one_agent_are_kept_apart(memory: LongTermMemory, learn: Any) -> None:
    names = [f"Name{number}" for number in range(10)]
    middleware = LongTermMemoryMiddleware(memory=memory, learn=learn)
    agent = agent_of(EchoModel(messages=iter([])), middleware, checkpointer=InMemorySaver())

    async def said(name: str, text: str, way: int) -> str:
        run = run_of(name, f"thread of {name}")
        if way == 0:
            return str((await agent.ainvoke(says(text), run))["messages"][-1].text)
        if way == 1:
            return str((await asyncio.to_thread(agent.invoke, says(text), run))["messages"][-1].text)
        parts = [part async for part in agent.astream(says(text), run, stream_mode="values")]
        return str(parts[-1]["messages"][-1].text)

    calls_at_once = enumerate(names)
    await asyncio.gather(*(said(name, f"My name is {name}.", way % 3) for way, name in calls_at_once))
    await memory.aflush(30)
    for round_ in range(3):
        shown = await asyncio.gather(
            *(said(name, "What is my name?", (way + round_) % 3) for way, name in enumerate(names))
        )
        for name, text in zip(names, shown, strict=True):
            assert [other for other in names if other in text] == [name]
    assert memory.users() == names
    assert all(len(contents(memory.for_user(name))) == 1 for name in names)


def test_the_user_can_come_from_the_context(memory: LongTermMemory) -> None:
    agent = agent_of(answers(["Ok."] * 2), LongTermMemoryMiddleware(memory=memory), context_schema=Context)
    agent.invoke(says("I live in Lyon."), context=Context("ann"))
    assert contents(memory.for_user("ann")) == ["The user lives in Lyon."]
    agent.invoke(says("I like tea."), run_of("ann"), context=Context("ann"))
    assert memory.users() == ["ann"]


async def test_a_run_without_one_clear_user_is_refused(memory: LongTermMemory) -> None:
    model = answers(["Ok."] * 3)
    agent = agent_of(model, LongTermMemoryMiddleware(memory=memory), context_schema=Context)
    with pytest.raises(InvalidUserError, match=r"configurable.*user_id.* or context\.user_id"):
        agent.invoke(says("I live in Lyon."))
    with pytest.raises(InvalidUserError, match="two users in one run: .*'ann'.*'ben'"):
        await agent.ainvoke(says("I live in Lyon."), run_of("ann"), context=Context("ben"))
    bound = agent_of(model, LongTermMemoryMiddleware(user=memory.for_user("ann")))
    with pytest.raises(InvalidUserError, match="'ben'.*'ann'"):
        bound.invoke(says("I live in Lyon."), run_of("ben"))
    assert model.seen == []
    assert memory.users() == []


def test_a_bound_user_needs_no_config(memory: LongTermMemory) -> None:
    agent_of(answers(["Ok."]), LongTermMemoryMiddleware(user=memory.for_user("ann"))).invoke(
        says("I live in Lyon.")
    )
    assert memory.users() == ["ann"]
