"""The store card: what must be known before a store can be opened."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from langmem_ext.errors import EmbedderMismatchError, StorageError
from langmem_ext.ports import EmbedderFingerprint
from langmem_ext.stores.chroma.generations import GENERATION

FORMAT = 1
SHARDS = 16


@dataclass(frozen=True, slots=True)
class StoreCard:
    """Format of the rows, number of shards that users hash to, and the embedder of the vectors.

    `pending` names the generations to which shards, by number, are still to be switched: a change of
    the embedder is one write of the card, and whoever opens the store next brings it to its end.
    """

    fingerprint: EmbedderFingerprint
    shards: int = SHARDS
    format: int = FORMAT
    pending: Mapping[int, str] = field(default_factory=dict)

    def to_json(self) -> str:
        """The card as it is written into the store."""
        card = {"format": self.format, "shards": self.shards, "embedder": self.fingerprint.as_dict()}
        return json.dumps({**card, "pending": self.pending} if self.pending else card)

    def settled(self) -> StoreCard:
        """The card once nothing is left to be switched."""
        return replace(self, pending={})

    @staticmethod
    def from_json(text: str, where: str) -> StoreCard:
        """The card of an existing store.

        Raises:
            StorageError: no card, or one of a newer version.
        """
        try:
            data: Mapping[str, Any] = json.loads(text)
            pending = {int(number): str(name) for number, name in data.get("pending", {}).items()}
            card = StoreCard(EmbedderFingerprint(**data["embedder"]), data["shards"], data["format"], pending)
            if not _is_sound(card):
                raise ValueError
        except (ValueError, KeyError, TypeError, AttributeError) as error:
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
                f"({_differences(self.fingerprint, fingerprint)}). Their vectors cannot be compared: open "
                "the store with the first, or embed its texts again with LongTermMemory.reembed(path, "
                "embedder=…); on a server, export_memories() and import_memories() into a new store"
            )


def _is_sound(card: StoreCard) -> bool:
    return (
        all(isinstance(number, int) and number > 0 for number in (card.shards, card.format))
        and all(0 <= number < card.shards for number in card.pending)
        and all(GENERATION.fullmatch(name) for name in card.pending.values())
    )


def _differences(old: EmbedderFingerprint, new: EmbedderFingerprint) -> str:
    ours, theirs = old.as_dict(), new.as_dict()
    return ", ".join(
        f"{name} {ours[name]!r} -> {theirs[name]!r}" for name in ours if ours[name] != theirs[name]
    )
