"""One directory and several processes: refused with the remedy, never damaged."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from langmem_ext.errors import StoreLockedError
from langmem_ext.stores.chroma import ChromaStore
from tests.support.memories import FINGERPRINT, contents, python_command, row, run_python

HOLD = """
    import sys, time
    from langmem_ext.stores.chroma import ChromaStore
    from tests.support.memories import FINGERPRINT, row

    store = ChromaStore.embedded(sys.argv[1], FINGERPRINT)
    store.write("u1", [row("from the other process")])
    print("ready", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def holder(tmp_path: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        python_command(HOLD, str(tmp_path)), stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]
    )
    assert process.stdout is not None
    with process.stdout:
        assert process.stdout.readline() == "ready\n"
    return process


def test_a_second_process_is_told_at_once_what_to_do(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    try:
        started = time.monotonic()
        with pytest.raises(StoreLockedError) as caught:
            ChromaStore.embedded(tmp_path, FINGERPRINT)
        assert time.monotonic() - started < 2
        for words in ("another process", str(tmp_path), "chroma run", "url="):
            assert words in str(caught.value)
    finally:
        holder.kill()
        holder.wait()
    store = ChromaStore.embedded(tmp_path, FINGERPRINT)  # the lock died with its holder
    assert [found.item.memory_id for found in store.find("u1")] == ["from the other process"]
    store.close()


FORKED = """
    import os, sys, time
    from langmem_ext import LongTermMemory, StorageError
    from langmem_ext.testing import FakeEmbedder

    memory = LongTermMemory(sys.argv[1], embedder=FakeEmbedder())
    user = memory.for_user("u1")
    user.remember("User likes tea")
    user.search("tea")

    def in_child(name, call):
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            try:
                call()
                print(name, "answered", flush=True)
            except StorageError as error:
                print(name, "refused" if "fork" in str(error) else error, flush=True)
            os._exit(0)
        until = time.monotonic() + 5
        while time.monotonic() < until:
            if os.waitpid(child, os.WNOHANG)[0]:
                return
            time.sleep(0.02)
        os.kill(child, 9)
        os.waitpid(child, 0)
        print(name, "hangs", flush=True)

    in_child("search", lambda: user.search("tea"))
    in_child("remember", lambda: user.remember("User likes coffee"))
    in_child("add", lambda: user.add("I like coffee."))
    in_child("list", lambda: user.list_memories())
    in_child("delete_all", lambda: user.delete_all())
    in_child("flush", lambda: memory.flush())
    in_child("users", lambda: memory.users())
    in_child("close", lambda: memory.close())
    user.remember("User likes milk")
    print("parent", len(user.list_memories().memories))
    memory.close()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_child_is_refused_and_does_not_hang(tmp_path: Path) -> None:
    done = run_python(FORKED, str(tmp_path), timeout=90)
    told = dict(line.split(" ", 1) for line in done.stdout.splitlines())
    assert told.pop("parent") == "2", done.stderr
    assert told.pop("close") in ("answered", "refused")
    assert told == dict.fromkeys(
        ["search", "remember", "add", "list", "delete_all", "flush", "users"], "refused"
    )


def test_many_processes_write_to_one_server(chroma_url: str) -> None:
    write = """
        import sys
        from langmem_ext.stores.chroma import ChromaStore
        from tests.support.memories import FINGERPRINT, row

        store = ChromaStore.server(sys.argv[1], FINGERPRINT, prefix="many")
        for number in range(10):
            store.write("u1", [row(f"{sys.argv[2]}-{number}")])
        store.close()
    """
    running = [
        subprocess.Popen(python_command(write, chroma_url, name), cwd=Path(__file__).parents[2])
        for name in "ab"
    ]
    store = ChromaStore.server(chroma_url, FINGERPRINT, prefix="many")
    store.write("u1", [row("mine")])
    assert [process.wait(60) for process in running] == [0, 0]
    assert len(contents(store.find("u1"))) == 21  # what others wrote is seen without reopening
    store.close()


def test_a_killed_server_client_leaves_nothing_in_the_way(chroma_url: str) -> None:
    hold = HOLD.replace("ChromaStore.embedded", "ChromaStore.server")
    process = subprocess.Popen(
        python_command(hold, chroma_url), stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]
    )
    assert process.stdout is not None
    with process.stdout:
        assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGKILL)
    process.wait()
    store = ChromaStore.server(chroma_url, FINGERPRINT)
    assert store.delete("u1", ["from the other process"]) == 1
    store.close()
