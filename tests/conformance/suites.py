"""Test suites that other projects ship with their sources: fetched when the tests run, never kept here."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.support.memories import PROJECT

_CACHE = PROJECT / ".pytest_cache" / "suites"


@dataclass(frozen=True)
class Report:
    """What became of the tests of a suite, by name."""

    passed: frozenset[str]
    failed: frozenset[str]
    skipped: frozenset[str]


def source_of(distribution: str) -> Path:
    """The unpacked sources of the installed version of a distribution; skips where there is no index."""
    wanted = f"{distribution}=={version(distribution)}"
    folder = _CACHE / wanted.replace("==", "-")
    if not folder.exists():
        _download(wanted, folder)
    (source,) = (path for path in folder.iterdir() if path.is_dir())
    return source


def _download(wanted: str, folder: Path) -> None:
    parts = folder.with_name(f"{folder.name}.{os.getpid()}")
    parts.mkdir(parents=True)
    command = [sys.executable, "-m", "pip", "download", "--disable-pip-version-check", "--quiet",
               "--no-deps", "--no-binary", ":all:", "--dest", str(parts), wanted]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        complaint = (done.stderr.strip().splitlines() or ["no message"])[-1]
        pytest.skip(f"the sources of {wanted} cannot be had from a package index: {complaint}")
    (archive,) = parts.glob("*.tar.gz")
    with tarfile.open(archive) as sources:
        sources.extractall(parts, filter="data")
    archive.unlink()
    if not folder.exists():
        parts.rename(folder)


def run_suite(folder: Path, *, env: dict[str, str] | None = None) -> Report:
    """Run the tests in a folder in a pytest of their own, without our settings."""
    report = folder / "report.xml"
    paths = os.pathsep.join([str(PROJECT), str(PROJECT / "integrations")])
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "asyncio_mode=auto",
         "-o", "asyncio_default_fixture_loop_scope=function", f"--rootdir={folder}", f"--junitxml={report}",
         str(folder)],
        capture_output=True, text=True, timeout=600, cwd=folder,
        env={**os.environ, "PYTHONPATH": paths, **(env or {})},
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stdout[-3000:] + done.stderr[-3000:]
    by_result: dict[str, set[str]] = {"passed": set(), "failed": set(), "skipped": set()}
    for case in ElementTree.parse(report).iter("testcase"):
        results = {child.tag for child in case}
        failed = results & {"failure", "error"}
        by_result["failed" if failed else "skipped" if "skipped" in results else "passed"].add(
            str(case.get("name"))
        )
    return Report(*(frozenset(by_result[result]) for result in ("passed", "failed", "skipped")))
