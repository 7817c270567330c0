"""Several processes on one server, and threads of one process: no update is lost, nothing is doubled."""

from __future__ import annotations

import json
import subprocess
import textwrap
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from langmem_ext import LongTermMemory, UserMemory
from langmem_ext.testing import FakeEmbedder
from tests.support.memories import PROJECT, listed, python_command

WAITS = 120.0  # seconds for all processes
ROUNDS = 8

# `meet` lets all processes go on at once; `tell` hands something over to the test.
OPENING = """
import json, sys
from langmem_ext import LongTermMemory
from langmem_ext.testing import FakeEmbedder, ScriptedChatModel
from tests.support.memories import reply

name = sys.argv[3]

def meet():
    print("ready", flush=True)
    sys.stdin.readline()

def tell(*values):
    print(json.dumps(values), flush=True)

def model(*texts):
    def answer(messages, schema):
        meet()
        return reply(*({"text": text, "quote": text.split()[-1]} for text in texts))
    return ScriptedChatModel([answer])

def opened(llm=None):
    return LongTermMemory(url=sys.argv[1], embedder=FakeEmbedder(), llm=llm)
"""


class Writers:
    """Processes that run one script, each with a name of its own, for a user of the shared server."""

    def __init__(self, url: str, user_id: str, script: str, names: str) -> None:
        code = OPENING + textwrap.dedent(script)
        self._running = [
            subprocess.Popen(
                python_command(code, url, user_id, name),
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=PROJECT,
            )
            for name in names
        ]  # fmt: skip
        for process in self._running:
            assert process.stdout is not None and process.stdout.readline() == "ready\n"

    def finish(self) -> list[list[Any]]:
        """Let them go on, and return what each of them told."""
        for process in self._running:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        told = [process.communicate(timeout=WAITS)[0] for process in self._running]
        assert [process.returncode for process in self._running] == [0] * len(self._running)
        return [[json.loads(line) for line in lines.splitlines()] for lines in told]


@pytest.fixture
def user(chroma_url: str, request: pytest.FixtureRequest) -> Iterator[UserMemory]:
    """One that processes share."""
    with LongTermMemory(url=chroma_url, embedder=FakeEmbedder()) as memory:
        yield memory.for_user(request.node.name)
        memory.for_user(request.node.name).delete_all()


def cities(user: UserMemory) -> tuple[list[str], set[str]]:
    """The current values of the key, and all that its history holds."""
    current = [item for item in user.iter_memories() if item.key == "residence.city"]
    events = user.history(current[0].memory_id)
    return [item.content for item in current], {event.memory.content for event in events}


WRITE = f"""
with opened() as memory:
    user = memory.for_user(sys.argv[2])
    meet()
    for number in range({ROUNDS}):
        tell(user.remember(f"The user lives in City{{name}}{{number}}", key="residence.city").content)
        user.remember(f"The user likes thing {{number}}")
"""


def test_processes_that_write_at_once_leave_one_value_all_its_history_and_no_double(
    chroma_url: str, user: UserMemory
) -> None:
    told = Writers(chroma_url, user.scope.user_id, WRITE, "abc").finish()
    acknowledged = {content for lines in told for (content,) in lines}
    assert len(acknowledged) == 3 * ROUNDS
    current, history = cities(user)
    assert len(current) == 1
    assert history == acknowledged
    things = sorted(text for text in listed(user) if "thing" in text)
    assert things == [f"The user likes thing {number}" for number in range(ROUNDS)]


UPDATE = f"""
with opened() as memory:
    user = memory.for_user(sys.argv[2])
    (item,) = user.list_memories().memories
    meet()
    for number in range({ROUNDS}):
        user.update(item.memory_id, metadata={{f"{{name}}{{number}}": number}})
"""


def test_processes_that_update_one_memory_lose_no_field(chroma_url: str, user: UserMemory) -> None:
    item = user.remember("The user likes tea", metadata={"kept": True})
    Writers(chroma_url, user.scope.user_id, UPDATE, "ab").finish()
    fields = {f"{name}{number}": number for name in "ab" for number in range(ROUNDS)}
    assert dict(user.get(item.memory_id).metadata) == {"kept": True, **fields}


LEARN = """
with opened(model("The user likes jazz")) as memory:
    result = memory.for_user(sys.argv[2]).add("I like jazz", idempotency_key="turn-1")
    (outcome,) = result.outcomes
    tell(result.status, outcome.action, outcome.memory.memory_id if outcome.memory else None, outcome.reason)
"""


def test_a_turn_given_to_two_processes_at_once_is_learned_once(chroma_url: str, user: UserMemory) -> None:
    told = Writers(chroma_url, user.scope.user_id, LEARN, "ab").finish()  # both asked their model before
    results = sorted(line for lines in told for line in lines)
    (item,) = user.list_memories().memories
    assert [result[:3] for result in results] == [
        ["learned", "added", item.memory_id],
        ["learned", "touched", item.memory_id],
    ]
    assert results[1][3] == "this turn was learned before"


def test_delete_all_drops_a_turn_that_another_process_is_learning(chroma_url: str, user: UserMemory) -> None:
    user.remember("The user likes tea")
    learning = Writers(chroma_url, user.scope.user_id, LEARN, "a")
    user.delete_all()
    told = learning.finish()
    assert listed(user) == []
    assert told == [[["nothing", "skipped", None, "delete_all() came after this turn was handed in"]]]
    Writers(chroma_url, user.scope.user_id, LEARN, "a").finish()  # and what comes later is learned
    assert listed(user) == ["The user likes jazz"]


REMEMBER = """
class SlowEmbedder(FakeEmbedder):
    def embed_documents(self, texts):
        meet()
        return super().embed_documents(texts)

with LongTermMemory(url=sys.argv[1], embedder=SlowEmbedder()) as memory:
    try:
        memory.for_user(sys.argv[2]).remember("The user likes rock")
    except StorageError as error:
        tell(str(error))
"""


def test_delete_all_drops_a_memory_that_another_process_is_embedding(
    chroma_url: str, user: UserMemory
) -> None:
    script = "from langmem_ext import StorageError\n" + REMEMBER
    remembering = Writers(chroma_url, user.scope.user_id, script, "a")
    user.delete_all()
    assert remembering.finish() == [[["delete_all() came before this was stored; nothing was stored"]]]
    assert listed(user) == []


def at_once(tasks: Sequence[Any]) -> list[Any]:
    with ThreadPoolExecutor(len(tasks)) as pool:
        return [future.result(WAITS) for future in [pool.submit(task) for task in tasks]]


def test_threads_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    threads = range(10)
    with LongTermMemory(tmp_path, embedder=FakeEmbedder()) as memory:
        user = memory.for_user("u1")
        tea = user.remember("The user likes tea").memory_id

        def remember(thread: int) -> str:
            return user.remember(f"The user lives in City{thread}", key="residence.city").content

        def update(thread: int) -> None:
            user.update(tea, metadata={f"field{thread}": thread})

        at_once([lambda thread=thread: update(thread) for thread in threads])
        acknowledged = at_once([lambda thread=thread: remember(thread) for thread in threads])
        at_once([lambda: user.remember("The user likes one thing") for _ in threads])
        current, history = cities(user)
        assert len(current) == 1
        assert history == set(acknowledged) and len(history) == len(threads)
        assert dict(user.get(tea).metadata) == {f"field{thread}": thread for thread in threads}
        assert listed(user).count("The user likes one thing") == 1
