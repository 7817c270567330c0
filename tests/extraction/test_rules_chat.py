"""Chat as people type it: no capitals, no apostrophes, fragments, traditional characters."""

from __future__ import annotations

import pytest

from langmem_ext.extraction.rules import worth_a_call
from langmem_ext.messages import parse_messages
from langmem_ext.redaction import redact
from tests.extraction import no_statements
from tests.extraction.chat import CHINESE, ENGLISH
from tests.extraction.helpers import contents, learned

CHAT = ENGLISH + CHINESE


def states(content: str, fact: str) -> bool:
    words = content.lower()
    return all(any(one in words for one in word.split("|")) for word in fact.lower().split())


@pytest.mark.parametrize("messages", [ENGLISH, CHINESE], ids=["english", "chinese"])
def test_precision_and_recall_on_chat(messages: list[tuple[str, list[str]]]) -> None:
    right = wrong = missed = 0
    for text, facts in messages:
        open_facts = list(facts)
        for content in contents(redact(text).text):
            known = [fact for fact in open_facts if states(content, fact)]
            right, wrong = right + bool(known), wrong + (not known)
            open_facts = [fact for fact in open_facts if fact not in known]
        missed += len(open_facts)
    assert right / (right + wrong) >= 0.95
    assert right / (right + missed) >= 0.9


@pytest.mark.parametrize(
    "text",
    [text for text, facts in CHAT if not facts] + no_statements.ENGLISH + no_statements.CHINESE,
)
def test_nothing_is_learned(text: str) -> None:
    assert contents(redact(text).text) == []


@pytest.mark.parametrize(
    "text",
    [text for text, facts in CHAT if facts]
    + ["play calm music, im a light sleeper", "book two seats, ive a bad knee", "幫我訂位，我對花生過敏"],
)
def test_every_statement_is_worth_a_call(text: str) -> None:
    assert worth_a_call(parse_messages(redact(text).text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # introductions in fragments
        (
            "Aoife here, 41, a landscape gardener, in Sligo since 2015",
            ["The user's name is Aoife.", "The user is 41.", "The user is a landscape gardener.",
             "The user lives in Sligo since 2015."],
        ),
        ("dad of two, part time bookkeeper",
         ["The user is a dad of two.", "The user is a part time bookkeeper."]),
        ("i know a vet, a nurse, a cook", []),
        ("im not a vet, a nurse", []),
        ("my cousin is a vet, 30, living in Hull", ["The user's cousin is a vet, 30, living in Hull."]),
        # tastes with the thing for their subject
        ("karaoke isnt my thing", ["Karaoke is not the user's thing."]),
        ("it isnt my thing", []),
        ("rye over wheat any day", ["The user prefers rye over wheat."]),
        ("red wine gives me migraines", ["Red wine gives the user migraines."]),
        ("my boss gives me headaches", []),
        # only, rather, with
        ("i only wear wool", ["The user only wears wool."]),
        ("i only want to help", []),
        ("im with Orange if that helps", ["The user is with Orange."]),
        ("im with Anna at the bar", []),
        ("i cant do mornings", ["The user can't do mornings."]),
        ("i cant do monday", []),
        ("my brother and i run a print shop", ["The user and their brother run a print shop."]),
        ("my brother and i fight all the time", []),
        ("we have a puppy. shes called Nell", ["The user has a puppy.", "The user's puppy is called Nell."]),
        # instructions
        ("tell guests to take their shoes off, every time",
         ["The user asks the assistant: tell guests to take their shoes off, every time."]),
        ("tell Tom to call me", []),
        ("from now on im careful", []),
        ("when you quote prices include the tax, im in Norway",
         ["The user asks the assistant: when it quotes prices include the tax."]),
        # Chinese
        ("我是做木工的", ["用户是做木工的。"]),
        ("我是做错的那个", []),
        ("在泸州一所高中教化学", ["用户在泸州一所高中教化学。"]),
        ("她在泸州教化学", []),
        ("坐标南平", ["用户坐标南平。"]),
        ("家里一只乌龟", ["用户家里一只乌龟。"]),
        ("红茶我只喝热的", ["用户红茶只喝热的。"]),
        ("这个我只看了一眼", []),
        ("我吃不了太酸的", ["用户吃不了太酸的。"]),
        ("我吃不了了", []),
        ("我跳舞三年了", ["用户跳舞三年了。"]),
        ("我等了三年了", []),
        ("每天骑车上班", ["用户每天骑车上班。"]),
        ("每天提醒我上班", []),
        ("后天拔牙", ["用户后天（2024-02-16）拔牙。"]),
        ("后天的会取消", []),
        ("想给我弟弟买球拍，他叫小远，十二岁", ["用户的弟弟叫小远。", "用户的弟弟十二岁。"]),
        ("有事发邮件", ["用户要求助手：有事发邮件。"]),
        ("有事吗", []),
    ],
)  # fmt: skip
def test_what_is_read_and_its_near_misses(text: str, expected: list[str]) -> None:
    assert contents(text) == expected


def test_the_quote_is_what_was_typed() -> None:
    [candidate] = learned("ok so im allergic to kiwi, pls remember")
    assert candidate.content == "The user is allergic to kiwi."
    assert candidate.source is not None and candidate.source.quote == "im allergic to kiwi"


def test_traditional_characters_are_read_and_kept() -> None:
    [job, pet] = learned("我在台南當獸醫，養了兩隻鸚鵡")
    assert (job.content, pet.content) == ("用户在台南當獸醫。", "用户養了兩隻鸚鵡。")
    assert pet.source is not None and pet.source.quote == "養了兩隻鸚鵡"


def test_a_place_since_a_year_holds_since_then() -> None:
    candidate = learned("hi, im Wren, in Ghent since 2019")[-1]
    assert candidate.key == "residence.city"
    assert candidate.valid_from is not None and candidate.valid_from.year == 2019
