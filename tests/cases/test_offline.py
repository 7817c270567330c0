"""Nothing leaves the machine, and an old system is told what it lacks."""

from __future__ import annotations

import os

from tests.support.memories import run_python

WATCHED = """
    import logging, socket, sys

    logging.basicConfig(level=logging.INFO, stream=sys.stderr)
    tried = []
    connect = socket.socket.connect

    def watched(self, address):
        if self.family in (socket.AF_INET, socket.AF_INET6) and str(address[0]) not in ("127.0.0.1", "::1"):
            tried.append(address)
            raise OSError("no network in this test")
        return connect(self, address)

    socket.socket.connect = watched

    def unknown(*arguments, **options):
        tried.append(arguments)
        raise socket.gaierror("no network in this test")

    socket.getaddrinfo = unknown

    from langmem_ext import LongTermMemory
    from langmem_ext.models.packaged import PackagedE5Embedder

    with LongTermMemory(sys.argv[1], embedder=PackagedE5Embedder()) as memory:
        user = memory.for_user("u1")
        user.remember("用户住在杭州")
        user.add("I live in Lyon.")
        assert user.search("杭州")[0].content == "用户住在杭州"
        assert user.context("Lyon").text
    print("tried", tried)
"""


def test_no_connection_is_tried_and_no_telemetry_is_mentioned(tmp_path: object) -> None:
    env = {
        name: value
        for name, value in os.environ.items()
        if "TELEMETRY" not in name and not name.startswith("HF_")
    }
    done = run_python(WATCHED, str(tmp_path), env={**env, "HOME": str(tmp_path)}, timeout=120)
    assert done.stdout == "tried []\n", done.stderr
    assert "posthog" not in done.stderr.lower() and "capture()" not in done.stderr
    assert "杭州" not in done.stderr and "Lyon" not in done.stderr  # and no words of the user in a log


OLD = """
    import sqlite3, sys
    sqlite3.sqlite_version_info = (3, 31, 1)
    sqlite3.sqlite_version = "3.31.1"
    import langmem_ext
    from langmem_ext import LongTermMemory, StorageError
    from langmem_ext.testing import FakeEmbedder

    try:
        LongTermMemory(sys.argv[1], embedder=FakeEmbedder())
    except StorageError as error:
        print(error)
"""


def test_an_old_sqlite_does_not_stop_the_import_and_is_explained_on_opening(tmp_path: object) -> None:
    done = run_python(OLD, str(tmp_path))
    for word in ("3.31.1", "3.35.0", "pysqlite3"):
        assert word in done.stdout, done.stderr
