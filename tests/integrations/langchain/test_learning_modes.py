"""When a turn is learned: before the run ends, in the background, or not at all."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from langchain.agents import create_agent
from langgraph.checkpoint.memory import InMemorySaver

from langchain_langmem_ext import LongTermChainMemory, LongTermMemoryMiddleware
from langmem_ext import ChatMessage, ChatReply, InvalidInputError, LongTermMemory, ReplySchema
from tests.integrations.helpers import BLOCK, NOTHING, contents, make_memory, messages_in
from tests.integrations.langchain.agents import says
from tests.integrations.langchain.models import answers
from tests.support.memories import fact, reply


class HeldModel:
    """An LLM that answers when it is released."""

    name = "held"

    def __init__(self, text: str) -> None:
        self.text = text
        self.released = threading.Event()
        self.asked: list[list[tuple[str, str]]] = []

    def complete(self, messages: Sequence[ChatMessage], schema: ReplySchema | None) -> ChatReply:
        assert self.released.wait(30), "nobody released the model"
        self.asked.append(messages_in(messages[-1].content))
        return ChatReply(self.text)

    async def acomplete(self, messages: Sequence[ChatMessage], schema: ReplySchema | None) -> ChatReply:
        return self.complete(messages, schema)


@pytest.fixture
def held() -> Iterator[HeldModel]:
    model = HeldModel(reply(fact("The user lives in Lyon", "I live in Lyon", key="residence.city")))
    yield model
    model.released.set()


def run_of(user_id: str, thread_id: str = "t") -> Any:
    return {"configurable": {"user_id": user_id, "thread_id": thread_id}}


def agent_of(memory: LongTermMemory, replies: Sequence[str], learn: Any) -> Any:
    return create_agent(
        answers(replies),
        [],
        middleware=[LongTermMemoryMiddleware(memory=memory, learn=learn)],
        checkpointer=InMemorySaver(),
    )


@pytest.mark.parametrize("call", ["invoke", "ainvoke", "stream", "astream"])
async def test_later_does_not_wait_for_the_model(held: HeldModel, call: str) -> None:
    with make_memory(held) as memory:
        agent = agent_of(memory, ["Noted."], "later")
        if call == "invoke":
            agent.invoke(says("I live in Lyon."), run_of("ann"))
        elif call == "ainvoke":
            await agent.ainvoke(says("I live in Lyon."), run_of("ann"))
        elif call == "stream":
            list(agent.stream(says("I live in Lyon."), run_of("ann")))
        else:
            assert [chunk async for chunk in agent.astream(says("I live in Lyon."), run_of("ann"))]
        assert contents(memory.for_user("ann")) == []  # the run is over, the model still silent
        held.released.set()
        assert memory.flush(timeout=30).learned == 1
        assert contents(memory.for_user("ann")) == ["The user lives in Lyon"]
        assert held.asked == [[("user", "I live in Lyon."), ("assistant", "Noted.")]]


def test_later_learns_each_turn_of_several_threads_once(held: HeldModel) -> None:
    held.text = NOTHING
    held.released.set()
    with make_memory(held) as memory:
        agent = agent_of(memory, ["One.", "Two.", "Three."], "later")
        for said, thread in (("I live in Lyon.", "t1"), ("I drink tea.", "t2"), ("I like tea.", "t1")):
            agent.invoke(says(said), run_of("ann", thread))
        assert memory.flush(timeout=30).learned == 3
        assert held.asked == [
            [("user", "I live in Lyon."), ("assistant", "One.")],
            [("user", "I drink tea."), ("assistant", "Two.")],
            [("user", "I like tea."), ("assistant", "Three.")],
        ]


async def test_a_turn_that_cannot_be_written_down_is_told_and_leaves_the_answer() -> None:
    memory = make_memory()
    agent = agent_of(memory, ["Noted."] * 2, "later")
    memory.close()
    for result in (
        agent.invoke(says("I live in Lyon."), run_of("ann")),
        await agent.ainvoke(says("I live in Nantes."), run_of("ann")),
    ):
        assert result["messages"][-1].text == "Noted."
        assert result["long_term_memory_error"] == "learn: StoreClosedError"


async def test_a_classic_chain_learns_later_too(held: HeldModel) -> None:
    with make_memory(held) as memory:
        adapter = LongTermChainMemory(user=memory.for_user("ann"), learn="later")
        adapter.save_context({"input": "I live in Lyon."}, {"text": "Ok."})
        await adapter.asave_context({"input": "I live in Lyon."}, {"text": "Ok."})
        assert adapter.last_error is None
        held.released.set()
        assert memory.flush(timeout=30).learned == 2
        assert contents(memory.for_user("ann")) == ["The user lives in Lyon"]


@pytest.mark.parametrize("wrong", [True, False, None, "await", ""])
def test_the_mode_is_one_of_three_words(memory: LongTermMemory, wrong: Any) -> None:
    with pytest.raises(InvalidInputError, match='"now".*"later".*"off"'):
        LongTermMemoryMiddleware(memory=memory, learn=wrong)
    with pytest.raises(ValueError, match="now.*later.*off"):
        LongTermChainMemory(user=memory.for_user("ann"), learn=wrong)


@pytest.mark.parametrize("mode", ["values", "updates", "messages", "tasks", "checkpoints", "debug"])
async def test_no_stream_of_a_run_shows_the_memories(memory: LongTermMemory, mode: Any) -> None:
    """A server passes such streams on to a browser."""
    memory.for_user("ann").remember("The user lives in Lyon")
    agent = agent_of(memory, ["Hello.", "Hello."], "now")
    parts = [str(part) for part in agent.stream(says("Where?"), run_of("ann"), stream_mode=mode)]
    parts += [
        str(part) async for part in agent.astream(says("Where?"), run_of("ann", "t2"), stream_mode=mode)
    ]
    assert parts
    assert not any(BLOCK in part or "lives in Lyon" in part for part in parts)
