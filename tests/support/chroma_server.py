"""A real Chroma server on the loopback interface, as a child process."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import Self

_STARTS_WITHIN = 30.0  # seconds
_ATTEMPTS = 3  # somebody else may take the free port before the server does


class ChromaServer:
    """`chroma run` with a data directory of its own, from `with` to the end of the block."""

    def __enter__(self) -> Self:
        self._folder = tempfile.TemporaryDirectory(prefix="chroma-server-", ignore_cleanup_errors=True)
        for attempt in range(1, _ATTEMPTS + 1):
            self._port = _free_port()
            self.url = f"http://127.0.0.1:{self._port}"
            self._process = _start(self._folder.name, self._port)
            if self._is_ready():
                return self
            self.stop()
            if attempt == _ATTEMPTS:
                break
        self._folder.cleanup()
        raise RuntimeError("chroma run does not answer")

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()
        self._folder.cleanup()

    def _is_ready(self) -> bool:
        until = time.monotonic() + _STARTS_WITHIN
        while time.monotonic() < until and self._process.poll() is None:
            try:
                with urllib.request.urlopen(f"{self.url}/api/v2/heartbeat", timeout=1) as answer:
                    return bool(answer.status == 200)
            except (urllib.error.URLError, OSError):
                time.sleep(0.05)
        return False

    def start_again(self) -> None:
        """The same server at the same place, after `stop`."""
        self._process = _start(self._folder.name, self._port)
        if not self._is_ready():
            raise RuntimeError("chroma run does not answer any more")

    def stop(self) -> None:
        """End it; its data stay."""
        self._process.terminate()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _start(folder: str, port: int) -> subprocess.Popen[bytes]:
    beside_python = Path(sys.executable).with_name("chroma")
    command = str(beside_python) if beside_python.exists() else "chroma"
    return subprocess.Popen(
        [command, "run", "--path", folder, "--host", "127.0.0.1", "--port", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "ANONYMIZED_TELEMETRY": "False"},
    )
