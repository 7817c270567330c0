"""From `add` to `forget` with a real LLM: what must hold whatever the model says, and one easy fact."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from benchmarks.real_model.watched import Call, WatchedChat, tried_again
from langmem_ext import AddResult, ChatModel, Embedder, LongTermMemory, MemoryItem, UserMemory
from langmem_ext.items import Usage
from langmem_ext.text import comparison_key

# Makes a client for the model; the argument caps a reply at so many tokens, None at the usual number.
MakeChat: TypeAlias = Callable[[int | None], ChatModel]
Turn: TypeAlias = Sequence[tuple[str, str]]

_EASY: Turn = (("user", "I am allergic to peanuts."), ("assistant", "Noted."))
_CHINESE: Turn = (("user", "我叫李雷，住在杭州。"), ("assistant", "你好，李雷！杭州今天天气怎么样？"))
_MIXED: Turn = (
    ("user", "我在学 Rust, and I play the oboe on Thursdays. Do you know a good café?"),
    ("assistant", "Try the one at the harbour; you seem to like cakes."),
)
_SMALL_TALK: Turn = (("user", "ok, thanks!"), ("assistant", "You are welcome."))
_OBSERVED_AT = "2025-03-03T18:30:00+00:00"  # the prompt names the day: the same in every run
_WORD = "peanut"
_CUT_AT = 8  # tokens: no reply is complete by then


@dataclass(frozen=True, slots=True)
class Check:
    """What should hold, and what was seen instead; None when it does hold."""

    what: str
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class Added:
    """One `add`: what was said, what came of it, what was stored before and after, what was asked."""

    turn: Turn
    result: AddResult
    before: Sequence[MemoryItem]
    after: Sequence[MemoryItem]
    calls: Sequence[Call]


def walk(make_chat: MakeChat, embedder: Embedder) -> Iterator[Check]:
    """The whole path, check by check, with a new memory in a temporary directory."""
    with tempfile.TemporaryDirectory() as folder:
        chat = WatchedChat(make_chat(None))
        with LongTermMemory(folder, llm=chat, embedder=embedder) as memory:
            user = memory.for_user("u-1001")
            added = [_add(user, chat, turn) for turn in (_EASY, _MIXED)]
            added.append(_aadd(user, chat, _CHINESE))
            yield from _learning(added)
            yield Check("a refused way of asking is remembered", tried_again(chat.calls))
            yield _small_talk(_add(user, chat, _SMALL_TALK))
            yield from _using(user)
            left = list(user.iter_memories())
        with LongTermMemory(folder, embedder=embedder) as memory:
            same = list(memory.for_user("u-1001").iter_memories()) == left
            yield Check("opened again, it holds the same", None if same else "the memories differ")
    yield _cut_off(WatchedChat(make_chat(_CUT_AT)), embedder)


def _add(user: UserMemory, chat: WatchedChat, turn: Turn) -> Added:
    before, asked = list(user.iter_memories()), len(chat.calls)
    result = user.add(list(turn), observed_at=_OBSERVED_AT)
    return Added(turn, result, before, list(user.iter_memories()), chat.calls[asked:])


def _aadd(user: UserMemory, chat: WatchedChat, turn: Turn) -> Added:
    before, asked = list(user.iter_memories()), len(chat.calls)
    result = asyncio.run(user.aadd(list(turn), observed_at=_OBSERVED_AT))
    return Added(turn, result, before, list(user.iter_memories()), chat.calls[asked:])


def _learning(added: Sequence[Added]) -> Iterator[Check]:
    easy = added[0]
    learned = any(_WORD in memory.content.lower() for memory in easy.after)
    fault = None if learned else f"{_told(easy)}, and it is in no memory"
    yield Check("a fact that is stated plainly is learned", fault)
    for what, look in (
        ("the status says what became of a turn", status_fault),
        ("every stored memory has its evidence", evidence_fault),
        ("usage is what the server counted, in one call or two", usage_fault),
    ):
        yield Check(what, next((fault for one in added if (fault := look(one))), None))


def status_fault(added: Added) -> str | None:
    """What is wrong between the status, the error and what is stored; None when nothing is."""
    status, error = added.result.status, added.result.error
    if status not in ("learned", "nothing", "failed") or (status == "failed") != (error is not None):
        return f"status {status!r} with the error {error!r}"
    if (status == "learned") != bool(added.result.memories):
        return f"status {status!r} with {len(added.result.memories)} memories"
    if status != "learned" and list(added.before) != list(added.after):
        return f"status {status!r}, and what is stored has changed"
    return None


def evidence_fault(added: Added) -> str | None:
    """A memory of this turn that does not rest on words of the user in it; None when there is none."""
    said = comparison_key(" ".join(text for role, text in added.turn if role == "user"))
    known = {memory.memory_id for memory in added.before}
    for memory in added.after:
        if memory.memory_id in known:
            continue
        if not memory.source:
            return f"{memory.content!r} has no source"
        for part in memory.source:
            quoted = comparison_key(part.quote)
            if part.message_id not in added.result.message_ids or not quoted or quoted not in said:
                return f"{memory.content!r} rests on {part!r}, which the user did not say in this turn"
    return None


def usage_fault(added: Added) -> str | None:
    """What is wrong with the calls and tokens of this turn; None when nothing is."""
    usage = added.result.usage
    counted = sum((call.usage for call in added.calls), Usage())
    if usage != counted:
        return f"{usage!r}, but the server said {counted!r}"
    if not 1 <= usage.calls <= 2 and added.result.error is None:
        return f"{usage.calls} calls"
    return "the server counts no tokens" if usage.calls and not usage.prompt_tokens else None


def _small_talk(added: Added) -> Check:
    quiet = added.result.status == "nothing" and not added.calls
    return Check("small talk costs no call", None if quiet else f"{_told(added)}, {len(added.calls)} calls")


def _using(user: UserMemory) -> Iterator[Check]:
    """Search, context and forget; where the model did not learn the easy fact, it is there all the same."""
    if not any(_WORD in memory.content.lower() for memory in user.iter_memories()):
        user.remember("The user is allergic to peanuts.")
    question = "What must the user not eat?"
    found = any(_WORD in hit.memory.content.lower() for hit in user.search(question, top_k=5))
    yield Check("search finds it", None if found else "it is not among the first five")
    there = _WORD in user.context(question).text.lower()
    yield Check("context holds it", None if there else "it is not in the block")
    wish = "forget that I am allergic to peanuts"
    answer = user.forget(wish)
    if answer.status == "confirm":
        meant = [memory.memory_id for memory in answer.candidates if _WORD in memory.content.lower()]
        answer = user.forget(wish, confirm_ids=meant)
    left = [memory.content for memory in user.iter_memories() if _WORD in memory.content.lower()]
    gone = answer.status == "deleted" and not left
    yield Check("forget removes it", None if gone else f"status {answer.status!r}, and there is {left}")


def _cut_off(chat: WatchedChat, embedder: Embedder) -> Check:
    what = "a reply that is cut off stores nothing"
    with LongTermMemory(llm=chat, embedder=embedder) as memory:
        added = _add(memory.for_user("u-1001"), chat, _EASY)
    error = added.result.error
    if error is None or error.kind != "truncated" or added.after:
        return Check(what, f"{_told(added)}, {len(added.after)} memories")
    return Check(what, usage_fault(added))


def _told(added: Added) -> str:
    result = added.result
    reasons = [outcome.reason or outcome.action for outcome in result.outcomes]
    return f"status {result.status!r} ({'; '.join(reasons) or (result.error and result.error.kind) or '-'})"
