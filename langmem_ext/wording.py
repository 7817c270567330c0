"""When two sentences about the user say the same in other words.

Likeness of meaning cannot decide it: for an embedder "likes cats" and "dislikes cats", or two dates, are
as near as two wordings of one fact. So both sentences are brought into one form by rules, and the forms are
compared letter by letter. A wrong rule loses a fact, a missing one stores it twice: when in doubt, no rule.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from typing import Any, Final

from langmem_ext.text import comparison_key, content_key

Rules = tuple[tuple[re.Pattern[str], str], ...]


def _rules(*pairs: tuple[str, str]) -> Rules:
    return tuple((re.compile(pattern), form) for pattern, form in pairs)


_VERY: Final = r"(?:(?:really|very much|truly|absolutely|so much|very) )?"
_FAN: Final = r"(?:(?:a )?(?:big |huge |great )?fan of|fond of|keen on)"
_CALLED: Final = "named|called|by the name of|whose name is"
# In this order: a later rule sees what the earlier ones made of the sentence.
_ENGLISH: Final = _rules(
    (r"[’‘ʼ`]", "'"),
    (r"\b(?:cannot|can't)\b", "can not"),
    (r"\bwon't\b", "will not"),
    (r"n't\b", " not"),
    (r"\b(?:the )?user's\b", "user 's"),
    (r"\b(?:the )?user\b", "user"),
    (r", and\b", " and"),
    (r"\b(?:each|every) day\b", "daily"),
    (r"\beach (?=morning|evening|week|month|year|summer|winter)", "every "),
    (r"\buser( is)? (?:currently|presently)\b", r"user\1"),
    (r"\bfavourite\b", "favorite"),
    # What the user likes, and does not
    (rf"\bdoes not {_VERY}(?:like|enjoy)\b", "dislikes"),
    (rf"\bis not {_VERY}{_FAN}", "dislikes"),
    (rf"\b{_VERY}(?:dislikes|hates|detests|loathes|can not stand)\b", "dislikes"),
    (rf"(?<!would )\b{_VERY}(?:likes|loves|enjoys|adores)\b", "likes"),
    (rf"\bis {_VERY}(?:{_FAN}|passionate about)", "likes"),
    # Where the user lives and works, what the user has
    (r"\buser (?:is living in|resides in|is residing in|is based in)\b", "user lives in"),
    (r"\buser (?:is working|works|is employed) as (?=an? )", "user is "),
    (r"\buser (?:is working (?:at|for)|works for|is employed (?:at|by)|has a job at)\b", "user works at"),
    (r"\buser is (learn|train|plan)(?:n)?ing\b", r"user \1s"),
    (r"\buser is studying\b", "user studies"),
    (r"\b(?:has|suffers from) an? ([a-z]+) allergy\b", r"is allergic to \1"),
    (r"\b(?:has|suffers from) an allergy to\b", "is allergic to"),
    (r"\bis allergic to ([a-z]+)s$", r"is allergic to \1"),
    (r"\b(?:owns|has got)\b", "has"),
    (rf"(\bhas (?:an?|one|two|three|\d+) [a-z ]+?),? (?:{_CALLED}) ", r"\1 named "),
    (r"(?<='s )([a-z]+) is (?:called|named)\b", r"\1 is named"),
    (r"\b(is|has|as|with|and|likes|dislikes|wants|in|for|had|was|of|prefers) an? (?=[^\W\d_])", r"\1 "),
    (r"\bthe (?=[^\W\d_])", ""),
    (r"(?<=user) is (?=[a-z])", " "),
)
_TO: Final = re.compile(r"\b((?:dis)?likes) to ([a-z]{2,})")
_SHORT: Final = re.compile(r"[^aeiou]*[aeiou][bdgmnpt]")

_ADVERB: Final = "(?:很|非常|特别|特別|十分|挺|比较|比較|超级|超級|真的|真)?"
_LOVING_TO: Final = "(?<![可恋戀相亲親敬])[爱愛](?=[吃喝看听聽玩打跑读讀写寫画畫唱跳旅游遊爬骑騎踢做逛])"
_LIKING: Final = f"(?:喜欢|喜歡|喜爱|喜愛|热爱|熱愛|{_LOVING_TO})"
_CHINESE: Final = _rules(
    (r"(?<!\d)[.,:]|[.,:](?!\d)|[，。、！？!?;；：“”「」\"]", ","),
    (r"(?<=[^\x00-\x7f]) +| +(?=[^\x00-\x7f])", ""),
    (r"^(?:该用户|該用戶|用戶|使用者)", "用户"),
    (r"(?<=^用户)(?:目前|当前(?!台)|當前(?!台)|现在|現在|如今)", ""),
    (r"每日|天天", "每天"),
    (rf"不(?:太|怎么|怎麼|是很)?{_LIKING}|{_ADVERB}(?:讨厌|討厭|厌恶|厭惡|受不了)", "厌"),
    (rf"(?<!最){_ADVERB}{_LIKING}", "喜"),
    (r"(?:居住|定居)[在于於]|家住在?", "住在"),
    (r"(?:任职|任職|就职|就職|供职|供職)[于於]([^,]+)$", r"在\1工作"),
    (r"在([^,在]+?)(?:上班|任职|任職|就职|就職|供职|供職)$", r"在\1工作"),
    (r"(?<=^用户)的?(?:职业|職業)是", "是"),
    (r"(?<=^用户)是(?:一名|一位|一个|一個|名|位|个|個)", "是"),
    (r"^用户(?:对|對)?([^对對]+?)(?:过敏|過敏)$", r"用户对\1过敏"),
    (r"[养養][了着著有]", "养"),
    (r"(?<!用户)(?:名叫|名为|名為|叫做|叫作)", "叫"),
    (r",+", ","),
    (r",$", ""),
    (r"^([^要快将將]*)了$", r"\1"),
)
_ABOUT_USER: Final = re.compile(r"\buser\b")
_ABOUT_USER_ZH: Final = re.compile("^(?:该用户|該用戶|用户|用戶|使用者)")


def wording_key(content: str) -> str:
    """Equal for two sentences that state one fact about the user; a digest, so it is no second copy.

    It changes with the rules: a row that an older version wrote may not be found by it, and then a
    rewording is stored beside it. The same sentence is always found, by `content_key`.
    """
    return hashlib.blake2b(common_form(content).encode(), digest_size=16).hexdigest()


def saying(contents: Iterable[str]) -> dict[str, Any]:
    """A filter for the rows that say one of these, in the same or in other words."""
    texts = list(contents)
    exact = {"content_key": {"$in": sorted({content_key(text) for text in texts})}}
    return {"$or": [exact, {"wording_key": {"$in": sorted({wording_key(text) for text in texts})}}]}


def common_form(content: str) -> str:
    """One form for the wordings of a fact, in lower case; not for reading.

    What may differ: articles; words of liking among each other ("enjoys", "is fond of"), of disliking, of
    living somewhere, of a job, of having, of being called; "likes to hike" and "likes hiking"; an adverbial
    at the front ("Every morning the user runs"). Everything else stays, above all digits, names, negations,
    commas between names and the order of words. A sentence that is not about "the user" or 用户 is its
    `comparison_key`.
    """
    text = comparison_key(content)
    if _ABOUT_USER_ZH.search(text):
        return _apply(_CHINESE, text) or text
    return _english(text) if _ABOUT_USER.search(text) else text


def _apply(rules: Rules, text: str) -> str:
    for pattern, form in rules:
        text = pattern.sub(form, text)
    return text


def _english(text: str) -> str:
    text = _from_the_subject(" ".join(_apply(_ENGLISH, text).split()))
    return _TO.sub(lambda found: f"{found[1]} {_gerund(found[2])}", text)


def _from_the_subject(text: str) -> str:
    """What stands before the user goes to the end: "Every morning the user runs"."""
    front, user, rest = text.partition("user ")
    if not front or not user or front.rstrip().endswith(("'s", "of")):
        return text
    return f"{user}{rest} {front.strip(' ,')}"


def _gerund(verb: str) -> str:
    """The -ing form of an English verb in lower case."""
    if verb.endswith("ie"):
        return f"{verb[:-2]}ying"
    if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")):
        return f"{verb[:-1]}ing"
    return f"{verb}{verb[-1]}ing" if _SHORT.fullmatch(verb) else f"{verb}ing"
