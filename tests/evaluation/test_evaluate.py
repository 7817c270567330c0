from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from langmem_ext import InvalidInputError, LongTermMemory
from langmem_ext.evaluation import (
    LabelledQuestion,
    Passage,
    Setting,
    evaluate,
    passages_of,
    read_passages,
    read_questions,
)
from langmem_ext.evaluation.__main__ import main
from langmem_ext.evaluation.chunking import chunks
from langmem_ext.evaluation.report import Result
from langmem_ext.retrieval.weights import WEIGHTS
from langmem_ext.testing import FakeEmbedder, ManualClock
from langmem_ext.tokens import estimate_tokens
from tests.support.memories import START, OpenMemory

WORDS = {"keyword": 1.0}
BACKWARDS = {"keyword": -1.0}
PASSAGES = [
    Passage("tea", "Anna drinks oolong tea"),
    Passage("cat", "Anna has a cat named Luna"),
    Passage("job", "Anna works as a nurse"),
    Passage("other", "Bob drinks oolong tea", user_id="bob"),
]
QUESTIONS = [
    LabelledQuestion("Which tea does Anna drink?", relevant=("tea",), group="drink"),
    LabelledQuestion("What is the cat named?", texts=("anna has a cat named Luna",)),
    LabelledQuestion("Which planet is the largest?"),
]


def setting(name: str = "fake", **options: Any) -> Setting:
    return Setting(name, FakeEmbedder(), **options)


def test_every_question_is_put_to_its_own_user() -> None:
    report = evaluate(PASSAGES, QUESTIONS, [setting(weights=WORDS)])
    first, second, third = report["fake"].answers
    assert set(first.ranked) == set(second.ranked) == {"tea", "cat", "job"}
    assert (first.ranked[0], second.ranked[0]) == ("tea", "cat")
    assert (set(second.relevant), set(third.relevant)) == ({"cat"}, set())
    assert report["fake"].interval("R@1").mean == 1
    assert report["fake"].values("R@1") == [1, 1]  # the one without an answer is no question of recall


def test_the_ranking_is_the_one_that_search_uses(open_memory: OpenMemory, clock: ManualClock) -> None:
    embedder = FakeEmbedder()
    clock.advance(timedelta(days=3))
    memory = open_memory(embedder=embedder)
    texts = [f"Anna: on day {n} we {'saw' if n % 3 else 'sang'} opera {n % 5}" for n in range(40)]
    texts += ["Bob: Which opera?", "Anna: Carmen, of course"]
    memory.for_user("user", session_id="s").remember_many(
        [{"content": text, "observed_at": START + timedelta(hours=n)} for n, text in enumerate(texts)]
    )
    passages = passages_of(memory)
    assert [passage.session_id for passage in passages] == ["s"] * 42
    assert passages[5].said_at == START + timedelta(hours=5)
    for query in ("Which opera did Anna see?", "What did Bob ask?", "yesterday"):
        question = LabelledQuestion(query, relevant=(passages[0].passage_id,), asked_at=clock())
        (answer,) = evaluate(passages, [question], [Setting("fake", embedder)])["fake"].answers
        searched = memory.for_user("user").search(query, top_k=42)
        assert [hit.memory_id for hit in searched] == list(answer.ranked)


def test_a_store_that_is_evaluated_stays_as_it_is(open_memory: OpenMemory) -> None:
    memory = open_memory()
    item = memory.for_user("u1").remember("Anna drinks tea")
    question = LabelledQuestion("tea", texts=("Anna drinks tea",), user_id="u1")
    report = evaluate(passages_of(memory), [question], [setting()])
    assert report["fake"].interval("R@1").mean == 1
    memory.flush()
    assert memory.for_user("u1").get(item.memory_id) == item


