"""The one ladder from a JSON Schema to a validated reply, for every `ChatModel`."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Generic, Literal, TypeAlias, TypeGuard, TypeVar

from langmem_ext.errors import ModelError, ModelErrorKind, UnsupportedReplyFormatError
from langmem_ext.items import Usage
from langmem_ext.models.json_reply import ReplyShapeError, parse_json_reply
from langmem_ext.ports import ChatMessage, ChatModel, ChatReply, ReplySchema
from langmem_ext.redaction import redact

logger = logging.getLogger(__name__)

T = TypeVar("T")
Rung: TypeAlias = Literal["json_schema", "json_object", "plain"]
_RUNGS: Final[tuple[Rung, ...]] = ("json_schema", "json_object", "plain")

_LONGEST_QUOTE = 8_000
# OpenAI refuses json_object when no message names JSON.
_ASK_FOR_JSON = ChatMessage("system", "Answer with JSON only.")


@dataclass(frozen=True, slots=True)
class StructuredReply(Generic[T]):
    """What `parse` made of the model's reply, or why there is none. Exactly one of the two is None.

    Attributes:
        value: What `parse` returned.
        error: Its kind says what went wrong; neither message nor kind hold what people said.
        usage: Of all calls that were answered.
    """

    value: T | None
    error: ModelError | None
    usage: Usage


@dataclass(frozen=True, slots=True)
class _Call:
    messages: Sequence[ChatMessage]
    schema: ReplySchema | None


_Steps: TypeAlias = Generator[_Call, object, T]


class StructuredChat:
    """Asks for JSON in the strictest way that the endpoint knows, and reads what comes back.

    A refused way is remembered for as long as this object lives, per name of the schema: a server may
    take one schema and not another. Safe to use from several threads and event loops.
    """

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self._rungs: dict[str, int] = {}  # single reads and writes of a dict need no lock

    def ask(
        self, messages: Sequence[ChatMessage], schema: ReplySchema, parse: Callable[[object], T]
    ) -> StructuredReply[T]:
        """One structured reply. Failures of any kind are values; nothing is raised.

        A reply that is not the JSON asked for is sent back once, with the complaint.

        Args:
            messages: The prompt. It describes the JSON too, for endpoints that ignore a schema.
            schema: What is asked for.
            parse: Makes the value out of the decoded JSON (an object or an array). Raises ValueError
                for another shape; the message of a `ReplyShapeError` is shown to the user.
        """
        flow = self._flow(messages, schema, parse)
        step = _advance(flow, None)
        while not isinstance(step, StructuredReply):
            try:
                outcome: object = self._model.complete(step.messages, step.schema)
            except Exception as error:  # a user's own model may raise anything; _failure names it
                outcome = error
            step = _advance(flow, outcome)
        return step

    async def aask(
        self, messages: Sequence[ChatMessage], schema: ReplySchema, parse: Callable[[object], T]
    ) -> StructuredReply[T]:
        """As `ask`. Long replies are read in a thread: the loop goes on."""
        flow = self._flow(messages, schema, parse)
        step = _advance(flow, None)
        while not isinstance(step, StructuredReply):
            try:
                outcome: object = await self._model.acomplete(step.messages, step.schema)
            except Exception as error:  # as in ask; a cancelled task is no Exception and gets out
                outcome = error
            step = await asyncio.to_thread(_advance, flow, outcome)
        return step

    def _flow(
        self, messages: Sequence[ChatMessage], schema: ReplySchema, parse: Callable[[object], T]
    ) -> _Steps[StructuredReply[T]]:
        """The conversation without I/O: yields calls, is sent replies or exceptions."""
        if not any("json" in message.content.lower() for message in messages):
            messages = [_ASK_FOR_JSON, *messages]
        usage = Usage()
        asked = messages
        for last in (False, True):
            outcome = yield from self._climb_down(asked, schema)
            if isinstance(outcome, ModelError):
                return StructuredReply(None, outcome, usage)
            usage += outcome.usage
            stopped = self._stopped(outcome)
            if stopped is not None:
                return StructuredReply(None, stopped, usage)
            try:
                return StructuredReply(parse(parse_json_reply(outcome.text, _fields(schema))), None, usage)
            except ValueError as error:
                complaint = error
            except Exception as error:  # a fault in parse must not break the chat that it serves
                return StructuredReply(None, self._failure(error), usage)
            if not last:
                logger.info("%s: a reply was not the JSON asked for; asking again", self._name)
                asked = [*messages, *_ask_again(outcome.text, complaint)]
        return StructuredReply(None, self._bad_reply(complaint), usage)

    def _climb_down(
        self, messages: Sequence[ChatMessage], schema: ReplySchema
    ) -> _Steps[ChatReply | ModelError]:
        """One reply, from the highest rung that the endpoint takes."""
        first = self._rungs.get(schema.name, _RUNGS.index(schema.mode))
        for rung in range(first, len(_RUNGS)):
            mode = _RUNGS[rung]
            outcome = yield _Call(messages, None if mode == "plain" else replace(schema, mode=mode))
            if isinstance(outcome, UnsupportedReplyFormatError) and mode != "plain":
                logger.info("%s does not take %s for %s", self._name, mode, schema.name)
                continue
            if isinstance(outcome, Exception):
                return self._failure(outcome)
            if not _is_reply(outcome):
                what = f"returned {type(outcome).__name__}, not a ChatReply with a text"
                return self._error("unexpected", what)
            # Only now: a server that refuses every request says nothing about formats.
            self._rungs[schema.name] = rung
            return outcome
        raise AssertionError("the last rung always returns")

    def _stopped(self, reply: ChatReply) -> ModelError | None:
        """The error for a reply that ended before it was complete."""
        if reply.finish_reason in ("length", "max_tokens"):
            return self._error("truncated", "was cut off by the limit on tokens; raise that limit")
        if reply.finish_reason in ("content_filter", "refusal"):
            return self._error("refused", "declined to answer")
        if not reply.text.strip():
            return self._error("empty_reply", "sent an empty reply")
        return None

    def _bad_reply(self, complaint: ValueError) -> ModelError:
        # Other messages may quote the reply, and the reply may quote the user.
        why = f": {complaint}" if isinstance(complaint, ReplyShapeError) else ""
        return self._error("bad_reply", f"did not send the JSON asked for, in two attempts{why}")

    def _failure(self, error: Exception) -> ModelError:
        """What a model raised, as a `ModelError`. Names the class only: the text may quote a prompt."""
        if isinstance(error, ModelError):
            return without_secrets(error)
        kind: ModelErrorKind = "unexpected"
        if isinstance(error, TimeoutError):
            kind = "timeout"
        elif isinstance(error, ConnectionError):
            kind = "unavailable"
        failure = self._error(kind, f"failed with {type(error).__name__}")
        failure.__cause__ = error
        return failure

    def _error(self, kind: ModelErrorKind, what: str) -> ModelError:
        return ModelError(redact(f"{self._name} {what}").text, kind=kind)

    @property
    def _name(self) -> str:
        try:
            return str(self._model.name)
        except Exception:  # in a user's own class; a name is no reason to fail
            return type(self._model).__name__


def without_secrets(error: ModelError) -> ModelError:
    """The error of a user's own class, whose message may repeat a key; the original is the cause."""
    message = str(error)
    if (told := redact(message).text) == message:
        return error
    clean = ModelError(told, kind=error.kind, retryable=error.retryable)
    clean.__cause__ = error
    return clean


