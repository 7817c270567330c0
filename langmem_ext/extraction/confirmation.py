"""A "yes": which words are one, and which words of the assistant it makes the user's own."""

from __future__ import annotations

import re

from langmem_ext.extraction.sentences import sentences_of
from langmem_ext.text import comparison_key

_NOT_WORDS = re.compile(r"[^\w\s']+")
_YES_EN = re.compile(
    r"(?:(?:oh|ah|well|um|ha|haha|hey) )?(?:(?:yes|yeah|yep|yup|yea|ya|aye|uh huh|mm hm|mhm|exactly"
    r"|precisely|correct|indeed|absolutely|definitely|certainly|of course|sure|totally|right|true"
    r"|affirmative|bingo|spot on|i am|i do|i did|i have|i was|i will|i would|i can|we are|we do|we have"
    r"|he is|she is|he does|she does|they are|they do|it is|it does|(?:that's|that is|thats|you're|you are"
    r"|youre|you got it|it's|this is)(?: (?:all|quite|absolutely|so|very|perfectly|totally|still"
    r"|also))?(?: (?:right|correct|true|it|exactly right|me))?|that's me|you got (?:it|that)(?: right)?"
    r"|please(?: do)?|sir|ma'am|thanks|thank you)(?: |$))+"
)
_YES_ZH = re.compile(
    r"(?:[嗯恩哦噢啊哈呃是对對的呀呢哟滴了]|没错|沒錯|正确|正解|确实|如此|的确|当然|可不是|就是|这样"
    r"|你?说[的得]对|你?说[的得]没错|一点儿?[没不]错|有的|会的|我是|我有|可以|好[的啊呀吧]?|行|谢谢)+"
)
# Alone they agree with nothing that was said about somebody.
_NOT_ALONE = re.compile(
    r"(?:(?:oh|ah|well|um|ha|haha|hey|sir|ma'am|please(?: do)?|thanks|thank you|right|sure) ?)+|(?:谢谢"
    r"|可以|好[的啊呀吧]?|行|[啊呀哦噢呢嗯恩哈呃的了])+"
)
_I_DO = re.compile(r"\b(?:i|we|he|she|they) (?:am|do|did|have|was|will|would|can|are|is|does)\b")
_ABOUT_YOU = re.compile(
    r"\byou['’](?:re|ve)\b|\byou (?!go\b|can\b|could\b|may\b|might\b|should\b|shall\b|will\b|would\b"
    r"|must\b|need\b|see\b|to\b|and\b|or\b|in\b|for\b|with\b|at\b)[a-z]|\byour (?:\w+ ){1,4}(?:is|are|was"
    r"|has|lives?|works?)\b|[你您](?!好|可以|可|能|需要|应该|要不要|看|们好)",
    re.I,
)
# "... , right?", and whole sentences that only ask whether it is so.
_TAG = re.compile(
    r"[,，、]?\s*(?:right|correct|true|yes|yeah|no|eh|ok|okay|is (?:that|this|it) (?:right|correct|true"
    r"|so)|am i (?:right|correct)|(?:is|are|was|were|do|does|did|has|have|can|will|would)n['’]?t (?:you|he"
    r"|she|it|they|that)|(?:did|have) i (?:get|got) (?:it|that) right|对吗|对吧|对不对|是吗|是吧|是不是"
    r"|没错吧|对么)\s*[?？]+\s*$",
    re.I,
)
_ASKED_BACK = re.compile(
    r",\s*(?:do|are|have|can|did|were|will|would)(?: you| they| we)\s*[?？]\s*$|不是.{0,40}[吗么]\s*[?？]?$",
    re.I,
)
_META = re.compile(
    r"^(?:(?:shall|should|may|can|do you want me to|would you like me to|want me to) ?(?:i )?(?:remember"
    r"|note|save|keep|store|write) (?:that|this|it)\b.*|(?:要|需要)?我?(?:记住|记下|保存)(?:这个|这一点|吗"
    r"|来)?.*)",
    re.I,
)
_CHOICE = re.compile(r"\bor\b|还是|還是", re.I)


def bare(text: str) -> str:
    """The words alone, in lower case, one space between them."""
    return " ".join(_NOT_WORDS.sub(" ", comparison_key(text).replace("’", "'")).split())


def confirms(text: str) -> bool:
    """Whether a text says yes to what was asked or stated before it, and nothing else."""
    words = bare(text)
    if not words or _NOT_ALONE.fullmatch(words):
        return False
    return bool(_YES_EN.fullmatch(words) or _YES_ZH.fullmatch(words.replace(" ", "")))


def agrees(text: str) -> bool:
    """As `confirms`, also "sure", "right", "好的" and "可以", which agree where something was asked."""
    words = bare(text)
    return bool(words) and (
        confirms(text)
        or bool(re.fullmatch(r"(?:sure|right|okay|ok|可以|行|好(?:的|啊|呀)?)(?: please)?", words))
    )


def may_be_confirmed(text: str) -> bool:
    """Whether the assistant asks something, or states something about the person it speaks to."""
    return "?" in text or "？" in text or bool(_ABOUT_YOU.search(text))


def confirmed_part(asked: str, answer: str) -> str | None:
    """What of the assistant's message a yes makes the user's own; None where that is not clear.

    The last question, or the sentence before one that only asks whether that is so; without a question
    what is stated about "you". A choice ("tea or coffee?") and "Yes, I do" to a denial are not clear.
    """
    sentences = sentences_of(asked)
    questions = [number for number, one in enumerate(sentences) if one.rstrip("\"'”) ").endswith(("?", "？"))]
    if not questions:
        told = " ".join(one for one in sentences if _ABOUT_YOU.search(one))
        return told or None
    at = questions[-1]
    part = _TAG.sub("", sentences[at]).strip()
    while (not part or _META.match(part)) and at > 0:
        at -= 1
        part = _TAG.sub("", sentences[at]).strip()
    denied = re.search(r"\b(?:not|never|no)\b|n['’]t\b", _asked_politely(part), re.I)
    if _CHOICE.search(part) or _ASKED_BACK.search(sentences[at]) or (denied and _I_DO.search(bare(answer))):
        return None
    return _asked_politely(part)


def _asked_politely(part: str) -> str:
    """As asked without a negation: "Aren't you vegan?" is "Are you vegan?", and 是不是 is 是."""
    part = re.sub(r"^((?:so|and|but|oh|wait)?,?\s*\w+)n['’]t (?=you\b|your\b)", r"\1 ", part, flags=re.I)
    return re.sub(r"(?:是|有|能|会|要)[不没](?=[是有能会要])|([一-鿿])不(?=\1)", "", part)
