"""Short ways to write what the tests of records write again and again."""

from __future__ import annotations

from typing import Any

from langmem_ext import UserMemory
from langmem_ext.record_rows import NewRecord, RecordName

NOTES = ("notes",)


def name(key: str, *namespace: str) -> RecordName:
    return RecordName(namespace or NOTES, key)


def put(
    user: UserMemory, key: str, value: Any, *texts: str, under: tuple[str, ...] = NOTES, **rest: Any
) -> None:
    user.write_records([NewRecord(RecordName(under, key), value, texts, **rest)])


def value_of(user: UserMemory, key: str, *namespace: str) -> Any:
    (record,) = user.read_records([name(key, *namespace)])
    return None if record is None else record.value


def found(user: UserMemory, *prefix: str, **options: Any) -> list[str]:
    return [hit.record.name.key for hit in user.search_records(prefix, **options)]
