from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langmem_ext.tokens import estimate_tokens

if TYPE_CHECKING:
    from tiktoken import Encoding

ENGLISH = (
    "When I moved to Lyon last spring I did not know anybody, so I joined a choir that rehearses on Tuesday "
    "evenings near the old market. My sister still lives in Edinburgh with her two children, and we talk on "
    "the phone nearly every Sunday. She keeps telling me that I should visit more often, but the flights are "
    "expensive and I would rather take the train.",
    "He is trying to read one book a month this year. So far he has finished two novels and a history of the "
    "railways, and he takes short notes about each of them. Next he wants something funny, because work has "
    "been hard since the summer and he often comes home late.",
    "The kitchen was the first room we painted. After that there was no money left for the stairs, and the "
    "boxes stayed in the hall until my brother came with his van. We gave most of it away.",
)
CHINESE = (
    "我上个月刚从北京搬到杭州，现在在一家做在线教育的公司当产品经理。平时下班以后喜欢去西湖边跑步，周末会和朋友一起爬山。",
    "用户喜欢喝不加糖的美式咖啡，每天早上七点半起床。",
    "饕餮盛宴，琳琅满目，鳞次栉比，踌躇满志，蹉跎岁月，醍醐灌顶。",
    "患者服用阿司匹林肠溶片、氯吡格雷及瑞舒伐他汀钙片，近期复查肝肾功能未见明显异常。",
    "李鑫淼、张宸睿、王梓涵、刘奕铭和欧阳娜娜昨晚在鄱阳湖畔露营，赵薇薇没来。",
    "我上個月剛從臺北搬到高雄，現在在一家軟體公司擔任專案經理，週末喜歡騎腳踏車，對花生過敏。",
)
OTHER = (
    "User prefers window seats. User's daughter Annelies was born in 2019.",
    "Nguyen Xuan Phuc met Krzysztof Wojciechowski and Siobhan O'Shaughnessy in Reykjavik; "
    "Oluwaseun Adeyemi came.",
    "He ordered gnocchi with prosciutto and then shared a tiramisu, she had the guacamole and edamame.",
    "lol ok brb gonna grab smth 2 eat... u want anything?? :) thx!!!",
    "PLEASE DO NOT FORGET: THE MEETING IS ON THURSDAY AT HEADQUARTERS.",
    "def load(path: str) -> dict[str, int]:\n    with open(path) as fh:\n        return json.load(fh)\n",
    '{"id": 1, "name": "Ada", "nested": {"a": null, "b": 3.14159}, "createdAt": "2026-03-02T11:22:33Z"}',
    'const userId = await fetchUserById(ctx.params.userId ?? "guest");\n\tif (!userId) { return `${id}`; }\n',
    "SELECT u.id, COUNT(*) AS n FROM users u WHERE u.created_at >= '2024-01-01' GROUP BY u.id;",
    "https://www.example.com/search?q=long+term+memory&lang=en&page=2#results http://a.example.org/b/c.html?x=1",
    "https://docs.example.com/document/d/1aBcD3fGhIjKlMnOpQrStUvWxYz0123456789_-AbC/edit?usp=sharing",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "550e8400-e29b-41d4-a716-446655440000",
    "3.14159 2,718,281 1024 99 7 1 000 000 -273.15 +44 20 7946 0958 2026-03-02 11:22:33.123456 50% $19.99",
    "我用 Python 3.11 写了一个 FastAPI 服务，部署在 AWS EC2 上，数据库是 PostgreSQL 16，9:00-18:00 在线。",
    "Great!! 👍👍🏽 👨‍👩‍👧‍👦 ❤️ 🏳️‍🌈 🇨🇳🇫🇷 🥹🫠 😂😂😂 1️⃣ ✅ ☕",
    "今天好开心😄🎉🎂，谢谢大家🙏🙏❤️",
    "Ich arbeite seit drei Jahren als Bauingenieurin in Düsseldorf und fahre mit dem Fahrrad zur Arbeit.",
    "Je suis allergique aux arachides et j'habite près de la cathédrale depuis l'été dernier.",
    "Я живу в Санкт-Петербурге и работаю программистом.",
    "أعيش في القاهرة وأعمل مهندسا، ولدي حساسية من الفول السوداني.",
    "मैं दिल्ली में रहता हूँ और मुझे मूंगफली से एलर्जी है।",
    "ฉันอาศัยอยู่ในกรุงเทพฯ และแพ้ถั่วลิสง",
    "저는 서울에 살고 있고 땅콩 알레르기가 있어요.",
    "私は京都に住んでいて、ピーナッツアレルギーがあります。",
    "# Title\n\n- item one\n- item two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n`pip install foo[bar]==1.2.3`\n",
    "a:\n        b:\n                c: 1\n\n\n\n            d\n",
    "- (2026-03-02) The user moved to Lyon.\n- (2026-03-02 until 2026-05-01) 用户在学法语。\n",
)


