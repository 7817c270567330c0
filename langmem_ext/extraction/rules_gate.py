"""Whether a turn is worth asking a model about. Doubt means yes: a missed fact costs more than a call."""

from __future__ import annotations

import re
from collections.abc import Sequence

from langmem_ext.extraction.confirmation import agrees, confirms, may_be_confirmed
from langmem_ext.extraction.rules_spelling import plain_english, simplified
from langmem_ext.extraction.sentences import is_surely_question, sentences_of
from langmem_ext.messages import Message
from langmem_ext.redaction import holds_only_secret
from langmem_ext.text import is_chinese, normalise

_NOT_WORDS = re.compile(r"[^\w\s'’]+")
_FILLERS_EN = frozenset(
    "hi hello hey hiya there good morning afternoon evening night thanks thank you thx ty so much very "
    "a lot many cheers ok okay k "
    "great cool nice perfect awesome super lovely excellent brilliant fantastic wonderful fine got it "
    "i see sure alright right "
    "bye goodbye see ya later cya haha hahaha lol lmao hehe hmm hm um uh oh ah wow yay ugh argh oops "
    "sorry no problem np never mind "
    "nevermind please welcome that's that is helpful works good amazing makes sense understood exactly "
    "indeed really well done job "
    "love it how are doing what's up anyway for the help your all everyone again interesting funny yes "
    "yeah yep no nope maybe "
    "go ahead continue next more and one test testing ping to me then just".split()
)
_REPLIES = frozenset(
    "yes yeah yep no nope sure exactly right indeed maybe 对 是 是的 嗯 没错 对的 不是 不 有 没有 好 "
    "可以".split()
)
_MOOD_EN = re.compile(
    r"(?:(?:ugh|oh|wow|well|haha|hey|hi|ok|argh|hmm|gosh|god)\s+)*(?:i['’]?m|i am|i feel|feeling|so|"
    r"this is|that['’]?s|that is|what a|it['’]?s)\s(?:(?:so|very|really|a bit|too|just|such a?)\s)*"
    r"(?:tired|sad|happy|bored|excited|angry|annoyed|frustrated|great|good|bad|awful|terrible|funny|"
    r"boring|annoying|weird|"
    r"cool|nice day|lost|confused|relieved|hungry|sleepy|exhausted|stuck|mess|sorry|back|"
    r"here)(?:\s(?:today|now|again|right now|tonight))?",
    re.I,
)
_ORDER_EN = re.compile(
    r"^(?:(?:please|ok|okay|now|hey|then|and|so|can you|could you|would you|just)[,\s]+)*(?:play|stop|"
    r"pause|skip|open|close|show|tell|translate|summari[sz]e|set|turn|"
    r"book|order(?!\s*(?:#|no\b|number|\d))|call|send|find|search|look up|give|write|explain|list|read|"
    r"repeat|rewrite|fix|add|delete|remove|increase|"
    r"decrease|lower|raise|start|cancel|check|calculate|convert|draft|shorten|generate|create|run|"
    r"print|buy)\b",
    re.I,
)
_PERSONAL_EN = re.compile(r"\b(?:i|i['’]\w+|my|mine|we|we['’]\w+|our|me too|myself)\b", re.I)
_MODAL_I = re.compile(
    r"\b(?:can|could|should|shall|do|did|does|would|may|must|am|was|will|might|"
    r"if)\s+i\b",
    re.I,
)
_LASTING_EN = re.compile(
    r"\b(?:always|never|every|usually|from now on|in future|in the future|going forward|prefer|"
    r"allerg\w*|whenever|each|don['’]t|remember|"
    r"forget|favou?rite|anymore|call me|instead of|by default|name|birthday|because|actually)\b",
    re.I,
)
_FILLER_ZH = re.compile(
    r"(?:谢谢(?:你|您|啦|了)?|多谢|感谢|好的?(?:呀|啊|吧|嘞|滴)?|行|可以|没问题|知道了|明白了?|收到|"
    r"嗯+|哦+|啊+|呃+|哈+|嘿+|呵呵|你好(?:呀|啊)?|"
    r"您好|嗨|早(?:上好|安)?|晚安|晚上好|下午好|再见|拜拜|回头见|"
    r"太(?:好|棒|赞|牛|酷|烦|累|难)了|真(?:好|棒|不错|厉害|有意思|烦|累|无聊|难)|不错|厉害|牛|棒|赞|"
    r"有意思|没事|没关系|不客气|辛苦了?|对不起|抱歉|不好意思|对|"
    r"是的?|没错|不是|继续|下一[个首步]|"
    r"我?(?:今天|现在)?(?:好|很|太|真|有点|非常)*(?:累|困|开心|难过|烦|无聊|生气|郁闷|高兴|饿|崩溃|"
    r"伤心|激动)(?:啊|了|呀|哦|死了)*|唉+|哎+|哇+|天哪|"
    r"我的天|算了|随便|再说吧|在吗|测试|你真(?:好|棒|厉害|聪明)|吧|了|呀|呢)+"
)
_ORDER_ZH = re.compile(
    r"^(?:请|麻烦|那|再|你|好|可以)*(?:帮我|给我|替我|帮忙)?(?:播放|放|订(?!单)|买|查|翻译|总结|打开|"
    r"关闭|关掉|设|调|发|写|解释|列出|读|找|搜|换|暂停|"
    r"停止|取消|提醒|讲|算|推荐|生成|改|润色|叫|告诉|看看|说说|介绍)"
)
_ASKED_ZH = re.compile(r"^(?:请|麻烦|那|再|你|好|可以)*(?:帮我|给我|替我)")
_LASTING_ZH = re.compile(
    r"以后|每次|每天|每周|每个|总是|一直|从来|从不|不要再|别再|喜欢|讨厌|过敏|我的|我们|我是|我在|我有|"
    r"我叫|叫我|习惯|记住|因为|今后|从现在|默认|不吃|不喝|爱|老婆|老公|"
    r"妈|爸|孩子|儿子|女儿|生日|其实|退|工单"
)
# "Make it Lyon, not Paris" looks like an order and mends what is known.
_CORRECTS_EN = re.compile(r"\b(?:not|wrong|mistake|correct(?:ion)?|meant)\b", re.I)
_CORRECTS_ZH = re.compile(r"不对|(?<!是)不是|[说记搞弄]错|更正|纠正|应该是")


