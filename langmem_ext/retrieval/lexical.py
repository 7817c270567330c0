"""Keyword search in English and Chinese: words out of text, and BM25 over them."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from langmem_ext.retrieval.stop_words import CHINESE, ENGLISH
from langmem_ext.text import HAN, well_formed
from langmem_ext.words import stem, word_spans

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Scripts written without spaces, or (Korean) with endings glued to the word.
_UNSEGMENTED = "\u3041-\u309f\u30a1-\u30ff\u31f0-\u31ff\uac00-\ud7a3\u0e01-\u0eff\u1000-\u109f\u1780-\u17d3"
_MARKS = "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u0610-\u061a\u06d6-\u06dc\u0900-\u0963\u0966-\u0df3"
_LETTER = rf"(?:[^\W_{HAN}{_UNSEGMENTED}]|[{_MARKS}])"
_PIECE = re.compile(
    rf"(?P<han>[{HAN}]+)"
    rf"|(?P<bare>[{_UNSEGMENTED}]+)"
    r"|(?P<signed>(?<![^\W_])[a-z](?:\+\+|\#)(?!\w))"  # C++, C#
    rf"|(?P<word>{_LETTER}+(?:['._@/:+\-&]{_LETTER}+)*)"
)
_JOINT = re.compile(r"[._@/:+\-&]")
_ACCENTS = re.compile("(?<=[a-z])[\u0300-\u036f]+")
_OPTIONAL = re.compile("[\u05b0-\u05bd\u0640\u064b-\u065f\u0670\u00ad\u200b-\u200f\u2060\ufeff]")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_APOSTROPHES = str.maketrans("’‘ʼ`", "''''")
_PLAIN = re.compile(r"[a-z']+")

# Memories are written about "the user": the word is in nearly every row and tells none from another.
_SUBJECT = re.compile(r"用户的?|\bthe user(?:'s)?\b")

_K1 = 1.5
_B = 0.75


def tokenise(text: str) -> list[str]:
    """The terms of a memory or of a question, repetitions included.

    Case, width (ＡＢＣ), Latin accents (café = cafe), Arabic and Hebrew vowel points and the commas of 1,000
    do not matter. English words are stemmed (Snowball) and function words left out. Compounds give their
    parts and themselves: `anna@example.org`, `order-4711`, `e-mail` (as `email`).

    Chinese gives the words that jieba sees (in search mode, with the words inside long words), every pair of
    neighbouring characters and every single character that is no function word. So a row is found by any two
    adjacent characters of it whatever the segmentation of either side. Japanese kana, Korean, Thai, Lao,
    Khmer and Burmese give pairs; all other scripts are split at what is no letter.
    """
    folded = _SUBJECT.sub(" ", _folded(text))
    return [term for piece in _PIECE.finditer(folded) for term in _terms(piece)]


class KeywordIndex:
    """BM25 scores of a fixed set of documents. Immutable, so safe to use from several threads.

    score(q, d) = sum over the terms t of q of
        idf(t) * tf * (k1 + 1) / (tf + k1 * (1 - b + b * |d| / mean |d|)),
    idf(t) = ln(1 + (n - df + 0.5) / (df + 0.5)),
    with k1 = 1.5 and b = 0.75 (Robertson and Zaragoza 2009). This idf, Lucene's, is never negative, so one
    document alone, or a word in every document, still scores above 0.

    Own code and not a package: bm25s raises for a corpus without words, sets its logger to DEBUG on import
    and loads scipy; this is thirty lines of numpy.
    """

    def __init__(self, documents: Sequence[Sequence[str]]) -> None:
        """Index the documents, each a list of terms; an empty list, or an empty corpus, is fine."""
        import numpy as np

        counts = [Counter(document) for document in documents]
        self._size = len(counts)
        self._columns: dict[str, int] = {}
        columns = [self._columns.setdefault(term, len(self._columns)) for count in counts for term in count]
        rows = np.repeat(np.arange(self._size), [len(count) for count in counts])
        frequencies = np.array([tf for count in counts for tf in count.values()], dtype=np.float64)
        lengths = np.array([len(document) for document in documents], dtype=np.float64)

        order = np.argsort(np.array(columns, dtype=np.int64), kind="stable")
        document_frequencies = np.bincount(np.array(columns, dtype=np.int64), minlength=len(self._columns))
        self._bounds = np.concatenate([[0], np.cumsum(document_frequencies)])
        self._rows = rows[order]
        idf = np.log1p((self._size - document_frequencies + 0.5) / (document_frequencies + 0.5))
        tf = frequencies[order]
        relative = lengths[self._rows] / max(lengths.mean(), 1.0) if self._size else lengths
        saturated = tf * (_K1 + 1) / (tf + _K1 * (1 - _B + _B * relative))
        self._weights = np.repeat(idf, document_frequencies) * saturated

    def __len__(self) -> int:
        return self._size

    def scores(self, query_tokens: Sequence[str]) -> NDArray[np.float32]:
        """The score of every document, shape (n,); 0 where no term occurs. A repeated term counts again."""
        import numpy as np

        scores = np.zeros(self._size, dtype=np.float64)
        for term in query_tokens:
            column = self._columns.get(term)
            if column is not None:
                part = slice(self._bounds[column], self._bounds[column + 1])
                scores[self._rows[part]] += self._weights[part]  # a row occurs once in a column
        return scores.astype(np.float32)


def _folded(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", well_formed(text).translate(_APOSTROPHES)).casefold()
    folded = unicodedata.normalize("NFKC", _OPTIONAL.sub("", _ACCENTS.sub("", decomposed)))
    return _THOUSANDS.sub("", folded)


def _terms(piece: re.Match[str]) -> Iterator[str]:
    text = piece.group()
    match piece.lastgroup:
        case "han":
            return _chinese_terms(text)
        case "bare":
            return iter([text[i : i + 2] for i in range(len(text) - 1)] or [text])
        case "signed":
            return iter([text])
        case _:
            return _word_terms(text)


def _word_terms(text: str) -> Iterator[str]:
    parts = [part for part in _JOINT.split(text) if part]
    for part in parts:
        if part not in ENGLISH:
            yield stem(part) if _PLAIN.fullmatch(part) else part
    if len(parts) > 1:
        whole = text.replace("-", "")
        yield stem(whole) if _PLAIN.fullmatch(whole) else text


def _chinese_terms(run: str) -> Iterator[str]:
    """Each stretch of the run once: words, pairs of characters, single characters."""
    spans = set(word_spans(run))
    # A character of a function word is none by itself: 什 of 什么.
    empty = {i for start, end in spans if run[start:end] in CHINESE for i in range(start, end)}
    spans |= {(i, i + 1) for i in range(len(run)) if i not in empty}
    spans |= {(i, i + 2) for i in range(len(run) - 1)}
    for start, end in sorted(spans):
        term = run[start:end]
        if term not in CHINESE and not (end - start == 2 and CHINESE.issuperset(term)):
            yield term
