"""Secrets in less common sentences, and their harmless siblings; ⟦ and ⟧ stand around the secrets."""

from __future__ import annotations

import pytest

from langmem_ext.redaction import redact
from tests.test_redaction import expected, unmarked
from tests.test_redaction_english import kinds_of, lines

SECRETS = """
password
口令：⟦芝麻开门⟧
密码：⟦大象1234⟧
密码是⟦大象1234⟧，别告诉别人
密码🔑是⟦hunter2⟧
密保答案：⟦小白⟧
the password (⟦hunter2⟧) works
my PIN (⟦4921⟧)
The PIN I use is ⟦4921⟧
my PIN, which I set yesterday, is ⟦4921⟧
my password🔑 is ⟦hunter2⟧
my password 🔑 is ⟦hunter2⟧
passphrase: ⟦correct horse battery staple⟧
my password is ⟦correct horse battery staple⟧
security answer: ⟦fluffy⟧
the answer to my security question is ⟦fluffy⟧
the safe combination is ⟦12-34-56⟧
the combination to my locker: ⟦12 34 56⟧
my password, which I set yesterday, is ⟦hunter22⟧
my passwords are ⟦hunter2⟧ and ⟦tulip99⟧
one-time code
my backup codes are ⟦8f3k-29dk⟧ and ⟦9x2m-44pq⟧
backup codes: ⟦48192033⟧, ⟦59201144⟧
the code, which they texted me, is ⟦481920⟧
the code (⟦481920⟧)
credentials
log in with ⟦bob / hunter2⟧
sign in as ⟦bob/hunter2⟧
id number
my Social is ⟦078 05 1120⟧
api key
token ⟦abc123def456ghi789jkl⟧
"""

HARMLESS = """
密码：忘了
密码：保密
密码：区分大小写
口令：见附件
口令：无
密码是小明设的
密码🔑太长了
密保答案：忘了
the password (wifi) is long
my password (90 days old) expired
the password (2FA) prompt
my pin (4 digits)
the pin I bought is 2000 yen
The pin I found is 2000 years old
I love my job🎉 and 2024 was great
a passphrase: not set yet
my passphrase is long enough already, I think
my password is written down somewhere safe
security answer: required
the security answer is wrong
the combination of 12 and 34 is 46
the winning combination is 12-34-56
my backup codes are printed and 2024 is over
the code is 481 lines and 592011 bytes
log in with Google / GitHub
sign in as alice / bob
my social circle is 120 people
my social life is great since 2019
token limits changed in 2024
the token 9fceb02
primary key abc123def456ghi789jkl
my password, which I hate, is annoying
"""


@pytest.mark.parametrize(("marked", "kind"), kinds_of(SECRETS))
def test_secrets_go_and_the_rest_stays(marked: str, kind: str) -> None:
    assert redact(unmarked(marked)).text == expected(marked, kind)


@pytest.mark.parametrize("text", lines(HARMLESS))
def test_harmless_sentences_stay(text: str) -> None:
    assert redact(text).text == text
