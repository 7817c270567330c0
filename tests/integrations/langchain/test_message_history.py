"""`RunnableWithMessageHistory` beside ours: it keeps the chat, we keep what was learned from it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from langchain_core.chat_history import InMemoryChatMessageHistory
from langchain_core.messages import BaseMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import ConfigurableFieldSpec, Runnable, RunnableLambda
from langchain_core.runnables.history import RunnableWithMessageHistory

from langchain_langmem_ext import LongTermMemoryLearner, LongTermMemoryRecall
from langmem_ext import InvalidUserError, LongTermMemory
from langmem_ext.testing import ScriptedChatModel
from tests.integrations.helpers import NOTHING, contents, make_memory, messages_in
from tests.integrations.langchain.models import SeenChatModel, answers

# Deprecated as such, and still everywhere.
pytestmark = pytest.mark.filterwarnings("ignore::langchain_core._api.LangChainDeprecationWarning")

PROMPT = ChatPromptTemplate.from_messages(
    [("system", "Be brief.\n{memories}"), MessagesPlaceholder("history"), ("human", "{input}")]
)
FIELDS = [ConfigurableFieldSpec(id=name, annotation=str) for name in ("user_id", "conversation_id")]


class History(InMemoryChatMessageHistory):
    """Counts who reads and writes it."""

    awaited: int = 0
    blocked: int = 0

    async def aget_messages(self) -> list[BaseMessage]:
        self.awaited += 1
        return self.messages

    async def aadd_messages(self, messages: Sequence[BaseMessage]) -> None:
        self.awaited += 1
        self.messages.extend(messages)

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        self.blocked += 1
        self.messages.extend(messages)


class Chat:
    """A chain with a chat history per user and conversation, and our memory around it."""

    def __init__(self, memory: LongTermMemory, model: SeenChatModel) -> None:
        self.histories: dict[tuple[str, str], History] = {}
        recall = LongTermMemoryRecall(memory=memory, input_key="input")
        with_history = RunnableWithMessageHistory(
            recall | PROMPT | model | StrOutputParser(),
            self.history,
            input_messages_key="input",
            history_messages_key="history",
            history_factory_config=FIELDS,
        )
        self.chain: Runnable[Any, Any] = LongTermMemoryLearner(with_history, memory=memory)

    def history(self, user_id: str, conversation_id: str) -> History:
        return self.histories.setdefault((user_id, conversation_id), History())

    def said(self, user_id: str, conversation_id: str = "c1") -> list[tuple[str, str]]:
        kinds = {"human": "human", "ai": "ai", "AIMessageChunk": "ai"}
        found = self.histories[(user_id, conversation_id)].messages
        return [(kinds[message.type], str(message.text)) for message in found]


def run_of(user_id: str, conversation_id: str = "c1") -> Any:
    return {"configurable": {"user_id": user_id, "conversation_id": conversation_id}}


def test_both_get_the_fields_also_inside_other_chains(memory: LongTermMemory) -> None:
    model = answers(["Noted.", "In Lyon."])
    chat = Chat(memory, model)
    as_input: Runnable[str, Any] = RunnableLambda(lambda text: {"input": text})
    chain = as_input | chat.chain | StrOutputParser()
    assert chain.invoke("I live in Lyon.", run_of("ann", "c1")) == "Noted."
    assert chain.invoke("Where do I live?", run_of("ann", "c2")) == "In Lyon."
    assert list(chat.histories) == [("ann", "c1"), ("ann", "c2")]
    assert contents(memory.for_user("ann")) == ["The user lives in Lyon."]
    assert "lives in Lyon" in str(model.seen[1][0].content)  # known in another conversation
    assert [message.type for message in model.seen[1]] == ["system", "human"]


def test_missing_fields_are_named(memory: LongTermMemory) -> None:
    model = answers([])
    chat = Chat(memory, model)
    with pytest.raises(InvalidUserError, match="user_id"):
        chat.chain.invoke({"input": "Hi"})
    with pytest.raises(ValueError, match="conversation_id"):
        chat.chain.invoke({"input": "Hi"}, {"configurable": {"user_id": "ann"}})
    assert model.seen == []
    assert memory.users() == []


@pytest.mark.parametrize("asynchronous", [False, True])
async def test_streaming_keeps_the_history_whole_and_learns_each_turn_once(asynchronous: bool) -> None:
    llm = ScriptedChatModel([NOTHING] * 2)
    with make_memory(llm) as memory:
        chat = Chat(memory, answers(["Hello dear Ann.", "You are Ann."]))
        for text in ("I am Ann.", "I like my name."):
            if asynchronous:
                chunks = [chunk async for chunk in chat.chain.astream({"input": text}, run_of("ann"))]
            else:
                chunks = list(chat.chain.stream({"input": text}, run_of("ann")))
            assert len(chunks) > 1
        assert chat.said("ann") == [
            ("human", "I am Ann."),
            ("ai", "Hello dear Ann."),
            ("human", "I like my name."),
            ("ai", "You are Ann."),
        ]
        assert [messages_in(asked.messages[-1].content) for asked in llm.calls] == [
            [("user", "I am Ann."), ("assistant", "Hello dear Ann.")],
            [("user", "I like my name."), ("assistant", "You are Ann.")],
        ]


@pytest.mark.parametrize("asynchronous", [False, True])
async def test_an_abandoned_stream_teaches_nothing_and_the_next_turn_works(asynchronous: bool) -> None:
    llm = ScriptedChatModel([NOTHING])
    with make_memory(llm) as memory:
        chat = Chat(memory, answers(["Lyon is a fine city.", "Yes."]))
        if asynchronous:
            chunks: Any = chat.chain.astream({"input": "I live in Lyon."}, run_of("ann"))
            await anext(chunks)
            await chunks.aclose()
        else:
            stream: Any = chat.chain.stream({"input": "I live in Lyon."}, run_of("ann"))
            next(stream)
            stream.close()
        assert llm.calls == []
        assert chat.chain.invoke({"input": "I like tea."}, run_of("ann")) == "Yes."
        assert messages_in(llm.calls[0].messages[-1].content) == [
            ("user", "I like tea."),
            ("assistant", "Yes."),
        ]


async def test_async_runs_of_several_users_stay_async_and_apart(memory: LongTermMemory) -> None:
    names = [f"user-{number}" for number in range(5)]
    chat = Chat(memory, answers(["Ok."] * 10))
    loop = asyncio.get_running_loop()
    loop.set_debug(True)
    inputs = [{"input": f"My name is {name.title()}."} for name in names]
    assert await chat.chain.abatch(inputs, [run_of(name) for name in names]) == ["Ok."] * 5
    for name in names:
        assert len(contents(memory.for_user(name))) == 1
        assert name.title() in contents(memory.for_user(name))[0]
        history = chat.histories[(name, "c1")]
        assert (history.awaited, history.blocked) == (2, 0)
