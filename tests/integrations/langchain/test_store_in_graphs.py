"""The store in graphs and agents: who the user is, and that labels stand for any user id."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypedDict

import pytest
from langchain.agents import create_agent
from langchain.tools import ToolRuntime
from langchain_core.messages import HumanMessage
from langgraph.graph import START, StateGraph
from langgraph.runtime import Runtime

from langchain_langmem_ext import LongTermMemoryStore, namespace_label
from langmem_ext import InvalidInputError, InvalidUserError, LongTermMemory
from tests.integrations.langchain.models import answers, calls

MAIL = "ann.lee@example.org"


def keys(items: Any) -> list[str]:
    return [item.key for item in items]


@pytest.fixture
def store(memory: LongTermMemory) -> LongTermMemoryStore:
    """Users are named by the second label."""
    return LongTermMemoryStore(memory=memory, user_at=1)


def test_an_item_belongs_to_its_user(memory: LongTermMemory, store: LongTermMemoryStore) -> None:
    label = namespace_label(MAIL)
    store.put(("notes", label), "tea", {"text": "oolong"})
    store.put(("notes", "ben"), "tea", {"text": "mint"})
    assert memory.users() == sorted([MAIL, "ben"])
    assert [item.value for item in store.search(("notes", label))] == [{"text": "oolong"}]
    memory.for_user(MAIL).delete_all()
    assert store.search(("notes", label)) == []
    assert keys(store.search(("notes", "ben"))) == ["tea"]


@pytest.mark.parametrize(
    "text", ["a.b", "a%2Eb", "%", "*", "a\x00b", "100%25", "ann@example.org", "安.娜", "."]
)
def test_any_user_id_makes_a_label(memory: LongTermMemory, text: str) -> None:
    store = LongTermMemoryStore(memory=memory, user_at=0)
    store.put((namespace_label(text),), "k", {"v": 1})
    assert memory.users() == [text]
    assert store.list_namespaces(prefix=(namespace_label(text),)) == [(namespace_label(text),)]


def test_no_two_user_ids_share_a_label() -> None:
    texts = ["a.b", "a%2Eb", "a%252Eb", "a%b", "ab", "a*b", "a%2Ab"]
    assert len({namespace_label(text) for text in texts}) == len(texts)
    assert namespace_label("u-1001") == "u-1001"
    for wrong in ("", "  ", None, 5):
        with pytest.raises(InvalidInputError):
            namespace_label(wrong)  # type: ignore[arg-type]


class State(TypedDict):
    found: str


def test_a_run_and_a_namespace_must_agree_on_the_user(memory: LongTermMemory) -> None:
    label = namespace_label(MAIL)

    def node(state: State, runtime: Runtime[None]) -> Mapping[str, Any]:
        assert runtime.store is not None
        runtime.store.put(("notes", label), "k", {"v": 1})
        return {"found": str(runtime.store.search(("notes", label))[0].value)}

    graph: Any = StateGraph(State)
    graph.add_node("node", node)
    graph.add_edge(START, "node")
    compiled = graph.compile(store=LongTermMemoryStore(memory=memory, user_at=1))
    assert compiled.invoke({"found": ""}, {"configurable": {"user_id": MAIL}})["found"] == "{'v': 1}"
    assert compiled.invoke({"found": ""})["found"] == "{'v': 1}"  # the namespace is enough
    with pytest.raises(InvalidUserError, match="two users in one run.*'ben'"):
        compiled.invoke({"found": ""}, {"configurable": {"user_id": "ben"}})
    assert memory.users() == [MAIL]


@dataclass
class Context:
    user: str


def note(text: str, runtime: ToolRuntime[Context]) -> str:
    """Keep a note."""
    assert runtime.store is not None
    runtime.store.put(("notes", runtime.context.user), text, {"text": text})
    return "kept"


async def test_an_agents_tools_reach_it(memory: LongTermMemory) -> None:
    store = LongTermMemoryStore(memory=memory, user_at=1)

    def agent(text: str) -> Any:
        return create_agent(
            answers([calls("note", "1", text=text), "Done."]), [note], store=store, context_schema=Context
        )

    question = {"messages": [HumanMessage("Keep a note.")]}
    agent("tea").invoke(question, context=Context("ann"))
    await agent("milk").ainvoke(question, context=Context("ann"))
    agent("rain").invoke(question, context=Context("ben"))
    assert keys(store.search(("notes", "ann"))) == ["tea", "milk"]
    assert keys(store.search(("notes", "ben"))) == ["rain"]
