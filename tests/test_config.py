from __future__ import annotations

import copy
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from langmem_ext import (
    InvalidInputError,
    LongTermMemory,
    OpenAIChat,
    OpenAIEmbedder,
    SentenceTransformerEmbedder,
)
from langmem_ext.config import OBJECTS, memory_arguments, read_settings
from langmem_ext.config_fields import EMBEDDERS, LLM, TABLES, TOP
from langmem_ext.testing import FakeEmbedder
from tests.support.openai_server import OpenAIServer

SECRET = "sk-hush-hush-hush"


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    import os

    for name in [name for name in os.environ if name.startswith(("LANGMEM_EXT_", "OPENAI_"))]:
        monkeypatch.delenv(name)
    yield


def written(folder: Path, text: str) -> Path:
    file = folder / "memory.toml"
    file.write_text(text, encoding="utf-8")
    return file


# What can be said.


def test_a_mapping_opens_a_store_there_and_is_not_changed(tmp_path: Path, embedder: FakeEmbedder) -> None:
    config = {"path": str(tmp_path / "db"), "llm": {"model": "m", "base_url": "http://127.0.0.1:9"}}
    before = copy.deepcopy(config)
    with LongTermMemory.from_config(config, embedder=embedder) as first:
        first.for_user("u").remember("Tea is nice.")
        with LongTermMemory.from_config(config, embedder=embedder) as second:  # the same dict again
            assert len(second.for_user("u").search("tea")) == 1
    assert config == before
    assert (tmp_path / "db" / "store.json").is_file()


def test_two_memories_of_one_mapping_are_independent(embedder: FakeEmbedder) -> None:
    config = {"timezone": "Asia/Shanghai"}  # in RAM
    with (
        LongTermMemory.from_config(config, embedder=embedder) as first,
        LongTermMemory.from_config(config, embedder=embedder) as second,
    ):
        first.for_user("u").remember("Tea is nice.")
        assert second.users() == []


def test_arguments_share_nothing_with_the_mapping() -> None:
    config: dict[str, Any] = {"url": "http://localhost:8000", "headers": {"X-Token": "a"}}
    memory_arguments(config, {}, {})["headers"]["X-Token"] = "b"
    assert config["headers"] == {"X-Token": "a"}


def test_a_file_speaks_of_paths_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = written(tmp_path, 'path = "db"\nstate_path = "/var/turns"\ntimezone = "Europe/Paris"')
    monkeypatch.chdir(tmp_path.parent)
    assert memory_arguments(file, {}, {}) == {
        "path": tmp_path / "db",
        "state_path": Path("/var/turns"),
        "timezone": "Europe/Paris",
    }


