from __future__ import annotations

from pathlib import Path

import pytest

from langmem_ext import LongTermMemory, OpenAIChat, StorageError, UserMemory
from langmem_ext.testing import ScriptedChatModel
from tests.notebook.pages import page
from tests.notebook.shell import Shell
from tests.support.memories import contents, fact, listed, reply

TEA = [reply(fact("The user drinks oat milk.", "I drink oat milk"))]


def test_open_remember_recall_list(shell: Shell) -> None:
    shell.run("%memory open ./memory_db --user u-1001")
    assert shell.printed == "u-1001: 0 memories in ./memory_db · rules read conversations, nobody answers\n"
    item = shell.run('%remember The user\'s boat is --blue-- and "fast". --key boat.colour --type episodic')
    assert item.content == 'The user\'s boat is --blue-- and "fast".'
    assert (item.key, item.memory_type) == ("boat.colour", "episodic")
    found = shell.run("%recall --top-k 1 boat's colour?")
    assert contents(found) == [item.content]
    assert "Score" in page(found).cells[0]
    assert contents(shell.run("%memory list --type episodic")) == [item.content]
    assert Path("memory_db", "store.json").exists()


def test_a_question_mark_is_no_wish_for_help(shell: Shell) -> None:
    shell.run("%memory open --user ann")
    shell.run("%remember Is Ann's boat blue?")
    for cell in (
        "%recall Is Ann's boat blue?",
        "found = %recall blue?\nfound",
        "if True:\n    %recall boat?",
    ):
        shell.run(cell)
        assert "not found" not in shell.printed
    assert contents(shell.ip.user_ns["found"]) == ["Is Ann's boat blue?"]
    shell.run("%recall?")
    assert "Search by meaning and by word" in shell.printed
    assert shell.run("%%chat\nIs it blue?\n%recall x?").question == "Is it blue?\n%recall x?"


def test_running_the_cells_again_shares_the_store(shell: Shell) -> None:
    for _ in range(2):
        shell.run("%load_ext langmem_ext")
        shell.run("%memory open ./memory_db --user u-1001")
        shell.run("%remember User likes tea")
    assert contents(shell.run("%memory list")) == ["User likes tea"]
    shell.run("%memory open ./memory_db --user u-1001 --timezone Europe/Paris")  # opened anew, same store
    assert contents(shell.run("%memory list")) == ["User likes tea"]
    shell.run("%memory open --user u-1001")
    shell.run("%remember In RAM")
    shell.run("%memory open --user u-1001")
    assert contents(shell.run("%memory list")) == ["In RAM"]


def test_users_take_turns_and_see_only_their_own(shell: Shell) -> None:
    shell.run("%memory open --user ann")
    kept = shell.run("%remember Ann has a dog")
    assert isinstance(shell.run("%memory user bob"), UserMemory)
    assert len(shell.run("%recall dog")) == 0
    assert "has no memory" in shell.fails(f"%memory delete {kept.memory_id}")
    assert "has no memory" in shell.fails(f"%memory history {kept.memory_id[:8]}")
    shell.run("%memory user ann")
    assert len(shell.run("%recall dog")) == 1


def test_history_opens_in_the_table_and_by_the_beginning_of_an_id(shell: Shell) -> None:
    shell.run("%memory open --user ann")
    shell.run("%remember Ann lives in Lyon --key residence.city")
    new = shell.run("%remember Ann lives in Nantes --key residence.city")
    assert [event.action for event in shell.run(f"%memory history {new.memory_id[:6]}")] == [
        "recorded",
        "superseded",
        "recorded",
    ]
    assert "history: 2 versions" in page(shell.run("%recall lives")).text
    assert "history: 2 versions" in page(shell.run("%memory list")).text


def test_forget_deletes_what_is_clear_and_asks_else(shell: Shell) -> None:
    shell.run("%memory open --user ann")
    shell.run("%remember Ann has a brown dog")
    shell.run("%remember Ann has an old cat")
    asked = shell.run("%memory forget Ann has")
    assert asked.status == "confirm"
    lines = [cells[-1] for cells in page(asked).cells[1:]]
    assert [line.startswith("%memory forget --confirm ") for line in lines] == [True, True]
    cat = next(item for item in asked.candidates if "cat" in item.content)
    line = next(line for line in lines if cat.memory_id[:8] in line)
    assert contents(shell.run(line).deleted) == ["Ann has an old cat"]
    assert shell.run("%memory forget forget that Ann has a brown dog").status == "deleted"
    assert "delete --all --yes" in page(shell.run("%memory forget forget everything")).text


def test_delete_takes_one_and_all_only_when_told_twice(shell: Shell) -> None:
    shell.run("%memory open --user ann")
    item = shell.run("%remember One")
    shell.run("%remember Two")
    assert shell.run(f"%memory delete {item.memory_id[:8]}").memories == 1
    assert "%memory delete --all --yes" in shell.fails("%memory delete --all")
    assert contents(shell.run("%memory list")) == ["Two"]
    assert shell.run("%memory delete --all --yes --erase").erasure.complete
    assert len(shell.run("%memory list")) == 0


def test_a_cell_is_a_turn(shell: Shell) -> None:
    shell.ip.user_ns["llm"] = llm = ScriptedChatModel(["Noted!", *TEA, "With **oat** milk.", reply()])
    shell.run("%memory open --user ann --llm llm")
    first = shell.run("%%chat\nHi!\nI drink oat milk.")
    assert (first.answer, first.learned.status) == ("Noted!", "learned")
    second = shell.run("%%chat --max-tokens 300\nWhat milk do I drink?")
    assert "With **oat** milk." in page(second).text and "recalled 1 memory" in page(second).text
    asked = llm.calls[2].messages
    assert "The user drinks oat milk." in asked[0].content
    assert [message.content for message in asked[1:]] == [
        "Hi!\nI drink oat milk.",
        "Noted!",
        "What milk do I drink?",
    ]


