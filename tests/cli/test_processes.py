"""The command as a process: streams, signals, terminals, and what others hold."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import termios
from pathlib import Path
from typing import Any

import pytest

from langmem_ext import LongTermMemory, MissingDependencyError
from langmem_ext.testing import FakeEmbedder
from tests.cli.running import COMMAND, Run, environment, run_command
from tests.support.chroma_server import ChromaServer
from tests.support.memories import soon
from tests.support.openai_server import OpenAIServer, Reply


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    """A store with memories in two scripts."""
    path = tmp_path / "db"
    with LongTermMemory(path, embedder=FakeEmbedder()) as memory:
        memory.for_user("安").remember_many(["用户喜欢喝茶 🍵", "The user has a dog."])
    return path


def test_data_goes_to_stdout_as_utf8_and_talk_to_stderr(filled: Path) -> None:
    done = run_command("list", "--path", str(filled), "--json")
    assert [item["content"] for item in done.lines] == ["用户喜欢喝茶 🍵", "The user has a dog."]
    assert (done.code, done.err) == (0, "")
    assert "用户喜欢喝茶 🍵" in run_command("list", "--path", str(filled)).out
    deleted = run_command("delete", "--all", "--yes", "--path", str(filled))
    assert deleted.out == "" and "用户喜欢喝茶 🍵" in deleted.err


@pytest.mark.slow
def test_with_the_embedder_that_is_installed(tmp_path: Path) -> None:
    said = "我对花生过敏。🥜".encode()
    path = str(tmp_path / "db")
    added = run_command("add", "-", "--path", path, "--json", stdin=said)
    assert added.json["status"] == "learned"
    found = run_command("search", "什么不能吃？", "--path", path)
    assert "花生" in found.out and found.err == ""


def test_another_process_that_has_the_store_open_is_told_of(filled: Path) -> None:
    with LongTermMemory(filled, embedder=FakeEmbedder()):
        done = run_command("list", "--path", str(filled))
    assert (done.code, done.out) == (5, "")
    assert "another process has" in done.err and "\n" not in done.err.rstrip("\n")


def test_where_there_is_no_store_none_is_made(tmp_path: Path) -> None:
    done = run_command("search", "x", "--path", "db", folder=tmp_path)
    assert (done.code, done.out) == (3, "") and list(tmp_path.iterdir()) == []


def test_a_store_that_cannot_be_read_is_told_of(filled: Path) -> None:
    (filled / "store.json").write_text("{", encoding="utf-8")
    done = run_command("list", "--path", str(filled))
    assert done.code == 1 and done.err.startswith("langmem-ext: ")


def test_ctrl_c_ends_it_without_a_trace_and_stores_nothing(filled: Path) -> None:
    with OpenAIServer(default=Reply('{"memories": []}', delay=60)) as server:
        variables = environment(OPENAI_BASE_URL=server.base_url, OPENAI_API_KEY="k")
        command = [*COMMAND, "add", "I moved to Lyon with two cats.", "--path", str(filled.parent / "new")]
        process = subprocess.Popen(
            command, env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL
        )
        soon(lambda: bool(server.chat_requests) or process.poll() is not None, within=60)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, b""), err.decode()
    assert err.decode().endswith("langmem-ext: interrupted\n") and b"Traceback" not in err
    left = run_command("list", "--path", str(filled.parent / "new"))
    assert left.out == ""


def test_a_reader_that_goes_away_ends_it_quietly(filled: Path) -> None:
    process = subprocess.Popen(
        [*COMMAND, "list", "--path", str(filled)],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    assert process.wait(timeout=60) == 1 and b"Traceback" not in err and b"ignored" not in err


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_a_full_disk_is_told_of(filled: Path) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*COMMAND, "list", "--path", str(filled)],
            env=environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            timeout=60,
        )
    assert done.returncode == 1
    assert b"No space left" in done.stderr and b"Traceback" not in done.stderr, done.stderr


def at_a_terminal(typed: bytes, *arguments: str, until: bytes) -> tuple[int, bytes, bytes]:
    """Code, stdout and what the terminal shows of a command whose stdin and stderr are one."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 80))
    process = subprocess.Popen(
        [*COMMAND, *arguments],
        env=environment(),
        stdin=theirs,
        stderr=theirs,
        stdout=subprocess.PIPE,
    )
    os.close(theirs)
    shown = b""
    answered = False
    try:
        while chunk := os.read(ours, 4096):
            shown += chunk
            if until in shown and not answered:
                os.write(ours, typed)
                answered = True
    except OSError:  # Linux: the other end is closed
        pass
    out, _ = process.communicate(timeout=60)
    os.close(ours)
    return process.returncode, out, shown


def test_at_a_terminal_it_asks(filled: Path) -> None:
    arguments = ("delete", "--all", "--path", str(filled))
    code, out, shown = at_a_terminal(b"n\n", *arguments, until=b"[y/N]")
    assert (code, out) == (4, b"") and "用户喜欢喝茶 🍵".encode() in shown
    code, out, shown = at_a_terminal(b"y\n", *arguments, until=b"[y/N]")
    assert (code, out) == (0, b"") and b"2 memories deleted" in shown
    assert run_command("list", "--path", str(filled)).out == ""


def test_a_bar_is_shown_at_a_terminal_only(filled: Path) -> None:
    arguments = ("export", "--output", str(filled.parent / "out.jsonl"), "--yes", "--path", str(filled))
    code, _, shown = at_a_terminal(b"", *arguments, until=b"\0")
    assert code == 0 and b"exporting" in shown
    assert run_command(*arguments).err == f"2 lines written to {filled.parent / 'out.jsonl'}\n"


def test_a_server_is_read_without_making_a_store_on_it(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LANGMEM_EXT_PATH")
    with ChromaServer() as server:
        monkeypatch.setenv("LANGMEM_EXT_URL", server.url)
        assert run("users").code == 3
        assert run("users").code == 3  # the first one did not make it
        memory_id = run("remember", "The user has a dog.", "--json").json["memory_id"]
        assert [item["memory_id"] for item in run("list", "--json").lines] == [memory_id]
        numbers = run("stats", "--json").json
        assert (numbers["users"], numbers["versions"], numbers["bytes"]) == (1, 1, None)
        done = run("delete", memory_id, "--erase", "--yes")
        assert done.code == 0 and "out of reach" in done.err
    silent = run("users", "--url", "http://127.0.0.1:9")
    assert silent.code == 1 and "does not answer" in silent.err


def test_a_missing_package_is_told_of_with_its_command(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise MissingDependencyError("sentence-transformers", "local", "The default embedder")

    monkeypatch.setattr("langmem_ext.memory._default_embedder", missing)
    done = run("remember", "x")
    assert done.code == 1 and 'pip install "langmem-ext[local]"' in done.err


@pytest.mark.parametrize(("arguments", "handed_over"), [([], []), (["--path", "x"], ["--path", "x"])])
def test_the_demo_is_the_demo(
    run: Run, monkeypatch: pytest.MonkeyPatch, arguments: list[str], handed_over: list[str]
) -> None:
    seen: list[Any] = []

    def main(options: list[str]) -> int:
        seen.append(options)
        return 1

    monkeypatch.setattr("langmem_ext.demo.__main__.main", main)
    assert run("demo", *arguments).code == 1
    assert seen == [handed_over]


def test_the_version_is_known_without_loading_anything() -> None:
    code = "import sys; from langmem_ext.cli.app import main; main(['--version']); " + (
        "print({'chromadb', 'numpy', 'openai', 'pydantic'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("langmem-ext, version ") and done.stdout.endswith("\nset()\n")
