"""Where collections are: in directories of this process, on a server, or in RAM.

Every user hashes to one of a fixed number of shards, written in the store card, so that one
user's search does not slow down with everybody's data. Embedded, a shard is a Chroma directory
`shards/07/g0001`, opened on first use; `shards/07/current` names the generation in use.
"""

from __future__ import annotations

import os
import threading
import uuid
from pathlib import Path
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

import chromadb
from chromadb.api import ClientAPI
from chromadb.config import Settings
from chromadb.errors import ChromaError

from langmem_ext.errors import InvalidInputError, LangMemExtError, StorageError, StoreClosedError
from langmem_ext.ports import EmbedderFingerprint
from langmem_ext.stores.chroma.card import StoreCard, read_file, write_file
from langmem_ext.stores.chroma.lock import lock_directory

_SERVER_TIMEOUT: Final = 60.0  # seconds for one step of a request
_COLLECTION: Final = "memories"


class Shards(Protocol):
    """The collections of a store, by number."""

    shared: bool  # whether other processes write to them too
    where: str  # names the store in errors
    card: StoreCard

    def collection(self, number: int) -> chromadb.Collection:
        """The collection of a shard, made when it is not there."""

    def existing(self) -> list[chromadb.Collection]:
        """The collections that were ever written to."""

    def close(self) -> None:
        """Give everything back."""


def _settings() -> Settings:
    return Settings(anonymized_telemetry=False)


def _open_collection(client: ClientAPI, name: str, where: str) -> chromadb.Collection:
    # Without `embedding_function=None` Chroma would take its own, which downloads weights.
    collection = client.get_or_create_collection(
        name, embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
    )
    hnsw: Any = (collection.configuration_json or {}).get("hnsw") or {}
    if hnsw.get("space") != "cosine":  # get_or_create ignores another space silently
        raise StorageError(
            f"collection {name} of {where} was not made by langmem-ext: it does not use cosine"
        )
    return collection


def _memory_client() -> ClientAPI:
    """A client in RAM. All of a process are one, and Chroma refuses a second one with other settings.

    So it has Chroma's default settings, with which an application's own client gets along; the
    telemetry that they allow does nothing in the versions supported here (a test holds that).
    """
    try:
        return chromadb.EphemeralClient()
    except ValueError:
        try:
            return chromadb.EphemeralClient(settings=_settings())
        except ValueError as error:
            raise StorageError(
                "this process has a Chroma client in RAM with settings of its own, and there can be one: "
                "give LongTermMemory a path=, or make that client with chromadb.EphemeralClient()"
            ) from error


class MemoryShards:
    """One collection in RAM under a name of its own: clients in RAM share their data."""

    shared = False
    where = "the store in RAM"

    def __init__(self, fingerprint: EmbedderFingerprint) -> None:
        self.card = StoreCard(fingerprint, shards=1)
        self._client = _memory_client()
        self._name = f"langmem_ext-{uuid.uuid4().hex}"
        self._collection = _open_collection(self._client, self._name, self.where)

    def collection(self, number: int) -> chromadb.Collection:
        """See `Shards`."""
        return self._collection

    def existing(self) -> list[chromadb.Collection]:
        """See `Shards`."""
        return [self._collection]

    def close(self) -> None:
        """See `Shards`."""
        # The client itself belongs to every store in RAM of this process.
        self._client.delete_collection(self._name)


