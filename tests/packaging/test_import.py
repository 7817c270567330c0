from __future__ import annotations

import json
from pathlib import Path

from tests.packaging.process import run_python

HEAVY = (
    "bm25s chromadb langchain langchain_classic langchain_core langgraph llama_index numpy openai pydantic "
    "rjieba sentence_transformers snowballstemmer torch transformers"
).split()

# Everything that an import could do behind the user's back, as the interpreter itself reports it.
WATCH = """
    import json, os, sys

    seen = []

    def watch(event, args):
        if event.startswith("socket.") or event in ("subprocess.Popen", "os.mkdir", "os.remove", "os.rename"):
            seen.append([event, str(args)])
        elif event != "open":
            return
        elif set("wax+") & set(args[1] or "") or (args[2] or 0) & (os.O_WRONLY | os.O_RDWR):
            seen.append([event, str(args[0])])

    sys.addaudithook(watch)
"""


def test_importing_takes_next_to_no_time() -> None:
    code = """
        import time
        start = time.perf_counter()
        import langmem_ext
        print(time.perf_counter() - start)
    """
    # The best of several: another process may have had the processor in the others.
    assert min(float(run_python(code)) for _ in range(5)) < 0.15


def test_importing_loads_nothing_heavy() -> None:
    code = f"""
        import sys
        import langmem_ext, langchain_langmem_ext, llama_index_langmem_ext
        langmem_ext.MemoryItem, langmem_ext.ModelError, langmem_ext.Embedder, langmem_ext.Message
        print(*sorted(set({HEAVY!r}) & set(sys.modules)))
    """
    assert run_python(code) == ""


def test_importing_writes_nothing_and_opens_no_socket(tmp_path: Path) -> None:
    code = (
        WATCH
        + """
    import langmem_ext, langchain_langmem_ext, llama_index_langmem_ext
    langmem_ext.LongTermMemory, langmem_ext.UserMemory
    print(json.dumps(seen))
    """
    )
    assert json.loads(run_python(code, home=tmp_path)) == []
    assert list(tmp_path.iterdir()) == []


def test_importing_warns_of_nothing() -> None:
    run_python(
        "import langmem_ext, langchain_langmem_ext, llama_index_langmem_ext; langmem_ext.LongTermMemory",
        "-W",
        "error",
    )


def test_using_every_name_opens_no_socket(tmp_path: Path) -> None:
    code = (
        WATCH
        + """
    import langmem_ext
    for name in langmem_ext.__all__:
        getattr(langmem_ext, name)
    print(json.dumps([event for event, _ in seen if event in ("socket.connect", "socket.getaddrinfo")]))
    """
    )
    assert json.loads(run_python(code, home=tmp_path)) == []
