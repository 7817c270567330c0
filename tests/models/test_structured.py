from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langmem_ext.errors import ModelError, UnsupportedReplyFormatError
from langmem_ext.items import Usage
from langmem_ext.models.json_reply import ReplyShapeError
from langmem_ext.models.structured import StructuredChat, StructuredReply
from langmem_ext.ports import ChatMessage, ChatReply, ReplySchema

SCHEMA = ReplySchema("memories", {"type": "object", "properties": {"memories": {"type": "array"}}})
SECRET = "I am allergic to penicillin"
PROMPT = [ChatMessage("system", "Reply as JSON."), ChatMessage("user", SECRET)]
GOOD = '{"memories": [{"text": "User plays cello"}]}'


def texts_of(value: object) -> list[str]:
    """As an extractor would: a wrapper or a bare array; the message names the field."""
    entries = value.get("memories") if isinstance(value, dict) else value
    if not isinstance(entries, list):
        raise ReplyShapeError("memories must be an array")
    texts = []
    for number, entry in enumerate(entries):
        if not isinstance(entry, dict) or not isinstance(entry.get("text"), str):
            raise ReplyShapeError(f"memories[{number}].text is missing")
        texts.append(entry["text"])
    return texts


class ScriptedModel:
    """Replays replies, raises exceptions, refuses modes; records what it was asked."""

    def __init__(self, *script: object, refuses: Sequence[str | None] = ()) -> None:
        self.script = list(script)
        self.refuses = refuses
        self.asked: list[tuple[list[ChatMessage], str | None]] = []

    @property
    def name(self) -> str:
        return "scripted"

    def complete(self, messages: Sequence[ChatMessage], schema: ReplySchema | None) -> ChatReply:
        mode = schema.mode if schema else None
        self.asked.append((list(messages), mode))
        if mode in self.refuses:
            raise UnsupportedReplyFormatError(f"no {mode}")
        step = self.script.pop(0)
        if isinstance(step, Exception):
            raise step
        if isinstance(step, str):
            return ChatReply(step, usage=Usage(1, 10, 5))
        return step  # type: ignore[return-value]  # a user's own model may return anything

    async def acomplete(self, messages: Sequence[ChatMessage], schema: ReplySchema | None) -> ChatReply:
        return self.complete(messages, schema)

    @property
    def modes(self) -> list[str | None]:
        return [mode for _, mode in self.asked]


class BothDoors:
    """Asks through `ask` and `aask`, each with a model of its own, and checks that they agree."""

    async def __call__(
        self, make: Callable[[], ScriptedModel], parse: Callable[[object], Any] = texts_of
    ) -> tuple[StructuredReply[Any], ScriptedModel]:
        model, twin = make(), make()
        result = StructuredChat(model).ask(PROMPT, SCHEMA, parse)
        other = await StructuredChat(twin).aask(PROMPT, SCHEMA, parse)
        assert (result.value, result.usage, repr(result.error)) == (
            other.value,
            other.usage,
            repr(other.error),
        )
        assert model.asked == twin.asked
        assert (result.value is None) != (result.error is None)
        return result, model


@pytest.fixture
def ask() -> BothDoors:
    return BothDoors()


async def test_a_good_reply_takes_one_call(ask: BothDoors) -> None:
    result, model = await ask(lambda: ScriptedModel(GOOD))
    assert result.value == ["User plays cello"]
    assert result.usage == Usage(1, 10, 5)
    assert model.asked == [(PROMPT, "json_schema")]


@pytest.mark.parametrize(
    ("refuses", "modes"),
    [
        (("json_schema",), ["json_schema", "json_object"]),
        (("json_schema", "json_object"), ["json_schema", "json_object", None]),
    ],
)
async def test_the_ladder_steps_down(ask: BothDoors, refuses: tuple[str], modes: list[str | None]) -> None:
    result, model = await ask(lambda: ScriptedModel(GOOD, refuses=refuses))
    assert result.value == ["User plays cello"]
    assert model.modes == modes


def test_the_rung_is_remembered_per_schema() -> None:
    model = ScriptedModel(GOOD, GOOD, GOOD, refuses=("json_schema",))
    chat = StructuredChat(model)
    chat.ask(PROMPT, SCHEMA, texts_of)
    chat.ask(PROMPT, SCHEMA, texts_of)
    assert model.modes == ["json_schema", "json_object", "json_object"]
    chat.ask(PROMPT, ReplySchema("another", {}), texts_of)
    assert model.modes[3:] == ["json_schema", "json_object"]


