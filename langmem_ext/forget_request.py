"""From "forget that I ..." to the memories that are meant: words decide, and doubt asks.

Likeness of meaning does not: it always finds something, and what is deleted is gone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from langmem_ext.forget_matching import matching
from langmem_ext.redaction import stored_form

__all__ = ["Wish", "matching", "read_wish"]

_FORGET: Final = r"(?:forget|delete|erase|remove)"
_FORGET_ZH: Final = "(?:忘记|忘掉|忘了|忘記|删除|删掉|删了|刪除|刪掉|刪了)"
# "don't forget", "never let me forget", "I forgot my keys": the word is there, the wish is not.
_NO_WISH: Final = re.compile(
    r"(?:\b(?:(?<!why )(?:\w+n['’]t|dont)|never|cannot)|(?<!why )(?<!why do you )\bnot)\s+(?:\w+\s+){0,3}?"
    rf"{_FORGET}\b"
    r"|\bforg(?:ot|otten|etful|ets)\b|\b(?:i|we|they|he|she|people)\s+(?:(?:always|often|sometimes|keep)\s+)?forget\b"
    r"|^\W*you\s+(?:(?:always|often|keep|sometimes|just|will|would)\s+)*forget\b"
    r"|(?<!mind )\bforgetting\b"
    r"|(?:[别別勿莫]|(?<!要)不要|(?<!能)不能|(?<!可)不可以?|(?<![会會])不[会會]|不许|不許|不准|不得|不应该?|不該|不想|没有?|沒有?|从不|從不)"
    r"(?:再|又|要|轻易|随便)?(?:让|讓|叫|给|給)?(?:我|你|您)?(?:再|又|去)?(?:(?:把|将|將).*?)?[忘删刪]"
    r"|^(?:我|他|她|我们|我們|他们|他們)(?:又|总|總|老|经常|經常|常常|昨天|今天|刚|剛|刚才|不小心|总是|總是|老是)*"
    r"(?:[忘删刪]|(?:把|将|將).*?[忘删刪])"
    r"|\bi\s+(?:(?:really|just)\s+)?(?:want|need|wish|hope|try|tried|would\s+like)\s+to\s+forget\b"
    r"|\bi['’]d\s+(?:like|love|rather)\s+(?:to\s+)?forget\b|我(?:很|真的?)?(?:想|要|希望|需要)要?忘"
    r"|^(?:你|您)(?:又|都|怎么|怎麼|居然|竟然|是不是|也)*(?:忘了|忘记了|忘記了)(?!.*吧)"
    r"|(?<![把将將])我(?:总是|老是|经常|常常|又|總是|經常)?(?:忘了|忘记了|忘記了|忘不了)",
    re.IGNORECASE,
)
_ASKING: Final = (
    r"please|pls|kindly|just|simply|ok(?:ay)?|hey|hi|hello|so|well|now|oh|actually|sorry|then|and|also|but|yes|no|thanks|alright"
    r"|can|could|would|will|should|must|ought\s+to|have\s+to|need\s+to|may|might|had\s+better|better|you['’]d|you['’]ll"
    r"|let['’]?s|let\s+us|you|we|it|is|was|be|good|great|nice|best|if|possible|to|maybe|perhaps|go\s+ahead|feel\s+free"
    r"|why\s+do(?:n['’]t|\s+not)\s+you|make\s+sure|sure|do"
    r"|i(?:\s+(?:really|just))?\s+(?:want|need|ask|wish|prefer|hope|beg)|i['’]?m\s+asking|i(?:\s+would|['’]?d)"
    r"(?:\s+(?:really|rather|much))*(?:\s+(?:like|love|prefer|want|appreciate\s+it))?|that"
)
_WISH: Final = re.compile(
    rf"^\W*(?:(?:{_ASKING})\b[\s,.!:]*)*?"
    rf"(?:{_FORGET}|would\s+you\s+mind\s+forgetting|do\s+you\s+mind\s+forgetting|stop\s+remembering"
    r"|do\s*n[o'’]t\s+remember|do\s+not\s+remember"
    r"|i\s+do(?:n['’]t|\s+not)\s+want\s+you\s+to\s+(?:remember|know|keep|store))\b"
    r"(?:\s+(?:all|everything|anything|whatever|what|the\s+fact|the\s+memory|my\s+memory|(?:the\s+)?memories)"
    r"(?=\s))?(?:\s+(?:you\s+know|i\s+(?:told|said)(?:\s+to)?(?:\s+you)?))?(?:\s+(?:about|that|of))*\s*",
    re.IGNORECASE,
)
_WISH_ZH: Final = re.compile(
    r"^\W*(?:(?:那|好的?|嗯|对了|另外|其实|其實|算了|你好)[，,。、\s]*)*"
    r"(?:(?:请|請|麻烦|麻煩|拜托|拜託|劳烦|你|您|我们|我們|咱们|咱們|让我们|讓我們|可不可以|能不能|能否|可否|可以|是否|能|最好"
    r"|应该|應該|应当|得|必须|必須|需要|务必|帮忙|幫忙|帮我|幫我|给我|給我|替我|把|就|直接|彻底|立刻|马上|现在"
    r"|我(?:很|真的?|还是)?(?:希望|想让|想讓|想要|想请|想|要求|要|需要|请求|请|宁愿|願|让|讓))[，,\s]*)*"
    rf"(?:{_FORGET_ZH}|(?:别|不要|不用|不必|別|不需要)(?:再)?[记記])(?:住|得|着|著)?"
    r"(?:所有)?(?:关于|有关|關於|有關)?"
)
_WISH_AT_END: Final = re.compile(
    r"(?:这件事|这个|的事情|的事|的记忆|這件事|這個|的記憶)?(?:给|給)?"
    rf"{_FORGET_ZH}(?:它|吧|掉)*[。！!\s]*$"
)
_ENGLISH_AT_END: Final = re.compile(
    rf"[,.;:–—-]+\s*(?:(?:so|and|but|now|just|please|you|can|could|should|would)\s+)*{_FORGET}(?:\s+about)?"
    r"\s+(?:that|it|this)(?:[,\s]+please)?[\s.!?]*$",
    re.IGNORECASE,
)
_QUESTION: Final = re.compile(
    r"[，,]?(?:好吗|好嗎|好不好|可以吗|可以嗎|行吗|行嗎|行不行|吗|嗎)?[？?]+[\s。]*$|(?:吗|嗎)[。\s]*$"
)
# 从记忆里 before the verb, 的记忆 after the topic: about remembering, not about what is remembered.
_TALK_ZH: Final = re.compile(
    r"从(?:你的)?(?:记忆|記憶)(?:里|中|裡)?"
    r"|的(?:所有)?(?:记忆|記憶|信息|資訊|内容|內容|事情|事)(?=[。！!\s]*$)"
)
_PLEASE: Final = re.compile(
    r"^\s*(?:请|請|麻烦|麻煩|能不能|可不可以|能否|可以|你|您|我(?:希望|想让|想要|要))*(?:把|将|將)?"
)
_ALL: Final = re.compile(
    r"\b(?:everything|all|anything|whatever|every)\b|一切|所有|全部|全都|通通|统统|統統|[全都](?=.{0,3}[忘删刪])",
    re.IGNORECASE,
)
# What is left of "forget all the things you know about me" and is about nothing in particular.
_ABOUT_NOTHING: Final = re.compile(
    r"\b(?:of\s+it|that(?=\s+(?:you|i)\b)|me|myself|my|i|you|your|have|ever|know|known|remember|stored|saved|learned|learnt|told"
    r"|said|about|of|on|from|all|every|everything|anything|whatever|single|data|info|information|memory|memories|details?"
    r"|facts?|things?|stuff|the|please|now|to|thing|past|conversations?|chats?|history)\b"
    r"|关于|有关|關於|有關|我们|我們|我|你|您|的|把|将|將|一切|所有|全部|全都|通通|统统|統統|都|全|知道|记得|記得|记住|記住|告诉|告訴|说过|說過|说|說"
    r"|过|過|给|給|吧|掉|了|一下|这些|事情|东西|東西|事|信息|資訊|数据|數據|资料|資料|记忆|記憶|内容|內容|记录|記錄|请|請|\W|_",
    re.IGNORECASE,
)
_ME: Final = re.compile(
    r"^\W*(?:me|myself|who\s+i\s+am|(?:all\s+)?(?:my\s+|your\s+|the\s+)?memories|我|我是谁|我是誰|记忆|記憶)[\s.!。！]*$",
    re.IGNORECASE,
)
_BUT: Final = re.compile(
    r"\b(?:except|but|apart\s+from|besides|other\s+than)\b|除了|除去|以外|之外", re.IGNORECASE
)
_FORGET_WORD: Final = re.compile(
    rf"\b(?:{_FORGET}|forgetting)\b|{_FORGET_ZH}|[忘删刪]|[别別][记記]|不要[记記]", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be forgotten.

    Attributes:
        topic: In the user's words.
        explicit: Whether the text asks for it; a topic alone only tells what it may be about.
        everything: Whether nothing less than all is meant.
    """

    topic: str
    explicit: bool = True
    everything: bool = False


