"""From options, environment and configuration to an open memory."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import urlsplit
from uuid import uuid4

import click

from langmem_ext.cli.failures import NoStoreError
from langmem_ext.config import Settings, build, llm_name, merged, read_settings
from langmem_ext.errors import ModelError
from langmem_ext.ports import Embedder, EmbedderFingerprint

if TYPE_CHECKING:
    from langmem_ext.memory import LongTermMemory
    from langmem_ext.state import Outbox

_NOWHERE = (
    "where are the memories? Give --path DIRECTORY or --url ADDRESS, set LANGMEM_EXT_PATH or "
    "LANGMEM_EXT_URL, or name one of them in a file for --config"
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where the memories are, as the options say."""

    config: str | None = None
    path: str | None = None
    url: str | None = None

    def settings(self, *, needed: bool = True) -> Settings:
        """Everything that options, environment and file say; options win.

        Raises:
            click.UsageError: nothing says where the memories are, and that is needed; or two options do.
        """
        if self.path is not None and self.url is not None:
            raise click.UsageError("--path and --url are two places; give one")
        given = {name: value for name in ("path", "url") if (value := getattr(self, name)) is not None}
        settings = merged(read_settings(self.config, os.environ), given)
        if needed and not {"path", "url"} & settings.keys():
            raise click.UsageError(_NOWHERE)
        return settings

    @contextmanager
    def opened(
        self, *, embeds: bool = False, learns: bool = False, creates: bool = False, llm: bool = True
    ) -> Iterator[LongTermMemory]:
        """The memory, open.

        Args:
            embeds: It will need vectors. Otherwise no embedder is loaded, and any store can be opened.
            learns: It will need what extracts memories.
            creates: A store that is not there is made.
            llm: Whether an LLM may be used.

        Raises:
            NoStoreError: there is none, and it is not to be made.
        """
        from langmem_ext.memory import LongTermMemory

        settings = self.settings()
        written = _written_with(settings)
        if written is None and not creates:
            where = settings.get("path") or "that server"
            raise NoStoreError(f"there are no memories in {where}; add, remember and import make a store")
        if not (learns and llm):
            settings = {n: v for n, v in settings.items() if n not in ("llm", "instructions")}
        elif "llm" not in settings and _names_a_server():
            settings["llm"] = {}
        extra: dict[str, Any] = {}
        if written is not None and not embeds:
            settings.pop("embedder", None)
            extra["embedder"] = StoredVectors(written)
        with LongTermMemory(**build(settings, os.environ), **extra) as memory:
            yield memory

    def embedder(self) -> Embedder:
        """The configured embedder, for use without a store."""
        from langmem_ext.models.default import default_embedder

        settings = self.settings(needed=False)
        made = build({n: settings[n] for n in ("embedder",) if n in settings}, os.environ)
        return made.get("embedder") or default_embedder()

    def extractor(self, *, llm: bool) -> str:
        """What `opened(learns=True)` takes to find memories, for people."""
        settings = self.settings()
        if not llm or ("llm" not in settings and not _names_a_server()):
            return "rules (to use an LLM: set OPENAI_API_KEY or OPENAI_BASE_URL, or [llm] in --config)"
        settings = {"llm": {}, **settings}
        server = settings["llm"].get("base_url") or os.environ.get("OPENAI_BASE_URL", "")
        # The host alone: an address may hold a password.
        return f"{llm_name(settings, os.environ)} at {urlsplit(server).hostname or 'the OpenAI API'}"

    @contextmanager
    def waiting_turns(self) -> Iterator[Outbox | None]:
        """What waits to be learned, where there is something; not while a memory has it open."""
        from langmem_ext.state import Outbox

        settings = self.settings()
        file = settings.get("state_path") or (
            Path(settings["path"], "state.sqlite3") if "path" in settings else None
        )
        file = None if file is None else Path(file).expanduser()
        if file is None or not file.exists():
            yield None
            return
        outbox = Outbox(file, clock=lambda: datetime.now(UTC), new_id=lambda: uuid4().hex)
        try:
            yield outbox
        finally:
            outbox.close()


def _written_with(settings: Settings) -> EmbedderFingerprint | None:
    from langmem_ext.stores.chroma.existing import embedder_of_directory, embedder_of_server

    if "url" in settings and "path" not in settings:
        headers = build({n: settings[n] for n in ("headers", "headers_env") if n in settings}, os.environ)
        return embedder_of_server(settings["url"], headers.get("headers"))
    return embedder_of_directory(settings["path"])


def _names_a_server() -> bool:
    return bool(os.environ.get("OPENAI_API_KEY") or os.environ.get("OPENAI_BASE_URL"))


class StoredVectors:
    """Stands for the embedder that a store was written with, where no text has to be embedded."""

    max_tokens = 512

    def __init__(self, fingerprint: EmbedderFingerprint) -> None:
        self.fingerprint = fingerprint
        self.dim = fingerprint.dim

    def embed_documents(self, texts: Sequence[str]) -> NoReturn:
        """Refuse."""
        raise ModelError("this command loads no embedder", kind="unavailable")

    def embed_queries(self, texts: Sequence[str]) -> NoReturn:
        """Refuse."""
        raise ModelError("this command loads no embedder", kind="unavailable")
