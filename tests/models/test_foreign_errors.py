from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from langmem_ext import ModelError, UnsupportedReplyFormatError
from langmem_ext.models.foreign_errors import model_error_of


def named(name: str, *bases: type[Exception], **attributes: Any) -> Exception:
    kind = type(name, bases or (Exception,), {})
    error = kind("the user said: my secret")
    for attribute, value in attributes.items():
        setattr(error, attribute, value)
    assert isinstance(error, Exception)
    return error


@pytest.mark.parametrize(
    ("error", "kind", "retryable"),
    [
        (named("X", status_code=401), "auth", False),
        (named("X", status_code=403), "auth", False),
        (named("X", status_code=429), "rate_limit", True),
        (named("X", status_code=408), "timeout", True),
        (named("X", status_code=404), "bad_request", False),
        (named("X", status_code=503), "unavailable", True),
        (named("X", code=429), "rate_limit", True),  # google.api_core
        (named("HTTPStatusError", response=SimpleNamespace(status_code=500)), "unavailable", True),  # httpx
        (named("ClientError", response={"ResponseMetadata": {"HTTPStatusCode": 429}}), "rate_limit", True),
        (named("ThrottlingException"), "rate_limit", True),
        (named("AuthenticationError"), "auth", False),
        (named("APITimeoutError", named("APIConnectionError").__class__), "timeout", True),
        (named("ConnectError"), "unavailable", True),
        # The names that langchain-core gives to failures of all providers.
        (named("ModelAuthenticationError"), "auth", False),
        (named("ModelPermissionDeniedError"), "auth", False),
        (named("ModelInvalidRequestError"), "bad_request", False),
        (named("ModelNotFoundError"), "bad_request", False),
        (named("ContextOverflowError"), "bad_request", False),
        (named("ModelRateLimitError"), "rate_limit", True),
        (named("ModelAPIError"), "unavailable", True),
        (named("ModelConnectionError"), "unavailable", True),
        (named("ModelTimeoutError"), "timeout", True),
        (named("ModelRefusalError"), "refused", False),
        (TimeoutError(), "timeout", True),
        (ConnectionRefusedError(), "unavailable", True),
        (OSError(), "unavailable", True),
        (named("LengthFinishReasonError", status_code=200), "truncated", False),
        (named("ContentFilterFinishReasonError"), "refused", False),
        (KeyError("x"), "unexpected", False),
        (named("X", code="insufficient_quota", status_code=None), "unexpected", False),
        (named("X", status_code=True), "unexpected", False),
    ],
)
def test_the_kind_is_read_from_codes_and_names(error: Exception, kind: str, retryable: bool) -> None:
    found = model_error_of(error, "my-model")
    assert (found.kind, found.retryable) == (kind, retryable)
    assert type(found) is ModelError
    assert type(error).__name__ in str(found)
    assert "my-model" in str(found)
    assert "secret" not in str(found)


@pytest.mark.parametrize("error", [named("X", status_code=400), named("X", status_code=422),
                                   NotImplementedError(), TypeError(), ValueError()])  # fmt: skip
def test_a_refusal_may_be_about_the_format_that_was_asked_for(error: Exception) -> None:
    assert isinstance(model_error_of(error, "m", format_asked=True), UnsupportedReplyFormatError)
    assert not isinstance(model_error_of(error, "m"), UnsupportedReplyFormatError)


@pytest.mark.parametrize("error", [named("X", status_code=401), named("X", status_code=429), TimeoutError()])
def test_other_failures_are_never_about_the_format(error: Exception) -> None:
    assert not isinstance(model_error_of(error, "m", format_asked=True), UnsupportedReplyFormatError)


def test_an_error_of_this_package_stays_itself() -> None:
    error = ModelError("x", kind="auth")
    assert model_error_of(error, "m", format_asked=True) is error
