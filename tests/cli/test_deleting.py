from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from langmem_ext import LongTermMemory
from langmem_ext.items import Scope
from langmem_ext.messages import parse_messages
from langmem_ext.state import Outbox
from langmem_ext.testing import FakeEmbedder, ManualClock, SequentialIds
from tests.cli.running import Run


def stored(run: Run, *texts: str) -> list[str]:
    return [str(run("remember", text, "--json").json["memory_id"]) for text in texts]


def left(run: Run) -> list[str]:
    return [str(item["content"]) for item in run("list", "--json").lines]


@pytest.mark.parametrize(
    "arguments", [["delete", "{id}"], ["delete", "--all"], ["forget", "Forget that I have a dog"], ["sweep"]]
)
def test_where_nobody_can_be_asked_nothing_is_deleted(run: Run, arguments: list[str]) -> None:
    (memory_id,) = stored(run, "The user has a dog.")
    done = run(*(part.format(id=memory_id) for part in arguments), stdin="y\n1\n")  # of a pipe
    assert done.code == 4
    assert left(run) == ["The user has a dog."]


def test_what_will_be_deleted_is_shown_before_it_is_asked_for(run: Run) -> None:
    (memory_id,) = stored(run, "The user has a dog.")
    declined = run("delete", memory_id, typed="n\n")
    assert (declined.code, declined.out) == (4, "")
    assert declined.err.index("has a dog") < declined.err.index("Delete it, with all its versions?")
    assert left(run) == ["The user has a dog."]
    assert run("delete", memory_id, typed="y\n").code == 0
    assert left(run) == []


def test_delete_takes_yes_and_gives_the_receipt(run: Run) -> None:
    memory_id, _ = stored(run, "The user has a dog.", "The user has a cat.")
    done = run("delete", memory_id, "--yes", "--json")
    assert (done.json["memories"], done.json["versions"], done.json["memory_ids"]) == (1, 1, [memory_id])
    assert done.json["erasure"] is None
    assert left(run) == ["The user has a cat."]


