"""One line of jobs that run in the order in which the client caused them.

Opening a document, editing it, saving it, adding a folder: each needs the disk or the index, so none may run on the
event loop, and each means what it means only after those before it. A request waits for the jobs that came before
it, and so sees every edit that its sender had made.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from granum.lsp.errors import logged

log = logging.getLogger(__name__)

Job = Callable[[], Awaitable[None]]


class Lane:
    """Runs jobs one after another on the event loop; each job leaves it for its own slow parts."""

    def __init__(self) -> None:
        self._jobs: asyncio.Queue[tuple[str, Job, asyncio.Future[None]]] = asyncio.Queue()
        self._tail: asyncio.Future[None] | None = None
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begins to run jobs."""
        self._task = asyncio.get_running_loop().create_task(self._run(), name="lane")

    def stop(self) -> None:
        """Runs no further job."""
        if self._task is not None:
            self._task.cancel()

    def put(self, name: str, job: Job) -> None:
        """Adds a job. One that fails is logged and does not stop the next."""
        self._tail = asyncio.get_running_loop().create_future()
        self._jobs.put_nowait((name, job, self._tail))

    async def drained(self) -> None:
        """Waits for the jobs that are in the lane now."""
        tail = self._tail
        if tail is not None and not tail.done():
            await asyncio.shield(tail)

    async def _run(self) -> None:
        while True:
            name, job, done = await self._jobs.get()
            try:
                await job()
            except Exception as error:  # noqa: BLE001 -- one document's trouble must not deafen the server to all others
                logged(error, name)
            finally:
                if not done.done():
                    done.set_result(None)
