"""LangGraph's own tests of its store, run against ours, and against ours with a fault in it."""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.conformance.suites import Report, run_suite, source_of

pytestmark = pytest.mark.slow

# The suite makes its stores by this name; `index` brings embeddings of its own.
CONFTEST = """
import os

import langgraph.store.memory
from langgraph.store.base import ensure_embeddings

from langchain_langmem_ext import LangChainEmbedder, LongTermMemoryStore
from langmem_ext import LongTermMemory
from langmem_ext.records import Records
from langmem_ext.testing import FakeEmbedder


class StoreUnderTest(LongTermMemoryStore):
    def __init__(self, *, index=None):
        given = index or {}
        embedder = FakeEmbedder()
        if index is not None:
            embeddings = ensure_embeddings(given["embed"])
            embedder = LangChainEmbedder(embeddings, model="of the suite", dim=given["dims"])
        user = LongTermMemory(embedder=embedder).for_user("suite")
        super().__init__(user=user, fields=given.get("fields") or ["$"])
        self.index_config = index


langgraph.store.memory.InMemoryStore = StoreUnderTest

if os.environ.get("WITHOUT_NAMESPACES"):
    under = Records._under
    Records._under = lambda self, rows, prefix: under(self, rows, ())
"""


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if find_spec("pytest_mock") is None:
        pytest.skip("LangGraph's tests need pytest-mock")
    source = source_of("langgraph-checkpoint") / "tests"
    folder = tmp_path_factory.mktemp("langgraph")
    (folder / "tests").mkdir()
    for name in ("__init__.py", "embed_test_utils.py", "test_store.py"):
        shutil.copy(source / name, folder / "tests" / name)
    (folder / "conftest.py").write_text(CONFTEST, encoding="utf-8")
    return folder


def run(suite: Path, **env: str) -> Report:
    return run_suite(suite, env=env)


def test_all_of_them_pass(suite: Path) -> None:
    report = run(suite)
    assert report.failed == frozenset()
    assert report.skipped == frozenset()
    assert len(report.passed) >= 15  # older versions have fewer


def test_they_notice_a_store_that_ignores_namespaces(suite: Path) -> None:
    if "def test_search_pages_match_full_listing" not in (suite / "tests" / "test_store.py").read_text(
        "utf-8"
    ):
        pytest.skip("the tests of this version do not look at namespaces closely enough")
    report = run(suite, WITHOUT_NAMESPACES="1")
    assert report.failed
    assert report.passed, "the fault broke everything: it says nothing about namespaces"
