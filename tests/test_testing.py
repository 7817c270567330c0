from __future__ import annotations

import subprocess
import sys
import textwrap
import threading
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from langmem_ext import LongTermMemory
from langmem_ext.errors import InvalidFilterError, InvalidInputError, ModelError
from langmem_ext.ports import ChatMessage, ChatModel, ChatReply, Clock, Embedder, ReplySchema
from langmem_ext.testing import (
    FakeEmbedder,
    InMemoryStore,
    ManualClock,
    ScriptedChatModel,
    ScriptExhaustedError,
    SequentialIds,
    StoreContract,
    check_filters,
    matches,
)
from tests.support.memories import contents, row, run_python

ASK = [ChatMessage("user", "hello")]
SCHEMA = ReplySchema("facts", {"type": "object"})


def cosine(embedder: FakeEmbedder, first: str, second: str) -> float:
    left, right = embedder.embed_documents([first, second])
    return sum(a * b for a, b in zip(left, right, strict=True))


def test_the_doubles_satisfy_the_ports() -> None:
    model: ChatModel = ScriptedChatModel()
    embedder: Embedder = FakeEmbedder()
    clock: Clock = ManualClock()
    assert clock().tzinfo is UTC
    doubles: list[tuple[object, type]] = [(model, ChatModel), (embedder, Embedder)]
    assert [isinstance(double, port) for double, port in doubles] == [True, True]


async def test_replies_come_in_order_and_calls_are_recorded() -> None:
    def shout(messages: Sequence[ChatMessage], schema: ReplySchema | None) -> str:
        return messages[0].content.upper()

    cut = ChatReply("{", finish_reason="length")
    model = ScriptedChatModel(["one", cut, ModelError("down", kind="timeout"), shout], name="m")
    assert model.complete(ASK, SCHEMA) == ChatReply("one")
    assert await model.acomplete(ASK, None) is cut
    with pytest.raises(ModelError, match="down"):
        await model.acomplete(ASK, None)
    assert model.remaining == 1
    assert model.complete(ASK, None).text == "HELLO"
    assert [call.schema for call in model.calls] == [SCHEMA, None, None, None]
    assert model.calls[0].messages == tuple(ASK)
    assert (model.name, model.remaining) == ("m", 0)


def test_a_finished_script_fails_the_test_and_not_the_model() -> None:
    model = ScriptedChatModel(["one"])
    model.complete(ASK, None)
    with pytest.raises(ScriptExhaustedError, match=r"call 2 .* has 1 replies") as caught:
        model.complete(ASK, None)
    assert not issubclass(caught.type, Exception)  # which add() would handle


def test_one_string_is_not_a_list_of_replies() -> None:
    with pytest.raises(InvalidInputError, match="list"):
        ScriptedChatModel("one")


