"""Opening a store: whose it is, who may open it, and what is refused before anything is touched."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
import stat
import threading
import time
import urllib.request
from pathlib import Path

import chromadb
import numpy as np
import pytest
from chromadb.config import Settings

from langmem_ext.errors import EmbedderMismatchError, InvalidInputError, StorageError
from langmem_ext.ports import EmbedderFingerprint
from langmem_ext.stores.chroma import ChromaStore
from langmem_ext.stores.chroma.sqlite_version import check_sqlite
from tests.support.memories import FINGERPRINT, contents, row

M1 = EmbedderFingerprint("m1", 384)
M2 = EmbedderFingerprint("m2", 768)


def test_another_embedder_is_refused_on_opening_a_directory(tmp_path: Path) -> None:
    ChromaStore.embedded(tmp_path / "db", M1).close()
    with pytest.raises(EmbedderMismatchError) as caught:
        ChromaStore.embedded(tmp_path / "db", M2)
    for word in ("m1", "384", "m2", "768", "export_memories", str(tmp_path)):
        assert word in str(caught.value)
    ChromaStore.embedded(tmp_path / "db", M1).close()  # neither locked nor changed by the refusal


def test_another_embedder_is_refused_while_the_directory_is_open(tmp_path: Path) -> None:
    first = ChromaStore.embedded(tmp_path, M1)
    with pytest.raises(EmbedderMismatchError):
        ChromaStore.embedded(tmp_path, M2)
    assert first.users() == []
    first.close()


def test_another_embedder_is_refused_on_opening_a_server(chroma_url: str) -> None:
    ChromaStore.server(chroma_url, M1, prefix="mismatch").close()
    with pytest.raises(EmbedderMismatchError, match=r"m1 \(384.*m2 \(768"):
        ChromaStore.server(chroma_url, M2, prefix="mismatch")
    ChromaStore.server(chroma_url, M1, prefix="mismatch").close()


@pytest.mark.parametrize(
    "other",
    [
        EmbedderFingerprint("m1", 384, query_prefix="query: "),
        EmbedderFingerprint("m1", 384, document_prefix="passage: "),
        EmbedderFingerprint("m1", 384, normalised=False),
        EmbedderFingerprint("m1", 256),
    ],
)
def test_every_part_of_the_fingerprint_counts(tmp_path: Path, other: EmbedderFingerprint) -> None:
    ChromaStore.embedded(tmp_path, M1).close()
    with pytest.raises(EmbedderMismatchError) as caught:
        ChromaStore.embedded(tmp_path, other)
    old, new = M1.as_dict(), other.as_dict()
    for name in old:
        assert old[name] == new[name] or f"{name} {old[name]!r} -> {new[name]!r}" in str(caught.value)


def test_a_directory_of_another_program_is_left_alone(tmp_path: Path) -> None:
    client = chromadb.PersistentClient(path=tmp_path, settings=Settings(anonymized_telemetry=False))
    client.create_collection("memories", embedding_function=None).add(
        ids=["a"], embeddings=np.ones((1, 1), np.float32)
    )
    client.close()  # type: ignore[attr-defined]  # of the class behind ClientAPI
    with pytest.raises(StorageError, match="not make"):
        ChromaStore.embedded(tmp_path, FINGERPRINT)
    assert not (tmp_path / "store.json").exists()
    client = chromadb.PersistentClient(path=tmp_path, settings=Settings(anonymized_telemetry=False))
    assert client.get_collection("memories", embedding_function=None).count() == 1
    client.close()  # type: ignore[attr-defined]


def create_collection(url: str, name: str) -> None:
    address = f"{url}/api/v2/tenants/default_tenant/databases/default_database/collections"
    body = json.dumps({"name": name}).encode()
    request = urllib.request.Request(address, body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        assert answer.status == 200


def test_a_collection_with_another_space_is_refused(chroma_url: str) -> None:
    for number in range(16):
        create_collection(chroma_url, f"l2-{number:02}")  # squared L2 is Chroma's default
    store = ChromaStore.server(chroma_url, FINGERPRINT, prefix="l2")
    with pytest.raises(StorageError, match="cosine"):
        store.write("u1", [row("a")])
    store.close()


@pytest.mark.parametrize("card", ["", "{}", "[]", '{"format": 1, "shards": 16}', '{"embedder": {"x": 1}}'])
def test_a_damaged_card_is_an_error_and_not_a_fresh_start(tmp_path: Path, card: str) -> None:
    ChromaStore.embedded(tmp_path, FINGERPRINT).close()
    (tmp_path / "store.json").write_text(card)
    with pytest.raises(StorageError, match="damaged"):
        ChromaStore.embedded(tmp_path, FINGERPRINT)
    assert (tmp_path / "store.json").read_text() == card


def test_a_store_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    ChromaStore.embedded(tmp_path, FINGERPRINT).close()
    card = tmp_path / "store.json"
    card.write_text(card.read_text().replace('"format": 1', '"format": 2'))
    with pytest.raises(StorageError, match="upgrade langmem-ext"):
        ChromaStore.embedded(tmp_path, FINGERPRINT)


def test_one_directory_by_any_name_is_one_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "db")
    monkeypatch.chdir(tmp_path)
    first = ChromaStore.embedded(tmp_path / "db", FINGERPRINT)
    names: list[str | Path] = [
        "db",
        "./db",
        f"{tmp_path}/db/",
        tmp_path / "link",
        str(tmp_path / "x" / ".." / "db"),
    ]
    others = [ChromaStore.embedded(name, FINGERPRINT) for name in names]
    for number, store in enumerate(others):
        store.write("u1", [row(f"m{number}")])
    assert len(contents(first.find("u1"))) == len(names)
    first.close()
    for store in others[:-1]:
        store.close()
    assert len(others[-1].find("u1")) == len(names)  # open until the last holder closes
    others[-1].close()


def test_two_threads_that_open_at_once_share_the_store(tmp_path: Path) -> None:
    opened: list[ChromaStore | Exception] = []
    barrier = threading.Barrier(8)

    def open_one() -> None:
        barrier.wait()
        try:
            store = ChromaStore.embedded(tmp_path, FINGERPRINT)
            opened.append(store)
            store.close()
        except Exception as error:  # whatever it is, it is shown below
            opened.append(error)

    threads = [threading.Thread(target=open_one) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [error for error in opened if isinstance(error, Exception)] == []
    assert len(opened) == 8


def test_two_stores_in_ram_share_nothing() -> None:
    first, second = ChromaStore.in_memory(FINGERPRINT), ChromaStore.in_memory(FINGERPRINT)
    first.write("u1", [row("a")])
    assert second.find("u1") == []
    first.close()
    assert second.users() == []
    third = ChromaStore.in_memory(FINGERPRINT)
    assert third.users() == []
    second.close()
    third.close()


@pytest.mark.skipif(os.name != "posix", reason="modes are a matter of POSIX")
def test_the_data_directory_is_for_its_owner_only(tmp_path: Path) -> None:
    store = ChromaStore.embedded(tmp_path / "deep" / "db", FINGERPRINT)
    store.write("u1", [row("a")])
    assert stat.S_IMODE((tmp_path / "deep" / "db").stat().st_mode) == 0o700
    store.close()


def test_a_place_where_no_directory_can_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file", tmp_path / "file" / "db"):
        with pytest.raises(StorageError, match=str(path)):
            ChromaStore.embedded(path, FINGERPRINT)


@pytest.mark.parametrize("old", [(3, 31, 1), (3, 34, 99)])
def test_an_old_sqlite_is_named_with_what_is_needed(
    monkeypatch: pytest.MonkeyPatch, old: tuple[int, int, int]
) -> None:
    check_sqlite()  # this one is new enough
    monkeypatch.setattr(sqlite3, "sqlite_version_info", old)
    with pytest.raises(StorageError) as caught:
        check_sqlite()
    for words in (".".join(map(str, old)), "3.35", "pysqlite3"):
        assert words in str(caught.value)


@pytest.mark.parametrize("url", ["", "localhost:8000", "ftp://localhost", "http://", "chroma"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(InvalidInputError, match="http://localhost:8000"):
        ChromaStore.server(url, FINGERPRINT)


def test_a_server_that_is_not_there_is_named() -> None:
    with pytest.raises(StorageError, match=r"127\.0\.0\.1:9.*chroma run"):
        ChromaStore.server("http://127.0.0.1:9", FINGERPRINT)


def test_a_directory_that_vanishes_is_an_error_and_no_false_success(tmp_path: Path) -> None:
    store = ChromaStore.embedded(tmp_path / "db", FINGERPRINT)
    store.write("u1", [row("a")])
    shutil.rmtree(tmp_path / "db")
    with pytest.raises(StorageError, match=str(tmp_path)):
        store.write("u1", [row("b")])
    store.close()
    again = ChromaStore.embedded(tmp_path / "db", FINGERPRINT)
    assert again.find("u1") == []
    again.close()


def open_files() -> list[str]:
    targets = []
    for number in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):  # closed meanwhile
            targets.append(os.readlink(f"/proc/self/fd/{number}"))
    return targets


def open_files_below(path: Path) -> list[str]:
    return [target for target in open_files() if target.startswith(str(path))]


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="reads open files from /proc")
def test_close_gives_back_every_file(tmp_path: Path) -> None:
    store = ChromaStore.embedded(tmp_path, FINGERPRINT)
    for number in range(20):
        store.write(f"user {number}", [row("a", user_id=f"user {number}")])
    assert open_files_below(tmp_path)
    store.close()
    until = time.monotonic() + 5  # Chroma's own threads end a moment later
    while open_files_below(tmp_path) and time.monotonic() < until:
        time.sleep(0.01)
    assert open_files_below(tmp_path) == []


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="reads open files from /proc")
def test_a_server_store_gives_back_its_sockets(chroma_url: str) -> None:
    def sockets() -> int:
        return sum(target.startswith("socket:") for target in open_files())

    ChromaStore.server(chroma_url, FINGERPRINT, prefix="sockets").close()
    before = sockets()
    for _ in range(5):
        store = ChromaStore.server(chroma_url, FINGERPRINT, prefix="sockets")
        store.users()
        store.close()
        with pytest.raises(EmbedderMismatchError):
            ChromaStore.server(chroma_url, M1, prefix="sockets")
    assert sockets() <= before + 1
