"""What a view is made of. Each part draws itself as HTML, as Markdown and as text.

The HTML has its styles inline, because a `<style>` is stripped where a notebook is not trusted, and names no
colour for text or page: it takes both from around it, so that it is at home on dark and on light.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from langmem_ext.display.escaping import for_html, for_html_lines, for_markdown, shortened, visible

_LINE: Final = "1px solid rgba(128,128,128,.3)"
_MUTED: Final = "opacity:.7;font-size:.9em"
_PILL: Final = "border-radius:.7em;padding:.05em .6em;white-space:nowrap"
_CELL: Final = f"text-align:left;vertical-align:top;padding:.35em .7em;border:0;border-bottom:{_LINE}"
_LONGEST: Final = 1000  # of one text in a table
_LONGEST_BLOCK: Final = 20_000  # of a text that stands by itself


class Part(Protocol):
    """Something to look at."""

    def html(self) -> str:
        """As an HTML fragment."""

    def markdown(self) -> str:
        """On one line of Markdown."""

    def text(self) -> str:
        """On one line, without markup."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text, muted where it stands beside something more important.

    `title` appears on hovering; `whole` keeps it on one line.
    """

    words: str
    muted: bool = False
    title: str = ""
    whole: bool = False

    def html(self) -> str:
        """A span that keeps the direction of its writing to itself."""
        styles = [*([_MUTED] if self.muted else []), *(["white-space:nowrap"] if self.whole else [])]
        style = f' style="{";".join(styles)}"' if styles else ""
        title = f' title="{for_html(self.title)}"' if self.title else ""
        return f'<span dir="auto"{style}{title}>{for_html(shortened(self.words, _LONGEST))}</span>'

    def markdown(self) -> str:
        """The words."""
        return for_markdown(shortened(self.words, _LONGEST))

    def text(self) -> str:
        """The words."""
        return shortened(self.words, _LONGEST)


@dataclass(frozen=True, slots=True)
class Code:
    """An id or something to type."""

    words: str

    def html(self) -> str:
        """In the font of code, and without the page's background for it."""
        return f'<code style="background:none;color:inherit;padding:0">{for_html(self.words)}</code>'

    def markdown(self) -> str:
        """The words; between backticks nothing could be escaped."""
        return for_markdown(self.words)

    def text(self) -> str:
        """The words."""
        return visible(self.words)


@dataclass(frozen=True, slots=True)
class Badge:
    """One of a few words, with a colour of its own: red, green and blue of 0..255."""

    word: str
    colour: tuple[int, int, int]

    def html(self) -> str:
        """A pill."""
        red, green, blue = self.colour
        style = f"background:rgba({red},{green},{blue},.22);{_PILL}"
        return f'<span style="{style}">{for_html(self.word)}</span>'

    def markdown(self) -> str:
        """The word."""
        return for_markdown(self.word)

    def text(self) -> str:
        """The word."""
        return visible(self.word)


@dataclass(frozen=True, slots=True)
class Bar:
    """A value of 0..1 to compare with its neighbours, and what else there is to say about it."""

    value: float
    note: str = ""

    def html(self) -> str:
        """A bar with its number."""
        width = round(100 * min(1.0, max(0.0, self.value)))
        note = f' title="{for_html(self.note)}"' if self.note else ""
        return (
            f'<div{note} style="white-space:nowrap"><div style="display:inline-block;width:5em;height:.6em;'
            f'margin-right:.5em;border-radius:.3em;background:rgba(128,128,128,.25)">'
            f'<div style="width:{width}%;height:100%;border-radius:.3em;background:#4b8bf4"></div></div>'
            f"{self.value:.2f}</div>"
        )

    def markdown(self) -> str:
        """Five blocks and the number."""
        return self.text()

    def text(self) -> str:
        """Five blocks and the number."""
        full = round(5 * min(1.0, max(0.0, self.value)))
        return f"{'█' * full}{'░' * (5 - full)} {self.value:.2f}"


@dataclass(frozen=True, slots=True)
class Stack:
    """Parts below each other."""

    parts: Sequence[Part]

    def html(self) -> str:
        """Blocks."""
        return "".join(f"<div>{part.html()}</div>" for part in self.parts)

    def markdown(self) -> str:
        """Joined by line breaks."""
        return "<br>".join(part.markdown() for part in self.parts)

    def text(self) -> str:
        """Joined by dots."""
        return " · ".join(part.text() for part in self.parts)