def test_threads_share_a_script_without_losing_a_reply() -> None:
    model = ScriptedChatModel([str(n) for n in range(400)])
    seen: list[str] = []
    threads = [
        threading.Thread(target=lambda: seen.extend(model.complete(ASK, None).text for _ in range(100)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(seen, key=int) == [str(n) for n in range(400)]


def test_common_words_make_texts_similar_in_both_languages() -> None:
    embedder = FakeEmbedder(dim=4096)
    assert cosine(embedder, "I like tea", "tea I LIKE.") == pytest.approx(1.0)
    assert cosine(embedder, "I like tea", "I like coffee") == pytest.approx(2 / 3)
    assert cosine(embedder, "red apples", "fast cars") == 0.0
    assert cosine(embedder, "对花生过敏", "花生过敏吗") == pytest.approx(0.8)
    assert cosine(embedder, "对花生过敏", "住在杭州") == 0.0


def test_vectors_are_the_same_on_every_machine() -> None:
    (vector,) = FakeEmbedder(dim=8).embed_documents(["tea"])
    assert vector == [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    assert sum(x * x for x in FakeEmbedder().embed_queries(["???"])[0]) == pytest.approx(1.0)


def test_given_vectors_are_scaled_and_set_the_dimension() -> None:
    embedder = FakeEmbedder(vectors={"q": [3, 4], "other": [0, 2]}, name="v")
    assert embedder.embed_queries(["q", "other"]) == [[0.6, 0.8], [0.0, 1.0]]
    assert (embedder.dim, embedder.fingerprint.dim, embedder.fingerprint.model) == (2, 2, "v")
    assert len(embedder.embed_documents(["not given"])[0]) == 2


@pytest.mark.parametrize(
    "vectors", [{"a": [1, 0], "b": [1]}, {"a": [0, 0]}, {"a": [float("nan"), 1]}, {"a": []}]
)
def test_impossible_vectors_are_refused(vectors: dict[str, list[float]]) -> None:
    with pytest.raises(InvalidInputError):
        FakeEmbedder(vectors=vectors)


def test_calls_and_texts_are_counted_and_an_outage_can_be_played() -> None:
    embedder = FakeEmbedder()
    embedder.embed_documents(["a", "b"])
    embedder.error = ModelError("down", kind="unavailable")
    with pytest.raises(ModelError):
        embedder.embed_queries(["c"])
    embedder.error = None
    embedder.embed_queries(["d"])
    assert (embedder.calls, embedder.texts) == (3, ["a", "b", "c", "d"])


def test_a_clock_moves_only_when_told() -> None:
    clock = ManualClock(datetime(2026, 1, 1, 8, tzinfo=timezone(timedelta(hours=8))))
    assert clock() == clock() == datetime(2026, 1, 1, tzinfo=UTC)
    assert clock.advance(90) == datetime(2026, 1, 1, 0, 1, 30, tzinfo=UTC)
    assert clock.advance(timedelta(days=1)) == clock() == datetime(2026, 1, 2, 0, 1, 30, tzinfo=UTC)
    with pytest.raises(InvalidInputError, match="time zone"):
        ManualClock(datetime(2026, 1, 1))


def test_ids_count_up() -> None:
    ids = SequentialIds("mem-")
    assert [ids(), ids()] == ["mem-0001", "mem-0002"]


def test_importing_it_needs_no_test_framework_and_nothing_heavy() -> None:
    code = """
        import sys, langmem_ext.testing
        print(*sorted({"pytest", "unittest.mock", "numpy", "chromadb"} & set(sys.modules)))
    """
    assert run_python(code).stdout.strip() == ""


def test_a_door_opens_on_a_store_of_dicts() -> None:
    embedder = FakeEmbedder()
    with LongTermMemory(store=InMemoryStore(embedder.fingerprint), embedder=embedder) as memory:
        user = memory.for_user("u1")
        user.remember("The user likes green tea")
        assert contents(user.search("which tea?")) == ["The user likes green tea"]
        assert memory.for_user("u2").search("which tea?").memories == ()


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"turn_ids": {"$in": ["t2", "t9"]}}, True),
        ({"turn_ids": {"$ne": "t1"}}, False),
        ({"turn_ids": {"$nin": ["t9"]}}, True),
        ({"day": date(2026, 1, 1)}, True),
        ({"day": {"$lt": datetime(2026, 1, 1, 9, tzinfo=timezone(timedelta(hours=8)))}}, True),
        ({"sequence": {"$gt": 4}}, False),
        ({"chain_id": "m"}, True),
        ({"access_count": False}, False),
        ({"supersedes": "x"}, InvalidFilterError),
        ({"created_at": "yesterday"}, InvalidFilterError),
        ({"n": {"$gt": None}}, InvalidFilterError),
        ({"n": float("nan")}, InvalidFilterError),
        ({"$or": [{"chain_id": "m"}, {"a": {"$like": 1}}]}, InvalidFilterError),
    ],
)
def test_the_rules_of_filters(filters: dict[str, Any], expected: bool | type[Exception]) -> None:
    stored = row("m", turn_ids=("t1", "t2"), metadata={"day": date(2026, 1, 1)})
    if isinstance(expected, bool):
        assert matches(filters, stored) is expected
        return
    with pytest.raises(expected):
        matches(filters, stored)
    with pytest.raises(expected):
        check_filters(filters)


def run_pytest(folder: Path, code: str) -> str:
    (folder / "test_my_store.py").write_text(code)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=folder)
    return done.stdout


def test_the_example_of_the_contract_runs_and_a_failure_shows_the_values(tmp_path: Path) -> None:
    example = (StoreContract.__doc__ or "").partition("::\n")[2].partition("\n\n    A fixture")[0]
    imports = "import pytest\nfrom langmem_ext.testing import InMemoryStore, StoreContract\n"
    store = """
        places = {}

        class MyStore(InMemoryStore):
            def __init__(self, path, fingerprint):
                super().__init__(fingerprint)
                self._rows, self._numbers = places.setdefault(path, (self._rows, self._numbers))

            def read(self, user_id, memory_ids):
                return super().read(user_id, sorted(memory_ids))
    """
    shown = run_pytest(tmp_path, imports + textwrap.dedent(store) + textwrap.dedent(example))
    assert "assert ['a', 'c'] == ['c', 'a']" in shown
    assert "test_read_answers_in_the_order_asked" in shown
    assert "test_rows_outlast_the_store" not in shown  # `reopen` of the example is used
