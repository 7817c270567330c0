"""The demo runs as its command, and what it shows is true."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from langmem_ext import LongTermMemory, UserMemory
from langmem_ext.demo.conversations import Language, load_conversation
from langmem_ext.testing import FakeEmbedder, ManualClock
from tests.support.openai_server import OpenAIServer, Reply

LANGUAGES: tuple[Language, ...] = ("en", "zh")


def run_demo(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    # Wide, so that no cell is folded; without a key of the machine's.
    kept = {name: value for name, value in os.environ.items() if not name.startswith("OPENAI_")}
    return subprocess.run(
        [sys.executable, "-m", "langmem_ext.demo", "--path", str(folder / "demo")],
        env={**kept, "COLUMNS": "240", **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_it_shows_the_whole_way_without_a_key(tmp_path: Path) -> None:
    done = run_demo(tmp_path)
    assert done.returncode == 0, done.stderr
    assert "extracted by rules" in done.stdout
    assert "12 questions, 0 memories came back" in done.stdout
    for language in LANGUAGES:
        assert load_conversation(language).user_id in done.stdout
    # The check of the three memories: the commuting one first, the runner's never.
    check = done.stdout[done.stdout.index("Three memories of two users") :]
    first, second = re.findall(r"u-1001 │", check), re.search(r"地铁.*简洁", check, re.DOTALL)
    assert len(first) == 2 and second is not None
    assert "跑步" not in check
    assert "now finds 0" in check
    assert "Traceback" not in done.stderr


def test_it_uses_the_server_that_the_environment_names(tmp_path: Path) -> None:
    with OpenAIServer(default='{"memories": []}') as server:
        done = run_demo(tmp_path, OPENAI_BASE_URL=server.base_url, OPENAI_MODEL="some-model")
    assert done.returncode == 0, done.stderr
    assert "some-model at" in done.stdout
    sessions = sum(len(load_conversation(language).sessions) for language in LANGUAGES)
    assert 0 < len(server.chat_requests) <= sessions  # at most one call per conversation


def test_a_server_that_fails_ends_it_with_the_reason(tmp_path: Path) -> None:
    with OpenAIServer(default=Reply(status=401)) as server:
        done = run_demo(tmp_path, OPENAI_BASE_URL=server.base_url)
    assert done.returncode == 1
    assert "nothing could be learned" in done.stderr and "Traceback" not in done.stderr


@pytest.fixture(params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> Language:
    return request.param  # type: ignore[no-any-return]


def test_the_shipped_conversations_are_long_and_span_days(language: Language) -> None:
    conversation = load_conversation(language)
    assert sum(len(session.messages) for session in conversation.sessions) >= 30
    assert len({session.date.date() for session in conversation.sessions}) >= 3
    assert len(conversation.questions) == 6


@pytest.mark.parametrize(
    ("language", "now_in", "before", "secret"),
    [("en", "Antwerp", "Ghent", "code"), ("zh", "杭州", "苏州", "验证码")],
)
def test_what_the_rules_learn_from_them(language: Language, now_in: str, before: str, secret: str) -> None:
    conversation = load_conversation(language)
    clock = ManualClock(conversation.ends_at + timedelta(days=1))
    with LongTermMemory(embedder=FakeEmbedder(), clock=clock) as memory:
        user = memory.for_user(conversation.user_id)
        for session in conversation.sessions:
            assert user.add(session.messages, observed_at=session.date).status != "failed"
        contents = [item.content for item in user.iter_memories()]
        assert not any(re.search(r"\d{6}", text) or secret in text for text in contents)
        city = current(user, "residence.city")
        assert now_in in city and before not in city
        chain = user.history(next(i.memory_id for i in user.iter_memories(filters={"key": "residence.city"})))
        assert any(before in event.memory.content for event in chain)


def current(user: UserMemory, key: str) -> str:
    (item,) = user.iter_memories(filters={"key": key})
    return item.content
