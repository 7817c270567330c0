"""The chat memory under every engine and agent that LlamaIndex has, since each calls it in another order."""

from __future__ import annotations

import pytest
from llama_index.core.agent.workflow import AgentWorkflow, ReActAgent
from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.chat_engine import CondensePlusContextChatEngine

from langmem_ext import LongTermMemory
from langmem_ext.testing import ScriptedChatModel
from llama_index_langmem_ext import LongTermChatMemory
from tests.integrations.helpers import BLOCK, NOTHING, contents, make_memory, messages_in, recalls
from tests.integrations.llama_index.engines import (
    DOORS,
    ENGINES,
    Library,
    agents,
    function_agent,
    simple,
    weather,
)
from tests.integrations.llama_index.models import BreakingLLM, SeenLLM, calls

# LlamaIndex's agents use what Pydantic and LlamaIndex's own workflows have deprecated.
pytestmark = [
    pytest.mark.filterwarnings("ignore::pydantic.warnings.PydanticDeprecationWarning"),
    pytest.mark.filterwarnings("ignore:is_running called from within a step:DeprecationWarning"),
]


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("engine", ENGINES)
async def test_chat_engines_recall_once_and_learn_once_per_turn(engine: str, door: str) -> None:
    learner = ScriptedChatModel([NOTHING] * 2)
    with make_memory(learner) as memory:
        memory.for_user("ann").remember("The user likes tea")
        llm = SeenLLM(["You like tea.", "And coffee."])
        chat = LongTermChatMemory.from_defaults(user=memory.for_user("ann"))
        chosen = ENGINES[engine](llm, chat, "Be brief.")
        for number, text in enumerate(("I drink tea in Lyon.", "I drink tea in Nantes."), start=1):
            assert (await DOORS[door](chosen, text)).strip() == ["You like tea.", "And coffee."][number - 1]
            assert recalls(memory) == number
        assert [str(seen).count(BLOCK) for seen in llm.seen] == [1, 1]
        assert all("likes tea" in str(seen) for seen in llm.seen)
        assert [messages_in(call.messages[-1].content) for call in learner.calls] == [
            [("user", "I drink tea in Lyon."), ("assistant", "You like tea.")],
            [("user", "I drink tea in Nantes."), ("assistant", "And coffee.")],
        ]
        kept = chat.get_all()
        assert [m.role.value for m in kept] == ["user", "assistant"] * 2
        assert BLOCK not in str(kept)


def test_a_question_is_condensed_with_what_is_known(memory: LongTermMemory) -> None:
    user = memory.for_user("ann")
    user.remember("The user likes tea")
    llm = SeenLLM(["Where is the best tea?", "In Lyon."])
    engine = CondensePlusContextChatEngine.from_defaults(
        Library(), llm=llm, memory=LongTermChatMemory.from_defaults(user=user)
    )
    assert str(engine.chat("Where is the best of what I like, tea?")) == "In Lyon."
    assert [str(seen).count(BLOCK) for seen in llm.seen] == [1, 1]
    assert recalls(memory) == 1


def test_an_engine_with_a_prompt_of_its_own_shows_one_system_message(memory: LongTermMemory) -> None:
    memory.for_user("ann").remember("The user likes tea")
    llm = SeenLLM(["Yes."])
    simple(llm, LongTermChatMemory.from_defaults(user=memory.for_user("ann"))).chat("Do I like tea?")
    assert [m.role.value for m in llm.seen[0]] == ["system", "user"]
    assert BLOCK in str(llm.seen[0][1].content)


def test_a_new_chat_of_an_engine_still_knows_the_user(memory: LongTermMemory) -> None:
    llm = SeenLLM(["Noted.", "In Lyon."])
    engine = simple(llm, LongTermChatMemory.from_defaults(user=memory.for_user("ann")))
    engine.chat("I live in Lyon.")
    engine.reset()
    engine.chat("Where do I live?")
    assert engine.chat_history[0].content == "Where do I live?"
    assert "lives in Lyon" in str(llm.seen[1])


