from __future__ import annotations

from typing import Any

import pytest
from langchain.agents.middleware import dynamic_prompt
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langgraph.checkpoint.memory import InMemorySaver

from langchain_langmem_ext import LongTermMemoryMiddleware
from langmem_ext import LongTermMemory, ModelError, UserMemory
from langmem_ext.testing import FakeEmbedder, ScriptedChatModel
from tests.integrations.helpers import BLOCK, NOTHING, contents, make_memory, messages_in, recalls
from tests.integrations.langchain.agents import agent_of, run_of, says, systems
from tests.integrations.langchain.models import answers, calls


def test_it_learns_and_recalls_across_threads(memory: LongTermMemory) -> None:
    model = answers(["Noted.", "In Lyon."])
    agent = agent_of(
        model,
        LongTermMemoryMiddleware(memory=memory),
        system_prompt="Be brief.",
        checkpointer=InMemorySaver(),
    )
    agent.invoke(says("I live in Lyon."), run_of("ann", "t1"))
    result = agent.invoke(says("Where do I live?"), run_of("ann", "t2"))
    assert result["messages"][-1].text == "In Lyon."
    assert systems(model)[0] == ["Be brief."]
    (system,) = systems(model)[1]
    assert system.startswith("Be brief.\n\n<long_term_memory>")
    assert "lives in Lyon" in system
    (item,) = memory.for_user("ann").iter_memories()
    assert item.session_id == "t1"
    assert item.source[0].message_id


async def test_the_async_door_does_the_same(memory: LongTermMemory) -> None:
    model = answers(["Noted.", "In Lyon."])
    agent = agent_of(model, LongTermMemoryMiddleware(memory=memory))
    await agent.ainvoke(says("I live in Lyon."), run_of("ann"))
    await agent.ainvoke(says("Where do I live?"), run_of("ann"))
    assert systems(model)[0] == []
    assert "lives in Lyon" in systems(model)[1][0]


def test_many_turns_of_one_thread_keep_one_block_and_learn_each_turn_once() -> None:
    llm = ScriptedChatModel([NOTHING] * 3)
    with make_memory(llm) as memory:
        memory.for_user("ann").remember("The user likes tea")
        model = answers(["One.", "Two.", "Three."])
        agent = agent_of(model, LongTermMemoryMiddleware(memory=memory), checkpointer=InMemorySaver())
        for said in ("I drink tea in Lyon.", "I drink tea in Nantes.", "I drink tea in Paris."):
            result = agent.invoke(says(said), run_of("ann", "t"))
        assert [len(found) for found in systems(model)] == [1, 1, 1]
        assert all(found[0].count(BLOCK) == 1 for found in systems(model))
        # Neither the memories nor anything else of ours is in the thread or in the result.
        assert [type(m).__name__ for m in result["messages"]] == ["HumanMessage", "AIMessage"] * 3
        assert not any(BLOCK in str(m.content) for m in result["messages"])
        assert {name for name in result if name.startswith("long_term")} == {"long_term_memory_error"}
        # The checkpoint does not hold the user's words a second time.
        assert "long_term_memory" not in agent.get_state(run_of("ann", "t")).values
        assert [messages_in(call.messages[-1].content) for call in llm.calls] == [
            [("user", "I drink tea in Lyon."), ("assistant", "One.")],
            [("user", "I drink tea in Nantes."), ("assistant", "Two.")],
            [("user", "I drink tea in Paris."), ("assistant", "Three.")],
        ]


async def test_a_tool_loop_takes_one_search_and_learns_no_tool_output() -> None:
    llm = ScriptedChatModel([NOTHING])
    with make_memory(llm) as memory:
        memory.for_user("ann").remember("The user lives in Lyon")
        model = answers(
            [calls("weather", "1", city="Lyon"), calls("weather", "2", city="Nantes"), AIMessage("Rain.")]
        )
        agent = agent_of(model, LongTermMemoryMiddleware(memory=memory))
        await agent.ainvoke(says("I like walking, how is the weather where I live?"), run_of("ann"))
        assert recalls(memory) == 1
        assert [len(found) for found in systems(model)] == [1, 1, 1]
        assert len({found[0] for found in systems(model)}) == 1
        (call,) = llm.calls
        assert messages_in(call.messages[-1].content) == [
            ("user", "I like walking, how is the weather where I live?"),
            ("assistant", "Rain."),
        ]


async def test_streaming_gives_the_answer_and_learns_the_turn(memory: LongTermMemory) -> None:
    agent = agent_of(answers(["Noted and kept.", "Noted and kept."]), LongTermMemoryMiddleware(memory=memory))
    chunks = [c for c, _ in agent.stream(says("I live in Lyon."), run_of("ann"), stream_mode="messages")]
    assert "".join(str(c.text) for c in chunks if isinstance(c, AIMessage)) == "Noted and kept."
    async for _ in agent.astream(says("I like green tea."), run_of("ann"), stream_mode="messages"):
        pass
    assert contents(memory.for_user("ann")) == ["The user lives in Lyon.", "The user likes green tea."]


