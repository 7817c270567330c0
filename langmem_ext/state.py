"""The outbox: turns that wait to be learned, in one SQLite file, durable once `put` returns.

A turn stays in the file until it was learned, was dropped, or somebody says what to do with one that
failed. Text that was deleted leaves no bytes in the file or beside it.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from langmem_ext.errors import InvalidInputError, StorageError, StoreClosedError, StoreLockedError
from langmem_ext.items import Scope
from langmem_ext.messages import Message
from langmem_ext.ports import Clock
from langmem_ext.queued_turns import (
    FailedTurn,
    Failure,
    QueueCounts,
    QueuedTurn,
    Ticket,
    from_text,
    to_text,
    without_message,
)

_VERSION: Final = 1
# `secure_delete` clears freed cells and pages, but rebalancing copies small cells within pages, and of
# these copies some stay. What does not fit into a page lies on pages of its own, which are never copied
# and always cleared: of 512 bytes a row keeps at most 477 in its page, and the padding takes all of them.
_PAGE_SIZE: Final = 512
_PADDING: Final = 480
_SCHEMA: Final = f"""
    CREATE TABLE turns (
        sequence INTEGER PRIMARY KEY AUTOINCREMENT,
        ticket_id TEXT NOT NULL UNIQUE,
        user_id TEXT NOT NULL,
        created_at REAL NOT NULL,
        state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'failed')),
        attempts INTEGER NOT NULL DEFAULT 0,
        barrier INTEGER,
        padding BLOB NOT NULL DEFAULT (zeroblob({_PADDING})),
        turn TEXT NOT NULL,
        error TEXT
    );
    CREATE INDEX turns_by_user ON turns (state, user_id, sequence);
    PRAGMA user_version = {_VERSION};
