from __future__ import annotations

import subprocess
import sys
import zipfile
from email.parser import HeaderParser
from pathlib import Path

import pytest

import langmem_ext
from tests.packaging.process import ROOT

PACKAGES = {
    "langmem_ext": ROOT / "langmem_ext",
    "langchain_langmem_ext": ROOT / "integrations" / "langchain_langmem_ext",
    "llama_index_langmem_ext": ROOT / "integrations" / "llama_index_langmem_ext",
}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    out = tmp_path_factory.mktemp("wheel")
    build = "import sys; from hatchling.build import build_wheel; build_wheel(sys.argv[1])"
    done = subprocess.run(
        [sys.executable, "-c", build, str(out)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    (built,) = out.glob("*.whl")
    return zipfile.ZipFile(built)


def test_the_wheel_holds_the_three_packages_and_nothing_else(wheel: zipfile.ZipFile) -> None:
    tops = {name.partition("/")[0] for name in wheel.namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == set(PACKAGES)


@pytest.mark.parametrize("package", PACKAGES)
def test_every_source_and_data_file_is_in_the_wheel(wheel: zipfile.ZipFile, package: str) -> None:
    folder = PACKAGES[package]
    wanted = {
        f"{package}/{path.relative_to(folder).as_posix()}"
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert f"{package}/py.typed" in wanted
    assert wanted == {name for name in wheel.namelist() if name.startswith(f"{package}/")}


def test_the_demo_brings_its_data(wheel: zipfile.ZipFile) -> None:
    assert [
        name for name in wheel.namelist() if name.startswith("langmem_ext/demo/") and name.endswith(".json")
    ]


def test_the_metadata_says_what_pip_needs(wheel: zipfile.ZipFile) -> None:
    (name,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    metadata = HeaderParser().parsestr(wheel.read(name).decode())
    assert metadata["Name"] == "langmem-ext"
    assert metadata["Version"] == langmem_ext.__version__
    assert metadata["Requires-Python"] == ">=3.11"
    assert set(metadata.get_all("Provides-Extra", [])) == {
        "all",
        "demo",
        "dev",
        "langchain",
        "llama-index",
        "local",
        "notebook",
    }
    assert Path(ROOT / "LICENSE").exists()
