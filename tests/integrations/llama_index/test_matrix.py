"""Every engine and agent, asked in every way: several turns, two users, a restart of the process."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from tests.integrations.helpers import BLOCK
from tests.integrations.llama_index.engines import COMBINATIONS
from tests.integrations.llama_index.talking import PEOPLE
from tests.support.memories import PROJECT

Told: TypeAlias = dict[str, dict[str, Any]]
every_way = pytest.mark.parametrize("combination", [f"{engine}-{door}" for engine, door in COMBINATIONS])


def run(path: Path, part: str) -> Told:
    command = [sys.executable, "-m", "tests.integrations.llama_index.talking", str(path), part]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=PROJECT)
    assert done.returncode == 0, done.stderr[-3000:]
    told: Told = json.loads(done.stdout)
    return told


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("matrix")


@pytest.fixture(scope="module")
def first(path: Path) -> Told:
    """What the process saw that learned."""
    return run(path, "learn")


@pytest.fixture(scope="module")
def second(path: Path, first: Told) -> Told:
    """What the next one saw."""
    return run(path, "ask")


def text_of(shown: list[tuple[str, str]]) -> str:
    return "\n".join(content for _, content in shown)


@every_way
def test_each_turn_is_learned_for_the_one_who_said_it(first: Told, combination: str) -> None:
    for person, (city, drink) in PEOPLE.items():
        told = first[combination][person]
        assert told["error"] == "None"
        assert told["stored"] == [f"The user lives in {city}.", f"The user likes {drink}."]


@every_way
def test_one_search_per_message(first: Told, second: Told, combination: str) -> None:
    assert first[combination]["ann"]["searched"] == [2, 2, 2]  # for two users
    assert second[combination]["ann"]["searched"] == [2]


@every_way
def test_a_new_process_recalls_what_the_first_one_learned(second: Told, combination: str) -> None:
    for person, (city, drink) in PEOPLE.items():
        others = [word for other, words in PEOPLE.items() if other != person for word in words]
        text = text_of(second[combination][person]["shown"])
        assert text.count(BLOCK) == 1
        assert f"lives in {city}" in text and f"likes {drink}" in text
        assert not [word for word in others if word in text]


@every_way
def test_the_system_prompt_stays_whole_and_first(first: Told, second: Told, combination: str) -> None:
    for told in (first, second):
        shown = told[combination]["ann"]["shown"]
        assert shown[0][0] == "system"
        assert shown[0][1].endswith("Be brief.")
        assert BLOCK not in shown[0][1]
        # A context engine hands the user's message over later: there the memories have one of their own.
        expected = 1 if combination.startswith(("simple", "agent", "workflow")) else 2
        assert [role for role, _ in shown].count("system") == expected
        assert [role for role, _ in shown[:expected]].count("system") == expected


@every_way
def test_memories_never_enter_the_conversation(first: Told, combination: str) -> None:
    kept = first[combination]["ann"]["kept"]
    assert len(kept) == 6
    assert BLOCK not in str(kept)


@every_way
def test_nothing_blocks_the_event_loop(first: Told, second: Told, combination: str) -> None:
    assert first[combination]["blocking"] == []
    assert second[combination]["blocking"] == []
