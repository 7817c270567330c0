"""The directories of one shard: `g0001`, `g0002`, …, and `current`, which names the one in use.

A shard is written anew into the next generation, then `current` is replaced in one step. A crash
leaves the old or the new one in use, and the other is removed when the store is opened again.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Final

from langmem_ext.errors import StorageError
from langmem_ext.stores.chroma.files import make_directory, read_file, write_file

GENERATION: Final = re.compile(r"g(\d{4,})")
_LEFTOVER: Final = re.compile(r"g\d{4,}(\.salvage)?")


class Generations:
    """The generations of one shard."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._pointer = folder / "current"

    @property
    def exist(self) -> bool:
        """Whether the shard was ever used."""
        return self._pointer.exists()

    def current(self) -> Path:
        """The directory in use.

        Raises:
            StorageError: there is none where there must be one: an empty one in its place would hide
                that something was lost.
        """
        name = read_file(self._pointer).strip()
        if GENERATION.fullmatch(name) is None or not (self.folder / name).is_dir():
            raise StorageError(
                f"{self._pointer} names {name!r:.40}, which is not there. Restore {self.folder} from a "
                "backup, or remove it to go on without the memories in it"
            )
        return self.folder / name

    def first(self) -> Path:
        """The directory of a shard that is used for the first time; `switch` to it once it is open."""
        make_directory(self.folder)
        return self.folder / "g0001"

    def following(self) -> Path:
        """Where the next generation goes; not made yet."""
        number = int(self.current().name.removeprefix("g")) + 1
        return self._free(self.folder / f"g{number:04}")

    def salvage(self) -> Path:
        """Where what can still be read of the current generation may be copied."""
        return self._free(self.folder / f"{self.current().name}.salvage")

    def switch(self, new: Path) -> None:
        """Use this directory from now on, durable when this returns."""
        write_file(self._pointer, new.name)

    def adopt(self) -> None:
        """Use the only generation where the pointer is missing: it is written after the first one is made.

        Raises:
            StorageError: there are several, and nobody can tell which one was in use.
        """
        found = self._found()
        if self.exist or not found:
            return
        if len(found) == 1 and GENERATION.fullmatch(found[0].name):
            self.switch(found[0])
        else:
            raise StorageError(
                f"{self._pointer} is missing and there are several generations beside it; write the name "
                f"of the one that was in use into it ({', '.join(sorted(entry.name for entry in found))})"
            )

    def remove_leftovers(self) -> None:
        """Remove what a crash left behind. Only while nobody writes a generation."""
        self.adopt()
        if not self.exist:
            return
        found, in_use = self._found(), read_file(self._pointer).strip()
        if in_use in [entry.name for entry in found]:  # else one of the others may be all there is
            for entry in found:
                if entry.name != in_use:
                    remove_directory(entry)

    def _found(self) -> list[Path]:
        if not self.folder.is_dir():
            return []
        return [entry for entry in self.folder.iterdir() if _LEFTOVER.fullmatch(entry.name)]

    def _free(self, path: Path) -> Path:
        if path.exists():  # of an attempt that failed while the store stayed open
            remove_directory(path)
        return path


def remove_directory(path: Path) -> None:
    """Remove a directory with all that is in it; StorageError where something stays."""
    try:
        shutil.rmtree(path)
    except FileNotFoundError:
        pass
    except OSError as error:
        raise StorageError(f"cannot remove {path}: {error.strerror}") from error
