from __future__ import annotations

import re
import tomllib
from typing import Any

import pytest

from tests.packaging.process import ROOT, run_python

ADAPTERS = {
    "langchain_langmem_ext": (
        "langchain",
        ("LongTermChainMemory", "LongTermMemoryMiddleware", "LongTermMemoryRetriever"),
    ),
    "llama_index_langmem_ext": (
        "llama-index",
        (
            "LlamaIndexChat",
            "LlamaIndexEmbedder",
            "LongTermChatMemory",
            "LongTermMemoryBlock",
            "LongTermMemoryRetriever",
        ),
    ),
}
CASES = [(package, extra, name) for package, (extra, names) in ADAPTERS.items() for name in names]

BLOCK = """
    import sys

    class Blocker:
        def find_spec(self, name, path=None, target=None):
            if name.partition(".")[0].startswith(("langchain", "langgraph", "llama_index")) and not \\
                    name.partition(".")[0].endswith("langmem_ext"):
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    sys.meta_path.insert(0, Blocker())
"""


@pytest.mark.parametrize(("package", "extra", "name"), CASES)
def test_a_missing_framework_is_answered_with_the_command(package: str, extra: str, name: str) -> None:
    code = (
        BLOCK
        + f"""
    try:
        from {package} import {name}
    except ImportError as error:
        print(type(error).__name__, error)
    """
    )
    said = run_python(code)
    assert said.startswith(f"MissingDependencyError {package}.{name} needs the package {extra}")
    assert f'pip install "langmem-ext[{extra}]"' in said


def test_a_framework_of_another_age_is_answered_with_both_versions() -> None:
    code = """
    import sys, types
    sys.modules["langchain"] = types.ModuleType("langchain")  # as if it had no langchain.agents yet
    try:
        from langchain_langmem_ext import LongTermMemoryMiddleware
    except ImportError as error:
        print(error)
    """
    said = run_python(code)
    assert re.search(r"needs the package langchain>=1\.3,<2 \(found \d+\.\d+", said), said


def test_an_error_of_our_own_is_not_taken_for_a_missing_framework() -> None:
    code = """
    import sys
    sys.modules["langmem_ext.items"] = None
    try:
        from langchain_langmem_ext import LongTermMemoryRetriever
    except ImportError as error:
        print(type(error).__name__)
    """
    assert run_python(code) == "ModuleNotFoundError"


@pytest.mark.parametrize(("package", "extra"), [(name, adapter[0]) for name, adapter in ADAPTERS.items()])
def test_adapters_ask_for_what_pyproject_asks_for(package: str, extra: str) -> None:
    source = (ROOT / "integrations" / package / "__init__.py").read_text(encoding="utf-8")
    for requirement in _project()["optional-dependencies"][extra]:
        assert f'"{requirement}"' in source


def test_the_lowest_versions_are_those_of_pyproject() -> None:
    project = _project()
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *extras["langchain"], *extras["llama-index"], *extras["local"]]
    bounds = dict(re.findall(r"^([a-z0-9-]+)>=([0-9.]+)", "\n".join(wanted), re.MULTILINE))
    text = (ROOT / "constraints" / "lowest.txt").read_text(encoding="utf-8")
    pinned = dict(re.findall(r"^([a-z0-9-]+)==([0-9.]+)", text, re.MULTILINE))
    assert pinned.keys() == bounds.keys()
    assert all(_release(pinned[name]) == _release(bounds[name]) for name in bounds)


def _release(version: str) -> list[int]:
    numbers = [int(part) for part in version.split(".")]
    return [*numbers, 0, 0][:3]


def _project() -> dict[str, Any]:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    project: dict[str, Any] = tomllib.loads(text)["project"]
    return project
