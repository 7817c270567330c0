"""For Jupyter and IPython: magics, tables and plots.

    %load_ext langmem_ext
    %memory open ./memory_db --user u-1001
    %remember The user lives in Lyon.
    %recall Where does the user live?

The plots are functions: `plot_timeline`, `plot_map` and `plot_scores`. They need matplotlib:

    pip install "langmem-ext[notebook]"
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from langmem_ext.notebook.map import plot_map as plot_map
    from langmem_ext.notebook.scores import plot_scores as plot_scores
    from langmem_ext.notebook.timeline import plot_timeline as plot_timeline

__all__ = ["plot_map", "plot_scores", "plot_timeline"]
_HOMES = {"plot_map": "map", "plot_scores": "scores", "plot_timeline": "timeline"}

if not TYPE_CHECKING:  # a type checker would take it for "every name exists"

    def __getattr__(name: str) -> object:
        """Load a plot from its module."""
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
