"""The loader of public sets, on a small one that is made here."""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.recall.cache import CachedEmbedder
from benchmarks.recall.loader import adversarial, load, time_of, with_strangers, without_names
from langmem_ext.testing import FakeEmbedder

TURNS = [
    {"user_id": "c1", "session_id": "s1", "turn_id": "D1", "speaker": "Anna", "text": "I like opera"},
    {"user_id": "c1", "session_id": "s1", "turn_id": "D2", "speaker": "Bob", "text": "Me too"},
    {"user_id": "c2", "session_id": "s1", "turn_id": "D1", "speaker": "Carl", "text": "I row"},
]
QUESTIONS: list[dict[str, Any]] = [
    {"user_id": "c1", "question": "What does Anna like?", "evidence": ["D1"], "category": "single"},
    {"user_id": "c1", "question": "Does Bob row?", "evidence": ["D2"], "category": "adversarial"},
    {"user_id": "c1", "question": "Who swims?", "evidence": [], "category": "single"},
    {
        "user_id": "c2",
        "question": "What is Carl's sport?",
        "evidence": ["D1"],
        "category": "single",
        "stale": ["D1"],
        "question_time": "2023/05/30 (Tue) 23:42",
    },
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, records in (("turns", TURNS), ("questions", QUESTIONS)):
        with gzip.open(tmp_path / f"{name}.jsonl.gz", "wt", encoding="utf-8") as file:
            file.writelines(json.dumps({"time": "2023-04-27", **record}) + "\n" for record in records)
    return tmp_path


def test_turns_are_indexed_with_their_speaker(folder: Path) -> None:
    found = load(folder)
    assert [passage.content for passage in found.passages][:2] == ["Anna: I like opera", "Bob: Me too"]
    assert found.passages[0].said_at == datetime(2023, 4, 27, tzinfo=UTC)
    assert [question.relevant for question in found.questions] == [("D1",), ("D2",), (), ("D1",)]
    assert found.questions[3].outdated == ("D1",)
    assert found.questions[3].asked_at == datetime(2023, 5, 30, 23, 42, tzinfo=UTC)


def test_evidence_of_others_is_left_out_with_their_turns(folder: Path) -> None:
    found = load(folder, only_speaker="Anna")
    assert [passage.passage_id for passage in found.passages] == ["D1"]
    assert [question.query for question in found.questions] == ["What does Anna like?", "Who swims?"]


def test_strangers_ask_without_names(folder: Path) -> None:
    found = with_strangers(load(folder))
    asked = [(question.user_id, question.query, bool(question.relevant)) for question in found.questions]
    assert asked == [
        ("c1", "What does like?", True),
        ("c2", "What is sport?", True),
        ("c1", "What is sport?", False),
        ("c2", "What does like?", False),
    ]
    assert without_names("Annabel's and ANNA's", ("Annabel", "Anna")) == "and"


def test_adversarial_questions_have_no_answer(folder: Path) -> None:
    assert [bool(question.relevant) for question in adversarial(load(folder)).questions] == [
        True,
        False,
        False,
        True,
    ]


def test_times() -> None:
    assert time_of("1:56 pm on 8 May, 2023") == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    assert time_of("12") > time_of("3")
    with pytest.raises(ValueError, match="no known form"):
        time_of("soon")


def test_vectors_are_computed_once(tmp_path: Path) -> None:
    inner = FakeEmbedder()
    first = CachedEmbedder(inner, tmp_path).embed_documents(["tea", "milk", "tea"])
    calls = inner.calls
    again = CachedEmbedder(inner, tmp_path).embed_documents(["milk", "tea"])
    assert inner.calls == calls
    assert np.array_equal(again, first[[1, 0]])
    assert first[0] == pytest.approx(np.asarray(inner.embed_documents(["tea"])[0]))
