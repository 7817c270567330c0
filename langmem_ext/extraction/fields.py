"""One field of a model's reply at a time: what it may look like, and what becomes of it."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Final

from langmem_ext.items import MemoryType
from langmem_ext.redaction import holds_secret
from langmem_ext.text import normalise, normalise_key

TEXT_KEYS: Final = (
    "text",
    "memory",
    "content",
    "fact",
    "statement",
    "sentence",
    "summary",
    "value",
    "记忆",
    "内容",
)
TYPE_KEYS: Final = ("type", "memory_type", "category", "kind", "类型")
MAX_TEXT: Final = 1000

_TYPES: Mapping[str, MemoryType] = {
    "episodic": "episodic", "episode": "episodic", "event": "episodic", "events": "episodic",
    "experience": "episodic", "plan": "episodic", "ticket": "episodic", "issue": "episodic",
    "事件": "episodic", "计划": "episodic", "情景": "episodic", "情景记忆": "episodic",
    "procedural": "procedural", "procedure": "procedural", "rule": "procedural", "instruction": "procedural",
    "howto": "procedural", "skill": "procedural", "规则": "procedural", "程序": "procedural",
    "程序性": "procedural", "程序记忆": "procedural",
}  # fmt: skip
_NOT_DURABLE = frozenset(
    "question query roleplay hypothetical hypothesis joke smalltalk chitchat greeting oneoff onetime request "
    "command order emotion mood filler code otp suggestion none temporary transient ephemeral "
    "问题 提问 假设 角色扮演 玩笑 闲聊 寒暄 临时 一次性 指令 情绪 请求".split()
)


class FieldError(ValueError):
    """A field that cannot be used; the message names it and holds none of its text."""


class NotDurableError(ValueError):
    """The model itself says that this is nothing to keep."""


# Attributes that have one value at a time. With any other key ("allergy", "pet.name") one true fact would
# take the place of another: models write such keys although they are told not to.
_SINGLE: Final = frozenset(
    "name full_name first_name last_name nickname age birthday birth_date date_of_birth birth_year "
    "birthplace gender pronouns origin hometown nationality residence home address city country state region "
    "timezone email phone employer company job job_title occupation profession title position employment "
    "workplace industry school university major degree grade marital_status relationship_status status diet "
    "blood_type height weight shoe_size clothing_size size native native_language mother_tongue editor "
    "length style tone format language units".split()
)
# Of these a person has one, so that they have attributes themselves; and what has one value whatever follows.
_OWNERS: Final = frozenset(
    "residence home work employment education school birth partner spouse wife husband fiance girlfriend "
    "boyfriend mother father boss manager language personal profile identity".split()
)
_CHOICES: Final = frozenset(
    "favorite favourite preferred main primary current default response answer".split()
)


def read_text(entry: Mapping[str, object]) -> str:
    """The sentence of an entry, under its own name or a near miss, also one object deeper."""
    value = _first(entry, TEXT_KEYS)
    if isinstance(value, Mapping):
        value = _first(value, TEXT_KEYS)
    if value is None:
        raise FieldError("field text is missing")
    if not isinstance(value, str):
        raise FieldError("field text is not a string")
    text = normalise(value)
    if not text:
        raise FieldError("field text is blank")
    if len(text) > MAX_TEXT:
        raise FieldError(f"field text has more than {MAX_TEXT} characters")
    return text


def read_type(entry: Mapping[str, object]) -> MemoryType:
    """The type; a name that nobody knows means a plain fact."""
    value = _first(entry, TYPE_KEYS)
    if value is None:
        return "semantic"
    if not isinstance(value, str):
        raise FieldError("field type is not a string")
    name = re.sub(r"[\s_\-]", "", value).casefold()
    if name in _NOT_DURABLE:
        raise NotDurableError
    return _TYPES.get(name, "semantic")


def read_key(value: object) -> str | None:
    """A dotted name in lower case, or None where it names no attribute that has one value at a time."""
    if not isinstance(value, str):
        return None
    if holds_secret(value) or holds_secret(re.sub(r"[._]", " ", value)):
        return None
    key = normalise_key(value).removeprefix("user.")
    if len(key) > 64 or not re.fullmatch(r"[a-z0-9_]+(?:\.[a-z0-9_]+)*", key):
        return None
    *owners, last = key.split(".")
    chosen = re.split(r"[._]", key)[0] in _CHOICES and key not in _CHOICES
    single = chosen or (last in _SINGLE and _OWNERS.issuperset(owners))
    return key if single and key != "language" else None


def read_number(value: object) -> float | None:
    """A finite number, also as a string ("1"); a bool is none."""
    if isinstance(value, bool):
        return None
    if isinstance(value, list) and len(value) == 1:
        return read_number(value[0])
    if isinstance(value, str) and re.fullmatch(r"\s*[#m]?\d{1,6}(?:\.\d{1,6})?\s*", value):
        value = float(value.strip().lstrip("#m"))
    if not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def read_index(value: object, size: int) -> int | None:
    """A whole number from 1 to size, or None."""
    number = read_number(value)
    if number is None or number != int(number) or not 1 <= number <= size:
        return None
    return int(number)


def read_importance(value: object) -> float | None:
    """0..1; a scale to ten is brought down."""
    number = read_number(value)
    if number is None or not 0 <= number <= 10:
        return None
    return number if number <= 1 else number / 10


def read_flag(value: object) -> bool:
    """True, or the string a sloppy model writes for it."""
    return value is True or (isinstance(value, str) and value.strip().lower() == "true")


def read_date(value: object, observed_at: datetime, *, end_of_day: bool = False) -> datetime | None:
    """A UTC instant from an ISO date or time; without a zone it is meant in the speaker's.

    Anything else is None: a fact is worth keeping without its date. A plain date is its noon, or with
    `end_of_day` the midnight after it.
    """
    if not isinstance(value, str):
        return None
    text = value.strip()
    if partial := re.fullmatch(r"(\d{4})(?:-(\d{2}))?", text):
        if end_of_day:  # the end of a month or a year: a guess that would hide a memory too early
            return None
        text = f"{partial[1]}-{partial[2] or '01'}-01"
    plain = bool(re.fullmatch(r"\d{4}-\d{2}-\d{2}", text))
    try:
        moment = datetime.fromisoformat(text)
        if plain:  # noon has the same date in nearly every zone in which it may be shown
            moment += timedelta(days=1) if end_of_day else timedelta(hours=12)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=observed_at.tzinfo)
        moment = moment.astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return moment if 1900 <= moment.year <= 2200 else None


def _first(entry: Mapping[str, object], names: tuple[str, ...]) -> object:
    """The first of the names that has a value."""
    folded = {str(name).strip().casefold(): value for name, value in entry.items()}
    return next((folded[name] for name in names if folded.get(name) is not None), None)
