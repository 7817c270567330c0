"""The text as the finders of secrets read it: one spelling for what people write in many ways.

Full-width, styled and foreign letters and digits become plain ones, invisible characters go, traditional
characters of the finders' own words become simplified, spelled-out digits become digits, and the word
"p a s s w o r d" is one again. Nothing of it is ever stored: what is found is taken out of the text as it
was written.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

# A placeholder is one character here, which no pattern takes as part of a secret.
HELD: Final = "\ue000"
PLACEHOLDER: Final = re.compile(r"\[redacted: [a-z][a-z -]*\]")

_PLAIN = re.compile(r"[ -~\n]*")
_TRADITIONAL = (
    "碼码驗验證证號号鑰钥權权憑凭帳账賬账戶户銀银動动態态簡简訊讯確确認认啟启設设為为爲为傳传們们開开門门"
    "鎖锁還还應应該该這这個个剛刚發发給给來来從从換换變变記记憶忆詞词語语備备復复複复護护網网無无線线領领"
    "體体兌兑轉转匯汇儲储對对條条張张塊块萬万點点後后鐘钟僅仅時时間间歲岁級级請请輸输額额長长錯错誤误執执"
    "臨临統统編编駕驾駛驶會会員员圖图書书遞递運运單单訂订顯显裡里產产隨随機机錄录幣币錢钱頁页鏈链連连結结"
    "強强規规則则過过內内資资幫帮總总種种兩两貳贰參叁陸陆現现經经變变當当實实說说聽听問问題题貼贴寫写讓让"
    "電电腦脑報报稅税臺台灣湾檢检測测園园產产務务業业專专區区樓楼價价樣样異异數数據据鍵键貨货碼码"
    "舊旧幾几簽签約约習习舉举辦办關关鐵铁飛飞號号籤签滿满雲云"
)
_SIMPLIFIED = dict(zip(_TRADITIONAL[::2], _TRADITIONAL[1::2], strict=True))
_LOOKALIKES = dict(
    zip("аеорсухіѕԁһјӏαοερντικАВЕКМНОРСТХІЅ", "aeopcyxisdhjlaoepvtikABEKMHOPCTXIS", strict=True)
)
_EMOJI = re.compile("[\U0001f000-\U0001faff\u2600-\u2793]")
_STAYS = frozenset("！，？；（）【】")

_ONES = {word: str(value) for value, word in enumerate(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen".split()
)} | {"oh": "0", "o": "0", "nought": "0"}  # fmt: skip
_TENS = {
    word: str(value)
    for value, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2)
}
_ONE = "|".join(sorted(_ONES, key=len, reverse=True))
_TEN = "|".join(_TENS)
_SPELLED = (
    rf"(?:(?:double|triple)[ \-](?:{_ONE})|(?:{_TEN})[ \-](?:{_ONE})|{_TEN}|{_ONE}|(?<!\d)\d)(?![a-z\d])"
)
_SPELLED_ONE = re.compile(_SPELLED, re.I)
_SPELLED_RUN = re.compile(rf"(?<![a-z\d]){_SPELLED}(?:[ ,.\-]{{1,3}}{_SPELLED}){{2,40}}", re.I)

_NUMERALS = dict(zip("零〇○一二三四五六七八九幺壹贰叁肆伍陆柒捌玖", "0001234567891123456789", strict=True))
_NUMERAL = "".join(_NUMERALS)
_NUMERAL_RUN = re.compile(rf"[\d{_NUMERAL}](?:[ \-.·_,，、]{{0,2}}[\d{_NUMERAL}]){{3,40}}(?![十百千万亿])")

_GAP = r"[ .\-_*·|~]{1,2}"
_LEET = {"a": "[a@4]", "s": "[s$5]", "o": "[o0]", "i": "[i1!]", "e": "[e3]"}
_JOINED = ("password", "passwd", "passcode")
_APART = ("pin", "otp", "cvv", "cvc", "pwd", "code", "token", "secret", "key", "verification", "security")
_APART_ZH = ("密码", "验证码", "校验码", "口令", "密钥", "金钥", "令牌", "信用卡", "卡号")


def _spelling(word: str, gap: str) -> str:
    """A pattern for the word with the same gap between all its letters."""
    first, *others = (_LEET.get(letter, letter) for letter in word)
    name = f"gap_{word}"
    if not others:
        return first
    return f"{first}(?P<{name}>{gap})" + f"(?P={name})".join(others)


_SLIPS = r"pas{1,3}w(?:ord|rod|or|od|rd|oord)|pssword|paswsord|passord|pwassword"
_WORDS = re.compile(
    "|".join(
        [
            rf"(?<![a-z\d])(?P<password>{_spelling('password', f'(?:{_GAP})?')}|pass[ \-_]word|"
            rf"{_SLIPS})(?![a-z\d])",
            *(
                rf"(?<![a-z\d])(?P<{word}>{_spelling(word, _GAP)})(?![a-z\d])"
                for word in _JOINED[1:] + _APART
            ),
            *(rf"(?P<{word}>{_GAP.join(word)})" for word in _APART_ZH),
        ]
    ),
    re.I,
)


@dataclass(frozen=True, slots=True)
class Folded:
    """The folded text; each of its characters with its start and end in the text as it was written."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Where this part of the folded text was written; parts are never empty."""
        return self.starts[start], self.ends[end - 1]

    def changed(
        self, pattern: re.Pattern[str], change: Callable[[re.Match[str]], Iterable[tuple[str, int, int]]]
    ) -> Folded:
        """With every match replaced by pieces, each of which stands for a part of the folded text."""
        done, text = 0, []
        starts: list[int] = []
        ends: list[int] = []
        for match in pattern.finditer(self.text):
            text.append(self.text[done : match.start()])
            starts += self.starts[done : match.start()]
            ends += self.ends[done : match.start()]
            for piece, start, end in change(match):
                text.append(piece)
                starts += [self.starts[start]] * len(piece)
                ends += [self.ends[end - 1]] * len(piece)
            done = match.end()
        if not done:
            return self
        text.append(self.text[done:])
        return Folded("".join(text), [*starts, *self.starts[done:]], [*ends, *self.ends[done:]])


