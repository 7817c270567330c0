"""From the exceptions of clients that this package does not know to its own: by status code, then by name.

Only names and codes are looked at. The message of a server may quote the request, and thereby what
people said; the original is the `__cause__`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from langmem_ext.errors import ModelError, ModelErrorKind, UnsupportedReplyFormatError

_KIND_OF_STATUS: Final[dict[int, ModelErrorKind]] = {
    401: "auth",
    403: "auth",
    408: "timeout",
    409: "unavailable",
    429: "rate_limit",
}
# Words in the names of an exception's classes; the first that is found counts.
_KIND_OF_NAME: Final[tuple[tuple[str, ModelErrorKind], ...]] = (
    (r"LengthFinishReason|MaxTokens", "truncated"),
    (r"ContentFilter|Refusal|Safety", "refused"),
    (r"RateLimit|Throttl|ResourceExhausted|TooManyRequests", "rate_limit"),
    (r"Authentication|Unauthenticated|Unauthorized|PermissionDenied|Credential", "auth"),
    (r"Timeout|TimedOut|DeadlineExceeded", "timeout"),
    (r"Connect|ModelAPIError|Unavailable|Unreachable|InternalServer|Transport|Network", "unavailable"),
    (r"ContextOverflow|BadRequest|InvalidArgument|InvalidRequest|NotFound|Unprocessable", "bad_request"),
)
_ADVICE: Final[dict[ModelErrorKind, str]] = {
    "auth": "check its key",
    "rate_limit": "try again later",
    "timeout": "try again, or give it more time",
    "unavailable": "check that it can be reached",
    "bad_request": "check the model's name and the length of the input",
    "truncated": "raise its limit on tokens",
    "refused": "its content filter stopped it",
}
_NO_SUCH_FORMAT: Final = (NotImplementedError, TypeError, ValueError)


def model_error_of(error: Exception, name: str, *, format_asked: bool = False) -> ModelError:
    """The `ModelError` for whatever a client raised; raise it `from` that one.

    Args:
        error: What was raised.
        name: Names the model in the message.
        format_asked: Whether a format of the reply was asked for, so that a refusal may be about that:
            then an `UnsupportedReplyFormatError` says so.
    """
    if isinstance(error, ModelError):
        return error
    status = _status(error)
    kind = _kind(error, status)
    what = type(error).__name__ + ("" if status is None else f" (HTTP {status})")
    if format_asked and (kind == "bad_request" or (kind == "unexpected" and _is_about_format(error))):
        return UnsupportedReplyFormatError(
            f"{name} failed with {what} when it was asked for JSON in this way"
        )
    advice = f"; {_ADVICE[kind]}" if kind in _ADVICE else ""
    return ModelError(f"{name} failed with {what}{advice}", kind=kind)


def _is_about_format(error: Exception) -> bool:
    return isinstance(error, _NO_SUCH_FORMAT)


def _kind(error: Exception, status: int | None) -> ModelErrorKind:
    names = [cls.__name__ for cls in type(error).__mro__]
    by_name = next(
        (kind for pattern, kind in _KIND_OF_NAME if any(re.search(pattern, name) for name in names)), None
    )
    if by_name in ("truncated", "refused"):  # they may come with a status, which says less
        return by_name
    if status is not None and status >= 400:
        return _KIND_OF_STATUS.get(status, "unavailable" if status >= 500 else "bad_request")
    if by_name is not None:
        return by_name
    return "unavailable" if isinstance(error, OSError) else "unexpected"


def _status(error: Exception) -> int | None:
    """The HTTP status, where the exception or the response it carries knows one."""
    response = getattr(error, "response", None)
    if isinstance(response, Mapping):  # botocore
        response = response.get("ResponseMetadata")
        found = response.get("HTTPStatusCode") if isinstance(response, Mapping) else None
    else:
        found = getattr(response, "status_code", None)
    for value in (getattr(error, "status_code", None), getattr(error, "code", None), found):
        if isinstance(value, int) and not isinstance(value, bool) and 100 <= value <= 599:
            return value
    return None
