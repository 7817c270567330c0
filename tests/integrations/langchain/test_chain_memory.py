from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import pytest
from langchain_classic.base_memory import BaseMemory
from langchain_classic.chains.conversation.base import ConversationChain
from langchain_classic.chains.llm import LLMChain
from langchain_classic.memory import CombinedMemory, ConversationBufferMemory
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder, PromptTemplate
from pydantic import ValidationError

from langchain_langmem_ext import LongTermChainMemory
from langmem_ext import InvalidInputError, LongTermMemory, ModelError, UserMemory
from langmem_ext.testing import FakeEmbedder, ScriptedChatModel
from tests.integrations.helpers import BLOCK, NOTHING, contents, make_memory, messages_in, recalls
from tests.integrations.langchain.models import SeenChatModel, answers

# Classic chains are deprecated as such; who still has them is whom this adapter is for.
pytestmark = pytest.mark.filterwarnings("ignore::langchain_core._api.LangChainDeprecationWarning")

PROMPT = PromptTemplate.from_template("{memories}\nUser: {input}")


def chain_of(memory: BaseMemory, model: SeenChatModel, prompt: PromptTemplate = PROMPT) -> LLMChain:
    return LLMChain(llm=model, prompt=prompt, memory=memory)


@pytest.fixture
def user(memory: LongTermMemory) -> UserMemory:
    return memory.for_user("ann")


def test_a_chain_learns_and_recalls_over_several_turns(user: UserMemory) -> None:
    model = answers(["Noted.", "In Lyon.", "Nantes it is.", "In Nantes."])
    chain = chain_of(LongTermChainMemory(user=user), model)
    for said in ("I live in Lyon.", "Where do I live?", "I moved to Nantes.", "Where do I live?"):
        answer = chain.invoke({"input": said})["text"]
    assert answer == "In Nantes."
    prompts = [str(seen[0].content) for seen in model.seen]
    assert BLOCK not in prompts[0]
    assert [prompt.count(BLOCK) for prompt in prompts[1:]] == [1, 1, 1]
    assert "lives in Lyon" in prompts[1]
    assert "Nantes" in prompts[3]
    assert "lives in Lyon" not in prompts[3]


@pytest.mark.parametrize("how", ["invoke", "ainvoke", "stream", "astream"])
async def test_a_conversation_chain_with_its_own_prompt(user: UserMemory, how: str) -> None:
    """Its prompt knows one variable beside the input, by the name of `history`."""
    model = answers(["Noted.", "In Lyon."])
    chain = ConversationChain(llm=model, memory=LongTermChainMemory(user=user, memory_key="history"))
    results: list[Any] = []
    for text in ("I live in Lyon.", "Where do I live?"):
        if how == "invoke":
            results.append(chain.invoke({"input": text}))
        elif how == "ainvoke":
            results.append(await chain.ainvoke({"input": text}))
        elif how == "stream":
            results += chain.stream({"input": text})
        else:
            results += [chunk async for chunk in chain.astream({"input": text})]
    assert [result["response"] for result in results] == ["Noted.", "In Lyon."]
    assert contents(user) == ["The user lives in Lyon."]
    assert "lives in Lyon" in str(model.seen[1][0].content)
    assert BLOCK not in str(model.seen[0][0].content)


def test_messages_fit_into_a_chat_prompt(user: UserMemory) -> None:
    user.remember("The user lives in Lyon")
    model = answers(["In Lyon."])
    prompt = ChatPromptTemplate.from_messages([MessagesPlaceholder("memories"), ("human", "{input}")])
    memory = LongTermChainMemory(user=user, return_messages=True)
    LLMChain(llm=model, prompt=prompt, memory=memory).invoke({"input": "Where do I live?"})
    assert [message.type for message in model.seen[0]] == ["system", "human"]
    assert "lives in Lyon" in str(model.seen[0][0].content)


async def test_the_async_door_does_the_same(user: UserMemory) -> None:
    model = answers(["Noted.", "In Lyon."])
    chain = chain_of(LongTermChainMemory(user=user), model)
    await chain.ainvoke({"input": "I live in Lyon."})
    await chain.ainvoke({"input": "Where do I live?"})
    assert "lives in Lyon" in str(model.seen[1][0].content)


def test_users_are_kept_apart(memory: LongTermMemory) -> None:
    chain_of(LongTermChainMemory(user=memory.for_user("ann")), answers(["Ok."])).invoke(
        {"input": "I live in Lyon."}
    )
    model = answers(["I do not know."])
    chain_of(LongTermChainMemory(user=memory.for_user("ben")), model).invoke({"input": "Where do I live?"})
    assert "Lyon" not in str(model.seen[0][0].content)
    assert contents(memory.for_user("ben")) == []


def test_what_was_injected_is_not_learned_again() -> None:
    llm = ScriptedChatModel([NOTHING])
    with make_memory(llm) as memory:
        user = memory.for_user("ann")
        user.remember("The user has a dog called Rex")
        chain_of(LongTermChainMemory(user=user), answers(["Hi."])).invoke(
            {"input": "My dog Rex is three years old."}
        )
        (call,) = llm.calls
        assert BLOCK not in call.messages[-1].content
        assert messages_in(call.messages[-1].content) == [
            ("user", "My dog Rex is three years old."),
            ("assistant", "Hi."),
        ]


