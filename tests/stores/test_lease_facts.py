"""What leases take for granted about a Chroma server. One of these red: read them before trusting them."""

from __future__ import annotations

import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
from chromadb.api import ClientAPI
from chromadb.errors import ChromaError, NotFoundError

from tests.support.leases import connect


@pytest.fixture
def client(chroma_url: str) -> ClientAPI:
    return connect(chroma_url)


@pytest.fixture
def prefix() -> str:
    return f"facts-{uuid.uuid4().hex[:8]}"


def test_to_create_a_collection_is_put_if_absent(chroma_url: str, client: ClientAPI, prefix: str) -> None:
    others = [connect(chroma_url) for _ in range(6)]
    with ThreadPoolExecutor(len(others)) as pool:
        for number in range(10):
            name = f"{prefix}-fact-{number}"

            def create(maker: int, name: str = name) -> bool:
                try:
                    others[maker].create_collection(name, embedding_function=None, metadata={"by": maker})
                except ChromaError:
                    return False
                return True

            won = list(pool.map(create, range(len(others))))
            assert won.count(True) == 1
            assert client.get_collection(name, embedding_function=None).metadata == {"by": won.index(True)}
            client.delete_collection(name)


def test_to_modify_goes_by_the_id_and_names_are_unique(client: ClientAPI, prefix: str) -> None:
    old = client.create_collection(f"{prefix}-a", embedding_function=None, metadata={"beat": 0, "old": 1})
    old.modify(metadata={"beat": 1})
    assert client.get_collection(old.name, embedding_function=None).metadata == {"beat": 1}  # not merged
    same = client.get_collection(f"{prefix}-a", embedding_function=None)
    same.modify(name=f"{prefix}-b")
    new = client.create_collection(f"{prefix}-a", embedding_function=None, metadata={"beat": 7})
    with pytest.raises(ChromaError):
        old.modify(name=f"{prefix}-a")
    old.modify(metadata={"beat": 2})
    assert client.get_collection(f"{prefix}-b", embedding_function=None).metadata == {"beat": 2}
    found = client.get_collection(f"{prefix}-a", embedding_function=None)
    assert (found.id, found.metadata) == (new.id, {"beat": 7})
    client.delete_collection(f"{prefix}-b")
    with pytest.raises(NotFoundError):
        old.modify(name=f"{prefix}-c")
    with pytest.raises(NotFoundError):
        old.modify(metadata={"beat": 3})
    with pytest.raises(NotFoundError):
        client.delete_collection(f"{prefix}-b")
    client.delete_collection(f"{prefix}-a")
