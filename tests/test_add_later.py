"""Learning in the background through the doors."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from langmem_ext import InvalidInputError, LongTermMemory, ModelError, StorageError, StoreClosedError
from langmem_ext.items import Scope
from langmem_ext.messages import Message
from langmem_ext.ports import ChatMessage, ChatReply, ReplySchema
from langmem_ext.queued_turns import QueuedTurn, Ticket
from langmem_ext.testing import FakeEmbedder, ManualClock, ScriptedChatModel
from langmem_ext.user_memory import learn_queued
from tests.support.memories import START, OpenMemory, actions, contents, fact, listed, reply, run_python

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


def test_delete_source_leaves_the_other_messages_of_a_turn_that_waits(tmp_path: Path) -> None:
    down = ScriptedChatModel([ModelError("no answer", kind="unavailable")] * 3)
    said = [
        {"role": "user", "content": "I like coffee, every day.", "id": "nul\x00id"},
        {"role": "user", "content": "I like tea, every day.", "id": "m2"},
    ]
    with opened(tmp_path, down) as memory:
        memory.for_user("u1").add_later(said)
        memory.flush()
        memory.for_user("u1").delete_source("nul\x00id")
    assert b"coffee" not in (tmp_path / "state.sqlite3").read_bytes()
    with opened(tmp_path, ScriptedChatModel([TEA])) as memory:
        memory.flush()
        assert listed(memory.for_user("u1")) == ["The user likes tea"]


def test_delete_source_reaches_a_turn_whose_llm_is_being_asked(tmp_path: Path) -> None:
    llm = Held([TEA])
    with opened(None, llm) as memory:
        user = memory.for_user("u1")
        said = [{"role": "user", "content": "I like tea, every day.", "id": "m1"}]
        adding = threading.Thread(target=user.add, args=(said,))
        adding.start()
        assert llm.asked.wait(20)
        user.delete_source("m1")
        llm.go_on.set()
        adding.join(20)
        assert listed(user) == []


def test_who_opens_it_without_an_llm_leaves_what_waits_for_one(tmp_path: Path) -> None:
    down = ScriptedChatModel([ModelError("no answer", kind="unavailable")] * 3)
    with opened(tmp_path, down) as memory:
        memory.for_user("u1").add_later("I like tea, every day.")
        memory.flush()
    with LongTermMemory(tmp_path, embedder=FakeEmbedder()) as looking:
        assert looking.users() == []
        report = looking.flush()
        assert (report.learned, report.waiting) == (0, 1)
        assert report.error is not None and "llm=" in report.error
        looking.for_user("u2").add_later("I am a paediatric nurse.")
        assert looking.flush().learned == 1
    with opened(tmp_path, ScriptedChatModel([TEA])) as memory:
        assert memory.flush().learned == 1
        assert listed(memory.for_user("u1")) == ["The user likes tea"]


def test_who_opens_it_without_an_llm_deletes_what_waits_too(tmp_path: Path) -> None:
    down = ScriptedChatModel([ModelError("no answer", kind="unavailable")] * 9)
    with opened(tmp_path, down) as memory:
        memory.for_user("u1").add_later("I like chamomile tea, every day.")
        memory.for_user("u2").add_later([{"role": "user", "content": "I like valerian tea.", "id": "m-1"}])
        memory.flush()
    with LongTermMemory(tmp_path, embedder=FakeEmbedder()) as looking:
        looking.for_user("u1").delete_all(erase=True)
        looking.for_user("u2").delete_source("m-1")
    for word in (b"chamomile", b"valerian"):
        assert not any(word in file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    with opened(tmp_path, ScriptedChatModel([TEA])) as memory:
        assert (memory.flush().learned, memory.users()) == (0, [])


def test_the_place_of_the_queue_does_not_move_with_the_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    with opened(Path("db"), ScriptedChatModel([TEA])) as memory:
        monkeypatch.chdir(tmp_path / "elsewhere")
        memory.for_user("u1").add_later("I like tea, every day.")
        assert memory.flush().learned == 1
        memory.for_user("u1").delete_all(erase=True)
    assert (tmp_path / "db" / "state.sqlite3").exists()
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_queue_that_cannot_be_opened_holds_nothing_back(tmp_path: Path) -> None:
    opened(tmp_path, ScriptedChatModel([])).close()
    (tmp_path / "state.sqlite3").write_bytes(b"garbage" * 100)
    with pytest.raises(StorageError, match=r"state\.sqlite3"):
        opened(tmp_path, ScriptedChatModel([]))
    (tmp_path / "state.sqlite3").unlink()
    done = run_python(
        """
        import sys
        from langmem_ext import LongTermMemory
        from langmem_ext.testing import FakeEmbedder
        LongTermMemory(sys.argv[1], embedder=FakeEmbedder()).close()
        """,
        str(tmp_path),
    )
    assert done.returncode == 0, done.stderr


def test_a_turn_that_cannot_be_read_is_set_aside_and_the_others_pass(tmp_path: Path) -> None:
    down = ScriptedChatModel([ModelError("no answer", kind="unavailable")] * 3)
    with opened(tmp_path, down) as memory:
        for name in ("a", "b"):
            memory.for_user(name).add_later("I like tea, every day.")
        memory.flush()
    with closing(sqlite3.connect(tmp_path / "state.sqlite3")) as connection, connection:
        connection.execute("UPDATE turns SET turn = '{}' WHERE user_id = 'a'")
    with opened(tmp_path, ScriptedChatModel([TEA])) as memory:
        report = memory.flush(timeout=60)
        assert (report.learned, report.waiting, report.failed) == (1, 0, 1)
        assert memory.failed_turns()[0].error.kind == "unreadable"


def test_the_text_of_an_error_is_redacted_before_it_is_kept(tmp_path: Path) -> None:
    error = ModelError(
        "Incorrect API key provided: sk-proj-Zanzibar0123456789abcdefABCDEF", kind="bad_request"
    )
    with opened(tmp_path, ScriptedChatModel([error])) as memory:
        memory.for_user("u1").add_later("I like tea, every day.")
        assert memory.flush().failed == 1
        assert "Zanzibar" not in memory.failed_turns()[0].error.message
    assert b"Zanzibar" not in (tmp_path / "state.sqlite3").read_bytes()


@pytest.mark.parametrize("timeout", [-1, float("inf"), float("nan"), 1e10, True])
def test_a_timeout_that_is_none_is_refused(memory: LongTermMemory, timeout: float) -> None:
    with pytest.raises(InvalidInputError, match="timeout"):
        memory.flush(timeout=timeout)


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


def test_a_turn_that_is_learned_again_after_a_crash_changes_nothing(open_memory: OpenMemory) -> None:
    """The process ended after the turn was stored and before it left the outbox."""
    said = (Message("user", "I live in Lyon. Well, I lived there: now I live in Nantes.", "user", "m1"),)
    homes = [
        fact(f"The user lives in {city}", f"live in {city}", key="residence.city")
        for city in ("Lyon", "Nantes")
    ]
    llm = ScriptedChatModel([reply(*homes)])
    memory = open_memory(llm=llm)
    queued = QueuedTurn(
        ticket=Ticket("ticket-1", "u1", START),
        scope=Scope("u1"),
        messages=said,
        observed_at=START,
        idempotency_key=None,
        attempts=0,
        barrier=None,
        sequence=1,
    )
    first, again = learn_queued(memory._rooms, queued), learn_queued(memory._rooms, queued)
    user = memory.for_user("u1")
    assert (actions(first), actions(again), len(llm.calls)) == (["added", "replaced"], ["touched"] * 2, 1)
    assert listed(user) == ["The user lives in Nantes"]
    (item,) = user.list_memories()
    assert len([e for e in user.history(item.memory_id) if e.action == "recorded"]) == 2
