"""Whether an event loop lives, asked by the parts that could hold it up; no clock decides."""

from __future__ import annotations

import asyncio
import inspect
import threading
from typing import Any


class LivingLoop:
    """Whether the event loop goes on while a part works: each call of the part waits for the loop to answer.

    Attributes:
        worked: The calls that were made.
        blocked: Those during which the loop stood still.
    """

    def __init__(self) -> None:
        self._loop, self._thread = asyncio.get_running_loop(), threading.get_ident()
        self.worked: list[str] = []
        self.blocked: list[str] = []

    def ask(self, name: str) -> None:
        self.worked.append(name)
        if threading.get_ident() == self._thread:
            self.blocked.append(f"{name} ran on the loop")
            return
        answer = asyncio.run_coroutine_threadsafe(asyncio.sleep(0), self._loop)
        try:
            answer.result(10)
        except TimeoutError:
            self.blocked.append(f"the loop stood still during {name}")

    def watch(self, part: Any) -> Any:
        """The part, each of its methods asking first."""
        return _Watched(part, self)


class _Watched:
    def __init__(self, part: Any, loop: LivingLoop) -> None:
        self._part, self._watcher = part, loop

    def __getattr__(self, name: str) -> Any:
        member = getattr(self._part, name)
        if not inspect.ismethod(member) or name == "check":  # which costs next to nothing
            return member

        def watched(*arguments: Any, **options: Any) -> Any:
            self._watcher.ask(f"{type(self._part).__name__}.{name}")
            return member(*arguments, **options)

        return watched
