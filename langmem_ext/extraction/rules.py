"""The extractor without an LLM, and the question whether a turn is worth a call at all."""

from __future__ import annotations

import asyncio

from langmem_ext.extraction.candidate import Extraction, ExtractionRequest
from langmem_ext.extraction.rules_gate import worth_a_call
from langmem_ext.extraction.rules_reader import read_turn

__all__ = ["RuleExtractor", "worth_a_call"]


class RuleExtractor:
    """Reads plain statements in English and Chinese by rules: offline, careful, blind to the rest."""

    window: int | None = None

    def extract(self, request: ExtractionRequest) -> Extraction:
        """The statements that a rule knows; what no rule knows is not an error."""
        return read_turn(request)

    async def aextract(self, request: ExtractionRequest) -> Extraction:
        """As `extract`, in a thread: long messages take a while to read."""
        return await asyncio.to_thread(self.extract, request)
