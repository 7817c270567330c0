"""Whether a text names one of the people who speak."""

from __future__ import annotations

import re

from langmem_ext.items import Source
from langmem_ext.text import comparison_key


def place_of_name(name: str, text: str) -> int | None:
    """Where a name stands as a whole word; a name of one Chinese character only at the beginning."""
    folded, wanted = comparison_key(text), comparison_key(name)
    if len(wanted) == 1 and not wanted.isascii():
        return 0 if folded.startswith(wanted) else None
    edge = "[a-z0-9à-ÿ_]" if wanted.isascii() else "$^"
    found = re.search(
        rf"(?<!{edge}){re.escape(wanted)}(?!{edge})" if wanted.isascii() else re.escape(wanted), folded
    )
    return found.start() if found else None


def tells_of(name: str, text: str) -> bool:
    """Whether a text says something of this person, rather than to them."""
    folded, wanted = comparison_key(text), re.escape(comparison_key(name))
    addressed = (
        rf"^(?:hey |hi |hello |ok |嗨|嘿)?@?{wanted}\s*(?:[,，!！:：]|i\b|i'|我)|[,，@]\s*{wanted}\W*$"
    )
    return place_of_name(name, text) is not None and not re.search(addressed, folded)


def names_speaker(text: str, source: Source) -> bool:
    """Whether a text names the person who said this."""
    return place_of_name(source.speaker, text) is not None
