"""A slip that names only the right word, in the same turn or in a later one."""

from __future__ import annotations

import pytest

from tests.extraction.helpers import contents, learned

TEA, ROME = "The user likes tea.", "The user lives in Rome."
TRALE = "The user lives in Trale."


@pytest.mark.parametrize(
    ("text", "known", "number", "content", "key"),
    [
        ("haha no wait i typed that wrong, its Tralee", [TRALE], 1, "The user lives in Tralee.",
         "residence.city"),
        ("oops typo, its Tralee", [TEA, TRALE], 2, "The user lives in Tralee.", "residence.city"),
        ("*Tralee", [TRALE], 1, "The user lives in Tralee.", "residence.city"),
        ("i meant Marta", ["The user's wife is called Martha.", ROME], 1,
         "The user's wife is called Marta.", "partner.name"),
        ("sorry i wrote that wrong, its 43", [ROME, "The user is 34."], 2, "The user is 43.", "age"),
        ("打错字了，是雨桐，下雨的雨", ["用户的女儿叫语彤。"], 1, "用户的女儿叫雨桐。", None),
        ("我刚刚打錯字了，是板橋", ["用户喜欢茶。", "用户住在板桥区。"], 2, "用户住在板橋。",
         "residence.city"),
    ],
)  # fmt: skip
def test_the_right_word_mends_what_is_known(
    text: str, known: list[str], number: int, content: str, key: str | None
) -> None:
    [candidate] = learned(text, neighbours=known)
    assert (candidate.content, candidate.key) == (content, key)
    assert (candidate.replaces, candidate.correction) == (number, True)


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("i typed that wrong, its Tralee", []),
        ("i typed that wrong, its Bonn", ["The user lives in Rome.", "The user's wife is called Anna."]),
        ("i typed that wrong, try again", ["The user lives in Rome."]),
        ("i meant line 14", ["The user lives in Rome."]),
        ("its Tralee", ["The user lives in Trale."]),
        ("oops, its late", ["The user lives in Rome."]),
        ("打错了，忽略", ["用户住在苏州。"]),
        ("是板桥", ["用户住在板桥区。"]),
    ],
)
def test_what_may_be_meant_otherwise_changes_nothing(text: str, known: list[str]) -> None:
    assert learned(text, neighbours=known) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("i live in Cork. no wait i typed that wrong, its Cobh", ["The user lives in Cobh."]),
        ("i live in Cork, typo, Cobh", ["The user lives in Cobh."]),
        ("我住在洛阳。打错了，是濮阳", ["用户住在濮阳。"]),
        ("我在三亚上班，等等我刚讲错，是三明", ["用户在三明上班。"]),
    ],
)
def test_within_a_turn_the_first_value_is_not_learned(text: str, expected: list[str]) -> None:
    assert contents(text) == expected


def test_a_mended_statement_keeps_its_date() -> None:
    known = "The user moved to Trale in january (2024-01) and lives there now."
    [candidate] = learned("no i typed that wrong, its Tralee", neighbours=[known])
    assert candidate.valid_from is not None and candidate.valid_from.month == 1


def test_what_was_taken_back_is_replaced_by_what_follows() -> None:
    known = ["The user likes hiking.", "The user takes their tea with milk."]
    [candidate] = learned("scratch the tea thing, its black with lemon from now on", neighbours=known)
    assert candidate.content == "From now on it is black with lemon for the user."
    assert candidate.replaces == 2
    assert learned("scratch the beer thing, its black from now on", neighbours=known) == []
