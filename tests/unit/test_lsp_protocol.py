"""Every message, however wrong, is answered exactly once or ignored as the specification says."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import TYPE_CHECKING, Any

import pytest

from granum.lsp import protocol
from granum.lsp.outbox import Outbox
from granum.lsp.params import NoParams
from granum.lsp.protocol import Notice, Request
from granum.lsp.server import GranumServer
from granum.model.errors import (
    CancelledRequestError,
    IndexUnavailableError,
    InvalidRequestError,
    NotInWorkspaceError,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    import msgspec

    from granum.model.cancellation import CancelToken

JSON = dict[str, Any]


class Memory:
    """A sink that keeps what it is given."""

    def __init__(self) -> None:
        self.messages: list[JSON] = []

    def write(self, data: bytes) -> None:
        header, _, body = data.partition(b"\r\n\r\n")
        assert header == b"Content-Length: %d" % len(body)
        self.messages.append(json.loads(body))

    def unsent(self) -> int:
        return 0

    async def flush(self, seconds: float) -> None:
        pass


class Connection:
    """A server without a process around it."""

    def __init__(self) -> None:
        self.server = GranumServer()
        self.sink = Memory()
        self.server.protocol.outbox = Outbox(self.sink)
        self.server.lane.start()

    def send(self, message: object) -> None:
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.server.protocol.receive(body)

    def initialize(self) -> None:
        self.send({"jsonrpc": "2.0", "id": "init", "method": "initialize", "params": {"capabilities": {}}})
        self.send({"jsonrpc": "2.0", "method": "initialized"})
        assert self.sink.messages.pop()["id"] == "init"

    def serve(
        self, method: str, handle: Callable[[GranumServer, Any], Any], params: type[msgspec.Struct] = NoParams
    ) -> None:
        self.server.protocol.requests = {**self.server.protocol.requests, method: Request(params, handle)}

    async def answers(self, count: int = 1) -> list[JSON]:
        async with asyncio.timeout(10):
            while len(self.sink.messages) < count:  # noqa: ASYNC110 -- the loop's own turns are what is waited for
                await asyncio.sleep(0)
        await self.server.lane.drained()
        return self.sink.messages


def run(scenario: Callable[[Connection], Awaitable[None]], initialized: bool = True) -> None:
    async def main() -> None:
        connection = Connection()
        if initialized:
            connection.initialize()
        try:
            await scenario(connection)
        finally:
            connection.server.lane.stop()
            connection.server.executors.close()

    asyncio.run(main())


def only_answer(message: object, initialized: bool = True) -> JSON:
    """What the server says to one message."""
    said: list[JSON] = []

    async def scenario(connection: Connection) -> None:
        connection.send(message)
        said.extend(await connection.answers())

    run(scenario, initialized)
    assert len(said) == 1
    return said[0]


def error_of(message: object, initialized: bool = True) -> tuple[Any, int, str]:
    answer = only_answer(message, initialized)
    return answer["id"], answer["error"]["code"], answer["error"]["message"]


def request(method: str, params: object = None) -> JSON:
    return {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}


POSITION = {"line": 0, "character": 0}


@pytest.mark.parametrize(
    ("method", "params", "message"),
    [
        ("textDocument/hover", None, "textDocument: required"),
        ("textDocument/hover", [1], "params: expected object, got array"),
        ("textDocument/hover", {"textDocument": {"uri": 3}}, "textDocument.uri: expected string, got integer"),
        ("textDocument/hover", {"textDocument": {"uri": "file:///a"}}, "position: required"),
        (
            "textDocument/hover",
            {"textDocument": {"uri": "file:///a"}, "position": {"line": -1, "character": 0}},
            "position.line: expected integer >= 0",
        ),
        ("textDocument/documentSymbol", {"textDocument": "file:///a"}, "textDocument: expected object, got string"),
        ("workspace/symbol", {}, "query: required"),
        ("codeLens/resolve", {"range": {"start": POSITION, "end": POSITION}}, "data: expected object, got null"),
        ("workspace/executeCommand", {"command": "rm"}, "command: unknown command rm"),
        (
            "workspace/executeCommand",
            {"command": "granum.facts", "arguments": [{"fqn": 3}]},
            "arguments[0].fqn: expected string | null, got integer",
        ),
        (
            "workspace/executeCommand",
            {"command": "granum.status", "arguments": [{}, {}]},
            "arguments: expected one object",
        ),
        ("granum/facts", {}, "fqn: required unless textDocument and position are given"),
        ("granum/facts", {"textDocument": {"uri": "file:///a"}}, "position: required together with textDocument"),
        ("granum/facts", {"fqn": "a", "types": ["rumour"]}, "types[0]: invalid enum value 'rumour'"),
        (
            "granum/symbol",
            {"textDocument": {"uri": "untitled:1"}, "position": POSITION},
            "textDocument.uri: expected the URI of a file",
        ),
        (
            "granum/symbol",
            {"textDocument": {"uri": "file:///a"}, "position": POSITION},
            "textDocument.uri: the file is in no workspace folder",
        ),
        ("granum/layers", None, "textDocument: required"),
        ("granum/search", {"query": 1}, "query: expected string, got integer"),
        ("granum/search", {"query": "a", "limit": 0}, "limit: expected integer >= 1"),
        ("granum/search", {"query": "a", "limit": 10**9}, "limit: expected integer <= 1000"),
        ("granum/search", {"query": "a", "offset": -1}, "offset: expected integer >= 0"),
        ("granum/status", {"folder": "file:///nowhere"}, "folder: no such workspace folder is open"),
        ("granum/reindex", {"paths": "a.py"}, "paths: expected array | null, got string"),
    ],
)
def test_wrong_params_name_the_field(method: str, params: object, message: str) -> None:
    assert error_of(request(method, params)) == (7, -32602, message)


@pytest.mark.parametrize("method", ["granum/status", "granum/search", "shutdown"])
def test_a_request_without_params_is_answered(method: str) -> None:
    assert only_answer({"jsonrpc": "2.0", "id": 1, "method": method})["id"] == 1


def test_a_key_named_jsonrpc_inside_params_is_no_message() -> None:
    answer = only_answer(request("granum/search", {"query": "a", "nested": {"jsonrpc": "2.0", "id": 9}}))
    assert answer["result"]["hits"] == []


@pytest.mark.parametrize("body", [b"{nope", b"", b'{"jsonrpc": "\xff"}', b'{"params": ' + b"[" * 100_000])
def test_malformed_json_is_a_parse_error(body: bytes) -> None:
    said_id, code, _ = error_of(body)
    assert (said_id, code) == (None, -32700)


@pytest.mark.parametrize(
    ("message", "answer_to"),
    [
        ([request("granum/status")], None),
        ("text", None),
        ({"id": 7, "method": "granum/status"}, 7),
        ({"jsonrpc": "1.0", "id": 7, "method": "granum/status"}, 7),
        ({"jsonrpc": "2.0", "id": 7}, 7),
        ({"jsonrpc": "2.0", "id": 7, "method": 3}, 7),
        ({"jsonrpc": "2.0", "id": None, "method": "granum/status"}, None),
        ({"jsonrpc": "2.0", "id": True, "method": "granum/status"}, None),
        ({"jsonrpc": "2.0", "id": 1.5, "method": "granum/status"}, None),
        ({"jsonrpc": "2.0", "id": {"a": 1}, "method": "granum/status"}, None),
    ],
)
def test_invalid_messages_are_refused(message: object, answer_to: object) -> None:
    said_id, code, _ = error_of(message)
    assert (said_id, code) == (answer_to, -32600)


@pytest.mark.parametrize("method", ["nope", "$/nope", "textDocument/completion"])
def test_unknown_requests_are_refused_by_name(method: str) -> None:
    assert error_of(request(method)) == (7, -32601, f"unknown method {method}")


def test_requests_before_initialize_are_refused() -> None:
    assert error_of(request("granum/status"), initialized=False)[1] == -32002


def test_requests_after_shutdown_and_a_second_initialize_are_refused() -> None:
    async def scenario(connection: Connection) -> None:
        connection.send(request("initialize", {"capabilities": {}}))
        connection.send(request("shutdown"))
        connection.send(request("granum/status"))
        connection.send(request("shutdown"))
        again, down, *late = await connection.answers(4)
        assert again["error"]["code"] == -32600
        assert down["result"] is None
        assert [answer["error"]["code"] for answer in late] == [-32600, -32600]

    run(scenario)


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "method": "$/nope", "params": {}},
        {"jsonrpc": "2.0", "method": "nope"},
        {"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": 3}},
        {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 99}},
        {"jsonrpc": "2.0", "method": "window/workDoneProgress/cancel", "params": {"token": "none"}},
        {"jsonrpc": "2.0", "id": 55, "result": None},
        {"jsonrpc": "2.0", "id": "gone", "error": {"code": 1, "message": "x"}},
        {
            "jsonrpc": "2.0",
            "method": "textDocument/didChange",
            "params": {"textDocument": {"uri": "untitled:1", "version": 2}, "contentChanges": []},
        },
    ],
)
def test_what_needs_no_answer_gets_none(message: JSON) -> None:
    async def scenario(connection: Connection) -> None:
        connection.send(message)
        connection.send(request("granum/status"))
        assert [answer["id"] for answer in await connection.answers()] == [7]

    run(scenario)


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (InvalidRequestError("too long", "task_intent"), -32602, "taskIntent: too long"),
        (InvalidRequestError("nothing given"), -32602, "nothing given"),
        (NotInWorkspaceError("outside"), -32602, "outside"),
        (IndexUnavailableError("no space left"), -32803, "no space left"),
        (CancelledRequestError("x"), -32800, "the request was cancelled"),
    ],
)
def test_expected_errors_are_told_plainly(error: Exception, code: int, message: str) -> None:
    assert failing(error) == (7, code, message)


def failing(error: Exception) -> tuple[Any, int, str]:
    said: list[JSON] = []

    async def fail(_server: GranumServer, _params: object) -> None:
        raise error

    async def scenario(connection: Connection) -> None:
        connection.serve("test/fail", fail)
        connection.send(request("test/fail"))
        said.extend(await connection.answers())

    run(scenario)
    assert len(said) == 1
    return said[0]["id"], said[0]["error"]["code"], said[0]["error"]["message"]


def test_a_fault_tells_the_client_only_where_the_log_has_it(caplog: pytest.LogCaptureFixture) -> None:
    said_id, code, message = failing(RuntimeError("/home/someone/secret.py broke"))
    assert (said_id, code) == (7, -32603)
    assert "secret" not in message
    fault = message.split()[-1]
    logged = [record for record in caplog.records if getattr(record, "fault", "") == fault]
    assert len(logged) == 1
    assert logged[0].exc_info is not None


def test_a_fault_in_a_plain_handler_and_an_unencodable_result_are_answered_too() -> None:
    def broken(_server: GranumServer, _params: object) -> None:
        raise RuntimeError("x")

    async def scenario(connection: Connection) -> None:
        connection.serve("test/broken", broken)
        connection.serve("test/odd", lambda _server, _params: {"value": object()})
        connection.send(request("test/broken"))
        connection.send(request("test/odd"))
        assert [answer["error"]["code"] for answer in await connection.answers(2)] == [-32603, -32603]

    run(scenario)


def test_a_failing_notification_does_not_end_the_server() -> None:
    def broken(_server: GranumServer, _params: object) -> None:
        raise RuntimeError("x")

    async def scenario(connection: Connection) -> None:
        connection.server.protocol.notices = {"test/broken": Notice(NoParams, broken)}
        connection.send({"jsonrpc": "2.0", "method": "test/broken"})
        connection.send(request("granum/status"))
        assert len(await connection.answers()) == 1

    run(scenario)


def test_cancelled_requests_answer_so_and_their_work_stops() -> None:
    stopped: list[bool] = []

    async def wait(_server: GranumServer, _params: object) -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            stopped.append(True)
            raise

    async def scenario(connection: Connection) -> None:
        connection.serve("test/wait", wait)
        connection.send(request("test/wait"))
        await asyncio.sleep(0)
        connection.send({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 7}})
        (answer,) = await connection.answers()
        assert answer["error"]["code"] == -32800
        assert stopped == [True]

    run(scenario)


def test_cancelling_reaches_the_thread_that_works() -> None:
    began, stopped = threading.Event(), threading.Event()

    def work(token: CancelToken) -> None:
        with token.interrupting(stopped.set):
            began.set()
            assert stopped.wait(30)

    async def scenario(connection: Connection) -> None:
        connection.serve("test/work", lambda server, _params: server.executors.read(work))
        connection.send(request("test/work"))
        assert await asyncio.to_thread(began.wait, 30)
        connection.send({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 7}})
        (answer,) = await connection.answers()
        assert answer["error"]["code"] == -32800
        assert stopped.is_set()

    run(scenario)


def test_duplicate_ids_are_each_answered_and_both_cancelled() -> None:
    async def wait(_server: GranumServer, _params: object) -> None:
        await asyncio.Event().wait()

    async def scenario(connection: Connection) -> None:
        connection.serve("test/wait", wait)
        connection.send(request("test/wait"))
        connection.send(request("test/wait"))
        connection.send(request("granum/status"))
        assert "result" in (await connection.answers())[0]
        connection.send({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 7}})
        answers = await connection.answers(3)
        assert [answer["error"]["code"] for answer in answers[1:]] == [-32800, -32800]

    run(scenario)


def test_shutdown_cancels_what_still_runs() -> None:
    async def wait(_server: GranumServer, _params: object) -> None:
        await asyncio.Event().wait()

    async def scenario(connection: Connection) -> None:
        connection.serve("test/wait", wait)
        connection.send({**request("test/wait"), "id": "long"})
        connection.send(request("shutdown"))
        answers = {answer["id"]: answer for answer in await connection.answers(2)}
        assert answers[7]["result"] is None
        assert answers["long"]["error"]["code"] == -32800

    run(scenario)


def test_more_requests_than_can_wait_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "MAX_WAITING_REQUESTS", 3)

    async def wait(_server: GranumServer, _params: object) -> None:
        await asyncio.Event().wait()

    async def scenario(connection: Connection) -> None:
        connection.serve("test/wait", wait)
        for _ in range(4):
            connection.send(request("test/wait"))
        (refused,) = await connection.answers()
        assert refused["error"]["code"] == -32803
        connection.send({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 7}})
        assert len(await connection.answers(4)) == 4
        connection.send(request("granum/status"))
        assert "result" in (await connection.answers(5))[-1]

    run(scenario)


def test_params_of_a_megabyte_are_taken() -> None:
    answer = only_answer(request("granum/search", {"query": "a" * 1_000_000}))
    assert answer["result"]["total"] == 0
