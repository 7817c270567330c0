"""Chinese wishes for all later answers, such as 以后回答简短一点 and 有事发短信."""

from __future__ import annotations

import re

from langmem_ext.extraction.rules_text import Draft
from langmem_ext.text import HAN

_INSTRUCTION = re.compile(
    r"^(?:请|麻烦|希望|那|那么|好的?|还有|另外)*(?:你|您)?(?:请)?(?P<i>(?:以后|今后|从现在(?:起|开始)|"
    r"从今(?:以后|往后)|之后(?:都|请)|往后|每次|"
    r"永远|始终|默认|记得以后|都要|一直)(?!再[说聊看]|会|有机会|应该|可能|的事|慢慢|就好|没)"
    r"[^。]{0,20}(?:回答|回复|回我|回|说|讲|用|叫我|写|给我|解释|称呼|别|不要|输出|翻译|推荐|简短|简洁|"
    r"详细|先|列|"
    r"总结)[^。]{0,60}"
    r"|当我[^。]{2,30}(?:时|时候)[^。]{2,40}|(?:别|不要)再[^。]{0,20}(?:用|叫|说|推荐|发|加|回答|"
    r"解释)[^。]{1,40}"
    r"|(?:不要|别)(?:给我)?打电话[，,]?(?:请|就)?(?:加|发|用)[^。]{0,4}(?:微信|短信|邮件|消息)[^。]{0,6}"
    r"|用(?:简体|繁体)?(?:中文|英文|英语|汉语|日语|粤语|法语|德语)(?:字)?(?:回复|回答|和我交流|"
    r"跟我说话?)(?:我)?"
    r"|以后都(?!是|没|不会|会|有|在|得|要是|好|行|可以)[^。，]{3,30}"
    r"|有(?:急?事|问题)(?:就|请|都|直接)*(?:发|打|留|加)?(?:我)?(?:短信|微信|邮件|消息|电话|语音|"
    r"言)[^。]{0,8}"
    r"|(?:快递|外卖|包裹|东西|快件)(?:以后|每次|一律|统一|平时|都|就){1,3}(?:放|送|寄|交|"
    r"挂)(?!吗)[^。]{2,14})$"
)
_CALL_ME = re.compile(
    r"^(?:请|以后都?|你|您|可以|就|大家都?|朋友们?都?|平时)*(?:叫|称呼|喊)我(?P<n>(?!起床|一声|怎么|去|来|"
    r"一下|[^，。]*(?:起床|睡|吃|喝|做|看|别|不|加班|回|干|等|走|失望|早点|快点|"
    rf"过去|出门|运动|写))[{HAN}A-Za-z]{{1,12}}?)(?:就行|"
    r"就好|即可|吧|好了)?$"
)


def instruction(text: str) -> Draft | None:
    """A wish for all later answers. It tells how to act, so it is procedural, though one user's own."""
    called = _CALL_ME.match(text)
    if called:
        return Draft(content=f"用户希望被称呼为{called['n']}。", key="name.preferred", importance=0.8)
    match = _INSTRUCTION.match(text)
    if match is None:
        return None
    wish = match["i"]
    key = None
    if re.search(r"用[^，。]{0,4}(?:中文|英文|英语|汉语|日语|法语|德语|韩语|西班牙语|粤语)", wish):
        key = "response.language"
    elif re.search(r"简短|简洁|短一点|长一点|详细|精简|啰嗦", wish):
        key = "response.length"
    told = re.sub(r"叫我", "称呼用户为", wish).replace("给我", "给用户").replace("我", "用户")
    return Draft(content=f"用户要求助手：{told}。", memory_type="procedural", key=key, importance=0.7)
