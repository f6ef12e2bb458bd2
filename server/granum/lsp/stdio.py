"""The process around a connection: its streams, its log, its parent, its end.

The real stdout is kept for the protocol alone: file descriptor 1 is duplicated and then pointed at stderr, so
that nothing that a library prints can reach the client.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import os
import stat
import sys
import threading
from typing import TYPE_CHECKING, BinaryIO

from granum.lsp.framing import READ_LIMIT
from granum.lsp.outbox import Outbox, ThreadSink, TransportSink

if TYPE_CHECKING:
    from collections.abc import Callable

PARENT_CHECK_SECONDS = 1.0


def take_stdout() -> BinaryIO:
    """Returns the real stdout as a binary stream and points descriptor 1 at stderr."""
    sys.stdout.flush()
    protocol_out = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    return io.BufferedWriter(protocol_out)


async def open_stdin() -> asyncio.StreamReader:
    """A reader over stdin: by the event loop where it can wait for pipes, else by a thread.

    asyncio cannot wait for regular files and devices, nor for the pipes that Windows gives to a child. It takes
    ``/dev/null`` all the same and fails later, in a callback, so that the server would wait for ever.
    """
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=READ_LIMIT, loop=loop)
    stdin = sys.stdin.buffer
    if sys.platform != "win32" and _is_waitable(stdin.fileno()):
        try:
            await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), stdin)
        except (OSError, ValueError):
            pass
        else:
            return reader
    threading.Thread(target=_pump, args=(stdin.fileno(), reader, loop), name="granum-stdin", daemon=True).start()
    return reader


def _is_waitable(descriptor: int) -> bool:
    mode = os.fstat(descriptor).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


def _pump(descriptor: int, reader: asyncio.StreamReader, loop: asyncio.AbstractEventLoop) -> None:
    taken = threading.Semaphore(16)  # chunks that the loop has not seen yet: bounds what a fast client can pile up

    def feed(chunk: bytes) -> None:
        reader.feed_data(chunk)
        taken.release()

    try:
        while chunk := os.read(descriptor, 65536):
            taken.acquire()
            loop.call_soon_threadsafe(feed, chunk)
    except OSError:
        pass  # the pipe broke: the same as its end
    with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits for the end any more
        loop.call_soon_threadsafe(reader.feed_eof)


async def open_stdout(stream: BinaryIO) -> Outbox:
    """An outbox over the real stdout: by the event loop where it can, else by a thread."""
    if sys.platform != "win32":
        loop = asyncio.get_running_loop()
        try:
            transport, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, stream)
        except (OSError, ValueError):
            pass
        else:
            return Outbox(TransportSink(transport))
    return Outbox(ThreadSink(stream))


def process_alive(pid: int) -> bool:
    """Whether a process of that id runs."""
    if sys.platform == "win32":
        return _windows_process_alive(pid)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def _windows_process_alive(pid: int) -> bool:
    """As above; on Windows ``os.kill`` would end the process that it is asked about."""
    import ctypes

    synchronize, timed_out = 0x00100000, 0x00000102
    kernel = ctypes.windll.kernel32  # type: ignore[attr-defined, unused-ignore]
    handle = kernel.OpenProcess(synchronize, False, pid)
    if not handle:
        return False
    try:
        return bool(kernel.WaitForSingleObject(handle, 0) == timed_out)
    finally:
        kernel.CloseHandle(handle)


async def watch_parent(pid: int, gone: Callable[[], None]) -> None:
    """Calls ``gone`` once that process has ended."""
    while process_alive(pid):  # noqa: ASYNC110 -- there is no portable event for the end of a process that is no child
        await asyncio.sleep(PARENT_CHECK_SECONDS)
    gone()
