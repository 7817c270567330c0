"""Learning in the background with a real memory, across the end of processes."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import time
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from langmem_ext import AddResult, ChatMessage, ChatModel, LongTermMemory, ReplySchema
from langmem_ext.background import Learn, Workers
from langmem_ext.items import Scope
from langmem_ext.messages import parse_messages
from langmem_ext.queued_turns import QueuedTurn
from langmem_ext.redaction import redact
from langmem_ext.state import Outbox
from langmem_ext.testing import FakeEmbedder, ScriptedChatModel
from tests.support.memories import PROJECT, START, listed, python_command, run_python


def open_background(path: Path, llm: ChatModel | None) -> tuple[LongTermMemory, Outbox, Workers, Learn]:
    """A memory with learning in the background; what it learned is not attached yet."""

    def now() -> datetime:
        return datetime.now(UTC)

    memory = LongTermMemory(path, embedder=FakeEmbedder(), llm=llm)
    outbox = Outbox(path / "turns.sqlite3", clock=now, new_id=lambda: uuid.uuid4().hex)

    def learn(turn: QueuedTurn) -> AddResult:
        user = memory.for_user(turn.scope.user_id)
        key = turn.idempotency_key
        return user.add(turn.messages, observed_at=turn.observed_at, idempotency_key=key)

    return memory, outbox, Workers(outbox, clock=now), learn


def answer(messages: Sequence[ChatMessage], schema: ReplySchema | None) -> str:
    """Another text at every call, so that a turn that is learned twice is seen."""
    number = messages[-1].content.rpartition("Fact")[2].partition(" ")[0]
    text = f"The user likes Fact{number}" + " a lot" * random.randrange(40)
    return json.dumps({"memories": [{"text": text, "quote": f"Fact{number}"}]})


def put_fact(outbox: Outbox, user: str, number: int) -> None:
    key = f"turn {number}" if number % 2 else None  # with and without
    messages = parse_messages(f"I really like Fact{number} a lot.")
    outbox.put(Scope(user), messages, datetime.now(UTC), idempotency_key=key)


def facts(path: Path, users: Sequence[str]) -> dict[str, list[int]]:
    """The numbers that are known in the end, in the order in which they were learned."""
    memory, outbox, workers, learn = open_background(path, ScriptedChatModel([answer] * 10_000))
    with memory:
        workers.attach(learn)
        workers.flush()
        assert outbox.counts() == (0, 0)
        workers.close()
        outbox.close()
        found = {user: listed(memory.for_user(user)) for user in users}
    return {user: [int(text.split("Fact")[1].split()[0]) for text in texts] for user, texts in found.items()}


def test_a_turn_is_the_same_in_the_outbox(tmp_path: Path) -> None:
    model = ScriptedChatModel([answer])
    memory, outbox, workers, learn = open_background(tmp_path, model)
    with memory:
        said = "I really like Fact2 a lot, my key is sk-proj-abcdefghijklmnopqrstuvwxyz123456."
        outbox.put(Scope("u1"), parse_messages(redact(said).text), START)  # another day than today
        workers.attach(learn)
        assert workers.flush() == (1, 0, 0)
        (outcome,) = memory.for_user("u1").add(said, observed_at=START).outcomes
        assert outcome.reason == "this turn was learned before"
        assert len(model.calls) == 1
        workers.close()
        outbox.close()


DIE = """
    import os, signal, sys
    from pathlib import Path
    from langmem_ext.testing import ScriptedChatModel
    from tests.test_background_crashes import answer, open_background, put_fact

    memory, outbox, workers, learn = open_background(Path(sys.argv[1]), ScriptedChatModel([answer] * 10))

    def learn_and_die(turn):
        learn(turn)
        os.kill(os.getpid(), signal.SIGKILL)

    for number in range(2):
        put_fact(outbox, "u1", number)
    workers.attach(learn_and_die if sys.argv[2] == "kill" else learn)
    workers.flush()
"""


def test_a_turn_is_learned_once_when_the_process_dies_right_after_it(tmp_path: Path) -> None:
    for _ in range(2):  # once with a key of the caller's, once without
        assert run_python(DIE, str(tmp_path), "kill").returncode == -signal.SIGKILL
    assert facts(tmp_path, ["u1"]) == {"u1": [0, 1]}


LEAVE = """
    import atexit, sys, time
    from pathlib import Path
    from langmem_ext.testing import ScriptedChatModel
    from tests.test_background_crashes import answer, open_background, put_fact

    def slow(messages, schema):
        time.sleep(0.1)
        return answer(messages, schema)

    memory, outbox, workers, learn = open_background(Path(sys.argv[1]), ScriptedChatModel([slow] * 1000))
    begun, ended = [], []

    def noted(turn):
        begun.append(turn)
        result = learn(turn)
        ended.append(turn)
        return result

    atexit.register(lambda: print(len(begun) - len(ended), outbox.counts().waiting > 0))  # after the workers'
    workers.attach(noted)
    for number in range(20):
        put_fact(outbox, f"u{number % 3}", number)
        workers.wake()
"""


def test_the_end_of_the_interpreter_loses_nothing(tmp_path: Path) -> None:
    ended = run_python(LEAVE, str(tmp_path))
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "0 True\n", "")
    users = [f"u{number}" for number in range(3)]
    assert facts(tmp_path, users) == {user: list(range(int(user[1:]), 20, 3)) for user in users}


WRITE = """
    import itertools, sys, threading, time
    from pathlib import Path
    from langmem_ext.testing import ScriptedChatModel
    from tests.test_background_crashes import answer, open_background, put_fact

    memory, outbox, workers, learn = open_background(Path(sys.argv[1]), ScriptedChatModel([answer] * 10_000))
    workers.attach(learn)
    told_at_once = threading.Lock()

    def putting(user):
        for number in itertools.count(int(sys.argv[2])):
            put_fact(outbox, user, number)
            workers.wake()
            with told_at_once:
                print(user, number, flush=True)
            time.sleep(0.02)

    for user in sys.argv[3:]:
        threading.Thread(target=putting, args=(user,)).start()
"""


def killed_while_putting(
    path: Path, start: int, users: Sequence[str], seconds: float
) -> list[tuple[str, int]]:
    """What a process acknowledged before it was killed, so many seconds after the first word."""
    command = python_command(WRITE, str(path), str(start), *users)
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=PROJECT)
    assert process.stdout is not None
    with process.stdout as told:
        first = told.readline()
        time.sleep(seconds)
        process.kill()
        process.wait()
        lines = [first, *told.readlines()]
    words = [line.split() for line in lines if line.endswith("\n")]
    return [(user, int(number)) for user, number in words]


@pytest.mark.slow
def test_every_ticket_is_learned_once_and_in_order_after_kills(
    tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    seed = time.time_ns()
    moments = random.Random(seed)
    users = ["u1", "u2", "u3"]
    told: list[tuple[str, int]] = []
    kills = pytestconfig.getoption("kills")
    for kill in range(kills):
        start = 2 + max((number for _, number in told), default=0)
        told += killed_while_putting(tmp_path, start, users, moments.uniform(0.02, 1.5))
        if kill % 3 != 2 and kill < kills - 1:  # sometimes what a kill left is learned by the next one
            continue
        found = facts(tmp_path, users)
        for user in users:
            note = f"{user}, kill {kill + 1}, seed {seed}"
            assert found[user] == sorted(set(found[user])), note
            assert {number for name, number in told if name == user} <= set(found[user]), note
    assert len(told) > kills  # the harness did something
