"""One number per memory out of many signals: a weighted sum of normalised values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from langmem_ext.retrieval.conversation import AFTER, BEFORE, beside

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from langmem_ext.retrieval.bm25 import KeywordMatch
    from langmem_ext.retrieval.dates import Span
    from langmem_ext.retrieval.question import Question
    from langmem_ext.retrieval.traits import Traits

    Floats = NDArray[np.float64]

_NOTICEABLE: Final = 0.01  # cosines that spread less than this tell nothing
_DAY: Final = 86_400.0
_FADES_IN: Final = 3 * _DAY  # beside the time asked about: told some days later, or a date from memory


def signals(
    question: Question,
    match: KeywordMatch,
    cosines: Floats | None,
    traits: Traits,
    neighbours: NDArray[np.intp],
) -> dict[str, Floats]:
    """The normalised signals by name, each of shape (n,); times their weights they add up.

    Words and cosines become standard deviations above the mean over all of the user's rows, so that
    neither BM25's scale nor an embedder's narrow range of cosines decides how much they count.

    Args:
        question: What is asked.
        match: Of its words with the rows.
        cosines: Of its vector with the rows; None when it could not be embedded.
        traits: Of the rows.
        neighbours: Of the rows, as `neighbours_of` gives them.
    """
    share = traits.question_share
    found = {
        "keyword": standardised(match.alone),
        "context": standardised(match.context),
        "speaker": _said_by_whom_it_is_about(question, traits),
        "question": share,
        "answer": beside(share, neighbours, BEFORE),
        "length": traits.length,
        "time": nearness(question.spans, traits),
    }
    if cosines is not None:
        meaning = standardised(cosines, least=_NOTICEABLE)
        found["meaning"] = meaning
        found["before"] = beside(meaning, neighbours, BEFORE)
        found["after"] = beside(meaning, neighbours, AFTER)
    return found


def standardised(values: Floats, least: float = 1e-9) -> Floats:
    """Standard deviations above the mean; values that spread less than `least` stay close together.

    NaN stands for no value: it takes no part, and gets 0.
    """
    known = ~np.isnan(values)
    if not known.any():
        return np.zeros(len(values))
    mean, spread = values[known].mean(), values[known].std()
    return np.where(known, (np.nan_to_num(values) - mean) / max(float(spread), least), 0.0)


def nearness(spans: Sequence[Span], traits: Traits) -> Floats:
    """1 in one of these spans, falling to a third three days from it; 0 where no time is asked about."""
    if not spans:
        return np.zeros(len(traits.recorded_at))
    gaps: list[Floats] = [
        np.maximum(np.maximum(span.start - moments, moments - span.end), 0.0)
        for span in spans
        for moments in (traits.recorded_at, traits.valid_from)
    ]
    near: Floats = np.exp(-np.min(gaps, axis=0) / _FADES_IN)
    return near


def _said_by_whom_it_is_about(question: Question, traits: Traits) -> Floats:
    name = question.named(traits.speakers)
    if name is not None:
        return np.asarray(traits.speaker == traits.speakers.index(name), dtype=np.float64)
    if question.about is None or not traits.by_assistant.any():
        return np.zeros(len(traits.speaker))
    asked = traits.by_assistant if question.about == "you" else ~traits.by_assistant
    return np.asarray(asked, dtype=np.float64)
