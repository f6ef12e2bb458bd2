"""Other ways in and out than two pipes: files, and a socket."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from tests.e2e.strict_client import SERVER, WATCHDOG_SECONDS, frame

if TYPE_CHECKING:
    from pathlib import Path

CONVERSATION = [
    {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}},
    {"jsonrpc": "2.0", "method": "initialized", "params": {}},
    {"jsonrpc": "2.0", "id": 2, "method": "granum/status"},
    {"jsonrpc": "2.0", "id": 3, "method": "shutdown"},
    {"jsonrpc": "2.0", "method": "exit"},
]


def environment(cache: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(SERVER), "GRANUM_CACHE_DIR": str(cache)}


def messages(data: bytes) -> dict[int, Any]:
    """Answers by id."""
    answers = {}
    while data:
        header, _, rest = data.partition(b"\r\n\r\n")
        size = int(header.removeprefix(b"Content-Length: "))
        message = json.loads(rest[:size])
        answers[message["id"]] = message
        data = rest[size:]
    return answers


def test_files_for_stdin_and_stdout(tmp_path: Path) -> None:
    said, heard = tmp_path / "said", tmp_path / "heard"
    said.write_bytes(b"".join(map(frame, CONVERSATION[:2] + CONVERSATION[3:])))
    with said.open("rb") as stdin, heard.open("wb") as stdout:
        done = subprocess.run(
            [sys.executable, "-m", "granum", "serve", "--stdio"],
            stdin=stdin,
            stdout=stdout,
            env=environment(tmp_path),
            timeout=WATCHDOG_SECONDS,
            check=False,
        )
    assert done.returncode == 0
    answers = messages(heard.read_bytes())
    assert answers[1]["result"]["serverInfo"]["name"] == "granum"
    assert answers[3]["result"] is None


def test_a_socket_for_debugging(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "granum", "serve", "--tcp", "127.0.0.1:0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, env=environment(tmp_path)) as server:
        assert server.stderr is not None
        found = re.search(rb":(\d+)\s*$", server.stderr.readline())
        assert found is not None
        with socket.create_connection(("127.0.0.1", int(found[1])), WATCHDOG_SECONDS) as connection:
            connection.sendall(b"".join(map(frame, CONVERSATION[:3])))
            heard = b""
            while b'"id":2' not in heard:
                heard += connection.recv(65536)
            connection.sendall(b"".join(map(frame, CONVERSATION[3:])))
            while chunk := connection.recv(65536):
                heard += chunk
        assert server.wait(WATCHDOG_SECONDS) == 0
    answers = messages(heard)
    assert answers[2]["result"]["quiescent"]
    assert answers[3]["result"] is None
