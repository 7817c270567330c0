"""Configuration: a mapping, a TOML file and the environment become the arguments of `LongTermMemory`.

    path = "memory_db"                  # in a file: seen from the folder of the file
    timezone = "Europe/Paris"

    [llm]
    model = "gpt-4o-mini"
    api_key_env = "MY_KEY"              # the name of an environment variable; OPENAI_API_KEY by default

    [embedder]
    kind = "sentence-transformers"
    model = "BAAI/bge-m3"

Every field but a table is an environment variable too: `LANGMEM_EXT_PATH`, `LANGMEM_EXT_LLM_MODEL`, …;
`LANGMEM_EXT_CONFIG` names a file. Keyword arguments win over a mapping, a mapping over the environment,
the environment over a file. Messages name fields and never repeat values, which may be secrets.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final, TypeAlias

from langmem_ext.config_fields import EMBEDDERS, TABLES, TOP, Kind, problem
from langmem_ext.errors import InvalidInputError

Settings: TypeAlias = dict[str, Any]
Source: TypeAlias = Mapping[str, Any] | str | os.PathLike[str] | None
PREFIX: Final = "LANGMEM_EXT_"
DEFAULT_LLM: Final = "gpt-4o-mini"
# What takes a Python object, and is therefore an argument of from_config() and no field.
OBJECTS: Final = ("store", "schema", "count_tokens", "clock", "new_id")
_PLACE: Final = ("path", "url", "headers", "headers_env", "state_path", "store")
_CHOICES: Final = frozenset({"path", "url", "store"})  # one of them is where memories are
_OF_THE_COMMAND_LINE: Final = frozenset({"CONFIG", "USER"})


def memory_arguments(
    source: Source, overrides: Mapping[str, Any], environ: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """The arguments for `LongTermMemory`, with its LLM and embedder made.

    Raises:
        InvalidInputError: a field that does not exist, or a value that it cannot have.
    """
    environ = os.environ if environ is None else environ
    settings = read_settings(source, environ)
    names = (*TOP, *TABLES, *OBJECTS)
    for name in overrides:
        if name not in names:
            raise _unknown(name, [known for known in names if known != "headers_env"], "from_config()")
    if _CHOICES & overrides.keys():
        settings = _without(settings, _PLACE)
    return {**build(_without(settings, overrides), environ), **overrides}


def read_settings(source: Source, environ: Mapping[str, str]) -> Settings:
    """What source and environment say together, checked; the source stays as it is.

    Args:
        source: A mapping, or the path of a TOML file. None: the file that LANGMEM_EXT_CONFIG names, if any.
        environ: The environment variables.
    """
    if isinstance(source, Mapping):
        return _of_its_kind(merged(_from_environment(environ), _checked(source, "configuration")))
    source = environ.get(f"{PREFIX}CONFIG") or None if source is None else source
    if source is None:
        return _of_its_kind(_from_environment(environ))
    if not isinstance(source, str | os.PathLike):
        raise InvalidInputError(
            f"a configuration is a mapping or the path of a TOML file, not {type(source).__name__}"
        )
    return _of_its_kind(merged(_from_file(Path(source)), _from_environment(environ)))


def merged(lower: Settings, higher: Settings) -> Settings:
    """Both, field by field. Who names a place, or a kind of embedder, brings all that belongs to it.

    Otherwise the headers of one server would be sent to another, and turns that wait for one store be
    learned into another.
    """
    if _CHOICES & higher.keys():
        lower = _without(lower, _PLACE)
    if "kind" in higher.get("embedder", {}):
        lower = _without(lower, ["embedder"])
    tables = {name: {**lower.get(name, {}), **higher[name]} for name in TABLES if name in higher}
    return {**lower, **higher, **tables}


def build(settings: Settings, environ: Mapping[str, str]) -> dict[str, Any]:
    """Arguments out of settings: LLM and embedder are made, variables looked up."""
    arguments = _without(settings, ["headers_env", *TABLES])
    if "headers_env" in settings:
        secret = {
            header: _variable(name, f"headers_env.{header}", environ)
            for header, name in settings["headers_env"].items()
        }
        arguments["headers"] = {**settings.get("headers", {}), **secret}
    if "llm" in settings:
        from langmem_ext.models import OpenAIChat

        options = _with_key(settings["llm"], "llm", environ)
        arguments["llm"] = OpenAIChat(**{"model": llm_name(settings, environ), **options})
    if (embedder := settings.get("embedder", {})).get("kind", "default") != "default":
        arguments["embedder"] = _embedder(embedder, environ)
    return arguments


def llm_name(settings: Settings, environ: Mapping[str, str]) -> str:
    """The model that `build` takes: as configured, or OPENAI_MODEL, or `DEFAULT_LLM`."""
    return str(settings["llm"].get("model") or environ.get("OPENAI_MODEL") or DEFAULT_LLM)


def _embedder(table: Settings, environ: Mapping[str, str]) -> Any:
    from langmem_ext import models

    options = _with_key(_without(table, ["kind"]), "embedder", environ)
    classes = {
        "packaged": "PackagedE5Embedder",
        "sentence-transformers": "SentenceTransformerEmbedder",
        "openai": "OpenAIEmbedder",
    }
    return getattr(models, classes[table["kind"]])(**options)


def _with_key(table: Settings, name: str, environ: Mapping[str, str]) -> Settings:
    if "api_key_env" not in table:
        return table
    key = _variable(table["api_key_env"], f"{name}.api_key_env", environ)
    return {**_without(table, ["api_key_env"]), "api_key": key}


def _variable(name: str, field: str, environ: Mapping[str, str]) -> str:
    if not (value := environ.get(name)):
        # Not the name: somebody may have written the key itself there.
        raise InvalidInputError(f"{field} must name an environment variable that is set")
    return value


def _from_file(path: Path) -> Settings:
    import tomllib

    where = f"configuration {path}"
    try:
        path = Path(os.path.expanduser(path))
        with path.open("rb") as file:
            table = tomllib.load(file)
    except OSError as error:
        raise InvalidInputError(f"{where} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise InvalidInputError(f"{where} is no TOML: {_position(error)}") from error
    settings = _checked(table, where)
    for name in ("path", "state_path"):
        if name in settings:
            settings[name] = path.absolute().parent / os.path.expanduser(settings[name])
    return settings


def _position(error: Exception) -> str:
    """Where a file is wrong; the rest of a parser's message may hold what stands there."""
    said = str(error)
    if isinstance(error, UnicodeDecodeError):
        return "it is not in UTF-8"
    return f"look {said[said.rindex('(at ') + 1 : -1]}" if "(at " in said else "it cannot be read"


