"""The progress of background scans: the first index, and large rescans after it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    from granum.lsp.capabilities import ClientFlags
    from granum.lsp.progress import Works

#: A scan of fewer files is over before anyone could read of it.
MIN_FILES = 20
REPORT_SECONDS = 0.1


class _Scan:
    """One folder's scan, from its first report to its last."""

    def __init__(self) -> None:
        self.over = asyncio.Event()
        self.done = 0
        self.total = 0


class Scanning:
    """Shows one piece of progress for each folder that is being scanned."""

    def __init__(
        self,
        works: Works,
        flags: ClientFlags,
        spawn: Callable[[Coroutine[Any, Any, None]], None],
    ) -> None:
        self._works = works
        self._flags = flags
        self._spawn = spawn
        self._loop = asyncio.get_running_loop()
        self._scans: dict[str, _Scan] = {}
        self._next_report = 0.0

    def progressed(self, folder_uri: str, done: int, total: int) -> None:
        """A scan went on. From any thread, and cheap: a scan reports every file."""
        now = self._loop.time()
        if not self._flags.work_done_progress or (done < total and now < self._next_report):
            return
        self._next_report = now + REPORT_SECONDS
        self._loop.call_soon_threadsafe(self._take, folder_uri, done, total)

    def ended(self, folder_uri: str) -> None:
        """The folder is at rest, whatever its last report said."""
        scan = self._scans.pop(folder_uri, None)
        if scan is not None:
            scan.over.set()

    def _take(self, folder_uri: str, done: int, total: int) -> None:
        if done >= total:
            self.ended(folder_uri)
            return
        scan = self._scans.get(folder_uri)
        if scan is None and total >= MIN_FILES:
            scan = self._scans[folder_uri] = _Scan()
            self._spawn(self._show(scan))
        if scan is not None:
            scan.done, scan.total = done, total

    async def _show(self, scan: _Scan) -> None:
        async with self._works.working("Granum: indexing", None, self._flags.work_done_progress, None) as work:
            while not scan.over.is_set():
                work.report(scan.done, scan.total)
                try:
                    await asyncio.wait_for(scan.over.wait(), REPORT_SECONDS)
                except TimeoutError:
                    continue
