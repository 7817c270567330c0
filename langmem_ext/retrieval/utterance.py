"""What the text of a memory shows before any question is asked: its words, who speaks, whether it asks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from langmem_ext.items import MemoryItem
from langmem_ext.retrieval.lexical import tokenise
from langmem_ext.text import HAN
from langmem_ext.words import words_of

# "Anna: …", "张曼婷：…": up to three words that begin with a letter.
_LABEL = re.compile(rf"\s*(?P<who>[^\W\d_][^\s:：]*(?: [^\s:：]+){{0,2}})(?:：|:(?=\s|[{HAN}]))\s*(?=\S)")
_LONGEST_LABEL = 40
_SUBJECT = re.compile(r"^\s*(?:the )?user(?:'s)?\b|^\s*用户的?")
_WORD = re.compile(rf"[{HAN}]+|[^\W_{HAN}]+(?:['’\-][^\W_{HAN}]+)*")
_HAN = re.compile(f"[{HAN}]")
_SENTENCE = re.compile(r"[^.!?。！？…\n]+[.!?。！？…]*")
ASSISTANTS = frozenset(
    "assistant ai bot chatbot model agent system llm 助手 助理 机器人 人工智能 客服 ai助手 智能助手".split()
)
# Everyone is "the user" of their own memories: that names nobody.
USERS = frozenset("user human me 用户".split())


@dataclass(frozen=True)
class Utterance:
    """The text of one memory, read once.

    Attributes:
        content: The text.
        speaker: Who says it, in lower case: the name in front of the text (`Anna: …`), or else of its
            first source; None where neither is known.
        terms: Its words for keyword search, the name included.
        label_length: How many characters the name in front takes.
    """

    content: str
    speaker: str | None
    terms: tuple[str, ...]
    label_length: int

    @classmethod
    def of(cls, item: MemoryItem) -> Utterance:
        """Read a memory."""
        label = _LABEL.match(item.content[:_LONGEST_LABEL])
        speaker = label["who"] if label is not None else item.source[0].speaker if item.source else None
        return cls(
            item.content,
            None if speaker is None else speaker.casefold(),
            tuple(tokenise(item.content)),
            0 if label is None else label.end(),
        )

    @cached_property
    def statement(self) -> tuple[str, ...]:
        """The words in their order, function words included, without the name in front or "the user"."""
        text = _SUBJECT.sub("", self.content[self.label_length :].casefold())
        words: list[str] = []
        for piece in _WORD.findall(text):
            words += words_of(piece) if _HAN.match(piece) else [piece]
        return tuple(words)

    @cached_property
    def question_share(self) -> float:
        """0..1: how much of the text is questions, by its length."""
        sentences = _SENTENCE.findall(self.content)
        asked = sum(len(sentence) for sentence in sentences if sentence.endswith(("?", "？")))
        return asked / max(sum(map(len, sentences)), 1)

    @property
    def by_assistant(self) -> bool:
        """Whether an assistant says it."""
        return self.speaker in ASSISTANTS
