"""The notebooks run from top to bottom, and print what is committed.

To commit new outputs, run this file with UPDATE_NOTEBOOKS=1 in the environment.
"""

from __future__ import annotations

import os
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


def run(notebook: Any, folder: Path) -> Any:
    """A copy of the notebook, executed in a new kernel of this interpreter."""
    spec = folder / "kernels" / "python3"
    write_kernel_spec(str(spec))
    manager = AsyncKernelManager(
        kernel_name="python3", kernel_spec_manager=KernelSpecManager(kernel_dirs=[str(spec.parent)])
    )
    client = NotebookClient(
        nbformat.from_dict(notebook),
        km=manager,
        timeout=300,
        record_timing=False,
        coalesce_streams=True,  # how prints are cut into messages differs from run to run
        resources={"metadata": {"path": str(folder)}},
    )
    return tidied(client.execute(cleanup_kc=True))  # the manager is ours, so that is not the default


def tidied(notebook: Any) -> Any:
    """The notebook with its cells numbered in order, and without what a run leaves in its metadata."""
    copy = nbformat.from_dict(notebook)
    copy.metadata = nbformat.from_dict(
        {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        }
    )
    for cell in copy.cells:
        cell.metadata = nbformat.from_dict({})
    return copy


def outputs(notebook: Any) -> list[list[str]]:
    """The text of every output, cell by cell."""
    return [[text(output) for output in cell.outputs] for cell in notebook.cells if cell.cell_type == "code"]


def text(output: Any) -> str:
    if output.output_type == "stream":
        return f"{output.name}: {output.text}"
    return "\n".join(f"{kind}: {value}" for kind, value in output.data.items() if kind.startswith("text/"))
