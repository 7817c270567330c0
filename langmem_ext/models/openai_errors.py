"""From the exceptions of the openai client to those of langmem_ext.

The message of a server may quote the request (FastAPI's 422 holds all of it), and thereby what people
said. So only its codes go into ours; the original is the `__cause__`.
"""

from __future__ import annotations

import re

import openai

from langmem_ext.errors import ModelError, ModelErrorKind, UnsupportedReplyFormatError
from langmem_ext.redaction import redact

_KIND_OF_STATUS: dict[int, ModelErrorKind] = {
    401: "auth",
    403: "auth",
    408: "timeout",
    409: "unavailable",
    429: "rate_limit",
}
_ADVICE: dict[ModelErrorKind, str] = {
    "auth": "check the API key",
    "rate_limit": "try again later, or raise max_retries",
    "timeout": "try again, or raise timeout",
    "unavailable": "check that the server runs and that base_url is right",
    "bad_request": "check the model's name, base_url and the length of the input",
    "refused": "the provider's content filter stopped it",
}
_ABOUT_THE_FORMAT = re.compile(
    r"response_?format|json_?schema|json_?object|structured|grammar|guided", re.IGNORECASE
)
# A 400 for another reason than the format of the reply: asking for plain text would not help.
_OTHER_REASONS = frozenset(
    {"context_length_exceeded", "model_not_found", "invalid_api_key", "string_above_max_length"}
)
_CODE = re.compile(r"[\w.\-\[\]]{1,80}")


def translate(error: openai.OpenAIError, endpoint: str, *, format_asked: bool = False) -> ModelError:
    """The `ModelError` for an exception of the client; raise it `from` that one.

    Args:
        error: What the client raised.
        endpoint: Names server and model in the message.
        format_asked: Whether the request asked for JSON, so that a refusal may be about that.
    """
    if isinstance(error, openai.APITimeoutError):
        return _error("timeout", endpoint, "did not answer in time")
    if isinstance(error, openai.APIConnectionError):
        return _error("unavailable", endpoint, "cannot be reached")
    if not isinstance(error, openai.APIStatusError):
        return not_this_protocol(endpoint)
    what = f"answered HTTP {error.status_code}{_codes(error)}"
    if error.code in ("content_filter", "content_policy_violation"):
        return _error("refused", endpoint, what)
    if format_asked and _is_about_the_format(error):
        message = redact(f"{endpoint} {what} when it was asked for JSON in this way").text
        return UnsupportedReplyFormatError(message)
    kind = _KIND_OF_STATUS.get(
        error.status_code, "unavailable" if error.status_code >= 500 else "bad_request"
    )
    # An empty account answers 429 as well, and will do so tomorrow.
    spent = error.code == "insufficient_quota"
    return _error(kind, endpoint, what, retryable=False if spent else None)


def not_this_protocol(endpoint: str) -> ModelError:
    """The error for an answer that is not what the OpenAI protocol says."""
    return ModelError(
        redact(
            f"{endpoint} did not answer in the OpenAI protocol; check base_url, which often ends in /v1"
        ).text,
        kind="bad_reply",
    )


def refused_parameter(error: openai.OpenAIError, names: frozenset[str]) -> str | None:
    """Which of these optional parameters a server refuses to take, if that is what it says."""
    if not isinstance(error, openai.APIStatusError) or error.status_code not in (400, 422):
        return None
    if error.param:
        return error.param if error.param in names else None
    return next((name for name in sorted(names) if re.search(rf"\b{name}\b", error.message)), None)


def _is_about_the_format(error: openai.APIStatusError) -> bool:
    if error.code in _OTHER_REASONS:
        return False
    if error.status_code in (400, 422):
        return True
    # Some servers answer 404 or 500 to a format that they do not have; others mean what these say.
    return error.status_code in (404, 415, 500, 501) and bool(_ABOUT_THE_FORMAT.search(error.message))


def _codes(error: openai.APIStatusError) -> str:
    codes = [str(code) for code in (error.code, error.type, error.param) if code]
    kept = [code for code in codes if _CODE.fullmatch(code)]
    return f" ({', '.join(kept)})" if kept else ""


def _error(kind: ModelErrorKind, endpoint: str, what: str, *, retryable: bool | None = None) -> ModelError:
    message = redact(f"{endpoint} {what}; {_ADVICE[kind]}").text  # a base_url or a code may hold a key
    return ModelError(message, kind=kind, retryable=retryable)
