"""What is known of each memory before any question: columns beside the vectors and words of a user."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from langmem_ext.items import MemoryItem
    from langmem_ext.retrieval.utterance import Utterance

_LONG: Final = 30  # different words from which on a longer text tells no more


@dataclass(frozen=True, slots=True, eq=False)
class Traits:
    """One entry per memory.

    Attributes:
        question_share: 0..1: how much of the text is questions.
        length: ln(1 + different words), of at most 30.
        recorded_at, valid_from: Epoch seconds.
        speakers: Everyone who speaks, in lower case.
        speaker: Number in `speakers`; -1 where it is not known.
        by_assistant: Whether an assistant speaks.
    """

    question_share: NDArray[np.float64]
    length: NDArray[np.float64]
    recorded_at: NDArray[np.float64]
    valid_from: NDArray[np.float64]
    speakers: tuple[str, ...]
    speaker: NDArray[np.intp]
    by_assistant: NDArray[np.bool_]

    @classmethod
    def of(cls, items: Sequence[MemoryItem], utterances: Sequence[Utterance]) -> Traits:
        """The columns of these memories, whose texts were read."""
        numbers: dict[str, int] = {}
        for utterance in utterances:
            if utterance.speaker is not None:
                numbers.setdefault(utterance.speaker, len(numbers))
        words = np.array([len(set(utterance.terms)) for utterance in utterances], dtype=np.float64)
        return cls(
            question_share=np.array([utterance.question_share for utterance in utterances], dtype=np.float64),
            length=np.log1p(np.minimum(words, _LONG)),
            recorded_at=np.array([item.recorded_at.timestamp() for item in items], dtype=np.float64),
            valid_from=np.array([item.valid_from.timestamp() for item in items], dtype=np.float64),
            speakers=tuple(numbers),
            speaker=np.array([numbers.get(said.speaker or "", -1) for said in utterances], dtype=np.intp),
            by_assistant=np.array([said.by_assistant for said in utterances], dtype=bool),
        )
