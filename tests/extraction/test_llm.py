from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from langmem_ext.errors import ModelError
from langmem_ext.extraction.llm import LLMExtractor
from langmem_ext.ports import ChatMessage, ChatReply, ReplySchema
from tests.extraction.helpers import request


class Scripted:
    """A model that answers the same every time, or fails the same way."""

    name = "scripted"

    def __init__(self, answer: str | ModelError, finish_reason: str = "stop") -> None:
        self.answer = answer
        self.finish_reason = finish_reason
        self.calls: list[Sequence[ChatMessage]] = []

    def complete(self, messages: Sequence[ChatMessage], schema: ReplySchema | None) -> ChatReply:
        self.calls.append(messages)
        if isinstance(self.answer, ModelError):
            raise self.answer
        return ChatReply(self.answer, self.finish_reason)

    async def acomplete(self, messages: Sequence[ChatMessage], schema: ReplySchema | None) -> ChatReply:
        return self.complete(messages, schema)


GOOD = json.dumps(
    {
        "memories": [
            {"text": "The user lives in Lyon.", "quote": "I moved to Lyon"},
            {"text": "The user is 90."},
        ]
    }
)
SAID = request("I moved to Lyon in March.")


async def test_one_call_sync_and_async() -> None:
    model = Scripted(f"<think>{{maybe}}</think>Sure:\n```json\n{GOOD}\n```")
    extractor = LLMExtractor(model)
    first, second = extractor.extract(SAID), await extractor.aextract(SAID)
    assert first == second
    assert len(model.calls) == 2
    assert [candidate.content for candidate in first.candidates] == ["The user lives in Lyon."]
    assert [outcome.reason for outcome in first.rejected] == ["unsupported: nobody said this"]
    assert first.error is None
    assert first.usage.calls == 1


@pytest.mark.parametrize(
    ("model", "kind", "retryable"),
    [
        (Scripted(""), "empty_reply", True),
        (Scripted("You have hit your usage limit. Resets at 5pm."), "bad_reply", False),
        (Scripted('{"memories":[{"text":"User does not wa', "length"), "truncated", False),
        (Scripted(ModelError("no", kind="auth")), "auth", False),
        (Scripted(ModelError("slow", kind="timeout")), "timeout", True),
    ],
)
async def test_failures_are_values(model: Scripted, kind: str, retryable: bool) -> None:
    for extraction in (LLMExtractor(model).extract(SAID), await LLMExtractor(model).aextract(SAID)):
        assert extraction.candidates == ()
        assert extraction.error is not None
        assert (extraction.error.kind, extraction.error.retryable) == (kind, retryable)


async def test_only_people_are_worth_a_call() -> None:
    model = Scripted(GOOD)
    alone = request([("assistant", "Hello!")])
    assert LLMExtractor(model).extract(alone) == await LLMExtractor(model).aextract(alone)
    assert model.calls == []
