"""Memories in Chroma: in a directory, on a server, or in RAM. The only place that speaks Chroma."""

from langmem_ext.stores.chroma.store import ChromaStore

__all__ = ["ChromaStore"]
