"""How much each signal of a ranking counts."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

# Fitted as a softmax over the memories of a user (the logarithm of how likely each is the one asked for) on
# labelled questions about long conversations in both languages, leaving one conversation out at a time,
# then rounded. The optimum is broad: halving or doubling one of them moves recall by one point or two.
WEIGHTS: Final[Mapping[str, float]] = MappingProxyType(
    {
        "keyword": 0.3,  # words of the memory
        "context": 0.5,  # words of it and its two neighbours on either side
        "meaning": 0.7,  # its cosine
        "before": 0.3,  # the cosine of the one before it
        "after": 0.1,  # the cosine of the one after it
        "speaker": 0.8,  # said by the one asked about
        "question": -1.2,  # asks instead of telling
        "answer": 0.5,  # stands after a question
        "length": 1.0,  # has something to say
        "time": 3.5,  # from the time asked about
        "newer": 1.0,  # says the same thing of a later time: goes before the older one, if not 0
    }
)