def test_the_keys_are_respected(user: UserMemory) -> None:
    user.remember("The user likes green tea")
    options: dict[str, Any] = {"memory_key": "ltm", "input_key": "question", "output_key": "answer"}
    as_text = LongTermChainMemory(user=user, **options)
    as_messages = LongTermChainMemory(user=user, return_messages=True, **options)
    inputs = {"question": "Which tea do I like?", "extra": 1}
    assert as_text.memory_variables == ["ltm"]
    loaded = as_text.load_memory_variables(inputs)
    assert loaded.keys() == {"ltm"}
    assert "green tea" in loaded["ltm"]
    (message,) = as_messages.load_memory_variables(inputs)["ltm"]
    assert isinstance(message, SystemMessage)
    assert message.content == loaded["ltm"]
    outputs: dict[str, Any] = {"answer": "Ok.", "source_documents": []}
    as_text.save_context({"question": "I live in Lyon.", "extra": 1}, outputs)
    assert "The user lives in Lyon." in contents(user)


def test_nothing_known_is_an_empty_variable(user: UserMemory) -> None:
    assert LongTermChainMemory(user=user).load_memory_variables({"input": "Hi"}) == {"memories": ""}
    empty = LongTermChainMemory(user=user, return_messages=True).load_memory_variables({"input": "Hi"})
    assert empty == {"memories": []}


def test_several_inputs_need_a_key(user: UserMemory) -> None:
    adapter = LongTermChainMemory(user=user)
    for call in (adapter.load_memory_variables, lambda inputs: adapter.save_context(inputs, {"text": "Ok."})):
        with pytest.raises(ValueError, match=r"input_key.*\['context', 'question'\]"):
            call({"question": "x", "context": "y"})


def test_the_injected_variable_is_not_taken_for_the_input(user: UserMemory) -> None:
    inputs = {"input": "I live in Lyon.", "memories": "I live in a block.", "stop": ["\n"]}
    LongTermChainMemory(user=user).save_context(inputs, {"text": "Ok."})
    assert contents(user) == ["The user lives in Lyon."]


def test_several_outputs_do_not_cost_the_answer(user: UserMemory, caplog: pytest.LogCaptureFixture) -> None:
    adapter = LongTermChainMemory(user=user)
    adapter.save_context({"input": "I live in Lyon."}, {"answer": "Ok.", "source_documents": "..."})
    assert contents(user) == ["The user lives in Lyon."]
    assert "output_key should be one of ['answer', 'source_documents']" in caplog.text


def test_it_works_beside_a_chat_history(user: UserMemory) -> None:
    model = answers(["Noted.", "In Lyon."])
    both = CombinedMemory(
        memories=[
            LongTermChainMemory(user=user),
            ConversationBufferMemory(memory_key="history", input_key="input"),
        ]
    )
    prompt = PromptTemplate.from_template("{memories}\n{history}\nUser: {input}")
    chain = chain_of(both, model, prompt)
    chain.invoke({"input": "I live in Lyon."})
    chain.invoke({"input": "Where do I live?"})
    assert contents(user) == ["The user lives in Lyon."]
    assert "Human: I live in Lyon." in str(model.seen[1][0].content)


def test_messages_as_input(user: UserMemory) -> None:
    adapter = LongTermChainMemory(user=user)
    adapter.save_context(
        {"input": [HumanMessage("Hello"), HumanMessage("I live in Lyon.")]},
        {"text": AIMessage("Ok.")},  # type: ignore[dict-item]
    )
    assert contents(user) == ["The user lives in Lyon."]
    block = adapter.load_memory_variables(
        {"input": [HumanMessage([{"type": "text", "text": "Where do I live?"}])]}
    )
    assert "Lyon" in block["memories"]


@pytest.fixture
def broken() -> Iterator[LongTermMemory]:
    with make_memory(ScriptedChatModel([ModelError("secret words", kind="timeout")])) as memory:
        yield memory


async def test_a_failure_to_learn_leaves_the_answer(
    broken: LongTermMemory, caplog: pytest.LogCaptureFixture
) -> None:
    adapter = LongTermChainMemory(user=broken.for_user("ann"))
    with caplog.at_level(logging.WARNING):
        result = await chain_of(adapter, answers(["Noted."])).ainvoke({"input": "I live in Lyon."})
    assert result["text"] == "Noted."
    assert isinstance(adapter.last_error, ModelError)
    assert adapter.last_error.kind == "timeout"
    assert "could not learn from a turn (timeout)" in caplog.text
    assert "secret words" not in caplog.text
    adapter.clear()
    assert adapter.last_error is None


async def test_a_closed_memory_leaves_the_answer() -> None:
    memory = make_memory()
    adapter = LongTermChainMemory(user=memory.for_user("ann"))
    memory.close()
    chain = chain_of(adapter, answers(["Noted.", "Again."]))
    assert chain.invoke({"input": "I live in Lyon."})["text"] == "Noted."
    assert (await chain.ainvoke({"input": "I live in Lyon."}))["text"] == "Again."
    assert type(adapter.last_error).__name__ == "StoreClosedError"


def test_clear_keeps_the_long_term_memories(user: UserMemory) -> None:
    user.remember("The user likes tea")
    LongTermChainMemory(user=user).clear()
    assert contents(user) == ["The user likes tea"]


def test_it_can_only_recall(user: UserMemory) -> None:
    LongTermChainMemory(user=user, learn="off").save_context({"input": "I live in Lyon."}, {"text": "Ok."})
    assert contents(user) == []


def test_a_blank_question_searches_nothing(
    memory: LongTermMemory, user: UserMemory, embedder: FakeEmbedder
) -> None:
    assert LongTermChainMemory(user=user).load_memory_variables({"input": "  "}) == {"memories": ""}
    assert recalls(memory) == 0
    assert embedder.calls == 0


def test_a_misspelt_option_is_an_error(user: UserMemory) -> None:
    with pytest.raises(ValidationError, match="memory_keys"):
        LongTermChainMemory(user=user, memory_keys="x")
    with pytest.raises(TypeError, match="user"):
        LongTermChainMemory()  # type: ignore[call-arg]
    assert issubclass(InvalidInputError, ValueError)
