"""The door: one `LongTermMemory` per application, one handle per user."""

from __future__ import annotations

import asyncio
import os
import threading
import uuid
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, tzinfo
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from langmem_ext.background import Workers
from langmem_ext.doors.door import Rooms
from langmem_ext.doors.upkeep import UpkeepDoor
from langmem_ext.embedding import CheckedEmbedder
from langmem_ext.errors import EmbedderMismatchError, InvalidInputError, StorageError, StoreClosedError
from langmem_ext.extraction.candidate import Extractor
from langmem_ext.extraction.customisation import Customisation, FieldsModel
from langmem_ext.extraction.llm import LLMExtractor
from langmem_ext.extraction.rules import RuleExtractor
from langmem_ext.items import AddResult, Scope
from langmem_ext.learning import Learner
from langmem_ext.observability import RecallLog, RecallRecord
from langmem_ext.ports import ChatModel, Clock, Embedder, EmbedderFingerprint, MemoryStore, TokenCounter
from langmem_ext.queued_turns import QueuedTurn
from langmem_ext.recall import Recaller
from langmem_ext.receipts import RepairReport
from langmem_ext.tokens import estimate_tokens
from langmem_ext.upkeep import Upkeep
from langmem_ext.user_memory import UserMemory, learn_queued
from langmem_ext.workspace import release_workspace, take_workspace


def _utc_now() -> datetime:
    return datetime.now(UTC)


def _new_id() -> str:
    return uuid.uuid4().hex


