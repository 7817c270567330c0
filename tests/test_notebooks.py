"""The notebooks run from top to bottom, their cells run again in any order, and print what is committed.

To commit new outputs, run this file with UPDATE_NOTEBOOKS=1 in the environment.
"""

from __future__ import annotations

import copy
import os
import re
from pathlib import Path
from typing import Any

import pytest

nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")

from ipykernel.kernelspec import write_kernel_spec  # noqa: E402
from jupyter_client.kernelspec import KernelSpecManager  # noqa: E402
from jupyter_client.manager import AsyncKernelManager  # noqa: E402
from nbclient import NotebookClient  # noqa: E402

ROOT = Path(__file__).parent.parent
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
# What differs from run to run: ids and ages; days after 2025, which are those of the run, as the notebooks'
# own dates are earlier; and numbers of the embedder, which is another one where the full model is installed,
# with the columns that they are in.
OF_THE_RUN = re.compile(
    r"\b[0-9a-f]{8}(?:-[0-9a-f-]{27}|[0-9a-f]{24})?\b|\bmsg-[0-9a-f]+"
    r"|just now|\b\d+ (?:min|h|days|months|years) ago|刚刚|\d+ (?:分钟|小时|天|个月|年)前"
    r"|\b20(?:2[6-9]|[3-9]\d)-\d\d-\d\d(?: \d\d:\d\d UTC)?"
    r"|[+-]?\d+\.\d+\*?|width:\d+%|[█░]{5}| {2,}|-{2,}"
)
OF_A_MACHINE = re.compile(r"/tmp/|/home/|/root/|/Users/|/work/|site-packages|[A-Z]:\\\\")
KEYS_AND_TRACING = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2")


@pytest.mark.slow
@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_notebook_prints_what_is_committed(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    committed = nbformat.read(file, as_version=4)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), str(ROOT / "integrations")]))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))  # no start-up files of the user's
    # The kernel has no browser in front of it, which tqdm, deep below the embedder, complains about.
    monkeypatch.setenv("PYTHONWARNINGS", "ignore:IProgress not found")
    for name in KEYS_AND_TRACING:
        monkeypatch.delenv(name, raising=False)

    executed = run(committed, tmp_path)

    if os.environ.get("UPDATE_NOTEBOOKS"):
        if outputs(executed) != outputs(committed):
            nbformat.write(executed, file)
        return
    assert outputs(executed) == outputs(committed)


def test_there_are_notebooks() -> None:
    assert NOTEBOOKS


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_notebook_holds_nothing_of_the_run(file: Path) -> None:
    """Execution times and kernel details would change with every run."""
    notebook = nbformat.read(file, as_version=4)
    nbformat.validate(notebook)
    assert notebook == tidied(notebook)


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_notebook_is_small_and_shows_no_path_of_a_machine(file: Path) -> None:
    assert file.stat().st_size < 250_000
    for cell in nbformat.read(file, as_version=4).cells:
        for output in cell.get("outputs", []):
            assert OF_A_MACHINE.search(text(output)) is None


def run(notebook: Any, folder: Path) -> Any:
    """A copy of the notebook, executed in a new kernel of this interpreter.

    Afterwards all cells but the first and the last run again from bottom to top, each after all others.
    """
    spec = folder / "kernels" / "python3"
    write_kernel_spec(str(spec))
    manager = AsyncKernelManager(
        kernel_name="python3", kernel_spec_manager=KernelSpecManager(kernel_dirs=[str(spec.parent)])
    )
    executed = nbformat.from_dict(notebook)
    client = NotebookClient(
        executed,
        km=manager,
        timeout=300,
        record_timing=False,
        coalesce_streams=True,  # how prints are cut into messages differs from run to run
        resources={"metadata": {"path": str(folder)}},
    )
    client.reset_execution_trackers()
    *inner, last = (place for place, cell in enumerate(executed.cells) if cell.cell_type == "code")
    with client.setup_kernel(cleanup_kc=True):  # the manager is ours, so that is not the default
        for place in inner:
            client.execute_cell(executed.cells[place], place)
        result = copy.deepcopy(executed)
        for place in [*reversed(inner[1:]), last]:
            client.execute_cell(executed.cells[place], place)
    result.cells[last] = executed.cells[last]
    result.cells[last].execution_count = len(inner) + 1
    return tidied(result)


def tidied(notebook: Any) -> Any:
    """The notebook with its cells numbered in order, and without what a run leaves in its metadata."""
    tidy = nbformat.from_dict(notebook)
    tidy.metadata = nbformat.from_dict(
        {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        }
    )
    for cell in tidy.cells:
        cell.metadata = nbformat.from_dict({})
        for output in cell.get("outputs", []):
            if "text/html" in output.get("data", {}):  # the same once more
                output.data.pop("text/markdown", None)
    return tidy


def outputs(notebook: Any) -> list[list[str]]:
    """The text of every output, cell by cell, without what differs from run to run."""
    return [
        [OF_THE_RUN.sub("…", text(output)) for output in cell.outputs]
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


def text(output: Any) -> str:
    if output.output_type == "stream":
        return f"{output.name}: {output.text}"
    return "\n".join(
        f"{kind}: {value}" for kind, value in sorted(output.data.items()) if kind.startswith("text/")
    )
