"""One server for one client: what it holds, and its life from the first byte to the last.

The event loop only parses, dispatches and awaits. Whatever touches a file, git or the index runs in ``executors``;
what must keep the client's order goes through the ``lane``.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcParseError
from pygls.lsp.server import LanguageServer

from granum import __version__
from granum.lsp import features
from granum.lsp.announcements import Announcements
from granum.lsp.buffers import Buffers
from granum.lsp.capabilities import ClientFlags
from granum.lsp.executors import Executors
from granum.lsp.folders import Folders
from granum.lsp.framing import BrokenStreamError, FramingError, frames
from granum.lsp.lane import Lane
from granum.lsp.progress import Works
from granum.lsp.protocol import GranumProtocol
from granum.lsp.reading import Reading
from granum.lsp.scanning import Scanning
from granum.lsp.stdio import process_alive, watch_parent
from granum.model.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence

    import msgspec

    from granum.lsp.outbox import Outbox
    from granum.model.answers import DocumentChange, Status

    P = TypeVar("P")

log = logging.getLogger(__name__)

#: Messages taken in a row before the loop turns to its other work.
MESSAGES_A_TURN = 32
FLUSH_SECONDS = 1.0
CLOSE_SECONDS = 2.0
REGISTER_TIMEOUT_SECONDS = 10.0

EXIT_FAILED = 1


class GranumServer(LanguageServer):
    """Owns the connection's state. Everything but the engine's callbacks runs on the event loop."""

    protocol: GranumProtocol

    def __init__(self) -> None:
        super().__init__("granum", __version__, protocol_cls=GranumProtocol)
        self.protocol.requests = features.requests()
        self.protocol.notices = features.notices()
        self.settings = Settings()
        self.buffers = Buffers()
        self.executors = Executors()
        self.lane = Lane()
        self.folders = Folders(self)
        self.works = Works(self.protocol)
        self.initialized = asyncio.Event()
        self._stopped: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._loop = asyncio.get_running_loop()
        self._tasks: set[asyncio.Task[Any]] = set()
        self.begin(ClientFlags())

    def begin(self, flags: ClientFlags) -> None:
        """Settles what the client can do."""
        self.flags = flags
        self.announcements = Announcements(self.protocol, self.folders, flags)
        self.scanning = Scanning(self.works, flags, self.spawn)

    # -- life -------------------------------------------------------------------------------------------

    async def serve(self, reader: asyncio.StreamReader, outbox: Outbox) -> int:
        """Serves until the client leaves, and returns the exit code."""
        self.protocol.outbox = outbox
        self.lane.start()
        self.spawn(self._receive(reader))
        code = await self._stopped
        await self._end(outbox)
        return code

    def stop(self, code: int) -> None:
        """Ends ``serve``. The first reason counts."""
        if not self._stopped.done():
            self._stopped.set_result(code)

    def watch(self, process_id: int) -> None:
        """Ends with the client's process, for a client that dies without closing the pipe.

        One that cannot be seen now is not watched: the client may live in another container.
        """
        if process_alive(process_id):
            self.spawn(watch_parent(process_id, lambda: self.stop(EXIT_FAILED)))

    async def _receive(self, reader: asyncio.StreamReader) -> None:
        taken = 0
        try:
            async for frame in frames(reader):
                if isinstance(frame, FramingError):
                    self.protocol.refuse(None, JsonRpcParseError(str(frame)))
                else:
                    self.protocol.receive(frame)
                taken += 1
                if taken % MESSAGES_A_TURN == 0:
                    await asyncio.sleep(0)
        except BrokenStreamError as error:
            self.protocol.refuse(None, JsonRpcParseError(str(error)))
        except ConnectionError as error:
            log.info("the connection broke", extra={"reason": str(error)})
        self.stop(self.protocol.exit_code())

    async def _end(self, outbox: Outbox) -> None:
        """Sends what is left and closes the indexes, within bounds: the client must not wait for work nobody wants."""
        self.announcements.stop()
        self.lane.stop()
        self.protocol.shut_down()
        for task in self._tasks:
            task.cancel()
        await outbox.close(FLUSH_SECONDS)
        closing = self._loop.run_in_executor(None, self.folders.close)
        await asyncio.wait([closing], timeout=CLOSE_SECONDS)
        self.executors.close()

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Runs work of the server's own until it is done or the server ends."""
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # -- work -------------------------------------------------------------------------------------------

    async def read(self, answer: Callable[[Reading, P], object], params: P) -> msgspec.Raw:
        """Answers a request in a reader thread, once the jobs that came before it are done.

        The answer is encoded there too: a long one would hold the loop up.
        """
        await self.lane.drained()
        flags, settings = self.flags, self.settings
        return await self.executors.read(
            lambda token: self.protocol.encoded(
                answer(Reading(self.folders, self.buffers, flags, settings, token), params)
            )
        )

    def tell(self, kind: types.MessageType, message: str) -> None:
        """Writes a line to the client's log for this server."""
        self.window_log_message(types.LogMessageParams(type=kind, message=message))

    def register(self, method: str, options: object) -> None:
        """Asks the client to send a notification that it sends on request only."""
        registration = types.Registration(id=f"granum-{method}", method=method, register_options=options)
        self.spawn(self._register(types.RegistrationParams(registrations=[registration])))

    async def _register(self, params: types.RegistrationParams) -> None:
        try:
            await self.protocol.ask(types.CLIENT_REGISTER_CAPABILITY, params, REGISTER_TIMEOUT_SECONDS)
        except (TimeoutError, JsonRpcException) as error:
            log.info("not registered", extra={"reason": str(error)})

    # -- what the engine says, in its own threads -------------------------------------------------------

    def changed(self, folder_uri: str, changes: Sequence[DocumentChange]) -> None:
        """Documents have new rows."""
        self._on_loop(lambda: self.announcements.changed(folder_uri, changes))

    def status_changed(self, folder_uri: str, status: Status) -> None:
        """A folder's status is new."""
        self._on_loop(lambda: self._take_status(folder_uri, status))

    def progressed(self, folder_uri: str, done: int, total: int) -> None:
        """A scan went on."""
        self.scanning.progressed(folder_uri, done, total)

    def _take_status(self, folder_uri: str, status: Status) -> None:
        self.announcements.status_changed(folder_uri, status)
        if status.quiescent:
            self.scanning.ended(folder_uri)

    def _on_loop(self, act: Callable[[], None]) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(act)
