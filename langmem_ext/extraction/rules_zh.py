"""Chinese clauses to drafts. A clause without a subject goes on about the one before it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from langmem_ext.extraction import rules_zh_events as events
from langmem_ext.extraction import rules_zh_tables as tables
from langmem_ext.extraction.rules_corrections import ended, instead_chinese
from langmem_ext.extraction.rules_dates import annotate, find_date
from langmem_ext.extraction.rules_jobs import jobs
from langmem_ext.extraction.rules_repairs import spoken
from langmem_ext.extraction.rules_text import Clause, Draft, Rule, Speech, clauses_of
from langmem_ext.extraction.sentences import is_question, sentences_of
from langmem_ext.text import HAN

USER = "用户"
_OPENING = re.compile(
    r"^(?:对了|对|嗯+|哦+|啊|呃|那个|其实(?!是)|说起来|说到这个|顺便(?:说一下|说一句|提一下|一提)?|"
    r"另外|还有|而且|但是|但|不过|所以|因为|然后|你好|您好|大家好|"
    r"嗨|好的|好|是的|没错|"
    r"哈+|谢谢|请?记住|请?记一下|跟你说(?:一下|个事)?|告诉你|不对|不是的|更正一下|纠正一下|我说错了|"
    r"说错了|抱歉|不好意思|对不起|早上好|晚上好|刚忘了说|忘了说|补充一下|说实话|"
    r"老实说|你知道|好消息|坏消息|至于我|个人来说|是这样|好吧|哎|唉|哇|那|别忘了|要注意|注意|"
    r"应该是(?=我))[，,：:、！!\s]*"
)
_TIME = (
    r"(?:(?:去年|今年|明年|前年|后年|昨天|前天|今天|明天|后天|大后天|昨晚|今晚|明晚|上个?(?:周|星期|"
    r"礼拜|月)[一二三四五六日天末]?|下个?(?:周|星期|礼拜|"
    r"月)[一二三四五六日天末]?|这个?(?:周末?|星期|月)[一二三四五六日天末]?|"
    r"周[一二三四五六日天末]|\d{4}年(?:\d{1,2}月)?(?:\d{1,2}[日号])?|\d{1,2}月(?:\d{1,2}[日号]?)?|"
    r"[\d一二两三四五六七八九十几]+个?(?:天|周|星期|月|年)(?:以|之)?[前后]|"
    r"每(?:天|周|个?月|年|晚|早|星期)[一二三四五六日天末]?(?:早上|晚上|下午|中午)?|工作日|周末|平时|"
    r"最近|现在|目前|如今|通常|一般|早上|晚上|下午|上午|"
    r"中午)\s?的?[，,]?)+"
)
_SUBJECT = re.compile(
    rf"^(?P<t>{_TIME})?(?:我和(?P<with>[^，]{{1,8}}?)(?:一起)?(?=住|养|有|去|打算|计划)|我们?|本人|"
    r"咱们?|俺)(?P<p>.+)$"
)
_RELATIVE = re.compile(
    rf"^(?P<t>{_TIME})?(?:我们?|咱们?|俺)(?:家|的|"
    rf"家的)?(?:一?[个只条位])?(?P<r>{tables.RELATIONS})(?P<n>(?-i:[A-Z][a-z]+)|"
    rf"小[{HAN}](?=[喜讨住在不是今有]))?(?P<p>.+)$"
)
_NAMED = re.compile(rf"^(?:的?名字)?(?:叫做?|名叫|是叫)(?P<n>{tables.CALLED})$")
_HE = re.compile(r"^(?:他|她|它)(?:们)?(?P<p>.+)$")
_BARE = re.compile(r"^(?:现在|目前)?(?:住在|对.{1,16}过敏|最喜欢的.{1,8}是|不吃|不喝|爱吃|喜欢)")
_ENDING = re.compile(r"(?:[啊啦呀哦哈喔嘛呐]|的说|[~～!！.。…\s]|[\U0001F000-\U0001FAFF☀-➿])+$")
_THIRD_TRANSIENT = re.compile(
    r"说|问|让|叫我|来电|打电话|觉得|正在(?:吃|睡|哭|看)|今天|刚才|在(?:旁边|这|家)$|生气|发烧|感冒|送我|给我"
)
# 不再住在北京, 不吃素了: what was true and is over.
_ENDED = re.compile(
    rf"^(?:{tables.ADV}(?:不再|已经不|早就不|早已不)(?P<v1>[^了]+)了?|{tables.ADV}(?:不|没有?)(?P<v2>.+)了)$"
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
    return events.instruction(_opened(_ENDING.sub("", sentence.strip().rstrip("。！；;"))))


def _sentence(sentence: str, speech: Speech) -> Iterator[tuple[Draft, str]]:
    speech.subject = ""
    corrected = bool(_CORRECTED.search(sentence))
    replaced = _instead(sentence, speech)
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
        for told in jobs(draft):
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
    text = _opened(_ENDING.sub("", clause.text))
    if not text or len(text) > 200:
        return None
    draft = events.instruction(text)
    if draft:
        return draft
    favourite = tables.IS_FAVOURITE.match(text)
    if favourite:
        return _favourite(favourite)
    relative = _RELATIVE.match(text)
    if relative:
        return _about_relative(relative, speech)
    match = _SUBJECT.match(text)
    if match:
        speech.subject = USER
        company = f"和{match['with']}" if match["with"] else ""
        return _predicate(f"{match['t'] or ''}{company}{match['p']}", match["p"], USER, speech)
    other = _HE.match(text)
    if other:
        speech.subject = speech.relative or ""
        return _third(other["p"], speech.relative, speech) if speech.relative else None
    if speech.subject == USER or (not speech.subject and _BARE.match(text)):
        return _predicate(text, text, USER, speech)
    return _third(text, speech.subject, speech) if speech.subject else None


def _predicate(predicate: str, core: str, subject: str, speech: Speech) -> Draft | None:
    """`core` is the predicate without the time in front of it."""
    core = re.sub(f"^{_TIME}", "", core) or core
    bare = core.removeprefix("的")
    favourite = tables.FAVOURITE.match(bare)
    if favourite:
        return _favourite(favourite)
    joined = f"{subject}{'的' if core.startswith('的') else ''}"
    over = _ENDED.match(core) if subject == USER else None
    if over and (draft := _over(over["v1"] or over["v2"], predicate, speech)):
        return draft
    habit = events.habit(predicate, subject)
    ahead = find_date(predicate, speech.now.date(), past=True)
    for rule in tables.FACTS:
        if ahead and ahead.first > speech.now.date():
            break  # not true yet
        if habit is None and rule.pattern.match(core):
            return _fact(predicate.removeprefix("的"), joined, rule, speech)
    for reader in (events.plan, events.event):
        draft = None if habit else reader(predicate.removeprefix("的"), joined, speech.now)
        if draft:
            return draft
    return habit


def _over(was: str, predicate: str, speech: Speech) -> Draft | None:
    """A fact without a key, and the end of the sentence that it ends."""
    rule = next((rule for rule in tables.FACTS if rule.pattern.match(was)), None)
    if rule is None:
        return None
    return Draft(
        content=f"{USER}{events.personal(predicate)}。",
        replaces=ended(f"{USER}{events.personal(was)}", speech),
        importance=rule.importance,
    )


def _fact(predicate: str, subject: str, rule: Rule, speech: Speech) -> Draft:
    moved = re.search(r"搬|入职|加入|跳槽|升|当上|开始|改", predicate)
    phrase = find_date(predicate, speech.now.date(), past=True) if moved else None
    past = phrase is not None and phrase.first <= speech.now.date()
    if re.match(
        r"^(?:\w{0,4})?(?:生日|职业|工作是|职位|母语|老家|家乡|名字|全名|目标|梦想|理想|爱好|兴趣)", predicate
    ) and not subject.endswith("的"):
        subject += "的"
    return Draft(
        content=annotate(f"{subject}{events.personal(predicate)}{rule.state}。", phrase, chinese=True),
        key=rule.key if subject.startswith(USER) else None,
        valid_from=phrase.starts(speech.now.tzinfo) if phrase and past else None,
        importance=rule.importance,
    )


def _about_relative(match: re.Match[str], speech: Speech) -> Draft | None:
    relation = match["r"].removeprefix("我")
    subject = f"用户的{relation}{match['n'] or ''}"
    speech.subject = speech.relative = subject
    named = _NAMED.match(match["p"])
    if named:
        speech.subject = speech.relative = f"{subject}{named['n']}"
        key = "partner.name" if tables.PARTNERS.search(relation) else None
        return Draft(content=f"{subject}叫{named['n']}。", key=key, importance=0.7)
    return _third((match["t"] or "") + match["p"], subject, speech)


def _third(predicate: str, subject: str, speech: Speech) -> Draft | None:
    """Lasting facts about somebody else: the same patterns, and never a key."""
    if _THIRD_TRANSIENT.search(predicate):
        return None
    core = predicate.removeprefix("的")
    known = any(rule.pattern.match(core) for rule in tables.FACTS)
    if known or re.match(r"^(?:今年|也|刚|已经)?[\d一二三四五六七八九十]+岁", core):
        return Draft(content=f"{subject}{events.personal(predicate)}。")
    return (
        events.plan(core, subject, speech.now)
        or events.event(core, subject, speech.now)
        or events.habit(core, subject)
    )


def _favourite(match: re.Match[str]) -> Draft | None:
    noun, value = match["n"].strip("的"), events.personal(match["v"])
    return Draft(content=f"用户{match['rank']}的{noun}是{value}。", key=tables.favourite_key(match))
