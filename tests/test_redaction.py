from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langmem_ext.redaction import holds_only_secret, holds_secret, redact
from tests.extraction.helpers import learned

GITHUB = "ghp_" + "a1B2" * 9
SECRETS = [
    ("my key is sk-test-EXAMPLEKEYPART.tail_PART and I prefer tabs", "EXAMPLEKEYPART", "api key"),
    ("my key is sk-test-EXAMPLEKEYPART.tail_PART and I prefer tabs", "tail_PART", "api key"),
    (f"token {GITHUB}", GITHUB, "api key"),
    ("AKIAIOSFODNN7EXAMPLE is mine", "AKIAIOSFODNN7EXAMPLE", "api key"),
    ("slack: xoxb-1234567890-abcdef", "xoxb-1234567890", "api key"),
    ("the API key for staging is Zq81.kkPw", "Zq81.kkPw", "api key"),
    ("我的 api key 是 abc12345xyz，别外传", "abc12345xyz", "api key"),
    ("密钥：Aa9_99tt", "Aa9_99tt", "api key"),
    ("eyJhbGciOi.eyJzdWIi.abc-def", "eyJzdWIi", "token"),
    ("Authorization: Bearer abcDEF123456", "abcDEF123456", "token"),
    ("-----BEGIN RSA PRIVATE KEY-----\nMIIEabc\n-----END RSA PRIVATE KEY-----", "MIIEabc", "private key"),
    ("see https://bob:tulip@example.com/x", "tulip", "credentials"),
    ("https://example.com/?token=abcd1234&x=1", "abcd1234", "api key"),
    ("My password is swordfish.", "swordfish", "password"),
    ("the wifi password for the flat is tulip-8842!", "tulip-8842", "password"),
    ("passphrase is blue horse river and I like it", "blue horse river", "password"),
    ("I changed my password to Hunter-22", "Hunter-22", "password"),
    ("my PIN is 4821", "4821", "password"),
    ("我的密码是 hunter2，谢谢", "hunter2", "password"),
    ("密码改成了Abcd1234", "Abcd1234", "password"),
    ("the code they texted me is 481920", "481920", "one-time code"),
    ("G-481920 is your verification code", "481920", "one-time code"),
    ("the code is 481 920 thanks", "481 920", "one-time code"),
    ("verification code 481920", "481920", "one-time code"),
    ("your login code for the bank: 481-920", "481-920", "one-time code"),
    ("my code's 481920", "481920", "one-time code"),
    ("Hi, code 481920.", "481920", "one-time code"),
    ("Your Google code is 481920", "481920", "one-time code"),
    ("481920 is your Google verification code", "481920", "one-time code"),
    ("OTP 4819", "4819", "one-time code"),
    ("the door code is 48192", "48192", "one-time code"),
    ("they sent me the code 481920", "481920", "one-time code"),
    ("my bank pin 4821", "4821", "password"),
    ("验证码是 481920", "481920", "one-time code"),
    ("验证码 4 8 1 9 2 0", "4 8 1", "one-time code"),
    ("他们发给我的验证码是481920", "481920", "one-time code"),
    ("验证码是四八一九二零", "四八一", "one-time code"),
    ("card 4111 1111 1111 1111 exp 12/30", "1111", "card number"),
    ("card 4111-1111-1111-1111", "1111", "card number"),
    ("card " + " ".join("4111111111111111"), "1 1 1", "card number"),
    ("41111111  1111.1111", "1111", "card number"),
    ("3782 822463 10005", "822463", "card number"),
    ("４１１１１１１１１１１１１１１１", "１１", "card number"),
    ("cvv is 123", "123", "card number"),
    ("身份证 11010519491231002X", "19491231", "id number"),
]


def unmarked(sentence: str) -> str:
    """A sentence of a table as people write it: ⟦ and ⟧ stand around its secrets, ↵ for a line break."""
    return sentence.replace("⟦", "").replace("⟧", "").replace("↵", "\n")


def expected(sentence: str, kind: str) -> str:
    """What has to be left of it."""
    return unmarked(re.sub("⟦.*?⟧", f"[redacted: {kind}]", sentence))


@pytest.mark.parametrize(("text", "secret", "kind"), SECRETS)
def test_secrets_become_placeholders(text: str, secret: str, kind: str) -> None:
    redacted = redact(text)
    assert secret not in redacted.text
    assert redacted.kinds == (kind,)
    assert f"[redacted: {kind}]" in redacted.text
    assert holds_secret(text)


