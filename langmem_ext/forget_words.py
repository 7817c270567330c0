"""The words that decide whether a request and a memory speak of the same: persons, times, negations.

English, and Chinese in both scripts.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, NamedTuple

# Of the talk about remembering, not of what is remembered.
TALK: Final = frozenset(
    "forget delete erase remove memory please fact everything anything 关于 有关 记忆 事情 事 请".split()
)
# The user, and the verbs that say no more than that something is so.
OWN: Final = frozenset(
    "the a an user i my i'm i've 's is are am be been has have had got of in on at for with to "
    "用户 我 我的 的 在 是 有 对 對 了".split()
)
# What may be said or left out.
LIGHT: Final = frozenset(
    "really very also currently now always usually often still just so much quite well actually daily "
    "regularly own owns owned full real current home main "
    "目前 现在 現在 很 非常 特别 特別 十分 一直 平时 平常 经常 經常 通常 每天 每周 一个 一只 一名 一位 "
    "一條 一条 养 養 养了 家庭 个人 也 都".split()
)
# Where a second fact may begin.
BREAKS: Final = frozenset(
    "and but while whereas who whom whose which because plus with , ; . : ! ? "
    "， 、 ； 。 ： ！ ？ 和 与 與 跟 及 以及 并 并且 並 並且 而 而且 但 但是 不过 同时 同時 还 還 "
    "因为 因為".split()
)
# "residence.city" is the user's; "dog.name" is not.
GENERIC_KEYS: Final = frozenset(
    "user personal profile identity basic contact general residence home location health diet "
    "preference preferences favorite favourite".split()
)

_PERSON: Final = re.compile(
    r"\b(?:step|grand|god|half-)?(?:mother|father|mom|mum|mommy|mummy|dad|daddy|mama|papa|parent|brother|sister"
    r"|sibling|son|daughter|child|children|kid|baby|babies|ma|pa)(?:-in-law|s-in-law)?s?\b"
    r"|\b(?:wife|wives|husband|spouse|partner|girlfriend|boyfriend|fianc[eé]e?|ex|uncle|aunt|cousin|nephew|niece"
    r"|twin|relative|in-laws?|friend|bestie|room-?mate|flat-?mate|house-?mate|neighbou?r|colleague|co-?worker"
    r"|class-?mate|team-?mate|boss|landlord|landlady|family|families|people|someone|somebody|everyone)s?\b"
    r"|[妈媽爸爹娘]|[父母]亲|[父母]親|父母|[哥弟姐妹](?!伦|倫|斯)|兄|儿子|兒子|女儿|女兒|孩子|小孩|宝宝|寶寶|儿女|子女"
    r"|老婆|妻|太太|媳妇|媳婦|老公|丈夫|爱人|愛人|伴侣|伴侶|[男女]朋友|[男女]友|未婚夫|前夫|前任|对象|對象"
    r"|爷|爺|奶奶|外公|外婆|姥|祖父|祖母|[孙孫][子女]|叔|伯父|伯伯|大伯|舅|阿姨|姑姑|姑妈|姨妈|婶|嬸|侄|外甥|岳[父母]|公公|婆婆|女婿"
    r"|朋友|闺蜜|閨蜜|室友|舍友|邻居|鄰居|同事|老板|老闆|上司|领导|領導|同学|同學|队友|隊友|房东|房東|家人|亲戚|親戚|别人|別人",
    re.IGNORECASE,
)
_NOT_A_PERSON: Final = re.compile(r"墨西哥|哥本哈根|哥德|南无|the people's|姐妹花|family name", re.IGNORECASE)
# A sentence about somebody who is named before it.
_OTHER: Final = re.compile(
    r"^(?:he|she|they|his|her|their|it|its|your?|他|她|它|你|您)\b|^[他她它你您]", re.IGNORECASE
)
_PAST: Final = re.compile(
    r"\bused\s+to\b|\b(?:formerly|previously|once(?!\s+(?:a|an|every|per)\b)|former|ex-\w+|no\s+longer|any\s*more|stopped|quit|gave\s+up"
    r"|in\s+the\s+past|until|as\s+a\s+child|grew\s+up)\b"
    r"|以前|之前|从前|從前|过去|過去|曾|原来|原來|原先|当年|當年|小时候|小時候|不再|已经不|已經不|戒了"
    r"|(?<=[住去学學做养養用当當])[过過](?!敏)",
    re.IGNORECASE,
)
_TURNED: Final = re.compile(
    r"\b(?:except|apart\s+from|besides|unless|if|than|instead|rather|almost|nearly|maybe|perhaps|might|pretend\w*"
    r"|plans?\s+to|wants?\s+to|hopes?\s+to|would\s+like\s+to|going\s+to|about\s+to|will|wish(?:es)?)\b"
    r"|除了|以外|之外|如果|比(?!较|較|赛|賽|例|萨|薩)|可能|也许|也許|打算|计划|計劃|希望|想要?(?=[去在住学學养養做买買])|准备|準備|将要|將要",
    re.IGNORECASE,
)
_NEGATION: Final = re.compile(
    r"\b(?:not?|never|none|cannot|without|dislike|neither|nor|nothing|nobody)\b"
    r"|不|没|沒|无|無|(?<![特性级級区區分类類])[别別]|勿|未|厌",
    re.IGNORECASE,
)
_FOLDS: Final = tuple(
    (re.compile(pattern, re.IGNORECASE), form)
    for pattern, form in (
        (r"[’‘ʼ`]", "'"),
        (r"\bcan(?:'t|not)\b", "can not"),
        (r"\bwon't\b", "will not"),
        (r"n't\b", " not"),
        (r"\b(?:do|does)\s+not\s+(?:really\s+|actually\s+)?(?:like|love|enjoy|care\s+for)\b", "dislike"),
        (r"\b(?:is|am)\s+not\s+(?:a\s+(?:big\s+)?fan\s+of|fond\s+of|keen\s+on)\b", "dislike"),
        (r"\b(?:dislikes|hates?|detests?|loathes?|can\s+not\s+(?:stand|bear))\b", "dislike"),
        (r"\b(?:is|am)\s+(?:a\s+(?:big\s+)?fan\s+of|fond\s+of|keen\s+on)\b", "like"),
        (r"\b(?:likes|loves?|enjoys?|adores?)\b", "like"),
        (r"不(?:太|怎么|怎麼|是很)?(?:喜欢|喜歡|喜爱|喜愛)|讨厌|討厭|厌恶|厭惡|受不了", "厌"),
        (r"喜歡|喜爱|喜愛|热爱|熱愛", "喜欢"),
        (r"^(?:该用户|用戶|使用者)", "用户"),
    )
)


_OWNS: Final = re.compile(r"^(?:(?:the\s+)?user's|my)\b|^(?:用户|我)的", re.IGNORECASE)
_LIKING: Final = re.compile(r"\b(?:dis)?like\b|喜欢|厌", re.IGNORECASE)


class Told(NamedTuple):
    """A topic in the words of a memory.

    Attributes:
        text: With "the user" where the user says "I".
        statement: Whether it is a sentence; else it only names something.
    """

    text: str
    statement: bool


_I: Final = re.compile(
    r"^(?:that\s+)?i(?P<be>['’]m|\s+am)?(?P<have>['’]ve|\s+have)?\b\s*(?P<verb>[a-z]*)", re.IGNORECASE
)
_AS_IT_IS: Final = re.compile(
    r"|\w+ed|\w+ly|can|could|will|would|may|might|must|should|was|had|never|always|often|also|did|went|got",
    re.IGNORECASE,
)
_VERB: Final = re.compile(
    r"\b(?:is|are|was|were|has|have|had|does|do|did|can|will)\b|是|住|叫|过敏|喜欢|讨厌|厌", re.IGNORECASE
)


def topic_told(topic: str) -> Told:
    """A topic in the words of a memory: "I live in Lyon" is "the user lives in Lyon"."""
    text = topic.strip(" \t.。!！,，")
    if found := _I.match(text):
        verb = found["verb"]
        if found["be"] or found["have"]:
            verb = f"{'is' if found['be'] else 'has'} {verb}"
        elif verb.casefold() in ("do", "don"):
            verb = "does" if verb.casefold() == "do" else "doesn"
        elif not _AS_IT_IS.fullmatch(verb):
            verb = _third_person(verb)
        return Told(f"the user {verb}{text[found.end() :]}", True)
    text, own = re.subn(r"^my\b", "the user's", text, count=1, flags=re.IGNORECASE)
    text, chinese = re.subn(r"^我(?:们|們)?", "用户", text, count=1)
    if chinese and _PERSON.match(text, len("用户")):  # 我妈妈 is 我的妈妈
        text = text.replace("用户", "用户的", 1)
        return Told(text, _VERB.search(text) is not None)
    subject = bool(chinese) and not text.startswith("用户的")
    return Told(text, subject or (_VERB.search(text) is not None))


def _third_person(verb: str) -> str:
    if re.search(r"(?:s|x|z|ch|sh|o)$", verb):
        return verb + "es"
    return verb[:-1] + "ies" if re.search(r"[^aeiou]y$", verb) else verb + "s"


def owns(text: str) -> bool:
    """Whether a text begins with something of the user's."""
    return _OWNS.search(text) is not None


def liking(text: str) -> bool:
    """Whether a text (in one spelling) says what somebody likes or not."""
    return _LIKING.search(text) is not None


def folded(text: str) -> str:
    """One spelling of what is denied, liked and disliked; otherwise the text as it is."""
    for pattern, form in _FOLDS:
        text = pattern.sub(form, text)
    return text


def persons(text: str) -> frozenset[str]:
    """The persons besides the user that a text speaks of: "sister", "妈妈", and "she" as its first word."""
    found = _PERSON.findall(_NOT_A_PERSON.sub("", text))
    first = _OTHER.search(text)
    return frozenset(word.casefold().rstrip("s") for word in (*found, *([first[0]] if first else ())))


def _past(text: str) -> bool:
    return _PAST.search(text) is not None


def _turned(text: str) -> bool:
    return _TURNED.search(text) is not None


def _negated(text: str) -> bool:
    return len(_NEGATION.findall(text)) % 2 == 1


# In which a request and a memory must agree.
MARKERS: Final[tuple[Callable[[str], bool], ...]] = (_past, _turned, _negated)