def test_a_chat_cell_that_runs_again_takes_back_its_turn(shell: Shell) -> None:
    shell.ip.user_ns["llm"] = llm = ScriptedChatModel(["One.", "Two."])
    shell.run("%memory open --user ann --llm llm")
    for _ in range(2):
        shell.run("%%chat\nok, thanks")
    assert len(llm.calls[1].messages) == 2


def test_without_an_llm_a_chat_learns_by_rules_and_says_so(shell: Shell) -> None:
    shell.run("%memory open --user ann")
    turn = shell.run("%%chat\nI am allergic to peanuts.")
    assert turn.answer is None and "no LLM" in page(turn).text
    assert "The user is allergic to peanuts." in page(turn).text


def test_a_chat_goes_on_without_its_memory(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: object, **options: object) -> None:
        raise StorageError("the disk is gone")

    shell.ip.user_ns["llm"] = ScriptedChatModel(["Still here."])
    shell.run("%memory open --user ann --llm llm")
    monkeypatch.setattr(UserMemory, "context", broken)
    monkeypatch.setattr(UserMemory, "add", broken)
    turn = shell.run("%%chat\nHello")
    assert turn.answer == "Still here." and turn.learned is None
    assert "nothing was learned: the disk is gone" in page(turn).text


def test_a_memory_of_the_notebook_is_used_and_stays_open(shell: Shell, memory: LongTermMemory) -> None:
    shell.ip.user_ns["memory"] = memory
    shell.run("%memory use memory --user ann")
    shell.run("%remember Ann likes tea")
    shell.run("%memory close")
    assert listed(memory.for_user("ann")) == ["Ann likes tea"]


@pytest.mark.parametrize(
    ("cell", "says"),
    [
        ("%memory", "takes one of"),
        ("%memory opne x", "takes one of"),
        ("%memory list", "no memory is open"),
        ("%%chat\nHello", "no memory is open"),
        ("%memory open ./memory_db", "--user"),
        ("%memory open ./memory_db --usr ann", "no option --usr"),
        ("%memory open ./memory_db --user", "--user needs a value"),
        ("%memory open ./memory_db --user ' '", "blank"),
        ("%memory open --user ann --llm gpt-4o-mini", "OPENAI_API_KEY"),
        ("%memory open --user ann --llm number", "no ChatModel"),
        ("%memory open --user ann --timezone Mars", "timezone"),
        ("%memory use number --user ann", "no LongTermMemory"),
    ],
)
def test_mistakes_are_one_line(shell: Shell, cell: str, says: str) -> None:
    shell.ip.user_ns["number"] = 42
    printed = shell.fails(cell)
    assert printed.startswith("UsageError: ") and says in printed
    assert printed.count("\n") == 1


@pytest.mark.parametrize(
    ("cell", "says"),
    [
        ("%remember", "needs a text"),
        ("%remember --type wrong text", "memory_type"),
        ("%remember --expires tomorrow text", "expires_at"),
        ("%recall --top-k many text", "whole number"),
        ("%recall --best text", "no option --best"),
        ("%memory history 0000", "has no memory"),
        ("%memory history", "has no memory"),
        ("%memory delete", "id of one memory"),
        ("%memory list --limit 0", "limit"),
    ],
)
def test_mistakes_with_an_open_memory_are_one_line(shell: Shell, cell: str, says: str) -> None:
    shell.run("%memory open --user ann")
    printed = shell.fails(cell)
    assert printed.startswith("UsageError: ") and says in printed
    assert printed.count("\n") == 1


def test_a_failed_opening_leaves_the_open_memory(shell: Shell) -> None:
    shell.run("%memory open --user ann")
    shell.run("%remember Kept")
    Path("file").write_text("x")
    shell.fails("%memory open ./file --user ann")
    assert contents(shell.run("%memory list")) == ["Kept"]


def test_an_unreachable_llm_is_one_line_and_learns_nothing(shell: Shell) -> None:
    shell.ip.user_ns["llm"] = OpenAIChat("m", base_url="http://127.0.0.1:9/v1", max_retries=0)
    shell.run("%memory open --user ann --llm llm")
    printed = shell.fails("%%chat\nI like tea")
    assert printed.startswith("UsageError: the LLM did not answer") and printed.count("\n") == 1
    assert len(shell.run("%memory list")) == 0


def test_the_environment_may_name_the_llm(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("OPENAI_MODEL", "small-model")
    shell.run("%memory open --user ann")
    assert "small-model at http://127.0.0.1:9/v1" in shell.printed


def test_magics_work_while_a_loop_is_running(shell: Shell) -> None:
    shell.run("%memory open --user ann")
    shell.run("import asyncio\nawait asyncio.sleep(0)\n%remember Said in a loop\nx = %recall loop\n")
    assert contents(shell.ip.user_ns["x"]) == ["Said in a loop"]


def test_unloading_gives_ipython_its_recall_back(shell: Shell) -> None:
    theirs = shell.ip.magics_manager.magics["line"]["recall"]
    shell.run("%unload_ext langmem_ext")
    assert shell.ip.magics_manager.magics["line"]["recall"] is not theirs
    assert "memory" not in shell.ip.magics_manager.magics["line"]
    shell.run("%load_ext langmem_ext")
