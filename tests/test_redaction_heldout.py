"""Sentences written after the finders were done, in both languages; ⟦ and ⟧ stand around the secrets."""

from __future__ import annotations

import pytest

from langmem_ext.redaction import redact
from tests.test_redaction import expected, unmarked
from tests.test_redaction_english import kinds_of, lines

SECRETS = """
password
fyi the netflix password is ⟦purplecow7⟧
Our guest wifi: password ⟦welcome2home⟧
router admin pw = ⟦Zx9!kk⟧
My Gmail password is ⟦Tr0ub4dor&3⟧, please remember it
pass phrase: ⟦green tractor sunset⟧
hey my pwd is ⟦Monkey123⟧ lol
remember that my laptop password is ⟦banana⟧
the password to the shared drive was changed to ⟦Qwe!2025⟧
My old password was ⟦fluffy⟧, now it's something else
I set the password as ⟦Kx-99-alpha⟧
p-a-s-s-w-o-r-d = ⟦n0tsafe⟧
The PIN for my debit card is ⟦7 3 9 1⟧
pin: ⟦7391⟧ for the tablet
my SIM pin is ⟦seven three nine one⟧
MY PASSWORD IS ⟦SUNSHINE99⟧
password (wifi): ⟦tulip-8842⟧
one-time code
Bank texted: ⟦739 164⟧ is your login code
my 2FA code is ⟦seven three nine one six four⟧
the verification code they emailed me was ⟦739164⟧
code: ⟦739164⟧
Your WhatsApp code: ⟦739-164⟧
the access code for the garage is ⟦7391⟧
security code is ⟦７３９１６４⟧
my OTP was ⟦7 3 9 1 6 4⟧
card number
Visa ⟦4012 8888 8888 1881⟧, exp 09/27
charge it to ⟦6011-1111-1111-1117⟧
my mastercard number is ⟦5105 1051 0510 5100⟧ and cvv ⟦321⟧
api key
use ⟦ghp_Zz9Yy8Xx7Ww6Vv5Uu4Tt3Ss2Rr1Qq0Pp1234⟧ to push
STRIPE_SECRET_KEY=⟦sk_live_51HxYzAbCdEfGhIjKlMnOpQr⟧
my openai key is ⟦sk-proj-Ab12Cd34Ef56Gh78Ij90Kl12⟧
credentials
amqp://⟦svc:S3cret@home⟧@rabbit.internal:5672
password
家里WiFi的密码是⟦lovehome520⟧
支付密码⟦739164⟧别告诉别人
我邮箱密码换了，新密码是⟦Qwe!2025⟧
电脑开机密码为：⟦xiaoming88⟧
取款密码是⟦七三九一六四⟧
记一下，门锁密码⟦739164⟧
网盘密码：⟦k9fd⟧
我的登录密码叫⟦banana99⟧
我 的 密 码 是⟦Abc@789⟧
路由器口令为⟦admin888⟧
我家的WiFi密碼係⟦lovehome520⟧
公司信箱密碼是⟦Qwe!2025⟧，記得別外流
提款密碼：⟦７３９１６４⟧
手機解鎖密碼⟦7391⟧
門鎖密碼是⟦739164⟧
新密碼為⟦Banana-77⟧
one-time code
刚收到的验证码：⟦739164⟧
⟦739164⟧是你的登录验证码，5分钟内有效
验证码为⟦七三九一六四⟧
银行发来的动态码是 ⟦739 164⟧
剛收到的驗證碼：⟦739164⟧
驗證碼為⟦柒參玖壹陸肆⟧
您的認證碼是⟦739164⟧，請於5分鐘內輸入
LINE的驗證碼是⟦7391⟧
card number
我的卡号⟦6225 7611 1111 1111⟧
招行信用卡 ⟦5105105105105100⟧ 有效期09/27
我的信用卡號碼是⟦4012-8888-8888-1881⟧
id number
我身份证号码是⟦110101199003074530⟧
我的身分證字號⟦B223456789⟧
api key
我的API密钥是⟦Zz9Yy8Xx7Ww6⟧
存取金鑰：⟦Zz9Yy8Xx7Ww6⟧
account number
我的銀行帳號：⟦700-1234567890⟧
"""

HARMLESS = """
I can't remember the password for the printer
Please remind me to change my password in January
My bank wants a password with 10 characters
Her password habits are terrible
I told support that the password is not accepted
We require passwords of 14 characters since 2022
My password was fine until Monday
The password is printed on the router
My wife knows the password
I store passwords in KeePass on my NAS
My PIN got blocked after 3 attempts
I collect enamel pins, about 300 of them
the pin number 13 of the chip is broken
I code in Rust since 2019
My team wrote 12000 lines of code in 2023
The building code from 1998 still applies
I scored 481920 points
The one-time fee is 4500 dollars
The security deposit was 120000 yen
the verification took 3000 ms
the code review on 2024-05-06 went well
my car's plate is AB12 CDE
My flight UA 1234 lands at 17:45
I was born in 1987 and moved in 2011
My office number is +1 212 555 0187
my zip is 10115 in Berlin
The invoice 2024-00481920 is paid
my bus pass: 45 euros a month
My token of thanks was a 1959 wine
the key of the song is C#minor
API keys rotate every 30 days
The secret to good bread is 24 hours of rest
Our sprint 42 ended with 37 points
Postgres listens on 5432, Redis on 6379
密码我记不住，每次都要重置
我打算2025年1月改密码
我的密码有12位
密码被我妹妹知道了
公司要求密码每3个月换一次
我用Bitwarden管理密码
密码输错5次，账号被锁了24小时
验证码总是要等60秒
我在做验证码识别，准确率98.5%
手机号尾号是1234
我买了3张卡，一共1500元
信用卡积分有123456分
我的车牌是京A12345
工资卡是建行的
我2018年考的驾照
身份证要到2035年才过期
密碼我記不得了，要重設
我的密碼有12碼
密碼輸錯5次被鎖24小時
公司規定密碼每90天更換
驗證碼等了60秒才來
信用卡紅利有123456點
我的車牌是ABC-1234
統一發票號碼AB-12345678
航班BR198在15:30起飛
我的會員編號是A123456789
金鑰長度是256位元
我每天寫500行代碼
帳號被停用了3天
門牌是忠孝東路4段123號
我家電話是02-27541234
"""


@pytest.mark.parametrize(("marked", "kind"), kinds_of(SECRETS))
def test_secrets_go_and_the_rest_stays(marked: str, kind: str) -> None:
    assert redact(unmarked(marked)).text == expected(marked, kind)


@pytest.mark.parametrize("text", lines(HARMLESS))
def test_harmless_sentences_stay(text: str) -> None:
    assert redact(text).text == text
