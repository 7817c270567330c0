"""English, one sentence a line; what is between ⟦ and ⟧ is the secret and has to go, and nothing else."""

from __future__ import annotations

import pytest

from langmem_ext.redaction import redact
from tests.test_redaction import expected, unmarked

PASSWORDS = """
my password is ⟦hunter2!⟧
My password is ⟦hunter2⟧.
My password is ⟦p@ss,w0rd!⟧, don't tell anyone
the wifi password is ⟦Blue-Horse_99⟧ and the router is in the hall
p a s s w o r d is ⟦hunter2⟧
p.a.s.s.w.o.r.d: ⟦hunter2⟧
my pass word is ⟦hunter2⟧
my pass-word: ⟦swordfish⟧
p@ssw0rd = ⟦hunter2⟧
passw0rd is ⟦letmein⟧
my p​assword is ⟦hunter2⟧
my password is ⟦hun​ter2⟧
ｐａｓｓｗｏｒｄ：⟦ｈｕｎｔｅｒ２⟧
my pаsswоrd is ⟦hunter2⟧
my 𝗽𝗮𝘀𝘀𝘄𝗼𝗿𝗱 is ⟦hunter2⟧
m y p a s s w o r d i s ⟦h u n t e r 2⟧
pwd=⟦tulip99⟧
passwd: ⟦tulip99⟧
PW: ⟦tulip99⟧
pw is ⟦tulip99⟧
psw: ⟦Tulip_2020⟧
pass: ⟦tulip99⟧
user bob, pass tulip, no: pass = ⟦tulip99⟧
login: bob password: ⟦qwerty⟧
username=bob&password=⟦tulip99⟧
{"user": "bob", "password": "⟦tulip 99 x⟧"}
DB_PASSWORD=⟦s3cr3t!⟧
export PGPASSWORD='⟦s3cr3t pw⟧'
mysql --password ⟦tulipan⟧ -h db
my password is "⟦correct horse battery staple⟧"
my password is `⟦tulip99⟧` for now
**Password:** ⟦tulip99⟧
my new password, by the way, is ⟦tulip99⟧
the password that I use everywhere is ⟦tulip99⟧
the password I always use is ⟦Dragon#1⟧
password for the Netflix account: ⟦tulip99⟧
my password's ⟦tulip99⟧
⟦hunter2⟧ is my wifi password
use ⟦hunter2!!⟧ as the password
set my password to ⟦Sommer2024!⟧
I changed my password from ⟦Winter2023⟧ to ⟦Sommer2024⟧
the password was reset to ⟦Temp-1234⟧
password ⟦Temp-1234⟧ works
password -> ⟦Temp-1234⟧
Password: ⟦Temp-1234⟧ (temporary)
the passphrase is ⟦blue horse river⟧ and I like it
wifi pw ⟦blau8842⟧
the password is still ⟦admin123⟧
my password used to be ⟦admin123⟧
my PIN is ⟦4821⟧
my pin number is ⟦4821⟧
My bank card's PIN: ⟦4821⟧
p i n: ⟦4821⟧
pin code ⟦482 1⟧
the PIN for the SIM card is ⟦0000⟧
my pin is ⟦four eight two one⟧
my pin is ⟦４８２１⟧
the pin of my phone is ⟦4-8-2-1⟧
"""

CODES = """
the otp is ⟦481920⟧
otp ⟦4819⟧
o t p: ⟦481920⟧
OTP=⟦481920⟧
2FA code ⟦481920⟧
my 2fa is ⟦481920⟧
my MFA code is ⟦481 920⟧
the two-factor code: ⟦481-920⟧
verification code is ⟦４８１９２０⟧
verification code is ⟦4.8.1.9.2.0⟧
verification code ⟦4-8-1-9-2-0⟧
verification code ⟦4_8_1_9_2_0⟧
verification code: ⟦481.920⟧
verification code: ⟦48 19 20⟧
the code is ⟦4/8/1/9/2/0⟧
the code they texted me is ⟦four eight one nine two zero⟧
my one-time code: ⟦four-eight-one-nine-two-zero⟧
the login code is ⟦forty-eight nineteen twenty⟧
my code is ⟦4​8​1​9​2​0⟧
the verification c o d e is ⟦481920⟧
the code they sent me was ⟦481920⟧
enter ⟦481920⟧ to verify your account
use ⟦481920⟧ to log in
⟦481920⟧ is the code they sent me
⟦481920⟧ is my verification code
here's the code ⟦481920⟧
the code is: ⟦481920⟧
my Steam code is ⟦AF3K9⟧
my security code is ⟦A7K9Q2⟧
backup code: ⟦8f3k-29dk⟧
recovery code is ⟦XK29-8831-PQ⟧
the alarm code is ⟦4455⟧
the gate code is ⟦48192⟧ at my parents' house
my authenticator shows code ⟦481 920⟧
your one-time password is ⟦481920⟧
one time passcode ⟦481920⟧
my passcode is ⟦135790⟧
the SMS said: your code is ⟦481920⟧. Do not share it.
"""