class LongTermMemory(UpkeepDoor):
    """Long-term memory for the users of an application.

    Memories are reached through `for_user()` only, so the scope cannot be forgotten. Use it as a
    context manager, or call `close()`.
    """

    def __init__(
        self,
        path: str | Path | None = None,
        *,
        url: str | None = None,
        headers: Mapping[str, str] | None = None,
        store: MemoryStore | None = None,
        state_path: str | Path | None = None,
        llm: ChatModel | None = None,
        instructions: str | None = None,
        schema: FieldsModel | None = None,
        embedder: Embedder | None = None,
        count_tokens: TokenCounter = estimate_tokens,
        timezone: str | tzinfo = UTC,
        log_queries: bool = False,
        clock: Clock = _utc_now,
        new_id: Callable[[], str] = _new_id,
    ) -> None:
        """Open a memory.

        Args:
            path: A directory of this memory's own; made when it is not there. One process may hold it.
            url: A Chroma server instead, for several processes. With neither: in RAM.
            headers: Sent to that server, such as `{"Authorization": "Bearer …"}`.
            store: A store of your own instead of both; the last `close()` closes it.
            state_path: A file for the turns of `add_later` until they are learned, where it is not in
                the directory of `path`; one per process.
            llm: Extracts memories from conversations. Without one, rules do; they find less.
            instructions: What else is worth keeping in this application, in your words, for the LLM: "Keep
                which products a customer owns, and nothing about prices."
            schema: A pydantic model class: the LLM fills it for a memory, and its fields become metadata.
            embedder: Makes vectors. The default is `default_embedder()`, at home in Chinese and English.
            count_tokens: Counts for the budget of `context()`; pass your model's tokenizer for exact budgets.
            timezone: Where the users are, as an IANA name or a tzinfo: "tomorrow" depends on it.
            log_queries: Keep the words of queries in `recall_log()`; off, because they are the user's.
            clock: Tells the time, aware UTC.
            new_id: Makes memory ids.

        Raises:
            InvalidInputError: more than one of path, url and store, or an unknown time zone.
            StoreLockedError: another process holds the path.
            EmbedderMismatchError: the store was written with another embedder.
            StorageError: it cannot be opened.
            MissingDependencyError: no embedder was given and the default is not installed.
            ModelError: the default embedder cannot be loaded, or a given one does not know its dimension.
        """
        zone = _zone(timezone)
        _check_part(llm, ChatModel, "llm")
        _check_part(embedder, Embedder, "embedder")
        if sum(place is not None for place in (path, url, store)) > 1:
            raise InvalidInputError("give one of path, url and store; with none, memories are kept in RAM")
        _check_part(store, MemoryStore, "store")
        extractor = _extractor(llm, Customisation(instructions, schema))
        queue_path = _state_path(path, state_path)
        used = embedder if embedder is not None else _default_embedder()
        checked = CheckedEmbedder(used)
        opened = store if store is not None else _open(path, url, headers, used.fingerprint)
        if opened.fingerprint != used.fingerprint:  # a store that was handed in
            raise EmbedderMismatchError(
                f"the store holds vectors of {opened.fingerprint}, the given embedder is {used.fingerprint}"
            )
        self._workspace = take_workspace(opened)
        self._own_hold = store is None
        self._place = (
            "RAM" if opened is not store and path is None and url is None else str(path or url or store)
        )
        self._closing = threading.Lock()
        self._closed = False
        self._pid = os.getpid()
        self._recall_log = RecallLog(keep_queries=log_queries)
        super().__init__(Upkeep(self._workspace, checked, clock))
        self._rooms = Rooms(
            workspace=self._workspace,
            embedder=checked,
            extractor=extractor,
            learner=Learner(
                self._workspace,
                checked,
                clock=clock,
                new_id=new_id,
                timezone=zone,
                window=extractor.window,
            ),
            recaller=Recaller(self._workspace, checked, clock, self._recall_log, zone),
            count_tokens=count_tokens,
            timezone=zone,
            clock=clock,
            new_id=new_id,
            check_open=self._check_open,
            asks_llm=llm is not None,
            workers=self._background,
        )
        self._state_path = queue_path
        self._in_ram = path is None and url is None and store is None
        self._attaching = threading.Lock()
        self._attached: Workers | None = None
        try:
            if llm is not None:  # what waits since an earlier run waits for an LLM
                self._attach_where_turns_wait()
            elif self._turns_wait():  # a deletion must reach it all the same
                self._workers()
        except BaseException:
            release_workspace(self._workspace, own_hold=self._own_hold)
            raise

    @classmethod
    def from_config(
        cls, source: Mapping[str, Any] | str | os.PathLike[str] | None = None, **overrides: Any
    ) -> Self:
        """Open a memory as a mapping or a TOML file says, and the environment (see `langmem_ext.config`).

        Args:
            source: A mapping, which is not changed, or the path of a file. None: the environment alone.
            overrides: Arguments of `LongTermMemory`, objects too; they win.

        Raises:
            InvalidInputError: a field that does not exist, or a value that it cannot have; it is named.
        """
        from langmem_ext.config import memory_arguments

        return cls(**memory_arguments(source, overrides))

    def _attach_where_turns_wait(self) -> None:
        if self._turns_wait():
            self._background()

    def _turns_wait(self) -> bool:
        exists = self._state_path is not None and self._state_path.exists()
        return exists or self._workspace.workers is not None

    def _workers(self) -> Workers:
        return self._workspace.learn_in_background(
            self._state_path, clock=self._rooms.clock, new_id=self._rooms.new_id
        )

    def _background(self) -> Workers:
        with self._attaching:
            if self._attached is None:
                if self._state_path is None and not self._in_ram:
                    raise InvalidInputError(
                        "add_later needs a place to keep turns until they are learned: pass state_path= "
                        "(a file of this process's own) to LongTermMemory"
                    )
                workers = self._workers()
                workers.attach(self._learn_queued)
                self._attached = workers
            return self._attached

    def _learn_queued(self, queued: QueuedTurn) -> AddResult:
        return learn_queued(self._rooms, queued)

    @staticmethod
    def reembed(path: str | Path, *, embedder: Embedder) -> RepairReport:
        """Change the embedder of a store: all texts in a directory are embedded again, all versions too.

        The store changes in one step when all vectors are there; a crash before leaves it as it was.

        Args:
            path: The directory. Nobody may have it open, this process included.
            embedder: The new one.

        Raises:
            StoreLockedError: somebody has it open.
            StorageError: there is no store, or it cannot be read or written.
            ModelError: the embedder is unavailable; the store is as it was.
        """
        from langmem_ext.stores.chroma import ChromaStore

        _check_part(embedder, Embedder, "embedder")
        return ChromaStore.reembed(
            _checked_path(path), embedder.fingerprint, CheckedEmbedder(embedder).documents
        )

    def for_user(
        self, user_id: str, *, agent_id: str | None = None, session_id: str | None = None
    ) -> UserMemory:
        """The memory of one user.

        Args:
            user_id: A non-blank string. Users are compared byte by byte: `u1` and `U1` are two.
            agent_id: Label written on what is learned; filters may ask for it.
            session_id: Another label; it also tells equal turns of two sessions apart.

        Raises:
            InvalidUserError: not a non-blank string.
        """
        return UserMemory(self._rooms, Scope(user_id, agent_id, session_id))

    def recall_log(self) -> tuple[RecallRecord, ...]:
        """The last 1,000 recalls, oldest first: what was asked for and what came back, in numbers."""
        return self._recall_log.records()

    def close(self) -> None:
        """Finish the writes under way, write access counts and close the store. Twice is fine.

        A turn that still waits for its LLM is not stored: its `add` raises StoreClosedError. What was
        given to `add_later` stays in its file, and is learned after the next opening.
        """
        if os.getpid() != self._pid:
            return
        with self._attaching:
            attached, self._attached = self._attached, None
        if attached is not None:  # first: a turn that is being learned may still be stored
            attached.detach(self._learn_queued)
        with self._closing:
            if self._closed:
                return
            self._closed = True
        release_workspace(self._workspace, own_hold=self._own_hold)

    async def aclose(self) -> None:
        """As `close`."""
        await asyncio.to_thread(self.close)

    def __repr__(self) -> str:
        return f"<LongTermMemory in {self._place}>"

    def __enter__(self) -> LongTermMemory:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    async def __aenter__(self) -> LongTermMemory:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()

    def _check_open(self) -> None:
        if self._closed:
            raise StoreClosedError()
        if os.getpid() != self._pid:  # threads, locks and connections stay in the parent
            raise StorageError(
                "this memory was opened before the process was forked; open another in the child"
            )


