"""A LangChain chat model as the LLM that extracts."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import RunnableConfig, RunnableLambda
from pydantic import PrivateAttr

from langchain_langmem_ext import LangChainChat, LongTermMemoryMiddleware
from langmem_ext import ChatModel, InvalidInputError, LongTermMemory
from tests.integrations.helpers import contents, make_memory
from tests.integrations.langchain.models import answers
from tests.support.memories import fact, reply

LYON = reply(fact("The user lives in Lyon", "I live in Lyon"))
SAID = "I live in Lyon."


class ToolModel(GenericFakeChatModel):
    """Takes tools and schemas; `bound` holds what it was bound to for each call."""

    _bound: list[dict[str, Any]] = PrivateAttr(default_factory=list)
    _error: Exception | None = PrivateAttr(default=None)

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Any:
        return self.bind(tools=tools, **kwargs)

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        self._bound.append({name: kwargs[name] for name in ("tools", "tool_choice") if name in kwargs})
        if self._error is not None and "tools" in kwargs:
            raise self._error
        message = next(self.messages)
        return ChatResult(
            generations=[
                ChatGeneration(message=message if isinstance(message, AIMessage) else AIMessage(message))
            ]
        )


def tool_model(*replies: AIMessage | str) -> ToolModel:
    return ToolModel(messages=iter(replies))


def called(**arguments: Any) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": "memories", "args": arguments, "id": "1", "type": "tool_call"}])


async def test_it_extracts_in_sync_and_async() -> None:
    for asynchronous in (False, True):
        with make_memory(LangChainChat(answers([LYON]))) as memory:
            user = memory.for_user("ann")
            result = await user.aadd(SAID) if asynchronous else user.add(SAID)
            assert result.status == "learned"
            assert contents(user) == ["The user lives in Lyon"]
            assert result.usage.calls == 1


def test_a_model_with_tools_is_asked_through_one() -> None:
    model = tool_model(called(**json.loads(LYON)))
    with make_memory(LangChainChat(model)) as memory:
        assert memory.for_user("ann").add(SAID).status == "learned"
        assert contents(memory.for_user("ann")) == ["The user lives in Lyon"]
    (bound,) = model._bound
    assert bound["tools"]


def test_a_model_that_knows_no_format_is_asked_in_words() -> None:
    model = GenericFakeChatModel(messages=iter([AIMessage(f"Sure!\n```json\n{LYON}\n```")]))
    with make_memory(LangChainChat(model)) as memory:
        assert memory.for_user("ann").add(SAID).status == "learned"


def test_a_refused_format_is_stepped_down_from_once() -> None:
    class BadRequestError(Exception):
        status_code = 400

    model = tool_model(LYON, reply())
    model._error = BadRequestError("no tools here")
    with make_memory(LangChainChat(model)) as memory:
        user = memory.for_user("ann")
        assert user.add(SAID).status == "learned"
        assert user.add("I like green tea a lot.").status == "nothing"
    # Both kinds of JSON are refused once; then the plain way is remembered.
    assert [bool(bound) for bound in model._bound] == [True, True, False, False]


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        (AIMessage(LYON[:-9], response_metadata={"finish_reason": "length"}), "truncated"),
        (AIMessage(LYON[:-9], response_metadata={"stop_reason": "max_tokens"}), "truncated"),
        (AIMessage(LYON[:-9], response_metadata={"finish_reason": "MAX_TOKENS"}), "truncated"),
        (AIMessage("", response_metadata={"finish_reason": "SAFETY"}), "refused"),
        (AIMessage("", additional_kwargs={"refusal": "I cannot"}), "refused"),
        (AIMessage(""), "empty_reply"),
    ],
)
def test_an_incomplete_reply_is_an_error_and_no_half_memory(message: AIMessage, kind: str) -> None:
    with make_memory(LangChainChat(tool_model(message))) as memory:
        result = memory.for_user("ann").add(SAID)
        assert result.error is not None
        assert result.error.kind == kind
        assert contents(memory.for_user("ann")) == []


def test_a_tool_call_that_was_cut_is_no_half_memory() -> None:
    whole = called(**json.loads(LYON))
    whole.response_metadata["stop_reason"] = "max_tokens"
    with make_memory(LangChainChat(tool_model(whole))) as memory:
        result = memory.for_user("ann").add(SAID)
        assert result.error is not None
        assert result.error.kind == "truncated"


def test_broken_arguments_of_a_tool_call_are_asked_for_again() -> None:
    broken = AIMessage("", invalid_tool_calls=[
        {"name": "m", "args": LYON[:-3], "id": "1", "error": None, "type": "invalid_tool_call"}
    ])  # fmt: skip
    with make_memory(LangChainChat(tool_model(broken, LYON))) as memory:
        assert memory.for_user("ann").add(SAID).usage.calls == 2


async def test_errors_of_the_model_have_a_kind() -> None:
    class RateLimitError(Exception):
        status_code = 429

    def fail(_: Any) -> AIMessage:
        raise RateLimitError("the user said: I live in Lyon")

    with make_memory(LangChainChat(RunnableLambda(fail), name="mine")) as memory:
        for result in (memory.for_user("ann").add(SAID), await memory.for_user("ann").aadd(SAID)):
            assert result.error is not None
            assert (result.error.kind, result.error.retryable) == ("rate_limit", True)
            assert "mine" in result.error.message
            assert "Lyon" not in result.error.message


async def test_a_cancelled_task_is_not_taken_for_an_error() -> None:
    async def wait(_: Any) -> AIMessage:
        await asyncio.sleep(60)
        return AIMessage("")

    with make_memory(LangChainChat(RunnableLambda(lambda _: AIMessage(""), wait))) as memory:
        task = asyncio.create_task(memory.for_user("ann").aadd(SAID))
        await asyncio.sleep(0.2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


class Seen(BaseCallbackHandler):
    """Hears what a run says."""

    def __init__(self) -> None:
        self.starts = 0
        self.tokens: list[str] = []

    def on_chat_model_start(self, *args: Any, **kwargs: Any) -> None:
        self.starts += 1

    def on_llm_new_token(self, token: Any, **kwargs: Any) -> None:
        self.tokens.append(str(token))


@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize("learn", ["now", "later"])
async def test_the_user_does_not_see_the_tokens_of_the_extraction(learn: Any, asynchronous: bool) -> None:
    """It runs inside the agent's run, whose callbacks and streams LangChain hands on by itself."""
    extractor = answers([LYON])
    with make_memory(LangChainChat(extractor)) as memory:
        agent: Any = create_agent(
            answers(["Noted and kept."]),
            [],
            middleware=[LongTermMemoryMiddleware(memory=memory, learn=learn)],
        )
        heard = Seen()
        config: RunnableConfig = {"configurable": {"user_id": "ann"}, "callbacks": [heard]}
        question = {"messages": [HumanMessage(SAID)]}
        if asynchronous:
            parts = [part async for part in agent.astream(question, config, stream_mode="messages")]
        else:
            parts = list(agent.stream(question, config, stream_mode="messages"))
        memory.flush(timeout=30)
        assert "".join(str(message.text) for message, _ in parts) == "Noted and kept."
        assert len(extractor.seen) == 1
        assert heard.starts == 1
        assert "Lyon" not in "".join(heard.tokens)
        assert contents(memory.for_user("ann")) == ["The user lives in Lyon"]