def test_a_history_handed_to_the_engine_is_not_learned(memory: LongTermMemory) -> None:
    history = [
        ChatMessage(role=MessageRole.USER, content="I live in Paris."),
        ChatMessage(role=MessageRole.ASSISTANT, content="Ok."),
    ]
    engine = simple(SeenLLM(["Noted."]), LongTermChatMemory.from_defaults(user=memory.for_user("ann")))
    engine.chat("I live in Lyon.", chat_history=history)
    assert contents(memory.for_user("ann")) == ["The user lives in Lyon."]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_small_window_never_stops_the_chat(memory: LongTermMemory, engine: str) -> None:
    user = memory.for_user("ann")
    for number in range(30):
        user.remember(f"The user likes tea number {number} more than any other tea in the world")
    llm = SeenLLM(["Yes."])
    chat = LongTermChatMemory.from_defaults(user=user, token_limit=1000, top_k=30)
    chosen = ENGINES[engine](llm, chat, "Be brief. " * 300)
    assert str(chosen.chat("hello tea")) == "Yes."
    assert "hello tea" in str(llm.seen[0][-1].content)
    assert str(llm.seen[0][0].content).count("Be brief.") == 300


FOUR_STEPS: list[str | ChatMessage] = [
    *(calls("weather", str(number), city="Lyon") for number in range(4)),
    "It rains.",
]


@pytest.mark.parametrize("kind", ["agent", "workflow"])
async def test_an_agent_with_four_tool_steps_recalls_once_and_learns_once(kind: str) -> None:
    learner = ScriptedChatModel([NOTHING])
    with make_memory(learner) as memory:
        memory.for_user("ann").remember("The user lives in Lyon")
        llm = SeenLLM(FOUR_STEPS)
        chat = LongTermChatMemory.from_defaults(user=memory.for_user("ann"))
        result = await agents(llm)[kind].run("I like walking, what is the weather where I live?", memory=chat)
        assert str(result) == "It rains."
        assert recalls(memory) == 1
        assert len(llm.seen) == 5
        for seen in llm.seen:
            assert [m.role.value for m in seen[:2]] == ["system", "user"]
            assert sum(m.role == MessageRole.SYSTEM for m in seen) == 1
            assert str(seen).count(BLOCK) == 1
        assert len({str(seen[1]) for seen in llm.seen}) == 1
        (call,) = learner.calls
        assert messages_in(call.messages[-1].content) == [
            ("user", "I like walking, what is the weather where I live?"),
            ("assistant", "It rains."),
        ]


async def test_an_agent_over_several_turns_and_a_new_prompt(memory: LongTermMemory) -> None:
    llm = SeenLLM(["Noted."] * 5)
    chat = LongTermChatMemory.from_defaults(user=memory.for_user("ann"))
    agent = agents(llm)["agent"]
    for turn, text in enumerate(["I live in Lyon.", "Hello.", "I like tea.", "Where do I live?", "Bye."]):
        if turn == 2:
            agent.system_prompt = "Be long."
        await agent.run(text, memory=chat)
    assert [str(seen[0].content) for seen in llm.seen] == ["Be brief."] * 2 + ["Be long."] * 3
    assert [sum(m.role == MessageRole.SYSTEM for m in seen) for seen in llm.seen] == [1] * 5
    assert [str(seen).count(BLOCK) for seen in llm.seen][3] == 1
    assert all(m.role != MessageRole.SYSTEM for m in chat.get_all())
    assert BLOCK not in str(chat.get_all())
    assert contents(memory.for_user("ann")) == ["The user lives in Lyon.", "The user likes tea."]


async def test_an_agent_that_is_asked_by_its_history(memory: LongTermMemory) -> None:
    user = memory.for_user("ann")
    user.remember("The user likes tea")
    history = [
        ChatMessage(role=MessageRole.USER, content="I live in Paris."),
        ChatMessage(role=MessageRole.ASSISTANT, content="Ok."),
        ChatMessage(role=MessageRole.USER, content="I live in Lyon and like tea."),
    ]
    for _ in range(2):  # as a server does that keeps no conversation: the whole history each time
        llm = SeenLLM(["Noted."])
        chat = LongTermChatMemory.from_defaults(user=user)
        await agents(llm)["agent"].run(chat_history=history, memory=chat)
        assert str(llm.seen[0][-1].content).count(BLOCK) == 1
    assert contents(user) == ["The user likes tea", "The user lives in Lyon."]


async def test_an_agent_that_thinks_aloud(memory: LongTermMemory) -> None:
    llm = SeenLLM(["Thought: I can answer without using any more tools.\nAnswer: Noted."])
    chat = LongTermChatMemory.from_defaults(user=memory.for_user("ann"))
    agent = ReActAgent(tools=[weather], llm=llm, streaming=False)
    assert str(await agent.run("I live in Lyon.", memory=chat)) == "Noted."
    assert contents(memory.for_user("ann")) == ["The user lives in Lyon."]