def fold(text: str) -> Folded:
    """The text in the spelling that the finders read."""
    folded = Folded(text.replace(HELD, " "), range(len(text)), range(1, len(text) + 1))
    folded = folded.changed(PLACEHOLDER, lambda match: [(HELD, match.start(), match.end())])
    if not _PLAIN.fullmatch(folded.text):
        folded = _plain(folded)
    folded = folded.changed(_SPELLED_RUN, _spelled_digits)
    folded = folded.changed(_NUMERAL_RUN, _chinese_digits)
    return folded.changed(_WORDS, _whole_word)


def _plain(folded: Folded) -> Folded:
    letters = [(_letter(char), at) for at, char in enumerate(folded.text)]
    kept = [(letter, at) for letter, at in letters if letter and not _is_picture(folded.text, at)]
    follows = [*(at for _, at in kept[1:]), len(letters)]
    return Folded(
        "".join(letter for letter, _ in kept),
        [folded.starts[at] for _, at in kept],
        [folded.ends[at - 1] for at in follows],  # what is invisible belongs to what stands before it
    )


def _is_picture(text: str, at: int) -> bool:
    """Whether an emoji stands here that no part of a word is: "password🔑 is", not "hun🔑ter2"."""
    if not _EMOJI.match(text, at):
        return False
    around = text[max(0, at - 1) : at], text[at + 1 : at + 2]
    return not all(char.isascii() and char.isalnum() for char in around)


@lru_cache(maxsize=8192)
def _letter(char: str) -> str:
    """One character for this one, or none for those that nobody sees."""
    if char in _SIMPLIFIED or char in _LOOKALIKES:
        return _SIMPLIFIED.get(char) or _LOOKALIKES[char]
    if char in "\n" + HELD or " " <= char <= "~" or char in _STAYS:
        return char
    if char.isspace():
        return " "
    if unicodedata.category(char) in ("Cf", "Cc") or char in "\u034f\u20e3\u3164\u115f\u1160":
        return ""
    if "\ufe00" <= char <= "\ufe0f":
        return ""
    if (digit := unicodedata.digit(char, None)) is not None:
        return str(digit)
    plain = unicodedata.normalize("NFKC", char)
    return plain if len(plain) == 1 and " " < plain <= "~" else char


def _spelled_digits(match: re.Match[str]) -> list[tuple[str, int, int]]:
    pieces = [
        (_digits(word[0].lower()), word.start(), word.end())
        for word in _SPELLED_ONE.finditer(match.string, match.start(), match.end())
    ]
    if all(match.string[start].isdigit() for _, start, _ in pieces):
        return [(char, at, at + 1) for at, char in enumerate(match[0], match.start())]
    return pieces


def _digits(word: str) -> str:
    """The digits of a spelled-out number below a hundred, of "double four" and "triple four"."""
    first, _, second = word.replace("-", " ").partition(" ")
    if first in ("double", "triple"):
        return _ONES[second] * (2 if first == "double" else 3)
    if first in _TENS:
        return _TENS[first] + (_ONES[second] if second else "0")
    return _ONES.get(first, first)


def _chinese_digits(match: re.Match[str]) -> list[tuple[str, int, int]]:
    return [(_NUMERALS.get(char, char), at, at + 1) for at, char in enumerate(match[0], match.start())]


def _whole_word(match: re.Match[str]) -> list[tuple[str, int, int]]:
    word = next(name for name, found in match.groupdict().items() if found and not name.startswith("gap_"))
    if match[0].casefold() == word:  # as it is, with its case and its places
        return [(char, at, at + 1) for at, char in enumerate(match[0], match.start())]
    return [(word, match.start(), match.end())]
