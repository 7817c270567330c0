"""IPython without a terminal: cells go in, results and what was printed come out."""

from __future__ import annotations

import atexit
import contextlib
import io
from typing import Any

from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config


class Shell:
    """An `InteractiveShell` that notes what its cells print, and writes no history."""

    def __init__(self) -> None:
        make: Any = InteractiveShell
        self.ip = make(config=Config({"HistoryManager": {"enabled": False}}))
        self.printed = ""

    def run(self, cell: str) -> Any:
        """The result of a cell; an error raises what the cell raised."""
        result = self._run(cell)
        result.raise_error()
        return result.result

    def fails(self, cell: str) -> str:
        """What a cell that fails prints."""
        assert self._run(cell).error_in_exec is not None
        return self.printed

    def _run(self, cell: str) -> Any:
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            result = self.ip.run_cell(cell, store_history=False)
        self.printed = out.getvalue()
        return result

    def close(self) -> None:
        """Let go of what IPython holds until the interpreter ends."""
        atexit.unregister(self.ip.atexit_operations)
        self.ip.atexit_operations()
        self.ip.restore_sys_module_state()
