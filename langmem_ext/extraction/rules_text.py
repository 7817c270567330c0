"""What the rules of both languages share: drafts, clauses, and speech that states nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime

from langmem_ext.extraction.sentences import is_question, sentences_of
from langmem_ext.items import MemoryType


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A candidate in the making: everything but its source."""

    content: str
    memory_type: MemoryType = "semantic"
    key: str | None = None
    valid_from: datetime | None = None
    replaces: int | None = None
    correction: bool = False
    importance: float | None = None


@dataclass(frozen=True, slots=True)
class Clause:
    """A piece of a message that says one thing; `text` is a substring of the message."""

    text: str
    first: bool  # of its sentence
    correcting: bool = False


@dataclass(frozen=True, slots=True)
class Rule:
    """What a predicate must look like, and the attribute that it then sets.

    `state` is added to the sentence of a change, so that a question about how things are finds it.
    """

    pattern: re.Pattern[str]
    key: str | None = None
    importance: float = 0.5
    state: str = ""


@dataclass(slots=True)
class Speech:
    """What one speaker has said so far: whom "she" means, and what may be corrected.

    Attributes:
        now: When it is said, in the speaker's own time zone.
        neighbours: What is known around it; number n is `neighbours[n - 1]`.
        subject: Whom a clause without a subject goes on about; empty for nobody yet.
        relative: Whom "she" or "he" means.
        greeted: Whether the clause before this one was a greeting.
        retracts: The number of the neighbour that was taken back and waits for what is said instead.
        drafts: The drafts so far.
    """

    now: datetime
    neighbours: tuple[str, ...] = ()
    subject: str = ""
    relative: str | None = None
    greeted: bool = False
    retracts: int | None = None
    drafts: list[Draft] = field(default_factory=list)


# With these "and …" goes on about "I".
ELIDED_VERBS = (
    r"love|like|hate|live|work|prefer|carry|wear|use|support|take|am|can['’]t|don['’]t|dislike|play|"
    r"speak|enjoy|have|grew up|own|drive|"
    r"eat|drink|go|moved|was|started|adopted|bought|study|teach|collect|run|need|keep"
)
# "My brother and I run a shop" is one clause.
_TWO = "".join(
    rf"(?<!my {who})"
    for who in "wife husband partner girlfriend boyfriend brother sister mum mom dad friend cousin".split()
)
SPLIT_EN = re.compile(
    rf"{_TWO}\s*[,:]?\s+(?:and|but|so|because|since|although|though|while|plus|or)\s+(?=(?:also\s|"
    r"then\s)?(?:i|i['’]\w+|my|we|we['’]re|our|"
    r"it['’]s|he|she|they|his|her|please|always|never|don['’]t)\b)"
    r"|\s*[,—–(]?\s+(?:so|because)\s+(?=(?:it|that|this|there|the|no|any|what|how|can|could|all)\b|"
    r"[a-z]+ (?:is|are|has|have|works?|must|can|should|will|would|needs?|after|before|only|please|at|on)\b)"
    r"|\s+and\s+(?=the \w+ (?:is|are|does|doesn['’]t|has|was|were|needs?|won['’]t|keeps?|can['’]t)\b)"
    r"|\s*[,—–(]?\s+(?:so|because|but|and)\s+(?=(?:if|unless|when)\b)"
    r"|\s*[,—–(]\s*(?=(?:what|where|how|which|who|when|why)\b[^,.]*\?\s*$)"
    r"|\s*(?:[,—–(]|\s-)\s*(?=(?:(?:and|but|so|because|also)\s)?(?:i|i['’]\w+|my|we|we['’]\w+|our|he|"
    r"she|please|always|"
    r"never|from now on|call me)\b)"
    r"|\s*[,—–]\s*(?=(?:no,? wait|no|sorry|wait|actually|i mean|scratch that)\b,?\s)"
    r"|\s*[,—–(]\s*(?:and |so |but )?(?=(?:what|where|how|which|when|who)\b.{0,30}?\b(?:do|does|did|can|"
    r"could|should|"
    r"would|is|are)\b|(?:can|could|should|would|do|does|will|is (?:there|that|it|this)|are (?:there|they|"
    r"these)|"
    r"any|got any|maybe|give me|show me|tell me|find me|help me|make me|suggest|recommend|thoughts|ideas|"
    r"looking for|need (?:an?|some)|"
    r"so maybe|remind me)\s)"
    r"|\s*,\s*(?=(?:also\s)?(?:live|work|prefer|play|speak|enjoy|own|drive|carry|grew up|"
    r"studied)\s)"
    r"|\s+(?:btw|fyi|by the way|oh and|also)[\s,]+(?=(?:i|i['’]\w+|my|we|we['’]\w+|our)\b)"
    r"|\s*,?\s+but\s+(?=(?:everyone|everybody|people|friends|most people)\b)"
    rf"|,?\s+(?:and|but)\s+(?=(?:also\s)?(?:{ELIDED_VERBS})\s)",
    re.I,
)
SPLIT_ZH = re.compile(
    r"[，,]+\s*|(?<=[^和与])(?:而且|并且|但是?|不过|所以|因为)(?=我|也|[^，]{2})|\s+(?=[我你他她])"
)
_HYPOTHETICAL = re.compile(
    r"^(?:and |but |so |well |only )*(?:if|suppose|supposing|imagine|say|let['’]s say|assume|assuming|"
    r"unless|whether|what if|were i|in case)\b"
    r"|\b(?:if i (?:were|was|had|could)|i wish|hypothetically|in theory)\b|如果|假如|假设|要是|万一|"
    r"倘若|的话|比方说|就好了|想象一下",
    re.I,
)
_CONDITION = re.compile(r"(?:if|unless|in case|suppose|supposing|imagine)\b", re.I)
# A condition on the answer, not on the fact.
_IF_IT_HELPS = re.compile(
    r"\b(?:not sure |dunno )?if (?:that|it|this) (?:helps?|matters|makes|is|"
    r"changes)\b",
    re.I,
)
_PLAY = re.compile(
    r"\b(?:pretend|role-?play(?:ing)?|let['’]s play a|act as|acting as|imagine (?:you|i|we)(?:['’]| a)|"
    r"you are now|in character|"
    r"write (?:me )?(?:a|an) (?:story|poem|scene|dialogue|song|letter|email|text)|translate|proofread|"
    r"for a story|my character)\b"
    r"|假装|扮演|角色扮演|你现在是|写一?(?:个|首|篇|段)|(?<![是做当名])翻译(?!都|的时候|时|请|就要)|翻成|"
    r"译成|润色|小说里|剧本|"
    r"演一?[个位名]|"
    r"[就把]当我|当我是|你来演|你演|你当[^，。]{1,6}[，,]|玩[个一]+游戏",
    re.I,
)
_PLAY_ENDS = re.compile(
    r"\b(?:stop (?:the )?(?:role-?play|game|pretending)|back to (?:normal|reality)|"
    r"out of character|seriously)\b|不演了|说正经的|回到正题",
    re.I,
)
_LASTING_PLAY = re.compile(
    r"\brole-?play|\bpretend\b|\bact as\b|\byou are now\b|扮演|假装|你现在是|演一?[个位名]|"
    r"你来演|你演|就当我|你当[^，。]{1,6}[，,]",
    re.I,
)
_EXAGGERATED = re.compile(
    r"[😂🤣💀🙃🤪🐶]|\[(?:狗头|doge|笑哭)\]|\b(?:literally|basically|practically|at this point|i swear|"
    r"might as well|"
    r"in (?:another|my|a (?:past|previous|former)) (?:(?:past|previous|next) )?(?:life|lives|dreams)|"
    r"in \w+ (?:\w+ )?(?:years|terms)|lmao|lmfao|rofl|"
    r"so (?:\w+ ){1,3}(?:i could|that i)|honorary|professional (?:procrastinator|overthinker|napper))\b|"
    r"算了$|就是为了|哈{4,}|再.{0,20}(?:就|我都).{0,12}了|简直|恨不得|上辈子|下辈子|快.{0,4}死了|笑死|"
    r"狗头|手动|法号|修仙|成仙",
    re.I,
)
_JOKE = re.compile(
    r"\b(?:just kidding|only joking|just joking|i['’]?m joking|i['’]?m kidding|jk|/s|"
    r"not really serious)\b|开玩笑|逗你|骗你的|说着玩",
    re.I,
)
CORRECTING = re.compile(
    r"^(?:oh|oops|wait|sorry|hmm|ah|well|and|but|erm?)?[,，.\s]*(?:actually|correction|no,? wait|no,|"
    r"nope,|sorry,|wait,|i meant|i mean,|to correct (?:myself|that)|"
    r"that['’]s (?:wrong|not right)|(?:it )?should (?:be|have been)\b|"
    r"scratch that|my mistake|i misspoke|i was wrong|let me correct)"
    r"|^(?:哦|啊|呃|抱歉|对不起|不好意思)?[，,\s]*(?:不对|不是的|更正|纠正|说错了|我说错|记错了|搞错了|"
    r"应该是|其实(?=不是|是))",
    re.I,
)