def test_an_abandoned_stream_breaks_nothing(memory: LongTermMemory) -> None:
    agent = agent_of(
        answers(["Noted and kept.", "Yes."]),
        LongTermMemoryMiddleware(memory=memory),
        checkpointer=InMemorySaver(),
    )
    stream = agent.stream(says("I live in Lyon."), run_of("ann", "t"), stream_mode="messages")
    next(stream)
    stream.close()
    agent.invoke(says("I like green tea."), run_of("ann", "t"))
    # Both of the user's messages were waiting for an answer; no half answer is among what is learned.
    assert "The user likes green tea." in contents(memory.for_user("ann"))


async def test_a_failure_to_learn_is_told_and_leaves_the_answer() -> None:
    with make_memory(ScriptedChatModel([ModelError("no", kind="timeout")] * 2 + [NOTHING])) as memory:
        agent = agent_of(
            answers(["Noted."] * 3), LongTermMemoryMiddleware(memory=memory), checkpointer=InMemorySaver()
        )
        for result in (
            agent.invoke(says("I live in Lyon."), run_of("ann", "t")),
            await agent.ainvoke(says("I live in Nantes."), run_of("ann", "t")),
        ):
            assert result["messages"][-1].text == "Noted."
            assert result["long_term_memory_error"] == "learn: timeout"
        assert agent.invoke(says("I live in Paris."), run_of("ann", "t"))["long_term_memory_error"] is None


async def test_a_failure_to_recall_is_told_and_leaves_the_answer(
    memory: LongTermMemory, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*args: Any, **kwargs: Any) -> Any:
        raise ModelError("what was said", kind="unavailable")

    model = answers(["Hello."] * 2)
    agent = agent_of(model, LongTermMemoryMiddleware(memory=memory, learn="off"))
    monkeypatch.setattr(UserMemory, "context", fail)
    monkeypatch.setattr(UserMemory, "acontext", fail)
    for result in (
        agent.invoke(says("Where do I live?"), run_of("ann")),
        await agent.ainvoke(says("Where do I live?"), run_of("ann")),
    ):
        assert result["messages"][-1].text == "Hello."
        assert result["long_term_memory_error"] == "recall: unavailable"
    assert caplog.text.count("could not recall (unavailable)") == 2
    assert "what was said" not in caplog.text


def test_a_closed_memory_leaves_the_answer() -> None:
    memory = make_memory()
    memory.close()
    result = agent_of(answers(["Hello."]), LongTermMemoryMiddleware(memory=memory)).invoke(
        says("I live in Lyon."), run_of("ann")
    )
    assert result["messages"][-1].text == "Hello."
    assert result["long_term_memory_error"] == "learn: StoreClosedError"


def test_after_a_middleware_that_replaces_the_prompt(memory: LongTermMemory) -> None:
    @dynamic_prompt
    def prompt(request: Any) -> str:
        return "Speak like a pirate."

    memory.for_user("ann").remember("The user lives in Lyon")
    model = answers(["Arr."])
    agent_of(model, prompt, LongTermMemoryMiddleware(memory=memory)).invoke(
        says("Where do I live?"), run_of("ann")
    )
    (system,) = systems(model)[0]
    assert system.startswith("Speak like a pirate.\n\n<long_term_memory>")


def test_a_system_prompt_in_parts_is_appended_to(memory: LongTermMemory) -> None:
    memory.for_user("ann").remember("The user lives in Lyon")
    model = answers(["Ok."])
    parts = SystemMessage([{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}])
    agent_of(model, LongTermMemoryMiddleware(memory=memory), system_prompt=parts).invoke(
        says("Where do I live?"), run_of("ann")
    )
    shown = model.seen[0][0].content
    assert isinstance(shown, list)
    assert shown[0] == parts.content[0]
    assert BLOCK in shown[1]["text"]  # type: ignore[index]


def test_a_picture_is_left_out(memory: LongTermMemory, embedder: FakeEmbedder) -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    message = HumanMessage([{"type": "text", "text": "I live in Lyon."}, picture])
    agent = agent_of(answers(["Ok."]), LongTermMemoryMiddleware(memory=memory))
    result = agent.invoke({"messages": [message]}, run_of("ann"))
    assert result["long_term_memory_error"] is None
    assert recalls(memory) == 1
    assert contents(memory.for_user("ann")) == ["The user lives in Lyon."]
    assert not any("base64" in text for text in embedder.texts)


def test_limits_are_passed_on(memory: LongTermMemory) -> None:
    user = memory.for_user("ann")
    user.remember("The user likes tea", metadata={"topic": "food"})
    user.remember("The user sells tea", metadata={"topic": "work"})
    model = answers(["Ok."])
    middleware = LongTermMemoryMiddleware(user=user, filters={"topic": "work"}, max_tokens=200, top_k=1)
    agent_of(model, middleware).invoke(says("tea"))
    assert "sells tea" in systems(model)[0][0]
    assert "likes tea" not in systems(model)[0][0]
