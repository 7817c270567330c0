"""What a folder with a saved model says about itself, whatever the folder is called."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_BLOCK = 1 << 20


def folder_digest(folder: Path) -> str:
    """24 hex digits over what decides the vectors: weights, pooling and vocabulary.

    The model's own config.json stays out: saving a model again writes library versions and paths
    into it, and the vectors stay the same. Reads all weights once (about a second per gigabyte).
    """
    digest = hashlib.blake2b(digest_size=12)
    for file in _deciding_files(folder):
        digest.update(f"{file.relative_to(folder).as_posix()}\x00{file.stat().st_size}\x00".encode())
        with file.open("rb") as stream:
            while block := stream.read(_BLOCK):
                digest.update(block)
    return digest.hexdigest()


def names_in_folder(folder: Path) -> tuple[str, ...]:
    """Names under which the model may be known: the folder's, and what its config was saved as."""
    saved_as = _json(folder / "config.json", {}).get("_name_or_path")
    # A snapshot in a cache has a commit for a name; what tells the model is further up.
    return tuple(str(name) for name in (*folder.resolve().parts[-4:], saved_as) if name)


def _deciding_files(folder: Path) -> Iterator[Path]:
    modules = _json(folder / "modules.json", [{"path": ""}])
    for path in sorted({str(module.get("path", "")) for module in modules}):
        part = folder / path
        # Of the same weights in two formats the library takes safetensors.
        weights = sorted(part.glob("*.safetensors")) or sorted(part.glob("*.bin"))
        others = ["tokenizer.json", "vocab.txt", "sentencepiece.bpe.model"]
        if path:
            others.append("config.json")  # a module's own: pooling mode, size of a dense layer
        yield from weights
        yield from (part / name for name in others if (part / name).is_file())


def _json(file: Path, default: Any) -> Any:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return default
    return content if isinstance(content, type(default)) else default
