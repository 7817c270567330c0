"""Chinese clauses that name nobody and are about the speaker all the same."""

from __future__ import annotations

import re

from langmem_ext.extraction.rules_zh_daily import COUNT, ORGANISATION, SUBJECTS, TRADE, UNIT

# A clause that is about the speaker though it names nobody.
BARE = re.compile(
    rf"^(?:现在|目前|主要|平时|也|还|就)*(?:住在|对.{{1,16}}过敏|最喜欢的.{{1,8}}是|不吃|不喝|爱吃|喜欢|"
    rf"吃不了|吃不惯|喝不了|"
    rf"base|坐标|常驻|老家|人在|人[也都]?搬|家里?(?:有|养|还有|一共)?{COUNT}{UNIT}|今年[1-9]\d|"
    rf"自由职业|单身|离异|近视|左撇子|"
    rf"属[鼠牛虎兔龙蛇马羊猴鸡狗猪]|[ABO]{{1,2}}型血|大[一二三四](?:学生|在读)|乳糖不耐|"
    rf"换到[^，。]{{0,12}}{ORGANISATION}|"
    rf"[^，。]{{1,8}}(?:过敏|不耐受)$|在[^，。]{{2,12}}(?:教{SUBJECTS}|当{TRADE}|做{TRADE}))"
)
_ROUTINE = re.compile(
    r"^(?:每(?:天|周|个?月|晚|早|逢)[一二三四五六日天末]?|天天|平时|平常|周末|工作日|早上|晚上|睡前|"
    r"上下班|上班路上|下班后)[^，。]{0,14}?"
    r"(?:通勤|commute|单程|来回|上班|下班|起床|起来|睡觉|才睡|跑步|跑[\d一二三四五六七八九十]|遛狗|健身|"
    r"游泳|瑜伽|做饭|带娃|接孩子|送孩子|加班|"
    r"骑车|骑电动车|坐地铁|挤地铁|开车|喝[^，]{1,8}|听[^，]{1,8}|打球|散步|夜班|练[^，]{1,6})"
)
_NO_ROUTINE = re.compile(
    r"提醒|帮|请|给我|推送|叫我|吧$|报错|你|您|可以|应该|适合|要不要|记得|别|不要|推荐|建议|多少|"
    r"怎么|什么|需要"
)
_DUE = re.compile(
    r"(?:要|得|去|有|就|是|我)*(?:答辩|考试|考研|高考|期末|面试|体检|手术|出差|婚礼|搬家|开学|入职|拔牙|"
    r"复查|产检|看牙|复诊|开庭|"
    r"考科目[一二三四]|路考|毕业典礼|家长会|飞[^，。]{2,6}|回老家|回国|出国|去[^，。]{2,6}(?:出差|旅游|"
    r"玩|开会|面试)|打疫苗|抽血|"
    r"做(?:胃镜|肠镜|核磁|CT|B超|手术|检查|体检|透析|理疗|康复))$|"
    r"^(?:还|也)?(?:要|得|打算|准备)(?:去|飞|回|做|参加|搬|考|交|办|陪|接|送|带)(?!不|什么|哪|完|"
    r"好)[^，。]{1,14}$"
)


def routine(text: str) -> bool:
    """Whether a clause without a subject tells what the speaker does all the time."""
    return bool(_ROUTINE.match(text)) and not _NO_ROUTINE.search(text)


def due(text: str, phrase: str) -> bool:
    """Whether nothing is said but a date and what happens to the speaker then: 后天答辩."""
    return text.startswith(phrase) and bool(_DUE.match(text.removeprefix(phrase).lstrip("，, 的")))
