"""Long-term memory for classic chains, behind their `memory=` argument."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from langchain_classic.base_memory import BaseMemory
from langchain_core.messages import SystemMessage
from pydantic import ConfigDict, Field, PrivateAttr

from langchain_langmem_ext._inputs import sole_key
from langchain_langmem_ext._messages import answered_in, query_of, said_in
from langmem_ext import UserMemory
from langmem_ext.adapters import LearnMode, ahand_over, checked_user, hand_over, log_failure
from langmem_ext.items import RecalledContext

logger = logging.getLogger(__name__)


class LongTermChainMemory(BaseMemory):
    """Puts what is known about a user into a classic chain, and learns from each turn.

    One instance belongs to one user, as a classic chain does not tell its memory who is asking. It
    keeps no chat history; combine it with one (`CombinedMemory`) where the last turns matter.

    A memory that fails does not fail the chain: the variable is empty or nothing is learned, the log
    says so, and `last_error` holds the reason until the next step that works.

    Attributes:
        memory_key: The prompt variable that receives the memories.
        input_key: Which chain input is what the user said; needed when there are several.
        output_key: Which chain output is the answer; needed when there are several.
        return_messages: A list with one system message instead of a string.
        max_tokens: Upper limit of the block of memories.
        top_k, min_similarity, filters: As in `UserMemory.context`.
        learn: "now": before the answer is returned; "later": in the background, see
            `UserMemory.add_later`; "off": recall only.
    """

    model_config = ConfigDict(extra="forbid")

    memory_key: str = "memories"
    input_key: str | None = None
    output_key: str | None = None
    return_messages: bool = False
    max_tokens: int = Field(default=800, ge=1)
    top_k: int = Field(default=10, ge=1)
    min_similarity: float | None = None
    filters: dict[str, Any] | None = None
    learn: LearnMode = "now"
    _user: UserMemory = PrivateAttr()
    _last_error: Exception | None = PrivateAttr(default=None)
    _found_input_key: str | None = PrivateAttr(default=None)

    def __init__(self, *, user: UserMemory, **data: Any) -> None:
        super().__init__(**data)
        self._user = checked_user(user)

    @property
    def last_error(self) -> Exception | None:
        """Why the last recall or learning failed; None when it worked."""
        return self._last_error

    @property
    def memory_variables(self) -> list[str]:
        """The one variable that this memory fills."""
        return [self.memory_key]

    def load_memory_variables(self, inputs: dict[str, Any]) -> dict[str, Any]:
        """The block of memories that belong to what the user just said.

        Raises:
            InvalidInputError: several inputs and no `input_key`.
        """
        query = self._query(inputs)
        try:
            return self._variables(self._user.context(query, **self._limits()) if query else None)
        except Exception as error:  # whatever it is, the user still gets an answer
            return self._variables(None, error)

    async def aload_memory_variables(self, inputs: dict[str, Any]) -> dict[str, Any]:
        """As `load_memory_variables`."""
        query = self._query(inputs)
        try:
            return self._variables(await self._user.acontext(query, **self._limits()) if query else None)
        except Exception as error:  # whatever it is, the user still gets an answer
            return self._variables(None, error)

    def save_context(self, inputs: dict[str, Any], outputs: dict[str, str]) -> None:
        """Learn from a turn. A failure is logged and kept in `last_error`: the answer stays.

        Raises:
            InvalidInputError: several inputs, no `input_key`, and nothing was loaded before.
        """
        if turn := self._turn(inputs, outputs):
            self._note(hand_over(self._user, turn, self.learn))

    async def asave_context(self, inputs: dict[str, Any], outputs: dict[str, str]) -> None:
        """As `save_context`."""
        if turn := self._turn(inputs, outputs):
            self._note(await ahand_over(self._user, turn, self.learn))

    def clear(self) -> None:
        """Forget the conversation, of which nothing is kept here.

        The long-term memories stay: `UserMemory.delete_all` removes those.
        """
        self._last_error = None

    async def aclear(self) -> None:
        """As `clear`."""
        self.clear()

    def _limits(self) -> dict[str, Any]:
        return {
            "max_tokens": self.max_tokens,
            "top_k": self.top_k,
            "min_similarity": self.min_similarity,
            "filters": self.filters,
        }

    def _query(self, inputs: Mapping[str, Any]) -> str:
        key = self._input_key(inputs)
        self._found_input_key = key
        return query_of(said_in(inputs.get(key)))

    def _input_key(self, inputs: Mapping[str, Any]) -> str:
        if self.input_key is not None:
            return self.input_key
        # "stop" is an argument for the LLM that classic chains carry among their inputs.
        mine = {key: value for key, value in inputs.items() if key not in (self.memory_key, "stop")}
        if len(mine) != 1 and self._found_input_key in mine:
            # Other memories of the chain have put their variables in since; the inputs were clear before.
            return self._found_input_key
        return sole_key(mine, "input_key")

    def _turn(self, inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> list[dict[str, Any]]:
        if self.learn == "off":
            return []
        said = said_in(inputs.get(self._input_key(inputs)))
        return [*said, *answered_in(self._answer(outputs))]

    def _answer(self, outputs: Mapping[str, Any]) -> Any:
        """The answer; None when it cannot be told: what the user said is worth learning all the same."""
        if self.output_key is None and len(outputs) > 1:
            logger.warning("output_key should be one of %s; learning without the answer", sorted(outputs))
            return None
        return next(iter(outputs.values()), None) if self.output_key is None else outputs.get(self.output_key)

    def _variables(self, block: RecalledContext | None, error: Exception | None = None) -> dict[str, Any]:
        self._last_error = None
        if error is not None:
            self._failed("recall", error)
        text = "" if block is None else block.text
        if not self.return_messages:
            return {self.memory_key: text}
        return {self.memory_key: [SystemMessage(text)] if text else []}

    def _note(self, error: Exception | None) -> None:
        self._last_error = None
        if error is not None:
            self._failed("learn from a turn", error)

    def _failed(self, step: str, error: Exception) -> None:
        self._last_error = error
        log_failure(logger, step, error)