def test_settings_are_compared_question_by_question() -> None:
    settings = [setting("words", weights=WORDS), setting("backwards", weights=BACKWARDS)]
    report = evaluate(PASSAGES, QUESTIONS, settings)
    worse = report.difference("words", "backwards", "R@1")
    assert worse.mean < 0 and worse.low <= worse.mean <= worse.high
    text = str(report)
    assert "Points more than words" in text and "R@1" in text and "backwards" in text
    assert "drink (1)" in text


def test_similarities_suggest_a_threshold_that_keeps_the_hits() -> None:
    vectors = {"ask": [1.0, 0.0], "near": [0.9, 0.43589], "far": [0.0, 1.0]}
    passages = [Passage("n", "near"), Passage("f", "far")]
    question = LabelledQuestion("ask", relevant=("n",))
    result = evaluate(passages, [question], [Setting("fake", FakeEmbedder(vectors=vectors))])["fake"]
    assert result.suggested_min_similarity == pytest.approx(0.95, abs=1e-3)
    assert result.misses_below(0.9) == 1
    assert result.misses_below(0.4) == 0


def test_the_suggested_threshold_keeps_nineteen_of_twenty_hits() -> None:
    (answer,) = evaluate(PASSAGES, QUESTIONS[:1], [setting()])["fake"].answers
    hits = tuple(number / 100 for number in range(100))
    result = Result("fake", (replace(answer, hits=hits),))
    assert result.suggested_min_similarity == pytest.approx(0.05)
    assert Result("fake", (replace(answer, relevant=frozenset()),)).suggested_min_similarity is None


def test_outdated_facts_are_reported_where_there_are_any() -> None:
    passages = [
        Passage("old", "The capital of France is Paris"),
        Passage("new", "The capital of France is Lyon"),
    ]
    question = LabelledQuestion("What is the capital of France?", relevant=("new",), outdated=("old",))
    report = evaluate(passages, [question], [setting()])
    assert report["fake"].values("newer first") == [1]
    assert "newer first" in str(report)
    assert "newer first" not in str(evaluate(PASSAGES, QUESTIONS, [setting()]))


def test_what_cannot_be_evaluated_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="no passage"):
        evaluate(PASSAGES, [LabelledQuestion("tea", relevant=("teh",))], [setting()])
    with pytest.raises(InvalidInputError, match="no passage"):
        evaluate(PASSAGES, [LabelledQuestion("tea", relevant=("other",))], [setting()])  # of another user
    with pytest.raises(InvalidInputError, match="no passages"):
        evaluate(PASSAGES, [LabelledQuestion("tea", user_id="carl")], [setting()])
    for questions, settings in (([], [setting()]), (QUESTIONS, []), (QUESTIONS, [setting(), setting()])):
        with pytest.raises(InvalidInputError, match="needs questions"):
            evaluate(PASSAGES, questions, settings)


def test_long_texts_become_rows_that_fit_and_count_as_one_passage() -> None:
    long = " ".join(f"Sentence number {n} is about nothing." for n in range(60)) + " The code is quartz."
    rows = chunks(long, 64)
    assert len(rows) > 5 and all(estimate_tokens(text) <= 64 for text in rows)
    assert " ".join(rows) == long
    assert all(text.endswith(".") for text in rows)
    assert chunks("短句。" * 3, 64) == ["短句。" * 3]
    assert all(estimate_tokens(text) <= 64 for text in chunks("字" * 500, 64))
    assert "".join(chunks("字" * 500, 64)) == "字" * 500
    questions = [LabelledQuestion("What is the code quartz?", relevant=("long",))]
    passages = [*PASSAGES, Passage("long", long)]
    result = evaluate(passages, questions, [setting(chunk_tokens=64)])["fake"]
    assert result.answers[0].ranked.count("long") == len(rows)
    assert result.values("R@1") == [1]


def test_texts_are_embedded_once_for_all_settings_of_an_embedder() -> None:
    counted = _Counting()
    evaluate(PASSAGES, QUESTIONS, [Setting("a", counted), Setting("b", counted, WORDS)])
    documents = {passage.content for passage in PASSAGES}
    assert sorted(text for text in counted.seen if text in documents) == sorted(documents)


