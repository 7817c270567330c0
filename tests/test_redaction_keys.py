"""Keys and tokens of vendors, whole and in the middle of a sentence. All of them are made up."""

from __future__ import annotations

import pytest

from langmem_ext.redaction import redact
from tests.test_redaction import expected, unmarked
from tests.test_redaction_english import kinds_of

A = "a1B2c3D4e5F6g7H8"  # characters of a key
HEX = "0123456789abcdef"

KEYS = f"""
api key
OpenAI: ⟦sk-{A}{A}{A}⟧
⟦sk-proj-{A}_{A}-{A}⟧ is mine
⟦sk-ant-api03-{A}-{A}_AA⟧.
⟦sk-or-v1-{HEX}{HEX}⟧
github ⟦ghp_{A}{A}abcd⟧
⟦github_pat_11ABCDEFG0{A}_{A}{A}⟧
⟦gho_{A}{A}abcd⟧
⟦glpat-{A}abcd⟧
⟦xoxb-123456789012-1234567890123-{A}⟧
⟦xoxp-123456789012-{A}⟧
⟦xapp-1-A012ABC-123456-{HEX}⟧
AWS ⟦AKIAIOSFODNN7EXAMPLE⟧, eu-west-1
aws_secret_access_key = ⟦wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY⟧
my AWS secret access key is ⟦wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY⟧
⟦AIzaSyA{A}{A}x⟧ for maps
⟦sk_live_{A}{A}⟧
⟦rk_live_{A}{A}⟧
⟦whsec_{A}{A}⟧
⟦hf_{A}{A}⟧
⟦npm_{A}{A}abcd⟧
⟦pypi-AgEIcHlwaS5vcmc{A}{A}⟧
⟦SG.{A}abcdef.{A}{A}abc⟧
⟦gsk_{A}{A}{A}⟧
⟦xai-{A}{A}{A}⟧
⟦r8_{A}{A}abcde⟧
⟦pplx-{A}{A}{A}⟧
⟦nvapi-{A}{A}{A}⟧
⟦ntn_{A}{A}{A}⟧
⟦lin_api_{A}{A}abcd⟧
⟦hvs.{A}{A}{A}⟧
⟦dapi{HEX}{HEX}⟧
⟦GOCSPX-{A}abcdefghijkl⟧
⟦LTAI5t{A}ab⟧
⟦glsa_{A}{A}_{HEX[:8]}⟧
⟦dckr_pat_{A}abcdefghijk⟧
telegram bot ⟦123456789:AAE{A}{A}⟧
discord ⟦MTIzNDU2Nzg5MDEyMzQ1Njc4.GabcDe.{A}{A}⟧
the API key for staging is ⟦Zq81.kkPw⟧
api_key=⟦{A}⟧
OPENAI_API_KEY="⟦{A}{A}⟧"
x-api-key: ⟦{HEX}{HEX}⟧
client secret: ⟦{A}~{A}⟧
clientSecret: '⟦{A}⟧'
AccountKey=⟦{A}{A}==⟧;EndpointSuffix=core.windows.net
my access token is ⟦{HEX}{HEX}⟧
the token for CI is ⟦{A}⟧
https://example.com/cb?access_token=⟦{A}⟧&state=x
token
⟦eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-DEF_123⟧
Authorization: Bearer ⟦{A}{A}⟧
authorization: basic ⟦Ym9iOnR1bGlwOTk=⟧
curl -H "Authorization: Bearer ⟦{A}⟧" https://api.example.com
Cookie: sessionid=⟦{HEX}{HEX}⟧; theme=dark
private key
mine: ⟦-----BEGIN PRIVATE KEY-----↵MIIE{A}↵-----END PRIVATE KEY-----⟧ done
⟦-----BEGIN OPENSSH PRIVATE KEY----- b3BlbnNzaC1rZXk {A} -----END OPENSSH PRIVATE KEY-----⟧
my eth private key is ⟦0x{HEX}{HEX}{HEX}{HEX}⟧
credentials
postgres://⟦bob:tulip99⟧@db.example.com:5432/app
mongodb+srv://⟦bob:p@ss!w0rd⟧@cluster0.abc.mongodb.net
redis://⟦:tulip99⟧@localhost:6379/0
https://⟦x-oauth-basic:{A}⟧@github.com/a/b.git
curl -u ⟦bob:tulip99⟧ https://example.com
password
Server=db;Uid=bob;Pwd=⟦tulip99⟧;Database=app
jdbc:mysql://db/app?user=bob&password=⟦tulip99⟧
seed phrase
my seed phrase is ⟦ribbon velvet orange tunnel scissors copper lantern puzzle glove saddle window hammer⟧
recovery phrase: ⟦rib, velvet, orange, tunnel, cause, copper, lantern, puzzle, glove, saddle, win, ham⟧.
"""


@pytest.mark.parametrize(("marked", "kind"), kinds_of(KEYS))
def test_keys_go_and_the_rest_stays(marked: str, kind: str) -> None:
    assert redact(unmarked(marked)).text == expected(marked, kind)