@pytest.fixture(scope="module", params=["cl100k_base", "o200k_base"])
def encoding(request: pytest.FixtureRequest) -> Iterator[Encoding]:
    tiktoken = pytest.importorskip("tiktoken")
    core = pytest.importorskip("llama_index.core")
    with pytest.MonkeyPatch.context() as patch:
        if "TIKTOKEN_CACHE_DIR" not in os.environ:  # the copies that LlamaIndex ships, so no download
            patch.setenv("TIKTOKEN_CACHE_DIR", str(Path(core.__file__).parent / "_static/tiktoken_cache"))
        yield tiktoken.get_encoding(request.param)


@pytest.mark.parametrize("text", [*ENGLISH, *CHINESE, *OTHER])
def test_real_text_is_never_undercounted(encoding: Encoding, text: str) -> None:
    assert estimate_tokens(text) >= len(encoding.encode(text))


@pytest.mark.parametrize("text", ENGLISH)
def test_english_prose_is_not_overcounted_much(encoding: Encoding, text: str) -> None:
    assert estimate_tokens(text) <= 1.6 * len(encoding.encode(text))


def test_chinese_is_not_overcounted_much(encoding: Encoding) -> None:
    limit = 1.25 if encoding.name == "cl100k_base" else 2.1
    assert estimate_tokens("".join(CHINESE)) <= limit * len(encoding.encode("".join(CHINESE)))


# Everyday words; the estimate is for texts, and a rare word repeated (gnocchi gnocchi …) outruns it.
WORDS = sorted({word for text in ENGLISH for word in text.split()} | set("我你他花生过敏茶咖啡。，"))


@given(st.lists(st.sampled_from([*WORDS, "2026-03-02", "👍🏽", "👩‍🚀", "{}", "\n", "(see"]), min_size=8))
def test_any_order_of_words_is_covered(encoding: Encoding, words: list[str]) -> None:
    text = " ".join(words)
    assert estimate_tokens(text) >= len(encoding.encode(text))


@given(st.text(alphabet=st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF)))
def test_a_chinese_character_is_at_least_one_token(text: str) -> None:
    assert estimate_tokens(text) >= len(text)


@given(st.text(alphabet=st.characters(min_codepoint=0x1F300, max_codepoint=0x1FAFF), max_size=20))
def test_emoji_are_covered(encoding: Encoding, text: str) -> None:
    assert estimate_tokens(text) >= len(encoding.encode(text))


@given(st.text(), st.text())
def test_it_is_zero_for_nothing_only_and_grows_with_whole_lines(first: str, second: str) -> None:
    assert (estimate_tokens(first) == 0) == (first == "")
    assert estimate_tokens(first + "\n" + second) >= max(estimate_tokens(first), 1)


def test_importing_the_light_rooms_loads_nothing_heavy() -> None:
    code = (
        "import sys\n"
        "import langmem_ext.tokens, langmem_ext.rendering, langmem_ext.observability, langmem_ext.testing\n"
        "import langmem_ext.retrieval.lexical, langmem_ext.retrieval.ranking\n"
        "heavy = {'numpy', 'pydantic', 'rjieba', 'snowballstemmer', 'chromadb', 'pytest', 'tiktoken'}\n"
        "print(*(heavy & set(sys.modules)), end='')"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr, result.stdout) == (0, "", "")
