"""A fresh interpreter: what an import does can be seen only once per process."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run_python(code: str, *flags: str, home: Path | None = None) -> str:
    """What the code prints; an AssertionError with its stderr when it fails."""
    env = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "integrations")]),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    if home is not None:
        env = {name: value for name, value in env.items() if not name.startswith("XDG_")}
        env.update(HOME=str(home), USERPROFILE=str(home), TMPDIR=str(home))
    done = subprocess.run(
        [sys.executable, *flags, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        env=env,
        cwd=home or ROOT,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
