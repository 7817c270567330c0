"""One spelling for the rules: apostrophes and abbreviations of chat, and traditional characters.

The rules read the plain text; what was said is found again by its place, and a memory gets back the
characters of the one who spoke.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from langmem_ext.extraction.rules_en_words import RELATIONS

_NOT = r"do|does|did|is|was|are|were|have|has|had|could|would|should|ca|wo"
_AFTER_ITS = (
    r"(?= (?:an?|the|my|our|not|just|called|really|actually|so|been|on|at|in|from|with|too|also|always|never|"
    r"\d)\b| (?-i:[A-Z]))"
)
# Such as "ill be", "id rather", "well move": words by themselves, unless a verb follows.
_WILL = r"(?= (?:be|have|take|need|go|do|get|try|start|move|fly|visit|travel|marry|stay|eat|never|always)\b)"
_WOULD = r"(?= (?:like|love|rather|prefer|never|always|say|hate)\b)"
_WHOSE = r"(?= (?:name|names|birthday|wedding|job|house|flat|place|party|school|surgery|exam|graduation)\b)"
_IS = (
    r"(?= (?:an?|called|named|allergic|vegan|vegetarian|married|getting|scared|coming|visiting|turning|\d)\b)"
)
_Change = str | Callable[[re.Match[str]], str]


def _rule(pattern: str, change: _Change) -> tuple[re.Pattern[str], _Change]:
    return re.compile(rf"(?<![\w'’])(?:{pattern})(?![\w'’])", re.I), change


def _before(letters: int, tail: str = "") -> Callable[[re.Match[str]], str]:
    """The word with an apostrophe before its last letters."""

    def change(match: re.Match[str]) -> str:
        word = match[0]
        return f"{word[:-letters]}'{word[-letters:]}{tail}"

    return change


_RULES = (
    _rule(r"im", lambda m: "I'm" if m[0][0] == "I" else "i'm"),
    _rule(rf"(?:{_NOT})nt", _before(1)),
    _rule(r"(?:i|you|we|they)ve", _before(2)),
    _rule(r"(?:you|they)re", _before(2)),
    _rule(r"(?:that|there|he|she|what|who|where|here|let)s", _before(1)),
    _rule(
        rf"its{_AFTER_ITS}|(?:(?<=so )|(?<=but )|(?<=because )|(?<=[,.!;] )|"
        rf"^)its(?! own)(?= \w)",
        _before(1),
    ),
    _rule(rf"(?:i|we|they|you)ll{_WILL}", _before(2)),
    _rule(rf"(?:i|they|you)d{_WOULD}", _before(1)),
    _rule(rf"(?<=\bmy )names(?= [\w]+)|(?:{RELATIONS})(?<!s)s(?:{_WHOSE}|{_IS})", _before(1)),
    _rule(r"(?<=\bmy )partners(?= (?:vegetarian|vegan|allergic|name|an?)\b)", _before(1)),
    _rule(r"(?:pls|plz|plss)", "please"),
    _rule(r"(?:bc|bcs|cos|coz|cuz|becuase|becasue)(?= )", "because"),
    _rule(r"u", "you"),
    _rule(r"ur", "your"),
    _rule(r"(?:tmrw|tmr|tmw|tomorow|tommorow|tommorrow|2moro)", "tomorrow"),
    _rule(r"gonna", "going to"),
    _rule(r"wanna", "want to"),
    _rule(r"gotta", "have to"),
    _rule(r"kinda", "kind of"),
    _rule(r"rn", "right now"),
    _rule(r"w/o", "without"),
    _rule(r"w/", "with"),
    _rule(r"definately|defo", "definitely"),
    _rule(r"alergic|allergc|allegic", "allergic"),
    _rule(r"vegitarian|vegeterian|vegetarain", "vegetarian"),
    _rule(r"prefered", "preferred"),
    _rule(r"favorit|favourit|fav|fave", "favourite"),
)

_TRADITIONAL = (
    "獸兽鸚鹦鵡鹉貍狸對对過过敏敏養养兩两隻只貓猫廠厂當当師师們们個个搬搬歡欢愛爱討讨厭厌習习慣惯從从後后這这說说講讲剛刚錯错應应該该"
    "嗎吗麼么沒没還还現现職职學学讀读書书專专業业語语話话國国歲岁歷历醫医護护藥药開开車车騎骑買买賣卖養养門门飛飞機机"
    "場场號号週周禮礼點点鐘钟電电腦脑網网錢钱銀银險险組组經经員员長长師师術术設设計计記记訂订約约參参會会議议訪访談谈"
    "結结婚婚離离媽妈爺爷嬸婶爸爸兒儿孫孙婦妇嬰婴寶宝貝贝狗狗鳥鸟魚鱼雞鸡鴨鸭豬猪馬马龍龙龜龟蝦虾蟹蟹麵面飯饭湯汤"
    "鹹咸辣辣蘋苹檸柠檬檬葉叶紅红綠绿藍蓝黃黄顏颜樂乐聽听聲声響响電电視视劇剧戲戏遊游運运動动籃篮鋼钢練练習习彈弹"
    "畫画寫写譯译編编輯辑軟软體体硬硬腳脚頭头髮发眼眼鏡镜聞闻氣气熱热凍冻準准備备幫帮請请謝谢讓让給给裡里裏里邊边處处"
    "間间樓楼層层廳厅廚厨衛卫陽阳臺台灣湾東东廣广蘇苏無无無无為为與与總总統统關关閉闭聯联絡络係系繫系戶户單单雙双"
    "樣样種种類类題题問问覺觉認认識识實实際际歸归傳传發发達达遲迟遠远進进連连遞递選选適适遷迁換换掉掉擇择擔担據据"
    "擊击擾扰攝摄攤摊暫暂曆历權权歐欧殺杀氫氢決决況况涼凉淚泪淺浅減减測测滿满漢汉潔洁濕湿濟济災灾爐炉爭争爾尔牽牵"
    "狀状獨独獲获環环產产畢毕異异療疗癢痒癮瘾盡尽監监盤盘確确礙碍禍祸穩稳窮穷競竞筆笔節节範范築筑簡简簽签籤签糧粮"
    "純纯紙纸級级細细終终絕绝絲丝維维繼继續续績绩罰罚義义職职聖圣聰聪肅肃膚肤膽胆臉脸臨临興兴舊旧艙舱藝艺蟲虫補补"
    "裝装複复規规親亲觀观觸触訊讯訓训詞词詩诗誤误誰谁調调諒谅論论證证豐丰責责貨货費费資资質质賓宾賽赛趕赶車车軍军"
    "輕轻較较輩辈轉转辦办農农邏逻郵邮鄉乡醬酱釋释針针鐵铁錄录隊队陳陈隨随難难雜杂靜静順顺預预領领頻频願愿顧顾餐餐"
    "餓饿餘余館馆驗验驚惊髒脏鬆松鬧闹魯鲁鹽盐麗丽齊齐齡龄啟启囉啰團团圓圆園园圖图壓压壞坏夠够夢梦夥伙妳你姊姐將将"
    "導导尋寻屬属師师帶带幹干幾几庫库廢废張张強强彎弯徵征徹彻復复恆恒悶闷惡恶愉愉態态慮虑憂忧憶忆懷怀懶懒戀恋戰战"
    "拋抛挾挟捨舍掃扫掛挂採采揮挥損损搶抢撥拨擁拥擠挤敗败敘叙數数斷断時时晝昼曬晒曉晓朧胧條条棄弃榮荣構构樹树橋桥"
    "檢检檔档欄栏殘残氈毡汙污淨净滅灭漁渔漸渐潤润濃浓濾滤瀏浏燈灯燒烧營营爛烂牆墙犧牺狹狭獎奖瑣琐畝亩疊叠癌癌"
    "眾众矚瞩硯砚碼码礎础禪禅稅税穀谷竊窃紀纪紋纹納纳紛纷紐纽累累絨绒綁绑綜综緊紧緒绪線线縣县縮缩織织罷罢羅罗"
    "聚聚聯联腎肾腫肿腸肠艷艳蓋盖蘭兰號号虧亏術术衝冲裔裔襪袜覽览訴诉診诊試试誕诞請请諾诺謊谎讚赞貧贫貴贵貸贷"
    "賀贺賬账贈赠趙赵跡迹踐践躍跃軌轨輔辅輛辆輪轮輸输轎轿辭辞邀邀遺遗鄰邻醜丑醒醒釣钓鈴铃鎖锁鎮镇鏈链鑰钥閒闲"
    "閱阅闆板陸陆陰阴隱隐雲云霧雾項项須须頓顿頸颈顆颗額额顛颠顯显颱台飲饮飼饲飾饰饞馋駕驾駐驻騙骗騷骚鬍胡鬚须"
    "鮮鲜鵝鹅鹿鹿麥麦黨党鼻鼻齒齿兇凶傘伞傷伤備备優优價价儘尽億亿償偿儲储兌兑內内冊册凍冻剩剩創创劃划勞劳勢势勵励"
    "協协卻却參参變变吳吴員员啞哑喪丧喬乔嘗尝嚇吓嚐尝嚴严圍围墊垫執执堅坚報报場场塊块塵尘壯壮壽寿奪夺奮奋孃娘"
)
_SIMPLIFIED = {
    traditional: simple
    for traditional, simple in zip(_TRADITIONAL[::2], _TRADITIONAL[1::2], strict=True)
    if traditional != simple
}


@dataclass(frozen=True, slots=True)
class Plain:
    """A text in the spelling of the rules.

    Attributes:
        text: The text to read.
        said: The text as it was said.
        places: For each place in `text`, the place in `said`; one more than `text` has characters.
        script: For simplified characters of `text`, those that stand in `said`.
    """

    text: str
    said: str
    places: tuple[int, ...]
    script: dict[int, int]

    def quote(self, words: str) -> str:
        """The words as they were said; `words` is a substring of `text`, or it stays as it is."""
        at = self.text.find(words)
        if at < 0:
            return words
        return self.said[self.places[at] : self.places[at + len(words)]]

    def in_script(self, content: str) -> str:
        """A memory in the speaker's characters. The words of the rules themselves stay simplified."""
        head = (
            "用户要求助手" if content.startswith("用户要求助手") else "用户" if content[:2] == "用户" else ""
        )
        return head + content[len(head) :].translate(self.script)


def plain_english(said: str) -> Plain:
    """The text with apostrophes, and chat abbreviations written out."""
    text, places = said, tuple(range(len(said) + 1))
    for pattern, change in _RULES:
        pieces: list[str] = []
        moved: list[int] = []
        done = 0
        for match in pattern.finditer(text):
            new = change if isinstance(change, str) else change(match)
            pieces += [text[done : match.start()], new]
            moved += places[done : match.start()]
            moved += [places[match.start()]] * len(new)
            done = match.end()
        if pieces:
            text = "".join(pieces) + text[done:]
            places = (*moved, *places[done:])
    return Plain(text, said, places, {})


def plain_chinese(said: str) -> Plain:
    """The text in simplified characters, one for one."""
    text = simplified(said)
    script = {ord(simple): ord(own) for simple, own in zip(text, said, strict=True) if simple != own}
    return Plain(text, said, tuple(range(len(said) + 1)), script)


def simplified(text: str) -> str:
    """The text in simplified characters, as far as the rules need them."""
    return text.translate({ord(own): simple for own, simple in _SIMPLIFIED.items()})
