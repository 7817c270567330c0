"""What an application wants kept beside the general rules: its own words, and its own fields on a memory."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Protocol

from langmem_ext.errors import InvalidInputError
from langmem_ext.extraction.fields import FieldError
from langmem_ext.items import FrozenDict, Metadata
from langmem_ext.metadata import check_metadata
from langmem_ext.redaction import holds_secret, redact


class FieldsModel(Protocol):
    """A pydantic model class, as `schema=` takes it."""

    def model_json_schema(self) -> dict[str, Any]:
        """Its JSON schema."""

    def model_validate(self, data: Any) -> Any:
        """An instance, or a ValueError."""


@dataclass(frozen=True, slots=True)
class Customisation:
    """Of one application; trusted, unlike everything that users say.

    Attributes:
        instructions: What is worth keeping here, in words; they go into the system prompt as they are.
        schema: A pydantic model of the fields that a memory may have; they become its metadata.
    """

    instructions: str | None = None
    schema: FieldsModel | None = None

    def __post_init__(self) -> None:
        if self.instructions is not None and (
            not isinstance(self.instructions, str) or not self.instructions.strip()
        ):
            raise InvalidInputError(f"instructions must be a non-blank string, got {self.instructions!r:.60}")
        wanted = ("model_json_schema", "model_validate")
        if self.schema is not None and not all(callable(getattr(self.schema, name, None)) for name in wanted):
            raise InvalidInputError("schema must be a pydantic model class with the fields of a memory")

    def prompt(self) -> str:
        """What the system prompt says of them; "" without any."""
        parts = []
        if self.instructions is not None:
            parts.append(f"\n# What this application wants kept\n{self.instructions.strip()}\n")
        if self.schema is not None:
            fields = json.dumps(self.schema.model_json_schema(), ensure_ascii=False)
            parts.append(
                '\n# One more field of a memory\n- "fields": an object of this JSON schema, with what the '
                f"same message says; null where it says nothing of it\n{fields}\n"
            )
        return "".join(parts)

    def reply_schema(self, json_schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """The schema of a reply with the field "fields" in it."""
        if self.schema is None:
            return json_schema
        extended: dict[str, Any] = json.loads(json.dumps(json_schema))
        fields = self.schema.model_json_schema()
        if definitions := fields.pop("$defs", None):
            extended["$defs"] = definitions  # its references start at the root
        memory = extended["properties"]["memories"]["items"]
        memory["properties"]["fields"] = {"anyOf": [fields, {"type": "null"}]}
        memory["required"].append("fields")
        return extended

    def metadata(self, fields: object) -> Metadata:
        """A reply's "fields" as metadata; what metadata does not know becomes what JSON has for it.

        Raises:
            FieldError: they are not what the schema says, or cannot be kept.
        """
        if self.schema is None or fields is None:
            return FrozenDict()
        try:
            checked = self.schema.model_validate(fields)
            fields = checked.model_dump(exclude_none=True)
            kept = _kept(fields, checked.model_dump(mode="json", exclude_none=True))
            return check_metadata(_without_secrets(kept))
        except ValueError as error:  # pydantic's ValidationError and InvalidInputError are ones
            raise FieldError(f"field fields does not fit the schema ({type(error).__name__})") from error


def _without_secrets(value: Any, name: str = "") -> Any:
    """What a model wrote, without secrets at any depth; numbers that are one cannot be kept.

    Raises:
        FieldError: a number, or the name of a field, is a secret.
    """
    if isinstance(value, Mapping):
        if any(holds_secret(str(key)) for key in value):
            raise FieldError("a name in field fields holds a secret")
        return {key: _without_secrets(part, str(key)) for key, part in value.items()}
    if isinstance(value, list):
        return [_without_secrets(part, name) for part in value]
    front = f"{name}: "
    if isinstance(value, str):
        told = redact(value).text
        named = redact(front + told).text if told == value else told
        return named.removeprefix(front) if named.startswith(front) else told
    if type(value) in (int, float) and holds_secret(str(int(value)) if value == value // 1 else str(value)):
        raise FieldError("a number in field fields is a secret")
    return value


def _kept(value: Any, written: Any) -> Any:
    """What metadata can hold; in place of other values what JSON has, such as an enum's value."""
    if isinstance(value, Mapping) and isinstance(written, Mapping):
        pairs = zip(value.values(), written.items(), strict=True)
        return {name: _kept(part, plain) for part, (name, plain) in pairs}
    if isinstance(value, list | tuple | set | frozenset) and isinstance(written, list):
        return [_kept(part, plain) for part, plain in zip(value, written, strict=True)]
    aware = isinstance(value, datetime) and value.tzinfo is not None
    return value if aware or value is None or type(value) in (str, bool, int, float, date) else written
