from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import Run

FACTS = ("The user has a dog called Rex.", "The user lives in Lyon.", "用户喜欢喝茶")


def written(file: Path, *records: object) -> str:
    file.write_text("\n".join(json.dumps(record) for record in records), encoding="utf-8")
    return str(file)


@pytest.fixture
def questions(tmp_path: Path) -> str:
    return written(
        tmp_path / "questions.jsonl",
        {"query": "What is the dog called?", "texts": [FACTS[0]], "user": "ann"},
        {"query": "用户喜欢喝什么茶", "texts": [FACTS[2]], "user": "ann"},
    )


def test_the_memories_of_a_store_are_measured_and_not_touched(run: Run, questions: str) -> None:
    for text in FACTS:
        run("remember", text)
    before = run("export").out
    done = run("eval", questions, "--json")
    (setting,) = done.json["settings"]
    assert (done.code, setting["questions"], setting["answerable"]) == (0, 2, 2)
    assert setting["metrics"]["R@3"]["mean"] == 1.0
    assert done.json["differences"] == []
    assert run("export").out == before
    assert "R@3" in run("eval", questions).out


def test_memories_of_a_file_need_no_store(
    run: Run, questions: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LANGMEM_EXT_PATH")
    file = written(tmp_path / "memories.jsonl", *({"content": text, "user": "ann"} for text in FACTS))
    done = run("eval", questions, "--memories", file, "--chunk-tokens", "4", "--json")
    assert len(done.json["settings"]) == 2
    assert {"first", "second", "metric", "mean", "low", "high", "sure"} == set(done.json["differences"][0])
    assert {entry["metric"] for entry in done.json["differences"]} >= {"R@1", "MRR"}
    assert not (tmp_path / "db").exists()


def test_what_cannot_be_measured_is_told_of(run: Run, questions: str, tmp_path: Path) -> None:
    assert run("eval", questions).code == 3 and not (tmp_path / "db").exists()
    run("remember", FACTS[1])
    unknown = run("eval", questions)
    assert (unknown.code, unknown.out) == (2, "") and "which is no passage" in unknown.err
    assert "there is no signal x; there are" in run("eval", questions, "--without", "x").err
    (tmp_path / "bad.jsonl").write_bytes(b"\xff\xfe")
    assert run("eval", "bad.jsonl").code == 2
    assert run("eval", "nowhere.jsonl").code == 2
