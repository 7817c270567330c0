from __future__ import annotations

import re

import pytest

from benchmarks.__main__ import main
from benchmarks.data import sentences, unit_vectors
from benchmarks.measure import Spread, Times, interleaved
from benchmarks.tables import Table

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
