"""The threads that do what the event loop must not: read the index and files."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

from granum.model.cancellation import CancelToken

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

READERS = 4
#: Reindexing blocks its thread for as long as it takes, so it never takes a reader's.
WAITERS = 4


class Executors:
    """A small pool that answers requests, one for calls that wait, and one thread for the lane's jobs."""

    def __init__(self) -> None:
        self._readers = ThreadPoolExecutor(READERS, "granum-reader")
        self._waiters = ThreadPoolExecutor(WAITERS, "granum-waiter")
        self._lane = ThreadPoolExecutor(1, "granum-lane")

    async def read(self, work: Callable[[CancelToken], T]) -> T:
        """Runs ``work`` in a reader thread.

        When the awaiting task is cancelled, so is the token, and work not begun is never begun.
        """
        return await _run(self._readers, work)

    async def wait(self, work: Callable[[CancelToken], T]) -> T:
        """The same in a thread that may be blocked for long."""
        return await _run(self._waiters, work)

    async def in_order(self, work: Callable[[], T]) -> T:
        """Runs a lane's job."""
        return await asyncio.get_running_loop().run_in_executor(self._lane, work)

    def close(self) -> None:
        """Takes no more work, and waits for none."""
        for pool in (self._readers, self._waiters, self._lane):
            pool.shutdown(wait=False, cancel_futures=True)


async def _run(pool: ThreadPoolExecutor, work: Callable[[CancelToken], T]) -> T:
    token = CancelToken()
    try:
        return await asyncio.get_running_loop().run_in_executor(pool, work, token)
    except asyncio.CancelledError:
        token.cancel()
        raise
