"""The store card: what must be known before a store can be opened."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from langmem_ext.errors import EmbedderMismatchError, StorageError
from langmem_ext.ports import EmbedderFingerprint

FORMAT = 1
SHARDS = 16


@dataclass(frozen=True, slots=True)
class StoreCard:
    """Format of the rows, number of shards that users hash to, and the embedder of the vectors."""

    fingerprint: EmbedderFingerprint
    shards: int = SHARDS
    format: int = FORMAT

    def to_json(self) -> str:
        """The card as it is written into the store."""
        return json.dumps(
            {"format": self.format, "shards": self.shards, "embedder": self.fingerprint.as_dict()}
        )

    @staticmethod
    def from_json(text: str, where: str) -> StoreCard:
        """The card of an existing store.

        Raises:
            StorageError: no card, or one of a newer version.
        """
        try:
            data: Mapping[str, Any] = json.loads(text)
            card = StoreCard(EmbedderFingerprint(**data["embedder"]), data["shards"], data["format"])
        except (ValueError, KeyError, TypeError) as error:
            raise StorageError(f"the store card of {where} is damaged ({type(error).__name__})") from error
        if card.format > FORMAT:
            raise StorageError(
                f"{where} has format {card.format}, this version reads up to {FORMAT}: upgrade langmem-ext"
            )
        return card

    def check(self, fingerprint: EmbedderFingerprint, where: str) -> None:
        """Refuse vectors of another space.

        Raises:
            EmbedderMismatchError: the given embedder is not the one that wrote the store.
        """
        if self.fingerprint != fingerprint:
            raise EmbedderMismatchError(
                f"{where} was written with {self.fingerprint}, but the given embedder is {fingerprint} "
                f"({_differences(self.fingerprint, fingerprint)}). Their vectors can not be compared: open "
                "the store with the first, or export_memories() with it and import_memories() into a new one"
            )


def _differences(old: EmbedderFingerprint, new: EmbedderFingerprint) -> str:
    ours, theirs = old.as_dict(), new.as_dict()
    return ", ".join(
        f"{name} {ours[name]!r} -> {theirs[name]!r}" for name in ours if ours[name] != theirs[name]
    )
