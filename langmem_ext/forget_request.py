"""From "forget that I ..." to the memories that are meant: words decide, and doubt asks.

Likeness of meaning does not: it always finds something, and what is deleted is gone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from langmem_ext.items import MemoryItem
from langmem_ext.redaction import stored_form
from langmem_ext.retrieval.lexical import tokenise

CLEAR: Final = 0.8  # of the request's words a memory must have to be meant without doubt
POSSIBLE: Final = 0.5  # to be asked about

# "don't forget", "never let me forget", "I forgot my keys": the word is there, the wish is not.
_NO_WISH: Final = re.compile(
    r"\b(?:don['’]?t|do\s+not|never|mustn['’]?t|can['’]?t|cannot|won['’]?t|not\s+to)\s+(?:\w+\s+){0,3}?"
    r"(?:forget|delete|erase|remove)\b"
    r"|\bforg(?:ot|otten|etting|etful|ets)\b|\b(?:i|we|they|he|she)\s+(?:always\s+|often\s+)?forget\b"
    r"|(?:别|不要|不能|不可|不许|莫|勿|別)(?:再)?(?:让我|讓我|叫我)?(?:忘|删|刪)"
    r"|(?:我|他|她)(?:总是|老是|经常|常常|又|總是|經常)?(?:忘了|忘记了|忘記了|忘不了)",
    re.IGNORECASE,
)
_WISH: Final = re.compile(
    r"^\s*(?:(?:please|ok(?:ay)?|hey|so|well|now|can|could|would|will|you|i\s+want\s+you\s+to"
    r"|i['’]?d\s+like\s+you\s+to|just|kindly)[\s,]+)*"
    r"(?:forget|delete|erase|remove|stop\s+remembering|do\s*n[o'’]t\s+remember)\b"
    r"(?:\s+(?:all|everything|anything|whatever|what|the\s+fact|the\s+memory|my\s+memory|(?:the\s+)?memories)"
    r"(?=\s))?(?:\s+(?:you\s+know|i\s+(?:told|said)(?:\s+to)?(?:\s+you)?))?(?:\s+(?:about|that|of))*\s*"
    r"|^\s*(?:请|請|麻烦|麻煩)?(?:你|您)?(?:把|帮我|幫我)?"
    r"(?:忘记|忘掉|忘了|忘記|删除|删掉|刪除|刪掉|(?:别|不要|不用|不必|別)(?:再)?[记記])(?:住|得|着|著)?"
    r"(?:所有)?(?:关于|有关|關於|有關)?",
    re.IGNORECASE,
)
_WISH_AT_END: Final = re.compile(
    r"(?:这件事|这个|的事情|的事|的记忆|這件事|這個|的記憶)?(?:给|給)?(?:忘记|忘掉|忘了|忘記|删除|删掉|刪除|刪掉)(?:吧|掉)?[。！!\s]*$"
)
# 从记忆里 before the verb, 的记忆 after the topic: about remembering, not about what is remembered.
_TALK_ZH: Final = re.compile(
    r"从(?:你的)?(?:记忆|記憶)(?:里|中|裡)?"
    r"|的(?:所有)?(?:记忆|記憶|信息|資訊|内容|內容|事情|事)(?=[。！!\s]*$)"
)
_PLEASE: Final = re.compile(r"^\s*(?:请|請|麻烦|麻煩)?(?:你|您)?(?:把)?")
_EVERYTHING: Final = re.compile(
    r"\b(?:everything|all|anything)(?:\s+(?:of\s+it|you\s+(?:know|have|remember)))?(?:\s+about\s+me)?[\s.!]*$"
    r"|^\s*(?:me|myself|all\s+(?:my\s+)?memories)[\s.!]*$"
    r"|(?:一切|所有|全部)(?:记忆|記憶)?(?:都|的)?[。！!\s]*$|^(?:记忆|記憶|(?:my\s+)?memories)[。！!.\s]*$",
    re.IGNORECASE,
)
_FORGET_WORD: Final = re.compile(
    r"\b(?:forget|delete|erase|remove)\b|忘|删|刪|别记|別記|不要记|不要記", re.IGNORECASE
)
# Of the talk about remembering, not of what is remembered.
_TALK: Final = frozenset(
    "forget delete erase remove memory please fact everything anything 关于 有关 记忆 事情 事 请".split()
)


_NEGATION: Final = re.compile(
    r"\b(?:not?|never|none|cannot|without)\b|n['’]t\b|不|没|沒|无|無|别|別|勿|未", re.IGNORECASE
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
    if _NO_WISH.search(text):
        return None
    if (found := _WISH.match(text)) and found.end():
        return _wish(text[found.end() :], text)
    if _WISH_AT_END.search(text):
        return _wish(_PLEASE.sub("", text), text)
    if _FORGET_WORD.search(text) or text.endswith(("?", "？")):
        return None
    return Wish(text, explicit=False)


def _wish(topic: str, text: str) -> Wish:
    topic = _TALK_ZH.sub("", _WISH_AT_END.sub("", topic)).strip()
    return Wish(topic, everything=_EVERYTHING.search(topic or text) is not None)


def matching(topic: str, memories: Sequence[MemoryItem]) -> tuple[list[MemoryItem], list[MemoryItem]]:
    """The memories that are clearly meant, and all that may be, best first."""
    wanted = set(tokenise(topic)) - _TALK
    if not wanted:
        return [], []
    shares = [(len(wanted & _words(item)) / len(wanted), item) for item in memories]
    possible = sorted((pair for pair in shares if pair[0] >= POSSIBLE), key=lambda pair: -pair[0])
    negated = _NEGATION.search(topic) is None
    clear = [
        item
        for share, item in possible
        if share >= CLEAR and (_NEGATION.search(item.content) is None) is negated
    ]
    return clear, [item for _, item in possible]


def _words(item: MemoryItem) -> set[str]:
    attribute = (item.key or "").replace(".", " ").replace("_", " ")
    return set(tokenise(item.content)) | set(tokenise(attribute))
