"""From a conversation turn to candidates for memories: with an LLM, or by rules."""

from __future__ import annotations