class _Counting(FakeEmbedder):
    """Notes which texts it is given."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def embed_documents(self, texts: Sequence[str]) -> Any:
        self.seen += texts
        return super().embed_documents(texts)


def _written(path: Path, records: list[dict[str, Any]]) -> str:
    path.write_text("\n".join(json.dumps(record, ensure_ascii=False) for record in records) + "\n\n", "utf-8")
    return str(path)


def test_files_are_read(tmp_path: Path) -> None:
    passages = read_passages(
        _written(
            tmp_path / "m.jsonl",
            [
                {"id": 7, "content": "tea", "session": "s", "time": START.isoformat(), "user": "u"},
                {"text": "茶"},
            ],
        )
    )
    assert passages == [Passage("7", "tea", "u", "s", START), Passage("2", "茶")]
    questions = read_questions(
        _written(
            tmp_path / "q.jsonl",
            [
                {"query": "a", "ids": ["7"], "user": "u", "asked_at": START.isoformat(), "group": "g"},
                {"question": "b", "texts": ["茶"], "outdated": ["7"]},
            ],
        )
    )
    assert questions == [
        LabelledQuestion("a", ("7",), user_id="u", asked_at=START, group="g"),
        LabelledQuestion("b", texts=("茶",), outdated=("7",)),
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "no JSON"),
        ("[]", "object"),
        ('{"ids": ["a"]}', "query must be a string"),
        ('{"query": "a", "ids": "b"}', "must be a list"),
        ('{"query": "a", "asked_at": "soon"}', "ISO 8601"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(tmp_path: Path, line: str, message: str) -> None:
    (tmp_path / "q.jsonl").write_text(f'{{"query": "fine"}}\n{line}\n', "utf-8")
    with pytest.raises(InvalidInputError, match=message) as caught:
        read_questions(tmp_path / "q.jsonl")
    assert "line 2" in str(caught.value)


def test_the_command_prints_tables(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Any
) -> None:
    monkeypatch.setattr("langmem_ext.evaluation.__main__._embedder", lambda name: FakeEmbedder())
    memories = _written(
        tmp_path / "m.jsonl", [{"id": p.passage_id, "content": p.content} for p in PASSAGES[:3]]
    )
    questions = _written(
        tmp_path / "q.jsonl", [{"query": "Which tea?", "ids": ["tea"]}, {"query": "cat", "ids": ["cat"]}]
    )
    arguments = [questions, "--memories", memories, "--embedder", "one", "--without", "context"]
    assert main([*arguments, "--chunk-tokens", "64"]) == 0
    shown = capsys.readouterr().out
    assert "one, no context" in shown and "one, rows of 64" in shown and "suggested min_similarity" in shown

    with LongTermMemory(tmp_path / "store", embedder=FakeEmbedder()) as memory:
        memory.for_user("user").remember("Anna drinks tea")
    texts = _written(tmp_path / "t.jsonl", [{"query": "tea?", "texts": ["Anna drinks tea"]}])
    assert main([texts, "--store", str(tmp_path / "store"), "--embedder", "one"]) == 0
    assert "R@1" in capsys.readouterr().out

    assert main([texts, "--memories", memories]) == 1
    assert "no passage" in capsys.readouterr().err


def test_every_signal_can_be_left_out() -> None:
    for signal in WEIGHTS:
        rest = {name: weight for name, weight in WEIGHTS.items() if name != signal}
        assert evaluate(PASSAGES, QUESTIONS, [setting(weights=rest)])["fake"].values("R@10") == [1, 1]


def test_answers_are_the_same_in_every_run() -> None:
    def ranks() -> list[tuple[str, ...]]:
        return [answer.ranked for answer in evaluate(PASSAGES, QUESTIONS, [setting()])["fake"].answers]

    assert ranks() == ranks()
