"""What an erasure leaves behind is found, and what may stay is not mistaken for it."""

from __future__ import annotations

import json
import os
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import chromadb
import numpy as np
import pytest
from chromadb.config import Settings
from numpy.typing import NDArray

from langmem_ext.errors import StorageError
from langmem_ext.stores.chroma.directories import Batch, write_directory
from langmem_ext.stores.chroma.scan import CHUNK, ScanResult, Traces, scan

CANARY = 'The user said "wir treffen Zoë um 八点半在外滩" and PAID'
ENGLISH = "The user lives in Lyon and likes tea"
NOISE = random.Random(7).randbytes(3 * CHUNK)


def unit_vectors(count: int, dimension: int = 64, seed: int = 1) -> NDArray[np.float32]:
    vectors = np.random.default_rng(seed).normal(size=(count, dimension)).astype(np.float32)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def scanned(folder: Path, data: bytes, traces: Traces) -> ScanResult:
    file = folder / "file"
    file.write_bytes(data)
    return scan([file], traces)


def is_found(folder: Path, data: bytes, traces: Traces) -> bool:
    return bool(scanned(folder, data, traces).found)


ENCODERS: dict[str, Callable[[str], bytes]] = {
    "utf-8": lambda text: text.encode(),
    "utf-16-le": lambda text: text.encode("utf-16-le"),
    "utf-16-be": lambda text: text.encode("utf-16-be"),
    "json": lambda text: json.dumps(text, ensure_ascii=False)[1:-1].encode(),
    "ascii json": lambda text: json.dumps(text)[1:-1].encode(),
}


@pytest.mark.parametrize("case", [str, str.lower])
@pytest.mark.parametrize("encoding", ENCODERS)
@pytest.mark.parametrize("text", [CANARY, '"' * 9 + "\t" * 9 + "八点半在外滩见面"])
def test_a_text_is_found_in_every_encoding(
    tmp_path: Path, text: str, encoding: str, case: Callable[[str], str]
) -> None:
    data = ENCODERS[encoding](case(text))
    traces = Traces([text], [])
    for start in range(0, len(data) - 16, 16):  # every part of it is enough
        assert is_found(tmp_path, NOISE[:100] + data[start : start + 16] + NOISE[:100], traces)


@pytest.mark.parametrize("length", [100, CHUNK, CHUNK + 16, 2 * CHUNK + 40])
def test_a_text_is_found_at_every_place_of_a_file(tmp_path: Path, length: int) -> None:
    traces = Traces([CANARY], [])
    piece = CANARY.encode()[5:21]
    places = {*range(9), *range(length - 40, length + 1)}
    places |= {border + near for border in (CHUNK, CHUNK + 16, 2 * CHUNK) for near in range(-20, 20)}
    assert not is_found(tmp_path, NOISE[:length], traces)
    for place in sorted(place for place in places if place <= length):
        assert is_found(tmp_path, NOISE[:place] + piece + NOISE[place:length], traces), place


def test_fifteen_bytes_are_no_trace(tmp_path: Path) -> None:
    traces = Traces([ENGLISH], [])
    assert is_found(tmp_path, b"\xff" + ENGLISH.encode()[3:19] + b"\xff", traces)
    assert not is_found(tmp_path, b"\xff" + ENGLISH.encode()[3:18] + b"\xff", traces)


@pytest.mark.parametrize("shift", range(5))
def test_a_vector_is_found_at_any_offset(tmp_path: Path, shift: int) -> None:
    vector, other = unit_vectors(2)
    traces = Traces([], [vector])
    data = vector.astype("<f4").tobytes()
    for start in (0, 4, 100, len(data) - 16):
        assert is_found(tmp_path, NOISE[:shift] + data[start : start + 16] + NOISE[:50], traces)
    assert not is_found(tmp_path, NOISE[:shift] + other.astype("<f4").tobytes(), traces)


def test_a_vector_is_found_scaled_to_length_one(tmp_path: Path) -> None:
    vectors = unit_vectors(3)
    assert is_found(tmp_path, vectors[1].tobytes(), Traces([], [8 * vectors]))


def test_what_also_stays_is_no_trace(tmp_path: Path) -> None:
    kept = "The user lives in Lyon and likes coffee"
    traces = Traces([ENGLISH], unit_vectors(3), [kept], [unit_vectors(2)])
    stays = kept.encode() + kept.lower().encode("utf-16-le") + unit_vectors(2).tobytes()
    assert not is_found(tmp_path, stays, traces)
    assert is_found(tmp_path, stays + b"yon and likes tea", traces)
    assert is_found(tmp_path, stays + unit_vectors(3)[2].tobytes(), traces)
    assert len(Traces([ENGLISH], unit_vectors(2), ["Yes: " + ENGLISH], [unit_vectors(3)])) == 0


def test_texts_that_share_their_parts_are_no_trace_of_each_other(tmp_path: Path) -> None:
    traces = Traces(["With them: talks on tea", "talks on tea, or not"], [])
    assert not is_found(tmp_path, b": talks on tea, ", traces)


def test_what_files_are_full_of_is_no_trace(tmp_path: Path) -> None:
    sparse = np.zeros(64, dtype=np.float32)
    sparse[[0, 7, 8, 9, 40]] = 0.5
    assert len(Traces(["short"], [np.zeros(64, dtype=np.float32), sparse])) == 0
    blank = (
        bytes(5000) + b" " * 5000 + b"-" * 50 + b"short" + bytes(30) + np.float32(0.5).tobytes() + bytes(9)
    )
    assert not is_found(tmp_path, blank, Traces(["\0" * 40, " " * 40, CANARY], [sparse]))


