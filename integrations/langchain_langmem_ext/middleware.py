"""Long-term memory for agents made with `create_agent`."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, NotRequired

from langchain.agents.middleware.types import (
    AgentMiddleware,
    AgentState,
    ModelRequest,
    ModelResponse,
    OmitFromSchema,
    PrivateStateAttr,
)
from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, SystemMessage
from langgraph.channels import UntrackedValue
from langgraph.config import get_config
from langgraph.runtime import Runtime

from langchain_langmem_ext._messages import as_dicts, new_messages, query_of
from langchain_langmem_ext._users import (
    CONFIGURED_PLACE,
    CONTEXT_PLACE,
    UserSource,
    configured,
    in_context,
    session_of,
)
from langmem_ext.adapters import LearnMode, ahand_over, checked_mode, hand_over, kind_of, log_failure
from langmem_ext.items import Filters

if TYPE_CHECKING:
    from langmem_ext import LongTermMemory, UserMemory

logger = logging.getLogger(__name__)


class Recalled:
    """What a run begins with: the block of memories, and what the user said.

    No dataclass and no dict: `stream_mode="values"` and others show the private state too, and whoever
    passes such a stream on must not pass on the memories.
    """

    __slots__ = ("block", "said")

    def __init__(self, block: str, said: Sequence[dict[str, Any]]) -> None:
        self.block = block
        self.said = said

    def __repr__(self) -> str:
        return "<recalled memories>"


class LongTermMemoryState(AgentState[Any]):
    """What the middleware keeps during a run."""

    # Untracked: a checkpoint would keep memories that the user deletes later.
    long_term_memory: NotRequired[Annotated[Recalled, PrivateStateAttr, UntrackedValue]]
    long_term_memory_error: NotRequired[Annotated[str | None, OmitFromSchema(input=True, output=False)]]


class LongTermMemoryMiddleware(AgentMiddleware[LongTermMemoryState, Any, Any]):
    """Recalls once per run, shows the memories to the model, and learns from the new turn.

        agent = create_agent(model, tools, middleware=[LongTermMemoryMiddleware(memory=memory)])
        agent.invoke({"messages": [...]}, config={"configurable": {"user_id": "u-1001"}})

    The user is bound (`user=memory.for_user(...)`) or named by each run, in
    `config["configurable"]["user_id"]` or as `user_id` of the run's context (`context_schema=`).

    The memories are appended to the system message of each model call; they never enter the thread or
    its checkpoints, where they would outlive their deletion. Put
    the middleware *after* one that replaces the system prompt, such as `@dynamic_prompt`.

    A memory that fails does not fail the run: it goes on without, the log says so, and so does
    `long_term_memory_error` in the result ("recall: timeout").

    It learns from the new turn. With `learn="now"` that happens after the answer, inside the run: with
    `stream` the user has read it by then. With `learn="later"` the turn is only written down before the
    run ends, and learned in the background (see `UserMemory.add_later`). A run that fails or is
    abandoned teaches nothing.
    """

    state_schema = LongTermMemoryState

    def __init__(
        self,
        *,
        memory: LongTermMemory | None = None,
        user: UserMemory | None = None,
        max_tokens: int = 800,
        top_k: int = 10,
        min_similarity: float | None = None,
        filters: Filters | None = None,
        learn: LearnMode = "now",
    ) -> None:
        """Take the memory.

        Args:
            memory: The user is named by each run.
            user: All runs belong to this user.
            max_tokens: Upper limit of the block of memories.
            top_k, min_similarity, filters: As in `UserMemory.context`.
            learn: "now": before the run ends; "later": in the background; "off": recall only.
        """
        super().__init__()
        self._users = UserSource(memory, user)
        self._limits: dict[str, Any] = {
            "max_tokens": max_tokens,
            "top_k": top_k,
            "min_similarity": min_similarity,
            "filters": filters,
        }
        self._learn = checked_mode(learn)

    def before_agent(self, state: LongTermMemoryState, runtime: Runtime[Any]) -> dict[str, Any]:
        """Recall what belongs to the new question.

        Raises:
            InvalidUserError: nobody or two users are named; a run without an owner must not go on.
        """
        said = as_dicts(new_messages(state["messages"]))
        return _recalled(said, *self._block(self._find(runtime), said))

    async def abefore_agent(self, state: LongTermMemoryState, runtime: Runtime[Any]) -> dict[str, Any]:
        """As `before_agent`."""
        said = as_dicts(new_messages(state["messages"]))
        return _recalled(said, *await self._ablock(self._find(runtime), said))

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Show the memories to the model, in this call only."""
        recalled = request.state.get("long_term_memory")
        if isinstance(recalled, Recalled):
            block = recalled.block
        else:  # a run that was interrupted and resumed: nothing of ours is in a checkpoint
            said = as_dicts(_latest_question(request.messages))
            block, _ = self._block(self._find(request.runtime), said)
        return handler(_with_memories(request, block))

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        """As `wrap_model_call`."""
        recalled = request.state.get("long_term_memory")
        if isinstance(recalled, Recalled):
            block = recalled.block
        else:
            said = as_dicts(_latest_question(request.messages))
            block, _ = await self._ablock(self._find(request.runtime), said)
        return await handler(_with_memories(request, block))

    def after_agent(self, state: LongTermMemoryState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Learn from what was said in this run."""
        turn = self._turn(state)
        return _learned(state, hand_over(self._find(runtime), turn, self._learn)) if turn else None

    async def aafter_agent(self, state: LongTermMemoryState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """As `after_agent`."""
        turn = self._turn(state)
        return _learned(state, await ahand_over(self._find(runtime), turn, self._learn)) if turn else None

    def _block(self, user: UserMemory, said: Sequence[dict[str, Any]]) -> tuple[str, str | None]:
        try:
            return (user.context(query, **self._limits).text if (query := query_of(said)) else ""), None
        except Exception as error:  # whatever it is, the user still gets an answer
            return "", _failed("recall", error)

    async def _ablock(self, user: UserMemory, said: Sequence[dict[str, Any]]) -> tuple[str, str | None]:
        try:
            query = query_of(said)
            return ((await user.acontext(query, **self._limits)).text if query else ""), None
        except Exception as error:  # as in _block
            return "", _failed("recall", error)

    def _turn(self, state: LongTermMemoryState) -> list[dict[str, Any]]:
        """What the user said in this run, and the answer; never the thread before it."""
        recalled = state.get("long_term_memory")
        # None: resumed, as in wrap_model_call.
        said = as_dicts(_latest_question(state["messages"])) if recalled is None else recalled.said
        if self._learn == "off" or not said:
            return []
        answer = state["messages"][-1:]
        return [*said, *as_dicts([message for message in answer if isinstance(message, AIMessage)])]

    def _find(self, runtime: Runtime[Any]) -> UserMemory:
        config = get_config()
        named = {CONFIGURED_PLACE: configured(config), CONTEXT_PLACE: in_context(runtime.context)}
        return self._users.find(named, session_id=session_of(config))


def _latest_question(messages: Sequence[AnyMessage]) -> list[BaseMessage]:
    """The user's last messages, whatever the agent did since."""
    last = max((i for i, message in enumerate(messages) if isinstance(message, HumanMessage)), default=-1)
    return new_messages(messages[: last + 1])


def _recalled(said: list[dict[str, Any]], block: str, error: str | None) -> dict[str, Any]:
    # The words are kept, not their place: other middleware may shorten the thread before the run ends.
    return {"long_term_memory": Recalled(block, said), "long_term_memory_error": error}


def _learned(state: LongTermMemoryState, error: Exception | None) -> dict[str, Any]:
    recalled = state.get("long_term_memory")
    # Another middleware may send the run back to the model; the turn is not handed over twice.
    update: dict[str, Any] = {"long_term_memory": Recalled("" if recalled is None else recalled.block, ())}
    if error is not None:
        update["long_term_memory_error"] = _failed("learn", error)
    return update


def _with_memories(request: ModelRequest[Any], block: str) -> ModelRequest[Any]:
    if not block:
        return request
    return request.override(system_message=_appended(request.system_message, block))


def _appended(system: SystemMessage | None, block: str) -> SystemMessage:
    if system is None:
        return SystemMessage(block)
    if isinstance(system.content, str):
        content: Any = f"{system.content}\n\n{block}"
    else:
        content = [*system.content, {"type": "text", "text": block}]
    return system.model_copy(update={"content": content})


def _failed(step: str, error: Exception) -> str:
    log_failure(logger, step, error)
    return f"{step}: {kind_of(error)}"
