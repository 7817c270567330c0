"""The middleware in threads that others change: summaries, checkpoints, interruptions."""

from __future__ import annotations

from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import SummarizationMiddleware
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, interrupt

from langchain_langmem_ext import LongTermMemoryMiddleware
from langmem_ext import LongTermMemory
from langmem_ext.testing import ScriptedChatModel
from tests.integrations.helpers import NOTHING, contents, make_memory, messages_in
from tests.integrations.langchain.agents import agent_of, run_of, says, systems
from tests.integrations.langchain.models import answers, calls


def test_what_the_model_sees_is_the_thread_as_it_is(memory: LongTermMemory) -> None:
    """No call is parted from its answer, nothing is left out or doubled."""
    memory.for_user("ann").remember("The user lives in Lyon")
    model = answers(
        [
            AIMessage(
                "", tool_calls=[{"name": "weather", "args": {"city": city}, "id": city} for city in "ab"]
            ),
            "Rain.",
            "As I said.",
        ]
    )
    agent = agent_of(
        model, LongTermMemoryMiddleware(memory=memory, max_tokens=200), checkpointer=InMemorySaver()
    )
    agent.invoke(says("How is the weather where I live? " + "Well? " * 2000), run_of("ann", "t"))
    thread = agent.invoke(says("Sure?"), run_of("ann", "t"))["messages"]
    assert [type(message).__name__ for message in model.seen[-1]] == [
        "SystemMessage", "HumanMessage", "AIMessage", "ToolMessage", "ToolMessage", "AIMessage",
        "HumanMessage",
    ]  # fmt: skip
    assert model.seen[-1][1:] == thread[:-1]


def test_a_summary_of_the_thread_is_not_what_the_user_said() -> None:
    llm = ScriptedChatModel([NOTHING] * 3)
    with make_memory(llm) as memory:
        summary = SummarizationMiddleware(
            answers(["The user lives in a summary."] * 3), trigger=("messages", 3), keep=("messages", 1)
        )
        agent = agent_of(
            answers(["One.", "Two.", "Three."]),
            summary,
            LongTermMemoryMiddleware(memory=memory),
            checkpointer=InMemorySaver(),
        )
        for said in ("I drink tea in Lyon.", "I drink tea in Nantes.", "I drink tea in Paris."):
            agent.invoke(says(said), run_of("ann", "t"))
        assert [messages_in(call.messages[-1].content) for call in llm.calls] == [
            [("user", "I drink tea in Lyon."), ("assistant", "One.")],
            [("user", "I drink tea in Nantes."), ("assistant", "Two.")],
            [("user", "I drink tea in Paris."), ("assistant", "Three.")],
        ]


def test_a_summary_beside_the_new_message_is_not_what_the_user_said() -> None:
    llm = ScriptedChatModel([NOTHING])
    with make_memory(llm) as memory:
        summary = HumanMessage("The user likes summaries.", additional_kwargs={"lc_source": "summarization"})
        agent = agent_of(answers(["Ok."]), LongTermMemoryMiddleware(memory=memory))
        agent.invoke({"messages": [summary, HumanMessage("I live in Lyon.")]}, run_of("ann"))
        (call,) = llm.calls
        assert messages_in(call.messages[-1].content) == [("user", "I live in Lyon."), ("assistant", "Ok.")]


def test_no_checkpoint_holds_memories(memory: LongTermMemory) -> None:
    """What a user deletes must not live on in the thread's checkpoints."""
    memory.for_user("ann").remember("The user likes oysters.")
    saver = InMemorySaver()
    model = answers([calls("weather", "c1", city="Oslo"), "Yes."])
    agent = agent_of(model, LongTermMemoryMiddleware(memory=memory), checkpointer=saver)
    agent.invoke(says("Do I like oysters?"), run_of("ann", "t1"))
    assert all("The user likes oysters." in system for call in systems(model) for system in call)
    assert "The user likes oysters." not in str(list(saver.list(run_of("ann", "t1"))))


def ask_first(city: str) -> str:
    """The weather in a city, once a person agreed."""
    return f"It rains in {city}: {interrupt('May I?')}"


def test_a_run_that_was_interrupted_still_has_its_memories_and_learns_its_turn(
    memory: LongTermMemory,
) -> None:
    memory.for_user("ann").remember("The user likes oysters.")
    model = answers([calls("ask_first", "c1", city="Oslo"), "It rains."])
    agent: Any = create_agent(
        model, [ask_first], middleware=[LongTermMemoryMiddleware(memory=memory)], checkpointer=InMemorySaver()
    )
    agent.invoke(says("I live in Oslo and like oysters. Will it rain?"), run_of("ann", "t1"))
    result = agent.invoke(Command(resume="yes"), run_of("ann", "t1"))
    assert result["messages"][-1].text == "It rains."
    assert [["The user likes oysters." in text for text in call] for call in systems(model)] == [
        [True],
        [True],
    ]
    assert "The user lives in Oslo." in contents(memory.for_user("ann"))
