"""LangChain's own tests of retrievers and tools."""

from __future__ import annotations

from typing import Any

import pytest

from langchain_langmem_ext import LongTermMemoryRetriever, memory_tools
from langmem_ext import LongTermMemory
from langmem_ext.testing import FakeEmbedder

pytest.importorskip("langchain_tests", reason="LangChain's tests come with the package langchain-tests")

from langchain_tests.integration_tests import RetrieversIntegrationTests, ToolsIntegrationTests  # noqa: E402
from langchain_tests.unit_tests import ToolsUnitTests  # noqa: E402


def filled() -> Any:
    user = LongTermMemory(embedder=FakeEmbedder()).for_user("ann")
    user.remember_many([f"The user likes tea number {number}" for number in range(12)])
    return user


def tool(name: str) -> Any:
    return next(tool for tool in memory_tools(user=filled()) if tool.name == name)


class TestRetriever(RetrieversIntegrationTests):
    @property
    def retriever_constructor(self) -> type[LongTermMemoryRetriever]:
        return LongTermMemoryRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"user": filled()}

    @property
    def retriever_query_example(self) -> str:
        return "Which tea does the user like?"


class _Remember:
    @property
    def tool_constructor(self) -> Any:
        return tool("remember")

    @property
    def tool_invoke_params_example(self) -> dict[str, Any]:
        return {"content": "The user likes tea"}


class _Recall:
    @property
    def tool_constructor(self) -> Any:
        return tool("recall")

    @property
    def tool_invoke_params_example(self) -> dict[str, Any]:
        return {"query": "tea"}


class _Forget:
    @property
    def tool_constructor(self) -> Any:
        return tool("forget")

    @property
    def tool_invoke_params_example(self) -> dict[str, Any]:
        return {"request": "Forget that I like tea number 3.", "confirm_ids": None}


class TestRemember(_Remember, ToolsUnitTests): ...


class TestRememberInUse(_Remember, ToolsIntegrationTests): ...


class TestRecall(_Recall, ToolsUnitTests): ...


class TestRecallInUse(_Recall, ToolsIntegrationTests): ...


class TestForget(_Forget, ToolsUnitTests): ...


class TestForgetInUse(_Forget, ToolsIntegrationTests): ...
