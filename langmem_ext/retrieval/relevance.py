"""Whether anything that was found has to do with the question.

How high a cosine is without any relation differs from embedder to embedder, from language to language and
with what a user talks about. So it is measured: by questions about nothing that people tell an
assistant, put to this user's own memories.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from langmem_ext.text import is_chinese

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from langmem_ext.retrieval.bm25 import KeywordMatch

    Floats = NDArray[np.float64]

PROBES_EN: Final = (
    "How deep is the ocean near the equator?",
    "Which metal melts first in a furnace?",
    "What did the parliament decide about taxes?",
    "Who painted the ceiling of the chapel?",
    "How is cheese made from milk?",
    "When was the bridge over the river built?",
    "Why do leaves change their colour?",
    "What does this error message of the printer mean?",
)
PROBES_ZH: Final = (
    "赤道附近的海洋有多深？",
    "哪种金属在炉子里最先熔化？",
    "议会对税收做了什么决定？",
    "教堂的天花板是谁画的？",
    "奶酪是怎样用牛奶做成的？",
    "河上的那座桥是什么时候建的？",
    "树叶为什么会变颜色？",
    "打印机的这条错误信息是什么意思？",
)

# Fitted on questions of users, put to their own memories and, names removed, to those of others.
_COVERAGE: Final = 5.0
_CONTEXT: Final = 0.18
_TIME: Final = 4.0
# A row with all the words has to do with the question, however odd its vector.
_LEAST_ABOVE: Final = -0.5
# At least 19 of 20 questions that can be answered reach this, with every embedder and language tried and
# even without the names in them. An answer that is lost costs more than some lines of noise.
RELEVANT: Final = 3.2
# Fewer memories do not show what noise looks like, and cost a prompt little.
FEWEST_ROWS: Final = 20
_LEAST_SPREAD: Final = 0.005


class Noise(NamedTuple):
    """Cosines without any relation: the mean of the best ones, and the spread over the rows."""

    best: float
    spread: float

    @classmethod
    def of(cls, cosines: NDArray[np.floating]) -> Noise:
        """From the cosines of all rows with all probes, shape (rows, probes), neither of them 0."""
        spread = float(cosines.std(axis=0).mean())
        return cls(float(cosines.max(axis=0).mean()), max(spread, _LEAST_SPREAD))


def probes_for(query: str) -> tuple[str, ...]:
    """Questions in the query's language that no one's memories answer."""
    return PROBES_ZH if is_chinese(query) else PROBES_EN


def relevance(match: KeywordMatch, cosines: Floats, near: Floats, noise: Noise) -> Floats:
    """How much more each row has to do with the question than chance, shape (n,).

    How far its cosine is above the best one by chance, in standard deviations; plus how many of the
    question's words it has; plus how well its words fit together with those of its neighbours; plus whether
    it is from the time asked about. `RELEVANT` of the best row tells questions with an answer from those
    without.

    Args:
        match: Of the question's words.
        cosines: Of its vector; NaN for a row without one.
        near: 0..1, as `nearness` gives it.
        noise: What chance reaches here.
    """
    above = (np.nan_to_num(cosines, nan=-1.0) - noise.best) / noise.spread
    return (
        np.maximum(above, _LEAST_ABOVE) + _COVERAGE * match.coverage + _CONTEXT * match.context + _TIME * near
    )
