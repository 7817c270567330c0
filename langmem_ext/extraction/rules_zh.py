"""Chinese clauses to drafts. A clause without a subject goes on about the one before it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from langmem_ext.extraction import rules_zh_bare
from langmem_ext.extraction import rules_zh_daily as daily
from langmem_ext.extraction import rules_zh_events as events
from langmem_ext.extraction import rules_zh_tables as tables
from langmem_ext.extraction.rules_corrections import instead_chinese
from langmem_ext.extraction.rules_dates import find_date
from langmem_ext.extraction.rules_jobs import jobs
from langmem_ext.extraction.rules_repairs import spoken
from langmem_ext.extraction.rules_slips import in_place_of, slipped_chinese
from langmem_ext.extraction.rules_text import Clause, Draft, Speech, clauses_of
from langmem_ext.extraction.rules_zh_predicates import NAMED, TIME, USER, favourite_of, read_predicate, third
from langmem_ext.extraction.rules_zh_wishes import instruction
from langmem_ext.extraction.sentences import is_question, sentences_of
from langmem_ext.text import HAN

_OPENING = re.compile(
    r"^(?:对了|对|嗯+|哦+|啊|呃|那个|其实(?!是)|说起来|说到这个|顺便(?:说一下|说一句|提一下|一提)?|"
    r"另外|还有|而且|但是|但|不过|所以|因为|然后|你好|您好|大家好|"
    r"嗨|好的|好|是的|没错|等等|等一下|"
    r"哈+|谢谢|请?记住|请?记一下|跟你说(?:一下|个事)?|告诉你|不对|不是的|更正一下|纠正一下|我说错了|"
    r"说错了|抱歉|不好意思|对不起|早上好|晚上好|刚忘了说|忘了说|补充一下|说实话|"
    r"老实说|你知道|好消息|坏消息|至于我|个人来说|是这样|好吧|哎|唉|哇|那|别忘了|要注意|注意|"
    r"应该是(?=我))[，,：:、！!\s]*"
)
_SUBJECT = re.compile(
    rf"^(?P<t>{TIME})?(?:我和(?P<with>[^，]{{1,8}}?)(?:一起)?(?=住|养|有|去|打算|计划)|我们?|本人|"
    r"咱们?|俺)(?P<p>.+)$"
)
_RELATIVE = re.compile(
    rf"^(?P<t>{TIME})?(?:我们?|咱们?|俺)(?:家|的|"
    rf"家的)?(?:一?[个只条位])?(?P<r>{tables.RELATIONS})(?P<n>(?-i:[A-Z][a-z]+)|"
    rf"小[{HAN}](?=[喜讨住在不是今有]))?(?P<p>.+)$"
)
_HE = re.compile(r"^(?:他|她|它)(?:们)?(?P<p>.+)$")
# 10月5号是我们的结婚纪念日
_DAY_OF = re.compile(r"^(?P<d>[^，。我]{2,10}[号日])是我(?P<x>[^，。]{0,12}(?:生日|纪念日|婚礼|预产期))$")
_BOTH = re.compile(rf"^我[和跟](?:我)?(?P<r>{tables.RELATIONS})都(?P<p>.+)$")
_AT_HOME = re.compile(r"^家里的?(?P<r>老人|小孩|孩子|宝宝|爸妈)(?P<p>.+)$")
# 咖啡我只喝美式
_TOPIC = re.compile(
    rf"^(?P<o>(?!{TIME}|每次|其实|所以|不过|那|这)[^，我你他她]{{1,8}}?)我(?:们)?(?P<p>(?:都|一般|基本|"
    rf"平时|只|从不|从来不|不|最|更|就)+"
    r"(?:吃|喝|选|坐|用|要|看|听|穿|买|点|爱|喜欢|去|住|碰)(?!了|过|完).+|[吃喝]不[了惯].*)$"
)
# 我是O型不是A型
_CONTRASTED = re.compile(r"(?<=[^，是]{2}[^，是经就都也])(?:而)?不是[^，。了]{1,8}$")
# Whoever begins with them means their own.
_OWN_FIRST = re.compile(
    r"^(?P<t>)(?P<r>老婆|老公|媳妇|女朋友|男朋友|儿子|女儿|"
    r"闺女)(?P<n>)(?![们孩和跟的说])(?P<p>.+)$"
)
_MENTIONED = re.compile(rf"(?:我(?:的|家|家的)?|^[送给帮带陪])({tables.RELATIONS}|外甥|侄女)")
_ENDING = re.compile(
    r"(?:[啊啦呀哦哈喔嘛呐呢诶欸噢喽咯耶嘞捏咧]|的说|[~～!！.。…\s]|"
    r"[\U0001F000-\U0001FAFF☀-➿])+$"
)
_CONTRAST = re.compile(r"[，,]\s*(?:而?不是|并不是|不在|不叫)")
_CORRECTED = re.compile(r"不对|说错|更正|纠正|记错|搞错|应该是")


def read_chinese(text: str, speech: Speech) -> Iterator[tuple[Draft, str]]:
    """Drafts with the clause that states each."""
    for piece, meant_by in spoken(text, chinese=True):
        for draft, quote in _piece(piece, speech):
            yield draft, meant_by or quote


def _piece(text: str, speech: Speech) -> Iterator[tuple[Draft, str]]:
    for sentence in sentences_of(text):
        if is_question(sentence, chinese=True) and not re.search("[，,]", sentence):
            continue
        whole = events.ticket(_ENDING.sub("", sentence.strip().rstrip("。！；;")), speech.now)
        wished = None if whole else _wish(sentence)
        if whole or wished:
            draft = whole or wished
            if draft:
                yield draft, sentence.strip()
            continue
        yield from _sentence(sentence, speech)


def _wish(sentence: str) -> Draft | None:
    if sentence.rstrip().endswith(("?", "？")):
        return None
    return instruction(_opened(_ENDING.sub("", sentence.strip().rstrip("。！；;"))))


def _sentence(sentence: str, speech: Speech) -> Iterator[tuple[Draft, str]]:
    speech.subject = ""
    corrected = bool(_CORRECTED.search(sentence))
    replaced = _instead(sentence, speech) or slipped_chinese(_ENDING.sub("", sentence), speech)
    if replaced:
        speech.drafts.append(replaced)
        yield replaced, sentence.rstrip("。！；;")
        return
    contrast = bool(_CONTRAST.search(sentence)) and not corrected
    for clause in clauses_of(sentence, chinese=True):
        draft = _read(clause, speech)
        if draft is None:
            continue
        corrects = (
            clause.correcting
            or contrast
            or (corrected and not _CORRECTED.search(sentence[len(clause.text) :]))
        )
        if draft.key and corrects:
            draft = replace(draft, correction=True)
        for told in jobs(in_place_of(draft, speech)):
            speech.drafts.append(told)
            yield told, clause.text
    last = max((match.start() for match in _CORRECTED.finditer(sentence)), default=0)
    replaced = _instead(sentence[last:], speech) if last else None
    if replaced:  # the sentence corrects itself: 我住在北京，不对，不是北京，是上海
        yield replaced, sentence.rstrip("。！；;")


def _instead(sentence: str, speech: Speech) -> Draft | None:
    return (
        None
        if sentence.rstrip().endswith(("?", "？", "吗", "吧"))
        else instead_chinese(_opened(_ENDING.sub("", sentence)), speech)
    )


def _opened(text: str) -> str:
    for _ in range(4):
        shorter = _OPENING.sub("", text)
        if shorter == text or not shorter:
            break
        text = shorter
    return text


def _read(clause: Clause, speech: Speech) -> Draft | None:
    text = _CONTRASTED.sub("", _opened(_ENDING.sub("", clause.text)))
    if not text or len(text) > 200:
        return None
    draft = instruction(text)
    if draft:
        return draft
    favourite = tables.IS_FAVOURITE.match(text)
    if favourite:
        return favourite_of(favourite)
    ours = _about_ours(text, speech)
    if ours:
        return ours
    relative = _RELATIVE.match(text) or (
        _OWN_FIRST.match(text) if clause.first and not speech.subject else None
    )
    if relative:
        return _about_relative(relative, speech)
    match = _SUBJECT.match(text)
    if match:
        speech.subject = USER
        company = f"和{match['with']}" if match["with"] else ""
        return read_predicate(f"{match['t'] or ''}{company}{match['p']}", match["p"], USER, speech)
    return _about_nobody(text, speech)


def _about_ours(text: str, speech: Speech) -> Draft | None:
    """What is ours, though it does not begin with us."""
    both = _BOTH.match(text)
    if both and any(rule.pattern.match(both["p"]) for rule in (*tables.FACTS, *daily.FACTS)):
        return Draft(content=f"{USER}和{both['r']}都{events.personal(both['p'])}。")
    day = _DAY_OF.match(text)
    if day:
        return Draft(content=f"{USER}{events.personal(day['x'])}是{day['d']}。", importance=0.7)
    at_home = _AT_HOME.match(text)
    if at_home:
        return third(at_home["p"], f"{USER}家里的{at_home['r']}", speech, spoken_of=True)
    return None


def _about_nobody(text: str, speech: Speech) -> Draft | None:
    """A clause that does not begin with its subject: of the one before it, or of the speaker."""
    topic = _TOPIC.match(text)
    if topic:
        speech.subject = USER
        return Draft(content=f"{USER}{topic['o']}{events.personal(topic['p'])}。")
    other = _HE.match(text)
    if other:
        speech.subject = speech.relative or ""
        return third(other["p"], speech.relative, speech) if speech.relative else None
    text = re.sub(r"^人(?=[也都已]?(?:经)?搬)", "", text)
    bare = re.sub(f"^{TIME}", "", text)
    if speech.subject == USER or (not speech.subject and rules_zh_bare.BARE.match(bare)):
        speech.subject = USER
        return read_predicate(text, text, USER, speech)
    if speech.subject:
        return third(text, speech.subject, speech)
    mentioned = _MENTIONED.findall(text)
    if mentioned:
        speech.relative = f"用户的{mentioned[0]}" if len(set(mentioned)) == 1 else None
        if re.fullmatch(rf"我(?:家|的)?{tables.RELATIONS}", text):
            speech.subject = speech.relative or ""
        return None
    phrase = find_date(text, speech.now.date(), past=False)
    if rules_zh_bare.routine(text):
        speech.subject = USER
        return Draft(content=f"{USER}{events.personal(text)}。")
    if phrase and rules_zh_bare.due(text, phrase.text):
        speech.subject = USER
        return events.plan(text, USER, speech.now)
    return None


def _about_relative(match: re.Match[str], speech: Speech) -> Draft | None:
    relation = match["r"].removeprefix("我")
    subject = f"用户的{relation}{match['n'] or ''}"
    speech.subject = speech.relative = subject
    named = NAMED.match(match["p"])
    if named:
        speech.subject = speech.relative = f"{subject}{named['n']}"
        key = "partner.name" if tables.PARTNERS.search(relation) else None
        return Draft(content=f"{subject}叫{named['n']}。", key=key, importance=0.7)
    return third((match["t"] or "") + match["p"], subject, speech, spoken_of=True)
