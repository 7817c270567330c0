"""The extractor that asks an LLM, once per turn."""

from __future__ import annotations

from dataclasses import replace

from langmem_ext.extraction.candidate import Candidate, Extraction, ExtractionRequest, user_messages
from langmem_ext.extraction.customisation import Customisation
from langmem_ext.extraction.prompt import REPLY_SCHEMA, build_messages
from langmem_ext.extraction.reply import parse_candidates
from langmem_ext.items import LearningError, Outcome
from langmem_ext.models.structured import StructuredChat, StructuredReply
from langmem_ext.ports import ChatMessage, ChatModel

_Parsed = tuple[list[Candidate], list[Outcome]]
# Of messages, by the estimate. Some ten pages: models overlook facts in longer ones, and answers are cut off.
WINDOW = 3_000


class LLMExtractor:
    """Extracts memories with one structured call; what fails becomes `Extraction.error`."""

    window: int | None = WINDOW

    def __init__(self, model: ChatModel, custom: Customisation | None = None) -> None:
        """Ask this model, with what the application wants."""
        self._chat = StructuredChat(model)
        self._custom = custom or Customisation()
        schema = self._custom.reply_schema(REPLY_SCHEMA.json_schema)
        self._schema = replace(REPLY_SCHEMA, json_schema=schema)

    def _messages(self, request: ExtractionRequest) -> list[ChatMessage]:
        return build_messages(request, self._custom.prompt())

    def _parse(self, data: object, request: ExtractionRequest) -> _Parsed:
        return parse_candidates(data, request, self._custom)

    def extract(self, request: ExtractionRequest) -> Extraction:
        """Ask the model about a turn. A turn in which nobody but the assistant spoke costs no call."""
        if not user_messages(request.messages):
            return Extraction()
        reply: StructuredReply[_Parsed] = self._chat.ask(
            self._messages(request), self._schema, lambda data: self._parse(data, request)
        )
        return _extraction(reply)

    async def aextract(self, request: ExtractionRequest) -> Extraction:
        """As `extract`."""
        if not user_messages(request.messages):
            return Extraction()
        reply: StructuredReply[_Parsed] = await self._chat.aask(
            self._messages(request), self._schema, lambda data: self._parse(data, request)
        )
        return _extraction(reply)


def _extraction(reply: StructuredReply[_Parsed]) -> Extraction:
    if reply.value is not None:
        candidates, rejected = reply.value
        return Extraction(tuple(candidates), tuple(rejected), reply.usage)
    error = reply.error
    if error is None:  # neither a value nor an error: the port was not kept
        return Extraction(usage=reply.usage, error=LearningError("bad_reply", "the reply was empty", True))
    return Extraction(usage=reply.usage, error=LearningError(error.kind, str(error), error.retryable))
