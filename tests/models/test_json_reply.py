from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langmem_ext.models import json_reply
from langmem_ext.models.json_reply import ReplyShapeError, parse_json_reply

FIELDS = ("memories",)
OSAKA = {"memories": [{"text": "User lives in Osaka"}]}
GOOD = json.dumps(OSAKA)


@pytest.mark.parametrize(
    "reply",
    [
        GOOD,
        "\ufeff" + GOOD,
        f"  \n{GOOD}\n",
        f"```json\n{GOOD}\n```",
        f"~~~\n{GOOD}\n~~~",
        f"Sure! Here you go:\n```json\n{GOOD}\n```\nAnything else?",
        f'<think>maybe {{"memories": [wrong]}}?</think>\n{GOOD}',
        f'<think>maybe {{"memories": [{{"text": "wrong"}}]}}?</think>\n{GOOD}',
        f'<think>\nhmm {{ "memories": </think>{GOOD}',
        f'thinking {{"memories": [{{"text": "wrong"}}]}} on\n</think>\n{GOOD}',
        f'<thinking mode="deep">{{"memories": []}}</thinking>{GOOD}',
        f"{GOOD}\n<think>was that right? {{}}</think>",
        f'{GOOD}\n<think>open, with {{"memories": []}}',
        f'The format is {{"memories": [{{"text": "an example that is much longer"}}]}}. My answer: {GOOD}',
        f'The format is ```json\n{{"memories": [{{"text": "example"}}]}}\n``` My answer:\n```\n{GOOD}\n```',
        f'{GOOD}\nNote: each entry is {{"text": "..."}} [1]. See also [the docs](x).',
        f"Use {{ to open. {GOOD}",
        f"[Assistant]: {GOOD}",
        f"As {{requested}} and [as said], {GOOD} :-]",
        '{"memories": [{"text": "User lives in Osaka",},],}',
        'Here: {"memories": [{"text": "User lives in Osaka"} , ] , } done',
    ],
)
def test_the_answer_is_found(reply: str) -> None:
    assert parse_json_reply(reply, FIELDS) == OSAKA


def test_a_bare_array() -> None:
    assert parse_json_reply('[{"text":"User plays cello"}]', FIELDS) == [{"text": "User plays cello"}]
    assert parse_json_reply('Here: [{"text":"User plays cello"}] [1]', FIELDS) == [
        {"text": "User plays cello"}
    ]
    assert parse_json_reply("[]", FIELDS) == []


@pytest.mark.parametrize("between", ["\n", " ", ",\n", ""])
def test_lines_of_json_are_one_array(between: str) -> None:
    entries = [{"text": "User plays cello"}, {"text": "User lives in Lyon"}, {"text": "User is 34"}]
    lines = between.join(map(json.dumps, entries))
    assert parse_json_reply(lines, FIELDS) == entries
    assert parse_json_reply(f"Here you go:\n```json\n{lines}\n```", FIELDS) == entries
    assert parse_json_reply(f"{lines}\nor rather\n{GOOD}", FIELDS) == OSAKA
    assert parse_json_reply(json.dumps(entries[0]), FIELDS) == entries[0]


def test_an_empty_answer_after_an_example_is_empty() -> None:
    example = '{"memories": [{"text": "User likes long walks"}]}'
    assert parse_json_reply(f'Like {example}, but here: {{"memories": []}}', FIELDS) == {"memories": []}


@pytest.mark.parametrize(
    "reply", [f'{GOOD} and {{"memories": []}}', f'```json\n{GOOD}\n``` or {{"memories":[]}}']
)
def test_an_empty_one_behind_the_answer_does_not_take_its_place(reply: str) -> None:
    assert parse_json_reply(reply, FIELDS) == OSAKA
    assert parse_json_reply('{"memories": []} or {"memories": []}', FIELDS) == {"memories": []}


@pytest.mark.parametrize("around", ["{}", "```json\n{}\n```", "Here you go: {} [1]"])
def test_bare_sentences_and_lists_of_lists_are_left_to_the_caller(around: str) -> None:
    for value in (["User plays cello"], [[{"text": "User plays cello"}]], {"Memories": [{"text": "x"}]}):
        assert parse_json_reply(around.format(json.dumps(value)), FIELDS) == value


def test_brackets_that_are_not_json_are_not_tried_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []

    class Counting(json.JSONDecoder):
        def raw_decode(self, s: str, idx: int = 0) -> tuple[Any, int]:
            tried.append(len(s))
            return super().raw_decode(s, idx)

    monkeypatch.setattr(json_reply, "_DECODER", Counting())
    for reply in ("{x}" * 60_000, '{"a"} ' * 30_000, "[x] " * 40_000):
        with pytest.raises(ReplyShapeError):
            parse_json_reply(reply, FIELDS)
    assert len(tried) < 10_000


def test_tags_and_brackets_inside_strings_are_text() -> None:
    value = {"memories": [{"text": 'writes <think>, </think>, "```", } and [ a lot, ]'}]}
    assert parse_json_reply(f"Here: {json.dumps(value)} !", FIELDS) == value
    assert parse_json_reply(json.dumps(value), FIELDS) == value


def test_a_near_miss_name_is_left_to_the_caller() -> None:
    assert parse_json_reply('So: {"facts": [1]}', FIELDS) == {"facts": [1]}


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "You have hit your usage limit. Resets at 5pm.",
        "null",
        '"text"',
        "42",
        '{"memories":[{"text":"User is allergic to penicillin"},{"text":"User does not wa',
        '{"memories":[{"text":"User is allergic to penicillin"},',
        'Example: {"memories": [{"text": "example"}]}. Answer: {"memories": [{"text": "User lives',
        '{"memories":[{"text":"A"}, {"text": "B"} {"text": "C"}]}',
        '{"memories":[{"text":"A"}], "note": undefined}',
        '<think>only thinking {"memories": [{"text": "wrong"}]}',
        'only thinking {"memories": [{"text": "wrong"}]}</think> Sorry, no.',
        '{"importance": NaN}',
        "[" * 100_000,
        '{"a":' * 50_000,
        "{" * 100_000,
        "[1](2) " * 20_000,
        "x" * 300_000,
    ],
)
def test_nothing_is_made_up(reply: str) -> None:
    started = time.monotonic()
    with pytest.raises(ReplyShapeError):
        parse_json_reply(reply, FIELDS)
    assert time.monotonic() - started < 5


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None)  # a busy machine is no failure
@given(
    value=st.lists(st.dictionaries(st.text(), json_values)),
    around=st.sampled_from(["", "Ja: ", "<think>x</think>"]),
)
def test_any_json_comes_back(value: list[dict[str, Any]], around: str) -> None:
    wrapped = {"memories": value}
    assert parse_json_reply(f"{around}{json.dumps(wrapped)}", FIELDS) == wrapped


@settings(deadline=None)  # a busy machine is no failure
@given(value=st.lists(st.dictionaries(st.text(), json_values), min_size=1), data=st.data())
def test_no_prefix_of_an_answer_is_an_answer(value: list[dict[str, Any]], data: st.DataObject) -> None:
    whole = json.dumps({"memories": value})
    cut = whole[: data.draw(st.integers(0, len(whole) - 1))]
    with pytest.raises(ReplyShapeError):
        parse_json_reply(cut, FIELDS)


@settings(deadline=None)  # a busy machine is no failure
@given(st.text() | st.text(alphabet='{}[]",:\\<>think/ \n1a'))
def test_any_text_is_a_container_or_a_shape_error(text: str) -> None:
    try:
        assert isinstance(parse_json_reply(text, FIELDS), dict | list)
    except ReplyShapeError:
        pass
