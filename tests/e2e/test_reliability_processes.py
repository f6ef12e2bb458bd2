"""Several servers and the command line on one workspace: one indexes, the others read, wish and take over."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from tests.dying import settled_rows
from tests.e2e.served import granum
from tests.e2e.strict_client import SERVER, StrictClient
from tests.e2e.workspace import write_workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

WATCHDOG = 60.0
CUSTOM = {"experimental": {"granum": True}}
NEWS = ("granum/status", "granum/didReindex", "window/logMessage")


class Peer:
    """One server on the shared workspace."""

    def __init__(self, root: Path, client: StrictClient) -> None:
        self.root = root
        self.client = client

    @property
    def pid(self) -> int:
        return self.client.process.pid

    def status(self) -> dict[str, Any]:
        folder: dict[str, Any] = self.client.request("granum/status")["folders"][0]
        return folder

    def facts(self, fqn: str) -> list[str]:
        return [fact["text"] for fact in self.client.request("granum/facts", {"fqn": fqn})["facts"]]

    def save(self, path: str, rule: str) -> None:
        """Saves a file as an editor does; does not wait."""
        file = self.root / path
        file.write_text(f'def rule():\n    """It must {rule}."""\n')
        document = {"uri": file.as_uri(), "languageId": "python", "version": 1, "text": file.read_text()}
        self.client.notify("textDocument/didOpen", {"textDocument": document})
        self.client.notify("textDocument/didSave", {"textDocument": {"uri": file.as_uri()}})
        self.client.notify("textDocument/didClose", {"textDocument": {"uri": file.as_uri()}})

    def rests(self) -> bool:
        status = self.status()
        return bool(status["quiescent"] and status["health"] == "ready")


def await_that(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WATCHDOG
    while not holds():
        assert time.monotonic() < deadline, "it did not come"
        time.sleep(0.01)


def fact(rule: str) -> list[str]:
    return [f"It must {rule}."]


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_workspace(tmp_path / "work")


@pytest.fixture
def serve(root: Path, cache: Path) -> Iterator[Callable[[], Peer]]:
    """Starts a server on the shared workspace."""
    with ExitStack() as stack:

        def start() -> Peer:
            client = stack.enter_context(StrictClient(cache, optional=NEWS))
            client.initialize(root, capabilities=CUSTOM)
            return Peer(root, client)

        yield start


def writers(*peers: Peer) -> list[int]:
    """The servers that have processes for extracting."""
    return [peer.pid for peer in peers if psutil.Process(peer.pid).children()]


def test_one_of_two_servers_indexes_and_each_sees_the_saves_of_the_other(root: Path, serve: Callable[[], Peer]) -> None:
    first, second = serve(), serve()
    await_that(lambda: first.rests() and second.rests())
    roles = {peer.status()["role"]: peer for peer in (first, second)}
    indexer, reader = roles["indexer"], roles["reader"]
    assert reader.status()["message"] == f"Indexed by process {indexer.pid}."
    assert reader.status()["counts"] == indexer.status()["counts"]
    await_that(lambda: bool(writers(first, second)))
    assert writers(first, second) == [indexer.pid]
    for number, (mine, other) in enumerate(((indexer, reader), (reader, indexer))):
        other.client.drop("granum/didReindex")
        mine.save(f"saved{number}.py", f"hold {number}")
        uri = (root / f"saved{number}.py").as_uri()
        other.client.wait_for(
            "granum/didReindex", lambda params, uri=uri: uri in {each["uri"] for each in params["documents"]}
        )
        assert other.facts(f"saved{number}.rule") == fact(f"hold {number}")
        await_that(lambda mine=mine, number=number: mine.facts(f"saved{number}.rule") == fact(f"hold {number}"))


def test_the_command_line_reads_what_a_server_indexes_and_has_it_look_again(
    root: Path, cache: Path, serve: Callable[[], Peer]
) -> None:
    server = serve()
    (root / "unseen.py").write_text('def rule():\n    """It must be seen."""\n')
    run = granum(root, cache, "facts", "unseen.rule", "--json")
    assert (run.returncode, run.stderr) == (0, b"")
    assert [each["text"] for each in json.loads(run.stdout)["facts"]] == fact("be seen")
    status = json.loads(granum(root, cache, "status", "--json").stdout)
    assert (status["role"], status["message"]) == ("reader", f"Indexed by process {server.pid}.")
    done = json.loads(granum(root, cache, "index", "--force", "--json").stdout)
    assert (done["reindexed"]["files"], done["status"]["role"]) == (7, "reader")
    assert server.status()["role"] == "indexer"


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs kill -9")
def test_after_kill_9_another_takes_over_and_misses_nothing(root: Path, serve: Callable[[], Peer]) -> None:
    first = serve()
    await_that(first.rests)
    second = serve()
    await_that(second.rests)
    assert second.status()["role"] == "reader"
    os.kill(first.pid, signal.SIGKILL)
    first.client.process.wait()
    (root / "between.py").write_text('def rule():\n    """It must be found."""\n')
    second.save("saved.py", "be done")
    second.client.wait_for("granum/status", lambda status: status["folders"][0]["role"] == "indexer")
    await_that(second.rests)
    assert second.facts("saved.rule") == fact("be done")
    assert second.facts("between.rule") == fact("be found")
    second.save("later.py", "go on")
    await_that(lambda: second.facts("later.rule") == fact("go on"))


INDEX_AND_WAIT = """
import sys
from pathlib import Path
from granum.engine import Workspace
workspace = Workspace.open(Path(sys.argv[1]))
print(workspace.status().role.value, flush=True)
sys.stdin.read()
workspace.close()
"""


def test_many_that_start_at_once_have_one_indexer(root: Path, cache: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(SERVER), "GRANUM_CACHE_DIR": str(cache)}
    command = [sys.executable, "-c", INDEX_AND_WAIT, str(root)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with ExitStack() as stack:
        started = [stack.enter_context(subprocess.Popen(command, env=environment, **pipes)) for _ in range(5)]  # type: ignore[call-overload]
        roles = [process.stdout.readline().strip() for process in started]
        ends = [process.communicate()[1] for process in started]
    assert sorted(roles) == [b"indexer"] + [b"reader"] * 4
    assert ends == [b""] * 5


def test_saves_at_all_of_them_at_once_fail_nowhere_and_end_in_the_rows_of_a_fresh_index(
    tmp_path: Path, root: Path, cache: Path, serve: Callable[[], Peer]
) -> None:
    peers = [serve() for _ in range(3)]
    faults: list[BaseException] = []

    def work(number: int, peer: Peer) -> None:
        try:
            for turn in range(12):
                path = f"f{(number + turn) % 7}.py"
                peer.save(path, f"be {number} in turn {turn}")
                peer.facts(f"f{turn % 7}.rule")
                peer.client.request("granum/search", {"query": "must be"})
        except BaseException as error:  # noqa: BLE001  told by the test's own thread
            faults.append(error)

    threads = [threading.Thread(target=work, args=pair) for pair in enumerate(peers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults
    for peer in peers:
        peer.client.request("granum/reindex")
        assert "lock" not in peer.client.stderr.decode()
        assert peer.status()["health"] != "degraded"
    for peer in peers:
        peer.client.shut_down()
    shared = next(path for path in cache.rglob("index-*.db"))
    assert settled_rows(root, cache) == settled_rows(root, tmp_path / "fresh")
    assert len(list(shared.parent.glob("index-*.db"))) == 1