@pytest.mark.parametrize(
    "text",
    [
        "I forgot my password again",
        "My password is too weak, I know.",
        "I changed my password to something longer",
        "the code is clean",
        "the code is 5000 lines long",
        "postal code 75001",
        "my zip code is 94110",
        "error code 50012",
        "order 4111 1111 1111 1112 was shipped",
        "the key is patience",
        "the token is expired",
        "sk-learn-pipeline is nice",
        "bearer documents are rare",
        "call +86 138 1234 5678 or +33 6 12 34 56 78",
        "on 2024-02-14 at 10:30:00 we sold 1234567890123 units",
        "order 17 returned, reason: damaged",
        "https://example.com/path?page=2",
        "我又忘了密码",
        "密码太长了",
        "验证码收不到，等了1000秒",
        "验证码收到了2000个",
        "验证码我收到了，2024年注册的",
        "验证码我收到了，2024 12月到的",
        "I write code for 20000 clients",
        "I started to code at 19 in 1998",
        "I learned to code: 1998 was the year",
        "I code 12000 lines a year",
        "My street code is 12045",
        "My promo code is 12045",
        "12045 is my postal code",
        "404123 is the error code",
        "zip code is 12045",
        "area code 12045",
        "country code 12045",
        "dress code 12045",
        "status code 404123",
        "the code is 2024-02-14",
        "the code is 12,345 characters",
        "My code was 12045 bytes long",
        "I pin 2000 notes on the wall",
        "I have a pin for 2000 followers",
        "The key to success is 100000 hours",
        "My passwords are rotated monthly",
        "running since 2015 2016 2017 2018",
        "2015-03-12 2016-04-13",
        "2015-2016 2017-2018",
        "门牌号是12045",
        "邮编是 310000",
    ],
)
def test_harmless_sentences_stay(text: str) -> None:
    assert redact(text).text == text
    assert not holds_secret(text)


def test_several_kinds_in_order() -> None:
    redacted = redact("验证码是 481920，密码是 hunter2，验证码是 481921")
    assert redacted.kinds == ("one-time code", "password")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the code they texted me is 481920", True),
        ("481920", True),
        ("验证码是 481920。", True),
        ("card 4111 1111 1111 1111 exp 12/30", True),
        ("my key is sk-test-EXAMPLEKEYPART and I prefer tabs", False),
        ("验证码是 481920，我住在杭州", False),
        ("I live in Lyon", False),
        ("1990", True),
        ("34", False),
    ],
)
def test_a_text_that_is_nothing_but_a_secret(text: str, expected: bool) -> None:
    assert holds_only_secret(text) is expected


@given(st.lists(st.integers(1900, 2099), min_size=4, max_size=8), st.sampled_from([" ", "-", " - "]))
def test_years_are_no_card(years: list[int], gap: str) -> None:
    text = "in " + gap.join(map(str, years))
    assert redact(text).text == text


@given(st.lists(st.integers(0, 9), min_size=15, max_size=15), st.lists(st.sampled_from(["", " ", "-", "  "])))
def test_cards_are_found_in_every_spacing(digits: list[int], gaps: list[str]) -> None:
    front = [4, *digits[1:]]
    doubled = [digit * 2 - 9 * (digit > 4) for digit in front[::2]]
    number = "".join(map(str, [*front, -(sum(front[1::2]) + sum(doubled)) % 10]))
    spaced = "".join(digit + (gaps[place] if place < len(gaps) else "") for place, digit in enumerate(number))
    assert redact(f"pay with {spaced}.").kinds == ("card number",)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("My password: Tr0ub4dor. I live in Oslo.", "My password: [redacted: password]. I live in Oslo."),
        ("My password is Tr0ub4dor! I live in Oslo.", "My password is [redacted: password]. I live in Oslo."),
        ("Use bearer abc123DEF456ghi. I live in Oslo.", "Use bearer [redacted: token]. I live in Oslo."),
        ("The api key is zX81mmQ2kk. I live in Oslo.", "The api key is [redacted: api key]. I live in Oslo."),
        ("See https://x.io/?token=a1b2c3d4. I live in Oslo.",
         "See https://x.io/?token=[redacted: api key]. I live in Oslo."),
        ("The PIN is 4821. I live in Oslo.", "The PIN is [redacted: password]. I live in Oslo."),
        ("My login code is 481920. I live in Oslo.",
         "My login code is [redacted: one-time code]. I live in Oslo."),
        ("我的密码是Tr0ub4dor.我住在奥斯陆。", "我的密码是[redacted: password].我住在奥斯陆。"),
    ],
)  # fmt: skip
def test_the_sentence_ends_behind_the_secret(text: str, left: str) -> None:
    assert redact(text).text == left
    assert [candidate.key for candidate in learned(left)] == ["residence.city"]
