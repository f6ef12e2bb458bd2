"""A small editor's end of LSP: starts a server as a subprocess and speaks JSON-RPC over its stdin and stdout.

It is deliberately apart from the server's own protocol code, so that what works here works for an editor that has
never heard of Granum. One thread reads; requests wait for their answer, and notifications are kept until asked for.
"""

from __future__ import annotations

import subprocess
import tempfile
import threading
import time
from collections import deque
from typing import IO, TYPE_CHECKING, Any, Self, TypeVar, cast

import msgspec

from granum.cli.exits import EnvironmentFaultError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path
    from types import TracebackType

T = TypeVar("T")

#: Seconds after which an answer is given up; a watchdog, far above what any request takes.
PATIENCE = 60.0
KEPT_NOTIFICATIONS = 10_000


class Failure(msgspec.Struct, frozen=True):
    """A JSON-RPC error."""

    code: int
    message: str


class Message(msgspec.Struct, frozen=True):
    """Any JSON-RPC message; which fields are there tells what it is."""

    id: int | str | None = None
    method: str | None = None
    params: msgspec.Raw = msgspec.Raw(b"null")
    result: msgspec.Raw = msgspec.Raw(b"null")
    error: Failure | None = None


class ServerError(EnvironmentFaultError):
    """The server died, refused a request, or did not answer in time."""


class Client:
    """One connection to one server process.

    Use it as a context manager: the process is gone when the block ends, however it ends.
    """

    def __init__(self, command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> None:
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed when this context ends
        self._process = subprocess.Popen(
            command,
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
        )
        self._changed = threading.Condition()
        # apart from the condition: a write may block on a full pipe, and the reader must go on to empty the other one
        self._writing = threading.Lock()
        self._answers: dict[int, Message] = {}
        self._notifications: deque[Message] = deque(maxlen=KEPT_NOTIFICATIONS)
        self._next_id = 0
        self._ended = False
        self._reader = threading.Thread(target=self._read, name="lsp-client", daemon=True)

    def __enter__(self) -> Self:
        self._reader.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        self._reader.join()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                # a dead server leaves unwritten bytes behind, which close() would complain of
                try:
                    stream.close()
                except BrokenPipeError:
                    continue
        self._log.close()

    def request(self, method: str, params: object, result: type[T], *, patience: float = PATIENCE) -> T:
        """Sends a request and waits for its answer.

        Raises:
            ServerError: It was refused or not answered within ``patience`` seconds.
        """
        with self._changed:
            self._next_id += 1
            number = self._next_id
        self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        with self._changed:
            if not self._changed.wait_for(lambda: number in self._answers or self._ended, patience):
                raise ServerError(f"the server did not answer {method} within {patience:.0f} s")
            answer = self._answers.pop(number, None)
        if answer is None:
            raise self._death(method)
        if answer.error is not None:
            raise ServerError(f"the server refused {method}: {answer.error.message}")
        return msgspec.json.decode(answer.result, type=result)

    def notify(self, method: str, params: object) -> None:
        """Sends a notification."""
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def wait_for(
        self, method: str, params: type[T], wanted: Callable[[T], bool], patience: float = PATIENCE
    ) -> T | None:
        """Takes the first notification of ``method`` that is ``wanted`` and drops those before it.

        Returns:
            Its params, or None if it has not come within ``patience`` seconds.
        """
        deadline = time.monotonic() + patience
        with self._changed:
            while True:
                for message in [kept for kept in self._notifications if kept.method == method]:
                    self._notifications.remove(message)
                    value = msgspec.json.decode(message.params, type=params)
                    if wanted(value):
                        return value
                left = deadline - time.monotonic()
                if self._ended or left <= 0:
                    return None
                self._changed.wait(left)

    def forget(self, method: str) -> None:
        """Drops the notifications of ``method`` that have come so far, so that the next wait is for news."""
        with self._changed:
            kept = [message for message in self._notifications if message.method != method]
            self._notifications.clear()
            self._notifications.extend(kept)

    def stop(self) -> int:
        """Ends the server as the protocol asks, and answers its exit code."""
        self.request("shutdown", None, object)
        self.notify("exit", None)
        try:
            return self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired as error:
            raise ServerError("the server did not end after 'exit'") from error

    def _send(self, message: dict[str, Any]) -> None:
        body = msgspec.json.encode(message)
        stdin = cast("IO[bytes]", self._process.stdin)
        try:
            with self._writing:
                stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
                stdin.flush()
        except BrokenPipeError as error:
            raise self._death(str(message.get("method"))) from error

    def _read(self) -> None:
        decoder = msgspec.json.Decoder(Message)
        for body in frames(cast("IO[bytes]", self._process.stdout)):
            message = decoder.decode(body)
            if message.method is not None and message.id is not None:
                self._answer(message)
                continue
            with self._changed:
                if message.method is not None:
                    self._notifications.append(message)
                elif isinstance(message.id, int):
                    self._answers[message.id] = message
                self._changed.notify_all()
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def _answer(self, message: Message) -> None:
        """Answers a request of the server as an editor without any settings of its own does."""
        result: object = None
        if message.method == "workspace/configuration":
            result = [None] * len(msgspec.json.decode(message.params)["items"])
        try:
            self._send({"jsonrpc": "2.0", "id": message.id, "result": result})
        except ServerError:
            return  # it has ended; whoever waits for it is told so by the end of its output

    def _death(self, method: str) -> ServerError:
        self._log.seek(0)
        said = self._log.read().decode(errors="replace").strip().split("\n")[-1]
        return ServerError(f"the server ended before it answered {method}" + (f"; it said: {said}" if said else ""))


def frames(stream: IO[bytes]) -> Iterator[bytes]:
    """The bodies of the messages in a stream, up to its end."""
    while True:
        length = None
        while line := stream.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        if length is None:
            return
        body = stream.read(length)
        if len(body) < length:
            return
        yield body
