"""Whether a sentence denies what was said: negations and words of liking, on the same words."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from langmem_ext.extraction.evidence import Words, tokens_of
from langmem_ext.text import HAN, comparison_key
from langmem_ext.words import stem

Rules = tuple[tuple[re.Pattern[str], str], ...]
_DENIES, _LIKES = "¬", "♥"  # signs that no text is made of


def _rules(*pairs: tuple[str, str]) -> Rules:
    return tuple((re.compile(pattern), form) for pattern, form in pairs)


_LIKE_EN: Final = r"(?:likes?|liked|loves?|loved|enjoys?|enjoyed|enjoying|adores?|adored|fond of|keen on)"
# In this order: a later rule sees what the earlier ones made of the text.
_ENGLISH: Final = _rules(
    (r"[’‘ʼ`]", "'"),
    (r"\b(?:cannot|can't)\b", "can not"),
    (r"\bwon't\b", "will not"),
    (r"n't\b", " not"),
    (r"\bnot (?:only|just|always|every|all|necessarily|quite|exactly|too|that|so|sure|mind|wait)\b|"
     r"\bno (?:doubt|idea|problem|worries|wonder)\b|\bnever miss\w*\b", "?"),
    (r"\b(?:would|'d) (?:also |really |rather )?(?:like|love|enjoy)\b", "want"),
    # A preposition: "feels like winter", "is like a junk room", "something like that"
    (r"\b(is|are|was|were|be|been|being|'s|'re|it|feels?|felt|looks?|looked|looking|sounds?|sounded|seems?"
        r"|seemed|tastes?|tasted|smells?|acts?|works?|just|more|nothing|something|anything|things|stuff"
        r"|people|much|exactly) like\b",
     r"\1 as"),
    (rf"\b{_LIKE_EN} (?:it )?(?:when |if )?(?:there (?:is|are|were) )?(?:fewer|less|no|without|to (?:stop"
        rf"|avoid|quit))\b", "?"),
    (r"\b(?:not|never) (?:\w+ )?(?:a )?(?:big |huge |great )?fan of\b", f"{_DENIES} {_LIKES}"),
    (r"\b(?:a )?(?:big |huge |great )?fan of\b|\b(?:am|is|are|'m|'s|so|really|big) into\b", _LIKES),
    (r"\bnot (?:really |so |very |big )?into\b", f"{_DENIES} {_LIKES}"),
    (r"\b(?:dislik|hat|detest|loath|despis|abhor)(?:e|es|ed|s|ing)?\b|\b(?:can"
        r"|could) not (?:really )?(?:stand|bear|abide)\b|"
     r"\bfed up with\b|\bsick of\b", f"{_DENIES} {_LIKES}"),
    (r"\bno longer\b", _DENIES),
    (r"\bnor\b", f"，{_DENIES}"),
    (rf"\b{_LIKE_EN}\b", _LIKES),
    (r"\b(?:not|no|non|never|none|nobody|nothing|without|neither|nor|hardly|rarely|seldom"
        r"|barely)\b", _DENIES),
)  # fmt: skip
_CHINESE: Final = _rules(
    (
        r"是不是|有没有|[能会要该想爱]不[能会要该想爱]|可不可以|喜不喜欢|不得不|忍不住|离不开|舍不得"
        r"|不(?:错|过(?!敏)|同|仅|只|但|管|如|断|少|久|好意思|论|然|客气)|没(?:关系|事|问题|错)|差不多"
        r"|无.不欢|了不起|对不起|特别|别[人的墅]|区别|级别|性别|无(?:论|所谓|聊|线|数)|未来|非常|除非",
        "，",
    ),
    (
        r"不(?:太|怎么|是很|再)?(?:喜欢|喜歡|喜爱|爱(?![人好情])|热爱)|讨厌|討厌|討厭|厌恶|厭惡|受不了|反感|嫌弃|痛恨",
        f"{_DENIES}{_LIKES}",
    ),
    (
        r"喜欢|喜歡|喜爱|喜愛|热爱|熱愛|钟爱|最爱|(?<![可恋相亲敬])[爱愛](?=[吃喝看听玩打跑读写画唱跳旅爬骑踢做逛])",
        _LIKES,
    ),
    (r"从来?不|从来?没有?|不再|没有|不|没|沒|未(?!婚)|别|勿", _DENIES),
)
_MARK: Final = re.compile(f"{_DENIES}|{_LIKES}")
_HAN_CHAR: Final = re.compile(f"[{HAN}]")
_CLAUSE: Final = re.compile(
    r"(?<!\d)[,;:](?!\d)|[，；：。！？、!?;—–…\n]|(?<=\w)[,.](?=\s|$)| - |\b(?:but|although|though|because"
    r"|while|whereas)\b|\b(?:and|so|or)\b(?= (?:i|my|we|he|she|they|the user|does|do|is|has)\b)|但是?|可是"
    r"|而且|所以|因为|只是",
    re.I,
)
# With these a sentence may hold although it seems to deny what was said.
_UNCLEAR_EN: Final = frozenset(
    "only except instead rather unless until till before after since from used former formerly "
    "once ever previously avoid avoids avoiding quit quits stop stops stopped stopping gave gives "
    "give refuse refuses refrain refrains abstain abstains lack lacks free less fewer away past ex "
    "ago if would could might may seem almost nearly allergic allergy intolerant intolerance "
    "little few perhaps maybe than ?".split()
)
_MOOD_EN: Final = frozenset(
    "want wants wanted hope hopes plan plans planning wish wishes dream dreams intend intends "
    "interested learn learning try tries trying start starts starting consider considers "
    "considering going will look looking".split()
)
_UNCLEAR_ZH: Final = re.compile(
    r"避免|戒|停|忌|拒|除|(?<![一二两三四五六七八九十几\d])只|才|以前|曾|远离|[之以]?[前后]|直到|改|反|少|低|代替|非|如果|可能|或许|过$"
)
_MOOD_ZH: Final = re.compile(r"想|打算|计划|希望|学|准备|考虑|尝试|开始|要")
_SKIPPED: Final = frozenset(
    "think believ suppos guess ani anymor more all yet still now actual realli current usual often "
    "alway ever even much particular a lot mani day time these week moment present at least too "
    "either got get go went gone at_all 再 太 怎么 很 想 要 会 能 可以 爱 有 得 去 过 用 打算 是 "
    "了 的 在 什么 任何 特别 真".split()
)
_RECENT: Final = re.compile(
    r"anymore|any more|no longer|used to|kidding|joking|stopped|quit|不再|开玩笑|已经不|戒了"
)


@dataclass(frozen=True, slots=True)
class _Denial:
    """What a clause denies: the first telling word behind the negation, and those that follow it."""

    head: str
    rest: tuple[str, ...]


def contradicts_quote(content: str, said: Sequence[str], following: str = "") -> bool:
    """Whether the content affirms what was denied, denies what was affirmed, or turns a liking around.

    The sentence `following` them may take them back: "Well, not anymore."
    """
    claimed, heard = _clauses([content]), _clauses(said)
    if _turns_liking(claimed, heard):
        return True
    if _denied(heard, claimed):
        return True
    if any(_RECENT.search(comparison_key(sentence)) for sentence in [*said, following]):
        return False
    return _denied(claimed, heard)


def denies(text: str) -> bool:
    """Whether a text holds a negation, or speaks of disliking."""
    return any(_DENIES in clause for clause in _clauses([text]))


def leaves_open(content: str) -> bool:
    """Whether a content denies something, or says that it ended or holds in part."""
    folded = comparison_key(content)
    words = set(re.findall(r"[a-z]+", folded))
    return denies(content) or not words.isdisjoint(_UNCLEAR_EN) or bool(_UNCLEAR_ZH.search(folded))


def clauses_of(text: str) -> list[str]:
    """The clauses of a text, in lower case."""
    folded = comparison_key(text)
    return [folded[start:end].strip() for start, end in clause_spans(folded)]


def clause_spans(text: str) -> list[tuple[int, int]]:
    """Start and end of the clauses of a text, without those that are blank."""
    places = [(0, 0), *(mark.span() for mark in _CLAUSE.finditer(text)), (len(text), len(text))]
    spans = [(one[1], other[0]) for one, other in itertools.pairwise(places)]
    return [(start, end) for start, end in spans if text[start:end].strip()]


def _clauses(texts: Sequence[str]) -> list[str]:
    return [clause for text in texts for part in clauses_of(text) for clause in _marked(part)]


def _marked(clause: str) -> list[str]:
    """The clause with a sign for every negation and every word of liking."""
    for pattern, form in _CHINESE if _HAN_CHAR.search(clause) else _ENGLISH:
        clause = pattern.sub(form, clause)
    return [part for part in clause.split("，") if part.strip()]


def _turns_liking(claimed: list[str], heard: list[str]) -> bool:
    mine, theirs = _likings(claimed), _likings(heard)
    return any(
        sign != other_sign and _same_object(*((others, objects) if sign else (objects, others)))
        and not any(sign == s and _same_object(objects, o) for s, o in theirs)
        for sign, objects in mine
        for other_sign, others in theirs
    )  # fmt: skip


def _likings(clauses: list[str]) -> list[tuple[bool, tuple[str, ...]]]:
    """Whether something is liked, and what: the words behind, else (in Chinese too) all of the clause."""
    found = []
    for clause in clauses:
        if _LIKES not in clause or clause.count(_DENIES) > 1 or "?" in clause:
            continue
        before, _, after = clause.partition(_LIKES)
        after = after.partition(_DENIES)[0]
        if "used to" in before or "以前" in before or "曾" in before:
            continue
        words = _telling(_MARK.sub(" ", clause if _HAN_CHAR.search(clause) else after)) or _telling(before)
        found.append((_DENIES not in before, words))
    return found


def _same_object(denied: tuple[str, ...], affirmed: tuple[str, ...]) -> bool:
    """Whether what is disliked is what is liked. "Sugar in coffee" is not coffee."""
    if not denied or not affirmed:
        return False
    return denied[0] in affirmed or any(_HAN_CHAR.search(word) and word in affirmed for word in denied)


def _denied(denying: list[str], affirming: list[str]) -> bool:
    """Whether one denies what the other affirms."""
    denials = [(clause, denial) for clause in denying if (denial := _denial(clause)) is not None]
    return any(
        not any(_affirms(clause, denial, None) for clause in denying)
        and any(_affirms(clause, denial, beside) for clause in affirming)
        for beside, denial in denials
    )


def _denial(clause: str) -> _Denial | None:
    if clause.count(_DENIES) != 1 or "?" in clause or _LIKES in clause:
        return None
    behind = clause.partition(_DENIES)[2]
    words = [word for word in _telling(behind) if word not in _SKIPPED]
    return _Denial(words[0], tuple(words[1:])) if words else None


def _affirms(clause: str, denial: _Denial, beside: str | None) -> bool:
    """Whether a clause says what the denial denies.

    With the clause of the denial `beside` it, words count that let both be true ("until", "wants to").
    """
    if _DENIES in clause or "?" in clause:
        return False
    words = _telling(_MARK.sub(" ", clause))
    if _HAN_CHAR.search(clause):
        unclear = _UNCLEAR_ZH.search(clause.replace(denial.head, "")) or (
            _MOOD_ZH.search(clause) and not _MOOD_ZH.search(beside or "")
        )
        there = denial.head in words or (len(denial.head) > 1 and denial.head in clause)
        there = there or bool(denial.rest and denial.head + denial.rest[0] in clause)
        same = not denial.rest or denial.rest[0] in clause
        return there and same and not (unclear and beside)
    raw = set(re.findall(r"[a-z]+", clause))
    raw = {word for word in raw if stem(word) != denial.head}
    unclear_en = raw & _UNCLEAR_EN or (
        raw & _MOOD_EN and not _MOOD_EN & set(re.findall(r"[a-z]+", beside or ""))
    )
    same = not denial.rest or denial.rest[0] in words
    return denial.head in words and same and not (unclear_en and beside)


def _telling(text: str) -> tuple[str, ...]:
    """The telling words in their order."""
    telling = Words(text).telling
    return tuple(word for word in tokens_of(text) if word in telling)