def test_every_part_reaches_its_class(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with OpenAIServer(default='{"memories": []}') as server:
        file = written(
            tmp_path,
            f"""
            [llm]
            model = "some-chat"
            base_url = "{server.base_url}"
            api_key_env = "MY_KEY"
            timeout = 5
            max_tokens = 77
            [embedder]
            kind = "openai"
            model = "some-embedder"
            base_url = "{server.base_url}"
            """,
        )
        monkeypatch.setenv("MY_KEY", SECRET)
        with LongTermMemory.from_config(file) as memory:
            memory.for_user("u").add("I moved from Lyon to Nantes and have two cats now.")
        chat = server.chat_requests[0]
        assert (chat.body["model"], chat.body["max_tokens"]) == ("some-chat", 77)
        assert f"Bearer {SECRET}" in chat.headers.values()
        embedded = [request for request in server.requests if request.path.endswith("/embeddings")]
        assert {request.body["model"] for request in embedded} == {"some-embedder"}


def test_every_field_of_the_environment_is_read_as_its_type() -> None:
    environ = {
        "LANGMEM_EXT_URL": "http://chroma:8000",
        "LANGMEM_EXT_HEADERS": '{"X-Token": "a"}',
        "LANGMEM_EXT_LOG_QUERIES": "True",
        "LANGMEM_EXT_LLM_MODEL": "1234",  # a name, not a number
        "LANGMEM_EXT_LLM_TIMEOUT": "2.5",
        "LANGMEM_EXT_EMBEDDER_KIND": "openai",
        "LANGMEM_EXT_EMBEDDER_DIM": "12",
        "LANGMEM_EXT_TIMEZONE": "",  # as if it were not set
        "LANGMEM_EXT_USER": "of the command line",
    }
    assert read_settings(None, environ) == {
        "url": "http://chroma:8000",
        "headers": {"X-Token": "a"},
        "log_queries": True,
        "llm": {"model": "1234", "timeout": 2.5},
        "embedder": {"kind": "openai", "dim": 12},
    }


def test_arguments_win_over_a_mapping_it_over_the_environment_and_that_over_a_file(tmp_path: Path) -> None:
    file = written(tmp_path, 'timezone = "Europe/Paris"\n[llm]\nmodel = "file"\ntimeout = 1')
    environ = {"LANGMEM_EXT_LLM_MODEL": "environment", "OPENAI_API_KEY": "k"}
    assert read_settings(file, environ)["llm"] == {"model": "environment", "timeout": 1}
    assert read_settings({"llm": {"model": "mapping"}}, environ)["llm"] == {"model": "mapping"}
    arguments = memory_arguments(file, {"llm": None, "timezone": "Asia/Tokyo"}, environ)
    assert arguments == {"llm": None, "timezone": "Asia/Tokyo"}


def test_the_environment_names_the_file(tmp_path: Path) -> None:
    file = written(tmp_path, 'timezone = "Europe/Paris"')
    assert read_settings(None, {"LANGMEM_EXT_CONFIG": str(file)}) == {"timezone": "Europe/Paris"}


def test_a_token_is_not_sent_to_another_server(tmp_path: Path) -> None:
    file = written(
        tmp_path, 'url = "http://a:1"\nstate_path = "turns"\nheaders = {Authorization = "Bearer a"}'
    )
    assert read_settings(file, {"LANGMEM_EXT_URL": "http://b:1"}) == {"url": "http://b:1"}
    assert memory_arguments(file, {"path": "db"}, {}) == {"path": "db"}


def test_another_kind_of_embedder_leaves_the_fields_of_the_first(tmp_path: Path) -> None:
    file = written(tmp_path, '[embedder]\nkind = "sentence-transformers"\ndevice = "cpu"')
    environ = {"LANGMEM_EXT_EMBEDDER_KIND": "openai", "LANGMEM_EXT_EMBEDDER_DIM": "3"}
    assert read_settings(file, environ)["embedder"] == {"kind": "openai", "dim": 3}


def test_a_key_in_the_environment_alone_sends_nothing_to_an_llm() -> None:
    assert "llm" not in memory_arguments({}, {}, {"OPENAI_API_KEY": "k", "OPENAI_MODEL": "m"})


def test_an_llm_without_a_model_takes_the_one_of_the_environment() -> None:
    environ = {"OPENAI_MODEL": "m"}
    with_server = {"llm": {"base_url": "http://localhost:1"}}
    assert memory_arguments(with_server, {}, environ)["llm"].name.startswith("m at ")
    assert memory_arguments(with_server, {}, {})["llm"].name.startswith("gpt-4o-mini at ")


def test_headers_may_come_out_of_variables() -> None:
    config = {"url": "http://a:1", "headers": {"X-A": "a"}, "headers_env": {"Authorization": "CHROMA_AUTH"}}
    arguments = memory_arguments(config, {}, {"CHROMA_AUTH": "Bearer b"})
    assert arguments["headers"] == {"X-A": "a", "Authorization": "Bearer b"}


# What is refused, and how.


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"pth": "x"}, "there is no pth; did you mean path? There are path, url, headers"),
        ({"zzzzz": "x"}, "there is no zzzzz. There are path"),
        ({3: "x"}, "there is no 3. There are path"),
        ({"llm": {"modle": "x"}}, "there is no llm.modle; did you mean llm.model? There are llm.model"),
        ({"embedder": {"kinds": "x"}}, "there is no embedder.kinds; did you mean embedder.kind?"),
        ({"path": 3}, "path must be a text that is not blank, not int"),
        ({"path": "  "}, "path must be a text that is not blank"),
        ({"log_queries": "yes"}, "log_queries must be true or false, not str"),
        ({"llm": "gpt-4o-mini"}, "llm must be a table, not str"),
        ({"llm": {"timeout": True}}, "llm.timeout must be a number of seconds above 0, not bool"),
        ({"llm": {"timeout": 0}}, "llm.timeout must be a number of seconds above 0"),
        ({"llm": {"timeout": float("nan")}}, "llm.timeout must be a number of seconds above 0"),
        ({"llm": {"max_tokens": 2.5}}, "llm.max_tokens must be a whole number, 1 or more, not float"),
        ({"llm": {"base_url": "localhost"}}, "llm.base_url must be an address such as"),
        ({"embedder": {"kind": "word2vec"}}, "embedder.kind must be one of default, packaged, sentence-"),
        ({"headers": {"X": 1}}, "headers must be a table of texts"),
        ({"clock": print}, "clock takes an object; pass it as from_config(…, clock=…)"),
        ({"embedder": {"model": "m"}}, "embedder.model is no field of the kind 'default' (it has none)"),
        ({"embedder": {"kind": "openai", "device": "cpu"}}, "set embedder.kind, for instance to 'sentence"),
        ({"timezone": "Mars/Olympus"}, "timezone='Mars/Olympus' is no IANA name"),
        ({"url": "http://a:1", "path": "b"}, "give one of path, url and store"),
    ],
)
def test_what_is_wrong_is_named(config: dict[Any, Any], said: str, embedder: FakeEmbedder) -> None:
    override = {} if "embedder" in config else {"embedder": embedder}
    with pytest.raises(InvalidInputError) as raised:
        LongTermMemory.from_config(config, **override).close()
    assert said in str(raised.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("path = ", r"memory\.toml is no TOML: look at "),
        ("[llm]\ntimeout = '3'", r"memory\.toml: llm\.timeout must be a number of seconds above 0, not str"),
        ("path = [1]", r"memory\.toml: path must be a text"),
    ],
)
def test_a_wrong_file_is_named(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InvalidInputError, match=said):
        LongTermMemory.from_config(written(tmp_path, text))


