from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import Run


@pytest.fixture
def memory_id(run: Run) -> str:
    run("remember", "The user lives in Lyon.", "--key", "residence.city", "--json")
    moved = run("remember", "The user lives in Nantes.", "--key", "residence.city", "--json")
    run("remember", "用户喜欢喝茶 🍵", "--metadata", '{"topic": "drinks"}', "--type", "procedural")
    run("remember", "The neighbour lives in Nantes.", "--user", "bo")
    return str(moved.json["memory_id"])


def test_search_finds_the_users_memories_with_their_signals(run: Run, memory_id: str) -> None:
    done = run("search", "lives in Nantes", "--top-k", "1", "--json")
    (hit,) = done.json["memories"]
    assert hit["memory"]["memory_id"] == memory_id
    assert hit["memory"]["content"] == "The user lives in Nantes."
    assert set(hit) == {"memory", "score", "similarity", "signals"}
    assert set(done.json) >= {"memories", "recall_id", "timings", "degraded"}
    assert (done.code, done.err) == (0, "")


def test_search_as_text_shows_score_memory_and_id(run: Run, memory_id: str) -> None:
    done = run("search", "喝茶")
    assert "用户喜欢喝茶 🍵" in done.out and "procedural" in done.out
    assert "neighbour" not in done.out


def test_a_search_that_finds_nothing_is_fine_and_says_so(run: Run, memory_id: str) -> None:
    done = run("search", "Nantes", "--filter", '{"topic": "music"}')
    assert (done.code, done.out, done.err) == (0, "", "nothing found\n")


def test_search_is_narrowed_by_its_options(run: Run, memory_id: str) -> None:
    assert len(run("search", "喝茶", "--type", "episodic", "--json").json["memories"]) == 0
    assert len(run("search", "喝茶", "--filter", '{"topic": "drinks"}', "--json").json["memories"]) == 1
    assert len(run("search", "tea", "--min-similarity", "1.0", "--json").json["memories"]) == 0
    assert len(run("search", "Nantes", "--as-of", "2020-01-01T00:00Z", "--json").json["memories"]) == 0


def test_context_is_the_block_and_nothing_else(run: Run, memory_id: str) -> None:
    block = run("context", "Where does the user live?", "--json").json
    done = run("context", "Where does the user live?")
    assert done.out == block["text"] + "\n"
    assert "Nantes" in block["text"] and set(block) >= {"text", "memories", "left_out", "degraded"}
    assert run("context", "Where?", "--max-tokens", "1").out == ""


def test_list_is_one_memory_a_line(run: Run, memory_id: str) -> None:
    done = run("list", "--json")
    assert [item["content"] for item in done.lines] == ["The user lives in Nantes.", "用户喜欢喝茶 🍵"]
    assert "用户喜欢喝茶 🍵" in done.out  # and not as \uXXXX
    assert len(run("list", "--json", "--limit", "1").lines) == 1
    assert len(run("list", "--json", "--type", "procedural").lines) == 1
    assert run("list", "--user", "nobody").err == "no memories\n"


def test_a_long_list_goes_through_all_pages(
    run: Run, monkeypatch: pytest.MonkeyPatch, memory_id: str
) -> None:
    monkeypatch.setattr("langmem_ext.cli.reading._PAGE", 1)
    assert len(run("list", "--json").lines) == 2


def test_show_has_every_field(run: Run, memory_id: str) -> None:
    shown = run("show", memory_id, "--json").json
    assert (shown["key"], shown["user_id"], len(shown["supersedes"])) == ("residence.city", "ann", 1)
    text = run("show", memory_id).out
    assert text.startswith("The user lives in Nantes.\n") and "key: residence.city" in text


def test_history_tells_what_happened(run: Run, memory_id: str) -> None:
    events = run("history", memory_id, "--json").json["events"]
    assert [event["action"] for event in events] == ["recorded", "superseded", "recorded"]
    assert run("history", memory_id).out.count("Lyon") == 2


def test_a_memory_of_another_user_is_not_found(run: Run, memory_id: str) -> None:
    for command in ("show", "history", "delete"):
        done = run(command, memory_id, "--user", "bo")
        assert (done.code, done.out) == (3, "")
        assert (
            done.err
            == f"langmem-ext: this user has no memory {memory_id!r}; langmem-ext list shows the ids\n"
        )


def test_users_are_listed(run: Run, memory_id: str) -> None:
    assert run("users").out == "ann\nbo\n"
    assert run("users", "--json").json == {"users": ["ann", "bo"]}


def test_an_export_can_be_imported_elsewhere(run: Run, memory_id: str, tmp_path: Path) -> None:
    exported = run("export")
    assert exported.code == 0 and len(exported.lines) == 3  # every version
    done = run("import", "-", "--path", "other", "--json", stdin=exported.out)
    assert done.json == {"imported": 3, "skipped": 0}
    assert run("export", "--path", "other").out == exported.out


def test_an_export_replaces_a_file_only_when_told(run: Run, memory_id: str, tmp_path: Path) -> None:
    file = tmp_path / "ann.jsonl"
    assert run("export", "-o", str(file), "--json").json == {"exported": 3, "file": str(file)}
    assert file.stat().st_mode & 0o077 == 0
    file.write_text("mine", encoding="utf-8")
    refused = run("export", "-o", str(file))
    assert (refused.code, file.read_text(encoding="utf-8")) == (2, "mine")
    assert run("export", "-o", str(file), "--yes").code == 0
    assert [json.loads(line)["user_id"] for line in file.read_text(encoding="utf-8").splitlines()] == [
        "ann"
    ] * 3
    assert [entry.name for entry in tmp_path.iterdir() if entry.name.startswith(".")] == []


def test_an_export_to_a_place_that_is_not_there_says_so(run: Run, memory_id: str) -> None:
    done = run("export", "-o", "no/such/folder/ann.jsonl")
    assert done.code == 2 and "cannot write no/such/folder/ann.jsonl: No such file" in done.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["search", "x"], ["context", "x"], ["list"], ["show", "x"], ["history", "x"], ["export"], ["users"],
        ["stats"], ["delete", "x"], ["delete", "--all", "--yes"], ["forget", "forget my dog"], ["sweep"],
        ["erase", "--yes"],
    ],
)  # fmt: skip
def test_what_does_not_store_makes_no_store(run: Run, arguments: list[str], tmp_path: Path) -> None:
    done = run(*arguments)
    assert (done.code, done.out) == (3, "")
    assert "there are no memories in db" in done.err
    assert list(tmp_path.iterdir()) == []


def test_text_that_would_drive_a_terminal_is_shown_as_text(run: Run) -> None:
    run("remember", "The user is \x1b[31mred\x1b[0m and \u202egnp.exe and 👨\u200d👩\u200d👧.")
    done = run("list")
    assert "\\u001b[31mred" in done.out and "\\u202egnp.exe" in done.out
    assert "\x1b" not in done.out and "👨\u200d👩\u200d👧" in done.out
    assert run("list", "--json").lines[0]["content"].startswith("The user is \x1b[31mred")


def test_reading_needs_no_embedder(run: Run, memory_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise AssertionError("an embedder was loaded")

    monkeypatch.setattr("langmem_ext.memory._default_embedder", missing)
    for arguments in (
        ["list"],
        ["show", memory_id],
        ["history", memory_id],
        ["users"],
        ["stats"],
        ["export"],
    ):
        assert run(*arguments).code == 0
    assert run("delete", memory_id, "--yes").code == 0
