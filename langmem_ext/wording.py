"""When two sentences say the same in other words: rules for what may differ, and nothing may but that.

Likeness of meaning cannot decide it: for an embedder "likes cats" and "dislikes cats", or two dates, are
as near as two wordings of one fact. So both sentences are brought into one form, and are compared letter
by letter: numbers, names, negations and the order of words count.
"""

from __future__ import annotations

import hashlib
import re
from typing import Final

from langmem_ext.text import HAN, comparison_key
from langmem_ext.words import stem, words_of

Rules = tuple[tuple[re.Pattern[str], str], ...]


def _rules(*pairs: tuple[str, str]) -> Rules:
    return tuple((re.compile(pattern), form) for pattern, form in pairs)


_VERY: Final = r"(?:(?:really|very much|truly|absolutely|also|so much|very) )?"
# In this order: a later rule sees what the earlier ones made of the sentence.
_ENGLISH: Final = _rules(
    (r"[’‘ʼ`]", "'"),
    (r"\b(?:cannot|can't)\b", "can not"),
    (r"\bwon't\b", "will not"),
    (r"n't\b", " not"),
    (r"\b(?:the )?user('s)?\b", r"user \1"),
    (r"\b(?:each|every) day\b", "daily"),
    (r"\beach\b", "every"),
    (r"\b(?:currently|at the moment|at present|right now|presently) ?", ""),
    (r"\b(?:normally|typically|generally|in general)\b", "usually"),
    # What someone likes, and does not
    (rf"\b(?:do|does) not {_VERY}(?:likes?|enjoy|love)\b", "dislike"),
    (rf"\bis not {_VERY}(?:(?:a )?(?:big |huge )?fan of|fond of|keen on|into)\b", "dislike"),
    (rf"\b{_VERY}(?:dislikes?|hates?|detests?|loathes?|can not (?:stand|bear))\b", "dislike"),
    (rf"\b{_VERY}(?:likes?|loves?|enjoys?|adores?)\b", "like"),
    (
        rf"\bis {_VERY}(?:(?:a )?(?:big |huge |great )?fan of|fond of|keen on|into|passionate about)\b",
        "like",
    ),
    (r"\b(like|dislike) (?:to (?=[a-z])|(?=[a-z]+ing\b))", r"\1 to "),
    # Where someone lives and works, what they have
    (r"\b(?:is living in|lives in|resides in|is based in|is residing in)\b", "live in"),
    (r"\b(?:is working|works|is employed) (?:as) (?=an? )", "is "),
    (r"\b(?:is working (?:at|for)|works (?:at|for)|is employed (?:at|by)|has a job at)\b", "work at"),
    (r"\b(?:has|suffers from) an? ([\w-]+) allergy\b", r"is allergic to \1"),
    (r"\b(?:has|suffers from) an allergy to\b", "is allergic to"),
    (r"\bis allergic to ([a-z]+)s\b", r"is allergic to \1"),
    (r"\b(?:owns|possesses|has got)\b", "has"),
    (r"\b(?:who is |which is |that is )?(?:named|called|by the name of|whose name is)\b", "named"),
)
_TO: Final = re.compile(r"\b(like|dislike) to ([a-z]+)")
_VERB: Final = re.compile(
    r"^(user (?:(?:usually|often|always|never|also|daily) )?)(?:is ([a-z]{2,}ing)|([a-z]+s))\b"
)
_DROPPED: Final = frozenset("the a an is are am be".split())
_AROUND: Final = '"“”()[],;:!?.'

