"""Where messages leave: framed, in order, and never blocking the event loop.

A client that sends a thousand requests before it reads the first answer fills the pipe; a blocking write would
then stop the server from reading, and both would wait for ever.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from typing import BinaryIO

log = logging.getLogger(__name__)

#: Above this the client has stopped reading; keeping more for it would only fill the memory.
MAX_UNSENT_BYTES = 512 * 1024 * 1024


class Sink(Protocol):
    """Takes bytes at once and sends them when it can."""

    def write(self, data: bytes) -> None:
        """Takes bytes."""

    def unsent(self) -> int:
        """Bytes taken and not sent yet."""

    async def flush(self, seconds: float) -> None:
        """Waits until everything is sent or ``seconds`` have passed."""


class Outbox:
    """Frames messages for one connection."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._closed = False

    def send(self, body: bytes) -> None:
        """Sends one message. After the client is gone it does nothing."""
        if self._closed:
            return
        if self._sink.unsent() > MAX_UNSENT_BYTES:
            log.error("the client does not read; messages are dropped from now on")
            self._closed = True
            return
        self._sink.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    async def close(self, seconds: float) -> None:
        """Sends what is left, for ``seconds`` at most, and takes nothing more."""
        self._closed = True
        await self._sink.flush(seconds)


class TransportSink:
    """Sends through an asyncio transport: at once if the pipe has room."""

    def __init__(self, transport: asyncio.WriteTransport) -> None:
        self._transport = transport

    def write(self, data: bytes) -> None:
        """Hands bytes to the transport."""
        if not self._transport.is_closing():
            self._transport.write(data)

    def unsent(self) -> int:
        """Bytes that the pipe had no room for."""
        return self._transport.get_write_buffer_size()

    async def flush(self, seconds: float) -> None:
        """Waits until everything is written or ``seconds`` have passed."""
        deadline = asyncio.get_running_loop().time() + seconds
        while self.unsent() and not self._transport.is_closing():
            if asyncio.get_running_loop().time() > deadline:
                return
            await asyncio.sleep(0.005)


class ThreadSink:
    """Sends from a thread of its own, for files and for platforms whose pipes asyncio cannot write."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._queue: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._unsent = 0
        self._done = threading.Event()
        threading.Thread(target=self._run, name="granum-outbox", daemon=True).start()

    def write(self, data: bytes) -> None:
        """Queues bytes."""
        with self._lock:
            self._unsent += len(data)
        self._queue.put(data)

    def unsent(self) -> int:
        """Bytes that are queued."""
        return self._unsent

    async def flush(self, seconds: float) -> None:
        """Waits until everything is written or ``seconds`` have passed."""
        self._queue.put(None)
        await asyncio.get_running_loop().run_in_executor(None, self._done.wait, seconds)

    def _run(self) -> None:
        try:
            while (data := self._queue.get()) is not None:
                self._stream.write(data)
                self._stream.flush()
                with self._lock:
                    self._unsent -= len(data)
        except (OSError, ValueError) as error:
            log.warning("the client is gone", extra={"reason": str(error)})
        finally:
            self._done.set()