class ServerShards:
    """Collections `<prefix>-07` on a Chroma server, and `<prefix>-card` for the card."""

    shared = True

    def __init__(
        self, url: str, fingerprint: EmbedderFingerprint, *, headers: dict[str, str] | None, prefix: str
    ) -> None:
        host, port, ssl = _address(url)
        self.where = f"the Chroma server at {host}:{port}"
        self._prefix = prefix
        self._lock = threading.Lock()
        self._open: dict[int, chromadb.Collection] = {}
        try:
            self._client = chromadb.HttpClient(
                host=host, port=port, ssl=ssl, headers=headers, settings=_settings()
            )
        except Exception as error:  # Chroma's own, httpx's, or a bare ValueError
            raise self._silent(error) from error
        for session in self._sessions():
            session.timeout = _SERVER_TIMEOUT  # Chroma waits without end
        try:
            self.card = self._card(fingerprint)
            self.card.check(fingerprint, self.where)
        except LangMemExtError:
            self.close()
            raise
        except Exception as error:  # as above
            self.close()
            raise self._silent(error) from error

    def _silent(self, error: Exception) -> StorageError:
        if any(word in str(error).lower() for word in ("401", "403", "unauthorized", "forbidden")):
            return StorageError(f"{self.where} refuses access; pass its token with headers={{…}}")
        return StorageError(
            f"{self.where} does not answer ({type(error).__name__}); is it running? Start one: chroma run"
        )

    def _card(self, fingerprint: EmbedderFingerprint) -> StoreCard:
        name = f"{self._prefix}-card"
        card = StoreCard(fingerprint)
        try:  # the first of several processes makes it, and all read it back
            self._client.create_collection(name, embedding_function=None, metadata={"card": card.to_json()})
        except ChromaError:  # it is there; servers differ in how they say so
            pass
        metadata = self._client.get_collection(name, embedding_function=None).metadata or {}
        return StoreCard.from_json(str(metadata.get("card")), self.where)

    def collection(self, number: int) -> chromadb.Collection:
        """See `Shards`."""
        with self._lock:
            if number not in self._open:
                self._open[number] = _open_collection(self._client, f"{self._prefix}-{number:02}", self.where)
            return self._open[number]

    def existing(self) -> list[chromadb.Collection]:
        """See `Shards`."""
        names = {collection.name for collection in self._client.list_collections(limit=10_000)}
        return [self.collection(n) for n in range(self.card.shards) if f"{self._prefix}-{n:02}" in names]

    def close(self) -> None:
        """See `Shards`."""
        # Chroma leaves its HTTP connections open, and nothing public closes them.
        sessions = self._sessions()
        self._client.close()  # type: ignore[attr-defined]  # of the class behind ClientAPI
        for session in sessions:
            session.close()

    def _sessions(self) -> list[Any]:
        """The HTTP sessions of the client and of its admin client; each client has its own."""
        owners = (self._client, getattr(self._client, "_admin_client", None))
        sessions = [getattr(getattr(owner, "_server", None), "_session", None) for owner in owners]
        return [session for session in sessions if session is not None]


def _address(url: str) -> tuple[str, int, bool]:
    """Host, port and whether it is TLS. The URL is not repeated in errors: it may hold a password."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except (ValueError, AttributeError, TypeError) as error:
        raise InvalidInputError("url must look like http://localhost:8000") from error
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.path.strip("/"):
        raise InvalidInputError(
            "url must look like http://localhost:8000, without a path or a login (pass headers= for that)"
        )
    return parts.hostname, port or (443 if parts.scheme == "https" else 8000), parts.scheme == "https"


class EmbeddedShards:
    """A Chroma directory per shard and generation below one data directory."""

    shared = False

    def __init__(self, path: Path, fingerprint: EmbedderFingerprint) -> None:
        self.where = str(path)
        self._path = path
        self._pid = os.getpid()
        self._closed = False
        self._lock = threading.Lock()
        self._open: dict[int, tuple[ClientAPI, chromadb.Collection]] = {}
        try:
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(f"can not create the data directory {path}: {error.strerror}") from error
        self._file_lock = lock_directory(path)
        try:
            self.card = self._card(fingerprint)
            self.card.check(fingerprint, self.where)
        except BaseException:
            self._file_lock.release()
            raise

    def _card(self, fingerprint: EmbedderFingerprint) -> StoreCard:
        file = self._path / "store.json"
        if file.exists():
            return StoreCard.from_json(read_file(file), self.where)
        if (self._path / "chroma.sqlite3").exists():
            raise StorageError(
                f"{self._path} is a Chroma directory that langmem-ext did not make; give it its own directory"
            )
        card = StoreCard(fingerprint)
        write_file(file, card.to_json())
        return card

    def collection(self, number: int) -> chromadb.Collection:
        """See `Shards`."""
        if self.forked:
            raise StorageError(
                f"{self.where} was opened before this process was forked, and one process may hold a "
                "directory: open a LongTermMemory(url=…) in the child"
            )
        with self._lock:
            if self._closed:
                raise StoreClosedError()
            if number not in self._open:
                client = chromadb.PersistentClient(path=self._generation(number), settings=_settings())
                self._open[number] = (client, _open_collection(client, _COLLECTION, self.where))
            return self._open[number][1]

    def _generation(self, number: int) -> Path:
        shard = self._path / "shards" / f"{number:02}"
        current = shard / "current"
        if not current.exists():
            shard.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_file(current, "g0001")
        return shard / read_file(current).strip()

    def existing(self) -> list[chromadb.Collection]:
        """See `Shards`."""
        numbers = range(self.card.shards)
        return [
            self.collection(n) for n in numbers if (self._path / "shards" / f"{n:02}" / "current").exists()
        ]

    @property
    def forked(self) -> bool:
        """Whether this process is a child of the one that opened the directory."""
        return os.getpid() != self._pid

    def close(self) -> None:
        """See `Shards`."""
        if self.forked:
            return  # the parent's files
        with self._lock:
            self._closed = True
            try:
                for client, _ in self._open.values():
                    client.close()  # type: ignore[attr-defined]  # as above
            finally:
                self._open.clear()
                self._file_lock.release()
