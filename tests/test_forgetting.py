"""Forgetting by request and by source: what is clear is deleted, what is not is asked about."""

from __future__ import annotations

import pytest

from langmem_ext import InvalidInputError, LongTermMemory, MemoryNotFoundError, UserMemory
from langmem_ext.forget_request import Wish, read_wish
from langmem_ext.testing import ScriptedChatModel
from tests.support.memories import OpenMemory, contents, fact, listed, reply


@pytest.mark.parametrize(
    ("request_text", "topic"),
    [
        ("forget that I prefer window seats", "I prefer window seats"),
        ("Please forget my home address.", "my home address."),
        ("can you delete everything about my job", "my job"),
        ("Forget what I told you about Lyon", "Lyon"),
        ("You can remove the fact that I live in Lyon", "I live in Lyon"),
        ("忘掉我对花生过敏", "我对花生过敏"),
        ("请忘记我的地址", "我的地址"),
        ("把我喜欢茶这件事忘掉", "我喜欢茶"),
        ("请把我的生日删掉吧", "我的生日"),
        ("别再记住我的电话", "我的电话"),
        ("删除关于狗的记忆", "狗"),
        ("请把我的狗从记忆里删掉", "我的狗"),
        ("不用再记着我讨厌榴莲了", "我讨厌榴莲了"),
        ("stop remembering jazz", "jazz"),
        ("Let's forget that I live in Lyon", "I live in Lyon"),
        ("You should forget my birthday", "my birthday"),
        ("Why don't you forget that I like tea?", "I like tea"),
        ("I don't want you to remember that I smoke", "I smoke"),
        ("Would you mind forgetting my birthday", "my birthday"),
        ("It would be great if you could forget my birthday", "my birthday"),
        ("Actually, please forget that I like tea", "I like tea"),
        ("I live in Lyon. Please forget that.", "I live in Lyon"),
        ("Forget that I forgot my keys", "I forgot my keys"),
        ("能不能忘记我住在上海？", "我住在上海"),
        ("可以忘记我住在上海吗", "我住在上海"),
        ("我希望你忘记我住在上海", "我住在上海"),
        ("你应该忘记我的生日", "我的生日"),
        ("能不能把我的生日删掉？", "我的生日"),
        ("我想删除我的地址", "我的地址"),
    ],
)
def test_a_request_names_its_topic(request_text: str, topic: str) -> None:
    assert read_wish(request_text) == Wish(topic)


@pytest.mark.parametrize(
    "text",
    [
        "don't let me forget my keys", "Don’t forget that I like tea", "never delete my notes",
        "I forgot my umbrella", "I always forget names", "you must not forget the meeting",
        "remember to remove the stain", "What is tea?", "你喜欢茶吗？", "别忘了我喜欢茶",
        "不要忘记我的生日", "别让我忘了钥匙", "我忘了带伞", "我总是忘记名字",
        "Let's not forget that I like tea", "You shouldn't forget that I like tea",
        "You forget that I like tea", "Make sure you don't forget my keys", "I hope you never forget my keys",
        "I want to forget my keys", "别把我喜欢茶这件事忘了", "请不要把我的生日删掉", "我把我的生日忘了",
        "你忘了我的生日", "我希望你不要忘记我的生日", "能不能别忘记我的生日",
        "我没忘记我的生日", "千万别忘了我的生日",
    ],
)  # fmt: skip
def test_what_only_has_the_word_is_no_request(user: UserMemory, text: str) -> None:
    user.remember_many(
        ["User likes tea", "User has keys and an umbrella", "用户喜欢茶", "用户的生日是三月三日"]
    )
    assert user.forget(text).status == "no_request"
    assert len(listed(user)) == 4


def test_an_unclear_request_is_asked_about(user: UserMemory) -> None:
    trains = user.remember("User prefers window seats on trains")
    planes = user.remember("User prefers window seats on planes")
    answer = user.forget("forget that I prefer window seats")
    assert (answer.status, answer.deleted) == ("confirm", ())
    assert {item.memory_id for item in answer.candidates} == {trains.memory_id, planes.memory_id}
    confirmed = user.forget("forget that I prefer window seats", confirm_ids=[trains.memory_id])
    assert (confirmed.status, contents(confirmed.deleted)) == ("deleted", [trains.content])
    assert listed(user) == [planes.content]


def test_one_clear_match_is_deleted_with_its_versions(user: UserMemory) -> None:
    user.remember("User lives in Lyon", key="residence.city")
    now = user.remember("User lives in Nantes", key="residence.city")
    user.remember("User likes Nantes butter biscuits")
    answer = user.forget("Forget that I live in Nantes")
    assert (answer.status, contents(answer.deleted)) == ("deleted", ["User lives in Nantes"])
    assert listed(user) == ["User likes Nantes butter biscuits"]
    with pytest.raises(MemoryNotFoundError):
        user.history(now.memory_id)


