"""A client for measuring: one thread that writes a message and reads until the wanted one comes.

No thread hands an answer to another, so that the times hold the server's work, two pipes, and little else.
"""

from __future__ import annotations

import os
import selectors
import subprocess
import time
from typing import IO, TYPE_CHECKING, Any, Self, cast

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

#: Far above what anything takes; without it a server that hangs would hang the benchmark.
PATIENCE = 60.0

CAPABILITIES: dict[str, Any] = {
    "textDocument": {"hover": {"contentFormat": ["markdown"]}},
    "general": {"positionEncodings": ["utf-16"]},
    "experimental": {"granum": {"protocolVersion": 1}},
}


class Message(msgspec.Struct):
    """Any message; which fields are set tells what it is."""

    id: int | str | None = None
    method: str | None = None
    params: msgspec.Raw = msgspec.Raw(b"null")
    result: msgspec.Raw = msgspec.Raw(b"null")
    error: msgspec.Raw = msgspec.Raw(b"")


_DECODER = msgspec.json.Decoder(Message)


class Connection:
    """A server process. A context manager: the process is gone when the block ends."""

    def __init__(self, command: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None) -> None:
        self.spawned = time.perf_counter()
        self._process = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
        )
        self._stdin = cast("IO[bytes]", self._process.stdin)
        self._out = cast("IO[bytes]", self._process.stdout).fileno()
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._out, selectors.EVENT_READ)
        self._received = bytearray()
        self._notices: list[Message] = []
        self._next = 0
        self._early: dict[int | str, Message] = {}

    @property
    def pid(self) -> int:
        """The server's process."""
        return self._process.pid

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        self._selector.close()
        self._stdin.close()
        cast("IO[bytes]", self._process.stdout).close()

    def initialize(self, root: Path) -> None:
        """The handshake, with one folder."""
        folder = {"uri": root.as_uri(), "name": root.name}
        params = {"processId": os.getpid(), "rootUri": root.as_uri(), "workspaceFolders": [folder]}
        self.request("initialize", {**params, "capabilities": CAPABILITIES})
        self.notify("initialized", {})

    def shut_down(self) -> None:
        """The orderly end."""
        self.request("shutdown", None)
        self.notify("exit", None)
        self._process.wait(PATIENCE)

    def request(self, method: str, params: object) -> Any:
        """Sends a request and returns its result."""
        message = self._answer(method, params)
        if bytes(message.error):
            raise RuntimeError(f"{method}: {bytes(message.error).decode()}")
        return msgspec.json.decode(message.result)

    def begin(self, method: str, params: object) -> int:
        """Sends a request whose answer nobody looks at; returns its number for ``is_answered``."""
        return self._ask(method, params)

    def is_answered(self, number: int) -> bool:
        """Whether the answer of a request that was only begun has been read."""
        return number in self._early

    def beside(self, method: str, params: object, meanwhile: Callable[[], None]) -> float:
        """Milliseconds until a request is answered, while others are asked again and again."""
        started = time.perf_counter()
        number = self._ask(method, params)
        while number not in self._early:
            meanwhile()
        self._early.pop(number)
        return (time.perf_counter() - started) * 1e3

    def _answer(self, method: str, params: object) -> Message:
        number = self._ask(method, params)
        while (message := self._receive()).method is not None or message.id != number:
            self._keep(message)
        return message

    def _ask(self, method: str, params: object) -> int:
        self._next += 1
        self._send({"jsonrpc": "2.0", "id": self._next, "method": method, "params": params})
        return self._next

    def timed(self, method: str, params: object) -> tuple[float, Any]:
        """The same, with its milliseconds."""
        started = time.perf_counter()
        result = self.request(method, params)
        return (time.perf_counter() - started) * 1e3, result

    def ping(self) -> float:
        """Milliseconds until a request that no one serves is refused: what the server's loop alone takes."""
        started = time.perf_counter()
        self._answer("bench/nothing", None)
        return (time.perf_counter() - started) * 1e3

    def notify(self, method: str, params: object) -> None:
        """Sends a notification."""
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def wait_for(self, method: str, wanted: Callable[[Any], bool]) -> Any:
        """The params of the next notification of ``method`` that is wanted; those before it are dropped."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            message = self._notices.pop(0) if self._notices else self._receive()
            if message.id is not None:
                self._keep(message)
            elif message.method == method and wanted(params := msgspec.json.decode(message.params)):
                return params
        raise TimeoutError(method)

    def heard(self, method: str) -> int:
        """How many notifications of ``method`` have come and are still kept."""
        return sum(notice.method == method for notice in self._notices)

    def forget(self) -> None:
        """Drops the notifications that have come."""
        self._notices.clear()

    def _keep(self, message: Message) -> None:
        if message.id is None:
            self._notices.append(message)
        elif message.method is not None:
            items = msgspec.json.decode(message.params).get("items", []) if bytes(message.params) != b"null" else []
            answer = [None] * len(items) if message.method == "workspace/configuration" else None
            self._send({"jsonrpc": "2.0", "id": message.id, "result": answer})
        else:
            self._early[message.id] = message

    def _send(self, message: dict[str, Any]) -> None:
        body = msgspec.json.encode(message)
        self._stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    def _receive(self) -> Message:
        while True:
            end = self._received.find(b"\r\n\r\n")
            if end >= 0:
                length = next(
                    int(line.split(b":")[1])
                    for line in bytes(self._received[:end]).split(b"\r\n")
                    if line.lower().startswith(b"content-length")
                )
                stop = end + 4 + length
                if len(self._received) >= stop:
                    body = bytes(self._received[end + 4 : stop])
                    del self._received[:stop]
                    return _DECODER.decode(body)
            if not self._selector.select(PATIENCE):
                raise TimeoutError("the server says nothing")
            data = os.read(self._out, 1 << 20)
            if not data:
                raise EOFError("the server has ended")
            self._received += data