def read_wish(request: str) -> Wish | None:
    """What a text wants to be forgotten; None where it says that nothing shall be, or asks something."""
    text = stored_form(request)
    found = _WISH.match(text) or _WISH_ZH.match(text)
    if _denied(text, until=found.end() if found else len(text)):
        return None
    if found:
        verb = _FORGET_WORD.search(text, 0, found.end())
        return _wish(text[found.end() :], text[verb.start() if verb else found.end() :])
    if _WISH_AT_END.search(_QUESTION.sub("", text)):
        topic = _PLEASE.sub("", text)
        return _wish(topic, topic)
    if tail := _ENGLISH_AT_END.search(text):
        return _wish(text[: tail.start()], "it")
    if _FORGET_WORD.search(text) or text.endswith(("?", "？")):
        return None
    return Wish(text, explicit=False)


def _denied(text: str, until: int) -> bool:
    """Whether it is said before the wish that there is none: "Forget that I forgot my keys" is one."""
    found = _NO_WISH.search(text)
    return found is not None and found.start() <= until


def _wish(topic: str, said: str) -> Wish:
    """A wish out of its topic and of all that is said from the verb on ("forget all you know about ...")."""
    topic = _TALK_ZH.sub("", _WISH_AT_END.sub("", _QUESTION.sub("", topic))).strip()
    whole = _ALL.search(said) is not None
    if whole and _BUT.search(topic):
        return Wish("")  # all but something: neither all of it, nor that
    nothing_else = not _ABOUT_NOTHING.sub("", _FORGET_WORD.sub(" ", said))
    return Wish(topic, everything=_ME.search(topic) is not None or (whole and nothing_else))
