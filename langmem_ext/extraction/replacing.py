"""Whether a memory may take the place of the one that a model named, or only a wrong number would."""

from __future__ import annotations

import re
from typing import Final

from langmem_ext.extraction.candidate import Candidate
from langmem_ext.retrieval.lexical import tokenise

# What people say when something has changed or was wrong.
_CHANGE: Final = re.compile(
    r"\b(?:mov(?:ed|ing)|no longer|any ?more|any longer|instead|now|nowadays|these days|actually|new|left|"
    r"chang(?:ed|ing)|switch(?:ed|ing)|quit|stopped|gave up|given up|became|started|used to|correction|"
    r"correct(?:ed)?|wrong|mistake|misspoke|replaced|got rid of|sold|broke up|divorced|retired)\b"
    r"|搬|换|換|改|不再|现在|現在|如今|其实|其實|不是|辞|辭|转|轉|开始|開始|戒|停|新|错|錯|更正|离|離|卖|賣|退",
    re.IGNORECASE,
)


def may_replace(candidate: Candidate, known: str) -> bool:
    """Whether both have a telling word in common, or the speaker spoke of a change.

    "The user lives in Nantes" shares no word with "The user is in Lyon"; the quote, "I've moved to Nantes",
    says why it replaces it. Nothing says so of "I like tea" and "The user is allergic to penicillin".
    """
    said = f"{candidate.content} {candidate.source.quote}"
    return not set(tokenise(said)).isdisjoint(tokenise(known)) or bool(_CHANGE.search(said))