def worth_a_call(messages: Sequence[Message]) -> bool:
    """False only when every sentence of every user message clearly states nothing that lasts.

    That is: thanks, greetings, filler, moods, one-off orders, plain questions, codes and blanks. A yes
    to what the assistant asked, or stated about the user, is worth a call; thanks for an answer is not.
    """
    before = ""
    for message in messages:
        if message.role != "user":
            before = message.content
            continue
        if _worth(message.content, before):
            return True
        before = ""
    return False


def _worth(text: str, before: str) -> bool:
    text = normalise(text) if "\n" not in text else text.strip()
    if not text or holds_only_secret(text):
        return False
    asked = before.rstrip().endswith(("?", "？"))
    if asked and (_bare(text) in _REPLIES or agrees(text)):  # what "yes" says is in the question
        return True
    sentences = sentences_of(text)
    if before and may_be_confirmed(before) and any(confirms(part) for part in [text, *sentences]):
        return True
    chinese = is_chinese(text)
    text = simplified(text) if chinese else plain_english(text).text
    test = _clear_zh if chinese else _clear_en
    return not all(test(sentence, answering=asked) for sentence in sentences_of(text))


def _bare(text: str) -> str:
    return _NOT_WORDS.sub(" ", text).strip().casefold()


def _clear_en(sentence: str, *, answering: bool) -> bool:
    """Whether an English sentence clearly states nothing."""
    sentence = sentence.strip()
    bare = re.sub(r"\s+", " ", _bare(sentence).replace("’", "'"))
    words = bare.split()
    if all(word in _FILLERS_EN for word in words) or _MOOD_EN.fullmatch(bare):
        return True
    if answering or _LASTING_EN.search(sentence):
        return False
    personal = _PERSONAL_EN.search(_MODAL_I.sub(" ", sentence))
    if is_surely_question(sentence, chinese=False):
        return personal is None
    if _CORRECTS_EN.search(sentence):
        return False
    return bool(_ORDER_EN.match(sentence)) and personal is None and "because" not in words


def _clear_zh(sentence: str, *, answering: bool) -> bool:
    """Whether a Chinese sentence clearly states nothing."""
    sentence = sentence.strip()
    bare = re.sub(r"[\W_]+", "", sentence)
    if not bare or _FILLER_ZH.fullmatch(bare):
        return True
    if answering or _LASTING_ZH.search(sentence):
        return False
    told = "我" in _ASKED_ZH.sub("", sentence)
    if is_surely_question(sentence, chinese=True):
        return not told
    if _CORRECTS_ZH.search(sentence):
        return False
    return bool(_ORDER_ZH.match(sentence)) and not told
