"""Work that takes a while, shown by the client: ``$/progress``, only where the client supports it.

Runs on the event loop; ``Work.report`` may be called from any thread.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcException

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from granum.lsp.protocol import GranumProtocol
    from granum.lsp.wire import ProgressToken

log = logging.getLogger(__name__)

REPORT_SECONDS = 0.1
CREATE_TIMEOUT_SECONDS = 5.0


class Work:
    """One piece of work. Without a token it shows nothing, and costs its caller no case of its own."""

    def __init__(self, protocol: GranumProtocol, token: ProgressToken | None) -> None:
        self._protocol = protocol
        self._token = token
        self._loop = asyncio.get_running_loop()
        self._next_report = 0.0
        self._open = False

    def begin(self, title: str, cancellable: bool) -> None:
        """Shows the work."""
        self._open = True
        self._notify(types.WorkDoneProgressBegin(title=title, cancellable=cancellable, percentage=0))

    def report(self, done: int, total: int) -> None:
        """Tells how many files of ``total`` are done. From any thread; the client hears ten times a second at most."""
        now = self._loop.time()
        if self._token is None or now < self._next_report:
            return
        self._next_report = now + REPORT_SECONDS
        self._loop.call_soon_threadsafe(self._report, done, total)

    def end(self, message: str) -> None:
        """Hides the work."""
        if self._open:
            self._notify(types.WorkDoneProgressEnd(message=message))
        self._open = False

    def _report(self, done: int, total: int) -> None:
        if self._open:
            percentage = min(100, done * 100 // total) if total > 0 else None
            self._notify(types.WorkDoneProgressReport(message=f"{done} / {total} files", percentage=percentage))

    def _notify(
        self, value: types.WorkDoneProgressBegin | types.WorkDoneProgressReport | types.WorkDoneProgressEnd
    ) -> None:
        if self._token is not None:
            params = types.ProgressParams(token=self._token, value=self._protocol.plain(value))
            self._protocol.notify(types.PROGRESS, params)


class Works:
    """All work under way, and how the client calls it off."""

    def __init__(self, protocol: GranumProtocol) -> None:
        self._protocol = protocol
        self._cancels: dict[ProgressToken, Callable[[], object]] = {}

    @asynccontextmanager
    async def working(
        self, title: str, token: ProgressToken | None, supported: bool, cancel: Callable[[], object] | None
    ) -> AsyncIterator[Work]:
        """Shows work while the block runs.

        Args:
            title: What the client shows.
            token: The client's own token, which came with its request.
            supported: Whether the client lets the server create one otherwise.
            cancel: Called when the user calls the work off; None for work that cannot be.
        """
        if token is None and supported:
            token = await self._create()
        work = Work(self._protocol, token)
        if token is not None and cancel is not None:
            self._cancels[token] = cancel
        work.begin(title, cancel is not None)
        message = "cancelled"
        try:
            yield work
            message = "done"
        finally:
            work.end(message)
            if token is not None:
                self._cancels.pop(token, None)

    def cancel(self, token: ProgressToken) -> None:
        """The user calls work off. Work that has ended meanwhile is ignored."""
        cancel = self._cancels.get(token)
        if cancel is not None:
            cancel()

    async def _create(self) -> ProgressToken | None:
        token = f"granum-{uuid.uuid4().hex}"
        params = types.WorkDoneProgressCreateParams(token=token)
        try:
            await self._protocol.ask(types.WINDOW_WORK_DONE_PROGRESS_CREATE, params, CREATE_TIMEOUT_SECONDS)
        except (TimeoutError, JsonRpcException) as error:
            log.info("the client shows no progress", extra={"reason": str(error)})
            return None
        return token
