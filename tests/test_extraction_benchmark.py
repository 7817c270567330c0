from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from benchmarks.extraction.__main__ import SETS, main, path_of
from benchmarks.extraction.dialogues import CATEGORIES, LANGUAGES, Dialogue, load, parse, said
from benchmarks.extraction.matching import breaks, contains, meets
from benchmarks.extraction.report import failures
from benchmarks.extraction.scoring import Score, Verdict, judge, run
from langmem_ext import UserMemory
from langmem_ext.testing import FakeEmbedder, ScriptedChatModel
from tests.support.memories import fact, reply
from tests.support.openai_server import OpenAIServer, Reply

FORMAT = path_of("development").with_name("FORMAT.md")
THERE = [name for name in SETS if path_of(name).exists()]

MOVED: dict[str, Any] = {
    "id": "en-tiny-1",
    "language": "en",
    "category": "identity",
    "observed_at": "2025-08-06T23:30:00+02:00",
    "messages": [
        {"role": "user", "content": "i live in Ghent til the 10th, my brother Nils hates olives"},
        {"role": "assistant", "content": "Do you like chess?"},
        {"role": "user", "content": "order me a kebab. i play the oboe"},
    ],
    "expected": [
        {"must": [["ghent", "gent"]], "key": "residence.city", "valid_until": ["2025-08-10"]},
        {"must": [["oboe"], ["play", "plays"]], "not": ["kebab"]},
        {"must": [["nils", "brother"], ["olive*"]], "optional": True},
    ],
    "forbidden": [
        [["kebab", "doner"]],
        {"all": ["olives", ["hate", "hates"]], "unless": ["nils", "brother"]},
    ],
}
LIVES = fact("The user lives in Ghent.", "i live in Ghent", key="residence.city", valid_until="2025-08-10")
OLIVES = fact("The user's brother Nils hates olives.", "my brother Nils hates olives")
OBOE = fact("The user plays the oboe.", "i play the oboe")


def changed(**fields: Any) -> dict[str, Any]:
    return MOVED | fields


def tiny(first: list[dict[str, Any]], second: list[dict[str, Any]]) -> Verdict:
    """The verdict on what an LLM made of the two turns."""
    llm = ScriptedChatModel([reply(*first), reply(*second)])
    return run(parse(MOVED), llm=llm, embedder=FakeEmbedder())


def score(verdict: Verdict) -> tuple[float | None, float | None, float | None, int]:
    counted = Score.of([verdict])
    return counted.precision, counted.recall, counted.f1, counted.violations


# -- the data


@pytest.mark.parametrize("name", THERE)
def test_a_set_is_well_formed_and_covers_every_category_in_both_languages(name: str) -> None:
    dialogues = load(path_of(name))

    cells = [(dialogue.category, dialogue.language) for dialogue in dialogues]
    each = {"development": 2, "unseen": 1}[name]
    assert sorted(cells) == sorted([(c, lang) for c in CATEGORIES for lang in LANGUAGES] * each)
    assert all(1 <= len(dialogue.turns()) <= 4 for dialogue in dialogues)


def development() -> list[Any]:
    return [pytest.param(dialogue, id=dialogue.id) for dialogue in load(path_of("development"))]


@pytest.mark.parametrize("dialogue", development())
def test_what_is_expected_was_said_and_what_is_forbidden_could_be_taken_from_the_dialogue(
    dialogue: Dialogue,
) -> None:
    users, everybody = " ".join(said(dialogue, "user")), " ".join(said(dialogue, "user", "assistant"))

    assert all(contains(users, spellings) for one in dialogue.expected for spellings in one.must)
    assert all(contains(everybody, spellings) for one in dialogue.forbidden for spellings in one.all)


