"""What one `add` sends to the LLM, calls and tokens, beside what mem0 sends for the same turn.

Counted, not timed: a server keeps the requests of both.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.data import sentences
from benchmarks.mem0_cost import NOTHING as MEM0_NOTHING
from benchmarks.mem0_cost import NotMeasuredError, Request, add_to_mem0
from benchmarks.prompt_server import PromptServer
from benchmarks.tables import Table
from langmem_ext import Embedder, LongTermMemory
from langmem_ext.models import OpenAIChat
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
_NOTHING = json.dumps({"memories": []})


@dataclass(frozen=True, slots=True)
class Counter:
    """A way to count tokens, and its name."""

    name: str
    count: Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Case:
    """A turn, how many memories its user has, and what the LLM says before it finds nothing to remember."""

    name: str
    turn: Sequence[tuple[str, str]]
    memories: int = 0
    first: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sent:
    """What a server got for one turn: calls, and tokens of the messages; `schema` is beside them."""

    calls: int
    tokens: int
    system: int
    schema: int


_CASES = (
    Case("a turn of a new user", _TURN),
    Case("a turn of a user with 40 memories", _TURN, memories=40),
    Case("the same in Chinese", _TURN_ZH, memories=40),
    Case("a first reply that is no JSON", _TURN, first=("I cannot do that.",)),
    Case("small talk", _SMALL_TALK),
)
_HEAD = ("", "calls", "tokens sent", "of them system prompt", "sent / the turn's own")
_HEAD_MEM0 = ("mem0: calls", "tokens sent", "mem0 / ours")


def prompt_table(embedder: Embedder, mem0: Path | None) -> Table:
    """Counts for every case.

    Args:
        embedder: For both.
        mem0: The interpreter of an environment with mem0. Without it, or when it fails, the columns of
            mem0 say "not measured", and a note says why.
    """
    counter = _counter()
    with PromptServer(embedder) as server:
        ours = [_ours(server, embedder, case, counter) for case in _CASES]
        theirs: Sequence[Sent | None] = [None] * len(_CASES)
        about_mem0: tuple[str, ...] = ()
        if mem0 is not None:
            try:
                theirs, about_mem0 = _mem0(server, embedder, counter, mem0)
            except NotMeasuredError as error:
                about_mem0 = (f"mem0 was not measured: {error}.",)
    rows = [_row(*each, counter) for each in zip(_CASES, ours, theirs, strict=True)]
    return Table(
        f"What one add() sends to the LLM, in tokens of {counter.name}. The turn's own text = 1",
        (*_HEAD, *_HEAD_MEM0),
        rows,
        (
            "Messages only. Beside them goes our JSON schema of the reply, where the server takes one: "
            f"{max(sent.schema for sent in ours)} tokens as text.",
            *about_mem0,
        ),
    )


def _ours(server: PromptServer, embedder: Embedder, case: Case, counter: Counter) -> Sent:
    model = f"{case.name} (langmem_ext)"
    server.script(model, [*case.first, _NOTHING])
    chat = OpenAIChat(model, base_url=server.base_url, api_key="not-needed")
    with closing(chat), LongTermMemory(llm=chat, embedder=embedder) as memory:
        user = memory.for_user("u-1001")
        if case.memories:
            user.remember_many(sentences(case.memories, "known"))
        user.add(list(case.turn), observed_at="2025-03-03T18:30:00+00:00")
    return _sent(server.chats(model), counter)


def _mem0(
    server: PromptServer, embedder: Embedder, counter: Counter, python: Path
) -> tuple[list[Sent], tuple[str, ...]]:
    requests = [Request(f"{c.name} (mem0)", c.turn, sentences(c.memories, "known")) for c in _CASES]
    for case, request in zip(_CASES, requests, strict=True):
        server.script(request.model, [*case.first, MEM0_NOTHING])
    version = add_to_mem0(requests, server.base_url, embedder.dim, python)
    about = (
        f"mem0 {version} as it comes (Qdrant), with the same embedder. It asks for JSON without a schema, "
        "and not a second time.",
        "It also sends up to 10 earlier messages of the user; here there were none.",
    )
    return [_sent(server.chats(request.model), counter) for request in requests], about


def _sent(bodies: Sequence[dict[str, Any]], counter: Counter) -> Sent:
    messages = [message for body in bodies for message in body["messages"]]
    schemas = [body["response_format"].get("json_schema") for body in bodies if "response_format" in body]
    return Sent(
        calls=len(bodies),
        tokens=sum(counter.count(message["content"]) for message in messages),
        system=sum(counter.count(message["content"]) for message in messages if message["role"] == "system"),
        schema=max((counter.count(json.dumps(schema)) for schema in schemas if schema), default=0),
    )


def _row(case: Case, ours: Sent, theirs: Sent | None, counter: Counter) -> tuple[str, ...]:
    said = sum(counter.count(text) for _, text in case.turn)
    row = (case.name, str(ours.calls), f"{ours.tokens:,}", f"{ours.system:,}", f"{ours.tokens / said:.1f}")
    if theirs is None:
        return (*row, "not measured", "-", "-")
    ratio = f"{theirs.tokens / ours.tokens:.1f}" if ours.tokens else "-"
    return (*row, str(theirs.calls), f"{theirs.tokens:,}", ratio)


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
