from __future__ import annotations

import html
import pickle
import re
from datetime import timedelta
from typing import Any

import pytest

from langmem_ext import LongTermMemory, UserMemory, items, receipts
from langmem_ext.display import views
from langmem_ext.display.words import Words
from langmem_ext.notebook.chat import ChatTurn
from tests.notebook.pages import Page, markdown, page, plain
from tests.support.memories import START, OpenMemory, fact, reply

pytest.importorskip("IPython")

from langmem_ext.testing import ScriptedChatModel  # noqa: E402

HOSTILE = (
    "<script>alert(1)</script></td></table></details><img src=x onerror=alert(1)> \" ' & &lt;b&gt; "
    "| a | b |\n\n# heading\n```\n`code` **bold** [link](javascript:alert(1)) ![](http://x/y.png) "
    "$x^2$ \\(y\\) ~~gone~~ https://evil.example www.evil.example @name "
    "\x1b[31mred\x00 \u202egnp.exe\u2028end"
)


@pytest.fixture
def llm() -> ScriptedChatModel:
    said = reply(
        fact("The user lives in Lyon.", "I live in Lyon", key="residence.city"),
        fact("The user keeps a submarine.", "I own a submarine"),
    )
    return ScriptedChatModel([said])


@pytest.fixture
def values(open_memory: OpenMemory, llm: ScriptedChatModel) -> dict[str, Any]:
    """One of each kind, with something in it."""
    memory = open_memory(llm=llm)
    user = memory.for_user("u1")
    added = user.add("I live in Lyon and I like boats.")
    user.remember("User likes boats")
    found = user.search("boats in Lyon", top_k=2)
    history = user.history(added.memories[0].memory_id)
    return {
        "AddResult": added,
        "MemoryItem": added.memories[0],
        "RecallResult": found,
        "ScoredMemory": found[0],
        "RecalledContext": user.context("boats in Lyon"),
        "Page": user.list_memories(),
        "History": history,
        "HistoryEvent": history[0],
        "ForgetAnswer": user.forget("boats"),
        "FlushReport": memory.flush(),
        "SweepReport": memory.sweep(),
        "ImportReport": receipts.ImportReport(3, 1),
        "RepairReport": receipts.RepairReport((1, 2), 30),
        "DeletionReceipt": user.delete_all(erase=True),
        "ErasureReceipt": receipts.ErasureReceipt(1, 5, 3, 2_000_000),
    }


def test_every_kind_of_result_has_a_view(values: dict[str, Any]) -> None:
    kinds = {
        kind.__name__
        for module in (items, receipts)
        for kind in vars(module).values()
        if isinstance(kind, type) and hasattr(kind, "_repr_html_")
    }
    assert kinds == values.keys()
    for name, value in values.items():
        assert page(value).words, name
        assert markdown(value).strip(), name
        assert plain(value).strip(), name


def test_tables_show_content_type_score_age_validity_and_evidence(values: dict[str, Any]) -> None:
    headings, first, _ = page(values["RecallResult"]).cells
    assert headings == ["Memory", "Type", "Score", "Said", "Valid", "Evidence"]
    hit = values["RecallResult"][0]
    assert hit.content in first[0] and hit.memory_id[:8] in first[0]
    assert first[1] == "semantic"
    assert f"{hit.score:.2f}" in first[2] and f"similarity {hit.similarity:.2f}" in first[2]
    assert f"since {hit.memory.valid_from:%Y-%m-%d}" in first[4]
    assert "“I live in Lyon”" in page(values["Page"]).text


def test_an_add_shows_what_became_of_each_candidate(values: dict[str, Any]) -> None:
    shown = page(values["AddResult"])
    assert "1 added, 1 rejected · 1 LLM call" in shown.text
    assert "unsupported" in shown.cells[2][-1]
    assert len({len(cells) for cells in shown.cells}) == 1


def test_evidence_and_history_open_on_a_click(user: UserMemory) -> None:
    old = user.remember("User lives in Lyon", key="residence.city")
    user.remember("User lives in Nantes", key="residence.city")
    found = user.search("lives")
    known = {hit.memory_id: user.history(hit.memory_id) for hit in found}
    shown = Page(views.recall(found, known).html())
    assert shown.tags.count("details") == 1
    assert "history: 2 versions" in shown.text and old.content in shown.text
    assert "replaces 1 older" in page(found).text and old.content not in page(found).text


