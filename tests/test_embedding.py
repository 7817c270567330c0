from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from langmem_ext import ModelError
from langmem_ext.embedding import CheckedEmbedder
from langmem_ext.testing import FakeEmbedder


class Scripted(FakeEmbedder):
    """Answers what it is told, whatever was asked."""

    def __init__(self, answer: Any) -> None:
        super().__init__(dim=2)
        self.answer = answer

    def embed_documents(self, texts: Sequence[str]) -> Any:
        self.calls += 1
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def test_rows_come_out_as_float32_of_length_one() -> None:
    vectors = CheckedEmbedder(Scripted([[3.0, 4.0], [0.0, 2.0]])).documents(["a", "b"])
    assert vectors.dtype == np.float32
    assert vectors.tolist() == [pytest.approx([0.6, 0.8]), [0.0, 1.0]]


def test_all_texts_go_in_one_call_and_none_in_no_call() -> None:
    fake = FakeEmbedder()
    checked = CheckedEmbedder(fake)
    assert checked.documents(["a", "b", "c"]).shape == (3, 256)
    assert checked.queries(["a"]).shape == (1, 256)
    assert fake.calls == 2
    assert checked.documents([]).shape == (0, 256)
    assert fake.calls == 2
    assert checked.max_tokens == fake.max_tokens


@pytest.mark.parametrize(
    "answer",
    [
        [[1.0, 0.0]],  # too few
        [[1.0], [1.0]],  # too short
        [[1.0, 0.0], [1.0]],  # ragged
        [[float("nan"), 1.0], [1.0, 0.0]],
        [[float("inf"), 1.0], [1.0, 0.0]],
        [[0.0, 0.0], [1.0, 0.0]],  # no direction
        [["a", "b"], ["c", "d"]],
        None,
        "vectors",
    ],
)
def test_what_is_no_vector_is_an_error_of_the_model(answer: Any) -> None:
    with pytest.raises(ModelError):
        CheckedEmbedder(Scripted(answer)).documents(["a", "b"])


@pytest.mark.parametrize(
    ("error", "kind", "retryable"),
    [
        (ConnectionError("host unreachable"), "unavailable", True),
        (TimeoutError(), "timeout", True),
        (RuntimeError("CUDA"), "unexpected", False),
        (ModelError("wrong key", kind="auth"), "auth", False),
    ],
)
def test_a_failure_has_a_kind(error: Exception, kind: str, retryable: bool) -> None:
    with pytest.raises(ModelError) as caught:
        CheckedEmbedder(Scripted(error)).queries(["my salary is 91234"])
    assert (caught.value.kind, caught.value.retryable) == (kind, retryable)
    assert "91234" not in str(caught.value)
