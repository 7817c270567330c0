"""Which embedder a store was written with, found out without making one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from langmem_ext.errors import StorageError
from langmem_ext.ports import EmbedderFingerprint
from langmem_ext.stores.chroma.card import StoreCard
from langmem_ext.stores.chroma.files import read_file

if TYPE_CHECKING:
    from chromadb.api import ClientAPI

_CARD_FILE: Final = "store.json"
_CARD_COLLECTION: Final = "langmem_ext-card"


def embedder_of_directory(path: str | Path) -> EmbedderFingerprint | None:
    """Of the store in a directory; None where there is none.

    Raises:
        StorageError: its card cannot be read.
    """
    folder = Path(path).expanduser()
    if not (folder / _CARD_FILE).exists():
        return None
    return StoreCard.from_json(read_file(folder / _CARD_FILE), str(folder)).fingerprint


def embedder_of_server(url: str, headers: Mapping[str, str] | None = None) -> EmbedderFingerprint | None:
    """Of the store on a Chroma server; None where there is none.

    Raises:
        StorageError: the server does not answer, or its card cannot be read.
    """
    import chromadb
    from chromadb.errors import NotFoundError

    from langmem_ext.stores.chroma.clients import settings

    parts = urlsplit(url)
    ssl = parts.scheme == "https"
    where = f"the Chroma server at {parts.hostname}"  # not the address itself: it may hold a password
    try:
        client = chromadb.HttpClient(
            host=parts.hostname or "",
            port=parts.port or (443 if ssl else 8000),
            ssl=ssl,
            headers=dict(headers) if headers else None,
            settings=settings(),
        )
        try:
            card = client.get_collection(_CARD_COLLECTION, embedding_function=None).metadata
        finally:
            _close(client)
    except NotFoundError:
        return None
    except Exception as error:  # Chroma's own, httpx's, or a bare ValueError
        raise StorageError(f"{where} does not answer ({type(error).__name__}); is it running?") from error
    return StoreCard.from_json(str((card or {}).get("card")), where).fingerprint


def _close(client: ClientAPI) -> None:
    # Chroma leaves its HTTP connections open, and nothing public closes them.
    owners: list[Any] = [client, getattr(client, "_admin_client", None)]
    sessions = [getattr(getattr(owner, "_server", None), "_session", None) for owner in owners]
    client.close()  # type: ignore[attr-defined]  # of the class behind ClientAPI
    for session in sessions:
        if session is not None:
            session.close()
