"""Memories in Chroma: in a directory, on a server, or in RAM. The only place that speaks Chroma."""

from langmem_ext.stores.chroma.sqlite_version import check_sqlite

check_sqlite()  # before chromadb is imported

from langmem_ext.stores.chroma.store import ChromaStore  # noqa: E402

__all__ = ["ChromaStore"]
