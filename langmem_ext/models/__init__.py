"""Vendors behind the ports: LLMs and embedders. Each is loaded when its name is first used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from langmem_ext.models.default import default_embedder as default_embedder
    from langmem_ext.models.openai import OpenAIChat as OpenAIChat
    from langmem_ext.models.openai_embedder import OpenAIEmbedder as OpenAIEmbedder
    from langmem_ext.models.packaged import PackagedE5Embedder as PackagedE5Embedder
    from langmem_ext.models.sentence_transformers import (
        SentenceTransformerEmbedder as SentenceTransformerEmbedder,
    )

_MODULES = {
    "OpenAIChat": "openai",
    "OpenAIEmbedder": "openai_embedder",
    "PackagedE5Embedder": "packaged",
    "SentenceTransformerEmbedder": "sentence_transformers",
    "default_embedder": "default",
}
__all__ = sorted(_MODULES)

if not TYPE_CHECKING:  # a type checker would take it for "every name exists"

    def __getattr__(name: str) -> object:
        """Load a public name from its module and keep it."""
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
        globals()[name] = value
        return value
