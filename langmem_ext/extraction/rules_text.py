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
        drafts: The drafts so far.
    """

    now: datetime
    neighbours: tuple[str, ...] = ()
    subject: str = ""
    relative: str | None = None
    greeted: bool = False
    drafts: list[Draft] = field(default_factory=list)


# With these "and …" goes on about "I".
ELIDED_VERBS = (
    r"love|like|hate|live|work|prefer|am|can['’]t|don['’]t|dislike|play|speak|enjoy|have|grew up|own|drive|"
    r"eat|drink|go|moved|was|started|adopted|bought|study|teach|collect|run|need|keep"
)
SPLIT_EN = re.compile(
    r"\s*[,:]?\s+(?:and|but|so|because|since|although|though|while|plus|or)\s+(?=(?:also\s|"
    r"then\s)?(?:i|i['’]\w+|my|we|we['’]re|our|"
    r"it['’]s|he|she|they|his|her|please|always|never|don['’]t)\b)"
    r"|\s*(?:[,—–(]|\s-)\s*(?=(?:(?:and|but|so|because|also)\s)?(?:i|i['’]\w+|my|we|we['’]\w+|our|he|"
    r"she|please|always|"
    r"never|from now on|call me)\b)"
    r"|\s*[,—–]\s*(?=(?:no,? wait|no|sorry|wait|actually|i mean|scratch that)\b,?\s)"
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
_PLAY = re.compile(
    r"\b(?:pretend|role-?play(?:ing)?|let['’]s play a|act as|acting as|imagine (?:you|i|we)(?:['’]| a)|"
    r"you are now|in character|"
    r"write (?:me )?(?:a|an) (?:story|poem|scene|dialogue|song|letter|email|text)|translate|proofread|"
    r"for a story|my character)\b"
    r"|假装|扮演|角色扮演|你现在是|写一?(?:个|首|篇|段)|翻译|润色|小说里|剧本",
    re.I,
)
_PLAY_ENDS = re.compile(
    r"\b(?:stop (?:the )?(?:role-?play|game|pretending)|back to (?:normal|reality)|"
    r"out of character|seriously)\b|不演了|说正经的|回到正题",
    re.I,
)
_LASTING_PLAY = re.compile(r"\brole-?play|\bpretend\b|\bact as\b|\byou are now\b|扮演|假装|你现在是", re.I)
_JOKE = re.compile(
    r"\b(?:just kidding|only joking|just joking|i['’]?m joking|i['’]?m kidding|jk|/s|"
    r"not really serious)\b|开玩笑|逗你|骗你的|说着玩",
    re.I,
)
_QUOTED = re.compile(r"\"[^\"]{12,500}\"|“[^”]{12,500}”|「[^」]{8,500}」|```.*?(?:```|\Z)|^>.*$", re.S | re.M)
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


def without_quotes(text: str) -> str:
    """The text with blank lines in place of what it quotes, just as long."""
    return _QUOTED.sub(lambda match: "\n" * len(match[0]), text)


def clauses_of(text: str, *, chinese: bool) -> list[Clause]:
    """The clauses that state something; questions and suppositions are left out.

    A question leaves the clauses before it: "I live in Lyon, where can I swim?" says something.
    """
    found: list[Clause] = []
    for sentence in sentences_of(without_quotes(text)):
        if _HYPOTHETICAL.search(sentence):
            continue
        pieces = _pieces(sentence, SPLIT_ZH if chinese else SPLIT_EN)
        correcting = bool(CORRECTING.search(sentence))  # "No, I live …": the comma splits it
        for number, piece in enumerate(pieces):
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