def test_a_failure_on_the_last_rung_is_not_remembered() -> None:
    """A 400 for another reason looks like a refused format until plain text fails as well."""
    model = ScriptedModel(
        ModelError("too long", kind="bad_request"), GOOD, refuses=("json_schema", "json_object")
    )
    chat = StructuredChat(model)
    failed = chat.ask(PROMPT, SCHEMA, texts_of)
    assert failed.error is not None and failed.error.kind == "bad_request"
    model.refuses = ()
    chat.ask(PROMPT, SCHEMA, texts_of)
    assert model.modes[-1] == "json_schema"


def test_a_schema_may_start_lower() -> None:
    model = ScriptedModel(GOOD)
    StructuredChat(model).ask(PROMPT, ReplySchema("memories", {}, mode="json_object"), texts_of)
    assert model.modes == ["json_object"]


def test_json_is_always_asked_for() -> None:
    model = ScriptedModel(GOOD)
    StructuredChat(model).ask([ChatMessage("user", "hello")], SCHEMA, texts_of)
    assert any("JSON" in message.content for message in model.asked[0][0])


@pytest.mark.parametrize("text", ["", " \n"])
async def test_a_blank_reply_is_an_empty_reply(ask: BothDoors, text: str) -> None:
    result, model = await ask(lambda: ScriptedModel(text))
    assert result.error is not None and result.error.kind == "empty_reply"
    assert result.error.retryable
    assert len(model.asked) == 1


async def test_fences_and_prose_need_no_second_call(ask: BothDoors) -> None:
    reply = 'Sure! Here you go:\n```json\n{"memories":[{"text":"User is vegetarian"}]}\n```\nAnything else?'
    result, model = await ask(lambda: ScriptedModel(reply))
    assert result.value == ["User is vegetarian"]
    assert len(model.asked) == 1


async def test_a_bare_array_reaches_parse(ask: BothDoors) -> None:
    result, _ = await ask(lambda: ScriptedModel('[{"text":"User plays cello"}]'))
    assert result.value == ["User plays cello"]


async def test_a_wrong_field_is_named(ask: BothDoors) -> None:
    near_miss = '{"memories":[{"memory":"User plays cello"}]}'
    result, model = await ask(lambda: ScriptedModel(near_miss, near_miss))
    assert result.error is not None and result.error.kind == "bad_reply"
    assert "memories[0].text is missing" in str(result.error)
    assert "cello" not in str(result.error)
    assert result.usage == Usage(2, 20, 10)


async def test_the_second_call_holds_the_reply_and_the_complaint(ask: BothDoors) -> None:
    near_miss = '{"memories":[{"memory":"User plays cello"}]}'
    result, model = await ask(lambda: ScriptedModel(near_miss, GOOD))
    assert result.value == ["User plays cello"]
    messages = model.asked[1][0]
    assert messages[:2] == PROMPT
    assert messages[2] == ChatMessage("assistant", near_miss)
    assert "<problem>\nmemories[0].text is missing\n</problem>" in messages[3].content


async def test_thinking_is_not_learned(ask: BothDoors) -> None:
    reply = '<think>maybe {"memories": [wrong]}?</think>\n{"memories":[{"text":"User lives in Osaka"}]}'
    result, _ = await ask(lambda: ScriptedModel(reply))
    assert result.value == ["User lives in Osaka"]


CUT = '{"memories":[{"text":"User is allergic to penicillin"},{"text":"User does not wa'


async def test_a_reply_cut_by_length_is_truncated(ask: BothDoors) -> None:
    result, model = await ask(lambda: ScriptedModel(ChatReply(CUT, finish_reason="length")))
    assert result.error is not None and result.error.kind == "truncated"
    assert len(model.asked) == 1  # the same cap again would cut again


async def test_half_a_reply_is_never_half_a_memory(ask: BothDoors) -> None:  # and no finish_reason tells
    result, _ = await ask(lambda: ScriptedModel(CUT, CUT))
    assert result.error is not None and result.error.kind == "bad_reply"


async def test_a_sentence_of_the_provider_is_an_error(ask: BothDoors) -> None:
    notice = "You have hit your usage limit. Resets at 5pm."
    result, model = await ask(lambda: ScriptedModel(notice, notice))
    assert result.error is not None and result.error.kind == "bad_reply"
    assert len(model.asked) == 2


