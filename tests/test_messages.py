from __future__ import annotations

import uuid
from typing import Any, cast

import pytest

from langmem_ext import LongTermMemory
from langmem_ext.errors import InvalidInputError
from langmem_ext.messages import BLOCK_CLOSE, BLOCK_OPEN, Message, parse_messages
from langmem_ext.testing import FakeEmbedder


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


@pytest.mark.parametrize("query", ["tea?", "喝茶吗"])
def test_a_block_that_was_cut_off_is_taken_out_to_the_end(query: str) -> None:
    with LongTermMemory(embedder=FakeEmbedder()) as memory:
        user = memory.for_user("u1")
        user.remember("The user is vegan")
        block = user.context(query).text
    assert block.startswith(BLOCK_OPEN)
    assert told(f"hi {block}") == told(f"hi {' '.join(block.split())}") == [("user", "user", "hi")]
    for end in (len(BLOCK_OPEN), len(BLOCK_OPEN) + 1, len(BLOCK_OPEN) + 60, len(block) - 5):
        assert told(f"hi {block[:end]}") == [("user", "user", "hi")]


@pytest.mark.parametrize(
    "text",
    [
        f"What is `{BLOCK_OPEN}`? I'm allergic to nuts.",
        f"{BLOCK_OPEN} is what my prompt begins with. I'm allergic to nuts.",
        f"What are {BLOCK_OPEN} and {BLOCK_CLOSE}? I'm allergic to nuts.",
        f"Does `{BLOCK_OPEN}` need an end? I'm allergic to nuts. Is it `{BLOCK_CLOSE}`?",
    ],
)
def test_who_names_the_tag_is_heard(text: str) -> None:
    assert told(text) == [("user", "user", text)]


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
        ([{"role": "user", "content": ["a", 3]}], "message 0"),
        ([{"type": "wizard", "content": "x"}], "wizard"),
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


class Part:
    """As content parts of the OpenAI client and blocks of LlamaIndex look."""

    def __init__(self, **attributes: Any) -> None:
        self.__dict__.update(attributes)


@pytest.mark.parametrize(
    "content",
    [
        [Part(type="text", text="I live in Lyon")],
        [Part(type="output_text", text="I live in Lyon", annotations=[])],
        [Part(block_type="text", text="I live in Lyon"), Part(block_type="image", image=b"x")],
        [Part(text="I live in Lyon")],
        [{"text": "I live in Lyon"}, {"image": {"format": "png"}}],
        [{"block_type": "text", "text": "I live in Lyon"}],
        [{"type": "text", "text": {"value": "I live in Lyon", "annotations": []}}],
        [Part(type="text", text=Part(value="I live in Lyon", annotations=[]))],
        [{"type": "text", "content": "I live in Lyon"}],
        {"type": "text", "text": "I live in Lyon"},
        {"text": "I live in Lyon"},
        Part(type="text", text="I live in Lyon"),
    ],
)
def test_a_content_part_is_read_whatever_its_shape(content: Any) -> None:
    assert told([{"role": "user", "content": content}]) == [("user", "user", "I live in Lyon")]


@pytest.mark.parametrize(
    "item",
    [
        {"type": "function_call", "call_id": "c1", "name": "book", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "42A"},
        {"type": "reasoning", "id": "r1", "summary": []},
        {"type": "web_search_call", "id": "w1", "status": "completed"},
        {"type": "custom_tool_call_output", "output": "42A"},
        {"type": "item_reference", "id": "x"},
        Part(type="function_call", name="book", arguments="{}"),
        Part(type="function_call_output", output="42A"),
        Said("42A", type="ToolMessageChunk"),
        Said("42A", type="FunctionMessageChunk"),
        Said("be brief", type="SystemMessageChunk"),
    ],
)
def test_items_that_nobody_said_are_left_out(item: Any) -> None:
    assert told([("user", "hi"), item]) == [("user", "user", "hi")]


@pytest.mark.parametrize(
    ("message", "role"),
    [
        (Said("tea", type="HumanMessageChunk"), "user"),
        (Said("tea", type="AIMessageChunk"), "assistant"),
        ({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "tea"}]}, "user"),
        ({"type": "human", "content": "tea"}, "user"),
        ({"role": "model", "content": "tea"}, "assistant"),
        ({"role": "CHATBOT", "content": "tea"}, "assistant"),
    ],
)
def test_a_message_is_known_by_its_role_or_type(message: Any, role: str) -> None:
    assert told([message]) == told(message) == [(role, role, "tea")]


def test_a_number_is_an_id_and_a_name() -> None:
    number = uuid.uuid4()
    said = [{"role": "user", "content": "tea", "id": given, "name": 7} for given in (17, 0, number, "17")]
    assert [message.message_id for message in parse_messages(said)] == ["17", "0", str(number), "17"]
    assert parse_messages(said)[0].speaker == "7"
    [message] = parse_messages([{"role": "user", "content": "tea", "id": True}])
    assert message.message_id.startswith("msg-")


def test_a_turn_with_a_number_as_its_id_can_be_deleted() -> None:
    with LongTermMemory(embedder=FakeEmbedder()) as memory:
        user = memory.for_user("u1")
        user.add([{"role": "user", "content": "I am allergic to nuts.", "id": 17}])
        assert len(list(user.iter_memories())) == 1
        user.delete_source("17")
        assert list(user.iter_memories()) == []
