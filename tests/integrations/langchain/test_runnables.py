"""LCEL: a step that recalls, and one around a chain that learns."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda, RunnablePassthrough

from langchain_langmem_ext import LongTermMemoryLearner, LongTermMemoryRecall
from langmem_ext import InvalidInputError, InvalidUserError, LongTermMemory, ModelError, UserMemory
from langmem_ext.testing import ScriptedChatModel
from tests.integrations.helpers import BLOCK, NOTHING, contents, make_memory, messages_in
from tests.integrations.langchain.models import SeenChatModel, answers

PROMPT = ChatPromptTemplate.from_messages([("system", "Be brief.\n{memories}"), ("human", "{question}")])
ANN: RunnableConfig = {"configurable": {"user_id": "ann"}}
BEN: RunnableConfig = {"configurable": {"user_id": "ben"}}


def chain_of(memory: LongTermMemory, model: GenericFakeChatModel, **options: Any) -> LongTermMemoryLearner:
    recall = LongTermMemoryRecall(memory=memory)
    return LongTermMemoryLearner(recall | PROMPT | model | StrOutputParser(), memory=memory, **options)


def said(text: str) -> dict[str, str]:
    return {"question": text}


def system_of(seen: list[BaseMessage]) -> str:
    return str(seen[0].text)


async def call(chain: Runnable[Any, Any], how: str, input: Any, config: RunnableConfig = ANN) -> list[Any]:
    """The chunks of an answer."""
    if how == "invoke":
        return [chain.invoke(input, config)]
    if how == "ainvoke":
        return [await chain.ainvoke(input, config)]
    if how == "stream":
        return list(chain.stream(input, config))
    return [chunk async for chunk in chain.astream(input, config)]


WAYS = pytest.mark.parametrize("how", ["invoke", "ainvoke", "stream", "astream"])


@WAYS
async def test_a_chain_recalls_and_learns(memory: LongTermMemory, how: str) -> None:
    model = answers(["Noted and kept.", "In Lyon."])
    chain = chain_of(memory, model)
    chunks = await call(chain, how, said("I live in Lyon."))
    assert "".join(chunks) == "Noted and kept."
    assert (len(chunks) > 1) is ("stream" in how)  # tokens are not gathered on their way
    assert contents(memory.for_user("ann")) == ["The user lives in Lyon."]
    await call(chain, how, said("Where do I live?"))
    assert "lives in Lyon" in system_of(model.seen[1])
    assert BLOCK not in system_of(model.seen[0])


@WAYS
async def test_the_turn_is_learned_once_and_without_what_was_recalled(how: str) -> None:
    llm = ScriptedChatModel([NOTHING])
    with make_memory(llm) as memory:
        memory.for_user("ann").remember("The user has a dog called Rex")
        await call(chain_of(memory, answers(["A fine dog."])), how, said("My dog Rex is three."))
        (asked,) = llm.calls
        assert messages_in(asked.messages[-1].content) == [
            ("user", "My dog Rex is three."),
            ("assistant", "A fine dog."),
        ]


@WAYS
async def test_of_a_thread_only_what_nobody_answered_yet_is_learned(how: str) -> None:
    llm = ScriptedChatModel([NOTHING])
    with make_memory(llm) as memory:
        chain = LongTermMemoryLearner(answers(["A fine dog."]), memory=memory)
        thread = [SystemMessage("Be brief."), HumanMessage("I live in Lyon."), AIMessage("A fine city.")]
        await call(chain, how, [*thread, HumanMessage("My dog Rex is three.")])
        assert messages_in(llm.calls[0].messages[-1].content) == [
            ("user", "My dog Rex is three."),
            ("assistant", "A fine dog."),
        ]


@pytest.mark.parametrize("asynchronous", [False, True])
async def test_an_abandoned_stream_teaches_nothing_and_the_next_turn_works(asynchronous: bool) -> None:
    llm = ScriptedChatModel([NOTHING])
    with make_memory(llm) as memory:
        chain = chain_of(memory, answers(["Lyon is a fine city.", "Yes."]))
        if asynchronous:
            chunks = chain.astream(said("I live in Lyon."), ANN)
            await anext(chunks)
            await chunks.aclose()  # type: ignore[attr-defined]
        else:
            stream = chain.stream(said("I live in Lyon."), ANN)
            next(stream)
            stream.close()  # type: ignore[attr-defined]
        assert llm.calls == []
        assert chain.invoke(said("I like tea."), ANN) == "Yes."
        assert messages_in(llm.calls[0].messages[-1].content) == [
            ("user", "I like tea."),
            ("assistant", "Yes."),
        ]


@WAYS
async def test_a_chain_that_fails_teaches_nothing(memory: LongTermMemory, how: str) -> None:
    def fail(_: Any) -> Any:
        raise RuntimeError("no answer")

    with pytest.raises(RuntimeError, match="no answer"):
        await call(LongTermMemoryLearner(RunnableLambda(fail), memory=memory), how, said("I live in Lyon."))
    assert memory.users() == []


@WAYS
async def test_a_run_without_one_clear_user_is_refused_before_the_model_is_asked(
    memory: LongTermMemory, how: str
) -> None:
    model = answers(["Hello."] * 4)
    learner = LongTermMemoryLearner(PROMPT | model, memory=memory, input_key="question")
    for chain in (chain_of(memory, model), learner, LongTermMemoryRecall(memory=memory) | PROMPT | model):
        with pytest.raises(InvalidUserError, match=r"configurable.*user_id.*bind one with user="):
            await call(chain, how, {"question": "x", "memories": ""} if chain is learner else said("x"), {})
    bound = LongTermMemoryLearner(model, user=memory.for_user("ann"))
    with pytest.raises(InvalidUserError, match="'ben'.*'ann'"):
        await call(bound, how, "x", BEN)
    assert model.seen == []


async def test_many_users_of_one_chain_are_kept_apart(memory: LongTermMemory) -> None:
    names = [f"user-{number}" for number in range(10)]

    def echo(prompt: Any) -> AIMessage:
        return AIMessage(str(prompt.messages[0].text))

    recall = LongTermMemoryRecall(memory=memory)
    chain = LongTermMemoryLearner(recall | PROMPT | RunnableLambda(echo), memory=memory)
    configs: list[RunnableConfig] = [{"configurable": {"user_id": name}} for name in names]
    inputs = [said(f"My name is {name.title()}.") for name in names]
    await chain.abatch(inputs, configs)
    shown = chain.batch([said("What is my name?")] * 10, configs)
    for name, message in zip(names, shown, strict=True):
        assert [other for other in names if other.title() in message.text] == [name]


def test_batch_names_a_user_per_input(memory: LongTermMemory) -> None:
    chain = chain_of(memory, answers(["Ok."] * 2))
    chain.batch([said("I live in Lyon."), said("I live in Nantes.")], [ANN, BEN])
    assert contents(memory.for_user("ann")) == ["The user lives in Lyon."]
    assert contents(memory.for_user("ben")) == ["The user lives in Nantes."]


def test_inputs_of_other_shapes(memory: LongTermMemory) -> None:
    user = memory.for_user("ann")
    user.remember("The user lives in Lyon")
    recall = LongTermMemoryRecall(user=user)
    for given in (
        "Where do I live?",
        HumanMessage("Where do I live?"),
        [("human", "Hi"), ("ai", "Hello"), ("human", "Where do I live?")],
        PROMPT.invoke({"memories": "", "question": "Where do I live?"}),
    ):
        result = recall.invoke(given)
        assert result["input"] is given
        assert "lives in Lyon" in result["memories"]
    assert recall.invoke({"input": 7}) == {"input": 7, "memories": ""}
    assert recall.invoke({"input": {"a": 1}})["memories"] == ""
    named = LongTermMemoryRecall(user=user, input_key="question", memory_key="ltm")
    result = named.invoke({"question": "Where do I live?", "other": 1})
    assert result.keys() == {"question", "other", "ltm"}
    assert "lives in Lyon" in result["ltm"]


def test_several_inputs_need_a_key(memory: LongTermMemory) -> None:
    recall = LongTermMemoryRecall(user=memory.for_user("ann"))
    learner = LongTermMemoryLearner(answers([]), user=memory.for_user("ann"))
    for chain in (recall, learner):
        with pytest.raises(InvalidInputError, match=r"input_key.*\['a', 'b'\]"):
            chain.invoke({"a": "x", "b": "y"})


def test_several_outputs_and_one_that_is_the_answer(caplog: pytest.LogCaptureFixture) -> None:
    llm = ScriptedChatModel([NOTHING] * 2)
    answer: Runnable[Any, Any] = RunnablePassthrough.assign(answer=lambda _: "A fine city.")
    with make_memory(llm) as memory:
        user = memory.for_user("ann")
        LongTermMemoryLearner(answer, user=user, output_key="answer").invoke(said("I live in Lyon."))
        LongTermMemoryLearner(answer, user=user).invoke(said("I live in Nantes."))
    first, second = (messages_in(asked.messages[-1].content) for asked in llm.calls)
    assert first == [("user", "I live in Lyon."), ("assistant", "A fine city.")]
    assert second == [("user", "I live in Nantes.")]
    assert "output_key should be one of ['answer', 'question']" in caplog.text


def test_a_stream_of_dicts_is_added_up() -> None:
    llm = ScriptedChatModel([NOTHING])
    answer: Runnable[Any, Any] = RunnablePassthrough.assign(answer=lambda _: "A fine city.")
    with make_memory(llm) as memory:
        chain = LongTermMemoryLearner(answer, user=memory.for_user("ann"), output_key="answer")
        assert len(list(chain.stream(said("I live in Lyon.")))) > 1
    assert messages_in(llm.calls[0].messages[-1].content)[1] == ("assistant", "A fine city.")


@WAYS
async def test_a_memory_that_fails_leaves_the_answer(
    memory: LongTermMemory, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, how: str
) -> None:
    async def afail(*args: Any, **kwargs: Any) -> Any:
        raise ModelError("what was said", kind="timeout")

    def fail(*args: Any, **kwargs: Any) -> Any:
        raise ModelError("what was said", kind="timeout")

    for name in ("context", "add"):
        monkeypatch.setattr(UserMemory, name, fail)
        monkeypatch.setattr(UserMemory, f"a{name}", afail)
    model = answers(["Hello."])
    with caplog.at_level(logging.WARNING):
        assert "".join(await call(chain_of(memory, model), how, said("I live in Lyon."))) == "Hello."
    assert system_of(model.seen[0]) == "Be brief.\n"
    assert "could not recall (timeout)" in caplog.text
    assert "could not learn from a turn (timeout)" in caplog.text
    assert "what was said" not in caplog.text
    recalled = (await call(LongTermMemoryRecall(memory=memory), how, said("Hi")))[0]
    assert recalled == {"question": "Hi", "memories": "", "memories_error": "timeout"}


async def test_learning_later_and_not_at_all(memory: LongTermMemory) -> None:
    chain_of(memory, answers(["Ok."]), learn="off").invoke(said("I live in Lyon."), ANN)
    assert memory.users() == []
    await chain_of(memory, answers(["Ok."]), learn="later").ainvoke(said("I live in Lyon."), ANN)
    assert memory.flush(timeout=30).learned == 1
    assert contents(memory.for_user("ann")) == ["The user lives in Lyon."]
    with pytest.raises(InvalidInputError, match='"now".*"later".*"off"'):
        LongTermMemoryLearner(answers([]), memory=memory, learn=True)  # type: ignore[arg-type]


def test_it_is_a_step_like_others(memory: LongTermMemory) -> None:
    model = SeenChatModel(messages=iter(["Noted.", "In Lyon."]))
    learner = chain_of(memory, model).with_config(ANN)
    chain = learner | RunnableLambda(str.upper)
    assert chain.invoke(said("I live in Lyon.")) == "NOTED."
    assert "".join(chain.stream(said("Where do I live?"))) == "IN LYON."
    assert "lives in Lyon" in system_of(model.seen[1])
    assert chain.get_graph().nodes
    assert LongTermMemoryRecall(memory=memory).get_name() == "LongTermMemoryRecall"


def test_the_thread_of_a_run_is_a_label(memory: LongTermMemory) -> None:
    for key in ("thread_id", "session_id"):
        config: RunnableConfig = {"configurable": {"user_id": key, key: 7}}
        chain_of(memory, answers(["Ok."])).invoke(said("I live in Lyon."), config)
        (item,) = memory.for_user(key).iter_memories()
        assert item.session_id == "7"


@pytest.mark.parametrize("wrong", [None, "chain", len])
def test_what_is_no_chain_is_refused_at_once(memory: LongTermMemory, wrong: Any) -> None:
    with pytest.raises(InvalidInputError, match="chain must be a runnable"):
        LongTermMemoryLearner(wrong, memory=memory)
    with pytest.raises(InvalidInputError, match=r"either user=.* or memory="):
        LongTermMemoryRecall()


async def test_a_cancelled_run_teaches_nothing(memory: LongTermMemory) -> None:
    async def slow(_: Any) -> str:
        await asyncio.sleep(60)
        return "never"

    chain = LongTermMemoryLearner(RunnableLambda(slow), memory=memory)
    task = asyncio.create_task(chain.ainvoke(said("I live in Lyon."), ANN))
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert memory.users() == []