def _advance(flow: _Steps[StructuredReply[T]], outcome: object) -> _Call | StructuredReply[T]:
    """The next call of a flow, or its result."""
    try:
        return flow.send(outcome)
    except StopIteration as done:
        result: StructuredReply[T] = done.value
        return result


def _is_reply(outcome: object) -> TypeGuard[ChatReply]:
    # Looked up by name: a user's own model may have put anything into the fields.
    return (
        isinstance(outcome, ChatReply)
        and isinstance(getattr(outcome, "text", None), str)
        and isinstance(getattr(outcome, "usage", None), Usage)
    )


def _fields(schema: ReplySchema) -> tuple[str, ...]:
    properties = schema.json_schema.get("properties")
    return tuple(properties) if isinstance(properties, dict) else ()


def _ask_again(reply: str, complaint: ValueError) -> tuple[ChatMessage, ChatMessage]:
    """The reply as the model's own words, and what is wrong with it, both cut to a sane length."""
    problem = str(complaint)[:_LONGEST_QUOTE].replace("<", "&lt;")
    return (
        ChatMessage("assistant", reply[:_LONGEST_QUOTE]),
        ChatMessage(
            "user",
            "That reply could not be used.\n"
            f"<problem>\n{problem}\n</problem>\n"
            "Send the whole answer again, as JSON only: no other text, no code fence.",
        ),
    )
