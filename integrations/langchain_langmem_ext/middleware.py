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
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage
from langgraph.channels import UntrackedValue
from langgraph.config import get_config
from langgraph.runtime import Runtime

from langchain_langmem_ext._messages import as_dicts
from langchain_langmem_ext._users import CONFIGURED_PLACE, UserSource, configured
from langmem_ext.adapters import error_of, log_failure
from langmem_ext.items import Filters

if TYPE_CHECKING:
    from langmem_ext import LongTermMemory, UserMemory

logger = logging.getLogger(__name__)


class LongTermMemoryState(AgentState[Any]):
    """What the middleware keeps during a run."""

    # Untracked: a checkpoint would keep memories that the user deletes later.
    long_term_memory: NotRequired[Annotated[str, PrivateStateAttr, UntrackedValue]]
    long_term_memory_turn: NotRequired[Annotated[list[dict[str, Any]], PrivateStateAttr, UntrackedValue]]
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

    Learning happens after the answer, inside the run: with `stream` the user has read it by then.
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
        learn: bool = True,
    ) -> None:
        """Take the memory.

        Args:
            memory: The user is named by each run.
            user: All runs belong to this user.
            max_tokens: Upper limit of the block of memories.
            top_k, min_similarity, filters: As in `UserMemory.context`.
            learn: False to recall only.
        """
        super().__init__()
        self._users = UserSource(memory, user)
        self._limits: dict[str, Any] = {
            "max_tokens": max_tokens,
            "top_k": top_k,
            "min_similarity": min_similarity,
            "filters": filters,
        }
        self._learn = learn

    def before_agent(self, state: LongTermMemoryState, runtime: Runtime[Any]) -> dict[str, Any]:
        """Recall what belongs to the new question.

        Raises:
            InvalidUserError: nobody or two users are named; a run without an owner must not go on.
        """
        said = as_dicts(_new_messages(state["messages"]))
        return _recalled(said, *self._block(self._find(runtime), said))

    async def abefore_agent(self, state: LongTermMemoryState, runtime: Runtime[Any]) -> dict[str, Any]:
        """As `before_agent`."""
        said = as_dicts(_new_messages(state["messages"]))
        return _recalled(said, *await self._ablock(self._find(runtime), said))

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Show the memories to the model, in this call only."""
        block = request.state.get("long_term_memory")
        if block is None:  # a run that was interrupted and resumed: nothing of ours is in a checkpoint
            said = as_dicts(_latest_question(request.messages))
            block, _ = self._block(self._find(request.runtime), said)
        return handler(_with_memories(request, block))

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        """As `wrap_model_call`."""
        block = request.state.get("long_term_memory")
        if block is None:
            said = as_dicts(_latest_question(request.messages))
            block, _ = await self._ablock(self._find(request.runtime), said)
        return await handler(_with_memories(request, block))

    def after_agent(self, state: LongTermMemoryState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Learn from what was said in this run."""
        turn = self._turn(state)
        if not turn:
            return None
        try:
            error: Exception | None = error_of(self._find(runtime).add(turn))
        except Exception as raised:  # an exception here would destroy the finished answer
            error = raised
        return _learned(error)

    async def aafter_agent(self, state: LongTermMemoryState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """As `after_agent`."""
        turn = self._turn(state)
        if not turn:
            return None
        try:
            error: Exception | None = error_of(await self._find(runtime).aadd(turn))
        except Exception as raised:  # an exception here would destroy the finished answer
            error = raised
        return _learned(error)

    def _block(self, user: UserMemory, said: Sequence[dict[str, Any]]) -> tuple[str, str | None]:
        try:
            return (user.context(query, **self._limits).text if (query := _query(said)) else ""), None
        except Exception as error:  # whatever it is, the user still gets an answer
            return "", _failed("recall", error)

    async def _ablock(self, user: UserMemory, said: Sequence[dict[str, Any]]) -> tuple[str, str | None]:
        try:
            query = _query(said)
            return ((await user.acontext(query, **self._limits)).text if query else ""), None
        except Exception as error:  # as in _block
            return "", _failed("recall", error)

    def _turn(self, state: LongTermMemoryState) -> list[dict[str, Any]]:
        """What the user said in this run, and the answer; never the thread before it."""
        said = state.get("long_term_memory_turn")
        if said is None:  # resumed, as in wrap_model_call
            said = as_dicts(_latest_question(state["messages"]))
        if not self._learn or not said:
            return []
        answer = state["messages"][-1:]
        return [*said, *as_dicts([message for message in answer if isinstance(message, AIMessage)])]

    def _find(self, runtime: Runtime[Any]) -> UserMemory:
        config = get_config()
        thread_id = (config.get("configurable") or {}).get("thread_id")
        return self._users.find(
            {CONFIGURED_PLACE: configured(config), "context.user_id": _from_context(runtime.context)},
            session_id=str(thread_id) if thread_id else None,
        )


def _from_context(context: Any) -> Any:
    if isinstance(context, dict):
        return context.get("user_id")
    return getattr(context, "user_id", None)


def _new_messages(messages: Sequence[AnyMessage]) -> list[AnyMessage]:
    """What came in with this run: the user's messages at the end of the thread."""
    new: list[AnyMessage] = []
    for message in reversed(messages):
        # LangChain's own summary of older messages wears a user's clothes.
        if not isinstance(message, HumanMessage) or "lc_source" in message.additional_kwargs:
            break
        new.insert(0, message)
    return new


def _latest_question(messages: Sequence[AnyMessage]) -> list[AnyMessage]:
    """The user's last messages, whatever the agent did since."""
    last = max((i for i, message in enumerate(messages) if isinstance(message, HumanMessage)), default=-1)
    return _new_messages(messages[: last + 1])


def _query(said: Sequence[dict[str, Any]]) -> str:
    return "\n".join(entry["content"] for entry in said).strip()


def _recalled(said: list[dict[str, Any]], block: str, error: str | None) -> dict[str, Any]:
    # The words are kept, not their place: other middleware may shorten the thread before the run ends.
    return {"long_term_memory": block, "long_term_memory_turn": said, "long_term_memory_error": error}


def _learned(error: Exception | None) -> dict[str, Any]:
    update: dict[str, Any] = {"long_term_memory_turn": []}
    if error is not None:
        update["long_term_memory_error"] = _failed("learn", error)
    return update


def _with_memories(request: ModelRequest[Any], block: Any) -> ModelRequest[Any]:
    if not isinstance(block, str) or not block:
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
    return f"{step}: {getattr(error, 'kind', type(error).__name__)}"
