"""Learning in the background through the doors."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from langmem_ext import InvalidInputError, LongTermMemory, ModelError, StoreClosedError
from langmem_ext.ports import ChatMessage, ChatReply, ReplySchema
from langmem_ext.testing import FakeEmbedder, ManualClock, ScriptedChatModel
from tests.support.memories import OpenMemory, contents, fact, listed, reply

TEA = reply(fact("The user likes tea", "I like tea"))


def opened(path: Path | None, llm: ScriptedChatModel, **options: object) -> LongTermMemory:
    return LongTermMemory(path, embedder=FakeEmbedder(), llm=llm, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("in_ram", [True, False])
def test_what_was_handed_in_is_learned_and_flush_waits_for_it(tmp_path: Path, in_ram: bool) -> None:
    with opened(None if in_ram else tmp_path, ScriptedChatModel([TEA])) as memory:
        user = memory.for_user("u1")
        ticket = user.add_later("I like tea, every day.")
        assert ticket.user_id == "u1"
        report = memory.flush()
        assert (report.learned, report.waiting, report.failed) == (1, 0, 0)
        assert listed(user) == ["The user likes tea"]


def test_a_turn_that_waited_is_learned_after_the_next_opening(tmp_path: Path) -> None:
    down = ScriptedChatModel([ModelError("no answer", kind="unavailable")] * 5)
    with opened(tmp_path, down) as memory:
        memory.for_user("u1").add_later("I like tea, every day.")
        report = memory.flush()
        assert (report.learned, report.waiting, report.failed) == (0, 1, 0)
        assert report.error == "unavailable: no answer"
        assert listed(memory.for_user("u1")) == []
    with opened(tmp_path, ScriptedChatModel([TEA])) as memory:
        assert memory.flush().waiting == 0
        assert listed(memory.for_user("u1")) == ["The user likes tea"]


def test_what_fails_for_good_is_set_aside_listed_and_retried(tmp_path: Path) -> None:
    llm = ScriptedChatModel([ModelError("no", kind="refused"), TEA])
    with opened(tmp_path, llm) as memory:
        ticket = memory.for_user("u1").add_later("I like tea, every day.")
        assert memory.flush().failed == 1
        (failed,) = memory.failed_turns()
        assert (failed.ticket, failed.error.kind) == (ticket, "refused")
        assert memory.retry_failed(ticket.ticket_id) == 1
        assert memory.flush().failed == 0
        assert memory.failed_turns() == ()
        assert not memory.discard_failed(ticket.ticket_id)
        assert listed(memory.for_user("u1")) == ["The user likes tea"]


def test_a_turn_that_was_set_aside_can_be_discarded(tmp_path: Path) -> None:
    with opened(tmp_path, ScriptedChatModel([ModelError("no", kind="refused")])) as memory:
        ticket = memory.for_user("u1").add_later("I like tea, every day.")
        memory.flush()
        assert memory.discard_failed(ticket.ticket_id)
        assert (memory.failed_turns(), memory.retry_failed()) == ((), 0)


class Held(ScriptedChatModel):
    """Answers when it is let go."""

    def __init__(self, replies: Sequence[str]) -> None:
        super().__init__(list(replies))
        self.asked, self.go_on = threading.Event(), threading.Event()

    def complete(self, messages: Sequence[ChatMessage], schema: ReplySchema | None) -> ChatReply:
        self.asked.set()
        assert self.go_on.wait(20)
        return super().complete(messages, schema)


def test_delete_all_drops_what_waits_and_what_is_being_learned(tmp_path: Path) -> None:
    llm = Held([TEA, TEA, TEA])
    with opened(tmp_path, llm) as memory:
        user = memory.for_user("u1")
        user.add_later("I like tea, every day.")
        user.add_later("I like tea, every evening.")
        assert llm.asked.wait(20)
        receipt = user.delete_all(erase=True)
        llm.go_on.set()
        memory.flush()
        assert listed(user) == []
        assert receipt.erasure is not None and receipt.erasure.complete
        user.add_later("I like tea, once more.")
        memory.flush()
        assert listed(user) == ["The user likes tea"]
    data = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert b"every day" not in data and b"every evening" not in data


def test_delete_source_drops_the_turn_that_waits(tmp_path: Path) -> None:
    llm = Held([TEA, TEA])
    with opened(tmp_path, llm) as memory:
        user = memory.for_user("u1")
        user.add_later([{"role": "user", "content": "I like tea, every day.", "id": "m1"}])
        assert llm.asked.wait(20)
        user.delete_source("m1")
        llm.go_on.set()
        memory.flush()
        assert listed(user) == []


def test_the_same_turn_now_and_later_is_one(tmp_path: Path) -> None:
    with opened(tmp_path, ScriptedChatModel([TEA, TEA])) as memory:
        user = memory.for_user("u1")
        user.add("I like tea, every day.", idempotency_key="t1")
        user.add_later("I like tea, every day.", idempotency_key="t1")
        memory.flush()
        assert len(listed(user)) == 1
        assert len(user.list_memories().memories[0].source) == 1


def test_no_secret_reaches_the_file(tmp_path: Path) -> None:
    with opened(tmp_path, ScriptedChatModel([ModelError("down", kind="unavailable")] * 5)) as memory:
        memory.for_user("u1").add_later("My password is hunter2-Zanzibar and I like tea.")
        memory.flush()
        assert b"hunter2" not in (tmp_path / "state.sqlite3").read_bytes()


def test_bad_input_is_an_error_at_once(tmp_path: Path, chroma_url: str) -> None:
    with opened(tmp_path, ScriptedChatModel([])) as memory:
        with pytest.raises(InvalidInputError):
            memory.for_user("u1").add_later(42)  # type: ignore[arg-type]
        assert not (tmp_path / "state.sqlite3").exists()
    with (
        opened(None, ScriptedChatModel([]), url=chroma_url) as memory,
        pytest.raises(InvalidInputError, match="state_path="),
    ):
        memory.for_user("u1").add_later("I like tea, every day.")


def test_on_a_server_the_turns_are_in_a_file_of_their_own(tmp_path: Path, chroma_url: str) -> None:
    options = {"url": chroma_url, "state_path": tmp_path / "turns.sqlite3"}
    with opened(None, ScriptedChatModel([TEA]), **options) as memory:
        user = memory.for_user("later")
        user.add_later("I like tea, every day.")
        assert memory.flush().learned == 1
        assert listed(user) == ["The user likes tea"]
        user.delete_all()
    assert (tmp_path / "turns.sqlite3").exists()


async def test_the_async_doors(open_memory: OpenMemory) -> None:
    memory = open_memory(llm=ScriptedChatModel([TEA]))
    await memory.for_user("u1").aadd_later("I like tea, every day.")
    assert (await memory.aflush()).learned == 1
    assert contents(await memory.for_user("u1").asearch("tea")) == ["The user likes tea"]


def test_after_close_nothing_is_taken(tmp_path: Path, clock: ManualClock) -> None:
    memory = opened(tmp_path, ScriptedChatModel([]), clock=clock)
    user = memory.for_user("u1")
    memory.close()
    with pytest.raises(StoreClosedError):
        user.add_later("I like tea, every day.")
