"""`python -m langmem_ext.demo`: from a conversation to the prompt, in a terminal."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from urllib.parse import urlsplit

from langmem_ext import LangMemExtError, LongTermMemory, MissingDependencyError, OpenAIChat
from langmem_ext.demo.conversations import load_conversation
from langmem_ext.ports import ChatModel

_DEFAULT_MODEL = "gpt-4o-mini"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the tour; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m langmem_ext.demo", description=__doc__)
    parser.add_argument(
        "--path", type=Path, help="keep the memories in this directory (default: a temporary one)"
    )
    options = parser.parse_args(arguments)
    try:
        if options.path is not None:
            _tour(options.path)
        else:
            with tempfile.TemporaryDirectory(prefix="langmem_ext-demo-") as folder:
                _tour(Path(folder) / "memory_db")
    except LangMemExtError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 1
    return 0


def _tour(path: Path) -> None:
    try:
        from langmem_ext.demo.tour import Tour
    except ModuleNotFoundError as error:
        if error.name != "rich":
            raise
        raise MissingDependencyError("rich", "demo", "The demo") from error
    conversations = [load_conversation("en"), load_conversation("zh")]
    # The conversations lie in the past; the tour looks at them from the day after.
    now = max(conversation.ends_at for conversation in conversations) + timedelta(days=1)
    with LongTermMemory(path, llm=_chat_model(), clock=_Clock(now)) as memory:
        Tour(memory, now=now, extractor=_extractor_name()).run(conversations)


class _Clock:
    """Rises by a millisecond at every look, so that what is written later is later."""

    def __init__(self, start: datetime) -> None:
        self._now = start

    def __call__(self) -> datetime:
        self._now += timedelta(milliseconds=1)
        return self._now


def _chat_model() -> ChatModel | None:
    if not _has_server():
        return None
    return OpenAIChat(os.environ.get("OPENAI_MODEL", _DEFAULT_MODEL), timeout=120.0)


def _has_server() -> bool:
    return bool(os.environ.get("OPENAI_API_KEY") or os.environ.get("OPENAI_BASE_URL"))


def _extractor_name() -> str:
    if not _has_server():
        return "rules (no LLM: set OPENAI_API_KEY or OPENAI_BASE_URL, and OPENAI_MODEL, to use one)"
    model = os.environ.get("OPENAI_MODEL", _DEFAULT_MODEL)
    # The host alone: a URL may hold a password.
    return f"{model} at {urlsplit(os.environ.get('OPENAI_BASE_URL', '')).hostname or 'the OpenAI API'}"


if __name__ == "__main__":
    sys.exit(main())
