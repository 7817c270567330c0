"""Turns on a Chroma server as several processes have them: each with a client of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any
from urllib.parse import urlsplit

import chromadb
from chromadb.api import ClientAPI
from chromadb.config import Settings

from langmem_ext.stores.chroma.leases import ServerLeases

USER, OTHER = "0" * 32, "1" * 32  # as `user_key` makes them


def connect(url: str) -> ClientAPI:
    """A further client of a server."""
    address = urlsplit(url)
    return chromadb.HttpClient(
        host=str(address.hostname), port=address.port or 0, settings=Settings(anonymized_telemetry=False)
    )


def leases_on(client: ClientAPI, prefix: str, duration: float = 15.0) -> ServerLeases:
    """Leases with a card of their own."""
    card = client.get_or_create_collection(f"{prefix}-card", embedding_function=None)
    return ServerLeases(client, prefix, "the server", duration=duration, card=card)


def taken(client: ClientAPI, prefix: str) -> list[str]:
    """The leases that are held, and what is left of those that were."""
    names = [collection.name for collection in client.list_collections(limit=10_000)]
    return sorted(name for name in names if name.startswith((f"{prefix}-lease-", f"{prefix}-over-")))


def in_a_thread(function: Callable[[], Any]) -> Future[Any]:
    """Runs it beside the test; a thread that waits for ever does not keep the run from ending."""
    future: Future[Any] = Future()

    def run() -> None:
        try:
            future.set_result(function())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return future