def test_hostile_words_stay_words_in_html(open_memory: OpenMemory) -> None:
    for value in hostile(open_memory()):
        shown = page(value)  # tags fit together: nothing closed a cell
        assert not {"script", "img", "a", "h1", "b"} & set(shown.tags)
        assert not any(name.startswith("on") for name, _ in shown.attributes)
        assert len({len(cells) for cells in shown.cells}) <= 1
        assert not set("\x00\x1b\u202e\u2028") & set(shown.text)
    assert "<script>alert(1)</script></td>" in shown.text


def test_hostile_words_stay_words_in_markdown(open_memory: OpenMemory) -> None:
    for value in hostile(open_memory()):
        text = markdown(value)
        rows = [line for line in text.splitlines() if line.startswith("|")]
        assert len({line.count("|") for line in rows}) <= 1
        assert not any(line.startswith(("#", "```")) for line in text.splitlines())
        inside = re.sub(r"<br>|^>|&#?\w+;|^\| |\|", "", text, flags=re.MULTILINE)
        assert not set("<`*[]$\\~@") & set(inside)
        assert "https://" not in text and "www." not in text
        assert "<script>" in html.unescape(text) or not rows


def hostile(memory: LongTermMemory) -> list[Any]:
    user = memory.for_user("u1")
    user.remember(HOSTILE, key="k|<b>`", metadata={HOSTILE[:40]: HOSTILE}, memory_type="episodic")
    item = user.list_memories().memories[0]
    bad = items.MemoryItem(
        **{
            **{name: getattr(item, name) for name in item.__dataclass_fields__},
            "memory_id": HOSTILE[:12],
            "content": HOSTILE,
            "agent_id": HOSTILE,
            "source": (items.Source(HOSTILE[:16], HOSTILE, HOSTILE),) * 2,
        }
    )
    outcome = items.Outcome("replaced", bad, bad, HOSTILE)
    failed = items.LearningError("unavailable", HOSTILE, True)
    return [
        items.AddResult("failed", (outcome,), failed),
        ChatTurn(HOSTILE, HOSTILE, items.RecalledContext(""), None, (HOSTILE,)),
        items.RecalledContext(HOSTILE, degraded=(HOSTILE,)),
        receipts.FlushReport(0, error=HOSTILE),
        items.Page((bad,), HOSTILE),
        items.History([items.HistoryEvent(START, "recorded", bad)]),
        items.AddResult("learned", (outcome,)),
        user.search("heading"),
        bad,
    ]


def test_chinese_memories_get_chinese_tables(user: UserMemory) -> None:
    user.remember("用户住在杭州。")
    headings, row = page(user.search("用户住在哪里？")).cells
    assert headings[:3] == ["记忆", "类型", "得分"]
    assert "用户住在杭州。" in row[0] and row[1] == "事实"
    assert "用户住在杭州。" in markdown(user.list_memories())


def test_empty_results_say_so(user: UserMemory) -> None:
    assert page(user.search("x")).text == "nothing found"
    assert page(user.list_memories()).text == "no memories"
    assert page(user.add("ok, thanks!")).text == "nothing to learn here"
    assert "empty" in page(user.context("x")).text


def test_many_memories_are_cut_and_counted(user: UserMemory) -> None:
    user.remember_many([f"User owns boat {number}" for number in range(120)])
    shown = page(user.list_memories(limit=110))
    assert len(shown.cells) == 1 + 100
    assert "10 more" in shown.text and "cursor=" in shown.text


def test_nothing_depends_on_the_colour_of_the_page(values: dict[str, Any]) -> None:
    for value in values.values():
        shown = page(value)
        assert "style" not in shown.tags
        for name, style in shown.attributes:
            if name == "style":
                assert not re.search(r"(?:^|;)color:(?!inherit)", style or "")
                assert not re.search(r"(?:white|black|#fff|#000)", (style or "").replace("white-space", ""))


@pytest.mark.parametrize(
    ("ago", "words"),
    [
        (timedelta(seconds=-5), "just now"),
        (timedelta(seconds=59), "just now"),
        (timedelta(minutes=59), "59 min ago"),
        (timedelta(hours=1), "1 h ago"),
        (timedelta(days=60), "60 days ago"),
        (timedelta(days=61), "2 months ago"),
        (timedelta(days=731), "2 years ago"),
    ],
)
def test_ages_have_one_unit(ago: timedelta, words: str) -> None:
    assert Words([], now=START).age(START - ago) == words


def test_a_history_is_still_a_list(user: UserMemory) -> None:
    item = user.remember("User likes tea")
    history = user.history(item.memory_id)
    assert isinstance(history, list) and history == list(history)
    assert pickle.loads(pickle.dumps(history)) == history


def test_repr_still_shows_every_field(values: dict[str, Any]) -> None:
    assert repr(values["MemoryItem"]).startswith("MemoryItem(memory_id=")
