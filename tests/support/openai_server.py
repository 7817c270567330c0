"""A real HTTP server on the loopback interface that speaks enough of the OpenAI protocol for tests.

    with OpenAIServer() as server:
        server.script('{"memories": []}', Reply(status=429), Reply("cut", finish_reason="length"))
        chat = OpenAIChat("test-model", base_url=server.base_url)

Replies are used up in order; after the last one the server answers with `default`, and without a
default with HTTP 500. Embeddings are bags of hashed words: texts that share words are near.
"""

from __future__ import annotations

import base64
import json
import re
import struct
import threading
import time
import zlib
from collections import deque
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

_WORD = re.compile(r"[㐀-鿿]|\w+")


@dataclass(frozen=True)
class Reply:
    """One scripted answer. `body`, when given, is sent as it is instead of a completion."""

    text: str | None = ""
    finish_reason: str = "stop"
    status: int = 200
    delay: float = 0.0
    refusal: str | None = None
    prompt_tokens: int = 10
    completion_tokens: int = 5
    error: Mapping[str, Any] = field(default_factory=dict)  # message, code, param, type
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str | None = None
    content_type: str = "application/json"


@dataclass(frozen=True)
class Request:
    """What a client sent."""

    path: str
    body: dict[str, Any]
    headers: Mapping[str, str]

    @property
    def response_format(self) -> str | None:
        """The kind of JSON that was asked for."""
        kind = (self.body.get("response_format") or {}).get("type")
        return str(kind) if kind else None


class OpenAIServer:
    """See the module. `refuse_formats` and `refuse_parameters` are answered with HTTP 400."""

    def __init__(
        self,
        *,
        default: str | Reply | None = None,
        refuse_formats: Collection[str] = (),
        refuse_parameters: Collection[str] = (),
        dim: int = 32,
        shuffle_embeddings: bool = False,
    ) -> None:
        self.default = default
        self.refuse_formats = set(refuse_formats)
        self.refuse_parameters = set(refuse_parameters)
        self.dim = dim
        self.shuffle_embeddings = shuffle_embeddings
        self.requests: list[Request] = []
        self._script: deque[Reply] = deque()
        self._lock = threading.Lock()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler_for(self))
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)

    @property
    def base_url(self) -> str:
        """For `base_url=` of a client."""
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    def script(self, *replies: str | Reply) -> None:
        """Queue replies to /chat/completions and, if they are not a 200, to /embeddings."""
        self._script.extend(_as_reply(reply) for reply in replies)

    @property
    def chat_requests(self) -> list[Request]:
        """The requests to /chat/completions."""
        return [request for request in self.requests if request.path.endswith("/chat/completions")]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def answer(self, request: Request) -> Reply:
        """What to send; the whole logic of the server."""
        self.requests.append(request)
        for name in sorted(self.refuse_parameters & request.body.keys()):
            message = f"Unsupported parameter: '{name}' is not supported with this model."
            return Reply(
                status=400, error={"message": message, "param": name, "code": "unsupported_parameter"}
            )
        if request.path.endswith("/embeddings"):
            return self._embeddings(request.body)
        if not request.path.endswith("/chat/completions"):
            return Reply(status=404, error={"message": f"no route {request.path}"})
        if request.response_format in self.refuse_formats:
            message = f"response_format type {request.response_format!r} is not supported"
            return Reply(status=400, error={"message": message, "param": "response_format"})
        with self._lock:
            if self._script:
                return self._script.popleft()
        if self.default is None:
            return Reply(status=500, error={"message": "the script of this test server is empty"})
        return _as_reply(self.default)

    def _embeddings(self, body: dict[str, Any]) -> Reply:
        with self._lock:
            if self._script and self._script[0].status != 200:
                return self._script.popleft()
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        if not texts or not all(isinstance(text, str) and text for text in texts):
            return Reply(status=400, error={"message": "input must be non-empty strings", "param": "input"})
        vectors = [bag_of_words(text, body.get("dimensions") or self.dim) for text in texts]
        as_base64 = body.get("encoding_format") == "base64"
        data = [
            {"object": "embedding", "index": index, "embedding": _base64(vector) if as_base64 else vector}
            for index, vector in enumerate(vectors)
        ]
        if self.shuffle_embeddings:
            data.reverse()
        usage = {"prompt_tokens": len(texts), "total_tokens": len(texts)}
        return Reply(
            body=json.dumps({"object": "list", "data": data, "model": body["model"], "usage": usage})
        )


def bag_of_words(text: str, dim: int) -> list[float]:
    """A deterministic vector; every Chinese character counts as a word."""
    vector = [0.0] * dim
    for word in _WORD.findall(text.lower()) or [text]:
        vector[zlib.crc32(word.encode()) % dim] += 1.0
    return vector


def _base64(vector: list[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()


def _as_reply(reply: str | Reply) -> Reply:
    return Reply(reply) if isinstance(reply, str) else reply


def _completion(reply: Reply, model: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": reply.text, "refusal": reply.refusal}
    return {
        "id": "chatcmpl-test",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": reply.finish_reason}],
        "usage": {
            "prompt_tokens": reply.prompt_tokens,
            "completion_tokens": reply.completion_tokens,
            "total_tokens": reply.prompt_tokens + reply.completion_tokens,
        },
    }


def _events(reply: Reply, model: str) -> str:
    """The reply as a stream of two chunks and the final mark."""
    chunk = {"id": "chatcmpl-test", "object": "chat.completion.chunk", "created": 0, "model": model}
    deltas: tuple[tuple[dict[str, Any], str | None], ...] = (
        ({"role": "assistant", "content": reply.text}, None),
        ({}, reply.finish_reason),
    )
    lines = [
        json.dumps({**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})
        for delta, finish in deltas
    ]
    return "".join(f"data: {line}\n\n" for line in [*lines, "[DONE]"])


def _payload(reply: Reply, body: Mapping[str, Any]) -> tuple[str, str | None]:
    """The text to send, and its type where it is not the reply's own."""
    if reply.body is not None:
        return reply.body, None
    if reply.status != 200:
        return json.dumps({"error": {"message": "scripted", **reply.error}}), None
    if body.get("stream"):
        return _events(reply, body["model"]), "text/event-stream"
    return json.dumps(_completion(reply, body["model"])), None


def _handler_for(server: OpenAIServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # head and body in one packet

        def log_message(self, format: str, *args: Any) -> None:
            pass

        def do_GET(self) -> None:
            models = {
                "object": "list",
                "data": [{"id": "test-model", "object": "model", "owned_by": "tests"}],
            }
            if self.path == "/v1/models":
                self._send(Reply(), json.dumps(models))
            else:
                self._send(Reply(status=404), json.dumps({"error": {"message": "unknown route"}}))

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            reply = server.answer(Request(self.path, body, dict(self.headers)))
            time.sleep(reply.delay)
            self._send(reply, *_payload(reply, body))

        def _send(self, reply: Reply, text: str, content_type: str | None = None) -> None:
            payload = text.encode()
            try:
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Type", content_type or reply.content_type)
                self.send_header("Content-Length", str(len(payload)))
                self.end_headers()
                self.wfile.write(payload)
                self.wfile.flush()
            except ConnectionError:  # a client that timed out has gone
                self.close_connection = True

    return Handler
