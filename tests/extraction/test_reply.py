from __future__ import annotations

import copy
import json
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langmem_ext.extraction.reply import MAX_CANDIDATES, parse_candidates
from tests.extraction.helpers import NOW, parsed, request

CELLO = "I play the cello in an orchestra in Lyon."
ENTRY: dict[str, Any] = {
    "text": "The user plays the cello.",
    "type": "semantic",
    "key": None,
    "quote": "I play the cello",
    "message": 1,
    "valid_from": None,
    "valid_until": None,
    "replaces": None,
    "correction": False,
    "importance": 0.4,
}


def entry(**changes: object) -> dict[str, Any]:
    return {**ENTRY, **changes}


def test_a_full_entry() -> None:
    [candidate], rejected = parsed(CELLO, entry(key="Main.Instrument"))
    assert rejected == []
    assert candidate.content == "The user plays the cello."
    assert candidate.key == "main.instrument"
    assert candidate.importance == 0.4
    assert (candidate.source.quote, candidate.source.speaker) == ("I play the cello", "user")
    assert candidate.source.message_id == request(CELLO).messages[0].message_id


@pytest.mark.parametrize(
    "data",
    [
        [{"text": "User plays cello"}],
        {"memories": [{"memory": "User plays cello"}]},
        {"memories": [{"text": {"fact": "User plays cello"}}]},
        {"memories": ["User plays cello"]},
        {"facts": [{"Fact": "User plays cello"}]},
        {"memories": {"content": "User plays cello"}},
        {"text": "User plays cello"},
        {"facts": None, "items": [{"text": "User plays cello"}]},
        {"memories": [], "facts": ["User plays cello"]},
        {"Memories": [{"Text": "User plays cello"}]},
        {"result": {"memories": [{"text": "User plays cello"}]}},
        {"data": {"Facts": ["User plays cello"]}},
        {"memories": {"1": {"text": "User plays cello"}}},
        {"memories": {"items": [{"text": "User plays cello"}]}},
        [[{"text": "User plays cello"}]],
        {"memories": [[{"text": "User plays cello"}]]},
        {"Text": "User plays cello"},
    ],
)
def test_near_misses_of_the_shape(data: object) -> None:
    candidates, rejected = parse_candidates(data, request(CELLO))
    assert [candidate.content for candidate in candidates] == ["User plays cello"]
    assert rejected == []


@pytest.mark.parametrize(
    "data", [None, "hello", 7, {}, {"memories": "none"}, {"status": "ok"}, {"result": {"ok": 1}}]
)
def test_a_hopeless_shape_raises_without_user_text(data: object) -> None:
    with pytest.raises(ValueError, match="memories") as failure:
        parse_candidates(data, request("zanzibar"))
    assert "zanzibar" not in str(failure.value)


@pytest.mark.parametrize(
    "data",
    [[], {"memories": []}, {"memories": None}, {"facts": None, "items": []}, {"result": {"facts": []}}],
)
def test_nothing_to_learn(data: object) -> None:
    assert parse_candidates(data, request(CELLO)) == ([], [])


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        ({"type": "semantic"}, "invalid: field text is missing"),
        (entry(text="  "), "invalid: field text is blank"),
        (entry(text=["a"]), "invalid: field text is not a string"),
        (entry(text={"x": 1}), "invalid: field text is missing"),
        (entry(text="x" * 1001), "invalid: field text has more than 1000 characters"),
        (entry(type=3), "invalid: field type is not a string"),
        (42, "invalid: field memories holds an entry that is not an object"),
    ],
)
def test_one_broken_entry_leaves_the_others(broken: object, reason: str) -> None:
    candidates, rejected = parsed(CELLO, ENTRY, broken)
    assert len(candidates) == 1
    assert rejected == [reason]


@pytest.mark.parametrize("name", ["question", "roleplay", "role_play", "Hypothetical", "joke", "玩笑"])
def test_types_that_do_not_last(name: str) -> None:
    candidates, [reason] = parsed("Is sushi fattening?", {"text": "User eats sushi", "type": name})
    assert candidates == []
    assert reason.startswith("not durable")


def test_unknown_and_foreign_types() -> None:
    kinds = ["preference", "event", "procedure", "事件"]
    candidates, _ = parsed(CELLO, *[entry(type=kind) for kind in kinds])
    assert [candidate.memory_type for candidate in candidates] == [
        "semantic",
        "episodic",
        "procedural",
        "episodic",
    ]


@pytest.mark.parametrize(
    ("value", "expected"),
    [(1, 1), ("2", 2), (2.0, 2), (0, None), (3, None), (True, None), (-1, None), (1.5, None), ("x", None)],
)
def test_replaces_names_a_shown_neighbour_or_nothing(value: object, expected: int | None) -> None:
    [candidate], _ = parsed(CELLO, entry(replaces=value), neighbours=["a", "b"])
    assert candidate.replaces == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.5, 0.5), ("0.8", 0.8), (8, 0.8), (True, None), (-1, None), (float("nan"), None), (10**400, None)],
)
def test_importance(value: object, expected: float | None) -> None:
    [candidate], _ = parsed(CELLO, entry(importance=value))
    assert candidate.importance == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("residence.city", "residence.city"),
        ("User.Residence.City", "residence.city"),
        ("favorite-color", "favorite_color"),
        ("城市", None),
        ("x" * 65, None),
        (5, None),
        ("", None),
    ],
)
def test_key(value: object, expected: str | None) -> None:
    [candidate], _ = parsed(CELLO, entry(key=value))
    assert candidate.key == expected


