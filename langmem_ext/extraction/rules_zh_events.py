"""Chinese sentences about time: habits, plans, events, tickets."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from langmem_ext.extraction.rules_dates import annotate, find_date
from langmem_ext.extraction.rules_text import Draft

USER = "用户"
_HABIT = re.compile(
    r"(?:每(?:天|周|个?月|年|晚|早|日|逢|星期|到|隔|个?工作日|个?周末)|工作日|周末|平时|通常|一般|经常|"
    r"常常|习惯|总是|从来不|从不|天天|隔天|睡前|早上都|晚上都|"
    r"周[一二三四五六日天]都)"
)
_HABIT_VERB = re.compile(
    r"(?:去|吃|喝|跑|走|游|练|打|踢|看|读|写|听|做|骑|睡|起|上班|上课|下班|学|健身|锻炼|冥想|带|陪|接|"
    r"有空|方便|有时间|通勤|commute|单程|送|给|回|开|坐|逛|爬|弹|画|唱|用|泡|遛|记|休息|加班|在家|不)"
)
_NO_HABIT = re.compile(r"提醒|帮我|请你|给我|告诉我|应该|可以|想要|希望你|吧$|觉得|以为|认为")
_PLAN = re.compile(
    r"(?:要|打算|准备|计划|会|将|决定|得|约了?|订了|报名了?|有|去|飞|搬|出差|考试|面试|结婚|手术|开会|"
    r"参加|旅行|旅游|回|见|跑|入职|毕业|搬家|出国|开始|举行|办|过|上小学|上初中|上学|上幼儿园|面签|大寿|"
    r"生日|满月|周岁|婚礼|答辩|体检|"
    r"开庭|到期|截止|预产期|机票|车票|航班|高铁|拔牙|复查|产检|搬)"
)
_NO_PLAN = re.compile(r"提醒|帮我|请你|给我|告诉我|天气|吗$|再说|再聊|再问|回复你|试试|可能|也许")
_BIG = re.compile(
    r"(?:领养了|收养了|毕业了|结婚了|离婚了|订婚了|升职了|怀孕了|生了(?:个|一个|宝宝|女儿|儿子)|"
    r"买了(?:[^，。]{0,6})(?:房|车|公寓)|卖了(?:[^，"
    r"。]{0,6})(?:房|车)|退休了|辞职了|离职了|"
    r"考(?:上|过|到)了|通过了|拿到了|被裁了|骨折了|出版了|得了?(?:冠军|第一|一等奖)|当(?:爸|妈|爷爷|"
    r"奶奶)(?:爸|妈)?了)"
)
# Nothing to know a week later.
_SMALL = re.compile(
    r"吃了|喝了|看了|逛|睡|赢了|输了|加班|点了|玩了|喝多|起[晚早]|买了(?![^，。]{0,6}[房车])|去了(?:超市|"
    r"公司|健身房|商场|医院)|聊|"
    r"下雨|迟到|打车|收到|退了|换了(?!工作|公司|手机|车)"
)
_DONE = re.compile(r"了|过|完|的(?:婚|工作|车|房)$")
_TICKET = re.compile(
    r"^(?:我的|我们的|我那个|我)?(?P<t>(?:订单|工单|单号|快递|包裹|发票|退款|账单|预订|合同|账号|"
    r"会员)[^，。]{0,20}?(?:退货|退款|取消|延误|损坏|破损|"
    r"丢失|丢了|没到|未到|未收到|没收到|发错|重复扣款|扣款|失败|已退|已关闭|已解决|驳回|被锁|锁定|过期|"
    r"签收|到货|投诉)[^。]{0,60})$"
)
_BROKEN = re.compile(
    r"^我们?的?(?P<t>[^，。]{1,16}?(?:坏了|打不开|死机了?|无法[^，。]{1,12}|不能(?:用|开机|充电|打印|"
    r"联网|登录)了?|连不上[^，。]{0,10}|"
    r"(?:一直|总是|老是|经常)(?:闪退|死机|掉线|卡顿|重启|报错|断开|黑屏|蓝屏|发热)[^，。]{0,10}|"
    r"漏水了?|开不了机|屏幕碎了|收不到[^，。]{1,12}))$"
)


def personal(text: str) -> str:
    """First-person words as those of "the user"."""
    text = re.sub(r"我们的|我们家的|咱们的|我的|我家的?", "自己的", text)
    return re.sub(r"我们|咱们|我", "自己", text)


def habit(predicate: str, subject: str) -> Draft | None:
    """每天早上跑步, 工作日七点起床."""
    if not _HABIT.search(predicate) or not _HABIT_VERB.search(predicate) or _NO_HABIT.search(predicate):
        return None
    return Draft(content=f"{subject}{personal(predicate)}。")


def plan(predicate: str, subject: str, now: datetime) -> Draft | None:
    """What is ahead, with its date; it stays worth knowing after it."""
    if (
        not _PLAN.search(predicate)
        or _NO_PLAN.search(predicate)
        or re.search(
            r"(?<!除)了(?!$|一|个|"
            r"\d)(?<!订了)(?<!约了)(?<!名了)",
            predicate,
        )
    ):
        return None
    phrase = find_date(predicate, now.date(), past=False)
    if (
        phrase is None
        or phrase.last < now.date()
        or (phrase.text in ("今天", "今早", "今晚", "刚才", "今年") or predicate == phrase.text)
    ):
        return None
    content = annotate(f"{subject}{personal(predicate)}。", phrase, chinese=True)
    return Draft(content=content, memory_type="episodic", importance=0.6)


def event(predicate: str, subject: str, now: datetime) -> Draft | None:
    """What happened, where it is dated or matters by itself."""
    phrase = find_date(predicate, now.date(), past=True)
    dated = (
        phrase is not None
        and phrase.first < now.date()
        and bool(_DONE.search(predicate.replace(phrase.text, "")))
    )
    recent = phrase is not None and phrase.first >= now.date() - timedelta(days=4)
    if recent and _SMALL.search(predicate) and not _BIG.search(predicate):
        return None
    if _NO_HABIT.search(predicate) or not (dated or _BIG.search(predicate)):
        return None
    return Draft(
        content=annotate(f"{subject}{personal(predicate)}。", phrase if dated else None, chinese=True),
        memory_type="episodic",
        valid_from=phrase.starts(now.tzinfo) if phrase and dated else None,
    )


def ticket(sentence: str, now: datetime) -> Draft | None:
    """A support case: what it is about and what happened."""
    match = _TICKET.match(sentence)
    broken = match or _BROKEN.match(sentence)
    if broken is None:
        return None
    phrase = find_date(broken["t"], now.date(), past=True)
    start = "" if match and not sentence.startswith("我") else "用户的" if match else "用户反映自己的"
    return Draft(
        content=annotate(f"{start}{personal(broken['t'])}。", phrase, chinese=True), memory_type="episodic"
    )