@pytest.mark.parametrize(
    ("content", "request_text"),
    [
        ("用户对花生过敏。", "忘掉我对花生过敏"),
        ("The user is allergic to peanuts.", "forget that I'm allergic to peanuts"),
    ],
)
def test_both_languages_are_understood(user: UserMemory, content: str, request_text: str) -> None:
    user.remember_many([content, "用户喜欢在周末爬山。", "The user swims on Mondays."])
    assert user.forget(request_text).status == "deleted"
    assert content not in listed(user)
    assert len(listed(user)) == 2


def test_what_matches_nothing_deletes_nothing(user: UserMemory) -> None:
    user.remember("User owns a red bicycle")
    for text in ("forget my home address", "forget it", "忘掉我的地址", "forget"):
        assert user.forget(text).status == "no_match", text
    assert listed(user) == ["User owns a red bicycle"]


@pytest.mark.parametrize(
    "text",
    [
        "Forget everything about me",
        "delete everything",
        "forget me",
        "忘掉所有",
        "把关于我的一切都忘掉",
        "删除所有记忆",
        "请你忘记所有关于我的事",
        "忘记你知道的关于我的一切",
        "删除我的所有数据",
        "把关于我的事全部忘掉",
        "把我忘了吧",
        "forget all you know about me",
        "Please delete all the data you have about me.",
        "Forget everything I told you",
    ],
)  # fmt: skip
def test_everything_is_a_matter_for_delete_all(user: UserMemory, text: str) -> None:
    user.remember("User owns a red bicycle")
    assert user.forget(text).status == "everything"
    assert len(listed(user)) == 1


def test_a_topic_alone_is_asked_about(user: UserMemory) -> None:
    bicycle = user.remember("User owns a red bicycle")
    answer = user.forget("red bicycle")
    assert (answer.status, answer.candidates) == ("confirm", (bicycle,))
    assert user.forget("I like jazz").status == "no_match"


def test_the_opposite_is_not_clearly_meant(user: UserMemory) -> None:
    user.remember("The user does not like coriander")
    answer = user.forget("forget that I like coriander")
    assert (answer.status, len(answer.candidates)) == ("confirm", 1)
    assert len(listed(user)) == 1


def test_a_confirmation_is_all_or_nothing_and_of_this_user(memory: LongTermMemory) -> None:
    user, other = memory.for_user("u1"), memory.for_user("u2")
    mine, theirs = user.remember("Mine"), other.remember("Theirs")
    with pytest.raises(MemoryNotFoundError):
        user.forget("forget it", confirm_ids=[mine.memory_id, theirs.memory_id])
    assert (listed(user), listed(other)) == (["Mine"], ["Theirs"])
    assert user.forget("forget it", confirm_ids=[]).status == "no_match"
    with pytest.raises(InvalidInputError):
        user.forget("forget it", confirm_ids=mine.memory_id)
    assert listed(user) == ["Mine"]


async def test_the_async_doors_forget_too(user: UserMemory) -> None:
    await user.aremember("User owns a red bicycle")
    assert (await user.aforget("forget my red bicycle")).status == "deleted"
    assert (await user.adelete_source("nothing")).versions == 0


def test_what_came_from_a_message_goes_with_it(open_memory: OpenMemory) -> None:
    llm = ScriptedChatModel(
        [
            reply(fact("The user lives in Lyon", "I live in Lyon", key="residence.city")),
            reply(
                fact("The user lives in Nantes", "I live in Nantes now", key="residence.city"),
                fact("The user has a dog", "have a dog"),
            ),
            reply(fact("The user has a dog", "my dog")),
        ]
    )
    user = open_memory(llm=llm).for_user("u1")
    first = user.add([{"role": "user", "content": "I live in Lyon", "id": "m1"}])
    user.add([{"role": "user", "content": "I live in Nantes now and have a dog", "id": "m2"}])
    user.add([{"role": "user", "content": "I walked my dog", "id": "m3"}])
    receipt = user.delete_source("m2")
    assert (receipt.memories, receipt.versions) == (1, 1)
    assert listed(user) == ["The user has a dog"]  # said elsewhere too
    assert [part.message_id for part in user.list_memories().memories[0].source] == ["m3"]
    assert user.get(first.memories[0].memory_id).content == "The user lives in Lyon"  # history, and no more
    assert contents(user.search("Where does the user live? Lyon Nantes")) == ["The user has a dog"]
    assert user.delete_source("m3").versions == 1
    assert listed(user) == []
    with pytest.raises(InvalidInputError):
        user.delete_source(" ")
