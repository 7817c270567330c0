"""LangMem's tools as a consumer of the store: they manage and search memories in a LangGraph store."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import HumanMessage, ToolMessage

from langchain_langmem_ext import LongTermMemoryStore, namespace_label
from langmem_ext import LongTermMemory
from tests.integrations.langchain.models import answers, calls

langmem = pytest.importorskip("langmem", reason="LangMem is not installed", exc_type=ImportError)

NAMESPACE = ("memories", "{memory_user}")
MAIL = "ann@example.org"
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}")


def run_of(user_id: str) -> Any:
    return {"configurable": {"user_id": user_id, "memory_user": namespace_label(user_id)}}


def told(result: Any) -> list[str]:
    return [str(message.content) for message in result["messages"] if isinstance(message, ToolMessage)]


@pytest.mark.parametrize("asynchronous", [False, True])
async def test_an_agent_with_langmems_tools(memory: LongTermMemory, asynchronous: bool) -> None:
    store = LongTermMemoryStore(memory=memory, user_at=1, fields=["content"])
    tools = [langmem.create_manage_memory_tool(NAMESPACE), langmem.create_search_memory_tool(NAMESPACE)]

    async def run(user_id: str, *replies: Any) -> list[str]:
        agent: Any = create_agent(answers([*replies, "Done."]), tools, store=store)
        question = {"messages": [HumanMessage("Hello")]}
        config = run_of(user_id)
        return told(await agent.ainvoke(question, config) if asynchronous else agent.invoke(question, config))

    made = await run(
        MAIL,
        calls("manage_memory", "1", content="Ann likes oolong tea"),
        calls("manage_memory", "2", content="Ann lives in Lyon"),
    )
    await run("ben", calls("manage_memory", "1", content="Ben likes mint tea"))
    (found,) = await run(MAIL, calls("search_memory", "1", query="which tea", limit=1))
    (item,) = json.loads(found)
    assert item["value"] == {"content": "Ann likes oolong tea"}
    tea, home = (UUID.findall(text)[0] for text in made)
    assert item["key"] == tea
    await run(
        MAIL,
        calls("manage_memory", "1", content="Ann likes green tea", action="update", id=tea),
        calls("manage_memory", "2", action="delete", id=home),
    )
    (found,) = await run(MAIL, calls("search_memory", "1", query="tea"))
    assert [item["value"]["content"] for item in json.loads(found)] == ["Ann likes green tea"]
    assert memory.users() == [MAIL, "ben"]
    memory.for_user(MAIL).delete_all()
    assert json.loads((await run(MAIL, calls("search_memory", "1", query="tea")))[0]) == []
    assert len(json.loads((await run("ben", calls("search_memory", "1", query="tea")))[0])) == 1


def test_the_tools_outside_a_graph(memory: LongTermMemory) -> None:
    store = LongTermMemoryStore(user=memory.for_user("ann"))
    manage = langmem.create_manage_memory_tool(("memories",), store=store)
    search = langmem.create_search_memory_tool(("memories",), store=store)
    manage.invoke({"content": "Ann likes tea"})
    assert [item["value"] for item in json.loads(search.invoke({"query": "tea"}))] == [
        {"content": "Ann likes tea"}
    ]
