"""Shards that are collections on a Chroma server, which other processes use as well."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final
from urllib.parse import urlsplit

import chromadb
from chromadb.errors import ChromaError

from langmem_ext.errors import InvalidInputError, LangMemExtError, StorageError
from langmem_ext.ports import EmbedderFingerprint, EmbedTexts, StoredMemory
from langmem_ext.receipts import ErasureReceipt, RepairReport
from langmem_ext.stores.chroma.card import StoreCard
from langmem_ext.stores.chroma.clients import all_collections, open_collection, settings
from langmem_ext.stores.chroma.leases import Leases, ServerLeases

_TIMEOUT: Final = 60.0  # seconds for one step of a request


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
                host=host, port=port, ssl=ssl, headers=headers, settings=settings()
            )
        except Exception as error:  # Chroma's own, httpx's, or a bare ValueError
            raise self._silent(error) from error
        for session in self._sessions():
            session.timeout = _TIMEOUT  # Chroma waits without end
        try:
            card = self._card_collection(fingerprint)
            self.card = StoreCard.from_json(str((card.metadata or {}).get("card")), self.where)
            self.card.check(fingerprint, self.where)
            self.leases: Leases = ServerLeases(self._client, prefix, self.where, card=card)
        except LangMemExtError:
            self.close()
            raise
        except Exception as error:  # as above
            self.close()
            raise self._silent(error) from error

    def _silent(self, error: BaseException) -> StorageError:
        if re.search(r"\b(?:401|403)\b|unauthorized|forbidden", str(error), re.IGNORECASE):
            return StorageError(f"{self.where} refuses access; pass its token with headers={{…}}")
        return StorageError(
            f"{self.where} does not answer ({type(error).__name__}); is it running? Start one: chroma run"
        )

    def _card_collection(self, fingerprint: EmbedderFingerprint) -> chromadb.Collection:
        name = f"{self._prefix}-card"
        card = StoreCard(fingerprint)
        try:  # the first of several processes makes it, and all read it back
            self._client.create_collection(name, embedding_function=None, metadata={"card": card.to_json()})
        except ChromaError:  # it is there; servers differ in how they say so
            pass
        return self._client.get_collection(name, embedding_function=None)

    def check(self) -> None:
        """Nothing that could be asked at no cost."""

    @contextmanager
    def reading(self, number: int) -> Iterator[chromadb.Collection]:
        """See `Shards`."""
        with self._lock:
            if number not in self._open:
                self._open[number] = open_collection(self._client, self._name(number), self.where)
        yield self._open[number]

    writing = reading

    def existing(self) -> list[int]:
        """See `Shards`."""
        names = {collection.name for collection in all_collections(self._client)}
        return [number for number in range(self.card.shards) if self._name(number) in names]

    def failure(self, number: int | None, error: BaseException) -> StorageError:
        """See `Shards`."""
        if isinstance(error, OSError) or type(error).__module__.startswith("http"):  # httpx's, httpcore's
            return self._silent(error)
        return StorageError(
            f"{self.where} could not read or write ({type(error).__name__}); look into the server's log. "
            "What was reported as stored before is not affected"
        )

    def erase(self, numbers: Sequence[int], deleted: Sequence[StoredMemory]) -> ErasureReceipt:
        """Say that it cannot be done from here."""
        return ErasureReceipt(
            out_of_reach=f"the disk of {self.where}: deleted rows are hidden, but their text stays in the "
            "server's files. Stop it and run chroma vacuum for the texts; the vectors stay until its "
            "directory is built anew"
        )

    def repair(self, embed: EmbedTexts) -> RepairReport:
        """Refuse.

        Raises:
            StorageError: always; a server's files are repaired where they are.
        """
        raise StorageError(f"{self.where} cannot be repaired from here; repair or restore its directory")

    def _name(self, number: int) -> str:
        return f"{self._prefix}-{number:02}"

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
