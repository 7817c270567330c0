"""Which of a chain's inputs and outputs is the conversation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langmem_ext.errors import InvalidInputError


def sole_key(values: Mapping[str, Any], option: str) -> str:
    """The only key there is.

    Raises:
        InvalidInputError: there are several, or none; names them and the option that chooses.
    """
    keys = sorted(map(str, values))
    if len(keys) != 1:
        raise InvalidInputError(f"which is the user's? Set {option} to one of {keys}")
    return keys[0]
