"""The frameworks' own doors, from a notebook cell: synchronous calls while an event loop runs."""

from __future__ import annotations

import sys

import pytest

from langmem_ext.testing import ScriptedChatModel
from tests.support.memories import OpenMemory, fact, listed, reply

NURSE = "The user is a nurse"
SAID = "I am a nurse."


@pytest.mark.parametrize("framework", ["langchain", "llama_index"])
async def test_what_is_known_is_not_learned_twice_through_an_adapter(
    open_memory: OpenMemory, framework: str
) -> None:
    llm = ScriptedChatModel([reply(fact(NURSE, "am a nurse"))] * 2)
    user = open_memory(llm=llm).for_user("u1")
    user.add("I am a nurse, as you know.")
    if framework == "langchain":
        pytest.importorskip("langchain_classic")
        from langchain_langmem_ext import LongTermChainMemory

        chain = LongTermChainMemory(user=user)
        chain.save_context({"input": SAID}, {"output": "Noted."})
        shown = chain.load_memory_variables({"input": "What is my job, nurse?"})["memories"]
    else:
        types = pytest.importorskip("llama_index.core.llms")
        from llama_index_langmem_ext import LongTermChatMemory

        chat = LongTermChatMemory.from_defaults(user=user)
        chat.put(types.ChatMessage(role="user", content=SAID))
        chat.put(types.ChatMessage(role="assistant", content="Noted."))
        shown = str(chat.get(input="What is my job, nurse?")[0].content)
    assert len(llm.calls) == 2
    assert listed(user) == [NURSE]
    assert shown.count(NURSE) == 1
    assert "nest_asyncio" not in sys.modules
