"""Replies of an LLM: a good one about a turn, and what may become of it on the way."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from datetime import date
from typing import Any, Final

from hypothesis import strategies as st
from pydantic import BaseModel

from langmem_ext import ChatMessage, ChatReply, ReplySchema
from langmem_ext.testing import ScriptedChatModel

TURN: Final = [
    {"role": "user", "id": "m1", "name": "Ann", "content": "I live in Lyon and I play the cello since 2019."},
    {"role": "assistant", "id": "m2", "content": "You could visit Zanzibar, it is warm there in May."},
    {"role": "user", "id": "m3", "content": "我对花生过敏，住在杭州。 The code they texted me is 481920."},
]
SAID: Final = {"m1": ("Ann", TURN[0]["content"]), "m3": ("user", TURN[2]["content"])}


class Instrument(BaseModel):
    """Own fields that let nearly everything through, so that the last check is ours."""

    name: str
    since: date | None = None
    level: float | None = None
    tags: list[str] = []
    more: dict[str, Any] = {}


FIELDS: Final = {"name": "cello", "since": "2019-05-01", "level": 2.5, "tags": ["bow"], "more": {"a": [1]}}
ENTRIES: Final[list[dict[str, Any]]] = [
    {
        "text": "The user lives in Lyon.", "type": "semantic", "key": "residence.city",
        "quote": "I live in Lyon", "message": 1, "valid_from": None, "valid_until": None, "replaces": 1,
        "correction": False, "importance": 0.8, "fields": None,
    },
    {
        "text": "用户对花生过敏。", "type": "semantic", "key": None, "quote": "我对花生过敏", "message": 3,
        "valid_from": None, "valid_until": "2026-12-31", "replaces": None, "correction": False,
        "importance": 1, "fields": None,
    },
    {
        "text": "The user plays the cello.", "type": "episodic", "key": "music.instrument",
        "quote": "I play … cello since 2019", "message": 1, "valid_from": "2019", "valid_until": None,
        "replaces": 2, "correction": True, "importance": 0.5, "fields": FIELDS,
    },
]  # fmt: skip
REPLY: Final = json.dumps({"memories": ENTRIES}, ensure_ascii=False)


# What a reply may look like

# Written without quotes: what json.dumps would refuse, or write in another way.
LITERALS = ["1e999", "-1e999", "NaN", "Infinity", "1E400", "9" * 5000, "0x1", "-0", "01", "undefined", "True"]
ODD_TEXTS = [
    "", " \n", "\x00", "a\x00b", "\ud800", "\udfff\ud800", "\U0001f378", "null", "1", "true", "1e999",
    "2019-05-01", "9999-12-31T23:59:59-23:59", "0001-01-01", "24:00", "2026-02-30", "I live in Lyon",
    "LYON", "e in Lyo", "481920", "The code is 481920", "[redacted: one-time code]", "…", "... … ...",
    "The user wants to visit Zanzibar", "用户住在里昂。", "L'utilisatrice habite à Lyon.", "question", "事件",
    "residence.city", "user_id", "城市", "assistant", "</long_term_memory>", "x" * 1001, "\u2028\u0085",
    "ｌｉｖｅ ｉｎ Ｌｙｏｎ", "Cafe\u0301", "{'fact': 'x'}", "$where", "live in Lyon " * 200,
]  # fmt: skip
NUMBERS = st.sampled_from([0, 1, 2, 3, -1, 1.5, 2**53 + 1, 2**70, -(2**70), 1e-320, 1e308, 0.1 + 0.2])
TEXTS = st.sampled_from(ODD_TEXTS) | st.text(st.characters(), max_size=20)
SCALARS = st.none() | st.booleans() | NUMBERS | TEXTS | st.sampled_from([f"@{text}@" for text in LITERALS])
NAMES = st.sampled_from([*ENTRIES[0], *FIELDS, "memory", "fact", "speaker", "role", "action", "用户"]) | TEXTS
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)
DEEP = st.integers(2, 40).map(lambda depth: json.loads("[" * depth + "]" * depth))


ODD_VALUES: Final[list[Any]] = [
    *ODD_TEXTS, "@1e999@", "@-1e999@", "@-0@", None, True, False, 0, 1, 2, -1, 1.5, 2**53 + 1, 2**70,
    -(2**70), 1e-320, 1e308, [], {}, [1], ["1"], [None], [[]], {"": None}, {"text": ""}, {"fact": ["x"]},
    {"text": {"text": "x"}}, ["The user plays the cello"], {"name": "cello"}, {"$date": "2026-01-01"},
]  # fmt: skip


def with_literals(text: str) -> str:
    """JSON in which what stands between @ and @ is written as it is."""
    for literal in LITERALS:
        text = text.replace(f'"@{literal}@"', literal)
    return text


def odd_entries(path: Sequence[str]) -> list[dict[str, Any]]:
    """Good entries of different texts; each has another odd value at this place."""
    entries = []
    for number, value in enumerate(ODD_VALUES):
        entry = {**copy.deepcopy(ENTRIES[2]), "key": None, "replaces": None}
        entry["text"] = f"The user plays the cello {'on ' * number}and on."
        place = entry
        for name in path[:-1]:
            place = place[name]
        place[path[-1]] = value
        entries.append(entry)
    return entries


@st.composite
def changed_entries(draw: st.DrawFn) -> list[Any]:
    """Good entries, a few of their fields dropped, renamed, or with another value."""
    entries = copy.deepcopy(draw(st.lists(st.sampled_from(ENTRIES), min_size=1, max_size=3)))
    for _ in range(draw(st.integers(0, 4))):
        entry = draw(st.sampled_from(entries))
        names = [*sorted(entry), *(name for name in ("text", "quote") * 3 if name in entry)]
        name = draw(st.sampled_from(names) if names else NAMES)
        match draw(st.sampled_from(["drop", "rename", "value", "value", "list", "text", "field", "field"])):
            case "drop":
                entry.pop(name, None)
            case "rename":
                entry[draw(NAMES)] = entry.pop(name, None)
            case "value":
                entry[name] = draw(TEXTS | VALUES)
            case "list":
                entry[name] = [entry.get(name)]
            case "text":
                entry[name] = str(entry.get(name))
            case "field":
                entry["fields"] = {**FIELDS, draw(NAMES): draw(VALUES | DEEP)}
    return [*entries, *draw(st.lists(VALUES, max_size=1))]


def wrapped(entries: list[Any], how: str) -> Any:
    """Entries as some model wraps them."""
    return {
        "memories": {"memories": entries}, "bare": entries, "facts": {"facts": entries},
        "single": {"memories": entries[0]}, "lone": entries[0], "nested": {"data": {"memories": entries}},
        "in a list": [{"memories": entries}], "by number": {"memories": dict(enumerate(entries))},
        "as text": {"memories": json.dumps(entries)}, "beside others": {"ok": True, "memories": entries},
        "null": {"memories": None}, "twice": {"memory": entries, "memories": entries},
    }[how]  # fmt: skip


WRAPPERS = [
    *["memories"] * 12, "bare", "facts", "single", "lone", "nested", "in a list",
    "by number", "as text", "beside others", "null", "twice",
]  # fmt: skip
AROUND = [
    *["{}"] * 10, "```json\n{}\n```", "Sure! Here you go:\n{}\nAnything else? [1]", "\ufeff{}", "```\n{}",
    '<think>maybe {"memories":["no"]}?</think>{}', "<think>{}", "{}</think>", "<think>{}</think>{}", "{}{}",
    "{}\n{}", "data: {}\n\n", '"{}"', "({})", "{},", "<thinking>[{</thinking>{}",
]  # fmt: skip


@st.composite
def changed_replies(draw: st.DrawFn) -> ChatReply:
    """A good reply, changed in what it says, how it is written, what is around it, or where it ends."""
    data = wrapped(draw(changed_entries()), draw(st.sampled_from(WRAPPERS)))
    text = with_literals(json.dumps(data, ensure_ascii=draw(st.booleans())))
    if draw(st.integers(0, 4)) == 0:  # one name twice
        name = draw(st.sampled_from(["text", "quote", "memories", "replaces"]))
        text = text.replace(f'"{name}":', f'"{name}":{json.dumps(draw(SCALARS))},"{name}":', 1)
    if draw(st.integers(0, 4)) == 0:
        text = text.replace("]", ",]").replace(": ", " :\t")
    text = draw(st.sampled_from(AROUND)).replace("{}", text)
    if draw(st.integers(0, 7)) == 0:
        text = text[: draw(st.integers(0, len(text)))]
    if draw(st.integers(0, 9)) == 0:
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(TEXTS) + text[at + draw(st.integers(0, 5)) :]
    reasons = ["stop"] * 20 + ["length", "max_tokens", "content_filter", "tool_calls", "", "STOP"]
    return ChatReply(text, draw(st.sampled_from(reasons)))


ANY_TEXT = (
    st.text(st.characters())
    | st.text(st.sampled_from('{}[]",:\\<>/think \n0aé医\x00\ud800'))
    | st.binary().map(lambda data: data.decode("utf-8", "surrogateescape"))
    | st.binary().map(lambda data: data.decode("utf-16", "replace"))
)

HUGE = {
    "long text": "x" * 300_000,
    "open brackets": "[" * 100_000,
    "brackets": "[" * 50_000 + "]" * 50_000,
    "deep objects": '{"a":' * 20_000 + "1" + "}" * 20_000,
    "deep values": REPLY.replace('"a": [1]', '"a": ' + "[" * 400 + "]" * 400),
    "many entries": json.dumps({"memories": ENTRIES * 200}),
    "many fields": REPLY.replace('"a": [1]', ",".join(f'"k{number}": {number}' for number in range(5000))),
    "a long quote": json.dumps({"memories": [{**ENTRIES[0], "quote": "I live in Lyon " * 5000}]}),
    "a long text": json.dumps({"memories": [{**ENTRIES[0], "text": "用户住在里昂" * 10_000}]}),
    "a long number": REPLY.replace('"replaces": 1', '"replaces": ' + "1" * 100_000),
    "more than is read": " " * 300_000 + REPLY[:-2] + " " * 300_000 + "]}",
    "nuls": "\x00" * 100_000 + REPLY,
}  # fmt: skip


class Asked(ScriptedChatModel):
    """Answers every first call with one reply and every repair with another."""

    def __init__(self, first: str | ChatReply, second: str | ChatReply = "") -> None:
        def answer(messages: Sequence[ChatMessage], schema: ReplySchema | None) -> str | ChatReply:
            return second if messages[-2].role == "assistant" else first

        super().__init__([answer] * 4)
