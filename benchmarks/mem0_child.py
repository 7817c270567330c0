"""Runs in an environment of its own, which has mem0: adds turns to it, as `mem0_cost.py` asks on stdin.

    python -I mem0_child.py FOLDER < request.json

All that mem0 writes goes into FOLDER. The last line printed is JSON with mem0's version; what was sent to the
LLM, the server at the other end knows.
"""

from __future__ import annotations

import json
import os
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any


def main(folder: Path) -> None:
    request = json.load(sys.stdin)
    # Read when mem0 is imported; a home of its own, because it keeps an id of the user there.
    os.environ.update(MEM0_TELEMETRY="False", MEM0_DIR=str(folder / "mem0"), HOME=str(folder))
    from mem0 import Memory

    for number, case in enumerate(request["cases"]):
        memory = Memory.from_config(_config(request, case["model"], folder / str(number)))
        for text in case["memories"]:
            memory.add(text, user_id="u-1001", infer=False)
        memory.add(case["turn"], user_id="u-1001")
    print(json.dumps({"version": version("mem0ai")}))


def _config(request: dict[str, Any], model: str, folder: Path) -> dict[str, Any]:
    """mem0 as it comes, on the server that was named and in files below the folder."""
    folder.mkdir()
    server = {"openai_base_url": request["base_url"], "api_key": "not-needed"}
    store = {"path": str(folder / "qdrant"), "embedding_model_dims": request["dim"]}
    return {
        "llm": {"provider": "openai", "config": {"model": model, **server}},
        "embedder": {"provider": "openai", "config": {"model": "embedder", **server}},
        "vector_store": {"provider": "qdrant", "config": store},
        "history_db_path": str(folder / "history.db"),
    }


if __name__ == "__main__":
    main(Path(sys.argv[1]))