_ADVERB: Final = "(?:很|非常|特别|特別|十分|挺|比较|比較|超级|超級|真的|真)?"
_LOVING_TO: Final = "(?<![可恋戀相亲親敬])[爱愛](?=[吃喝看听聽玩打跑读讀写寫画畫唱跳旅游遊爬骑騎踢做逛])"
_LIKING: Final = f"(?:喜欢|喜歡|喜爱|喜愛|热爱|熱愛|{_LOVING_TO})"
_CHINESE: Final = _rules(
    (r"(?<!\d)[.,:]|[.,:](?!\d)|[，。、！？!?;；：“”「」\"]", ","),
    (rf"(?<=[{HAN},]) +| +(?=[{HAN},])", ""),
    (r"^(?:该用户|該用戶|用戶|使用者)", "用户"),
    (r"目前|当前|當前|现在|現在|如今", ""),
    (r"每日|天天", "每天"),
    (r"往往", "通常"),
    (rf"不(?:太|怎么|怎麼|是很)?{_LIKING}|{_ADVERB}(?:讨厌|討厭|厌恶|厭惡|受不了)", "厌"),
    (rf"(?<!最){_ADVERB}{_LIKING}", "喜"),
    (r"(?:居住|定居)[在于於]|家住在?", "住在"),
    (r"(?:任职|任職|就职|就職|供职|供職)[于於]([^,]+)$", r"在\1工作"),
    (r"在([^,在]+?)(?:上班|任职|任職|就职|就職|供职|供職)$", r"在\1工作"),
    (r"(?<=^用户)的?(?:职业|職業)是", "是"),
    (r"是(?:一名|一位|一个|一個|名|位|个|個)", "是"),
    (r"^用户(?:对|對)?([^对對]+?)(?:过敏|過敏)$", r"用户对\1过敏"),
    (r"[养養][了着著有]", "养"),
    (r"名叫|名为|名為|叫做|叫作|取名叫?|名字(?:是|叫|为|為)", "叫"),
    (r",+", ","),
    (r",$|了,?$", ""),
)
_HAN_CHAR: Final = re.compile(f"[{HAN}]")
_HAN_RUN: Final = re.compile(f"([{HAN}]+)")
_NAME: Final = re.compile(r"\b[A-Z][^\W\d_]+")
_DENIAL: Final = re.compile(r"\b(?:not|no|never|hardly|less|stopped|used)\b|[不没沒未别別]|以前|曾")
# In the quote or not, they say nothing by themselves.
_FRAME: Final = frozenset("user 用户 i my me have has been to of the a".split())
# Words that turn a sentence around, and whatever holds a number.
_DECIDING: Final = re.compile(
    r"\d|^(?:not|no|never|none|nobody|nothing|without|neither|nor|un\w+|dislike|[a-z]+teen|one|two|three|four|five|six|"
    r"seven|eight|nine|ten|twelve|twenty|thirty|forty|fifty)$|[不没沒无無非别別未厌一二两兩三四五六七八九十百千万]"
)


def content_key(content: str) -> str:
    """Equal for two sentences that state one fact; a digest, so it is no second copy of the text.

    Sentences with one `comparison_key` have one `content_key`.
    """
    return hashlib.blake2b(common_form(content).encode(), digest_size=16).hexdigest()


def common_form(content: str) -> str:
    """One form for the wordings of a fact, in lower case; not for reading.

    What may differ: articles, forms of "be", punctuation; words of liking among each other ("enjoys", "is
    fond of"), of disliking, of living somewhere, of a job, of having, of being called; -ing and third-person
    forms right after "The user"; an adverbial at the front ("Every morning the user runs"). Everything else
    stays, above all digits, names and negations. Without a rule for its language a sentence is its
    `comparison_key`.
    """
    text = comparison_key(content)
    form = _chinese(text) if _HAN_CHAR.search(text) else _english(text)
    return form or text


def _apply(rules: Rules, text: str) -> str:
    for pattern, form in rules:
        text = pattern.sub(form, text)
    return text


def _english(text: str) -> str:
    words = (word.strip(_AROUND) for word in _apply(_ENGLISH, text).split())
    text = " ".join(_from_the_subject([word for word in words if word]))
    text = _TO.sub(lambda found: f"{found[1]} {stem(found[2])}", text)
    text = _VERB.sub(lambda found: found[1] + stem(found[2] or found[3]), text)
    return " ".join(word for word in text.split() if word not in _DROPPED)


def _from_the_subject(words: list[str]) -> list[str]:
    """What stands before the user goes to the end: "Every morning the user runs"."""
    start = words.index("user") if "user" in words else 0
    return words[start:] + words[:start]


def _chinese(text: str) -> str:
    return _apply(_CHINESE, text)


def liking(text: str) -> frozenset[str]:
    """Which of "like" and "dislike" a text speaks of; nothing where it denies something besides."""
    form = common_form(text)
    words = set(form.split())
    if _DENIAL.search(form):
        return frozenset()
    return frozenset(
        name for name, sign in (("like", "喜"), ("dislike", "厌")) if name in words or sign in form
    )


def retold(one: str, other: str, quote: str) -> bool:
    """Whether two sentences made from the same words of a message differ only in the teller's own words.

    The words that stand in the quote must be the same, in the same order, and at least half of each
    sentence; of the others, numbers, names and negations must be the same.
    """
    said = common_form(quote)
    parts = [_told(text, said) for text in (one, other)]
    return parts[0] == parts[1] and parts[0] is not None


def _told(text: str, said: str) -> tuple[list[str], set[str]] | None:
    words = _words(common_form(text))
    heard = set(_words(said)) | _FRAME
    taken = [word for word in words if word in heard - _FRAME]
    own = [word for word in words if word not in heard]
    if not taken or len(own) > len(taken):
        return None
    names = {name.casefold() for name in _NAME.findall(text)} - heard
    return taken, names | {word for word in own if _DECIDING.search(word)}


def _words(form: str) -> list[str]:
    """The words of a common form, with Chinese cut."""
    return [
        word
        for piece in _HAN_RUN.split(form)
        for word in (words_of(piece) if _HAN_CHAR.search(piece) else piece.replace(",", " ").split())
    ]
