"""What two pieces of text have in common: one form for storing, one for comparing, and their language."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from typing import Final

# Han characters (with 々 and 〇), to stand in the brackets of a pattern: rf"[{HAN}]+". Escapes, because
# U+F900 written out turns into another character when a file is normalised, and the range would then take
# in Hangul.
HAN: Final = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"

_SPACES = re.compile(r"\s+")
_HAN = re.compile(f"[{HAN}]")
_ENDINGS = " \t.!。！．…"


def well_formed(text: str) -> str:
    """Join surrogate pairs and replace lone halves, so that the text can be written as UTF-8."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def is_well_formed(text: str) -> bool:
    """Whether the text can be written as UTF-8 as it is."""
    return well_formed(text) == text


def normalise(text: str) -> str:
    """The form in which text is stored: NFC, well-formed, one space between words, none around."""
    return _SPACES.sub(" ", unicodedata.normalize("NFC", well_formed(text))).strip()


def comparison_key(text: str) -> str:
    """Equal for texts that differ only in Unicode form, width, case, spaces and the final full stop.

    Only full-width and half-width forms are folded, not all of NFKC: `10²` and `102` stay apart.
    """
    folded = "".join(
        unicodedata.normalize("NFKC", char) if unicodedata.east_asian_width(char) in "FH" else char
        for char in normalise(text)
    )
    return normalise(folded.casefold()).rstrip(_ENDINGS)


def normalise_key(key: str) -> str:
    """One spelling of an attribute's name: `Home-City` and `home city` are `home_city`."""
    return re.sub(r"[\s\-]+", "_", normalise(key).casefold()).replace("/", ".").strip("._")


def content_key(content: str) -> str:
    """Equal for two sentences with one `comparison_key`; a digest, so it is no second copy of the text."""
    return hashlib.blake2b(comparison_key(content).encode(), digest_size=16).hexdigest()


def is_chinese(text: str) -> bool:
    """Whether a reader would call this text Chinese: at least one Han character to five Latin letters."""
    han = len(_HAN.findall(text))
    latin = sum(char.isascii() and char.isalpha() for char in text)
    return han > 0 and han * 5 >= latin
