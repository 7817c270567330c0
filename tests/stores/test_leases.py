"""One process at a time changes a user's rows on a server; a dead one is in nobody's way."""

from __future__ import annotations

import itertools
import subprocess
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import chromadb
import pytest
from chromadb.api import ClientAPI
from chromadb.errors import InternalError

from langmem_ext.errors import StorageError
from langmem_ext.stores.chroma.leases import Leases, LocalLeases, ServerLeases
from tests.support.chroma_server import ChromaServer
from tests.support.leases import OTHER, USER, connect, in_a_thread, leases_on, taken
from tests.support.memories import PROJECT, python_command

PATIENCE = 30.0  # seconds until a test that waits gives up
OpenLeases = Callable[..., ServerLeases]


@pytest.fixture
def client(chroma_url: str) -> ClientAPI:
    return connect(chroma_url)


@pytest.fixture
def prefix(client: ClientAPI) -> Iterator[str]:
    """A store's name; at the end nothing of its leases may be left on the server."""
    name = f"leases-{uuid.uuid4().hex[:8]}"
    yield name
    assert taken(client, name) == []


@pytest.fixture
def open_leases(chroma_url: str, prefix: str) -> OpenLeases:
    """Leases as further processes have them: each with a client of its own."""

    def open_one(duration: float = 15.0, client: ClientAPI | None = None) -> ServerLeases:
        return leases_on(client or connect(chroma_url), prefix, duration)

    return open_one


COUNT = """
    import sys
    from tests.support.leases import USER, connect, leases_on

    client = connect(sys.argv[1])
    leases = leases_on(client, sys.argv[2])
    rows = client.get_or_create_collection(f"{sys.argv[2]}-rows", embedding_function=None)
    print("ready", flush=True)
    sys.stdin.readline()
    for _ in range(int(sys.argv[3])):
        with leases.hold(USER):
            found = rows.get(ids=["count"])["metadatas"]
            count = found[0]["count"] if found else 0
            leases.check(USER)
            rows.upsert(ids=["count"], embeddings=[[1.0]], metadatas=[{"count": count + 1}])
"""


def test_no_round_of_contending_processes_is_lost(chroma_url: str, client: ClientAPI, prefix: str) -> None:
    processes, rounds = 5, 10
    running = [
        subprocess.Popen(
            python_command(COUNT, chroma_url, prefix, str(rounds)),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=PROJECT,
        )
        for _ in range(processes)
    ]  # fmt: skip
    assert [process.stdout and process.stdout.readline() for process in running] == ["ready\n"] * processes
    for process in running:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in running:
        process.communicate(timeout=PATIENCE)
    assert [process.returncode for process in running] == [0] * processes
    rows = client.get_collection(f"{prefix}-rows", embedding_function=None)
    assert rows.get(ids=["count"])["metadatas"] == [{"count": processes * rounds}]


def test_users_do_not_wait_for_each_other(client: ClientAPI, prefix: str, open_leases: OpenLeases) -> None:
    here, there = open_leases(), open_leases()
    with here.hold(USER), there.hold(OTHER):
        assert taken(client, prefix) == [f"{prefix}-lease-{USER}", f"{prefix}-lease-{OTHER}"]
    assert taken(client, prefix) == []


HOLD = """
    import sys, time
    from tests.support.leases import USER, connect, leases_on

    with leases_on(connect(sys.argv[1]), sys.argv[2]).hold(USER):
        print("ready", flush=True)
        time.sleep(60)
"""


def test_the_lease_of_a_killed_process_is_taken_over(
    chroma_url: str, client: ClientAPI, prefix: str, open_leases: OpenLeases
) -> None:
    process = subprocess.Popen(
        python_command(HOLD, chroma_url, prefix), stdout=subprocess.PIPE, text=True, cwd=PROJECT
    )
    assert process.stdout is not None
    with process.stdout:
        assert process.stdout.readline() == "ready\n"
    process.kill()
    process.wait()
    assert taken(client, prefix) == [f"{prefix}-lease-{USER}"]

    inside: list[int] = []

    def work() -> None:
        leases = open_leases(duration=1.0)
        for _ in range(3):
            with leases.hold(USER):
                inside.append(1)
                assert sum(inside) == 1
                leases.check(USER)
                inside.pop()

    for done in [in_a_thread(work), in_a_thread(work)]:
        done.result(PATIENCE)


def test_a_holder_that_outlives_the_lease_and_shows_it_keeps_the_turn(open_leases: OpenLeases) -> None:
    lease = 1.5
    holder, waiter = open_leases(lease), open_leases(lease)
    events: list[str] = []

    def wait() -> None:
        with waiter.hold(USER):
            events.append("the other enters")

    with holder.hold(USER):
        done = in_a_thread(wait)
        until = time.monotonic() + 2 * lease
        while time.monotonic() < until:
            holder.check(USER)
            time.sleep(0.05)
        events.append("the holder leaves")
    done.result(PATIENCE)
    assert events == ["the holder leaves", "the other enters"]


def test_who_lost_the_lease_must_not_write_and_does_not_free_the_next(open_leases: OpenLeases) -> None:
    lease = 0.6
    silent, quick = open_leases(lease), open_leases(lease)
    lost, won = silent.hold(USER), quick.hold(USER)
    lost.__enter__()
    in_a_thread(won.__enter__).result(PATIENCE)  # after the lease
    for _ in range(2):
        with pytest.raises(StorageError, match="nothing was written from then on. Call again"):
            silent.check(USER)
    lost.__exit__(None, None, None)
    time.sleep(lease / 3)  # from here on a check asks the server
    quick.check(USER)
    won.__exit__(None, None, None)


