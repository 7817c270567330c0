"""Keyword search in English and Chinese: words out of text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from langmem_ext.retrieval.stop_words import CHINESE, ENGLISH
from langmem_ext.text import HAN, well_formed
from langmem_ext.words import stem, word_spans

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