async def test_events_of_a_chain_do_not_show_the_extraction() -> None:
    with make_memory(LangChainChat(answers([LYON]))) as memory:
        user = memory.for_user("ann")

        async def learn(text: str) -> str:
            await user.aadd(text)
            return "done"

        events = [event async for event in RunnableLambda(learn).astream_events(SAID, version="v2")]
        assert {event["event"] for event in events} <= {"on_chain_start", "on_chain_stream", "on_chain_end"}
        assert contents(user) == ["The user lives in Lyon"]


def test_it_has_a_name_and_is_the_port() -> None:
    class Named(GenericFakeChatModel):
        model_name: str = "tiny-1"

    model = Named(messages=iter([]))
    assert LangChainChat(model).name == "Named(tiny-1)"
    assert LangChainChat(model.with_retry()).name == "Named(tiny-1)"
    assert LangChainChat(model, name="mine").name == "mine"
    assert LangChainChat(answers([])).name == "SeenChatModel"
    assert isinstance(LangChainChat(model), ChatModel)


@pytest.mark.parametrize("wrong", [None, "gpt-4o", object(), ChatModel])
def test_what_is_no_model_is_refused_at_once(wrong: Any) -> None:
    with pytest.raises(InvalidInputError, match="model must be"):
        LangChainChat(wrong)


def test_a_model_given_as_it_is_is_refused_with_the_adapters_name() -> None:
    with pytest.raises(InvalidInputError, match="llm=SeenChatModel"):
        LongTermMemory(llm=answers([]))  # type: ignore[arg-type]