@pytest.mark.parametrize("followed", [False, True])
def test_a_lease_that_is_half_taken_over_is_lost(
    client: ClientAPI, prefix: str, open_leases: OpenLeases, followed: bool
) -> None:
    holder, successor = open_leases(0.3), open_leases()
    with ExitStack() as after:
        with holder.hold(USER):
            lease = client.get_collection(f"{prefix}-lease-{USER}", embedding_function=None)
            lease.modify(name=f"{prefix}-over-{uuid.uuid4().hex}")
            if followed:
                after.enter_context(successor.hold(USER))
            time.sleep(0.1)
            for write in (holder.check, holder.raise_barrier):
                with pytest.raises(StorageError):
                    write(USER)
        assert holder.barrier(USER) == 0
        assert taken(client, prefix) == [f"{prefix}-lease-{USER}"] * followed


def test_a_server_that_stands_still_is_no_silence_of_the_holder(
    chroma_url: str, open_leases: OpenLeases, monkeypatch: pytest.MonkeyPatch
) -> None:
    lease = 2.0
    client, looks, looked_again = connect(chroma_url), itertools.count(1), threading.Event()
    look = client.get_collection

    def slow_look(*arguments: Any, **options: Any) -> chromadb.Collection:
        number = next(looks)
        if number == 2:
            time.sleep(1.2 * lease)
        if number == 3:
            looked_again.set()
        return look(*arguments, **options)

    holder, waiter = open_leases(lease), open_leases(lease, client)
    monkeypatch.setattr(client, "get_collection", slow_look)

    def wait() -> None:
        with waiter.hold(USER):
            pass

    with holder.hold(USER):
        done = in_a_thread(wait)
        assert looked_again.wait(PATIENCE / 2), "the lease was taken over at once"
        holder.check(USER)
    done.result(PATIENCE)


def test_an_error_in_the_lease_ends_it(client: ClientAPI, prefix: str, open_leases: OpenLeases) -> None:
    with pytest.raises(KeyError), open_leases().hold(USER):
        raise KeyError
    assert taken(client, prefix) == []


def test_a_server_that_is_gone_hides_neither_result_nor_error(caplog: pytest.LogCaptureFixture) -> None:
    with ChromaServer() as server:
        leases = leases_on(connect(server.url), "gone")
        first, second = leases.hold(USER), leases.hold(OTHER)
        first.__enter__(), second.__enter__()
    first.__exit__(None, None, None)
    assert not second.__exit__(KeyError, KeyError(), None)
    told = [record.getMessage() for record in caplog.records if record.name.endswith("chroma.leases")]
    assert len(told) == 2 and all("it ends by itself" in line and USER not in line for line in told)


def test_outside_of_a_lease_nothing_is_checked(open_leases: OpenLeases) -> None:
    open_leases().check(USER)
    LocalLeases().check(USER)


def test_a_lease_is_not_entered_twice(open_leases: OpenLeases) -> None:
    leases = open_leases()
    with leases.hold(USER):
        with pytest.raises(ValueError, match="already"), leases.hold(USER):
            pass
        leases.check(USER)


def test_a_request_that_was_passed_on_twice_is_one(
    chroma_url: str, open_leases: OpenLeases, monkeypatch: pytest.MonkeyPatch
) -> None:
    leases = open_leases(client=(client := connect(chroma_url)))
    create, asked = client.create_collection, itertools.count(1)

    def twice(*arguments: Any, **options: Any) -> chromadb.Collection:
        assert next(asked) == 1
        create(*arguments, **options)
        return create(*arguments, **options)

    monkeypatch.setattr(client, "create_collection", twice)
    with leases.hold(USER):
        leases.check(USER)


def test_a_server_that_makes_no_lease_is_an_error_and_no_endless_wait(
    chroma_url: str, open_leases: OpenLeases, monkeypatch: pytest.MonkeyPatch
) -> None:
    leases = open_leases(0.3, client := connect(chroma_url))

    def full(*_: Any, **__: Any) -> None:
        raise InternalError("the disk is full")

    monkeypatch.setattr(client, "create_collection", full)
    with pytest.raises(InternalError):
        in_a_thread(leases.hold(USER).__enter__).result(PATIENCE)


def test_opening_removes_what_a_crash_left_and_nothing_of_a_neighbour(
    client: ClientAPI, prefix: str, open_leases: OpenLeases
) -> None:
    for name in (f"{prefix}-over-{uuid.uuid4().hex}", f"{prefix}-over-card", f"{prefix}-lease-{USER}"):
        client.create_collection(name, embedding_function=None)
    open_leases()
    kept = [f"{prefix}-lease-{USER}", f"{prefix}-over-card"]
    assert taken(client, prefix) == kept
    for name in kept:
        client.delete_collection(name)


@pytest.mark.parametrize("place", ["here", "server"])
def test_a_barrier_rises_for_one_user(open_leases: OpenLeases, place: str) -> None:
    leases: Leases = open_leases() if place == "server" else LocalLeases()
    other: Leases = open_leases() if place == "server" else leases
    assert leases.barrier(USER) == 0
    for raised in (1, 2):
        with leases.hold(USER):
            leases.raise_barrier(USER)
        assert (other.barrier(USER), other.barrier(OTHER)) == (raised, 0)
