"""What people said, as text inside HTML and Markdown: it can neither close a cell nor open a tag."""

from __future__ import annotations

import html
import re
import unicodedata
from typing import Final

from langmem_ext.text import well_formed

# They reorder or hide what stands around them, so that a table shows something else than it holds.
_REORDERING: Final = frozenset(
    "\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"
)
_SPACES: Final = re.compile(r"\s+")
# References do not count as structure in CommonMark; backslashes would, before ( and [, start a formula.
_MARKUP: Final = str.maketrans({sign: f"&#{ord(sign)};" for sign in "&<>|`*_[]\\$~#!@"})
# What a viewer would make a link of by itself.
_LINK: Final = re.compile(r"(?<=[A-Za-z])://|(?<=\bwww)\.", re.IGNORECASE)


def visible(text: str) -> str:
    """On one line, well-formed, with every control character and every reordering one written out."""
    return "".join(
        f"\\u{ord(sign):04x}" if sign in _REORDERING or unicodedata.category(sign) == "Cc" else sign
        for sign in _SPACES.sub(" ", well_formed(text)).strip()
    )


def for_html(text: str) -> str:
    """For element content and for attributes in double quotes."""
    return html.escape(visible(text))


def for_html_lines(text: str) -> str:
    """As `for_html`, with the line breaks kept; for elements that preserve them."""
    return "\n".join(for_html(line) if line.strip() else "" for line in well_formed(text).splitlines())


def for_markdown(text: str) -> str:
    """For a cell of a table, or within a line."""
    plain = visible(text).translate(_MARKUP)
    return _LINK.sub(lambda found: "".join(f"&#{ord(sign)};" for sign in found[0]), plain)


def shortened(text: str, longest: int) -> str:
    """At most so many characters, the last one a … where something is missing."""
    plain = visible(text)
    return plain if len(plain) <= longest else plain[: longest - 1].rstrip() + "…"
