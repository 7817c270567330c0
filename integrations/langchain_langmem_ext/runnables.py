"""Long-term memory for LCEL: a step that recalls, and one around a chain that learns."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from langchain_core.callbacks import AsyncCallbackManagerForChainRun, CallbackManagerForChainRun
from langchain_core.runnables import Runnable, RunnableConfig, ensure_config

from langchain_langmem_ext._inputs import sole_key
from langchain_langmem_ext._messages import answered_in, query_of, said_in
from langchain_langmem_ext._users import CONFIGURED_PLACE, UserSource, configured, session_of
from langmem_ext.adapters import LearnMode, ahand_over, checked_mode, hand_over, kind_of, log_failure
from langmem_ext.errors import InvalidInputError
from langmem_ext.items import Filters

if TYPE_CHECKING:
    from langmem_ext import LongTermMemory, UserMemory

logger = logging.getLogger(__name__)


class _UserStep(Runnable[Any, Any]):
    """A step that knows whose run it is in, and what the user said."""

    def __init__(self, memory: LongTermMemory | None, user: UserMemory | None, input_key: str | None) -> None:
        self._users = UserSource(memory, user)
        self._input_key = input_key

    def _find(self, config: RunnableConfig | None) -> UserMemory:
        full = ensure_config(config)
        return self._users.find({CONFIGURED_PLACE: configured(full)}, session_id=session_of(full))

    def _said(self, input: Any) -> list[dict[str, Any]]:
        if isinstance(input, Mapping):
            return said_in(input.get(self._input_key or sole_key(input, "input_key")))
        return said_in(input)


class LongTermMemoryRecall(_UserStep):
    """Adds what is known about the user to the input of a chain.

        chain = LongTermMemoryRecall(memory=memory) | prompt | model | StrOutputParser()
        chain.invoke({"question": "..."}, config={"configurable": {"user_id": "u-1001"}})

    The prompt has a place for it: `("system", "You are helpful. {memories}")`. An input that is no dict, such
    as a string or messages, becomes `{"input": ..., "memories": ...}`.

    A memory that fails does not fail the chain: `memories` is empty, and `memories_error` ("timeout")
    is added beside it.
    """

    def __init__(
        self,
        *,
        memory: LongTermMemory | None = None,
        user: UserMemory | None = None,
        input_key: str | None = None,
        memory_key: str = "memories",
        max_tokens: int = 800,
        top_k: int = 10,
        min_similarity: float | None = None,
        filters: Filters | None = None,
    ) -> None:
        """Take the memory.

        Args:
            memory: Each run names its user in `config["configurable"]["user_id"]`.
            user: All runs belong to this user.
            input_key: Which input is what the user said; needed when there are several.
            memory_key: The name under which the memories are added.
            max_tokens: Upper limit of the block of memories.
            top_k, min_similarity, filters: As in `UserMemory.context`.
        """
        super().__init__(memory, user, input_key)
        self._memory_key = memory_key
        self._limits: dict[str, Any] = {
            "max_tokens": max_tokens,
            "top_k": top_k,
            "min_similarity": min_similarity,
            "filters": filters,
        }

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> dict[str, Any]:
        """The input with the memories.

        Raises:
            InvalidUserError: no user is bound or named, or the two disagree.
            InvalidInputError: several inputs and no `input_key`.
        """
        answer: dict[str, Any] = self._call_with_config(self._recall, input, config)
        return answer

    async def ainvoke(
        self, input: Any, config: RunnableConfig | None = None, **kwargs: Any
    ) -> dict[str, Any]:
        """As `invoke`."""
        answer: dict[str, Any] = await self._acall_with_config(self._arecall, input, config)
        return answer

    def _recall(
        self, input: Any, run_manager: CallbackManagerForChainRun, config: RunnableConfig
    ) -> dict[str, Any]:
        user, query = self._find(config), query_of(self._said(input))
        try:
            block = user.context(query, **self._limits).text if query else ""
        except Exception as error:  # whatever it is, the user still gets an answer
            return self._with(input, "", error)
        return self._with(input, block)

    async def _arecall(
        self, input: Any, run_manager: AsyncCallbackManagerForChainRun, config: RunnableConfig
    ) -> dict[str, Any]:
        user, query = self._find(config), query_of(self._said(input))
        try:
            block = (await user.acontext(query, **self._limits)).text if query else ""
        except Exception as error:  # as in _recall
            return self._with(input, "", error)
        return self._with(input, block)

    def _with(self, input: Any, block: str, error: Exception | None = None) -> dict[str, Any]:
        given = dict(input) if isinstance(input, Mapping) else {self._input_key or "input": input}
        added: dict[str, Any] = {self._memory_key: block}
        if error is not None:
            log_failure(logger, "recall", error)
            added[f"{self._memory_key}_error"] = kind_of(error)
        return {**given, **added}


class LongTermMemoryLearner(_UserStep):
    """A chain that is learned from: what goes in is what the user said, what comes out is the answer.

        chain = LongTermMemoryLearner(recall | prompt | model | StrOutputParser(), memory=memory)

    The answer passes through as the chain gives it, token by token with `stream`. A turn is learned when
    its answer is complete: a chain that fails and a stream that is abandoned teach nothing. A
    memory that fails does not fail the chain; the log says so.
    """

    def __init__(
        self,
        chain: Runnable[Any, Any],
        *,
        memory: LongTermMemory | None = None,
        user: UserMemory | None = None,
        input_key: str | None = None,
        output_key: str | None = None,
        learn: LearnMode = "now",
    ) -> None:
        """Take the chain and the memory.

        Args:
            chain: What answers.
            memory: Each run names its user in `config["configurable"]["user_id"]`.
            user: All runs belong to this user.
            input_key: Which input is what the user said; needed when there are several.
            output_key: Which output is the answer; needed when there are several.
            learn: "now": before `invoke` returns; "later": in the background; "off": not at all.
        """
        if not isinstance(chain, Runnable):
            raise InvalidInputError(f"chain must be a runnable, not {type(chain).__name__}")
        super().__init__(memory, user, input_key)
        self._chain = chain
        self._output_key = output_key
        self._learn = checked_mode(learn)

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """The chain's answer.

        Raises:
            InvalidUserError: no user is bound or named, or the two disagree.
            InvalidInputError: several inputs and no `input_key`.
        """
        user, said = self._find(config), self._said(input)
        answer = self._chain.invoke(input, config, **kwargs)
        self._note(hand_over(user, self._turn(said, answer), self._learn))
        return answer

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """As `invoke`."""
        user, said = self._find(config), self._said(input)
        answer = await self._chain.ainvoke(input, config, **kwargs)
        self._note(await ahand_over(user, self._turn(said, answer), self._learn))
        return answer

    def stream(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Iterator[Any]:
        """The chain's answer, chunk by chunk; learned from when the last one was taken."""
        user, said = self._find(config), self._said(input)
        answer: Any = None
        for chunk in self._chain.stream(input, config, **kwargs):
            answer = _joined(answer, chunk)
            yield chunk
        self._note(hand_over(user, self._turn(said, answer), self._learn))

    async def astream(
        self, input: Any, config: RunnableConfig | None = None, **kwargs: Any
    ) -> AsyncIterator[Any]:
        """As `stream`."""
        user, said = self._find(config), self._said(input)
        answer: Any = None
        async for chunk in self._chain.astream(input, config, **kwargs):
            answer = _joined(answer, chunk)
            yield chunk
        self._note(await ahand_over(user, self._turn(said, answer), self._learn))

    def _turn(self, said: list[dict[str, Any]], answer: Any) -> list[dict[str, Any]]:
        if not said:
            return []
        if isinstance(answer, Mapping):
            key = self._output_key or (next(iter(answer)) if len(answer) == 1 else None)
            if key is None:  # what the user said is worth learning all the same
                logger.warning("output_key should be one of %s; learning without the answer", sorted(answer))
            answer = answer.get(key)
        return [*said, *answered_in(answer)]

    def _note(self, error: Exception | None) -> None:
        if error is not None:
            log_failure(logger, "learn from a turn", error)


def _joined(answer: Any, chunk: Any) -> Any:
    """The answer so far; of chunks that cannot be added, the last one is the answer."""
    if answer is None:
        return chunk
    try:
        return answer + chunk
    except TypeError:
        return chunk