def starts_play(text: str) -> bool:
    """Whether what follows is play for the rest of the conversation too."""
    return bool(_LASTING_PLAY.search(text))


def ends_play(text: str) -> bool:
    """Whether the play is over."""
    return bool(_PLAY_ENDS.search(text))


def states_nothing(text: str) -> bool:
    """Whether a whole message is play, a joke or text to work on."""
    return bool(_PLAY.search(text) or _JOKE.search(text))


def clauses_of(text: str, *, chinese: bool) -> list[Clause]:
    """The clauses that state something; questions and suppositions are left out.

    A question leaves the clauses before it: "I live in Lyon, where can I swim?" says something.
    """
    found: list[Clause] = []
    for sentence in sentences_of(text):
        if _HYPOTHETICAL.search(_IF_IT_HELPS.sub("", sentence)) or _EXAGGERATED.search(sentence):
            continue
        pieces = _pieces(sentence, SPLIT_ZH if chinese else SPLIT_EN)
        correcting = bool(CORRECTING.search(sentence))  # "No, I live …": the comma splits it
        for number, piece in enumerate(pieces):
            if _CONDITION.match(piece):
                break  # what follows holds under it
            # The question mark belongs to the last clause; the others ask by their own words only.
            if not is_question(piece, chinese=chinese):
                correcting = correcting or bool(CORRECTING.search(piece))
                found.append(Clause(piece, number == 0, correcting))
    return found


def _pieces(sentence: str, splitter: re.Pattern[str]) -> list[str]:
    pieces, start = [], 0
    for match in splitter.finditer(sentence):
        pieces.append(sentence[start : match.start()])
        start = match.end()
    pieces.append(sentence[start:])
    return [stripped for stripped in (piece.strip(" \t,，、:") for piece in pieces) if stripped]
