"""Which memory a wish deletes: the one that says it of the user, and no other."""

from __future__ import annotations

import pytest

from langmem_ext import LongTermMemory

SISTER = "Forget that I live in Paris"
SHANGHAI = "忘记我住在上海"


def wrong(memory: LongTermMemory, expected: str, cases: list[tuple[str, str, str | None]]) -> list[str]:
    """The requests that a user with only this one memory (text, key) hears another answer to."""
    found = []
    for number, (request, content, key) in enumerate(cases):
        user = memory.for_user(f"u{number}")
        user.remember(content, key=key)
        status = user.forget(request).status
        left = len(user.list_memories().memories)
        if status != expected or left != (expected != "deleted"):
            found.append(f"{status}: {request} | {content}")
    return found


def each(request: str, *contents: str) -> list[tuple[str, str, str | None]]:
    return [(request, content, None) for content in contents]


@pytest.mark.parametrize(
    "cases",
    [
        each(
            SISTER,
            "The user's sister Anna lives in Paris.",
            "The user's best friend lives in Paris",
            "The user's dog lives in Paris",
            "Anna lives in Paris",
            "She lives in Paris",
            "Tom and the user live in Paris",
            "The user lives with her husband in Paris",
            "Marie told the user that Paul lives in Paris",
        )
        + [(SISTER, "Lives in Paris", "sister.city")],
        each(
            SHANGHAI,
            "用户的妈妈住在上海",
            "用戶的媽媽住在上海",
            "用户的同事住在上海",
            "用户的狗住在上海",
            "小李住在上海",
            "用户和小李住在上海",
            "她住在上海",
        ),
        each("Forget that I am allergic to peanuts", "The user's son is allergic to peanuts"),
        each("忘掉我对花生过敏", "用户的儿子对花生过敏。"),
        each("Forget that I have a son", "The user's son is 3"),
        each("Forget that my sister lives in Paris", "The user lives in Paris"),
        each(
            "Forget that Anna lives in a big old house in Paris", "The user lives in a big old house in Paris"
        ),
        each("忘记我妈妈住在上海", "用户住在上海"),
    ],
)
def test_what_is_said_of_another_is_asked_about(
    memory: LongTermMemory, cases: list[tuple[str, str, str | None]]
) -> None:
    assert wrong(memory, "confirm", cases) == []


def test_what_belongs_to_another_is_asked_about(memory: LongTermMemory) -> None:
    cases = [
        ("Forget my name", "The user's partner is Tom.", "partner.name"),
        ("Forget my name", "The user's dog is Rex", "dog.name"),
        *each("Forget my name", "The user's dog's name is Rex", "The user has a dog named Rex"),
        *each("Forget my cat", "The user's cat's vet is expensive"),
        *each("Forget my birthday", "The user's wife's birthday is May 3"),
        *each("Forget my dog", "The user likes dogs"),
        *each("忘记我的名字", "用户的狗的名字是旺财"),
        *each("忘记我的生日", "用户妈妈的生日是三月三日", "用户的女儿的生日是三月三日"),
        *each("忘记我的狗", "用户喜欢狗"),
    ]
    assert wrong(memory, "confirm", cases) == []


def test_what_was_or_is_only_wanted_is_asked_about(memory: LongTermMemory) -> None:
    cases = [
        *each("Forget that I live in Lyon", "The user used to live in Lyon.", "The user lived in Lyon"),
        *each(
            "Forget that I live in Lyon", "The user wants to live in Lyon", "The user no longer lives in Lyon"
        ),
        *each("Forget that I used to live in Lyon", "The user lives in Lyon"),
        *each("Forget that I am a nurse", "The user was a nurse"),
        *each("Forget that I smoke", "The user quit smoking"),
        *each("Forget Lyon", "The user used to live in Lyon"),
        *each(SHANGHAI, "用户以前住在上海", "用户曾经住在上海", "用户在上海住过", "用户想住在上海"),
        *each("忘记我以前住在上海", "用户住在上海"),
    ]
    assert wrong(memory, "confirm", cases) == []