@dataclass(frozen=True, slots=True)
class Row:
    """Parts beside each other."""

    parts: Sequence[Part]

    def html(self) -> str:
        """With dots between them."""
        return " · ".join(part.html() for part in self.parts)

    def markdown(self) -> str:
        """With dots between them."""
        return " · ".join(part.markdown() for part in self.parts)

    def text(self) -> str:
        """With dots between them."""
        return " · ".join(part.text() for part in self.parts)


@dataclass(frozen=True, slots=True)
class Folded:
    """A line to click on, and what opens. Only HTML has something to click; elsewhere the line is all."""

    line: Part
    inside: Part

    def html(self) -> str:
        """A `<details>`."""
        return (
            f'<details><summary style="cursor:pointer">{self.line.html()}</summary>'
            f'<div style="margin:.4em 0 .2em 1em">{self.inside.html()}</div></details>'
        )

    def markdown(self) -> str:
        """The line."""
        return self.line.markdown()

    def text(self) -> str:
        """The line."""
        return self.line.text()


@dataclass(frozen=True, slots=True)
class Block:
    """A text of several lines, as it is."""

    words: str

    def html(self) -> str:
        """With its line breaks, and broken where it is too wide."""
        style = f"white-space:pre-wrap;margin:.4em 0;padding-left:.8em;border-left:3px {_LINE[4:]}"
        return f'<div dir="auto" style="{style}">{for_html_lines(self.words[:_LONGEST_BLOCK])}</div>'

    def markdown(self) -> str:
        """Its lines, quoted."""
        lines = self.words[:_LONGEST_BLOCK].splitlines()
        return "\n".join(f"> {for_markdown(line)}  " for line in lines)

    def text(self) -> str:
        """Its lines."""
        return "\n".join(visible(line) for line in self.words[:_LONGEST_BLOCK].splitlines())


NOTHING: Final = Text("")


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of parts under headings; without headings the first part of a row names the second."""

    headings: Sequence[str]
    rows: Sequence[Sequence[Part]]

    def html(self) -> str:
        """Columns with nothing in them are left out."""
        used = self._used()
        head = "".join(f'<th style="{_CELL};font-weight:600">{for_html(self.headings[n])}</th>' for n in used)
        body = "".join(
            "<tr>" + "".join(f'<td style="{_CELL}">{row[n].html()}</td>' for n in used) + "</tr>"
            for row in self.rows
        )
        titles = f"<thead><tr>{head}</tr></thead>" if any(self.headings) else ""
        style = "border-collapse:collapse;border:0;margin:.3em 0"
        table = f'<table style="{style}">{titles}<tbody>{body}</tbody></table>'
        return f'<div style="overflow-x:auto">{table}</div>'

    def markdown(self) -> str:
        """A table as GitHub writes it."""
        used = self._used()
        lines = [[for_markdown(self.headings[n]) for n in used], ["---"] * len(used)]
        lines += [[row[n].markdown() for n in used] for row in self.rows]
        return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)

    def text(self) -> str:
        """A line for each row."""
        used = self._used()
        lines = [[part for n in used if (part := row[n].text())] for row in self.rows]
        return "\n".join("  ".join(cells) for cells in lines)

    def _used(self) -> list[int]:
        return [n for n in range(len(self.headings)) if any(row[n] != NOTHING for row in self.rows)]


@dataclass(frozen=True, slots=True)
class View:
    """All there is to see of a value, from top to bottom."""

    parts: Sequence[Part]

    def html(self) -> str:
        """One block. Its classes keep MathJax away: a $ in a memory is money."""
        inside = "".join(f"<div>{part.html()}</div>" for part in self.parts)
        return (
            f'<div class="langmem-ext tex2jax_ignore mathjax_ignore" style="line-height:1.45">{inside}</div>'
        )

    def markdown(self) -> str:
        """Paragraphs."""
        return "\n\n".join(part.markdown() for part in self.parts) + "\n"

    def text(self) -> str:
        """Lines."""
        return "\n".join(part.text() for part in self.parts)
