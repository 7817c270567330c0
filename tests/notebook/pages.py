"""Reading what a notebook would show."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

_VOID = {"br", "img", "hr"}


class Page(HTMLParser):
    """An HTML fragment as a browser reads it. Raises where its tags do not fit together."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.words: list[str] = []
        self.cells: list[list[str]] = []
        self.feed(html)
        self.close()
        assert self.open == [], f"not closed: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in _VOID:
            self.open.append(tag)
        if tag == "tr":
            self.cells.append([])
        if tag in ("td", "th"):
            self.cells[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-1:]}"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.words.append(data)
        if "td" in self.open or "th" in self.open:
            self.cells[-1][-1] += data

    @property
    def text(self) -> str:
        return " ".join(self.words)


def page(value: Any) -> Page:
    """What a notebook shows of a value."""
    return Page(value._repr_html_())


def markdown(value: Any) -> str:
    """The same without HTML."""
    text: str = value._repr_markdown_()
    return text


def plain(value: Any) -> str:
    """What IPython prints in a terminal."""
    from IPython.lib.pretty import pretty

    printed: str = pretty(value)  # type: ignore[no-untyped-call]
    return printed