def test_a_memory_of_several_facts_is_asked_about(memory: LongTermMemory) -> None:
    cases = [
        *each("Forget Tom", "The user is allergic to peanuts and lives in Lyon with Tom"),
        *each(
            "Forget that I live in Lyon",
            "The user is a nurse and lives in Lyon",
            "The user lives in Lyon with Tom",
        ),
        *each("Forget that I like tea", "The user likes tea and coffee"),
        *each("Forget my name", "The user's name is Tom and he lives in Lyon"),
        *each(SHANGHAI, "用户住在上海，对花生过敏"),
        *each("忘记我喜欢茶", "用户喜欢茶和咖啡"),
        *each("忘记花生", "用户对花生过敏，住在里昂"),
    ]
    assert wrong(memory, "confirm", cases) == []


def test_a_word_of_another_things_name_is_asked_about(memory: LongTermMemory) -> None:
    cases = [
        *each("Forget that I like cats", "The user likes cat cafés"),
        *each("忘记我喜欢猫", "用户喜欢猫咖啡馆"),
    ]
    assert wrong(memory, "confirm", cases) == []


def test_the_opposite_is_asked_about(memory: LongTermMemory) -> None:
    cases = [
        *each("Forget that I like coffee", "The user dislikes coffee", "The user doesn't like coffee"),
        *each("Forget that I don't like coffee", "The user likes coffee"),
        *each("忘记我喜欢咖啡", "用户不喜欢咖啡"),
        *each("忘记我会游泳", "用户不会游泳"),
    ]
    assert wrong(memory, "confirm", cases) == []


def test_other_words_for_it_are_deleted(memory: LongTermMemory) -> None:
    cases = [
        *each("Forget that I don't like coffee", "The user does not like coffee", "The user dislikes coffee"),
        *each("Forget that I hate coffee", "The user doesn't like coffee."),
        *each("Forget that I can't swim", "The user cannot swim"),
        *each("Forget that I’m not married", "The user isn't married"),
        *each("忘记我不喜欢咖啡", "用户讨厌咖啡"),
        *each("忘记我讨厌咖啡", "用户不喜欢咖啡。"),
        *each("忘记我喜欢咖啡", "用户喜爱咖啡"),
        *each("Forget that I study law", "The user studies law"),
        *each("Forget that I run every morning", "Every morning the user runs"),
    ]
    assert wrong(memory, "deleted", cases) == []


def test_what_is_meant_is_still_deleted(memory: LongTermMemory) -> None:
    cases = [
        *each(
            SISTER,
            "The user currently lives in Paris.",
            "User lives in Paris",
            "Lives in Paris",
            "I live in Paris",
        ),
        *each(SHANGHAI, "用户住在上海", "用户目前住在上海。"),
        *each("Forget that my sister lives in Paris", "The user's sister lives in Paris"),
        *each("忘记我妈妈住在上海", "用户的妈妈住在上海"),
        *each("Forget that I used to live in Lyon", "The user used to live in Lyon."),
        *each("Forget my name", "The user's name is Tom", "The user's full name is Tom Miller"),
        ("Forget my name", "The user is called Tom", "name"),
        *each("Forget my address", "The user's home address is 12 Rue Royale, 69002 Lyon"),
        *each("Forget that I have a dog", "The user has a dog named Rex"),
        *each("Forget my sister", "The user's sister is Anna"),
        *each("Forget that I like tea and coffee", "The user likes tea and coffee"),
        *each("Forget that I prefer window seats", "The user prefers window seats on trains"),
        *each("忘记我养了一只狗", "用户养了一只狗，名叫旺财"),
        *each("忘记我的地址", "用户的家庭地址是北京路12号"),
    ]
    assert wrong(memory, "deleted", cases) == []


def test_the_users_own_is_deleted_beside_anothers(memory: LongTermMemory) -> None:
    user = memory.for_user("u1")
    user.remember_many(["The user lives in Paris.", "The user's sister Anna lives in Paris."])
    assert user.forget("Forget that I live in Paris").status == "deleted"
    assert [item.content for item in user.iter_memories()] == ["The user's sister Anna lives in Paris."]


@pytest.mark.parametrize(
    "request_text",
    ["Forget everything except my name", "forget everything but my name", "忘记除了我的名字以外的一切"],
)
def test_all_but_something_deletes_nothing(memory: LongTermMemory, request_text: str) -> None:
    user = memory.for_user("u1")
    user.remember_many(["The user's name is Tom", "用户的名字是汤姆"])
    assert user.forget(request_text).status == "no_match"
    assert len(list(user.iter_memories())) == 2
