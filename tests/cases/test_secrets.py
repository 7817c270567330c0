"""Secrets that were said: in no file, no prompt, no log, and in nothing that comes back."""

from __future__ import annotations

import io
import json
import logging
import re
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from langmem_ext import ChatReply, ModelError
from langmem_ext.extraction.customisation import Customisation
from langmem_ext.extraction.fields import FieldError
from langmem_ext.testing import FakeEmbedder, ScriptedChatModel
from tests.support.memories import OpenMemory, actions, contents, fact, listed, reply

KEY = "sk-test-EXAMPLEKEYPART.tail_PART"
SAID = f"my key is {KEY} and I prefer tabs"
PARTS = ("EXAMPLEKEYPART", "tail_PART")
BOTH = reply(fact(f"The user's key is {KEY}", f"my key is {KEY}"), fact("The user prefers tabs", SAID))


def test_a_key_is_nowhere_and_what_was_said_beside_it_is_kept(
    tmp_path: Path, open_memory: OpenMemory, caplog: pytest.LogCaptureFixture
) -> None:
    embedder, llm = FakeEmbedder(), ScriptedChatModel([BOTH, BOTH])
    file = io.StringIO()
    with (
        caplog.at_level(logging.DEBUG, logger="langmem_ext"),
        open_memory(tmp_path, llm=llm, embedder=embedder) as memory,
    ):
        user = memory.for_user("u1")
        result = user.add(SAID)
        assert actions(result) == ["added", "rejected"]
        assert (result.outcomes[1].reason or "").startswith("sensitive: ")
        (item,) = user.list_memories().memories
        assert item.content == "The user prefers tabs"
        assert "[redacted: api key]" in item.source[0].quote
        memory.for_user("u2").add_later(SAID)
        memory.flush()
        assert user.remember(f"The deployment of {SAID}").content.count("[redacted: api key]") == 1
        user.export_memories(file)
        seen = [
            repr(result),
            repr(user.history(item.memory_id)),
            user.context("key tabs").text,
            file.getvalue(),
        ]
        prompts = [message.content for call in llm.calls for message in call.messages]
        for text in (*seen, *prompts, *embedder.texts, caplog.text):
            assert not any(part in text for part in PARTS)
    data = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"prefers tabs" in data
    assert not any(part.encode() in data for part in PARTS)


def test_a_code_and_a_card_are_no_facts(open_memory: OpenMemory) -> None:
    llm = ScriptedChatModel()
    user = open_memory(llm=llm).for_user("u1")
    reasons = []
    for said in ("the code they texted me is 481920", "card 4111 1111 1111 1111 exp 12/30"):
        result = user.add(said)
        assert result.status == "nothing"
        reasons += [outcome.reason for outcome in result.outcomes]
    assert reasons == ["sensitive: one-time code", "sensitive: card number"]
    assert (llm.calls, listed(user)) == ([], [])


@pytest.mark.parametrize(
    "proposed",
    [
        "The code of the user is 481920",
        "The user was sent 4 8 1 9 2 0",
        "The user was texted 481-920",
        "The card of the user is 4111111111111111",
        "The user pays with 4111-1111 1111-1111",
        "The user's card is [redacted: card number]",
    ],
)
def test_no_guess_of_a_model_brings_a_secret_back(open_memory: OpenMemory, proposed: str) -> None:
    said = "The code they texted me is 481920, my card is 4111 1111 1111 1111, and I live in Lyon."
    answer = reply(fact(proposed, said), fact(proposed), fact("The user lives in Lyon", "I live in Lyon"))
    user = open_memory(llm=ScriptedChatModel([answer])).for_user("u1")
    result = user.add(said)
    assert actions(result) == ["added", "rejected", "rejected"]
    assert [(outcome.reason or "").split(":")[0] for outcome in result.outcomes[1:]] == ["sensitive"] * 2
    (item,) = user.list_memories().memories
    digits = re.sub(r"\D", "", json.dumps([item.content, item.source[0].quote]))
    assert "481920" not in digits and "41111111" not in digits


def test_an_old_memory_with_a_token_hands_it_to_nobody(open_memory: OpenMemory) -> None:
    """A row from before, brought in by import, and a newer version made of it."""
    token = "ghp_" + "a1B2" * 9
    newer = reply(fact("The user deploys from Lyon", "deploy from Lyon", key="deployment", replaces=1))
    llm = ScriptedChatModel([newer])
    user = open_memory(llm=llm).for_user("u1")
    user.remember("The user deploys from Paris", key="deployment")
    file = io.StringIO()
    user.export_memories(file)
    old: dict[str, Any] = json.loads(file.getvalue())
    user.delete_all()
    old["content"] = f"The user deploys from Paris with token {token}"
    user.import_memories(io.StringIO(json.dumps(old)))
    assert actions(user.add("I deploy from Lyon now.")) == ["replaced"]
    (current,) = user.list_memories().memories
    copy = io.StringIO()
    user.export_memories(copy)
    texts = [
        *contents(user.search("deploy token", as_of=current.created_at)),
        user.context("deploy token").text,
        repr(user.history(current.memory_id)),
        copy.getvalue(),
        *(message.content for message in llm.calls[0].messages),
    ]
    assert not any(token in text for text in texts)
    assert "[redacted: api key]" in copy.getvalue()


