"""How values look in a notebook: `@shown("…")` gives a class `_repr_html_` and `_repr_markdown_`.

Three small rooms behind it, loaded when something is looked at: `views` says what there is to see of
each value, `parts` draws it, `escaping` keeps what people said from becoming markup.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from langmem_ext.display.parts import View

T = TypeVar("T")


def shown(view: str | Callable[[Any], View]) -> Callable[[type[T]], type[T]]:
    """Give a class what Jupyter and IPython ask a value for; `repr()` still shows every field.

    Args:
        view: Makes the view of a value: a function, or the name of one in `langmem_ext.display.views`.
    """

    def view_of(value: object) -> View:
        make = view if callable(view) else getattr(import_module(f"{__name__}.views"), view)
        drawn: View = make(value)
        return drawn

    def _repr_html_(self: object) -> str:
        return view_of(self).html()

    def _repr_markdown_(self: object) -> str:
        return view_of(self).markdown()

    def _repr_pretty_(self: object, printer: Any, cycle: bool) -> None:
        printer.text(view_of(self).text())

    def give(kind: type[T]) -> type[T]:
        for method in (_repr_html_, _repr_markdown_, _repr_pretty_):
            setattr(kind, method.__name__, method)
        return kind

    return give