NUMBERS = """
card number
my card is ⟦4111 1111 1111 1111⟧
my card is ⟦4111.1111.1111.1111⟧ exp 12/30
⟦4111_1111_1111_1111⟧
⟦4111/1111/1111/1111⟧
⟦4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1⟧
⟦４１１１　１１１１　１１１１　１１１１⟧
my card number is ⟦four one one one one one one one one one one one one one one one⟧
my credit card number is ⟦4111 1111 1111 1112⟧
debit card no. ⟦5555 5555 5555 4445⟧
Amex ⟦3782-822463-10005⟧
pay with ⟦5555555555554444⟧ please
cvv ⟦123⟧
CVC: ⟦1234⟧
my c v v is ⟦123⟧
the cvv number is ⟦123⟧
the three digit security code is ⟦123⟧
the security code on the back of the card is ⟦123⟧
account number
my IBAN is ⟦DE89 3704 0044 0532 0130 00⟧
pay to ⟦GB82WEST12345698765432⟧ please
my bank account number is ⟦12345678⟧
my checking account number: ⟦000123456789⟧
id number
my SSN is ⟦078-05-1120⟧
my social security number is ⟦078051120⟧
my passport number is ⟦E12345678⟧
passport no: ⟦C01X00T47⟧
my driver's license number is ⟦D1234567⟧
my national insurance number is ⟦QQ 12 34 56 C⟧
"""

HARMLESS = """
I forgot my password again.
My password is annoying to type.
My password is too long, I know
my password is about to expire
The password is case-sensitive
my password is forgotten
my password is at least 12 characters long
my password is 12 characters long
The password is 8-16 characters
Passwords expire after 90 days
my password is 90 days old
I changed my password 3 times in 2024
I changed my password on 2024-03-01
my password expired yesterday, so I reset it
I use 1Password as my password manager
1Password is my password manager
my password manager is KeePassXC2
My password hint is missing
I pass the exam: 90 points
the password policy is strict
password: required
password: str = Field(...)
password = os.environ["DB_PASSWORD"]
password = getpass()
password=$DB_PASSWORD
password: ********
password: <your password>
a password-protected zip
the password prompt is ugly
The word password is banned here
My password was leaked in 2019
my password is the name of my dog
my password is ridiculous
my password is safe with me
I told my sister the password is hers now
In cryptography, a passphrase is longer than a password
We pass 2000 cars a day
I got a boarding pass: gate B22
the pin is bent
I pin 2000 notes on the wall
the pin on the map is at 48.85
my pin code stopped working in 2023
we met at pin 4 of the bowling alley
I pinned numpy at 1.26.4
the OTP app is Authy
two-factor is on since 2021
The code is 5000 lines long
our code is 12 years old
code review at 15:30
The code of conduct is from 2019
I write code since 2010
my zip code is 94110
the postal code of my office is 75001
area code 0221 and country code 49
error code 500123 came up
exit code 137
the status code is 404
my discount code is SAVE20
the product code is 12045-77
The verification code never arrived, I waited 30 minutes
the verification code expires in 10 minutes
I didn't get the verification code in 2023
enter 2024 to continue
use 100000 tokens to train
The key is patience
the key to success is 10000 hours
our primary key is user_id
the sort key is created_at2
the API key is stored in AWS_SECRET_MANAGER
the key is in the blue drawer2
The token limit is 128000
a token is about 4 characters
the secret is to use butter2go
The secret ingredient is MSG
tokens: 128000
My order number is 112-4567890-1234567
order 4111 1111 1111 1111 was shipped
tracking number 9400 1000 0000 0000 0000 00
the IMEI is 356938035643809
ISBN 978-3-16-148410-0
my phone is +49 170 1234567
call me at 415-555-0132
flight LH 2473 leaves at 06:45 on 12/03/2025
I was born on 14.02.1990
rent is 1,250.00 euros, was 1,190.50
I paid 4.111.111 pesos
Python 3.11.9 and numpy 1.26.4
commit 9fceb02d0ae598e95dc970b74767f19372d61af8 broke it
the commit is 9fceb02
build 20240214.1120 is out
released in 2015, 2016, 2017 and 2018
IP 192.168.100.254 port 5432
my student number is 1234567
the meeting id is 845 1234 5678
my room is 4821 on the 48th floor
ticket 481920 is still open
I ran 481920 steps
one two three four five six seven, all good children
my library card number is 21234567890123
the account number of our electricity company is on the bill
my seed phrase is written on paper and stored in the safe at my parents house near the river
I have a bearer of news
see https://example.com/docs?page=2&sort=asc#top
mail me at bob99@example.com
http://localhost:3000/@scope/pkg
ssh-rsa keys are stronger than passwords
sk-learn-pipeline is nice
My secret santa is Bob2
keyboard shortcut: Ctrl+Shift+P
the keynote is at 10:30
my username is bob_1990
"""


def lines(table: str) -> list[str]:
    return [line for line in table.strip().splitlines() if line]


def kinds_of(table: str) -> list[tuple[str, str]]:
    """Sentences with the kind that stands above them."""
    kind, found = "", []
    for line in lines(table):
        if "⟦" in line:
            found.append((line, kind))
        else:
            kind = line
    return found


POSITIVES = [
    *((line, "password") for line in lines(PASSWORDS)),
    *((line, "one-time code") for line in lines(CODES)),
    *kinds_of(NUMBERS),
]


@pytest.mark.parametrize(("marked", "kind"), POSITIVES)
def test_secrets_go_and_the_rest_stays(marked: str, kind: str) -> None:
    assert redact(unmarked(marked)).text == expected(marked, kind)


@pytest.mark.parametrize("text", lines(HARMLESS))
def test_harmless_sentences_stay(text: str) -> None:
    assert redact(text).text == text
