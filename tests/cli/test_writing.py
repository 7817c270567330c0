from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import Run
from tests.support.memories import fact, reply
from tests.support.openai_server import OpenAIServer, Reply


def test_add_learns_by_rules_and_says_so(run: Run) -> None:
    done = run("add", "I'm allergic to peanuts. What's the weather like?", "--json")
    assert done.code == 0
    assert done.json["status"] == "learned" and done.json["usage"]["calls"] == 0
    assert [outcome["action"] for outcome in done.json["outcomes"]] == ["added"]
    assert done.err.startswith("memories are extracted by rules")
    assert "allergic to peanuts" in run("list").out


def test_add_that_learns_nothing_is_fine(run: Run) -> None:
    done = run("add", "Thanks!")
    assert (done.code, done.out) == (0, "")
    assert done.err.endswith("nothing to learn\n")


def test_add_asks_the_llm_of_the_environment(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with OpenAIServer(default=reply(fact("The user keeps bees.", quote="keep bees"))) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_MODEL", "some-model")
        done = run("add", "On weekends we keep bees in the hills.", "--json")
        assert done.json["usage"]["calls"] == 1
        assert "extracted by some-model at 127.0.0.1" in done.err
        without = run("add", "We also keep three goats in the hills.", "--no-llm", "--json")
        assert without.json["usage"]["calls"] == 0 and len(server.chat_requests) == 1


def test_an_llm_that_fails_is_a_failure_with_its_reason(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with OpenAIServer(default=Reply(status=401)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        done = run("add", "On weekends we keep bees in the hills.", "--json")
    assert done.code == 1
    assert (done.json["status"], done.json["error"]["kind"]) == ("failed", "auth")
    assert "langmem-ext: auth: " in done.err


def test_add_reads_a_conversation(run: Run, tmp_path: Path) -> None:
    messages = [{"role": "assistant", "content": "Hello!"}, {"role": "user", "content": "我住在杭州。"}]
    (tmp_path / "chat.json").write_text(json.dumps(messages), encoding="utf-8")
    (tmp_path / "chat.jsonl").write_text("\n".join(map(json.dumps, messages)), encoding="utf-8-sig")
    assert run("add", "--messages", "chat.json", "--json").json["status"] == "learned"
    assert run("add", "--messages", "chat.jsonl", "--user", "bo", "--json").json["status"] == "learned"
    assert "杭州" in run("list").out and "杭州" in run("list", "--user", "bo").out


def test_add_reads_stdin_and_writes_labels(run: Run) -> None:
    run("add", "-", "--session", "s-1", "--agent", "a-1", stdin="\ufeffI live in Lyon.\n")
    (item,) = run("list", "--json").lines
    assert (item["session_id"], item["agent_id"]) == ("s-1", "a-1")


def test_remember_takes_all_that_a_memory_has(run: Run) -> None:
    done = run(
        *(
            "remember",
            "用户后天去巴黎",
            "--type",
            "episodic",
            "--key",
            "trip",
            "--metadata",
            '{"year": 2026}',
        ),
        *("--expires-at", "2999-01-01T00:00+08:00", "--json"),
    )
    assert done.json["expires_at"] == "2998-12-31T16:00:00+00:00"
    assert (done.json["memory_type"], done.json["metadata"]) == ("episodic", {"year": 2026})
    assert run("remember", "-", "--json", stdin="From stdin.").json["content"] == "From stdin."


def test_an_import_that_is_wrong_stores_nothing_and_names_the_line(run: Run) -> None:
    run("remember", "Tea is nice.")
    good = run("export").out
    done = run("import", "-", "--path", "other", stdin=good + "nonsense\n")
    assert done.code == 2 and "line 2 is no exported memory" in done.err
    assert run("list", "--path", "other").out == ""
    assert run("import", "-", "--user", "bo", stdin=good).code == 2  # another user's


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["add"], "give TEXT (- reads it from stdin) or --messages FILE"),
        (["add", "x", "--messages", "chat.json"], "'chat.json' does not exist"),
        (["add", "--messages", "bad.json"], "neither a JSON list nor JSON lines"),
        (["add", "--messages", "numbers.json"], "must hold objects"),
        (["add", "--messages", "binary.json"], "binary.json is no UTF-8 text"),
        (["add", "I live in Lyon.", "--observed-at", "2026-05-01"], "has no time zone"),
        (["add", "I live in Lyon.", "--user", " "], "user_id is blank"),
        (["remember", "x", "--metadata", "[1]"], "it must be a JSON object"),
        (["remember", "x", "--metadata", "{"], "it must be a JSON object"),
        (["remember", " "], "blank"),
        (["remember", "x", "--type", "sematic"], "is not one of 'semantic'"),
        (["search", "x", "--filter", '{"a": {"$gtt": 1}}'], "$gtt"),
        (["search", "x", "--top-k", "0"], "top_k"),
        (["list", "--limit", "0"], "0 is not in the range"),
        (["import", "nowhere.jsonl"], "does not exist"),
        (["bogus"], "No such command 'bogus'"),
        (["search"], "Missing argument 'QUERY'"),
        (["list", "--path", "a", "--url", "http://b"], "are two places; give one"),
        (["list", "--config", "nowhere.toml"], "nowhere.toml cannot be read"),
    ],
)
def test_a_mistake_is_one_line_that_says_what_to_do(
    run: Run, tmp_path: Path, arguments: list[str], said: str
) -> None:
    (tmp_path / "bad.json").write_text("{", encoding="utf-8")
    (tmp_path / "numbers.json").write_text("[1, 2]", encoding="utf-8")
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe\x00")
    run("remember", "Tea is nice.")
    done = run(*arguments)
    told = [line for line in done.err.splitlines() if not line.startswith("memories are extracted")]
    assert (done.code, done.out, len(told)) == (2, "", 1), done.err
    assert told[0].startswith("langmem-ext: ") and said in told[0]


def test_without_a_user_or_a_place_the_command_says_how_to_name_them(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LANGMEM_EXT_USER")
    assert "Missing option '--user'" in run("list").err
    monkeypatch.delenv("LANGMEM_EXT_PATH")
    done = run("users")
    assert done.code == 2 and "Give --path DIRECTORY or --url ADDRESS" in done.err


def test_a_file_configures_all_of_it(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LANGMEM_EXT_PATH")
    with OpenAIServer(default='{"memories": []}') as server:
        (tmp_path / "m.toml").write_text(
            'path = "elsewhere"\ninstructions = "Keep bees."\n'
            f'[llm]\nmodel = "m"\nbase_url = "{server.base_url}"\n'
            f'[embedder]\nkind = "openai"\nmodel = "e"\nbase_url = "{server.base_url}"\n',
            encoding="utf-8",
        )
        assert run("add", "We keep bees in the hills.", "--config", "m.toml").code == 0
        assert "Keep bees." in json.dumps(server.chat_requests[0].body)
        assert run("add", "I live in Lyon.", "--config", "m.toml", "--no-llm").code == 0
        assert (tmp_path / "elsewhere" / "store.json").exists()
        monkeypatch.setenv("LANGMEM_EXT_CONFIG", "m.toml")
        assert "Lyon" in run("search", "Where does the user live?").out
    assert run("users").out == "ann\n"  # no embedder is asked: the server is gone
    monkeypatch.delenv("LANGMEM_EXT_CONFIG")
    other = run("search", "x", "--path", "elsewhere")
    assert other.code == 1 and "name the first one under [embedder]" in other.err