@pytest.mark.parametrize("reason", ["content_filter", "refusal"])
async def test_a_refusal(ask: BothDoors, reason: str) -> None:
    result, _ = await ask(lambda: ScriptedModel(ChatReply("", finish_reason=reason)))
    assert result.error is not None and result.error.kind == "refused"


async def test_a_cut_second_reply_is_truncated(ask: BothDoors) -> None:
    result, _ = await ask(lambda: ScriptedModel("prose", ChatReply("{", finish_reason="length")))
    assert result.error is not None and result.error.kind == "truncated"
    assert result.usage.calls == 2


async def test_an_error_of_the_model_is_handed_on(ask: BothDoors) -> None:
    error = ModelError("later", kind="rate_limit")
    result, _ = await ask(lambda: ScriptedModel(error))
    assert result.error is error


@pytest.mark.parametrize(
    ("raised", "kind"),
    [
        (KeyError(SECRET), "unexpected"),
        (StopIteration(SECRET), "unexpected"),
        (RecursionError(SECRET), "unexpected"),
        (TimeoutError(SECRET), "timeout"),
        (ConnectionResetError(SECRET), "unavailable"),
    ],
)
def test_what_a_users_model_raises_is_named_and_not_quoted(raised: Exception, kind: str) -> None:
    result = StructuredChat(ScriptedModel(raised)).ask(PROMPT, SCHEMA, texts_of)
    assert result.error is not None and result.error.kind == kind
    assert type(raised).__name__ in str(result.error)
    assert SECRET not in str(result.error)
    assert result.error.__cause__ is raised


@pytest.mark.parametrize("returned", [None, 3, {"text": GOOD}, ChatReply(None)])  # type: ignore[arg-type]
async def test_what_is_no_reply_is_unexpected(ask: BothDoors, returned: object) -> None:
    result, _ = await ask(lambda: ScriptedModel(returned))
    assert result.error is not None and result.error.kind == "unexpected"


async def test_a_fault_in_parse_does_not_get_out(ask: BothDoors) -> None:
    def broken(value: object) -> list[str]:
        raise TypeError(SECRET)

    result, _ = await ask(lambda: ScriptedModel(GOOD), broken)
    assert result.error is not None and result.error.kind == "unexpected"
    assert SECRET not in str(result.error)


async def test_other_value_errors_are_not_quoted(ask: BothDoors) -> None:
    def picky(value: object) -> list[str]:
        raise ValueError(f"bad text: {SECRET}")

    result, _ = await ask(lambda: ScriptedModel(GOOD, GOOD), picky)
    assert result.error is not None and result.error.kind == "bad_reply"
    assert SECRET not in str(result.error)


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
def test_an_interrupt_gets_out(stop: type[BaseException]) -> None:
    class Interrupted(ScriptedModel):
        def complete(self, messages: Sequence[ChatMessage], schema: ReplySchema | None) -> ChatReply:
            raise stop

    with pytest.raises(stop):
        StructuredChat(Interrupted()).ask(PROMPT, SCHEMA, texts_of)


def test_logs_hold_no_text(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    model = ScriptedModel(f"prose: {SECRET}", f"prose: {SECRET}", refuses=("json_schema",))
    StructuredChat(model).ask(PROMPT, SCHEMA, texts_of)
    assert caplog.records
    assert SECRET not in caplog.text


mutations = st.builds(
    lambda text, cut, put: text[:cut] + put + text[cut:],
    st.sampled_from([GOOD, CUT, f"```json\n{GOOD}\n```", f"<think>{GOOD}</think>{GOOD}", f"[{GOOD}]"]),
    st.integers(0, 60),
    st.text(alphabet='{}[]",:\\<>/thinkNaN \n\x00\ud800é医', max_size=8),
)


@settings(deadline=None)  # a busy machine is no failure
@given(first=mutations | st.text(), second=mutations | st.text())
async def test_no_text_gets_out_as_an_exception(first: str, second: str) -> None:
    chat = StructuredChat(ScriptedModel(first, second))
    result = chat.ask(PROMPT, SCHEMA, texts_of)
    assert (result.value is None) != (result.error is None)
    twin = await StructuredChat(ScriptedModel(first, second)).aask(PROMPT, SCHEMA, texts_of)
    assert (twin.value, repr(twin.error)) == (result.value, repr(result.error))
