"""What the tests of both frameworks need."""

from __future__ import annotations

import json

from langmem_ext import LongTermMemory, UserMemory
from langmem_ext.ports import ChatModel
from langmem_ext.testing import FakeEmbedder, ManualClock

NOTHING = '{"memories": []}'
BLOCK = "<long_term_memory>"


def make_memory(llm: ChatModel | None = None, embedder: FakeEmbedder | None = None) -> LongTermMemory:
    """A memory in RAM. Without an LLM the rules extract, which know sentences such as "I live in Lyon."."""
    return LongTermMemory(embedder=embedder or FakeEmbedder(), clock=ManualClock(), llm=llm)


def contents(user: UserMemory) -> list[str]:
    """What is stored, in order."""
    return [item.content for item in user.iter_memories()]


def recalls(memory: LongTermMemory) -> int:
    """How often somebody searched."""
    return len(memory.recall_log())


def messages_in(prompt: str) -> list[tuple[str, str]]:
    """The turn that the extractor was asked about: (role, text)."""
    section = prompt.partition("<messages>\n")[2].partition("\n</messages>")[0]
    return [(row["role"], row["text"]) for row in map(json.loads, section.splitlines())]
