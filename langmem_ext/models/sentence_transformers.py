"""Embeddings computed on this machine with sentence-transformers."""

from __future__ import annotations

import logging
import os
import re
import threading
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from langmem_ext.errors import InvalidInputError, MissingDependencyError, ModelError
from langmem_ext.models import hub
from langmem_ext.models.default import DEFAULT_EMBEDDING_MODEL
from langmem_ext.models.model_folder import folder_digest, names_in_folder
from langmem_ext.models.vectors import check_vectors
from langmem_ext.ports import EmbedderFingerprint
from langmem_ext.text import well_formed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

logger = logging.getLogger(__name__)

# The e5 models were trained with these and lose much without them; their repositories do not say so in a
# file that a program can read. The "instruct" ones want a task description instead.
_E5 = re.compile(r"(?:^|[^a-z0-9])e5[-_](?:small|base|large)(?!.*instruct)", re.IGNORECASE)
_PROMPTS_OF_DOCUMENTS = ("document", "passage", "corpus")


class SentenceTransformerEmbedder:
    """A model of the hub, or of a folder, run by sentence-transformers on this machine.

    A folder and a model in the local cache are loaded without a network. Otherwise the model is
    downloaded once; when the hub is out of reach that is said within seconds.

    Safe to use from several threads; they take turns, because tokenizers are not.

    Args:
        model: A name on the hub, or the path of a folder with a saved model.
        device: "cpu", "cuda", "mps" …; None takes the best there is.
        batch_size: How many texts the model sees at once.
        query_prefix: Put in front of questions. None: the model's own prompt, or `query: ` for the
            e5 family.
        document_prefix: As `query_prefix`, for what is stored; `passage: ` for the e5 family.
        local_files_only: True forbids the download; None downloads what is not in the cache.
        revision: Branch, tag or commit on the hub; becomes part of the fingerprint.
        name: Names the vector space in the fingerprint. Give the hub's name to a folder that holds a
            copy of that model, so that both can open the same store.

    Raises:
        MissingDependencyError: sentence-transformers is not installed.
        InvalidInputError: a path that is not a folder.
        ModelError: the model is not here and cannot be had; the message says where it looked.
    """

    def __init__(
        self,
        model: str | os.PathLike[str] = DEFAULT_EMBEDDING_MODEL,
        *,
        device: str | None = None,
        batch_size: int = 32,
        query_prefix: str | None = None,
        document_prefix: str | None = None,
        local_files_only: bool | None = None,
        revision: str | None = None,
        name: str | None = None,
    ) -> None:
        if batch_size < 1:
            raise InvalidInputError(f"batch_size must be at least 1, got {batch_size}")
        if find_spec("sentence_transformers") is None:
            raise MissingDependencyError("sentence-transformers", "local", "SentenceTransformerEmbedder")
        self._batch_size = batch_size
        self._lock = threading.Lock()
        source = os.fspath(model)
        if os.path.isdir(source):
            hints = names_in_folder(Path(source))
            self._model = _load(source, device)
            self._name = name or f"local/{folder_digest(Path(source))}"
        else:
            source = _repository(source)
            hints = (source,)
            self._model = _load_from_hub(source, device, local_files_only, revision)
            self._name = name or (f"{source}@{revision}" if revision else source)
        if name:
            hints = (name, *hints)
        own = _own_prefixes(self._model.prompts, hints)
        self._query_prefix = own[0] if query_prefix is None else query_prefix
        self._document_prefix = own[1] if document_prefix is None else document_prefix
        self._dim = int(self._encode(["a"], "").shape[1])

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return self._dim

    @property
    def max_tokens(self) -> int:
        """The model's window; longer texts are cut by the tokenizer."""
        # Wrappers around unusual models do not know it; 512 is what most encoders have.
        return int(self._model.max_seq_length or 512)

    @property
    def fingerprint(self) -> EmbedderFingerprint:
        """The hub's name, or for a folder a digest of its weights: moving it changes nothing."""
        return EmbedderFingerprint(
            model=self._name,
            dim=self._dim,
            query_prefix=self._query_prefix,
            document_prefix=self._document_prefix,
        )

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors of texts to be found, shape (len(texts), dim)."""
        return self._embed(texts, self._document_prefix)

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors of questions, shape (len(texts), dim)."""
        return self._embed(texts, self._query_prefix)

    def _embed(self, texts: Sequence[str], prefix: str) -> NDArray[np.float32]:
        cleaned = [well_formed(text) for text in texts]
        vectors = self._encode(cleaned, prefix) if cleaned else []
        return check_vectors(vectors, len(cleaned), self._dim, embedder=self._name)

    def _encode(self, texts: list[str], prefix: str) -> Any:
        # The prefix goes in as a prompt, not in front of the text: some models leave it out of the pooling.
        # "" rather than None, which would bring in a default prompt of the model.
        with self._lock:
            return self._model.encode(
                texts,
                prompt=prefix,
                batch_size=self._batch_size,
                convert_to_numpy=True,
                normalize_embeddings=True,
                show_progress_bar=False,
            )


def _repository(name: str) -> str:
    """The full name on the hub; a bare one means the models of sentence-transformers themselves."""
    if not name.strip() or name.startswith((".", "/", "~", "\\")) or name.count("/") > 1 or "\\" in name:
        raise InvalidInputError(f"there is no model folder {name!r}; give a folder or a name of the hub")
    return name if "/" in name else f"sentence-transformers/{name}"


def _load_from_hub(repo: str, device: str | None, local_files_only: bool | None, revision: str | None) -> Any:
    """From the cache without a network, else by a download. Looks first: importing torch takes seconds."""
    folder = hub.cached_folder(repo, revision)
    if folder is not None:
        try:
            return _load(folder, device)
        except ModelError:
            logger.warning("the copy of %s in %s is damaged or incomplete", repo, hub.cache_folder())
    if local_files_only:
        raise hub.not_available(repo, "local_files_only=True forbids a download")
    hub.require_hub(repo, revision)
    logger.warning("downloading the embedding model %s into %s (once)", repo, hub.cache_folder())
    return _load(repo, device, revision=revision, local_files_only=False)


def _load(
    source: str, device: str | None, *, revision: str | None = None, local_files_only: bool = True
) -> Any:
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        raise MissingDependencyError("sentence-transformers", "local", "This embedder") from error
    try:
        return SentenceTransformer(
            source, device=device, local_files_only=local_files_only, revision=revision
        )
    except Exception as error:  # damaged files raise whatever their readers have: no common base class
        if not local_files_only:
            raise hub.not_available(source, f"downloading it failed ({type(error).__name__})") from error
        raise ModelError(
            f"sentence-transformers cannot load {source} ({type(error).__name__}); "
            "check that it holds an embedding model and that the device exists",
            kind="bad_request",
        ) from error


def _own_prefixes(prompts: Mapping[str, str | None], names: Sequence[str]) -> tuple[str, str]:
    """The (query, document) prefixes that this model was trained with, as far as it is known."""
    query = prompts.get("query") or ""
    document = next((prompts[key] or "" for key in _PROMPTS_OF_DOCUMENTS if prompts.get(key)), "")
    if not query and not document and any(_E5.search(name) for name in names):
        return "query: ", "passage: "
    return query, document
