"""Secrets that one message asks for or announces and the next one tells; ⟦ and ⟧ stand around them."""

from __future__ import annotations

import pytest

from langmem_ext.redaction_dialogue import redact_dialogue
from tests.test_redaction import expected, unmarked
from tests.test_redaction_english import lines

SECRETS = """
What is your password? | ⟦Tr0ub4dor&3⟧
What's your password? | it's ⟦hunter⟧
What's the wifi password, please? | ⟦swordfish⟧
I need your Gmail password. | ⟦hunter2⟧.
Your password: | ⟦hunter2⟧
What is your password? | one sec | ⟦Tr0ub4dor&3⟧
my bank pin is | ⟦4921⟧
my password is | ⟦swordfish⟧
Please enter your PIN: | ⟦4921⟧
您的密码是什么？ | ⟦芝麻开门⟧
我的密码是 | ⟦hunter2⟧
我的密码是 | ⟦芝麻开门⟧
请问密码是多少？ | ⟦abc123⟧
"""
CODES = """
Can you give me the code? | ⟦4819⟧
Tell me the verification code. | ⟦4819⟧
验证码发我一下 | ⟦481920⟧
验证码是多少？ | ⟦4819⟧
"""
HARMLESS = """
What's your password? | I forgot
What's your password? | Why?
What's your password? | no idea
What's your password? | I'll tell you tomorrow, I live in Lyon
What's your password manager? | KeePassXC2
Did you change your password? | Yesterday
Do you know your password? | Nope
Enter your password | Done
How long is your password? | 12
What's your postal code? | 75001
Which Python? | 3.11
I moved to Lyon | 2019 was fine
I forgot my password | Python3 is what I use
您的密码是什么？ | 忘了
您的密码是什么？ | 我不告诉你
我忘了密码 | 我住在2号楼
门牌号是多少？ | 4921
"""


def _told(line: str) -> list[str]:
    return [part.strip() for part in line.split("|")]


@pytest.mark.parametrize(
    ("line", "kind"),
    [*((line, "password") for line in lines(SECRETS)), *((line, "one-time code") for line in lines(CODES))],
)
def test_a_secret_is_found_in_the_message_behind_the_question(line: str, kind: str) -> None:
    marked = _told(line)
    once = redact_dialogue([unmarked(part) for part in marked])
    assert once == [expected(part, kind) for part in marked]
    assert redact_dialogue(once) == once


@pytest.mark.parametrize("line", lines(HARMLESS))
def test_other_answers_stay(line: str) -> None:
    assert redact_dialogue(_told(line)) == _told(line)