def _check_part(part: object, port: type, name: str) -> None:
    """Refuse at the door what would fail at every call."""
    if part is None or isinstance(part, port):
        return
    wanted = sorted(member for member in vars(port) if not member.startswith("_"))
    raise InvalidInputError(
        f"{name}={type(part).__name__} is no {port.__name__}: it needs {', '.join(wanted)}"
    )


def _zone(timezone: str | tzinfo) -> tzinfo:
    if isinstance(timezone, tzinfo):
        return timezone
    try:
        return ZoneInfo(timezone)
    except (ZoneInfoNotFoundError, ValueError, TypeError) as error:
        raise InvalidInputError(f"timezone={timezone!r} is no IANA name such as Asia/Shanghai") from error


@lru_cache(maxsize=1)
def _default_embedder() -> Embedder:
    """One for the process: loading it takes a second or more, and a notebook cell runs again."""
    from langmem_ext.models.default import default_embedder

    return default_embedder()


def _open(
    path: str | Path | None,
    url: str | None,
    headers: Mapping[str, str] | None,
    fingerprint: EmbedderFingerprint,
) -> MemoryStore:
    from langmem_ext.stores.chroma import ChromaStore

    if url is not None:
        return ChromaStore.server(url, fingerprint, headers=headers)
    if path is not None:
        return ChromaStore.embedded(_checked_path(path), fingerprint)
    return ChromaStore.in_memory(fingerprint)


def _extractor(llm: ChatModel | None, custom: Customisation) -> Extractor:
    if llm is not None:
        return LLMExtractor(llm, custom)
    if custom != Customisation():
        raise InvalidInputError("instructions and schema are for an LLM; rules cannot follow them: pass llm=")
    return RuleExtractor()


def _state_path(path: str | Path | None, state_path: str | Path | None) -> Path | None:
    if state_path is not None:
        return Path(_checked_path(state_path)).expanduser().resolve()
    return None if path is None else Path(path).expanduser().resolve() / "state.sqlite3"


def _checked_path(path: object) -> str | Path:
    if not isinstance(path, str | Path):
        raise InvalidInputError(f"path must be a string or a Path, not {type(path).__name__}")
    if not str(path).strip():
        raise InvalidInputError("path is blank; name a directory, or leave it out for memories in RAM")
    return path
