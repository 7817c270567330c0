from __future__ import annotations

import logging
import math
import sys
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from langmem_ext.retrieval.bm25 import KeywordIndex
from langmem_ext.retrieval.lexical import tokenise
from langmem_ext.retrieval.stop_words import CHINESE
from langmem_ext.words import stem, words_of

HAN = st.text(alphabet="花生过敏我喜欢喝绿茶杭州王小明北京大学的了是南市长江桥", min_size=1, max_size=12)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("?! … 。", []),
        ("The users were running", ["user", "run"]),
        ("Who is the user?", []),
        ("café CAFÉ cafe\u0301", ["cafe"] * 3),
        ("ＡＢＣ　１２３", ["abc", "123"]),
        ("ﬁne", ["fine"]),
        ("user's user’s", ["user", "user"]),
        ("1,000 or 12,34", ["1000", "12", "34"]),
        ("C++ and C#", ["c++", "c#"]),
        ("e-mail", ["e", "mail", "email"]),
        ("snake_case", ["snake", "case", "snake_case"]),
        ("don't", ["don't"]),
        ("كِتَاب", ["كتاب"]),
        ("मैं दिल्ली में", ["मैं", "दिल्ली", "में"]),
        ("чай", ["чай"]),
        ("서울에 살아요", ["서울", "울에", "살아", "아요"]),
        ("ピザ", ["ピザ"]),
        ("ﾋﾟｻﾞ", ["ピザ"]),
        ("T恤", ["t", "恤"]),
        ("\ud800 tea", ["tea"]),
    ],
)
def test_terms(text: str, expected: list[str]) -> None:
    assert tokenise(text) == expected


@pytest.mark.parametrize(
    ("query", "row"),
    [
        ("花生", "用户对花生过敏"),
        ("花生过敏", "花生酱和花生都会让他过敏"),
        ("小明", "他叫王小明"),
        ("茶", "最喜欢绿茶"),
        ("花生", "用户對花生過敏"),
        ("allergies", "Allergy: peanuts"),
        ("anna@example.org", "write to Anna@Example.org."),
        ("example.org", "write to anna@example.org"),
        ("order 4711", "see ORDER-4711"),
        ("email", "her e-mail address"),
        ("python", "我用Python写代码"),
        ("2026", "在2026年搬家"),
        ("アレルギー", "ピーナッツアレルギーがある"),
        ("서울", "저는 서울에 살아요"),
        ("ถั่ว", "ฉันแพ้ถั่วลิสง"),
    ],
)
def test_a_question_finds_a_row(query: str, row: str) -> None:
    index = KeywordIndex([tokenise("nothing here"), tokenise(row), tokenise("无关的一句话")])
    assert list(np.flatnonzero(index.scores(tokenise(query)))) == [1]


@pytest.mark.parametrize("question", ["用户要避开什么？", "用户去做什么？", "用户会到哪里？"])
def test_a_verb_that_only_helps_matches_no_memory(question: str) -> None:
    index = KeywordIndex(
        [tokenise(row) for row in ("用户要求简短", "用户做饭", "用户到过北京", "用户的会议")]
    )
    assert not index.scores(tokenise(question)).any()


def test_the_word_user_tells_no_memory_from_another() -> None:
    index = KeywordIndex([tokenise("用户喜欢喝茶"), tokenise("The user's dog is called Biscuit")])
    assert not index.scores(tokenise("用户住在哪里？")).any()
    assert not index.scores(tokenise("Where does the user live?")).any()
    assert tokenise("用户") == tokenise("the user") == []


def test_stems_and_words() -> None:
    assert [stem(word) for word in ("running", "bakeries", "tea")] == ["run", "bakeri", "tea"]
    assert words_of("我对花生过敏") == ["我", "对", "花生", "过敏"]


@given(HAN, HAN, HAN)
def test_two_neighbouring_characters_match_whatever_the_segmentation(
    left: str, middle: str, right: str
) -> None:
    def short_terms(text: str) -> set[str]:
        stretches = {text[i : i + size] for size in (1, 2) for i in range(len(text) - size + 1)}
        return {term for term in stretches if term not in CHINESE and not CHINESE.issuperset(term)}

    whole = left + middle + right
    assert {term for term in tokenise(whole) if len(term) <= 2} == short_terms(whole)
    assert short_terms(middle) <= set(tokenise(whole))


@given(st.text())
def test_any_text_gives_terms_without_blanks_whatever_its_case(text: str) -> None:
    terms = tokenise(text)
    assert all(term.strip() for term in terms)
    assert tokenise(text) == terms


def test_scores_are_bm25() -> None:
    index = KeywordIndex([["tea", "tea", "milk"], ["milk"], ["sugar", "cake"]])
    idf = math.log(1 + (3 - 1 + 0.5) / (1 + 0.5))
    expected = idf * 2 * 2.2 / (2 + 1.2 * (0.6 + 0.4 * 3 / 2))
    assert index.scores(["tea"]) == pytest.approx([expected, 0, 0])
    assert index.scores(["tea", "tea"]) == pytest.approx([expected, 0, 0])  # each term once
    milk = index.scores(["milk"])
    assert milk[1] > milk[0] > milk[2] == 0


@pytest.mark.parametrize("documents", [[], [[]], [[], []], [["tea"]], [["tea"], []]])
def test_small_corpora(documents: list[list[str]]) -> None:
    with np.errstate(all="raise"):
        index = KeywordIndex(documents)
        assert len(index) == len(documents)
        assert index.scores(["unknown"]).tolist() == [0.0] * len(documents)
        assert index.scores([]).shape == (len(documents),)
        assert [score > 0 for score in index.scores(["tea"])] == [bool(document) for document in documents]


def test_a_term_in_every_document_still_counts() -> None:
    assert (KeywordIndex([["tea"], ["tea"]]).scores(["tea"]) > 0).all()


@given(
    st.lists(st.lists(st.sampled_from("abcdef"), max_size=6), max_size=8), st.lists(st.sampled_from("abxy"))
)
def test_a_score_is_positive_exactly_where_a_term_occurs(
    documents: list[list[str]], query: list[str]
) -> None:
    scores = KeywordIndex(documents).scores(query)
    assert np.isfinite(scores).all()
    assert [score > 0 for score in scores] == [bool(set(document) & set(query)) for document in documents]


def test_nothing_is_printed_or_logged(
    capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        KeywordIndex([tokenise("我对花生过敏 running")]).scores(tokenise("花生"))
    assert capfd.readouterr() == ("", "")
    assert not caplog.records


def test_threads_agree() -> None:
    texts = [f"running {'happily ' * (n % 3)}nationally{n} 我喜欢喝绿茶{n}" for n in range(200)]
    expected = [tokenise(text) for text in texts]
    results: list[list[list[str]]] = []
    threads = [
        threading.Thread(target=lambda: results.append([tokenise(text) for text in texts])) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 4


def test_threads_stem_alike() -> None:
    endings = "relational happiness nationally hopefulness generously".split()
    words = [f"{chr(97 + n % 26)}{chr(97 + n // 26)}{endings[n % 5]}ization" for n in range(600)]
    results: list[list[str]] = []
    threads = [
        threading.Thread(target=lambda: results.append([stem(word) for word in words])) for _ in range(4)
    ]
    interval = sys.getswitchinterval()
    stem.cache_clear()  # or the first thread would answer for all
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    stem.cache_clear()
    assert results == [[stem(word) for word in words]] * 4