def test_a_file_that_is_missing_or_no_text_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"nowhere\.toml cannot be read: No such file"):
        LongTermMemory.from_config(tmp_path / "nowhere.toml")
    (tmp_path / "latin.toml").write_bytes(b'path = "caf\xe9"')
    with pytest.raises(InvalidInputError, match="not in UTF-8"):
        LongTermMemory.from_config(str(tmp_path / "latin.toml"))
    with pytest.raises(InvalidInputError, match="not list"):
        LongTermMemory.from_config([("path", "x")])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({"LANGMEM_EXT_PTH": "x"}, "no LANGMEM_EXT_PTH; did you mean LANGMEM_EXT_PATH?"),
        ({"LANGMEM_EXT_LLM_TIMEOUT": "soon"}, "variable LANGMEM_EXT_LLM_TIMEOUT must be a number of seconds"),
        ({"LANGMEM_EXT_LOG_QUERIES": "1"}, "variable LANGMEM_EXT_LOG_QUERIES must be true or false"),
    ],
)
def test_a_wrong_variable_is_named(environ: dict[str, str], said: str) -> None:
    with pytest.raises(InvalidInputError, match=said):
        memory_arguments({"path": "x"}, {}, environ)


def test_an_unknown_argument_is_named() -> None:
    with pytest.raises(InvalidInputError, match="there is no emebdder; did you mean embedder?"):
        LongTermMemory.from_config({}, emebdder=None)


@pytest.mark.parametrize(
    "config",
    [
        {"llm": {"api_key": SECRET}},
        {"embedder": {"kind": "openai", "api_key": SECRET}},
        {"llm": {"api_key_env": SECRET}},  # the key where its name belongs
        {"headers": {"Authorization": [SECRET]}},
        {"headers": SECRET},
        {"llm": {"timeout": SECRET}},
        {"url": f"ftp://me:{SECRET}@host"},
        {"url": f"http://me:{SECRET}@host"},
        {"url": "http://host", "headers_env": {"Authorization": SECRET}},
        {"embedder": {"kind": SECRET}},
        {"log_queries": SECRET},
    ],
)
def test_secrets_are_not_repeated(config: dict[str, Any], embedder: FakeEmbedder, tmp_path: Path) -> None:
    override = {} if "embedder" in config else {"embedder": embedder}
    with pytest.raises(InvalidInputError) as raised:
        LongTermMemory.from_config(config, **override).close()
    assert SECRET not in str(raised.value)
    file = written(tmp_path, f'"{SECRET}" = = "{SECRET}"')
    with pytest.raises(InvalidInputError) as raised:
        LongTermMemory.from_config(file)
    assert SECRET not in str(raised.value)


# That nothing is forgotten when an argument is added.


def arguments(callable_: Any) -> set[str]:
    return set(inspect.signature(callable_).parameters) - {"self"}


def test_what_a_memory_takes_is_a_field_or_an_object() -> None:
    assert {*TOP, *TABLES, *OBJECTS} - {"headers_env"} == arguments(LongTermMemory)


@pytest.mark.parametrize(
    ("fields", "made"),
    [
        (LLM, OpenAIChat),
        (EMBEDDERS["openai"], OpenAIEmbedder),
        (EMBEDDERS["sentence-transformers"], SentenceTransformerEmbedder),
    ],
)
def test_what_the_shipped_parts_take_is_a_field(fields: dict[str, Any], made: Any) -> None:
    renamed = {"api_key" if name == "api_key_env" else name for name in fields}
    assert renamed == arguments(made.__init__)
