"""The process that serves: its streams, its signals, and its end."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from typing import TYPE_CHECKING

from granum.lsp import logs, stdio
from granum.lsp.framing import READ_LIMIT
from granum.lsp.outbox import Outbox, TransportSink

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO, NoReturn

log = logging.getLogger(__name__)

EXIT_SIGNALLED = 128
EXIT_FAULT = 70  # sysexits.h: internal software error


def serve_stdio() -> NoReturn:
    """Serves over stdio and ends the process: threads and workers that still run must not keep it alive."""
    out = stdio.take_stdout()
    logs.configure()
    code = EXIT_FAULT
    try:
        code = _run(out)
    except KeyboardInterrupt:
        code = EXIT_SIGNALLED + signal.SIGINT
    except Exception as error:  # the last border: the log must have it before the process ends
        log.critical("the server failed", exc_info=error)
    finally:
        sys.stderr.flush()
        os._exit(code)


def _run(out: BinaryIO) -> int:
    # asyncio.run would wait for the default executor's threads, which may wait for a disk
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    return loop.run_until_complete(_stdio(out))


async def _stdio(out: BinaryIO) -> int:
    from granum.lsp.server import GranumServer

    reader = await stdio.open_stdin()
    outbox = await stdio.open_stdout(out)
    server = GranumServer()
    _stop_on_signals(server.stop)
    return await server.serve(reader, outbox)


def _stop_on_signals(stop: Callable[[int], None]) -> None:
    if sys.platform == "win32":
        return
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(number, stop, EXIT_SIGNALLED + number)


def serve_tcp(host: str, port: int) -> int:
    """Serves one client over TCP."""
    logs.configure()
    return asyncio.run(_tcp(host, port))


async def _tcp(host: str, port: int) -> int:
    from granum.lsp.server import GranumServer

    connected: asyncio.Queue[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = asyncio.Queue(1)

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if connected.full() or not listening.is_serving():
            writer.close()
            return
        connected.put_nowait((reader, writer))

    listening = await asyncio.start_server(accept, host, port, limit=READ_LIMIT)
    address = listening.sockets[0].getsockname()
    print(f"granum: listening on {address[0]}:{address[1]}", file=sys.stderr, flush=True)  # noqa: T201
    reader, writer = await connected.get()
    listening.close()
    return await GranumServer().serve(reader, Outbox(TransportSink(writer.transport)))
