"""What was reported survives a kill at any moment, and nothing is half done.

`make soak` kills a hundred times instead of a few: `pytest tests/test_durability.py --kills 100`.
"""

from __future__ import annotations

import json
import random
import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest

from langmem_ext import LongTermMemory, UserMemory
from langmem_ext.testing import FakeEmbedder
from tests.support.memories import PROJECT, contents, python_command

# One process with four threads: each tells on a line of its own what was reported to it.
WRITE = """
    import itertools, json, os, sys, threading, traceback
    from langmem_ext import LongTermMemory
    from langmem_ext.testing import FakeEmbedder, ScriptedChatModel

    def answer(messages, schema):
        word = messages[-1].content.rpartition("Fact")[2].partition(" ")[0]
        return json.dumps({"memories": [{"text": f"The user likes Fact{word}", "quote": f"Fact{word}"}]})

    memory = LongTermMemory(sys.argv[1], embedder=FakeEmbedder(), llm=ScriptedChatModel([answer] * 10_000))
    start = int(sys.argv[2])
    told_at_once = threading.Lock()

    def told(kind, value):
        with told_at_once:
            print(json.dumps([kind, value]), flush=True)

    def learning():
        user = memory.for_user("learning")
        for number in itertools.count(start):
            assert user.add(f"I really like Fact{number} a lot.").status == "learned"
            told("fact", number)

    def versions():
        user = memory.for_user("versions")
        edited = user.remember("Note: none", key="note")
        for number in itertools.count(start):
            user.remember(f"The user's city is City{number}", key="residence.city")
            told("city", number)
            edited = user.update(edited.memory_id, content=f"Note: number {number}")
            told("note", number)

    def batches():
        user = memory.for_user("batches")
        for number in itertools.count(start):
            user.remember_many([f"batch {number} part {part}" for part in range(20)])
            told("batch", number)

    def forgetting():
        user = memory.for_user("forgetting")
        for number in itertools.count(start):
            user.remember(f"Zanzibar{number:07} is gone")
            told("erasing", number)
            assert user.delete_all(erase=True).erasure.complete
            told("erased", number)
            memory.erase()

    def run(work):
        try:
            work()
        except BaseException:
            traceback.print_exc()
            os._exit(1)

    for work in (learning, versions, batches, forgetting):
        threading.Thread(target=run, args=(work,)).start()
"""


def killed_while_writing(path: Path, start: int, seconds: float, *, after: str = "") -> list[tuple[str, int]]:
    """What a writer told before it was killed, so many seconds after the first word with `after` in it."""
    process = subprocess.Popen(
        python_command(WRITE, str(path), str(start)), stdout=subprocess.PIPE, text=True, cwd=PROJECT
    )
    assert process.stdout is not None
    with process.stdout as told:
        lines = [told.readline()]
        while after not in lines[-1]:
            lines.append(told.readline())
            assert lines[-1], "the writer ended by itself"
        time.sleep(seconds)
        assert process.poll() is None, "the writer ended by itself"
        process.kill()
        process.wait()
        lines += told.readlines()
    return [tuple(json.loads(line)) for line in lines if line.endswith("\n")]


def check(path: Path, told: list[tuple[str, int]]) -> None:
    """Hold what is stored against everything that was ever told."""
    numbers = {kind: {number for name, number in told if name == kind} for kind, _ in told}

    with LongTermMemory(path, embedder=FakeEmbedder()) as memory:
        generations = Counter(found.parent for found in path.glob("shards/*/g*"))
        assert set(generations.values()) <= {1}  # what the kill left was removed
        facts = {item.content for item in memory.for_user("learning").iter_memories()}
        assert {f"The user likes Fact{number}" for number in numbers.get("fact", ())} <= facts

        check_versions(memory.for_user("versions"), numbers)

        parts = Counter(item.content.split()[1] for item in memory.for_user("batches").iter_memories())
        assert set(parts.values()) <= {20}  # all or none
        assert {str(number) for number in numbers.get("batch", ())} <= set(parts)

        left = {item.content for item in memory.for_user("forgetting").iter_memories()}
        gone = {f"Zanzibar{number:07}" for number in numbers.get("erased", ())}
        assert not left & {f"{name} is gone" for name in gone}
        bytes_on_disk = b"".join(file.read_bytes() for file in path.rglob("*") if file.is_file())
        assert [name for name in gone if name.encode() in bytes_on_disk] == []

        user = memory.for_user("learning")
        user.remember("The reopened store works")
        assert "The reopened store works" in contents(user.search("reopened store works"))


def check_versions(user: UserMemory, numbers: dict[str, set[int]]) -> None:
    current = {item.key: item for item in user.iter_memories()}
    assert len(current) == len(list(user.iter_memories()))  # neither two current values …
    if "city" in numbers:  # … nor none
        city = current["residence.city"]
        # At least what was told last; more where the kill came between storing and telling.
        assert int(city.content.rpartition("City")[2]) >= max(numbers["city"])
        recorded = [event for event in user.history(city.memory_id) if event.action == "recorded"]
        assert len(recorded) >= len(numbers["city"])
    if "note" in numbers:
        note = current["note"].content.rpartition(" ")[2]
        assert note == "none" or int(note) >= max(numbers["note"])


@pytest.mark.slow
def test_what_was_told_is_there_after_a_kill(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    seed = time.time_ns()
    moments = random.Random(seed)
    told: list[tuple[str, int]] = []
    for kill in range(pytestconfig.getoption("kills")):
        start = 2 + max((number for _, number in told), default=0)
        # The first time all kinds of work were done, later any moment will do.
        after = "erased" if kill == 0 else ""
        told += killed_while_writing(tmp_path, start, moments.uniform(0.02, 2.5), after=after)
        try:
            check(tmp_path, told)
        except AssertionError as error:
            error.add_note(f"kill {kill + 1}, seed {seed}")
            raise
    kinds = {kind for kind, _ in told}
    assert {"fact", "city", "note", "batch", "erased"} <= kinds  # the harness did all of it
