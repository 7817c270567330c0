"""Single words: the stem of an English one, and where Chinese ones begin and end."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

_local = threading.local()


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The stem of an English word in lower case (Snowball). Safe to use from several threads."""
    stemmer = getattr(_local, "stemmer", None)
    if stemmer is None:  # one per thread: a stemmer keeps the word it works on in itself
        from snowballstemmer.english_stemmer import EnglishStemmer

        stemmer = _local.stemmer = EnglishStemmer()
    return str(stemmer.stemWord(word))


def words_of(chinese: str) -> list[str]:
    """The words of a run of Han characters, as jieba cuts it, one after the other."""
    return list(_jieba().cut(chinese))


def word_spans(chinese: str) -> Iterator[tuple[int, int]]:
    """Start and end of the words of a run of Han characters, and of the words inside long words."""
    return ((start, end) for _, start, end in _jieba().tokenize(chinese, "search"))


@lru_cache(maxsize=1)
def _jieba() -> Any:
    # An instance of our own: words that an application adds to the shared one must not change what is found.
    import rjieba  # 30 ms and a dictionary: only where there is Chinese

    return rjieba.Jieba()
