"""What one `add` sends to the LLM: calls and tokens. Counted, not timed."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TypeAlias

from benchmarks.data import sentences
from benchmarks.tables import Table
from langmem_ext import Embedder, LongTermMemory
from langmem_ext.testing import ScriptedChatModel
from langmem_ext.tokens import estimate_tokens

_TURN = (
    ("user", "I moved from Leeds to Bristol last month, and I am allergic to peanuts."),
    ("assistant", "Welcome to Bristol! I will keep the allergy in mind."),
)
_TURN_ZH = (
    ("user", "我上个月从北京搬到了杭州，另外我对花生过敏。"),
    ("assistant", "欢迎来到杭州！我会记住您的过敏情况。"),
)
_SMALL_TALK = (("user", "ok, thanks!"), ("assistant", "You are welcome."))
_EMPTY = json.dumps({"memories": []})


@dataclass(frozen=True, slots=True)
class Counter:
    """A way to count tokens, and its name."""

    name: str
    count: Callable[[str], int]


Turn: TypeAlias = Sequence[tuple[str, str]]


def prompt_table(embedder: Embedder) -> Table:
    counter = _counter()
    cases: list[tuple[str, Turn, int, list[str]]] = [
        ("a turn of a new user", _TURN, 0, [_EMPTY]),
        ("a turn of a user with 40 memories", _TURN, 40, [_EMPTY]),
        ("the same in Chinese", _TURN_ZH, 40, [_EMPTY]),
        ("a first reply that is no JSON", _TURN, 0, ["I cannot do that.", _EMPTY]),
        ("small talk", _SMALL_TALK, 0, []),
    ]
    rows = [(name, *_cost(embedder, counter, turn, count, replies)) for name, turn, count, replies in cases]
    return Table(
        f"What one add() sends to the LLM, in tokens of {counter.name}. The turn's own text = 1",
        ("", "calls", "tokens sent", "of them system prompt", "sent / the turn's own"),
        rows,
        ("Messages only: the JSON schema of the reply goes beside them, where the server takes one.",),
    )


def _cost(
    embedder: Embedder, counter: Counter, turn: Turn, memories: int, replies: list[str]
) -> tuple[str, str, str, str]:
    model = ScriptedChatModel(replies)
    with LongTermMemory(llm=model, embedder=embedder) as memory:
        user = memory.for_user("u-1001")
        if memories:
            user.remember_many(sentences(memories, "known"))
        user.add(list(turn), observed_at="2025-03-03T18:30:00+00:00")
    sent = [message for call in model.calls for message in call.messages]
    system = sum(counter.count(message.content) for message in sent if message.role == "system")
    tokens = sum(counter.count(message.content) for message in sent)
    said = sum(counter.count(text) for _, text in turn)
    return str(len(model.calls)), f"{tokens:,}", f"{system:,}", f"{tokens / said:.1f}"


def _counter() -> Counter:
    """tiktoken with the vocabulary that LlamaIndex ships, or else our own estimate."""
    cache = _vocabularies()
    if find_spec("tiktoken") is None or (cache is None and "TIKTOKEN_CACHE_DIR" not in os.environ):
        return Counter("estimate_tokens (an upper estimate; no tokenizer is installed)", estimate_tokens)
    os.environ.setdefault("TIKTOKEN_CACHE_DIR", str(cache))
    import tiktoken

    encoding = tiktoken.get_encoding("o200k_base")
    return Counter("o200k_base", lambda text: len(encoding.encode(text, disallowed_special=())))


def _vocabularies() -> Path | None:
    spec = find_spec("llama_index")
    places = (spec.submodule_search_locations if spec is not None else None) or ()
    folders = (Path(place) / "core/_static/tiktoken_cache" for place in places)
    return next((folder for folder in folders if folder.is_dir()), None)
