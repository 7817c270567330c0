"""The file of the outbox keeps what was acknowledged, and nothing of what was deleted."""

from __future__ import annotations

import os
import random
import sqlite3
import stat
from pathlib import Path

import pytest

from langmem_ext.errors import StorageError, StoreLockedError
from langmem_ext.queued_turns import Failure
from langmem_ext.state import Outbox
from langmem_ext.testing import ManualClock, SequentialIds
from tests.support.memories import START, run_python
from tests.support.outbox import OpenOutbox, learned, put, take


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state.sqlite3"


def bytes_beside(path: Path) -> bytes:
    return b"".join(file.read_bytes() for file in path.parent.iterdir())


def test_deleted_text_leaves_no_bytes_on_disk(path: Path, outbox: Outbox) -> None:
    outbox._connection.execute("PRAGMA synchronous = OFF")  # for speed; what is written is the same
    chance = random.Random(5)
    alive: dict[str, tuple[str, str]] = {}
    gone: set[str] = set()

    def forget(ticket_id: str) -> None:
        user, word = alive.pop(ticket_id)
        assert outbox.forget(user, ticket_id)
        gone.add(word)

    for number in range(2500):
        user, word = f"u{chance.randrange(5)}", f"机密{number:05}完"
        long = chance.choice([1, 1, 1, 2, 5, 100])
        alive[put(outbox, user, f"{word} " * long, idempotency_key=word).ticket_id] = (user, word)
        turn = outbox.take(START)
        if turn is not None and chance.random() < 0.5:
            outbox.fail(turn, number, Failure("bad_reply", alive[turn.ticket.ticket_id][1]), set_aside=True)
            outbox.release(turn)
        elif turn is not None:
            outbox.release(turn)
        if len(alive) > 60:
            for _ in range(chance.randrange(40)):
                forget(chance.choice(list(alive)))
        if chance.random() < 0.005:
            words = {word for owner, word in alive.values() if owner == user}
            assert outbox.drop(user) == len(words)
            gone |= words
            alive = {ticket: found for ticket, found in alive.items() if found[1] not in words}
    on_disk = bytes_beside(path)  # with the file open
    assert [word for _, word in alive.values() if word.encode() not in on_disk] == []
    assert [word for word in gone if word.encode() in on_disk] == []
    for ticket_id in list(alive):
        forget(ticket_id)
    assert "机密".encode() not in bytes_beside(path)


def test_text_lies_on_pages_of_its_own(path: Path, outbox: Outbox) -> None:
    for number in range(30):  # short, where a row would fit into its page
        put(outbox, "u1", f"机密{number}", idempotency_key="机密")
        turn = take(outbox)
        outbox.fail(turn, 1, Failure("refused", "机密"), set_aside=True)
        outbox.release(turn)
    content = path.read_bytes()
    pages = [content[start : start + 512] for start in range(512, len(content), 512)]
    trees = [page for page in pages if page[0] in (2, 5, 10, 13)]  # of the others nothing is ever copied
    assert trees
    assert "机密".encode() in content
    assert "机密".encode() not in b"".join(trees)


def test_compacting_gives_room_back(path: Path, outbox: Outbox) -> None:
    for number in range(50):
        put(outbox, "u1", "word " * 1000 + str(number))
    put(outbox, "u2", "stays")
    outbox.drop("u1")
    before = path.stat().st_size
    outbox.compact()
    assert path.stat().st_size < before / 10
    assert learned(outbox) == ["stays"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has other rights")
def test_files_are_for_the_owner_only(path: Path, clock: ManualClock) -> None:
    old = os.umask(0)
    try:
        with_journal = Outbox(path, clock=clock, new_id=SequentialIds())
        put(with_journal, "u1")
    finally:
        os.umask(old)
    files = list(path.parent.iterdir())
    assert path in files
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    with_journal.close()


def test_writes_wait_for_the_disk(outbox: Outbox) -> None:
    asked = ("synchronous", "journal_mode", "secure_delete", "locking_mode", "temp_store", "page_size")
    connection = outbox._connection
    found = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in asked]
    assert found == [2, "truncate", 1, "exclusive", 2, 512]


def test_the_file_is_open_once(path: Path, outbox: Outbox, clock: ManualClock) -> None:
    with pytest.raises(StoreLockedError, match=r"state\.sqlite3 is open already"):
        Outbox(path, clock=clock, new_id=SequentialIds())
    code = """
        import sys
        from datetime import UTC, datetime
        from pathlib import Path
        from langmem_ext.errors import StoreLockedError
        from langmem_ext.state import Outbox
        try:
            Outbox(Path(sys.argv[1]), clock=lambda: datetime.now(UTC), new_id=str)
        except StoreLockedError:
            print("locked")
    """
    assert run_python(code, str(path)).stdout == "locked\n"
    put(outbox, "u1")


def test_a_newer_format_is_refused(path: Path, open_outbox: OpenOutbox) -> None:
    put(open_outbox(), "u1")
    open_outbox().close()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 2")
    connection.close()
    with pytest.raises(StorageError, match="has format 2, this langmem-ext knows 1: upgrade it"):
        open_outbox()


def test_what_is_no_outbox_is_refused_and_left_alone(path: Path, open_outbox: OpenOutbox) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE turns (mine TEXT)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StorageError, match="langmem-ext did not make"):
        open_outbox()
    assert path.read_bytes() == before
    path.write_text("no database, but long enough to be looked at " * 100)
    with pytest.raises(StorageError, match="not a database"):
        open_outbox()
    path.unlink()
    path.parent.rmdir()
    with pytest.raises(StorageError, match="could not be read or written"):
        open_outbox()


def test_nothing_is_acknowledged_in_a_file_that_was_removed(path: Path, outbox: Outbox) -> None:
    put(outbox, "u1")
    path.unlink()
    with pytest.raises(StorageError, match="deleted, moved or replaced"):
        put(outbox, "u1")


def test_in_ram_nothing_is_written(
    tmp_path: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    outbox = Outbox(None, clock=clock, new_id=SequentialIds())
    put(outbox, "u1", "a")
    assert learned(outbox) == ["a"]
    assert list(tmp_path.iterdir()) == []
    outbox.close()
