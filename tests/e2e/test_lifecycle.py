"""A server process from its first byte to its last, against a client that forgives nothing."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from tests.e2e.strict_client import RpcError, StrictClient, frame

if TYPE_CHECKING:
    from pathlib import Path

POSITION = {"line": 0, "character": 0}


def refusal(client: StrictClient, method: str, params: object = None) -> int:
    with pytest.raises(RpcError) as caught:
        client.request(method, params)
    return caught.value.code


def test_shutdown_and_exit_end_with_0(tmp_path: Path) -> None:
    with StrictClient(tmp_path) as client:
        assert refusal(client, "granum/status") == -32002
        answer = client.initialize()
        assert answer["serverInfo"]["name"] == "granum"
        assert refusal(client, "initialize", {"capabilities": {}}) == -32600
        assert client.request("granum/status")["folders"] == []
        assert client.request("shutdown") is None
        assert refusal(client, "granum/status") == -32600
        client.notify("exit")
        assert client.wait() == 0


def test_exit_without_shutdown_ends_with_1(tmp_path: Path) -> None:
    with StrictClient(tmp_path) as client:
        client.initialize()
        client.notify("exit")
        assert client.wait() == 1


def test_a_closed_pipe_ends_the_server(tmp_path: Path) -> None:
    with StrictClient(tmp_path) as client:
        client.initialize()
        client.close_stdin()
        assert client.wait() == 1


def test_the_end_of_the_clients_process_ends_the_server(tmp_path: Path) -> None:
    with StrictClient(tmp_path) as client:
        editor = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
        client.initialize(processId=editor.pid)
        editor.kill()
        editor.wait()
        assert client.wait() == 1


def test_a_process_id_that_cannot_be_seen_is_not_watched(tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    with StrictClient(tmp_path) as client:
        client.initialize(processId=gone.pid)
        assert client.request("granum/status")["quiescent"]


def test_bad_frames_and_messages_are_answered_and_read_past(tmp_path: Path) -> None:
    with StrictClient(tmp_path) as client:
        client.initialize()
        for wrong, code in [
            (b"Content-Length: 5\r\n\r\n{nope", -32700),
            (b"Content-Length: many\r\n\r\n", -32700),
            (b"content-length: 2\r\n\r\n[]", -32600),
            (b"Content-Length: 2\r\n\r\n{}", -32600),
        ]:
            client.expect_null_answer()
            client.send_bytes(wrong)
            assert client.null_answer()["code"] == code
        assert client.request("granum/status")["quiescent"]


def test_an_absurd_length_is_told_and_ends_the_server(tmp_path: Path) -> None:
    with StrictClient(tmp_path) as client:
        client.initialize()
        client.expect_null_answer()
        client.send_bytes(b"Content-Length: 99999999999999\r\n\r\n")
        assert "cannot be meant" in client.null_answer()["message"]
        assert client.wait() == 1


NOISY = """
import os, sys
from granum.lsp import stdio
take = stdio.take_stdout
def noisy():
    out = take()
    print("printed by a library", flush=True)
    os.write(1, b"written by a C library\\n")
    os.system("echo echoed by a child")
    return out
stdio.take_stdout = noisy
from granum.lsp import serve_stdio
serve_stdio()
"""


def test_nothing_but_the_protocol_reaches_stdout(tmp_path: Path) -> None:
    with StrictClient(tmp_path, command=["-c", NOISY]) as client:
        client.initialize()
        assert client.request("granum/status")["quiescent"]
    for words in (b"printed by a library", b"written by a C library", b"echoed by a child"):
        assert words in client.stderr


def test_stderr_is_quiet(tmp_path: Path) -> None:
    with StrictClient(tmp_path) as client:
        client.initialize()
        client.request("granum/status")
    assert client.stderr == b""


def test_ten_thousand_requests_sent_before_the_first_answer_is_read(tmp_path: Path) -> None:
    with StrictClient(tmp_path) as client:
        client.initialize()
        uri = "untitled:Untitled-1"
        params = {"textDocument": {"uri": uri}, "position": POSITION}
        ids = [client.begin("textDocument/hover", params) for _ in range(10_000)]
        assert all(client.result(each) is None for each in ids)


def test_cancelled_requests_are_answered_once(tmp_path: Path) -> None:
    with StrictClient(tmp_path) as client:
        client.initialize()
        requests = [client.next_request("granum/search", {"query": "word " * 50}) for _ in range(200)]
        sent = b""
        for each in requests:  # together, so that most cancels are read before their request is answered
            cancel = {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": each["id"]}}
            sent += frame(each) + frame(cancel)
        client.send_bytes(sent)
        outcomes = [outcome(client, each["id"]) for each in requests]
        assert set(outcomes) <= {"answered", -32800}
        assert -32800 in outcomes


def outcome(client: StrictClient, message_id: int) -> object:
    try:
        client.result(message_id)
    except RpcError as error:
        return error.code
    return "answered"


def test_params_of_a_megabyte(tmp_path: Path) -> None:
    with StrictClient(tmp_path) as client:
        client.initialize()
        assert client.request("granum/search", {"query": "word " * 200_000})["hits"] == []


def test_the_server_goes_at_once_though_work_is_under_way(tmp_path: Path) -> None:
    root = tmp_path / "work"
    root.mkdir()
    for number in range(600):
        (root / f"m{number}.py").write_text(f'def f{number}():\n    """Never call twice."""\n' * 40)
    with StrictClient(tmp_path / "cache") as client:
        client.initialize(root)
        client.request("granum/status")
        started = time.monotonic()
        client.close_stdin()
        assert client.wait() == 1
        assert time.monotonic() - started < 30  # a watchdog, no measurement: indexing is not waited for
