"""Long texts as several rows."""

from __future__ import annotations

import re
from collections.abc import Iterator

from langmem_ext.tokens import estimate_tokens

_SENTENCE = re.compile(r".+?(?:[.!?。！？…\n]+(?=\s|[^\x00-\x7f])|\n|$)\s*", re.DOTALL)


def chunks(text: str, tokens: int) -> list[str]:
    """The text in rows of at most about so many tokens, cut at ends of sentences.

    A text that fits stays as it is. A sentence that is longer than a row is cut where the row ends.
    """
    if estimate_tokens(text) <= tokens:
        return [text]
    rows: list[str] = []
    row = ""
    for piece in _pieces(text, tokens):
        if row and estimate_tokens(row + piece) > tokens:
            rows.append(row.strip())
            row = ""
        row += piece
    return [part for part in [*rows, row.strip()] if part]


def _pieces(text: str, tokens: int) -> Iterator[str]:
    for sentence in _SENTENCE.findall(text):
        size = estimate_tokens(sentence)
        if size <= tokens:
            yield sentence
            continue
        length = max(1, len(sentence) * tokens // size * 9 // 10)  # tokens are not spread evenly
        yield from (sentence[start : start + length] for start in range(0, len(sentence), length))