"""
_PRAGMAS: Final = (
    f"page_size = {_PAGE_SIZE}",
    "locking_mode = EXCLUSIVE",  # a second process is refused, also where no directory lock stands before
    "journal_mode = TRUNCATE",  # with FULL the truncation is synced too; a deleted journal could come back
    "synchronous = FULL",
    "secure_delete = ON",
    "temp_store = MEMORY",
)


class Outbox:
    """Turns in the order in which they were handed in, one of each user at a time. Threads may share it."""

    def __init__(self, path: Path | None, *, clock: Clock, new_id: Callable[[], str]) -> None:
        """Open the file, made for the owner only when it is not there. None: in RAM.

        Raises:
            StoreLockedError: it is open already, here or in another process.
            StorageError: it cannot be opened, is something else, or was written by a newer version.
        """
        self._path = path
        self._place = "the outbox in RAM" if path is None else str(path)
        self._clock = clock
        self._new_id = new_id
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._closed = False
        self._running: dict[str, QueuedTurn] = {}
        self._resting: dict[str, datetime] = {}
        self._connection = _connect(path, self._place)
        self._ground = self._identity()

    def put(
        self,
        scope: Scope,
        messages: Sequence[Message],
        observed_at: datetime,
        *,
        idempotency_key: str | None = None,
        barrier: int | None = None,
        needs_llm: bool = False,
    ) -> Ticket:
        """Add a turn at the end; it survives a crash from here on. The arguments are those of `QueuedTurn`.

        Raises:
            StorageError: it could not be written.
        """
        ticket = Ticket(self._new_id(), scope.user_id, self._clock())
        text = to_text(scope, messages, observed_at, idempotency_key, needs_llm=needs_llm)
        self._change(
            "INSERT INTO turns (ticket_id, user_id, created_at, barrier, turn) VALUES (?, ?, ?, ?, ?)",
            *(ticket.ticket_id, ticket.user_id, ticket.created_at.timestamp(), barrier, text),
        )
        return ticket

    def take(self, now: datetime) -> QueuedTurn | None:
        """The first turn that may be learned now; its user's others wait until `release`."""
        with self._open() as connection:
            ready = (sequence for sequence, due in self._heads(connection) if due is None or due <= now)
            if (first := min(ready, default=None)) is None:
                return None
            columns = "ticket_id, user_id, created_at, turn, attempts, barrier"
            row = connection.execute(f"SELECT {columns} FROM turns WHERE sequence = ?", (first,)).fetchone()
            try:
                turn = from_text(row[3], _ticket(row), sequence=first, attempts=row[4], barrier=row[5])
            except Exception as error:  # whatever was written into the file: the others must pass
                connection.execute(
                    "UPDATE turns SET state = 'failed', error = ? WHERE sequence = ?",
                    (json.dumps(["unreadable", type(error).__name__]), first),
                )
                return None
            self._running[turn.scope.user_id] = turn
            self._resting.pop(turn.scope.user_id, None)
            return turn

    def release(self, turn: QueuedTurn) -> None:
        """Nobody is learning this turn any more; where it is still in the file, it will be taken again."""
        with self._lock:
            self._running.pop(turn.scope.user_id, None)

    def rest(self, user_id: str, until: datetime) -> None:
        """Give out nothing of this user before. Kept in RAM: who opens the file again tries at once."""
        self._resting[user_id] = until

    def hurry(self) -> None:
        """Let nobody rest any longer."""
        self._resting.clear()

    def next_due(self) -> datetime | None:
        """When the first of those that rest may be taken; None when none does."""
        with self._open() as connection:
            return min((due for _, due in self._heads(connection) if due is not None), default=None)

    def runnable(self, now: datetime, up_to: int) -> bool:
        """Whether a turn with at most this sequence is being learned or may be taken now."""
        with self._open() as connection:
            ready = [sequence for sequence, due in self._heads(connection) if due is None or due <= now]
            return (
                min([*ready, *(turn.sequence for turn in self._running.values())], default=up_to + 1) <= up_to
            )

    def last_sequence(self) -> int:
        """Of the turn handed in last, learned or not; 0 when there was none."""
        with self._open() as connection:
            return int(connection.execute("SELECT ifnull(max(seq), 0) FROM sqlite_sequence").fetchone()[0])

    def _heads(self, connection: sqlite3.Connection) -> list[tuple[int, datetime | None]]:
        """The first turn of each user of whom none is being learned, and until when that user rests."""
        rows = connection.execute(
            "SELECT user_id, min(sequence) FROM turns WHERE state = 'waiting' GROUP BY user_id"
        )
        return [(first, self._resting.get(user)) for user, first in rows if user not in self._running]

    def done(self, turn: QueuedTurn) -> bool:
        """Remove a turn that was learned; False when it was dropped meanwhile."""
        return self.forget(turn.scope.user_id, turn.ticket.ticket_id)

    def fail(self, turn: QueuedTurn, attempts: int, error: Failure, *, set_aside: bool) -> None:
        """Keep a turn that could not be learned at its place, with the attempts made so far.

        One that is set aside lets the user's later turns pass, and waits for `retry`.
        """
        self._change(
            "UPDATE turns SET state = ?, attempts = ?, error = ? WHERE ticket_id = ?",
            *("failed" if set_aside else "waiting", attempts, json.dumps(error, ensure_ascii=False)),
            turn.ticket.ticket_id,
        )

    def retry(self, user_id: str | None = None, ticket_id: str | None = None) -> int:
        """Put turns that were set aside back where they stood, of a user or all; returns how many."""
        return self._change(
            "UPDATE turns SET state = 'waiting', attempts = 0 WHERE state = 'failed' "
            "AND user_id = coalesce(?, user_id) AND ticket_id = coalesce(?, ticket_id)",
            *(user_id, ticket_id),
        )

    def failed(self, user_id: str | None = None) -> list[FailedTurn]:
        """What was set aside, of a user or all, in the order in which it was handed in."""
        with self._open() as connection:
            rows = connection.execute(
                "SELECT ticket_id, user_id, created_at, attempts, error FROM turns "
                "WHERE state = 'failed' AND user_id = coalesce(?, user_id) ORDER BY sequence",
                (user_id,),
            ).fetchall()
        return [FailedTurn(_ticket(row), row[3], Failure(*json.loads(row[4]))) for row in rows]

    def counts(self, user_id: str | None = None) -> QueueCounts:
        """How many turns there are, of a user or of all."""
        with self._open() as connection:
            numbers = connection.execute(
                "SELECT count(*) FILTER (WHERE state = 'waiting'), count(*) FILTER (WHERE state = 'failed') "
                "FROM turns WHERE user_id = coalesce(?, user_id)",
                (user_id,),
            ).fetchone()
        return QueueCounts(*numbers)

    def holds(self, turn: QueuedTurn) -> bool:
        """Whether the turn was not dropped since it was taken. Ask before what came of it is stored."""
        statement = "SELECT 1 FROM turns WHERE ticket_id = ?"
        with self._open() as connection:
            return connection.execute(statement, (turn.ticket.ticket_id,)).fetchone() is not None

    def forget(self, user_id: str, ticket_id: str) -> bool:
        """Drop one turn of a user in whatever state; False when this user has none with this ticket."""
        return bool(self._change("DELETE FROM turns WHERE user_id = ? AND ticket_id = ?", user_id, ticket_id))

    def drop(self, user_id: str, message_id: str | None = None) -> int:
        """Drop a user's turns, or only this message out of them; returns how many turns are gone.

        One that is being learned is no longer held.
        """
        self._resting.pop(user_id, None)
        if message_id is None:
            return self._change("DELETE FROM turns WHERE user_id = ?", user_id)
        dropped = 0
        with self._open() as connection:
            rows = connection.execute("SELECT sequence, turn FROM turns WHERE user_id = ?", (user_id,))
            for sequence, text in rows.fetchall():
                left = without_message(text, message_id)
                if left is None:
                    connection.execute("DELETE FROM turns WHERE sequence = ?", (sequence,))
                    dropped += 1
                elif left != text:
                    connection.execute("UPDATE turns SET turn = ? WHERE sequence = ?", (left, sequence))
        return dropped

    def compact(self) -> None:
        """Give back the room of what was deleted."""
        self._change("VACUUM")

    def close(self) -> None:
        """Close the file. Twice is fine; in a forked child it does nothing, the file is the parent's."""
        if os.getpid() != self._pid:
            return
        with self._lock:
            self._closed = True
            self._connection.close()

    def _change(self, statement: str, *values: object) -> int:
        with self._open() as connection:
            return connection.execute(statement, values).rowcount

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            if self._closed:
                raise StoreClosedError()
            if self._identity() != self._ground:  # it would be written into a file that nobody finds again
                raise StorageError(
                    f"{self._place} was deleted, moved or replaced while it was open; put it back, or close "
                    "this memory and open another"
                )
            with _translated(self._place):
                yield self._connection

    def _identity(self) -> tuple[int, int] | None:
        try:
            found = None if self._path is None else self._path.stat()
        except OSError:
            return None
        return None if found is None else (found.st_dev, found.st_ino)