TALK = [
    ("assistant", "What is your password?"),
    ("user", "Tr0ub4dor&3"),
    ("user", "I live in Lyon, and my bank pin is"),
    ("user", "4921"),
]
GUESS = reply(
    fact("The user's login is Tr0ub4dor&3", "Tr0ub4dor&3"), fact("The user lives in Lyon", "I live in Lyon")
)


@pytest.mark.parametrize("door", ["add", "add_later"])
def test_an_answer_to_a_question_for_a_secret_is_nowhere(
    tmp_path: Path, open_memory: OpenMemory, door: str
) -> None:
    llm = ScriptedChatModel([GUESS])
    with open_memory(tmp_path, llm=llm) as memory:
        user = memory.for_user("u1")
        getattr(user, door)(TALK)
        waiting = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
        memory.flush()
        prompt = " ".join(message.content for call in llm.calls for message in call.messages)
        assert [item.content for item in user.list_memories().memories] == ["The user lives in Lyon"]
    data = waiting + b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert "What is your password?" in prompt
    for secret in ("Tr0ub4dor", "\n4921"):
        assert secret not in prompt and secret.encode() not in data


def test_of_an_idempotency_key_only_a_digest_is_kept(tmp_path: Path, open_memory: OpenMemory) -> None:
    llm, key = ScriptedChatModel([reply(fact("The user lives in Lyon", "live in Lyon"))] * 2), f"turn {KEY}"
    with open_memory(tmp_path, llm=llm) as memory:
        user = memory.for_user("u1")
        user.add_later("I live in Lyon.", idempotency_key=key)
        waiting = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
        memory.flush()
        again = user.add("I live in Lyon.", idempotency_key=key)
        assert (actions(again), len(llm.calls)) == (["touched"], 1)
    data = waiting + b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert not any(part.encode() in data for part in PARTS)


def test_an_error_of_a_models_own_class_brings_no_key_back(open_memory: OpenMemory) -> None:
    said = ModelError(f"401 for {KEY}: ask support", kind="auth")
    error = open_memory(llm=ScriptedChatModel([said])).for_user("u1").add("I live in Lyon.").error
    assert error is not None
    assert (error.kind, error.message) == ("auth", "401 for [redacted: api key]: ask support")


class Fields(BaseModel):
    note: str = ""
    parts: dict[str, list[str]] = {}
    count: int | None = None


@pytest.mark.parametrize(
    ("fields", "kept"),
    [
        (
            {"note": f"my password is hunter2, {KEY}"},
            {"note": "my password is [redacted: password], [redacted: api key]"},
        ),
        ({"parts": {"a": ["blue", KEY]}}, {"parts": {"a": ["blue", "[redacted: api key]"]}}),
        ({"note": "likes 12 teas", "count": 12}, {"note": "likes 12 teas", "count": 12}),
        ({"parts": {KEY: ["blue"]}}, None),
        ({"count": 4111111111111111}, None),
    ],
)
def test_fields_that_a_model_wrote_hold_no_secret(
    fields: dict[str, Any], kept: dict[str, Any] | None
) -> None:
    custom = Customisation(schema=Fields)
    if kept is None:
        with pytest.raises(FieldError):
            custom.metadata(fields)
    else:
        assert {name: custom.metadata(fields)[name] for name in kept} == kept


SALARY = "My salary is 91234 a year and I live in Lyon."
FAULTS: dict[str, Any] = {
    "auth": ModelError("My salary is 91234", kind="auth"),
    "timeout": TimeoutError("My salary is 91234"),
    "unavailable": ConnectionError("My salary is 91234"),
    "unexpected": RuntimeError("My salary is 91234"),
    "empty_reply": "",
    "bad_reply": "My salary is 91234",
    "truncated": ChatReply('{"memories":[{"text":"The salary is 91234', finish_reason="length"),
    "refused": ChatReply("My salary is 91234", finish_reason="content_filter"),
}


@pytest.mark.parametrize(("kind", "fault"), FAULTS.items(), ids=FAULTS)
async def test_a_failure_is_logged_by_its_kind_and_without_words(
    open_memory: OpenMemory, caplog: pytest.LogCaptureFixture, kind: str, fault: Any
) -> None:
    embedder = FakeEmbedder()
    memory = open_memory(llm=ScriptedChatModel([fault] * 12), embedder=embedder)
    user = memory.for_user("u1")
    with caplog.at_level(logging.INFO):
        for result in (user.add(SALARY), await user.aadd(SALARY)):
            assert result.error is not None and result.error.kind == kind
        user.add_later(SALARY)
        report = memory.flush()
        assert report.waiting + report.failed == 1
        user.remember("The user lives in Paris")
        embedder.error = ConnectionError("My salary is 91234")
        assert user.search("My salary is 91234, and in Paris?").degraded
        assert user.add(SALARY).status == "failed"
    told = [record for record in caplog.records if record.name.startswith("langmem_ext")]
    assert any(kind in record.getMessage() for record in told)
    for record in caplog.records:
        whole = logging.Formatter().format(record) + repr(record.args)
        assert "91234" not in whole and "salary" not in whole.lower()
