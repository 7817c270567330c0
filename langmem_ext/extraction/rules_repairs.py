"""Repairs within a breath: "I live in Rome, no wait, Milan", 我住在北京，不对，是天津.

The sentence is read with the word that was meant. Where it is not clear which word that is, what was
being said is left out: no value is better than the one that was taken back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from langmem_ext.extraction.rules_text import SPLIT_EN, SPLIT_ZH
from langmem_ext.extraction.sentences import is_question, sentences_of

_TAKEN_BACK = (
    r"no,? wait|wait,? no|(?:no,? |sorry,? |oops,? )?i mean(?:t)?(?! (?:it|that)$)|scratch that|"
    r"correction|my mistake|(?:or|no,?) rather|make that|typo|"
    r"(?:i )?(?:typed|wrote|said|got|spelled|spelt|put) (?:that|it) wrong|autocorrect"
)
_MARK_EN = re.compile(
    rf"(?:[,;(—–…]|\s-|\.{{2,4}})\s{{0,3}}(?:(?:oh|ah|erm?|uh|um|hmm),? )?(?:(?P<strong>{_TAKEN_BACK})\b|"
    r"(?:no|wait|sorry|oops|nope)\b(?=\s?[,:.—–]|\s(?:it|that)['’]s\b)|(?P<weak>actually)\b)"
    rf"(?:[\s,:.—–]{{1,4}}(?:{_TAKEN_BACK}|no|wait|sorry|actually)\b(?=[\s,:]))*[\s,:.—–]{{0,4}}",
    re.I,
)
_ONLY_OPENING = re.compile(
    r"(?:(?:oh|no|nope|yes|yeah|sorry|wait|actually|ok|okay|hmm|well|so|and|but|ah|oops|hi|hey|thanks)\W*)+|"
    r"(?:不|对|哦|啊|抱歉|对不起|不好意思|嗯|好的?|是的|\W)*",
    re.I,
)
# "…, no wait, not Rome but Milan", 不对，不是北京，是上海
_NOT_BUT = re.compile(
    r"^not [^,]{1,40}?(?:, (?:but )?| but )|^不是[^，,。]{1,12}?[，,]\s*而?(?=应?该?是)", re.I
)
# "No, really", "no, not even wine": nothing is taken back.
_NO_VALUE = re.compile(
    r"^(?:really|seriously|honestly|thanks?|please|never|not|nothing|none|just kidding|kidding)\b", re.I
)
_AGAIN_EN = re.compile(rf"^(?:oh,? |ah,? )?(?:{_TAKEN_BACK})\b", re.I)
_SLOT = (
    r"in|at|on|to|from|for|of|with|called|named|as|is|are|am|was|an?|loves?|likes?|hates?|enjoys?|prefers?|"
    r"speaks?|plays?|drinks?|eats?|study|studies|teach|teaches|drives?|have|has|turned|joined"
)
_MEANT_EN = re.compile(
    r"^(?:(?:it|that)['’]s |(?:it|that) (?:is|was) )?"
    r"(?P<value>(?:(?P<slot>in|at|on|to|from|for|as|called|an?) )?"
    r"(?P<bare>[\w&'’./-]+(?: [\w&'’./-]+){0,4}?))"
    r"(?P<rest>(?:,|\s*[—–]| (?:and|but|so|because|since|not)\b).*)?$",
    re.I,
)
_OWN_SUBJECT = re.compile(r"^(?:i|we|my|our|he|she|they|you|his|her|there|please|thanks?)\b", re.I)
_OWN_ZH = re.compile(r"[我他她你]")
_OF_VERB = re.compile(r"\b(?:is|are|was|am|have|has|do|does|can|will|would)\b", re.I)

_MARK_ZH = re.compile(
    r"[，,；;—…\s]\s?(?:(?:哦(?!不)|啊|呃|抱歉|对不起|不好意思|哎呀?)[，,\s]{0,3}){0,2}"
    r"(?:(?:哦不|不不|不对|不是的|(?:等等|等一下|等下)?[，,]?我?(?:刚刚|刚才|刚|前面)?(?:说|讲|写|记|搞|"
    r"弄|打)错字?了?|更正一下|更正|纠正一下|纠正|口误)[啊哦呀]?"
    r"(?:[，,：:\s]{1,3}|(?=应该|是(?!不)|在|叫)))+"
)
_AGAIN_ZH = re.compile(
    r"^(?:不对|(?:等等|等一下|等下)?[，,]?我?(?:刚刚|刚才|刚|前面)?(?:说|讲|写|记|搞|弄|打)错字?了?|更正|"
    r"口误)"
)
_MEANT_ZH = re.compile(
    r"^(?:我是说|我的意思是|应该|其实)?是?(?P<slot>在|叫|住在|去|"
    r"到)?(?P<value>(?![我他她你不])[^，,。！!]{1,12}?)"
    r"(?:才对|[啊呀哦吧])?(?P<rest>[，,].*)?$"
)
_SLOT_ZH = re.compile(
    r"^(?P<head>.*(?:住在|在|到|去了?|是|叫|于|喜欢|爱吃|爱喝|对|养了?|加入了?|"
    r"入职了?))(?P<old>[^，,]{1,12}?)"
    r"(?P<tail>住|工作|上班|人|长大的?|出生的?|过敏|搬来的?|读书|上学)?$"
)


def spoken(text: str, *, chinese: bool) -> Iterator[tuple[str, str | None]]:
    """The text in pieces to read: as they are, or mended, with the words that they stand for."""
    start = done = 0
    before: tuple[int, str] | None = None
    found: list[tuple[int, int, str]] = []
    for sentence in sentences_of(text):
        at = text.index(sentence, start)
        start = at + len(sentence)
        mended = _mended(sentence, chinese=chinese)
        if mended is None and before is not None:  # "I live in Rome. No wait, Milan."
            joined = _joined(before[1], sentence, chinese=chinese)
            if joined is not None:
                at, mended = before[0], joined
                found = [entry for entry in found if entry[0] != at]
        if mended is not None:
            found.append((at, start, mended))
        before = (at, sentence)
    for at, end, mended in found:
        if text[done:at].strip():
            yield text[done:at], None
        yield mended, text[at:end].rstrip("。！；;" if chinese else "")
        done = end
    if text[done:].strip():
        yield text[done:], None


def _joined(first: str, second: str, *, chinese: bool) -> str | None:
    again = (_AGAIN_ZH if chinese else _AGAIN_EN).match(second)
    if again is None or first.endswith(("?", "？")) or re.search(r"\bnot\b|不是", second):
        return None
    body = first.rstrip(" .!。！…~～")
    return _mended(f"{body}{'，' if chinese else ', '}{second}", chinese=chinese, only_value=True)


def _mended(sentence: str, *, chinese: bool, only_value: bool = False, again: int = 5) -> str | None:
    """The sentence as it was meant, perhaps empty; None if it repairs nothing."""
    body = sentence.rstrip(" .!?。！？；;…~～\"'”)")
    end = sentence[len(body) :]
    mark = (_MARK_ZH if chinese else _MARK_EN).search(body)
    if mark is None:
        return None
    said, meant = body[: mark.start()].rstrip(" ，,"), _NOT_BUT.sub("", body[mark.end() :])
    if not said or _ONLY_OPENING.fullmatch(said):
        return None
    if not meant or _NO_VALUE.match(meant) or is_question(meant, chinese=chinese):
        return None
    told = (_substituted_zh if chinese else _substituted_en)(said, meant)
    if told is not None:
        if only_value:
            return told + end
        if not again:
            return ""  # whoever says so many words has not settled on one
        next_one = _mended(told + end, chinese=chinese, again=again - 1)
        return told + end if next_one is None else next_one
    return None if only_value else _left_out(said, meant + end, mark, chinese=chinese)


def _left_out(said: str, meant: str, mark: re.Match[str], *, chinese: bool) -> str | None:
    """What remains where no word can be put in the place of another."""
    if (_OWN_ZH if chinese else _OWN_SUBJECT).match(meant):
        return _other_clause(said, meant, chinese=chinese)
    if not chinese and mark["weak"] and not re.match(r"(?:in|at|on|to|from|it['’]s|[A-Z\d])", meant):
        return None  # "I love Rome, actually more than …"
    return _without_last(said, chinese=chinese)


def _other_clause(said: str, meant: str, *, chinese: bool) -> str | None:
    """A repair that says it all again takes the place of what it repeats."""
    last = _last_clause(said, chinese=chinese)
    begin = last[:2] if chinese else " ".join(last.lower().split()[:2])
    if not meant.lower().startswith(begin):
        return None
    kept = _without_last(said, chinese=chinese)
    return f"{kept}{'。' if chinese else '. '}{meant}" if kept else meant


def _last_start(said: str, *, chinese: bool) -> tuple[int, int]:
    cuts = list((SPLIT_ZH if chinese else SPLIT_EN).finditer(said))
    return (cuts[-1].start(), cuts[-1].end()) if cuts else (0, 0)


def _last_clause(said: str, *, chinese: bool) -> str:
    return said[_last_start(said, chinese=chinese)[1] :]


def _without_last(said: str, *, chinese: bool) -> str:
    return said[: _last_start(said, chinese=chinese)[0]]


def _substituted_en(said: str, meant: str) -> str | None:
    match = _MEANT_EN.match(meant)
    if match is None or _OWN_SUBJECT.match(meant) or _OF_VERB.search(match["bare"]):
        return None
    slot = (match["slot"] or "").lower()
    slots = r"an?" if slot in ("a", "an") else slot or _SLOT
    place = re.match(rf"^(?P<head>.*(?:\b|['’])(?:{slots}|['’](?:m|s|re)))\s(?P<old>.+)$", said, re.I)
    if place is None or len(place["old"].split()) > 5 or _shape(place["old"]) != _shape(match["bare"]):
        return None
    head = place["head"]
    if slot:
        if head.lower().rsplit(" ", 1)[-1] not in ("a", "an", slot):
            return None
        head, value = head.rsplit(" ", 1)[0], match["value"]
    else:
        value = match["bare"]
    rest = (match["rest"] or "").removesuffix(f", not {place['old']}")
    return f"{head} {value}{rest}"


def _shape(text: str) -> str:
    return "digit" if text[0].isdigit() else "name" if text[0].isupper() else "word"


def _substituted_zh(said: str, meant: str) -> str | None:
    match = _MEANT_ZH.match(meant)
    start = _last_start(said, chinese=True)[1]
    place = _SLOT_ZH.match(said[start:])
    if match is None or place is None:
        return None
    value, tail = match["value"], place["tail"] or ""
    digits = [any(char.isdigit() for char in text) for text in (place["old"], value)]
    if digits[0] != digits[1] or (match["rest"] or "").startswith(("，不是我", ",不是我")):
        return None
    value = value.removesuffix(tail) if tail else value
    rest = re.sub(r"^[，,](?:而)?不是[^，,]{1,12}", "", match["rest"] or "")
    return f"{said[:start]}{place['head']}{value}{tail}{rest}"
