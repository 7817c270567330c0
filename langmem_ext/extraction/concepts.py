"""Words for one thing: a memory may use another than the one that was said."""

from __future__ import annotations

import re
from typing import Final

from langmem_ext.extraction.evidence import Words
from langmem_ext.text import HAN

_HAN_CHAR: Final = re.compile(f"[{HAN}]")
# Stems of English words and parts of Chinese ones.
_CONCEPTS: Final = tuple(
    frozenset(group.split())
    for group in (
        "vegetarian vegan veggi meat veget fish 素 荤 肉",
        "kid child children parent mum mom mother dad father son daughter babi twin pregnant expect "
        "pregnanc famili sibl brother sister 孩 娃 儿 女 爸 妈 娘 父 母 宝 孕",
        "marri wife husband spous wed hitch engag fianc fiancé propos partner divorc split singl ex separ "
        "widow 婚 妻 夫 老婆 老公 离 单身 结",
        "redund laid fire lost work job employ career profess occup code program develop softwar engin hire "
        "join freelanc busi compani self boss living teacher teach nurs doctor bake baker paint design write "
        "writer drive driver retir study student school univers 工 职 班 业 程 码 师 学 教",
        "die dead pass lost death late funer deceas 死 世 走 逝 丧",
        "short brief concis long wordi succinct tl dr detail 短 简 长 啰 详",
        "live home resid base move relocat settl hous flat apart rent hail origin nativ grew born bred "
        "raise 住 居 搬 家 租 籍 生 老家",
        "allerg rash hive intoler react epipen anaphylaxi celiac coeliac gluten lactos 敏 疹 痒",
        "smoke cigarett smoker nicotin tobacco vape 烟 抽",
        "drink alcohol sober teetot booz beer wine abstain 酒 喝 饮",
        "insomnia sleep wake bed night earli morn owl lark riser 睡 眠 醒 起 夜 早 床",
        "like love enjoy prefer favourit favorit fan thing best crazi fond mad obsess hate dislik stand "
        "yuck gross aw detest bear fed sick 喜 爱 讨 厌 迷 粉 恶",
        "run jog marathon gym workout exercis swim sport train fit hike cycl bike bicycl climb 跑 健 运 "
        "游 骑 锻 步",
        "read book novel 读 书 阅",
        "music sing song play guitar piano band cello violin choir 音 唱 琴 乐",
        "car drive vehicl licenc licens 车 驾",
        "dog puppi cat kitten pet 狗 猫 宠 犬",
        "ill sick diseas diabet insulin asthma inhal pain migrain headach chronic condit health medic "
        "pill tablet 病 糖 药 哮 痛 医",
        "call name nicknam 叫 名 称 姓", "old age birthday born year turn 岁 年 生日 出生 周",
        "countri citi town german franc french english england usa american chines china spanish spain "
        "italian itali 国 市 城",
        "money broke salari earn budget cheap save debt 钱 薪 贵 便宜 省 穷",
        "fear afraid scare phobia terrifi 怕 恐 惧",
        "answer repli respons respond messag emoji languag speak talk tone formal polit 答 复 说 话 语 言 "
        "格式 表情",
        "buy bought purchas own have got 买 购 有",
        "trip travel holiday vacat fly flight plane visit 旅 飞 机 去 游 玩",
    )
)  # fmt: skip


def same_thing(one: Words, other: Words) -> bool:
    """Whether two texts speak of one thing, perhaps in different words."""
    return any(_speaks_of(one, group) and _speaks_of(other, group) for group in _CONCEPTS)


def _speaks_of(text: Words, group: frozenset[str]) -> bool:
    return not group.isdisjoint(text.telling) or any(
        word in text.folded for word in group if _HAN_CHAR.match(word)
    )