def _connect(path: Path | None, place: str) -> sqlite3.Connection:
    with _translated(place):
        if path is not None and not path.exists():
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        # Each statement is a transaction of its own.
        name = ":memory:" if path is None else str(path.absolute())
        connection = sqlite3.connect(name, timeout=0, isolation_level=None, check_same_thread=False)
        try:
            for pragma in _PRAGMAS:
                connection.execute(f"PRAGMA {pragma}").fetchall()
            _prepare(connection, place)
        except BaseException:
            connection.close()
            raise
    return connection


def _prepare(connection: sqlite3.Connection, place: str) -> None:
    connection.execute("BEGIN EXCLUSIVE")
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if version > _VERSION:
        raise StorageError(f"{place} has format {version}, this langmem-ext knows {_VERSION}: upgrade it")
    if version == 0 and tables:
        raise StorageError(f"{place} is a database that langmem-ext did not make; give it a file of its own")
    if version == 0:
        for statement in _SCHEMA.split(";"):
            connection.execute(statement)
    connection.execute("COMMIT")


@contextmanager
def _translated(place: str) -> Iterator[None]:
    try:
        yield
    except UnicodeEncodeError as error:
        raise InvalidInputError("an id or key holds half of a surrogate pair; pass valid Unicode") from error
    except (sqlite3.Error, OSError) as error:
        if "database is locked" in str(error):
            raise StoreLockedError(f"{place} is open already, here or in another process") from error
        raise StorageError(
            f"{place} could not be read or written: {error}. Check the disk and its permissions, or restore "
            "it from a backup"
        ) from error


def _ticket(row: Sequence[Any]) -> Ticket:
    return Ticket(row[0], row[1], datetime.fromtimestamp(row[2], UTC))