def test_nothing_to_look_for_reads_nothing_and_empty_files_are_fine(tmp_path: Path) -> None:
    assert scanned(tmp_path, CANARY.encode(), Traces([], [])) == ScanResult(0, 0, ())
    assert scanned(tmp_path, CANARY.encode(), Traces(["", "tea"], [], [CANARY])) == ScanResult(0, 0, ())
    assert scan([], Traces([CANARY], [])) == ScanResult(0, 0, ())
    for size in (0, 1, 15):
        assert scanned(tmp_path, NOISE[:size], Traces([CANARY], [])) == ScanResult(1, size, ())


def test_files_and_bytes_are_counted_and_only_the_right_ones_named(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in "abc"]
    for path, data in zip(paths, [NOISE, CANARY.encode(), NOISE[:7]], strict=True):
        path.write_bytes(data)
    result = scan([*paths, tmp_path, tmp_path / "gone"], Traces([CANARY], []))
    assert result == ScanResult(3, len(NOISE) + len(CANARY.encode()) + 7, (paths[1],))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows makes no pipes in folders")
def test_a_pipe_in_the_folder_does_not_hold_up_the_scan(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert scan([tmp_path / "pipe"], Traces([CANARY], [])).files == 0


def test_a_file_that_can_not_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "file"
    file.write_bytes(NOISE)

    def refuse(*_: Any, **__: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)  # root may read everything
    with pytest.raises(StorageError, match=f"{file.name}: Permission denied"):
        scan([file], Traces([CANARY], []))


@pytest.mark.parametrize("seed", range(150))
def test_the_scan_agrees_with_a_naive_search(tmp_path: Path, seed: int) -> None:
    """A small alphabet, so that everything occurs nearly everywhere."""
    source = random.Random(seed)
    phrases = ["".join(source.choices("abZ", k=source.randint(1, 9))) for _ in range(6)]

    def values(count: int) -> list[str]:
        return ["".join(source.choices(phrases, k=source.randint(1, 9))) for _ in range(count)]

    deleted, kept = values(source.randint(0, 4)), values(source.randint(0, 4))
    text = "".join(values(source.randint(0, 3)))
    encode = source.choice([*ENCODERS.values()])
    data = source.randbytes(source.randint(0, 3)) + encode(text)
    wanted = naive_pieces(deleted) - naive_pieces(kept)
    expected = any(piece in data for piece in wanted)
    assert is_found(tmp_path, data, Traces(deleted, [], kept)) == expected


def naive_pieces(texts: list[str]) -> set[bytes]:
    encoded = {
        encode(case) for text in texts for case in (text, text.lower()) for encode in ENCODERS.values()
    }
    pieces = {form[start : start + 16] for form in encoded for start in range(len(form) - 15)}
    return {piece for piece in pieces if len(set(piece)) > 1}


@pytest.fixture
def directory(tmp_path: Path) -> Iterator[tuple[Path, Batch]]:
    """A Chroma directory in which the odd rows were deleted, and all its rows."""
    path = tmp_path / "g0001"
    count = 2100  # enough for the index of vectors to be written, of half of them too
    documents = [f"The user remembers the number {n * 7919} and nothing else" for n in range(count)]
    metadatas: list[Any] = [{"quote": f"my number is {n * 104729}, ok?", "n": n} for n in range(count)]
    batch = Batch([f"m{n}" for n in range(count)], unit_vectors(count), documents, metadatas)
    client: Any = chromadb.PersistentClient(path=path, settings=Settings(anonymized_telemetry=False))
    collection = client.create_collection(
        "memories", embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
    )
    collection.add(ids=batch.ids, embeddings=batch.vectors, documents=documents, metadatas=metadatas)
    collection.delete(ids=list(batch.ids[1::2]))
    client.close()
    yield path, batch


def test_chroma_keeps_what_was_deleted_and_a_new_directory_does_not(
    tmp_path: Path, directory: tuple[Path, Batch]
) -> None:
    old, rows = directory
    odd, even = slice(1, None, 2), slice(0, None, 2)
    survivors = Batch(rows.ids[even], rows.vectors[even], rows.documents[even], rows.metadatas[even])

    def texts(part: slice) -> list[str]:
        quotes = [str((metadata or {})["quote"]) for metadata in rows.metadatas[part]]
        return [*map(str, rows.documents[part]), *quotes]

    only_texts = Traces(texts(odd), [], texts(even))
    only_vectors = Traces([], rows.vectors[odd], [], [survivors.vectors])
    both = Traces(texts(odd), [rows.vectors[odd]], texts(even), survivors.vectors)
    files = [path for path in old.rglob("*") if path.is_file()]
    assert old / "chroma.sqlite3" in scan(files, only_texts).found
    assert "data_level0.bin" in {path.name for path in scan(files, only_vectors).found}

    new = tmp_path / "g0002"
    write_directory(new, [survivors])
    copied = [path for path in new.rglob("*") if path.is_file()]
    result = scan(copied, both)
    assert result.found == ()
    assert result.files == len(copied)
    kept = Traces(texts(even), [survivors.vectors])  # the scan does see what is in the new one
    assert {"chroma.sqlite3", "data_level0.bin"} <= {path.name for path in scan(copied, kept).found}
