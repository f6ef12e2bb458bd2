"""A client that forgives nothing: every message must be expected, every request answered once.

It speaks raw JSON-RPC to a real server process. A notification or a request from the server that the test neither
awaited nor announced fails the test at the end, as do a second answer, an answer to nothing, bytes on stdout that are
no message, and a wrong exit code.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

JSON = dict[str, Any]
SERVER = Path(__file__).resolve().parents[2] / "server"
#: Generous: a loaded machine is no failure.
WATCHDOG_SECONDS = 60.0


class RpcError(Exception):
    """The server answered with an error."""

    def __init__(self, error: JSON) -> None:
        super().__init__(f"{error['code']}: {error['message']}")
        self.code: int = error["code"]
        self.message: str = error["message"]


def frame(message: object) -> bytes:
    """A message as it crosses the wire."""
    body = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


class StrictClient:
    """One server process and the conversation with it; a context manager that ends both."""

    def __init__(
        self, cache: Path, *, command: Sequence[str] = ("-m", "granum", "serve"), optional: Iterable[str] = ()
    ) -> None:
        """Starts a server.

        Args:
            cache: Where the server keeps its index.
            command: What Python runs.
            optional: Notifications that may come unread.
        """
        environment = {**os.environ, "PYTHONPATH": str(SERVER), "GRANUM_CACHE_DIR": str(cache)}
        self.process = subprocess.Popen(
            [sys.executable, *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
        )
        self.answerers: dict[str, Callable[[Any], Any]] = {}
        self.optional = set(optional)
        self.stderr = b""
        self.asked: list[JSON] = []
        self._ids = 0
        self._open: set[Any] = set()
        self._answers: dict[Any, JSON] = {}
        self._unread: list[JSON] = []
        self._faults: list[str] = []
        self._incoming: queue.Queue[JSON | None] = queue.Queue()
        self._lock = threading.Lock()
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._read_stdout, self._read_stderr)]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None and self.process.poll() is None:
                self.shut_down()
        finally:
            self.process.kill()
            self.process.wait()
        if kind is None:
            self.check()

    # -- sending ----------------------------------------------------------------------------------------

    def send_bytes(self, data: bytes) -> None:
        """Writes bytes as they are."""
        assert self.process.stdin is not None
        with self._lock:
            self.process.stdin.write(data)
            self.process.stdin.flush()

    def send(self, message: object) -> None:
        """Writes one message."""
        self.send_bytes(frame(message))

    def notify(self, method: str, params: object = None) -> None:
        """Sends a notification."""
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def next_request(self, method: str, params: object = None) -> JSON:
        """A request that the caller sends; its answer is awaited from now on."""
        self._ids += 1
        self._open.add(self._ids)
        return {"jsonrpc": "2.0", "id": self._ids, "method": method, "params": params}

    def begin(self, method: str, params: object = None) -> int:
        """Sends a request and returns its id."""
        request = self.next_request(method, params)
        self.send(request)
        message_id: int = request["id"]
        return message_id

    def cancel(self, message_id: int) -> None:
        """Cancels a request."""
        self.notify("$/cancelRequest", {"id": message_id})

    def request(self, method: str, params: object = None) -> Any:
        """Sends a request and waits for its result.

        Raises:
            RpcError: The server refused it.
        """
        return self.result(self.begin(method, params))

    # -- receiving --------------------------------------------------------------------------------------

    def result(self, message_id: int) -> Any:
        """Waits for the answer to a request."""
        self._pump_until(lambda: message_id in self._answers)
        answer = self._answers.pop(message_id)
        if "error" in answer:
            raise RpcError(answer["error"])
        return answer["result"]

    def wait_for(self, method: str, accept: Callable[[Any], bool] = lambda _: True) -> Any:
        """Waits for a notification that ``accept`` takes; those of the method before it count as read."""
        found: list[Any] = []

        def look() -> bool:
            while True:
                place = next((i for i, each in enumerate(self._unread) if each["method"] == method), None)
                if place is None:
                    return False
                params = self._unread.pop(place).get("params")
                if accept(params):
                    found.append(params)
                    return True

        self._pump_until(look)
        return found[0]

    def drop(self, method: str) -> list[Any]:
        """Takes what has come of a notification's kind."""
        dropped = [each.get("params") for each in self._unread if each["method"] == method]
        self._unread = [each for each in self._unread if each["method"] != method]
        return dropped

    def null_answer(self) -> JSON:
        """Waits for an error that answers a message whose id could not be read."""
        self._pump_until(lambda: None in self._answers)
        error: JSON = self._answers.pop(None)["error"]
        return error

    def expect_null_answer(self) -> None:
        """Announces that the next message is one that is answered with the id null."""
        self._open.add(None)

    def _pump_until(self, done: Callable[[], bool]) -> None:
        deadline = time.monotonic() + WATCHDOG_SECONDS
        while not done():
            try:
                message = self._incoming.get(timeout=max(0.01, deadline - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"nothing came; unread {self._unread}; stderr {self.stderr.decode()}") from None
            if message is None:
                self._incoming.put(None)
                raise AssertionError(f"the server is gone; faults {self._faults}; stderr {self.stderr.decode()}")
            self._take(message)

    def _take(self, message: JSON) -> None:
        if "method" not in message:
            if message.get("id") in self._open:
                self._open.remove(message["id"])
                self._answers[message["id"]] = message
            else:
                self._faults.append(f"an answer to nothing: {message}")
        elif "id" in message:
            self._answer(message)
        else:
            self._unread.append(message)

    def _answer(self, message: JSON) -> None:
        self.asked.append(message)
        answerer = self.answerers.get(message["method"])
        if answerer is None:
            self._faults.append(f"an unexpected request: {message}")
            error = {"code": -32601, "message": "not supported"}
            self.send({"jsonrpc": "2.0", "id": message["id"], "error": error})
        else:
            self.send({"jsonrpc": "2.0", "id": message["id"], "result": answerer(message.get("params"))})

    # -- the process ------------------------------------------------------------------------------------

    def initialize(self, *roots: Path, capabilities: JSON | None = None, **params: Any) -> JSON:
        """Opens folders and returns the server's capabilities."""
        folders = [{"uri": root.as_uri(), "name": root.name} for root in roots]
        result: JSON = self.request(
            "initialize",
            {
                "processId": os.getpid(),
                "workspaceFolders": folders or None,
                "capabilities": capabilities or {},
                **params,
            },
        )
        self.notify("initialized", {})
        return result

    def shut_down(self) -> None:
        """Ends the server in the orderly way, and looks at how it takes it."""
        assert self.request("shutdown") is None
        self.notify("exit")
        code = self.process.wait(WATCHDOG_SECONDS)
        if code != 0:
            self._faults.append(f"exit code {code}")

    def close_stdin(self) -> None:
        """Goes away without a word."""
        assert self.process.stdin is not None
        self.process.stdin.close()

    def wait(self) -> int:
        """Waits for the server's end."""
        return self.process.wait(WATCHDOG_SECONDS)

    def check(self) -> None:
        """Fails if anything was left over."""
        for thread in self._threads:
            thread.join(WATCHDOG_SECONDS)
        while (message := self._incoming.get(timeout=WATCHDOG_SECONDS)) is not None:
            if message.get("method") not in self.optional:
                self._take(message)
        unread = [each for each in self._unread if each["method"] not in self.optional]
        assert not self._faults, self._faults
        assert not unread, f"unread: {unread}"
        assert not self._answers, f"unread answers: {self._answers}"
        assert not self._open, f"never answered: {self._open}"

    def _read_stdout(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while line := stream.readline():
            name, _, value = line.partition(b":")
            if name != b"Content-Length" or stream.readline() != b"\r\n":
                self._faults.append(f"no message on stdout: {line!r}")
                break
            body = stream.read(int(value))
            message = json.loads(body)
            if message.get("jsonrpc") != "2.0":
                self._faults.append(f"no JSON-RPC: {body!r}")
            self._incoming.put(message)
        self._incoming.put(None)

    def _read_stderr(self) -> None:
        assert self.process.stderr is not None
        while chunk := self.process.stderr.read1():
            self.stderr += chunk
