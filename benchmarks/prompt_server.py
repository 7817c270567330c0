"""A server on loopback that speaks just enough of the OpenAI protocol to see what a client sends."""

from __future__ import annotations

import json
import threading
from collections import defaultdict
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self, TypeAlias

from langmem_ext import Embedder

Body: TypeAlias = dict[str, Any]


class PromptServer:
    """Keeps every chat request by the name of its model, and answers from the script of that name.

    The last reply of a script is given again and again; a name without one gets HTTP 404. Embeddings come
    from the embedder given.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._scripts: dict[str, list[str]] = {}
        self._chats: dict[str, list[Body]] = defaultdict(list)
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    def script(self, model: str, replies: Sequence[str]) -> None:
        """What to answer, in order, under this name."""
        self._scripts[model] = list(replies)

    def chats(self, model: str) -> list[Body]:
        """The bodies of the chat requests that came under this name."""
        return self._chats[model]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def answer(self, path: str, body: Body) -> Body | None:
        """The answer to a request, or None where there is none."""
        if path == "/v1/embeddings":
            return self._embeddings(body)
        if path != "/v1/chat/completions" or body["model"] not in self._scripts:
            return None
        self._chats[body["model"]].append(body)
        replies = self._scripts[body["model"]]
        text = replies.pop(0) if len(replies) > 1 else replies[0]
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        return _envelope("chat.completion", body, choices=[choice], id="chat", created=0)

    def _embeddings(self, body: Body) -> Body:
        vectors = self._embedder.embed_documents(body["input"])
        data = [
            {"object": "embedding", "index": index, "embedding": [float(value) for value in vector]}
            for index, vector in enumerate(vectors)
        ]
        return _envelope("list", body, data=data)


def _envelope(kind: str, body: Body, **fields: Any) -> Body:
    usage = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
    return {"object": kind, "model": body["model"], "usage": usage, **fields}


def _handler(server: PromptServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:
            pass

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            answer = server.answer(self.path, body)
            payload = json.dumps(answer or {"error": {"message": "nothing here"}}).encode()
            self.send_response(404 if answer is None else 200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

    return Handler