def test_dates_are_local_and_end_with_their_day() -> None:
    tokyo = ZoneInfo("Asia/Tokyo")
    [candidate], _ = parsed(CELLO, entry(valid_from="2024-02-01", valid_until="2024-03-01"), zone=tokyo)
    assert candidate.valid_from == datetime(2024, 2, 1, 3, tzinfo=UTC)  # noon
    assert candidate.valid_until == datetime(2024, 3, 1, 15, tzinfo=UTC)


@pytest.mark.parametrize(
    "dates",
    [
        {"valid_from": "2024-02-15"},  # in the future
        {"valid_from": "soon"},
        {"valid_from": 20240201},
        {"valid_from": "0001-01-01"},
        {"valid_until": "2024-01-01"},  # passed: it would hide the memory at once
        {"valid_until": "9999-12-31T23:59:59-12:00"},
        {"valid_until": "2024-13-01"},
    ],
)
def test_dates_that_cannot_be_used_are_dropped(dates: dict[str, object]) -> None:
    [candidate], rejected = parsed(CELLO, entry(**dates))
    assert (candidate.valid_from, candidate.valid_until, rejected) == (None, None, [])


def test_the_number_of_candidates_is_limited() -> None:
    candidates, [reason] = parsed(CELLO, *[ENTRY] * (MAX_CANDIDATES + 3))
    assert len(candidates) == MAX_CANDIDATES
    assert reason.startswith("invalid: 3 entries")


def test_surrogates_become_valid_text() -> None:
    said = "I sign off with \U0001f378 always"
    whole = json.loads(r'{"text": "User signs off with \ud83c\udf78"}')
    half = json.loads(r'{"text": "User signs off with \ud83c"}')
    candidates, rejected = parsed(said, whole, half)
    assert rejected == []
    assert candidates[0].content.endswith("\U0001f378")
    assert candidates[1].content.encode() == "User signs off with \ufffd".encode()


# Secrets


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("the code they texted me is [redacted: one-time code]", "The code of the user is 481920"),
        ("the code they texted me is [redacted: one-time code]", "The user got 481920"),
        ("card [redacted: card number] exp 12/30", "The user's card is 4111-1111 1111 1111"),
        ("my key is [redacted: api key]", "The user's key is [redacted: api key]"),
        ("my key is sk-test-EXAMPLEKEYPART.tail_PART", "The user's key is sk-test-EXAMPLEKEYPART.tail_PART"),
    ],
)
def test_secrets_are_rejected_as_sensitive(said: str, text: str) -> None:
    candidates, [reason] = parsed(said, {"text": text})
    assert candidates == []
    assert reason.startswith("sensitive: ")
    assert "481920" not in reason


def test_what_stands_beside_a_secret_is_kept() -> None:
    said = "my key is [redacted: api key] and I prefer tabs"
    [candidate], _ = parsed(said, {"text": "The user prefers tabs", "quote": said})
    assert candidate.content == "The user prefers tabs"


# Whatever a model may write

_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=30)
    | st.sampled_from(["1", "true", "2024-02-01", CELLO]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*ENTRY, "fact", "x"]), inner, max_size=4)
    ),
    max_leaves=8,
)


@given(data=_VALUES, path=st.lists(st.sampled_from(list(ENTRY)), max_size=3), value=_VALUES)
@settings(max_examples=300, deadline=None)
def test_no_reply_raises_anything_but_value_error(data: object, path: list[str], value: object) -> None:
    mutated = copy.deepcopy(ENTRY)
    for name in path:
        mutated[name] = value
    for reply in (data, {"memories": [mutated, data]}, {"memories": data}):
        try:
            candidates, rejected = parse_candidates(reply, request(CELLO, neighbours=["a"]))
        except ValueError:
            continue
        assert all(outcome.action == "rejected" and outcome.reason for outcome in rejected)
        for candidate in candidates:
            candidate.content.encode()
            assert candidate.valid_from is None or candidate.valid_from <= NOW


@pytest.mark.parametrize(
    "key",
    [
        *(
            "user",
            "The User",
            "noted",
            "i_am_allergic_to_peanuts",
            "preference",
            "user.likes",
            "N/A",
            "memory_1",
        ),
        *("plays_the_cello_in_an_orchestra", "pets", "hobbies", "a" * 65, "职业", "user.user", "allergy"),
        *("language", "medication", "health", "skill", "children", "pet.name", "pet.dog", "friend.name"),
        *("trip.japan", "reminder", "goal", "food", "event.date", "rule", "support.ticket", "dislikes.food"),
        *(
            "favorite",
            "sister.age",
            "main.4111111111111111",
            "main.4111_1111_1111_1111",
        ),
    ],
)
def test_a_key_that_names_no_attribute_is_none(key: str) -> None:
    [candidate], _ = parsed(CELLO, entry(key=key))
    assert candidate.key is None


@pytest.mark.parametrize(
    "key",
    ["name", "residence.city", "favorite.colour", "employment.title", "main_editor", "partner.name",
     "response.length", "user.birthday", "language.native", "diet", "preferred_units", "mother.name"],
)  # fmt: skip
def test_a_key_of_an_attribute_stays(key: str) -> None:
    [candidate], _ = parsed(CELLO, entry(key=key))
    assert candidate.key == key.removeprefix("user.")
