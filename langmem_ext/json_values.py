"""Metadata in JSON and back, dates included."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any


def to_json(value: Any) -> Any:
    """Metadata as JSON; dates become `{"$date": …}`, a key that metadata itself cannot have."""
    if isinstance(value, date):
        return {"$date": value.isoformat()}
    if isinstance(value, Mapping):
        return {key: to_json(part) for key, part in value.items()}
    return [to_json(part) for part in value] if isinstance(value, list) else value


def from_json(value: Any) -> Any:
    """The reverse of `to_json`."""
    if isinstance(value, dict):
        if set(value) == {"$date"}:
            text = value["$date"]
            return datetime.fromisoformat(text) if "T" in text else date.fromisoformat(text)
        return {key: from_json(part) for key, part in value.items()}
    return [from_json(part) for part in value] if isinstance(value, list) else value
