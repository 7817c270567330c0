"""A process that talks with two users through every engine in every way, and tells what it saw.

    python -m tests.integrations.llama_index.talking PATH learn|ask

The second run is another process on the same directory. Prints JSON: for each engine, way and user what
the model was shown last, how often was searched for each message, what is stored, and what blocked a loop.
"""

from __future__ import annotations

import asyncio
import json
import sys
import warnings
from collections.abc import Awaitable, Coroutine, Sequence
from typing import Any

from langmem_ext import LongTermMemory
from langmem_ext.testing import FakeEmbedder
from llama_index_langmem_ext import LongTermChatMemory
from tests.integrations.llama_index.engines import COMBINATIONS, way
from tests.integrations.llama_index.loops import watch
from tests.integrations.llama_index.models import SeenLLM

PEOPLE = {"ann": ("Lyon", "tea"), "ben": ("Nantes", "coffee")}
QUESTION = "Where do I live and what do I like?"
NEEDS_NO_LOOP = ("chat", "stream")


def turns(person: str, part: str) -> Sequence[str]:
    city, drink = PEOPLE[person]
    return [f"I live in {city}.", f"I like {drink}.", QUESTION] if part == "learn" else [QUESTION]


async def talk(memory: LongTermMemory, engine: str, door: str, part: str) -> dict[str, Any]:
    """Both users turn by turn, side by side where the engine is asynchronous."""
    models = {person: SeenLLM(["Noted."] * 3) for person in PEOPLE}
    chats = {
        person: LongTermChatMemory.from_defaults(user=memory.for_user(f"{engine}/{door}/{person}"))
        for person in PEOPLE
    }
    ways = {person: way(engine, door, models[person], chats[person]) for person in PEOPLE}
    searched = []
    for texts in zip(*(turns(person, part) for person in PEOPLE), strict=True):
        before = len(memory.recall_log())
        questions = [ways[person](text) for person, text in zip(PEOPLE, texts, strict=True)]
        if needs_no_loop(engine, door):
            answers = [finished(question) for question in questions]
        else:
            answers = await asyncio.gather(*questions)
        assert answers == ["Noted."] * 2
        searched.append(len(memory.recall_log()) - before)
    return {
        person: {
            "error": str(chats[person].last_error),
            "searched": searched,
            "shown": [(message.role.value, message.content) for message in models[person].seen[-1]],
            "kept": [message.content for message in await chats[person].aget_all()],
        }
        for person in PEOPLE
    }


def needs_no_loop(engine: str, door: str) -> bool:
    return door in NEEDS_NO_LOOP and engine not in ("agent", "workflow")


def finished(coroutine: Awaitable[Any]) -> Any:
    """The result of a coroutine that waits for nothing."""
    assert isinstance(coroutine, Coroutine)
    try:
        coroutine.send(None)
    except StopIteration as done:
        return done.value
    raise AssertionError("it waits for something")


def main(path: str, part: str) -> dict[str, Any]:
    warnings.simplefilter("ignore")  # LlamaIndex's agents use what it has deprecated
    blocking = watch()
    seen: dict[str, Any] = {}
    with LongTermMemory(path, embedder=FakeEmbedder()) as memory:
        for engine, door in COMBINATIONS:
            talked = talk(memory, engine, door, part)
            told = finished(talked) if needs_no_loop(engine, door) else asyncio.run(talked)
            for person in PEOPLE:
                user = memory.for_user(f"{engine}/{door}/{person}")
                told[person]["stored"] = [item.content for item in user.iter_memories()]
            seen[f"{engine}-{door}"] = {**told, "blocking": list(blocking)}
            blocking.clear()
    return seen


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(*sys.argv[1:])))
