"""What was reported as stored survives a kill at any moment."""

from __future__ import annotations

import json
import random
import subprocess
import time
from pathlib import Path

import pytest

from langmem_ext import LongTermMemory
from langmem_ext.testing import FakeEmbedder
from tests.support.memories import PROJECT, contents, python_command

WRITE = """
    import itertools, json, sys
    from langmem_ext import LongTermMemory
    from langmem_ext.testing import FakeEmbedder, ScriptedChatModel

    def answer(messages, schema):
        word = messages[-1].content.rpartition("Fact")[2].partition(" ")[0]
        return json.dumps({"memories": [{"text": f"The user likes Fact{word}", "quote": f"Fact{word}"}]})

    memory = LongTermMemory(sys.argv[1], embedder=FakeEmbedder(), llm=ScriptedChatModel([answer] * 10_000))
    user, other = memory.for_user("u1"), memory.for_user("u2")
    start = int(sys.argv[2])

    def told(kind, value):
        print(json.dumps([kind, value]), flush=True)

    for number in itertools.count(start):
        user.remember(f"The user's city is City{number}", key="residence.city")
        told("city", number)
        assert user.add(f"I really like Fact{number} a lot.").status == "learned"
        told("fact", number)
        other.remember_many([f"batch {number} part {part}" for part in range(20)])
        told("batch", number)
        if number % 3 == 0:
            gone = other.remember(f"gone {number}")
            other.delete(gone.memory_id)
            told("gone", number)
"""


def killed_while_writing(path: Path, start: int, seconds: float) -> list[tuple[str, int]]:
    """What a writer told before it was killed."""
    process = subprocess.Popen(
        python_command(WRITE, str(path), str(start)), stdout=subprocess.PIPE, text=True, cwd=PROJECT
    )
    assert process.stdout is not None
    with process.stdout as told:
        first = told.readline()
        time.sleep(seconds)
        process.kill()
        process.wait()
        lines = [first, *told.readlines()]
    return [tuple(json.loads(line)) for line in lines if line.endswith("\n")]


@pytest.mark.slow
def test_what_was_told_is_there_after_a_kill(tmp_path: Path) -> None:
    moments = random.Random(time.time())
    told: list[tuple[str, int]] = []
    for _ in range(3):
        seconds = moments.uniform(0.05, 1.5)
        start = 1 + max((number for _, number in told), default=0)
        told += killed_while_writing(tmp_path, start + 1, seconds)

        with LongTermMemory(tmp_path, embedder=FakeEmbedder()) as memory:
            user, other = memory.for_user("u1"), memory.for_user("u2")
            texts = {item.content for item in user.iter_memories()}
            for kind, number in told:
                if kind == "fact":
                    assert f"The user likes Fact{number}" in texts, seconds
            cities = [item for item in user.iter_memories() if item.key == "residence.city"]
            assert len(cities) == 1, seconds  # neither two nor none
            newest = max(number for kind, number in told if kind == "city")
            assert int(cities[0].content.rpartition("City")[2]) in (newest, newest + 1)
            versions = [event for event in user.history(cities[0].memory_id) if event.action == "recorded"]
            assert len(versions) >= sum(kind == "city" for kind, _ in told)

            batches: dict[str, int] = {}
            for item in other.iter_memories():
                if item.content.startswith("batch"):
                    batches[item.content.split()[1]] = batches.get(item.content.split()[1], 0) + 1
            assert set(batches.values()) <= {20}, seconds  # all or none
            assert {str(number) for kind, number in told if kind == "batch"} <= set(batches)
            left = {item.content for item in other.iter_memories() if item.content.startswith("gone")}
            assert not left & {f"gone {number}" for kind, number in told if kind == "gone"}

            user.remember("The reopened store works")
            assert "The reopened store works" in contents(user.search("reopened store works"))
            user.delete(user.remember("The reopened store works").memory_id)
