"""Text that a message shows rather than says: quotes, code, logs, letters and tickets of others."""

from __future__ import annotations

import re

_QUOTED = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]+`|^[ \t]*[>＞][^\n]*|\"[^\"]{12,500}\"|“[^”]{12,500}”|「[^」]{8,500}」|"
    r"『[^』]{8,500}』"
    r"|[‘](?:[^’\n]|’(?=\w)){12,500}’|(?<![\w'])'(?:[^'\n]|'(?=\w)){12,500}'(?!\w)",
    re.S | re.M,
)
_QUOTED_ZH = re.compile(r"(?<=[：:，,])\s*“[^”]{6,500}”")

# Lines of programs, data, logs, chat protocols and letter heads.
_LINE = re.compile(
    r"^[ \t]*(?:"
    r"(?:[A-Za-z_][\w.\[\]'\"]*|(?:const|let|var|export|self)\b.*?)\s*[-+]?=\s*['\"\[{(\w].*"
    r"|(?:def|class|function) \w+\s*[({:].*|import [\w.]+(?: as \w+)?;?|from \S+ import .*|print\(.*"
    r"|(?:return|elif|for|while|if|else|try|except)\b.*[:({]\s*|(?:SELECT|INSERT|UPDATE) .*"
    r"|(?:# |//|/\*|<!--|\$ |>>> ).*|[{}\[\]();]+,?\s*"
    r"|.*\{\s*|.*\w\);\s*|[{\[]?\s*\"[\w ]+\"\s*:.*|</?\w+[^>]*>.*"
    r"|\[?\d{4}[-/]\d\d?[-/]\d\d?[ T,]+\d\d?:\d\d.*|\[\d\d?:\d\d(?::\d\d)?\].*|\(\d\d?:\d\d\).*"
    r"|(?:\[?(?:ERROR|WARN(?:ING)?|INFO|DEBUG|TRACE|FATAL)\b|Traceback|\s+at \w+[.(]|File \"|Exception\b).*"
    r"|(?:Subject|From|To|Cc|Fwd|Sent|主题|发件人|收件人)\s?[:：].*"
    r")$",
    re.M,
)
_LETTER = re.compile(
    r"^[ \t]*(?:(?:Subject|From|Sent|主题|发件人)\s?[:：]|Dear (?:[A-Z]|all|team|customer)|"
    r"To whom it may|尊敬的|敬启者).*(?:\n.*)*",
    re.M,
)
# Whose words follow, to the end of the paragraph: "customer writes: …", 用户反馈：….
_WHO = (
    r"(?:the |my |a |our |this )?(?:customer|client|user|patient|guest|buyer|seller|applicant|candidate|"
    r"caller|tenant|"
    r"landlord|reviewer|complaint|ticket|review|comment|email|e-mail|mail|letter|message|text|post|tweet|bio|"
    r"original|draft|transcript|quote|script|lyrics|cover letter|essay|article|paragraph|sentence|reply)"
)
_SAYS = (
    r"(?:\s+(?:no\.? ?|#)?\d+,?)?(?:\s+(?:just |also )?(?:writes?|wrote|says?|said|reads?|goes|asks?|"
    r"asked|states?|"
    r"reports?|reported|complains?|complained|from [^\n:]{1,30}|is|was|below|here|to \w+|(?:customer|"
    r"client|user) "
    r"(?:writes?|wrote|says?|said)))?"
)
_REPORTED = re.compile(
    rf"(?:^|(?<=[\s.,;(]))(?:{_WHO}{_SAYS}|(?:he|she|they|somebody|someone)(?: just)? "
    r"(?:wrote|writes|says|said|texted|posted)|(?:this|that|it|which)? ?(?:says|reads|goes))(?: (?:me|"
    r"to me|this|that))?"
    r"\s*:\s*(?P<b>\S.*(?:\n(?!\s*\n).+)*)",
    re.I,
)
_REPORTED_ZH = re.compile(
    r"(?:【[^】\n]{0,12}(?:工单|反馈|客户|顾客|投诉|用户|评论|公告|通知|转发|来信|邮件|短信|订单|"
    r"简历)[^】\n]{0,12}】|(?:客户|顾客|用户|买家|卖家|患者|病人|投诉人|来电人|对方|网友|楼主|房东|领导|"
    r"老板|同事|他|她|原文|"
    r"原话|评论|留言|邮件|短信|消息|工单|简历|文案|草稿|这段话?|这句话?|内容|正文|歌词|台词)"
    r"(?:反馈|说|写道?|写的是|问|留言|表示|投诉|描述|来信|自述|如下|是这样的?|发来|回复|内容)*[：:])"
    r"\s*(?P<b>\S.*(?:\n(?!\s*\n).+)*)"
)
# What is to be worked on follows, to the end of the message.
_WORK = re.compile(
    r"\b(?:(?:fix|correct|check|improve|edit|polish|proofread|rephrase|reword|rewrite|summari[sz]e|"
    r"sum up|shorten|"
    r"paraphrase|translate|simplify|tidy up|format|review|analy[sz]e|count|classify)\b"
    r"|make (?:my |this |that |it|the )[^.?!:\n]{0,40}?(?:sound|nicer|shorter|better|formal|polite|"
    r"professional|"
    r"friendlier|clearer)|(?:reply|respond|answer|react) to (?:this|that|it|the following)|"
    r"what does (?:this|that|it) "
    r"(?:say|mean)|(?:is|are) (?:this|that|these) (?:ok|correct|right|fine|valid|good)|tl;?dr)[^:\n]{0,80}"
    r"(?::|\n)\s*(?P<b>.+)",
    re.I | re.S,
)
_WORK_ZH = re.compile(
    r"(?:翻译|翻成|译成|润色|修改|改写|改[成得]|改一?改|改一下|把[^，。\n]{1,16}?(?:改|写|翻|总结|缩|"
    r"整理|概括|扩)|总结|概括|归纳|"
    r"校对|检查语法|分析|提炼|缩写|扩写|回复一下|怎么[回答]复?|帮我[回看]一?下?)[^：:\n]{0,30}(?:[：:]|"
    r"\n)\s*(?P<b>.+)",
    re.S,
)


def without_pasted(text: str) -> str:
    """The text with line ends in place of what it shows of others' words or programs, just as long."""
    for pattern in (_LETTER, _QUOTED, _QUOTED_ZH, _LINE):
        text = pattern.sub(lambda match: _blank(match[0]), text)
    for pattern in (_WORK, _WORK_ZH, _REPORTED, _REPORTED_ZH):
        text = pattern.sub(_without_body, text)
    return text


def _without_body(match: re.Match[str]) -> str:
    start = match.start("b") - match.start()
    return match[0][:start] + _blank(match["b"])


def _blank(text: str) -> str:
    return "\n" * len(text)