async def test_two_agents_of_two_users_share_nothing(memory: LongTermMemory) -> None:
    for name, city in (("ann", "Lyon"), ("ben", "Nantes")):
        chat = LongTermChatMemory.from_defaults(user=memory.for_user(name))
        await agents(SeenLLM(["Noted."]))["agent"].run(f"I live in {city}.", memory=chat)
    llm = SeenLLM(["In Nantes."])
    chat = LongTermChatMemory.from_defaults(user=memory.for_user("ben"))
    await agents(llm)["agent"].run("Where do I live?", memory=chat)
    assert "Nantes" in str(llm.seen[0])
    assert "Lyon" not in str(llm.seen[0])


@pytest.mark.parametrize("engine", ENGINES)
def test_a_long_prompt_and_many_memories_are_cut_to_the_limit(memory: LongTermMemory, engine: str) -> None:
    user = memory.for_user("ann")
    for number in range(30):
        user.remember(f"hello: the user says that {number} times a day, to everybody whom the user meets")
    prompt = "Be brief. " * 300  # 900 tokens
    llm = SeenLLM(["Hi."])
    chat = LongTermChatMemory.from_defaults(user=user, token_limit=1200, max_tokens=600, top_k=30)
    assert len(chat.tokenizer_fn(user.context("hello", max_tokens=600, top_k=30).text)) > 400
    assert str(ENGINES[engine](llm, chat, prompt).chat("hello")) == "Hi."
    shown = llm.seen[0]
    assert str(shown[0].content).count("Be brief.") == 300
    assert str(shown[-1].content).endswith("hello")
    assert BLOCK in str(shown)
    if engine == "simple":  # context engines do not say how long their prompt is
        assert len(chat.tokenizer_fn(" ".join(str(m.content) for m in shown))) <= 1200


@pytest.mark.parametrize("engine", ENGINES)
def test_braces_in_a_memory_are_no_fields_of_a_template(memory: LongTermMemory, engine: str) -> None:
    user = memory.for_user("ann")
    user.remember("The user likes tea and {query_str} and {context_str} and {}")
    llm = SeenLLM(["Yes."])
    ENGINES[engine](llm, LongTermChatMemory.from_defaults(user=user), "Be brief.").chat("Do I like tea?")
    text = str(llm.seen[0])
    assert text.replace("{ ", "{").replace(" }", "}").count("{query_str} and {context_str} and {}") == 1


async def test_two_agents_of_one_workflow_share_a_turn(memory: LongTermMemory) -> None:
    llm = SeenLLM([calls("handoff", "1", to_agent="two", reason="it knows"), "In Lyon, then."])
    one, two = (function_agent(llm, name=name) for name in ("one", "two"))
    chat = LongTermChatMemory.from_defaults(user=memory.for_user("ann"))
    workflow = AgentWorkflow(agents=[one, two], root_agent="one")
    assert str(await workflow.run("I live in Lyon.", memory=chat)) == "In Lyon, then."
    assert recalls(memory) == 1
    assert contents(memory.for_user("ann")) == ["The user lives in Lyon."]


async def test_an_agent_that_fails_keeps_the_words_for_the_next_turn(memory: LongTermMemory) -> None:
    chat = LongTermChatMemory.from_defaults(user=memory.for_user("ann"))
    with pytest.raises(Exception, match="pop from empty list"):
        await agents(SeenLLM([]))["agent"].run("I live in Lyon.", memory=chat)
    assert contents(memory.for_user("ann")) == []
    await agents(SeenLLM(["Noted."]))["agent"].run("I like tea.", memory=chat)
    assert contents(memory.for_user("ann")) == ["The user lives in Lyon.", "The user likes tea."]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")  # LlamaIndex's thread
def test_an_abandoned_stream_teaches_no_half_answer() -> None:
    learner = ScriptedChatModel([NOTHING])
    with make_memory(learner) as memory:
        chat = LongTermChatMemory.from_defaults(user=memory.for_user("ann"))
        engine = simple(BreakingLLM(["I think that you live in"]), chat)
        with pytest.raises(ConnectionError):
            "".join(engine.stream_chat("I live in Lyon.").response_gen)
        assert learner.calls == []
        simple(SeenLLM(["Noted."]), chat).chat("I like tea.")
        assert messages_in(learner.calls[0].messages[-1].content) == [
            ("user", "I live in Lyon."),
            ("user", "I like tea."),
            ("assistant", "Noted."),
        ]
