"""Two users on one store: whatever one does, the other sees no change."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from langmem_ext import InvalidInputError, LongTermMemory, MemoryNotFoundError, UserMemory
from langmem_ext.testing import FakeEmbedder, ManualClock, ScriptedChatModel
from tests.support.memories import fact, reply

NAMES = ("u1", "u10")
WORDS = st.sampled_from(["tea", "Tea.", "coffee", "Lyon", "Nantes", "住在杭州", "住在上海"])
KEYS = st.none() | st.sampled_from(["city", "drink"])
WHO = st.sampled_from(NAMES)


class TwoUsers(RuleBasedStateMachine):
    @initialize()
    def open(self) -> None:
        self.clock = ManualClock()
        self.answers: list[str] = []
        model = ScriptedChatModel([lambda messages, schema: self.answers.pop()] * 1000)
        self.memory = LongTermMemory(llm=model, embedder=FakeEmbedder(), clock=self.clock)
        self.users = {name: self.memory.for_user(name) for name in NAMES}
        for name, user in self.users.items():
            user.remember(f"belongs to {name} only", metadata={"owner": name})
        self.seen = {name: self.view(name) for name in NAMES}

    def teardown(self) -> None:
        if hasattr(self, "memory"):
            self.memory.close()

    def view(self, name: str) -> tuple[Any, ...]:
        """All that a user can see, the access counts of his own searches aside."""
        user = self.users[name]
        file = io.StringIO()
        user.export_memories(file)
        found = {
            word: [(hit.memory_id, hit.content, hit.score) for hit in user.search(word, top_k=50)]
            for word in ("tea coffee", "住在", "belongs to u1 u10")
        }
        return (
            file.getvalue(),
            found,
            [item.memory_id for item in user.list_memories(include_expired=True).memories],
        )

    def act(self, name: str, change: Callable[[UserMemory], object]) -> None:
        """One user does something; nobody else may notice."""
        change(self.users[name])
        for other in NAMES:
            if other == name:
                self.seen[other] = self.view(other)
            else:
                assert self.view(other) == self.seen[other]

    def an_id(self, name: str, pick: int) -> str | None:
        items = self.users[name].list_memories(include_expired=True).memories
        return items[pick % len(items)].memory_id if items else None

    @rule(name=WHO, word=WORDS, key=KEYS, hours=st.none() | st.integers(1, 5))
    def remember(self, name: str, word: str, key: str | None, hours: int | None) -> None:
        expires = None if hours is None else self.clock().timestamp() + hours * 3600
        self.act(name, lambda user: user.remember(word, key=key, expires_at=expires, metadata={"word": word}))

    @rule(name=WHO, word=WORDS, key=KEYS, replaces=st.none() | st.integers(-1, 5))
    def add(self, name: str, word: str, key: str | None, replaces: int | None) -> None:
        self.answers = [reply(fact(f"The user said {word}", word, key=key, replaces=replaces))] * 2
        self.act(name, lambda user: user.add(f"I want to say: {word}"))

    @rule(name=WHO, pick=st.integers(0, 9), word=WORDS)
    def update(self, name: str, pick: int, word: str) -> None:
        memory_id = self.an_id(name, pick)

        def change(user: UserMemory) -> None:
            try:
                user.update(str(memory_id), content=word, metadata={"word": None, "edited": True})
            except (InvalidInputError, MemoryNotFoundError):  # there already, or expired
                pass

        self.act(name, change)

    @rule(name=WHO, pick=st.integers(0, 9))
    def delete(self, name: str, pick: int) -> None:
        memory_id = self.an_id(name, pick)

        def change(user: UserMemory) -> None:
            try:
                user.delete(str(memory_id))
            except MemoryNotFoundError:
                pass

        self.act(name, change)

    @rule(name=WHO)
    def delete_all(self, name: str) -> None:
        self.act(name, lambda user: user.delete_all())
        assert self.users[name].list_memories(include_expired=True).memories == ()

    @rule(name=WHO, pick=st.integers(0, 9))
    def try_ids_of_the_other(self, name: str, pick: int) -> None:
        other = NAMES[1 - NAMES.index(name)]
        memory_id = self.an_id(other, pick)
        if memory_id is None:
            return

        def change(user: UserMemory) -> None:
            tries: list[Callable[[], object]] = [
                lambda: user.get(memory_id),
                lambda: user.history(memory_id),
                lambda: user.delete(memory_id),
                lambda: user.update(memory_id, content="taken over"),
            ]
            for attempt in tries:
                with pytest.raises(MemoryNotFoundError):
                    attempt()

        self.act(name, change)

    @rule(name=WHO)
    def import_from_the_other(self, name: str) -> None:
        other = NAMES[1 - NAMES.index(name)]
        file = io.StringIO(self.seen[other][0])

        def change(user: UserMemory) -> None:
            if not self.seen[other][0]:
                return
            with pytest.raises(InvalidInputError, match="another user"):
                user.import_memories(file)

        self.act(name, change)

    @rule(name=WHO)
    def ask_for_the_other(self, name: str) -> None:
        other = NAMES[1 - NAMES.index(name)]

        def change(user: UserMemory) -> None:
            widest: list[dict[str, Any]] = [
                {"$or": [{"owner": other}, {"owner": {"$ne": other}}]},
                {"$not": {"x": 1}},
            ]
            for filters in widest:
                found = user.search("belongs to u1 u10", top_k=50, filters=filters)
                assert {hit.memory.user_id for hit in found} <= {name}
                assert (
                    f"belongs to {other} only" not in user.context("belongs to u1 u10", filters=filters).text
                )

        self.act(name, change)

    @rule(hours=st.integers(1, 3))
    def time_passes(self, hours: int) -> None:
        self.clock.advance(hours * 3600)
        self.seen = {name: self.view(name) for name in NAMES}

    @invariant()
    def a_user_has_one_value_per_key_and_every_sentence_once(self) -> None:
        if not hasattr(self, "users"):
            return
        for user in self.users.values():
            items = list(user.iter_memories())
            keys = [item.key for item in items if item.key is not None]
            assert len(keys) == len(set(keys))
            texts = [(item.content.casefold().rstrip("."), item.key) for item in items]
            assert len(texts) == len(set(texts))
            assert {item.user_id for item in items} <= {user.scope.user_id}


def test_two_users_do_not_notice_each_other() -> None:
    run_state_machine_as_test(
        TwoUsers,
        settings=settings(
            max_examples=12,
            stateful_step_count=15,
            deadline=None,
            suppress_health_check=[
                HealthCheck.too_slow,
                HealthCheck.data_too_large,
                HealthCheck.filter_too_much,
            ],
        ),
    )
