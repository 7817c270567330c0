"""Chinese predicates to drafts: a fact, what is over, a plan, an event, a habit, of the user or of others."""

from __future__ import annotations

import re

from langmem_ext.extraction import rules_zh_daily as daily
from langmem_ext.extraction import rules_zh_events as events
from langmem_ext.extraction import rules_zh_tables as tables
from langmem_ext.extraction.rules_corrections import ended
from langmem_ext.extraction.rules_dates import annotate, find_date
from langmem_ext.extraction.rules_text import Draft, Rule, Speech

USER = "用户"
TIME = (
    r"(?:(?:去年|今年|明年|前年|后年|昨天|前天|今天|明天|后天|大后天|昨晚|今晚|明晚|上个?(?:周|星期|"
    r"礼拜|月)[一二三四五六日天末]?|下个?(?:周|星期|礼拜|"
    r"月)[一二三四五六日天末]?|这个?(?:周末?|星期|月)[一二三四五六日天末]?|"
    r"周[一二三四五六日天末]|\d{4}年(?:\d{1,2}月)?(?:\d{1,2}[日号])?|\d{1,2}月(?:\d{1,2}[日号]?)?|"
    r"[\d一二两三四五六七八九十几]+个?(?:天|周|星期|月|年)(?:以|之)?[前后]|"
    r"每(?:天|周|个?月|年|晚|早|星期)[一二三四五六日天末]?(?:早上|晚上|下午|中午)?|工作日|周末|平时|"
    r"最近|现在|目前|如今|通常|一般|早上|晚上|下午|上午|"
    r"中午|白天|(?:这个?|本)月[底初]|[一二三四五六七八九十]{1,2}月[底初中]?(?![^，]{0,3}[号日])|半夜|"
    r"凌晨|夜里|上班时间|"
    r"月[底初]|下个?月[底初中]|年底|国庆|元旦|五一|春节|圣诞|"
    r"[一二三四五六七八九十]{1,2}月[一二三四五六七八九十]{1,3}[号日]|(?:[一二三四五六七八九十]{1,3}|"
    r"\d{1,2})号)\s?的?[，,]?)+"
)
NAMED = re.compile(rf"^(?:的?名字)?(?:叫做?|名叫|是叫)(?P<n>{tables.CALLED})$")
_THIRD_TRANSIENT = re.compile(
    r"说|问|让|叫我|来电|打电话|觉得|正在(?:吃|睡|哭|看)|今天|刚才|在(?:旁边|这|家)$|生气|发烧|感冒|送我|给我"
)
# What an animal does in jokes only.
_ANIMAL = re.compile(r"(?:狗狗?|小狗|猫咪?|小猫|兔子|仓鼠|鹦鹉|乌龟|金鱼)$")
_HUMAN = re.compile(
    r"是(?:我|[^，]*(?:老板|总裁|CEO|经理|员工|领导|主子|主人|大爷))|上班|工作|月薪|工资|加班|辞职|升职|"
    r"毕业|结婚|退休|当上",
    re.I,
)
# 不再住在北京, 不吃素了: what was true and is over.
_ENDED = re.compile(
    rf"^(?:{tables.ADV}(?:不再|已经不|早就不|早已不)(?P<v1>[^了]+)了?|{tables.ADV}(?:不|没有?)(?P<v2>.+)了)$"
)


def read_predicate(predicate: str, core: str, subject: str, speech: Speech) -> Draft | None:
    """`core` is the predicate without the time in front of it."""
    core = re.sub(f"^{TIME}", "", core) or core
    bare = core.removeprefix("的")
    favourite = tables.FAVOURITE.match(bare)
    if favourite:
        return favourite_of(favourite)
    joined = f"{subject}{'的' if core.startswith('的') else ''}"
    over = _ENDED.match(core) if subject == USER else None
    if over and (draft := _over(over["v1"] or over["v2"], predicate, speech)):
        return draft
    habit = events.habit(predicate, subject)
    ahead = find_date(predicate, speech.now.date(), past=True)
    for rule in (*tables.FACTS, *daily.FACTS):
        if ahead and ahead.first > speech.now.date():
            break  # not true yet
        if habit is None and (rule.pattern.match(core) or rule.pattern.match(predicate)):
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


def third(predicate: str, subject: str, speech: Speech, *, spoken_of: bool = False) -> Draft | None:
    """Lasting facts about somebody else: the same patterns, and never a key.

    Habits only where the clause itself names whom it is about (`spoken_of`).
    """
    named = NAMED.match(predicate)
    if named:
        return Draft(content=f"{subject}叫{named['n']}。", importance=0.7)
    if _THIRD_TRANSIENT.search(predicate) or (_ANIMAL.search(subject) and _HUMAN.search(predicate)):
        return None
    core = predicate.removeprefix("的")
    known = any(rule.pattern.match(core) for rule in (*tables.FACTS, *daily.FACTS))
    if known or re.match(r"^(?:今年|也|刚|已经)?[\d一二三四五六七八九十]+岁", core):
        return Draft(content=f"{subject}{events.personal(predicate)}。")
    return (
        events.plan(core, subject, speech.now)
        or events.event(core, subject, speech.now)
        or (events.habit(core, subject) if spoken_of else None)
    )


def favourite_of(match: re.Match[str]) -> Draft | None:
    """What the user likes or uses most, for a match of `FAVOURITE`."""
    noun, value = match["n"].strip("的"), events.personal(match["v"])
    return Draft(content=f"用户{match['rank']}的{noun}是{value}。", key=tables.favourite_key(match))
