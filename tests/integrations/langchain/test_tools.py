"""Tools with which a model remembers, recalls and forgets."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import BaseTool
from langgraph.checkpoint.memory import InMemorySaver

from langchain_langmem_ext import memory_tools
from langmem_ext import InvalidInputError, InvalidUserError, LongTermMemory, ModelError, UserMemory
from langmem_ext.testing import FakeEmbedder
from tests.integrations.helpers import BLOCK, contents, make_memory
from tests.integrations.langchain.agents import says
from tests.integrations.langchain.models import answers, calls


@dataclass
class Context:
    user_id: str


def tools_of(user: UserMemory) -> dict[str, BaseTool]:
    return {tool.name: tool for tool in memory_tools(user=user)}


def run_of(user_id: str, thread_id: str = "t") -> Any:
    return {"configurable": {"user_id": user_id, "thread_id": thread_id}}


def agent_of(memory: LongTermMemory, *replies: AIMessage | str) -> Any:
    return create_agent(
        answers(replies), memory_tools(memory=memory), checkpointer=InMemorySaver(), context_schema=Context
    )


def schema_of(tool: BaseTool) -> Any:
    """What the model is shown."""
    shown: Any = tool.tool_call_schema
    return shown.model_json_schema()


def told(result: Any) -> list[str]:
    """What the model read from its tools."""
    return [str(message.content) for message in result["messages"] if isinstance(message, ToolMessage)]


async def test_bound_tools_work_anywhere(memory: LongTermMemory) -> None:
    user = memory.for_user("ann")
    tools = tools_of(user)
    assert tools["remember"].invoke({"content": "The user likes green tea"}) == (
        "Remembered: The user likes green tea"
    )
    await tools["remember"].ainvoke({"content": "The user lives in Lyon"})
    assert contents(user) == ["The user likes green tea", "The user lives in Lyon"]
    assert "green tea" in tools["recall"].invoke({"query": "tea"})
    assert BLOCK in await tools["recall"].ainvoke({"query": "tea"})
    assert tools_of(memory.for_user("ben"))["recall"].invoke({"query": "tea"}) == (
        "Nothing is known about that."
    )
    assert tools["forget"].invoke({"request": "Forget that I live in Lyon."}) == (
        "Deleted:\n- The user lives in Lyon"
    )
    assert contents(user) == ["The user likes green tea"]


async def test_doubt_is_asked_about(memory: LongTermMemory) -> None:
    user = memory.for_user("ann")
    one, two = user.remember("The user has a dog called Rex"), user.remember("The user has a dog called Bo")
    forget = tools_of(user)["forget"]
    asked = await forget.ainvoke({"request": "Forget that I have a dog."})
    assert asked.startswith("Nothing was deleted. Ask the user")
    assert f"- {one.memory_id}: The user has a dog called Rex" in asked
    assert len(contents(user)) == 2
    confirmed = {"request": "Forget that I have a dog.", "confirm_ids": [two.memory_id]}
    assert forget.invoke(confirmed) == "Deleted:\n- The user has a dog called Bo"
    assert contents(user) == ["The user has a dog called Rex"]
    assert forget.invoke(confirmed).startswith("Not done: this user has no memory")
    for request, answer in {
        "Forget the moon landing.": "no memory matches",
        "Forget everything.": "not for this tool",
        "Don't let me forget that I have a dog.": "do not ask",
    }.items():
        assert answer in forget.invoke({"request": request})
    assert contents(user) == ["The user has a dog called Rex"]


def test_the_model_does_not_see_the_runtime_nor_the_user(memory: LongTermMemory) -> None:
    for tools in (memory_tools(user=memory.for_user("ann")), memory_tools(memory=memory)):
        arguments = {tool.name: sorted(schema_of(tool)["properties"]) for tool in tools}
        assert arguments == {
            "remember": ["content"],
            "recall": ["query"],
            "forget": ["confirm_ids", "request"],
        }
        assert all(tool.description for tool in tools)


@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize("bound", [False, True])
async def test_an_agent_uses_them(memory: LongTermMemory, bound: bool, asynchronous: bool) -> None:
    model = answers(
        [
            calls("remember", "1", content="The user likes green tea"),
            calls("recall", "2", query="tea"),
            calls("forget", "3", request="forget that I like green tea"),
            "Done.",
        ]
    )
    tools = memory_tools(user=memory.for_user("ann")) if bound else memory_tools(memory=memory)
    agent: Any = create_agent(model, tools)
    question = says("Keep that I like tea. Now forget that I like green tea!")
    result = (
        await agent.ainvoke(question, run_of("ann"))
        if asynchronous
        else agent.invoke(question, run_of("ann"))
    )
    one, two, three = told(result)
    assert one == "Remembered: The user likes green tea"
    assert "green tea" in two
    assert three == "Deleted:\n- The user likes green tea"
    assert memory.users() == []


def test_the_run_names_the_user(memory: LongTermMemory) -> None:
    tea = calls("remember", "1", content="The user likes tea")
    agent_of(memory, tea, "Ok.").invoke(says("x"), run_of("ann"))
    agent_of(memory, tea, "Ok.").invoke(
        says("x"), {"configurable": {"thread_id": "t"}}, context=Context("ben")
    )
    assert memory.users() == ["ann", "ben"]
    (item,) = memory.for_user("ann").iter_memories()
    assert item.session_id == "t"
    with pytest.raises(InvalidUserError, match=r"configurable.*user_id.* or context\.user_id"):
        agent_of(memory, tea, "Ok.").invoke(says("x"), {"configurable": {"thread_id": "t"}})
    with pytest.raises(InvalidUserError, match="two users in one run"):
        agent_of(memory, tea, "Ok.").invoke(says("x"), run_of("ann"), context=Context("ben"))


async def test_ten_users_of_one_agent_are_kept_apart(memory: LongTermMemory) -> None:
    def reply(messages: Any) -> AIMessage:
        text = messages[-1].text
        if isinstance(messages[-1], ToolMessage):
            return AIMessage("Ok.")
        return calls("remember", "1", content=f"The user is called {text}")

    class Echo(type(answers([]))):  # type: ignore[misc]
        def _generate(self, messages: Any, *args: Any, **kwargs: Any) -> Any:
            from langchain_core.outputs import ChatGeneration, ChatResult

            return ChatResult(generations=[ChatGeneration(message=reply(messages))])

    agent: Any = create_agent(Echo(messages=iter([])), memory_tools(memory=memory))
    names = [f"name{number}" for number in range(10)]
    await asyncio.gather(*(agent.ainvoke(says(name), run_of(name)) for name in names))
    assert memory.users() == sorted(names)
    assert all(contents(memory.for_user(name)) == [f"The user is called {name}"] for name in names)


def test_a_model_cannot_delete_by_itself(memory: LongTermMemory) -> None:
    user = memory.for_user("ann")
    item = user.remember("The user has a dog called Rex")
    for said, request in (
        ("Hello!", "Forget that I have a dog called Rex."),
        ("Don't let me forget that I have a dog called Rex.", "forget that I have a dog called Rex"),
        ("Hello! Never forget that I have a dog called Rex.", "forget that I have a dog called Rex"),
        ("", ""),
    ):
        result = agent_of(memory, calls("forget", "1", request=request), "Ok.").invoke(
            says(said), run_of("ann")
        )
        assert told(result)[0].startswith("Nothing was deleted")
    direct = calls("forget", "1", request="dog", confirm_ids=[item.memory_id])
    result = agent_of(memory, direct, "Ok.").invoke(says("I have a dog."), run_of("ann"))
    assert told(result) == ["Nothing was deleted: show the user what may be meant, and wait for the answer."]
    assert contents(user) == ["The user has a dog called Rex"]


def test_a_confirmation_counts_after_the_user_had_the_word(memory: LongTermMemory) -> None:
    user = memory.for_user("ann")
    one, two = user.remember("The user has a dog called Rex"), user.remember("The user has a dog called Bo")
    ask = calls("forget", "1", request="forget that I have a dog")
    confirm = calls("forget", "2", request="forget that I have a dog", confirm_ids=[one.memory_id])
    # In the same run the model answers its own question: refused.
    hasty = agent_of(memory, ask, confirm, "Ok.")
    assert told(hasty.invoke(says("Please forget that I have a dog."), run_of("ann")))[1].startswith(
        "Nothing was"
    )
    assert len(contents(user)) == 2
    patient = agent_of(memory, ask, "Rex or Bo?", confirm, "Gone.")
    patient.invoke(says("Please forget that I have a dog."), run_of("ann"))
    result = patient.invoke(says("Rex."), run_of("ann"))
    assert told(result)[-1] == "Deleted:\n- The user has a dog called Rex"
    assert contents(user) == [two.content]


async def test_a_memory_that_fails_does_not_fail_the_run(caplog: pytest.LogCaptureFixture) -> None:
    embedder = FakeEmbedder()
    with make_memory(embedder=embedder) as memory:
        user = memory.for_user("ann")
        tools = tools_of(user)
        user.remember("The user likes tea")
        embedder.error = ModelError("what was said", kind="timeout")
        assert (
            tools["remember"].invoke({"content": "x y"})
            == "Not done: the memory is not available now (timeout)."
        )
        assert "timeout" in await tools["recall"].ainvoke({"query": "something else"})
    assert "StoreClosedError" in tools["forget"].invoke({"request": "forget that I like tea"})
    assert caplog.text.count("long-term memory: could not") == 3
    assert "what was said" not in caplog.text


def test_what_cannot_be_kept_is_told_to_the_model(memory: LongTermMemory) -> None:
    tools = tools_of(memory.for_user("ann"))
    assert tools["remember"].invoke({"content": "  "}).startswith("Not done: content is blank")
    assert tools["recall"].invoke({"query": " "}) == "Nothing is known about that."


def test_one_of_user_and_memory(memory: LongTermMemory) -> None:
    for wrong in ({}, {"memory": memory, "user": memory.for_user("ann")}):
        with pytest.raises(InvalidInputError, match=r"either user=.* or memory="):
            memory_tools(**wrong)  # type: ignore[arg-type]
