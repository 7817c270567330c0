from __future__ import annotations

from typing import Any, cast

import pytest

from langmem_ext.errors import InvalidInputError
from langmem_ext.messages import BLOCK_CLOSE, BLOCK_OPEN, Message, parse_messages


def told(messages: Any) -> list[tuple[str, str, str]]:
    return [(message.role, message.speaker, message.content) for message in parse_messages(messages)]


@pytest.mark.parametrize(
    "messages",
    [
        "I moved to Lyon",
        {"role": "user", "content": "I moved to Lyon"},
        Message("user", "I moved to Lyon", "user", "m1"),
        ["I moved to Lyon"],
        [{"role": "user", "content": "I moved to Lyon"}],
        [{"role": "human", "content": " I moved to Lyon\n"}],
        [{"role": "USER", "content": [{"type": "text", "text": "I moved to Lyon"}]}],
        [("user", "I moved to Lyon")],
        ({"role": "user", "content": ["I moved to Lyon"]},),
    ],
)
def test_every_shape_says_the_same(messages: Any) -> None:
    assert told(messages) == [("user", "user", "I moved to Lyon")]


def test_names_and_ids_are_kept() -> None:
    parsed = parse_messages(
        [{"role": "user", "content": "hi", "name": " Ann ", "id": "m-1"}, ("ai", "hello")]
    )
    assert [(m.role, m.speaker) for m in parsed] == [("user", "Ann"), ("assistant", "assistant")]
    assert parsed[0].message_id == "m-1"


def test_an_id_is_made_from_what_was_said() -> None:
    first, again, other = parse_messages(["tea", "tea", "coffee"])
    assert first.message_id == again.message_id != other.message_id


@pytest.mark.parametrize("role", ["system", "developer", "tool", "function"])
def test_what_nobody_said_is_left_out(role: str) -> None:
    assert told([{"role": role, "content": '{"ok": true}'}, ("user", "hi")]) == [("user", "user", "hi")]


def test_an_assistants_tool_call_has_no_text() -> None:
    call = {"role": "assistant", "content": None, "tool_calls": [{"name": "book", "args": {"t": "9:00"}}]}
    assert told([("user", "Book the 9am train"), call, ("assistant", "Booked.")]) == [
        ("user", "user", "Book the 9am train"),
        ("assistant", "assistant", "Booked."),
    ]


def test_images_and_files_are_left_out() -> None:
    parts = [
        {"type": "text", "text": "I love sailing"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        {"type": "input_text", "text": "at sea"},
        {"type": "text", "text": None},
        {"type": "file", "text": "secret"},
    ]
    assert told([{"role": "user", "content": parts}]) == [("user", "user", "I love sailing\nat sea")]
    assert told([{"role": "user", "content": parts[1:2]}]) == []


@pytest.mark.parametrize("blank", ["", " \n\t", None, [], "\u2003"])
def test_blank_messages_are_left_out(blank: Any) -> None:
    assert told([{"role": "user", "content": blank}]) == []
    assert told([]) == told("") == []


def test_the_memory_does_not_read_its_own_block_again() -> None:
    block = f"{BLOCK_OPEN}\nUser is vegan\n{BLOCK_CLOSE}"
    assert told(f"{block} hi") == [("user", "user", "hi")]
    assert told(f"before {block} between {block} after") == [("user", "user", "before   between   after")]
    assert told(block) == []
    assert told(f"hi {BLOCK_OPEN} cut off") == [("user", "user", "hi")]


def test_half_characters_are_mended() -> None:
    assert told("tea \ud83c\udf78")[0][2] == "tea \U0001f378"
    told("tea \ud83c")[0][2].encode()


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        (None, "NoneType"),
        (42, "int"),
        (b"hi", "bytes"),
        ([42], "message 0"),
        ([b"hi"], "message 0"),
        ([("user", "a"), ("wizard", "b")], "wizard"),
        ([{"content": "no role"}], "role"),
        ([{"role": "user", "content": 3}], "message 0"),
        ([{"role": "user", "content": b"x"}], "message 0"),
        ([{"role": None, "content": "x"}], "None"),
        (("user", "a pair that is no list"), "list"),
        ([("user", "a", "b")], "message 0"),
    ],
)
def test_what_can_not_be_read_is_named(messages: Any, words: str) -> None:
    with pytest.raises(InvalidInputError, match=words):
        parse_messages(messages)


class Said:
    """As objects of the OpenAI client and of frameworks look."""

    def __init__(self, content: Any, **attributes: Any) -> None:
        self.content = content
        self.__dict__.update(attributes)


def test_objects_with_a_role_and_a_content_are_messages() -> None:
    said = [
        Said("I live in Lyon", type="human", id="m1", name=None),
        Said("Nice.", role="assistant"),
        Said("secret plan", type="system"),
        Said([{"type": "text", "text": "我住在杭州"}], role="user", name="林"),
    ]
    read = parse_messages(cast("Any", said))
    assert [(m.role, m.content, m.speaker) for m in read] == [
        ("user", "I live in Lyon", "user"),
        ("assistant", "Nice.", "assistant"),
        ("user", "我住在杭州", "林"),
    ]
    assert read[0].message_id == "m1"


def test_a_message_object_is_read_like_any_other() -> None:
    echo = Message("user", f"{BLOCK_OPEN}\nThe user is vegan.\n{BLOCK_CLOSE} hi", "user", "m1")
    assert [message.content for message in parse_messages([echo])] == ["hi"]


@pytest.mark.parametrize(
    "message", [{"role": "user", "text": "I live in Rome."}, {"role": "user"}, {"role": "user", "parts": []}]
)
def test_a_message_whose_text_has_another_name_is_refused(message: Any) -> None:
    with pytest.raises(InvalidInputError, match="no 'content'"):
        parse_messages([message])
    assert parse_messages([{"role": "assistant", "tool_calls": [{"id": "1"}]}]) == []
