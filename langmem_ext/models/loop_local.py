"""One asynchronous client per event loop, closed together with its loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable
from typing import Generic, Protocol, TypeVar


class AsyncClosable(Protocol):
    """A client that is closed with `await client.close()`."""

    async def close(self) -> None:
        """Give back the connections."""


C = TypeVar("C", bound=AsyncClosable)


class LoopLocal(Generic[C]):
    """Hands out a client that belongs to the running event loop.

    A pool of connections is tied to the loop that opened them. With one client for all, the second
    `asyncio.run` of a program fails on a connection of the first.
    """

    def __init__(self, make: Callable[[], C]) -> None:
        self._make = make
        self._clients: dict[asyncio.AbstractEventLoop, tuple[C, AsyncGenerator[None, None]]] = {}
        self._lock = threading.Lock()

    async def get(self) -> C:
        """The client of this loop, made at the first call."""
        loop = asyncio.get_running_loop()
        with self._lock:
            found = self._clients.get(loop)
            if found is not None:
                return found[0]
            for other in [other for other in self._clients if other.is_closed()]:
                del self._clients[other]
            client = self._make()
            keeper = self._closed_with_loop(loop, client)
            self._clients[loop] = (client, keeper)
        await anext(keeper)
        return client

    async def close(self) -> None:
        """Close the client of this loop; the next call makes another one."""
        found = self._clients.get(asyncio.get_running_loop())
        if found is not None:
            await found[1].aclose()

    async def _closed_with_loop(
        self, loop: asyncio.AbstractEventLoop, client: C
    ) -> AsyncGenerator[None, None]:
        # A suspended asynchronous generator is what asyncio.run still finishes before it closes the loop.
        try:
            yield
        finally:
            with self._lock:
                self._clients.pop(loop, None)
            await client.close()