def _from_environment(environ: Mapping[str, str]) -> Settings:
    fields = {f"{PREFIX}{name.upper()}": ("", name, kind) for name, kind in TOP.items()}
    for table, members in TABLES.items():
        for name, kind in members.items():
            fields[f"{PREFIX}{table.upper()}_{name.upper()}"] = (table, name, kind)
    settings: Settings = {}
    for variable in sorted(environ):
        if not variable.startswith(PREFIX) or variable.removeprefix(PREFIX) in _OF_THE_COMMAND_LINE:
            continue
        if variable not in fields:
            raise _unknown(variable, fields, "environment")
        if not environ[variable].strip():
            continue
        table, name, kind = fields[variable]
        value = _parsed(environ[variable], kind)
        if (wanted := problem(value, kind)) is not None:
            raise InvalidInputError(f"environment variable {variable} must be {wanted}")
        (settings.setdefault(table, {}) if table else settings)[name] = value
    return settings


def _parsed(text: str, kind: Kind) -> Any:
    """The value in a variable, as JSON has it; what cannot be read stays text, and is refused as such."""
    if kind.type is str:
        return text
    try:
        return json.loads(text.lower() if kind.type is bool else text)
    except (ValueError, RecursionError):
        return text


def _checked(table: Mapping[str, Any], where: str) -> Settings:
    names = (*TOP, *TABLES)
    settings: Settings = {}
    for name, value in table.items():
        if name in OBJECTS:
            raise InvalidInputError(f"{where}: {name} takes an object; pass it as from_config(…, {name}=…)")
        if name not in names:
            raise _unknown(name, names, where)
        if value is None:
            continue
        if name not in TABLES:
            settings[name] = _value(name, value, TOP[name], where)
        elif isinstance(value, Mapping):
            settings[name] = _checked_table(name, value, where)
        else:
            raise InvalidInputError(
                f"{where}: {name} must be a table, not {type(value).__name__}; "
                f"an object of your own is passed as from_config(…, {name}=…)"
            )
    return settings


def _checked_table(table: str, members: Mapping[str, Any], where: str) -> Settings:
    fields = TABLES[table]
    settings: Settings = {}
    for name, value in members.items():
        if name == "api_key":
            raise InvalidInputError(
                f"{where}: {table}.api_key is no field, because configurations are shown and shared: put the "
                f"key into an environment variable and its name into {table}.api_key_env"
            )
        if name not in fields:
            raise _unknown(name, fields, where, table)
        if value is not None:
            settings[name] = _value(f"{table}.{name}", value, fields[name], where)
    return settings


def _value(name: str, value: Any, kind: Kind, where: str) -> Any:
    if (wanted := problem(value, kind)) is not None:
        other = "" if isinstance(value, kind.type) else f", not {type(value).__name__}"
        raise InvalidInputError(f"{where}: {name} must be {wanted}{other}")
    return dict(value) if isinstance(value, Mapping) else value


def _of_its_kind(settings: Settings) -> Settings:
    """The settings, where the fields of their embedder are those of its kind."""
    table = settings.get("embedder", {})
    kind = table.get("kind", "default")
    fields = EMBEDDERS[kind]
    for name in table:
        if name != "kind" and name not in fields:
            others = [other for other, members in EMBEDDERS.items() if name in members]
            raise InvalidInputError(
                f"embedder.{name} is no field of the kind {kind!r} ({', '.join(fields) or 'it has none'}); "
                f"set embedder.kind, for instance to {others[0]!r}"
            )
    return settings


def _unknown(name: object, known: Iterable[str], where: str, table: str = "") -> InvalidInputError:
    names = list(known)
    prefix = f"{table}." if table else ""
    near = get_close_matches(str(name), names, n=1)
    hint = f"; did you mean {prefix}{near[0]}?" if near else "."
    return InvalidInputError(
        f"{where}: there is no {prefix}{name}{hint} There are {', '.join(prefix + known for known in names)}"
    )


def _without(settings: Settings, names: Iterable[str]) -> Settings:
    left_out = set(names)
    return {name: value for name, value in settings.items() if name not in left_out}
