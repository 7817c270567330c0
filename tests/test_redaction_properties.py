"""What holds for every text: redacting is stable, keeps placeholders, and takes linear time."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langmem_ext.redaction import PLACEHOLDER, holds_only_secret, redact
from tests.test_redaction import unmarked
from tests.test_redaction_chinese import SECRETS as CHINESE
from tests.test_redaction_english import POSITIVES, kinds_of
from tests.test_redaction_keys import KEYS

SENTENCES = [unmarked(marked) for marked, _ in (*POSITIVES, *kinds_of(CHINESE), *kinds_of(KEYS))]
INVISIBLE = "\u200b\u200d\u2060\ufeff\u00ad\ufe0f"
TOLD = ["my password is hunter2 ok", "我的密碼是hunter2，謝謝", "use code: 481920"]
GLUE = [
    "and",
    "1",
    " ",
    "is",
    ":",
    "=",
    "密码",
    "是",
    "code",
    "my",
    "!",
    "[redacted: password]",
    "\u200b",
    "，",
]


@given(st.lists(st.sampled_from(SENTENCES + GLUE * 10), max_size=6), st.sampled_from(["", " ", "\n"]))
@settings(deadline=None, max_examples=300)
def test_redacting_twice_changes_nothing(parts: list[str], between: str) -> None:
    once = redact(between.join(parts))
    assert redact(once.text) == once


@given(st.lists(st.sampled_from(["[redacted: password]", "[redacted: api key]", *GLUE]), max_size=8))
@settings(deadline=None)
def test_placeholders_are_left_alone(parts: list[str]) -> None:
    text = " ".join(parts)
    held = [found for found in parts if PLACEHOLDER.fullmatch(found)]
    assert [found for found in PLACEHOLDER.findall(redact(text).text) if found in held][: len(held)] == held


@given(st.text(max_size=300) | st.text(alphabet="pasword 密码碼是:=!41\u200b，ａ４四o\n", max_size=200))
@settings(deadline=None)
def test_any_text_can_be_redacted(text: str) -> None:
    once = redact(text).text
    assert redact(once).text == once
    holds_only_secret(text)


@given(st.sampled_from(TOLD), st.data())
@settings(deadline=None)
def test_invisible_characters_hide_nothing(text: str, data: st.DataObject) -> None:
    for _ in range(3):
        at = data.draw(st.integers(0, len(text)))
        text = text[:at] + data.draw(st.sampled_from(INVISIBLE)) + text[at:]
    assert not re.search("hunter2|481920", re.sub(f"[{INVISIBLE}]", "", redact(text).text))


def test_a_private_use_character_is_no_placeholder() -> None:
    assert redact("a \ue000 b \ue000 is hunter2").text == "a \ue000 b \ue000 is hunter2"


PIECES = [
    "a", "1 ", "4111 ", "4 ", "四 ", "1.", "1-", "1/", "1,", "one ", "double one ", "p a ", "p.a.s.s.w.o.r.d",
    "code ", "password for ", "password is ", "password: ", 'password is "', "my password from abc1 to ",
    "hunter2 is my ", "hunter2 as a ", "passphrase is a ", "pass phrase for a ", "pin for a ", "my pin ",
    "sk-", "sk-a.", "http://a:", "http://a:b",
    "eyJaaaaa.", "?key=", "key is a1", "api_", "a_", "x-",
    "key=", "token=", "key:", "password=", "token ", "?token=a1&", "my PIN (", "passwords are a1, ",
    "backup codes: 1a2b, ", "password (", "lock combination 12-", "口令：芝", "my password, which ",
    "session=", "123456789:AA", "M" * 30 + ".", "-----BEGIN PRIVATE KEY-----", "-----BEGIN ",
    "root:", "-u a:",
    "code they texted me ", "my code ", "Google code ", "the code for a ",
    "1 is your a ", "enter 111111 to ",
    "密码", "密码是", "密码我", "验证码是1 ", "令牌",
    "信用卡号", "身份证", "银行账号", "助记词 山 ", "卡背面的",
    "seed phrase is abc ", "abcd, ", "GB82 ", "GB82WEST", "passport number is a1 ", "card number ", "iban ",
    "my account number for a ", "[redacted: ", "[redacted: a]",
    "[redacted: password] is ", "\u200b", "Ａ", "碼",
    "*", "!?", "(", "\"", " ", "\n",
]  # fmt: skip


def _seconds(text: str) -> float:
    started = time.process_time()
    redact(text)
    return time.process_time() - started


@pytest.mark.parametrize("piece", PIECES)
def test_long_texts_take_linear_time(piece: str) -> None:
    _seconds((piece * 500)[:500])
    short, long = ((piece * size)[:size] for size in (3_000, 30_000))
    assert _seconds(long) < 40 * max(_seconds(short), 0.005)  # quadratic would be a hundredfold


def test_a_hostile_text_of_100_kb_takes_linear_time() -> None:
    every = "".join(piece * 20 for piece in PIECES)
    short, long = ((every * 20)[:size] for size in (10_000, 100_000))
    assert _seconds(long) < 40 * max(_seconds(short), 0.01)


@pytest.mark.parametrize("piece", ["key=", "token=", "?key=", "4 ", "key:", "api_key=", "password="])
def test_names_in_names_cost_no_more_than_prose(piece: str) -> None:
    prose = _seconds(("We met in Lyon on 3 May 2024, at 10:30. " * 2500)[:100_000])
    assert _seconds((piece * 25_000)[:100_000]) < 12 * max(prose, 0.05)
