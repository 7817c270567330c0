"""What clients of LLMs raise, and what kind of failure it is."""

from __future__ import annotations

from typing import Any

import httpx
import openai

from langmem_ext import ModelError

REQUEST: Any = httpx.Request("POST", "http://server/v1")


def refused(status: int, code: str | None = None) -> openai.APIStatusError:
    response: Any = httpx.Response(status, request=REQUEST)
    cls = {401: openai.AuthenticationError, 429: openai.RateLimitError, 500: openai.InternalServerError}
    return cls.get(status, openai.BadRequestError)(
        "the prompt was: I live in Lyon", response=response, body=None
    )


ERRORS: list[tuple[Exception, str]] = [
    (refused(401), "auth"),
    (refused(429), "rate_limit"),
    (refused(500), "unavailable"),
    (refused(400), "bad_request"),
    (openai.APITimeoutError(REQUEST), "timeout"),
    (openai.APIConnectionError(request=REQUEST), "unavailable"),
    (httpx.ReadTimeout("slow"), "timeout"),
    (TimeoutError(), "timeout"),
    (ConnectionRefusedError(), "unavailable"),
    (RuntimeError("I live in Lyon"), "unexpected"),
    (ModelError("as it is", kind="refused"), "refused"),
]
