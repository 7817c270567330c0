"""What surrounds a quote, and whether it states what a memory says: of whom, in earnest, in its own words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from langmem_ext.extraction.concepts import same_thing
from langmem_ext.extraction.evidence import Heard, Words, related
from langmem_ext.extraction.polarity import clause_spans, clauses_of
from langmem_ext.extraction.sentences import opens_a_question
from langmem_ext.items import Source
from langmem_ext.text import HAN, comparison_key, is_chinese

_HAN_CHAR: Final = re.compile(f"[{HAN}]")
_FIRST_PERSON: Final = re.compile(r"\b(?:i|me|my|mine|we|us|our|ours|myself|im|ive)\b|[我咱俺]")
_LEAD_IN: Final = r"(?:(?:and|but|so|also|because|well|yes|yeah|actually|oh|by the way|btw|ok|okay) )*"
_RELATION: Final = (
    r"(?:mother|mum|mom|mummy|dad|daddy|father|parents?|sister|brother|siblings?|wife|husband|partner"
    r"|spouse|girlfriend|boyfriend|fianc[eé]e?|son|daughter|kids?|child|children|baby|twins|grand\w+|gran"
    r"|granny|aunt|uncle|cousins?|nephew|niece|\w+-in-law|friends?|bestie|buddy|mate|colleagues?|coworkers?"
    r"|co-workers?|boss|manager|neighbou?rs?|room ?mates?|flat ?mates?|ex|landlord|landlady|teacher|doctor"
    r"|dog|cat|puppy|kitten|pets?|horse|rabbit|parrot|hamster)"
)
_OF_MINE: Final = re.compile(
    rf"^{_LEAD_IN}(?:my|our) (?:[\w'-]+ ){{0,3}}?(?P<who>{_RELATION})(?:'s)?\b(?! and i\b)(?P<rest>.*)"
)
_SHE: Final = re.compile(rf"^{_LEAD_IN}(?:he|she|they)(?:'\w+)?\b")
_NAMED: Final = re.compile(
    r"^(?!(?:User|The|This|That|It|What|Who|There|Everyone|Everybody|Nobody"
    r"|Which)\b)[A-Z][a-zà-ÿ]+ (?:likes|loves|hates|lives|works|moved|plays|studies|speaks|has|owns|eats"
    r"|drinks|wants|(?:is|was) (?:an?|allergic|from|vegan|vegetarian|\d+)\b)"
)
_RELATION_ZH: Final = (
    r"(?:妈妈?|爸爸?|父亲|母亲|父母|爸妈|姐姐?|妹妹?|哥哥?|弟弟?|老婆|妻子|太太|老公|丈夫|先生|女朋友"
    r"|男朋友|女友|男友|对象|儿子|女儿|孩子|小孩|宝宝|闺女|爷爷|奶奶|外公|外婆|姥姥|姥爷|叔叔|舅舅|姑姑"
    r"|阿姨|表[姐哥弟妹]|堂[姐哥弟妹]|朋友|闺蜜|同事|同学|老板|领导|上司|室友|邻居|房东|老师|狗|猫|宠物)"
)
_OF_MINE_ZH: Final = re.compile(
    rf"^(?:而且|另外|还有|其实|然后|对了)?(?:我|咱|我们|我家)的?(?:大|小|二|好|亲)?(?P<who>{_RELATION_ZH})(?!和我|跟我)(?P<rest>.*)"
)
_SHE_ZH: Final = re.compile(r"^(?:而且|另外|还有|其实|然后)?[他她它]们?")
_THE_USER: Final = re.compile(r"^(?:the )?user (?!and\b)|^用户(?!的|和|[妈爸姐妹哥弟])")
_OPERATOR: Final = re.compile(
    rf"^{_LEAD_IN}(?!(?:did|have) i (?:ever |already )?(?:tell|told|mention)|am i (?:too|the|wrong|right)\b)"
    rf"(?:(?:do|does|did|am|was|have"
    rf"|should|can|could|would|will|shall|may|might|must) i\b"
    r"|(?:do|would|did|can|could) you (?:think|guess|believe|suppose|reckon|say) (?:that |if "
    r"|whether )?(?:i\b|i'\w+|my\b)|is it true (?:that )?(?:i\b|i'\w+))"
)
_OPERATOR_ZH: Final = re.compile(
    r"^(?:你(?:觉得|认为|猜|说)|难道)?我(?:真的|到底)?(?:是不是|有没有|该不该|要不要|会不会|喜不喜欢"
    r"|能不能)|^(?:你(?:觉得|认为|猜|说)|难道)?我(?:是|喜欢|爱|讨厌|有|会|住在|对|应该|该)(?!.*(?:能|可以"
    r"|怎么|哪)).*[吗么]$"
)
_OWNED: Final = re.compile(r"(?:\b(?:my|our) |我[的家])(.*)")
_REQUEST: Final = re.compile(
    r"\b(?:can|could|would|will) you\b|能不能|可不可以|可以.{0,40}吗|好吗|行吗|能.{0,40}吗"
)
_WONDERS: Final = re.compile(
    r"consider|wonder|\bask|think|unsure|undecided|whether|\bif\b|curious|plan|考虑|想知道|询问|问|不确定|犹豫|是否|纠结"
)
_COUNTERFACTUAL: Final = re.compile(
    r"\bif (?:only )?(?:i|we|my)\b.{0,300}(?:\b(?:would|could|might)\b|\w'd\b)|(?:\b(?:would|could|might)\b"
    r"|\w'd\b).{0,300}\bif (?:i|we|my)\b|\bwhat if i\b|\b(?:suppose|imagine|pretend|let's say|assume"
    r"|assuming|say) (?:that )?(?:i|i'm|we)\b|\bas if i\b|\bi wish (?:i|we|my)\b|(?:如果|要是|若是"
    r"|假如)我(?:是|有钱|有了|能|中|当)|假如|假设|假使|倘若|要是.{0,40}就好了|恨不得"
)
_IMAGINES: Final = re.compile(
    r"would|could|might|\bif\b|wish|hope|dream|want|imagin|hypothe|prefer|\blikes?\b|\bloves?\b|enjoy"
    r"|interested|如果|要是|假如|假设|想|希望|梦|愿|会|喜欢"
)


@dataclass(frozen=True, slots=True)
class Passage:
    """The sentences of a message that a quote touches, its clauses in lower case, and the sentence behind."""

    sentences: tuple[str, ...]
    clauses: tuple[str, ...]
    following: str
    message: Words

    @property
    def text(self) -> str:
        """Its sentences, one after the other."""
        return " ".join(self.sentences)


def passage_of(source: Source, heard: Heard) -> Passage:
    """Where the quote of a source stands in its message."""
    quoted = _quoted(source.quote, heard.written)
    spans = heard.sentence_spans
    touched = [at for at, span in enumerate(spans) if _overlap(span, quoted)]
    if not touched:
        return Passage((source.quote,), tuple(clauses_of(source.quote)), "", heard)
    sentences = tuple(heard.written[slice(*spans[at])] for at in touched)
    following = "".join(heard.written[slice(*span)] for span in spans[touched[-1] + 1 :][:1])
    clauses = tuple(
        comparison_key(heard.written[start + first : start + last])
        for start, end in (spans[at] for at in touched)
        for first, last in clause_spans(heard.written[start:end])
        if _overlap((start + first, start + last), quoted)
    )
    return Passage(sentences, clauses, following, heard)


def _quoted(quote: str, written: str) -> list[tuple[int, int]]:
    places = ((written.find(part), len(part)) for part in quote.split(" … "))
    return [(at, at + length) for at, length in places if at >= 0]


def _overlap(span: tuple[int, int], others: list[tuple[int, int]]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in others)


def said_beside(passage: Passage) -> list[str]:
    """The clauses that may deny what a quote seems to say: its own, and those that are not about others."""
    clauses = [clause for sentence in passage.sentences for clause in clauses_of(sentence)]
    others = (_OF_MINE, _OF_MINE_ZH, _SHE, _SHE_ZH)
    return [
        clause
        for clause in clauses
        if clause in passage.clauses or not any(pattern.search(clause) for pattern in others)
    ]


def asks_only(content: str, passage: Passage) -> bool:
    """Whether the quote only asks for what the content states: "Do I like sushi?", "Is sushi healthy?".

    A question that takes something for granted ("Since I moved to Lyon, where ...?") states that, and a
    request ("Can you always answer in French?") is a wish.
    """
    if _WONDERS.search(comparison_key(content)):
        return False
    if not all(opens_a_question(one, chinese=is_chinese(one)) for one in passage.sentences):
        return False
    if any(_OPERATOR.search(one) or _OPERATOR_ZH.search(one) for one in passage.clauses):
        return not _takes_for_granted(content, passage)
    text = comparison_key(passage.text)
    return not _FIRST_PERSON.search(text) and not _REQUEST.search(text)


def _takes_for_granted(content: str, passage: Passage) -> bool:
    """Whether the content is about what the question calls "my ...": "Can I bring my dog Rex?"."""
    wanted = Words(content).telling
    owned = Words(" ".join(_OWNED.findall(comparison_key(passage.text))))
    return 2 * sum(word in owned.telling for word in wanted) > len(wanted)


def only_imagined(content: str, passage: Passage) -> bool:
    """Whether the quote stands under an "if I were" or "I wish" that the content leaves out."""
    imagined = any(_COUNTERFACTUAL.search(comparison_key(one).replace("’", "'")) for one in passage.sentences)
    return imagined and not _IMAGINES.search(comparison_key(content))


def about_somebody_else(content: str, passage: Passage) -> bool:
    """Whether "The user is a nurse" was made of "My sister is a nurse": all of its words, but not of whom."""
    wanted = Words(content).telling
    if not _THE_USER.search(comparison_key(content)) or not wanted or not passage.clauses:
        return False
    named = len(passage.sentences) == 1 and _NAMED.search(passage.sentences[0])
    clauses = [one for one in passage.clauses if any(related(word, Words(one)) for word in wanted)]
    for clause in clauses:
        found = _OF_MINE.search(clause) or _OF_MINE_ZH.search(clause)
        rest = found["rest"] if found else clause
        other = found or _SHE.search(clause) or _SHE_ZH.search(clause) or named
        if not other or _FIRST_PERSON.search(rest):
            return False
        if found and (found["who"] in comparison_key(content)):
            return False
    said = Words(" ".join(clauses))
    return (
        bool(clauses)
        and said.share(wanted) == 1.0
        and not (named and Words(passage.sentences[0].split()[0]).telling & wanted)
    )


def says_nothing_of_it(content: str, passage: Passage, context: Words | None) -> bool:
    """Whether not one telling word of the content stands in the sentence, nor a word for the same thing.

    The `context` of an answer is the question before it. Also enough: that most of the content stands
    elsewhere in the message. A sentence in another language or without telling words is no measure.
    """
    wanted, said = Words(content), Words(passage.text)
    if not wanted.telling or not said.telling or is_chinese(content) != is_chinese(passage.text):
        return False
    texts = [said, *([context] if context is not None else [])]
    if any(related(word, text) for word in wanted.telling for text in texts):
        return False
    if wanted.numbers & said.numbers or any(same_thing(wanted, text) for text in texts):
        return False
    return passage.message.share(wanted.telling) < 0.6