def test_all_of_a_user_can_be_erased(run: Run, tmp_path: Path) -> None:
    stored(run, "The user has a dog called Wilhelmina.", "The user has a cat.")
    run("remember", "Tea is nice.", "--user", "bo")
    done = run("delete", "--all", "--erase", "--yes", "--json")
    assert done.json["memories"] == 2 and done.json["erasure"]["traces"] == []
    assert not any(b"Wilhelmina" in file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert run("users").out == "bo\n"


def test_delete_asks_for_exactly_one_thing(run: Run) -> None:
    stored(run, "The user has a dog.")
    for arguments in ([], ["x", "--all"], ["--all", "--source", "m"]):
        assert run("delete", *arguments).code == 2


def test_what_one_message_brought_is_deleted(run: Run) -> None:
    learned = run("add", "I have two cats.", "--json").json
    run("add", "I live in Lyon.")
    done = run("delete", "--source", learned["message_ids"][0], typed="y\n")
    assert done.code == 0 and "cats" in done.err and "Lyon" not in done.err
    assert len(left(run)) == 1


def expired(folder: Path) -> str:
    """A memory of ann's that was good until yesterday."""
    yesterday = datetime.now(UTC) - timedelta(days=1)
    clock = ManualClock(yesterday - timedelta(days=1))
    with LongTermMemory(folder / "db", embedder=FakeEmbedder(), clock=clock) as memory:
        return memory.for_user("ann").remember("The user is in Rome.", expires_at=yesterday).memory_id


def test_a_memory_that_has_expired_can_still_be_deleted(run: Run, tmp_path: Path) -> None:
    memory_id = expired(tmp_path)
    assert run("show", memory_id).code == 3
    done = run("delete", memory_id, "--yes")
    assert done.code == 0 and "in Rome" in done.err


def waiting(folder: Path, *texts: str) -> None:
    """Turns that wait beside the store, as add_later leaves them."""
    outbox = Outbox(folder / "db" / "state.sqlite3", clock=lambda: datetime.now(UTC), new_id=SequentialIds())
    for text in texts:
        outbox.put(Scope("ann"), parse_messages(text), datetime.now(UTC), needs_llm=True)
    outbox.put(Scope("bo"), parse_messages("I live in Rome."), datetime.now(UTC), needs_llm=True)
    outbox.close()


def test_deleting_all_drops_what_waits_to_be_learned(run: Run, tmp_path: Path) -> None:
    stored(run, "The user has a dog.")
    waiting(tmp_path, "I live in Lyon.", "I am a nurse.")
    assert run("stats", "--json").json["waiting_turns"] == 3
    done = run("delete", "--all", typed="y\n")
    assert "and 2 turns that wait to be learned" in done.err
    assert run("stats", "--json").json["waiting_turns"] == 1


def test_deleting_a_source_drops_it_where_it_waits(run: Run, tmp_path: Path) -> None:
    stored(run, "The user has a dog.")
    waiting(tmp_path, "I live in Lyon.")
    (message,) = parse_messages("I live in Lyon.")
    assert run("delete", "--source", message.message_id, "--yes").code == 0
    assert run("stats", "--json").json["waiting_turns"] == 1


def test_forget_deletes_what_is_clearly_meant_after_asking(run: Run) -> None:
    stored(run, "The user has a dog.", "The user has a cat.")
    declined = run("forget", "Forget that I have a dog", "--json", typed="n\n")
    assert (declined.code, declined.json["status"]) == (4, "confirm")
    assert len(left(run)) == 2
    done = run("forget", "Forget that I have a dog", typed="y\n")
    assert done.code == 0 and left(run) == ["The user has a cat."]


def test_forget_lets_one_choose(run: Run) -> None:
    stored(run, "用户对花生过敏", "用户对花生酱很感兴趣")
    done = run("forget", "忘掉花生", typed="2 9 x\n")
    assert done.code == 0 and len(left(run)) == 1
    assert "1. " in done.err and "2. " in done.err


def test_forget_with_yes_deletes_only_what_is_clear(run: Run) -> None:
    ids = stored(run, "用户对花生过敏", "用户对花生酱很感兴趣")
    assert run("forget", "忘掉花生").err.count(ids[0]) == 1
    assert run("forget", "忘掉花生", "--yes").err.count(ids[0]) == 1
    doubtful = run("forget", "忘掉花生", "--yes", "--json")
    assert doubtful.code == 4 and doubtful.json["status"] == "confirm"
    assert {item["memory_id"] for item in doubtful.json["candidates"]} == set(ids)
    assert run("forget", "忘掉花生", "--id", ids[0], "--yes", "--json").json["status"] == "deleted"
    assert len(left(run)) == 1


@pytest.mark.parametrize(
    ("request_", "status"),
    [("Forget everything", "everything"), ("I forgot my keys", "no_request"), ("Forget my boat", "no_match")],
)
def test_forget_says_why_nothing_was_deleted(run: Run, request_: str, status: str) -> None:
    stored(run, "The user has a dog.")
    done = run("forget", request_, "--json", typed="y\n")
    assert (done.code, done.json["status"]) == (4, status)
    assert run("forget", request_).err != ""
    assert len(left(run)) == 1


def test_sweep_counts_asks_and_removes(run: Run, tmp_path: Path) -> None:
    expired(tmp_path)
    stored(run, "The user has a dog.")
    declined = run("sweep", typed="n\n")
    assert declined.code == 4 and "1 memories have expired" in declined.err
    assert run("sweep", "--yes", "--json").json == {"removed": 1, "users": 1}
    assert left(run) == ["The user has a dog."]


def test_erase_rewrites_the_store_and_keeps_the_memories(run: Run, tmp_path: Path) -> None:
    memory_id, _ = stored(run, "The user has a dog called Wilhelmina.", "The user has a cat.")
    run("delete", memory_id, "--yes")
    assert run("erase").code == 4
    done = run("erase", "--yes", "--json")
    assert done.json["rows_kept"] == 1 and done.json["out_of_reach"] is None
    assert left(run) == ["The user has a cat."]


def test_stats_count(run: Run, tmp_path: Path) -> None:
    run("remember", "The user lives in Lyon.", "--key", "residence.city")
    run("remember", "The user lives in Nantes.", "--key", "residence.city")
    run("remember", "The user went to Rome.", "--type", "episodic", "--user", "bo")
    numbers = run("stats", "--json").json
    on_disk = numbers.pop("bytes")
    assert numbers == {
        "users": 2,
        "memories": {"semantic": 1, "episodic": 1, "procedural": 0, "all": 2},
        "versions": 3,
        "waiting_turns": 0,
        "failed_turns": 0,
    }
    assert on_disk > 10_000
    assert "memories       2 (1 semantic, 1 episodic, 0 procedural)" in run("stats").out
