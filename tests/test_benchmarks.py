from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.__main__ import main
from benchmarks.data import sentences, unit_vectors
from benchmarks.measure import Spread, Times, interleaved
from benchmarks.prompt_cost import prompt_table
from benchmarks.tables import Table
from langmem_ext.testing import FakeEmbedder

StandIn = Callable[[str], Path]

# Says what every turn says, after two calls, and looks at the request as the real child does.
TWO_CALLS = """
import json, sys
from urllib.request import Request, urlopen

request = json.load(sys.stdin)
for case in request["cases"]:
    for path in ("chat/completions", "embeddings", "chat/completions"):
        body = {"model": case["model"], "messages": case["turn"], "input": case["memories"] or ["nothing"]}
        url = f"{request['base_url']}/{path}"
        answer = json.load(urlopen(Request(url, json.dumps(body).encode())))
    assert "memor" in answer["choices"][0]["message"]["content"]
print('a line of the library\\n{"version": "9.9"}')
"""

RATIO = re.compile(r"\d+\.\d\d \(\d+\.\d\d to \d+\.\d\d\)")


def test_quick_run_prints_every_table(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--quick"])

    printed = capsys.readouterr().out
    for title in (
        "What one add() sends",
        "Search, warm",
        "the first search",
        "remember_many of 20",
        "Erasing",
    ):
        assert title in printed
    assert "QUICK" in printed
    assert len(RATIO.findall(printed)) == 3 + 3 + 2 + 2
    assert re.search(r"^a turn of a new user +1 ", printed, re.MULTILINE), "one call"
    assert re.search(r"^small talk +0 ", printed, re.MULTILINE), "no call"
    assert printed.count("not measured") == 5, "mem0 is not run"


@pytest.fixture
def stand_in(tmp_path: Path) -> StandIn:
    """Makes what is run in place of a Python that has mem0."""

    def make(code: str) -> Path:
        path = tmp_path / "python"
        path.write_text(f"#!{sys.executable}\n{code}", encoding="utf-8")
        path.chmod(0o700)
        return path

    return make


def test_the_prompts_of_mem0_are_counted_beside_ours_on_the_same_turns(stand_in: StandIn) -> None:
    table = prompt_table(FakeEmbedder(), stand_in(TWO_CALLS))

    for row in table.rows:
        calls, tokens, own = row[1], int(row[2].replace(",", "")), row[4]
        assert row[5] == "2", "calls of the other side"
        theirs = int(row[6].replace(",", ""))
        if calls == "0":
            assert (tokens, row[7]) == (0, "-")
        else:
            assert tokens / (theirs / 2) == pytest.approx(float(own), abs=0.05), "the turn, twice"
            assert row[7] == f"{theirs / tokens:.1f}"
    assert any("mem0 9.9" in note for note in table.notes)


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("import sys; sys.exit('No module named mem0')", "No module named mem0"),
        ("print('all is well')", "it did not say its version"),
        ("print('{}')", "it did not say its version"),
        (None, "not installed"),
    ],
)
def test_without_mem0_the_table_says_so_and_why(
    code: str | None, why: str, stand_in: StandIn, tmp_path: Path
) -> None:
    table = prompt_table(FakeEmbedder(), stand_in(code) if code else tmp_path / "nowhere")

    assert [row[5:] for row in table.rows] == [("not measured", "-", "-")] * len(table.rows)
    assert [row[1] for row in table.rows] == ["1", "1", "1", "2", "0"]
    assert any("not measured" in note and why in note for note in table.notes)


def test_tasks_take_turns_and_the_first_round_does_not_count() -> None:
    order: list[str] = []

    def task(name: str, seconds: float) -> float:
        order.append(name)
        return seconds

    times = interleaved({"a": lambda n: task("a", n), "b": lambda n: task("b", 2.0 * n)}, repetitions=3)

    assert order == ["a", "b", "b", "a", "a", "b", "b", "a"]
    assert times == Times({"a": [1, 2, 3], "b": [2, 4, 6]})


def test_without_a_warm_up_every_round_counts() -> None:
    assert interleaved({"a": float}, repetitions=2, warm_up=False) == Times({"a": [1.0, 2.0]})


def test_a_ratio_compares_times_of_the_same_repetition() -> None:
    drifting = Times({"mine": [2.0, 20.0, 200.0], "theirs": [1.0, 10.0, 100.0]})

    assert drifting.ratio("mine", "theirs") == Spread(2.0, 2.0, 2.0)


def test_spread_is_the_median_with_its_quartiles() -> None:
    assert str(Spread.of([1.0, 2.0, 3.0, 4.0, 100.0])) == "3.00 (2.00 to 4.00)"


def test_table_lines_up_chinese_too() -> None:
    table = Table("Title", ("what", "n"), [("用户", "1"), ("user", "10")], notes=("A note.",))

    assert str(table) == "Title\n\nwhat   n\n----  --\n用户   1\nuser  10\n\nA note."


def test_memories_differ_and_data_is_the_same_in_every_run() -> None:
    texts = sentences(1_000, "u")

    assert len(set(texts)) == 1_000
    assert texts == sentences(1_000, "u")
    assert (unit_vectors(3, 4, seed=1) == unit_vectors(3, 4, seed=1)).all()
