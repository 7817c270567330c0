"""Agents with a tool, what is said to them, and what their model was shown."""

from __future__ import annotations

from typing import Any

from langchain.agents import create_agent
from langchain_core.messages import HumanMessage, SystemMessage
from langchain_core.runnables import RunnableConfig

from tests.integrations.langchain.models import SeenChatModel


def weather(city: str) -> str:
    """The weather in a city."""
    return f"It rains in {city}. I live in the tool."


def agent_of(model: SeenChatModel, *middleware: Any, **options: Any) -> Any:
    return create_agent(model, [weather], middleware=middleware, **options)


def says(text: str) -> dict[str, Any]:
    return {"messages": [HumanMessage(text)]}


def run_of(user_id: str, thread_id: str | None = None) -> RunnableConfig:
    return {"configurable": {"user_id": user_id, **({"thread_id": thread_id} if thread_id else {})}}


def systems(model: SeenChatModel) -> list[list[str]]:
    """The system messages of each model call."""
    return [[str(m.text) for m in seen if isinstance(m, SystemMessage)] for seen in model.seen]
