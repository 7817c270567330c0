"""Whether files hold traces of deleted values: 16 bytes or more that nothing that stays explains.

A *piece* is 16 bytes in a row of a deleted value, at any offset of a text and at every fourth byte of
a vector. It is looked for unless it also occurs in a value that stays. Not looked for, because files
are full of it: one byte 16 times, and pieces of vectors with a zero in them.

A file is read once, whatever the number of pieces: the 16 bytes at every offset are hashed to 64 bits
and looked up in a bitmap that a few percent of them pass, and those in the sorted hashes of the pieces.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from langmem_ext.errors import StorageError

PIECE: Final = 16  # bytes
CHUNK: Final = 1 << 17  # bytes of a file that are looked through at once; more would not fit a cache
_BLOCK: Final = 1 << 21  # bytes of values that are cut into pieces at once
_BITS_PER_PIECE: Final = 32  # few pass by chance, and a small bitmap stays in the processor's cache
_BITMAP_BITS: Final = range(20, 28)  # 128 kB to 16 MB
# Odd and without a pattern; a sum of products modulo 2**64 spreads over its upper bits.
_FIRST: Final = np.uint64(0x9E6C63D0876A9A99)
_SECOND: Final = np.uint64(0xD1B54A32D192ED03)
_REPEATED: Final = np.uint64(0x0101010101010101)

_Hashes = NDArray[np.uint64]
_Places = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class ScanResult:
    """How many files were looked through, how many bytes were read, and where something was found.

    A file is read up to the first trace.
    """

    files: int
    bytes: int
    found: tuple[Path, ...]


class Traces:
    """What to look for: pieces of deleted values that occur in no value that stays.

    Texts are looked for in UTF-8, UTF-16 of both byte orders and the two escaped forms of JSON, each
    as it is and in lower case; what has fewer than 16 bytes in one of them is not looked for in it.
    Vectors, float32 of shape (dim,) or (n, dim), are looked for as they are and scaled to length 1, as
    Chroma's index keeps them. `len()` is the number of pieces.
    """

    def __init__(
        self,
        deleted_texts: Iterable[str],
        deleted_vectors: Iterable[NDArray[np.float32]],
        kept_texts: Iterable[str] = (),
        kept_vectors: Iterable[NDArray[np.float32]] = (),
    ) -> None:
        found = [_sorted(hashes) for hashes in _pieces(deleted_texts, deleted_vectors)]
        self._pieces = _sorted(np.concatenate([np.empty(0, dtype=np.uint64), *found]))
        wanted = (_BITS_PER_PIECE * len(self._pieces)).bit_length()
        self._bits = min(max(wanted, _BITMAP_BITS[0]), _BITMAP_BITS[-1])
        self._bitmap = np.zeros(1 << (self._bits - 3), dtype=np.uint8)
        for shift in self._shifts():
            np.bitwise_or.at(self._bitmap, *self._places(self._pieces, shift))
        if not found:
            return
        stays = np.zeros(len(self._pieces), dtype=np.bool_)
        for hashes in _pieces(kept_texts, kept_vectors):
            stays[self._find(hashes)] = True
        self._pieces = self._pieces[~stays]

    def __len__(self) -> int:
        return len(self._pieces)

    def occur_in(self, data: bytes | memoryview) -> bool:
        """Whether any piece is in these bytes. Takes some 50 times their size in RAM."""
        return len(data) >= PIECE and bool(self._find(_hashes(data)).size)

    def _find(self, hashes: _Hashes) -> _Places:
        """The places of those pieces that are among the hashes."""
        for shift in self._shifts():
            byte, bit = self._places(hashes, shift)
            hashes = hashes[np.flatnonzero(self._bitmap.take(byte) & bit != 0)]
        places: _Places = np.searchsorted(self._pieces, hashes)
        places[places == len(self._pieces)] = 0
        found: _Places = places[self._pieces[places] == hashes]
        return found

    def _shifts(self) -> tuple[int, int]:
        """From a hash to the numbers of its two bits in the bitmap."""
        return 64 - self._bits, 64 - 2 * self._bits

    def _places(self, hashes: _Hashes, shift: int) -> tuple[_Places, NDArray[np.uint8]]:
        """A bit of each hash in the bitmap: its byte, and the bit in it."""
        number = hashes >> np.uint64(shift) & np.uint64((1 << self._bits) - 1)
        bit = np.uint8(1) << (number.astype(np.uint8) & np.uint8(7))
        return (number >> np.uint64(3)).astype(np.intp), bit


def scan(paths: Iterable[Path], traces: Traces) -> ScanResult:
    """Look through files. Directories, sockets and files that vanish meanwhile are skipped.

    Nothing is read where there is nothing to look for: then `files` is 0.

    Raises:
        StorageError: a file cannot be read.
    """
    files = size = 0
    found: list[Path] = []
    buffer = bytearray(CHUNK + PIECE)
    for path in paths if len(traces) else ():
        try:
            if not stat.S_ISREG(os.stat(path).st_mode):
                continue
            read, hit = _scan_file(path, traces, buffer)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise StorageError(
                f"cannot look for traces in {path}: {error.strerror}. The scan is incomplete; what was "
                "deleted before it stays deleted"
            ) from error
        files, size = files + 1, size + read
        if hit:
            found.append(path)
    return ScanResult(files, size, tuple(found))


def _scan_file(path: Path, traces: Traces, buffer: bytearray) -> tuple[int, bool]:
    view = memoryview(buffer)
    size = carried = 0  # the end of a chunk is looked at once more with the next one
    with path.open("rb", buffering=0) as file:
        while read := file.readinto(view[carried:]):
            size += read
            end = carried + read
            if traces.occur_in(view[:end]):
                return size, True
            carried = min(end, PIECE - 1)
            view[:carried] = bytes(view[end - carried : end])
    return size, False


def _words(data: bytes | memoryview) -> _Hashes:
    """The eight bytes at every offset."""
    return np.ndarray((len(data) - 7,), dtype="<u8", buffer=data, strides=(1,)).astype(np.uint64)


def _hashes(data: bytes | memoryview) -> _Hashes:
    """Of the 16 bytes at every offset."""
    words = _words(data)
    return words[:-8] * _FIRST + words[8:] * _SECOND


def _sorted(hashes: _Hashes) -> _Hashes:
    """Sorted, each once."""
    hashes = np.sort(hashes)  # `np.unique` may count with a hash table first, ten times slower
    return hashes[np.concatenate([[True], hashes[1:] != hashes[:-1]])] if hashes.size else hashes


def _pieces(texts: Iterable[str], vectors: Iterable[NDArray[np.float32]]) -> Iterator[_Hashes]:
    """Hashes of the pieces of values that are worth a search, block by block."""
    for blob, starts in _blocks(_forms_of(texts, _text_forms), step=1):
        words = _words(blob)
        same = (words[:-8] == words[8:]) & (words[8:] == (words[8:] & np.uint64(0xFF)) * _REPEATED)
        yield _hashes(blob)[starts[~same[starts]]]
    for blob, starts in _blocks(_forms_of(vectors, _vector_forms), step=4):
        zeros = np.frombuffer(blob, dtype="<f4") == 0
        some = zeros[:-3] | zeros[1:-2] | zeros[2:-1] | zeros[3:]
        yield _hashes(blob)[starts[~some[starts // 4]]]


def _blocks(values: Iterator[bytes], step: int) -> Iterator[tuple[bytes, NDArray[np.intp]]]:
    """Values put together, and where 16 bytes of one value begin, at multiples of `step` in it."""
    block: list[bytes] = []
    size = 0
    for value in values:
        if len(value) >= PIECE:
            block.append(value)
            size += len(value)
        if size >= _BLOCK:
            yield _joined(block, step)
            block, size = [], 0
    if block:
        yield _joined(block, step)


def _joined(block: list[bytes], step: int) -> tuple[bytes, NDArray[np.intp]]:
    blob = b"".join(block)
    ends = np.cumsum([len(value) for value in block])
    inside = np.ones(len(blob), dtype=np.bool_)
    for back in range(1, PIECE):  # the last 15 bytes of each value begin no piece
        inside[ends - back] = False
    return blob, np.flatnonzero(inside[::step]) * step


def _forms_of(values: Iterable[Any], forms: Callable[[Any], Iterable[bytes]]) -> Iterator[bytes]:
    for value in values:
        yield from forms(value)


def _text_forms(text: str) -> set[bytes]:
    cases = {text, text.lower()}
    encodings = ("utf-8", "utf-16-le", "utf-16-be")
    plain = {case.encode(encoding, "surrogatepass") for case in cases for encoding in encodings}
    escaped = (json.dumps(case, ensure_ascii=ascii)[1:-1] for case in cases for ascii in (True, False))
    return plain | {form.encode("utf-8", "surrogatepass") for form in escaped}


def _vector_forms(vectors: NDArray[np.float32]) -> Iterator[bytes]:
    for row in np.atleast_2d(np.asarray(vectors, dtype="<f4")):
        yield row.tobytes()
        length = np.linalg.norm(row)
        if length > 0 and abs(length - 1) > 1e-4:  # else the scaled one has the same bytes nearly everywhere
            yield (row / length).astype("<f4").tobytes()
