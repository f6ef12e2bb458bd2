"""Worker processes: what they answer, and what happens when one dies, hangs or loses its parent."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import psutil
import pytest

import granum
from granum.index.look import Rules
from granum.index.reading import Reading, Request, State
from granum.index.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

WATCHDOG = 60.0
HEAVY = 'def f{0}(a, b):\n    """Returns the sum, and must never fail."""\n    return [a + b, (a, {{b: a}})]\n\n\n'


class Pool:
    """Workers whose readings can be waited for."""

    def __init__(self, root: Path, seconds: float = 30.0, count: int = 1) -> None:
        self.readings: queue.Queue[Reading] = queue.Queue()
        rules = Rules(root=os.fspath(root.resolve()), max_file_size=8 << 20)
        self.workers = Workers(count, rules, self.readings.put, seconds, idle_seconds=0.01)

    def look(self, *paths: str) -> None:
        self.workers.submit(tuple(Request(path=path, turn=i) for i, path in enumerate(paths)), 0)

    def next(self) -> Reading:
        return self.readings.get(timeout=WATCHDOG)


@pytest.fixture
def pool(tmp_path: Path) -> Iterator[Pool]:
    made = Pool(tmp_path)
    yield made
    made.workers.close()


def heavy(count: int) -> str:
    return "".join(HEAVY.format(i) for i in range(count))


def test_readings_come_in_order_with_their_turns(tmp_path: Path, pool: Pool) -> None:
    (tmp_path / "a.py").write_bytes(b"def f():\r\n    pass\r\n")
    (tmp_path / "b.py").write_bytes(b"\x00\x01\x02binary\x00")
    pool.look("a.py", "b.py", "gone.py")
    readings = [pool.next() for _ in range(3)]
    assert [(r.path, r.state, r.turn) for r in readings] == [
        ("a.py", State.READ, 0),
        ("b.py", State.REFUSED, 1),
        ("gone.py", State.MISSING, 2),
    ]
    assert readings[0].eol == "\r\n"
    assert readings[0].rows is not None
    assert [row[1] for row in readings[0].rows.symbols] == ["", "f"]
    assert readings[1].problem is not None
    assert readings[1].problem.code == "binary"


def test_of_several_processes_one_is_kept_when_there_is_nothing_to_do(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(heavy(200))
    pool = Pool(tmp_path, count=2)
    try:
        for _ in range(6):
            pool.look("a.py", "a.py")
        assert {pool.next().state for _ in range(12)} == {State.READ}
        ended = threading.Event()
        deadline = time.monotonic() + WATCHDOG
        while len(pool.workers.pids()) > 1 and time.monotonic() < deadline:
            ended.wait(0.02)
        (kept,) = pool.workers.pids()
        pool.look("a.py")
        assert pool.next().state is State.READ
        assert kept in pool.workers.pids()
    finally:
        pool.workers.close()


def test_a_process_that_was_made_ready_serves_the_first_task(tmp_path: Path, pool: Pool) -> None:
    (tmp_path / "a.py").write_text("LIMIT = 3\n")
    pool.workers.prepare()
    pool.look("a.py")
    assert pool.next().state is State.READ
    (ready,) = pool.workers.pids()
    pool.workers.prepare()
    pool.look("a.py")
    assert pool.next().state is State.READ
    assert pool.workers.pids() == (ready,)


def test_a_known_content_is_not_extracted(tmp_path: Path, pool: Pool) -> None:
    (tmp_path / "a.py").write_text("LIMIT = 3\n")
    pool.look("a.py")
    known = pool.next().content_sha256
    pool.workers.submit((Request(path="a.py", known_sha256=known),), 0)
    assert (again := pool.next()).state is State.UNCHANGED
    assert again.rows is None


def test_a_killed_worker_costs_one_file(tmp_path: Path, pool: Pool) -> None:
    names = [f"f{i}.py" for i in range(6)]
    for name in names:
        (tmp_path / name).write_text(heavy(3000))
    pool.look(*names)
    first = pool.next()
    (pid,) = pool.workers.pids()
    os.kill(pid, signal.SIGKILL)
    readings = [first, *(pool.next() for _ in names[1:])]
    assert [reading.path for reading in readings] == names
    failed = [reading for reading in readings if reading.state is not State.READ]
    assert [reading.problem.code for reading in failed if reading.problem] == ["crash"]
    assert all(reading.stamp is not None for reading in failed)


def test_a_file_that_takes_too_long_costs_only_itself(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(heavy(40_000))
    (tmp_path / "quick.py").write_text("LIMIT = 3\n")
    pool = Pool(tmp_path, seconds=0.3)
    try:
        pool.look("slow.py", "quick.py")
        slow, quick = pool.next(), pool.next()
    finally:
        pool.workers.close()
    assert slow.problem is not None
    assert (slow.path, slow.problem.code) == ("slow.py", "timeout")
    assert (quick.path, quick.state) == ("quick.py", State.READ)


def test_closing_ends_a_worker_in_the_middle_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(heavy(40_000))
    (tmp_path / "quick.py").write_text("LIMIT = 3\n")
    pool = Pool(tmp_path)
    pool.look("quick.py", "slow.py")
    pool.next()
    (pid,) = pool.workers.pids()
    pool.workers.close()
    assert not psutil.pid_exists(pid)


def test_workers_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("LIMIT = 3\n")
    program = (
        "import sys, threading\n"
        "from granum.index.look import Rules\n"
        "from granum.index.reading import Request\n"
        "from granum.index.workers import Workers\n"
        "done = threading.Event()\n"
        "workers = Workers(1, Rules(root=sys.argv[1], max_file_size=1000), lambda reading: done.set())\n"
        "workers.submit((Request(path='a.py'),), 0)\n"
        "done.wait()\n"
        "print(*workers.pids(), flush=True)\n"
        "threading.Event().wait()\n"
    )
    package = os.path.dirname(os.path.dirname(granum.__file__))  # noqa: PTH120
    parent = subprocess.Popen(
        [sys.executable, "-c", program, os.fspath(tmp_path.resolve())],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": package},
    )
    assert parent.stdout is not None
    workers = [psutil.Process(int(pid)) for pid in parent.stdout.readline().split()]
    assert workers
    parent.kill()
    parent.wait()
    parent.stdout.close()
    gone, alive = psutil.wait_procs(workers, timeout=WATCHDOG)
    assert (len(gone), alive) == (len(workers), [])


def test_modules_of_the_workspace_do_not_shadow_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "msgspec.py").write_text("raise SystemExit('a file of the workspace was run')\n")
    (tmp_path / "granum").mkdir()
    (tmp_path / "granum/__init__.py").write_text("raise SystemExit('a file of the workspace was run')\n")
    monkeypatch.chdir(tmp_path)
    pool = Pool(tmp_path)
    try:
        pool.look("msgspec.py")
        assert pool.next().state is State.READ
    finally:
        pool.workers.close()
