"""The tour's LSP client against small real processes: it answers, it waits, and it says why a server failed."""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING

import pytest

from granum.cli.lsp_client import Client, ServerError, frames

if TYPE_CHECKING:
    from pathlib import Path

PRELUDE = """
import json, sys
def read():
    length = 0
    while (line := sys.stdin.buffer.readline().strip()):
        length = int(line.split(b":")[1])
    return json.loads(sys.stdin.buffer.read(length)) if length else None
def send(**message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\\r\\n\\r\\n" % len(body) + body)
    sys.stdout.buffer.flush()
"""


def client(script: str, folder: Path) -> Client:
    return Client((sys.executable, "-c", PRELUDE + script), folder, os.environ)


def test_a_request_is_answered_with_its_own_result(tmp_path: Path) -> None:
    script = "a = read(); b = read(); send(id=b['id'], result=[2]); send(id=a['id'], result=[1])"
    with client(script, tmp_path) as editor:
        editor.notify("hello", {})
        assert editor.request("x", {}, list[int]) == [2]


def test_an_error_names_the_method_and_the_reason(tmp_path: Path) -> None:
    with (
        client(
            "m = read(); send(id=m['id'], error={'code': -32602, 'message': 'line is negative'})", tmp_path
        ) as editor,
        pytest.raises(ServerError, match="refused x/y: line is negative"),
    ):
        editor.request("x/y", {}, object)


def test_a_server_that_dies_is_reported_with_its_last_words(tmp_path: Path) -> None:
    with (
        client("read(); sys.stderr.write('first\\nno room left\\n'); sys.exit(3)", tmp_path) as editor,
        pytest.raises(ServerError, match="ended before it answered x; it said: no room left"),
    ):
        editor.request("x", {}, object)


def test_a_server_that_stays_silent_is_given_up(tmp_path: Path) -> None:
    with (
        client("read(); read()", tmp_path) as editor,
        pytest.raises(ServerError, match="did not answer x within"),
    ):
        editor.request("x", {}, object, patience=0.05)


def test_notifications_wait_until_someone_asks_for_them(tmp_path: Path) -> None:
    script = "m = read(); [send(method='n', params=i) for i in range(3)]; send(id=m['id'], result=None); read()"
    with client(script, tmp_path) as editor:
        editor.request("x", {}, object)
        assert editor.wait_for("n", int, lambda value: value == 1) == 1
        assert editor.wait_for("n", int, lambda value: value == 2) == 2
        assert editor.wait_for("n", int, lambda value: value == 0, patience=0.05) is None


def test_forgotten_notifications_are_not_taken_for_news(tmp_path: Path) -> None:
    script = (
        "m = read(); send(method='n', params=1); send(method='o', params=2); send(id=m['id'], result=None);"
        "read(); send(method='n', params=3); read()"
    )
    with client(script, tmp_path) as editor:
        editor.request("x", {}, object)
        editor.forget("n")
        editor.notify("y", {})
        assert editor.wait_for("n", int, lambda _: True) == 3
        assert editor.wait_for("o", int, lambda _: True) == 2


def test_the_servers_own_requests_are_answered(tmp_path: Path) -> None:
    script = (
        "m = read(); send(id=9, method='workspace/configuration', params={'items': [{}, {}]});"
        "reply = read(); send(id=m['id'], result=reply['result'])"
    )
    with client(script, tmp_path) as editor:
        assert editor.request("x", {}, list[None]) == [None, None]


def test_stop_asks_politely_and_answers_the_exit_code(tmp_path: Path) -> None:
    with client(
        "m = read(); send(id=m['id'], result=None); assert read()['method'] == 'exit'; sys.exit(0)", tmp_path
    ) as e:
        assert e.stop() == 0


def test_a_cut_off_message_ends_the_stream() -> None:
    stream = io.BytesIO(b'Content-Length: 2\r\n\r\n{}Content-Length: 50\r\n\r\n{"a"')
    assert list(frames(stream)) == [b"{}"]