def test_the_example_of_the_format_is_well_formed_and_in_neither_set() -> None:
    found = re.search(r"```json\n(.*?)```", FORMAT.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None

    example = parse(json.loads(found.group(1)))

    assert all(example.messages != dialogue.messages for name in THERE for dialogue in load(path_of(name)))
    assert all(f"`{category}`" in FORMAT.read_text(encoding="utf-8") for category in CATEGORIES)


@pytest.mark.parametrize(
    "fields",
    [
        {"category": "gossip"},
        {"language": "de"},
        {"observed_at": "2025-08-06T23:30:00"},
        {"messages": [{"role": "assistant", "content": "hello"}]},
        {"messages": [{"role": "user", "content": " "}]},
        {"expected": [{"must": []}]},
        {"expected": [{"must": [[]]}]},
        {"expected": [{"must": [["a"]], "valid_til": "2025"}]},
        {"expected": [{"must": [["a"]], "valid_until": "10 August"}]},
        {"forbidden": ["kebab"]},
        {"forbidden": [{"all": ["kebab"]}]},
        {"note": "?"},
    ],
)
def test_a_malformed_line_is_refused_with_its_number(fields: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    path.write_text("\n".join(map(json.dumps, [MOVED, changed(id="en-tiny-2", **fields)])), encoding="utf-8")

    with pytest.raises(ValueError, match=r"set\.jsonl, line 2"):
        load(path)


def test_an_id_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    path.write_text("\n".join([json.dumps(MOVED)] * 2), encoding="utf-8")

    with pytest.raises(ValueError, match="en-tiny-1"):
        load(path)


# -- matching


@pytest.mark.parametrize(
    ("text", "spelling", "there"),
    [
        ("The user runs.", "run", False),
        ("The user RUNS.", "runs", True),
        ("cracked lid", "crack*", True),
        ("the 10th of May", "10", False),
        ("804217", "804", False),
        ("can\u2019t stand it", "can't stand", True),
        ("ＵＩ设计师", "ui", True),
        ("我学python才两个月", "python", True),
        ("9月27日", "9月2", False),
        ("9月2日", "9月2", True),
        ("他们两只猫都胖", "两只猫", True),
        ("in Tromsøya", "tromsø", False),
        ("living  out\nof boxes", "out of boxes", True),
    ],
)
def test_latin_spellings_match_whole_words_and_chinese_ones_anywhere(
    text: str, spelling: str, there: bool
) -> None:
    assert contains(text, (spelling,)) is there


def test_a_memory_needs_every_word_in_one_of_its_spellings_and_none_of_not() -> None:
    oboe = parse(MOVED).expected[1]

    assert meets("User plays oboe", oboe)
    assert not meets("The user likes the oboe", oboe)
    assert not meets("plays the oboe and wants a kebab", oboe)


def test_unless_lets_a_memory_pass_that_says_whose_fact_it_is() -> None:
    _, olives = parse(MOVED).forbidden

    assert breaks("The user hates olives", olives)
    assert not breaks("The user's brother hates olives", olives)
    assert not breaks("The user likes olives", olives)


# -- scoring


def test_all_right_is_one_and_an_optional_memory_does_not_count() -> None:
    verdict = tiny([LIVES, OLIVES], [OBOE])

    assert score(verdict) == (1.0, 1.0, 1.0, 0)
    assert [memory.content for memory in verdict.allowed] == ["The user's brother Nils hates olives."]
    assert (verdict.dates, verdict.keys) == ((1, 1), (1, 1))
    assert not list(failures([verdict]))


def test_a_wrong_memory_costs_precision_and_a_missing_one_recall(user: UserMemory) -> None:
    stored = [user.remember(text) for text in ("The user lives in Ghent.", "The user likes chess.")]

    verdict = judge(parse(MOVED), stored)

    assert score(verdict) == (0.5, 0.5, 0.5, 0)
    shown = "\n".join(failures([verdict]))
    assert "en-tiny-1" in shown
    assert re.search("^  wrong .*chess", shown, re.MULTILINE)
    assert re.search("^  missed .*oboe", shown, re.MULTILINE)


def test_a_forbidden_memory_is_a_violation_even_when_it_holds_an_expected_fact(user: UserMemory) -> None:
    texts = "The user lives in Ghent and wants a kebab.", "The user plays the oboe.", "The user hates olives."

    verdict = judge(parse(MOVED), [user.remember(text) for text in texts])

    assert score(verdict) == (1 / 3, 0.5, 0.4, 2)
    assert "forbidden" in "\n".join(failures([verdict]))


def test_nothing_stored_has_no_precision_and_nothing_found() -> None:
    assert score(tiny([], [])) == (None, 0.0, None, 0)


@pytest.mark.parametrize(
    ("fields", "dates", "keys"),
    [
        ({"valid_until": "2025-08-11"}, (0, 1), (1, 1)),
        ({"valid_until": None}, (0, 1), (1, 1)),
        ({"key": "workplace"}, (1, 1), (0, 1)),
    ],
)
def test_dates_and_keys_are_judged_apart(
    fields: dict[str, Any], dates: tuple[int, int], keys: tuple[int, int]
) -> None:
    verdict = tiny([LIVES | fields], [OBOE])

    assert score(verdict)[:2] == (1.0, 1.0)
    assert (verdict.dates, verdict.keys) == (dates, keys)
    assert "fields" in "\n".join(failures([verdict]))


@pytest.mark.parametrize("zone", ["+02:00", "-08:00"])
def test_days_are_those_of_the_speakers_zone(zone: str) -> None:
    dialogue = parse(changed(observed_at=f"2025-08-06T23:30:00{zone}"))

    verdict = run(dialogue, llm=ScriptedChatModel([reply(LIVES), reply()]), embedder=FakeEmbedder())

    assert verdict.dates == (1, 1)


def test_every_turn_is_added_by_itself_with_the_speakers_name() -> None:
    messages = [
        {"role": "user", "speaker": "Priya", "content": "i live in Ghent"},
        {"role": "user", "speaker": "Tom", "content": "i live in Bruges"},
        {"role": "assistant", "content": "Neighbours!"},
        {"role": "user", "content": "i play the oboe"},
    ]
    llm = ScriptedChatModel([reply(), reply()])

    verdict = run(parse(changed(messages=messages)), llm=llm, embedder=FakeEmbedder())

    first, second = ("\n".join(message.content for message in call.messages) for call in llm.calls)
    assert (verdict.adds, verdict.usage.calls) == (2, 2)
    assert all(word in first for word in ("Priya", "Tom", "Bruges"))
    assert "oboe" in second
    assert "Bruges" not in second


# -- the rules


def test_the_rules_find_half_and_are_right_nine_times_in_ten_on_the_development_set() -> None:
    dialogues = load(path_of("development"))

    counted = Score.of([run(dialogue, llm=None, embedder=FakeEmbedder()) for dialogue in dialogues])

    assert counted.precision is not None and counted.precision >= 0.9
    assert counted.recall is not None and counted.recall >= 0.5


# -- the command


def test_the_rules_run_over_the_set_without_a_call(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--show"])

    printed = capsys.readouterr().out
    assert "Extraction by the rules, development set" in printed
    assert re.search(r"^all +40 ", printed, re.MULTILINE)
    assert all(re.search(rf"^{name.replace('_', ' ')} +4 ", printed, re.MULTILINE) for name in CATEGORIES)
    assert "0 failed. For each: 0.00 calls" in printed


def test_an_llm_is_asked_through_its_server_and_failures_are_counted(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with OpenAIServer(default=reply()) as server:
        server.script(Reply(status=401, error={"message": "no such key"}))
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "test")
        monkeypatch.setenv("OPENAI_MODEL", "some-model")
        main(["--llm", "--embedder", "fake", "--show"])

    printed = capsys.readouterr().out
    assert "Extraction by some-model" in printed
    assert ", 1 failed." in printed
    assert "failed     " in printed
    assert server.chat_requests


def test_a_missing_model_or_set_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("OPENAI_MODEL", raising=False)
    with pytest.raises(SystemExit, match="OPENAI_MODEL"):
        main(["--llm"])

    monkeypatch.setattr("benchmarks.extraction.__main__.path_of", lambda name: tmp_path / f"{name}.jsonl")
    with pytest.raises(SystemExit, match=r"unseen\.jsonl"):
        main(["--set", "unseen"])
