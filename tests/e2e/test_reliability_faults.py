"""Broken indexes, absurd input, clients that die, and the network that is never touched."""

from __future__ import annotations

import os
import random
import select
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e.served import MARKDOWN, REFUSED, granum, served
from tests.e2e.strict_client import SERVER, RpcError, StrictClient, frame
from tests.e2e.workspace import place, write_workspace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PAGE = 4096


def cut(data: bytearray) -> bytes:
    return bytes(data[:-777])


def scrambled(data: bytearray) -> bytes:
    """Noise in every third page behind the first ones, so that the file opens well."""
    noise = random.Random(7)
    for start in range(4 * PAGE, len(data) - 300, 3 * PAGE):
        data[start : start + 300] = noise.randbytes(300)
    return bytes(data)


DAMAGE: dict[str, Callable[[bytearray], bytes]] = {
    "no database": lambda _: b"no database at all " * 100,
    "empty": lambda _: b"",
    "cut off": cut,
    "scrambled": scrambled,
}


def reindex(client: StrictClient) -> None:
    """Reindexes; damage that only use finds may end the first attempt, and the next finds a new index."""
    for _ in range(2):
        try:
            client.request("granum/reindex", {"force": True})
        except RpcError:
            continue
        return
    client.request("granum/reindex")


@pytest.mark.parametrize("kind", DAMAGE)
def test_a_damaged_index_is_replaced_and_every_answer_is_complete(tmp_path: Path, kind: str) -> None:
    root = write_workspace(tmp_path / "work")
    for number in range(40):
        (root / f"m{number}.py").write_text(f'def f{number}():\n    """X. It must never be {number}."""\n' * 5)
    cache = tmp_path / "cache"
    assert granum(root, cache, "index", ".").returncode == 0
    (index,) = cache.rglob("index-*.db")
    index.write_bytes(DAMAGE[kind](bytearray(index.read_bytes())))
    with StrictClient(cache, optional=["window/logMessage"]) as client:
        client.initialize(root)
        reindex(client)
        found = client.request("granum/search", {"query": "never", "limit": 1000})
        status = client.request("granum/status")
        assert (status["health"], status["folders"][0]["counts"]["files"]) == ("ready", 46)
        assert {f"m{number}.py" for number in range(40)} <= {hit["location"]["path"] for hit in found["hits"]}
        assert ("rebuilt" in status["message"] + status["folders"][0]["message"]) == (kind != "empty")


def test_where_no_index_can_be_written_the_server_says_so_and_goes_on(tmp_path: Path) -> None:
    root = write_workspace(tmp_path / "work")
    (tmp_path / "cache").write_text("in the way")
    with StrictClient(tmp_path / "cache", optional=["window/logMessage"]) as client:
        client.initialize(root)
        status = client.request("granum/status")
        assert status["health"] == "degraded"
        assert "granum.indexPath" in status["message"]
        assert client.request("textDocument/hover", place(root, "pkg/pay.py", "post")) is None
    run = granum(root, tmp_path / "cache", "index", ".")
    assert (run.returncode, b"granum doctor" in run.stderr, b"Traceback" in run.stderr) == (3, True, False)


ABSURD: list[tuple[str, dict[str, Any]]] = [
    ("granum/search", {"query": "ledger", "limit": 0}),
    ("granum/search", {"query": "ledger", "limit": 10**30}),
    ("granum/search", {"query": "ledger", "offset": -1}),
    ("granum/search", {"query": "ledger", "offset": 10**30}),
    ("granum/search", {"query": None}),
    ("granum/search", {"query": "ledger", "preferredLayers": ["none such"]}),
    ("granum/search", {"query": "ledger", "folder": "x" * 100_000}),
    ("granum/facts", {"fqn": 3}),
    ("granum/facts", {}),
    ("granum/layers", {"textDocument": {"uri": "file:///" + "a/" * 100_000}}),
    ("granum/layers", {"textDocument": {"uri": "file:///%00"}}),
    ("granum/layers", {"textDocument": {"uri": "https://example.org/a.py"}}),
    ("granum/reindex", {"paths": ["../../etc"]}),
    ("textDocument/hover", {"textDocument": {"uri": ""}, "position": {"line": -1, "character": 0}}),
    ("workspace/executeCommand", {"command": "granum.nothing"}),
]
LONG = [
    "a OR " * 20_000,
    "x.y " * 25_000,
    "NEAR(" * 20_000,
    "a_b" * 33_000,
    "aB" * 50_000,
    '"' * 100_000,
    "\0" * 100_000,
]


def test_absurd_params_are_refused_and_long_ones_answered(tmp_path: Path) -> None:
    root = write_workspace(tmp_path / "work")
    with served(root, tmp_path / "cache", MARKDOWN) as it:
        for method, params in ABSURD:
            assert it.ask(method, params) == REFUSED, (method, str(params)[:60])
        for text in LONG:
            for method, params in (
                ("granum/search", {"query": text}),
                ("workspace/symbol", {"query": text}),
                ("workspace/symbol", {"query": "#" + text}),
                ("granum/symbol", {"fqn": text}),
                ("granum/facts", {"fqn": text}),
                ("granum/search", {"query": "ledger", "pathGlob": text}),
            ):
                assert not isinstance(it.ask(method, params), int), (method, text[:10])
    assert it.client.stderr == b""


CLIENT = """
import subprocess, sys
server = subprocess.Popen([sys.executable, "-m", "granum", "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
server.stdin.write(bytes.fromhex(sys.argv[1]))
server.stdin.flush()
server.stdout.readline()
print(server.pid, flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="needs a handle on a process that is no child")
def test_a_client_killed_outright_takes_the_server_with_it(tmp_path: Path) -> None:
    root = write_workspace(tmp_path / "work")
    params = {"capabilities": {}, "workspaceFolders": [{"uri": root.as_uri(), "name": "work"}]}
    hello = frame({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
    client = subprocess.Popen(
        [sys.executable, "-c", CLIENT, hello.hex()],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(SERVER), "GRANUM_CACHE_DIR": str(tmp_path / "cache")},
    )
    assert client.stdout is not None
    server = os.pidfd_open(int(client.stdout.readline()))
    try:
        client.send_signal(signal.SIGKILL)
        client.wait()
        assert select.select([server], [], [], 60)[0], "the server outlives its client"
    finally:
        os.close(server)


OFFLINE = """
import os, sys
def hook(event, arguments):
    if event in ("socket.connect", "socket.bind", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"):
        os.write(2, f"network: {event} {arguments}".encode())
sys.addaudithook(hook)
from granum.lsp import serve_stdio
serve_stdio()
"""


def test_the_server_never_touches_the_network(tmp_path: Path) -> None:
    root = write_workspace(tmp_path / "work")
    with served(root, tmp_path / "cache", MARKDOWN, command=["-c", OFFLINE]) as it:
        assert "must be positive" in str(it.ask("textDocument/hover", place(root, "pkg/pay.py", "post")))
        assert it.ask("granum/search", {"query": "ledger"})["hits"]
    assert it.client.stderr == b""
