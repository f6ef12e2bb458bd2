"""Extraction in other processes: started when first needed, replaced when they die, ended with their owner.

One thread a worker sends it tasks and reads its answers. A file that takes too long or kills its worker is answered
by a FAILED reading; the rest of its task goes to a new worker.
"""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

import msgspec

import granum
from granum.index.look import failed, stamp_of
from granum.index.worker import TIMED_OUT, Task, encode, read_answer, write_frame

if TYPE_CHECKING:
    from collections.abc import Callable

    from granum.index.look import Rules
    from granum.index.reading import Reading, Request

#: The most that one file may take, in seconds.
FILE_SECONDS = 10.0
#: More processes than this do not pay: the writer's thread cannot take in more.
MAX_WORKERS = 4

#: Processes beside those that are kept end when they had nothing to do for so long, in seconds: each holds some 35 MB.
IDLE_SECONDS = 5.0

_End = None
#: The urgency of what nobody waits for.
_LAST = 1000


def default_workers() -> int:
    """How many worker processes suit this machine."""
    return max(1, min(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1, 4))


class Workers:
    """A pool of worker processes. ``on_reading`` is called from its threads, once for each request.

    All but the first ``kept`` end when they had nothing to do for long.
    """

    def __init__(
        self,
        count: int,
        rules: Rules,
        on_reading: Callable[[Reading], None],
        file_seconds: float = FILE_SECONDS,
        idle_seconds: float = IDLE_SECONDS,
        kept: int = 1,
    ) -> None:
        self._count = max(1, min(count, MAX_WORKERS))
        self._rules = rules
        self._on_reading = on_reading
        self._seconds = file_seconds
        self._idle_seconds = idle_seconds
        self._kept = kept
        # urgent tasks first; the count keeps the order among equals and requests from being compared
        self._tasks: queue.PriorityQueue[tuple[int, int, tuple[Request, ...] | None]] = queue.PriorityQueue()
        self._put = 0
        self._threads: list[threading.Thread] = []
        self._busy = 0
        self._processes: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._answered_at: dict[int, float] = {}
        self._closed = False

    def set_rules(self, rules: Rules) -> None:
        """The rules of tasks that are sent from now on."""
        self._rules = rules

    @property
    def count(self) -> int:
        """How many processes there are at most."""
        return self._count

    @property
    def started(self) -> bool:
        """Whether any was started."""
        return bool(self._threads)

    def pids(self) -> tuple[int, ...]:
        """The running processes."""
        with self._lock:
            return tuple(process.pid for process in self._processes)

    def submit(self, requests: tuple[Request, ...], urgency: int) -> None:
        """Has the files looked at; the smaller the urgency, the sooner."""
        self._put += 1
        self._tasks.put((urgency, self._put, requests))
        with self._lock:
            number = len(self._threads)
            # a process that waits is quicker than one that must be started first
            if self._closed or number >= self._count or self._tasks.qsize() <= number - self._busy:
                return
            thread = threading.Thread(target=self._serve, args=(number,), name=f"granum-worker-{number}", daemon=True)
            self._threads.append(thread)
        thread.start()

    def prepare(self) -> None:
        """Has one process ready, for a save that should not wait for its start."""
        if not self._threads:
            self.submit((), _LAST)

    def close(self) -> None:
        """Ends the processes, whatever they do."""
        with self._lock:
            self._closed = True
            processes = list(self._processes)
            threads = list(self._threads)
        for process in processes:
            process.kill()
        for _ in threads:
            self._tasks.put((-1, 0, _End))
        for thread in threads:
            thread.join()

    def _next(self, number: int) -> tuple[Request, ...] | None:
        """The next task; None at the end, and where there was none for long."""
        seconds = self._idle_seconds if number >= self._kept else None
        while True:
            with suppress(queue.Empty):
                requests = self._tasks.get(timeout=seconds)[2]
                break
            with self._lock:
                if self._tasks.empty():  # else one came just now, from somebody who counts on this thread
                    self._threads.remove(threading.current_thread())
                    return _End
        with self._lock:
            if requests is _End:
                self._threads.remove(threading.current_thread())
            else:
                self._busy += 1
        return requests

    def _serve(self, number: int) -> None:
        process: subprocess.Popen[bytes] | None = None
        while (requests := self._next(number)) is not None:
            if not requests and process is None and (process := self._start()) is not None:
                self._send(process, requests)
            while requests:
                if process is None:
                    process = self._start()
                if process is None:
                    requests = self._give_up(requests)
                    continue
                answered = self._send(process, requests)
                requests = requests[answered:]
                if requests:
                    timed_out = self._timed_out(process)
                    process = None
                    requests = self._blame(requests, timed_out=timed_out)
            with self._lock:
                self._busy -= 1
        if process is not None:
            self._end(process)

    def _send(self, process: subprocess.Popen[bytes], requests: tuple[Request, ...]) -> int:
        """Sends a task and passes its answers on; returns how many there were before the process ended."""
        task = Task(rules=self._rules, requests=requests, seconds=self._seconds)
        answered = 0
        self._answered_at[process.pid] = time.monotonic()
        try:
            write_frame(cast("BinaryIO", process.stdin), encode(task))
            answers = cast("BinaryIO", process.stdout)
            while answered < len(requests) and (reading := read_answer(answers)) is not None:
                answered += 1
                self._answered_at[process.pid] = time.monotonic()
                self._on_reading(reading)
        except OSError:  # the pipe broke: the process has ended
            return answered
        return answered

    def _timed_out(self, process: subprocess.Popen[bytes]) -> bool:
        """Ends a process that gave no answer; whether it ended itself because the file took too long.

        An uncaught error ends it with the same code, but sooner.
        """
        waited = time.monotonic() - self._answered_at.pop(process.pid, 0.0)
        return self._end(process) == TIMED_OUT and waited >= self._seconds

    def _blame(self, requests: tuple[Request, ...], *, timed_out: bool) -> tuple[Request, ...]:
        """The first file that was not answered ended the process; returns the others."""
        if self._closed:
            return ()
        if timed_out:
            self._fail(requests[0], "timeout", f"Reading the file took more than {self._seconds:g} s.")
        else:
            self._fail(requests[0], "crash", "Reading the file ended the process that read it.")
        return requests[1:]

    def _give_up(self, requests: tuple[Request, ...]) -> tuple[Request, ...]:
        if not self._closed:
            for request in requests:
                self._fail(request, "no_worker", "No process could be started to read the file.")
        return ()

    def _fail(self, request: Request, code: str, message: str) -> None:
        # the stamp keeps the next scans from trying again what ends a process, until the file changes
        stamp = None if code == "no_worker" else stamp_of(self._rules, request.path)
        reading = failed(request.path, code, message, stamp)
        self._on_reading(msgspec.structs.replace(reading, turn=request.turn))

    def _start(self) -> subprocess.Popen[bytes] | None:
        package = str(Path(granum.__file__).parent.parent)
        path = os.pathsep.join(part for part in (package, os.environ.get("PYTHONPATH", "")) if part)
        with self._lock:
            if self._closed:
                return None
            try:
                process = subprocess.Popen(
                    # -P: the current folder is a workspace, whose modules must not shadow ours
                    [sys.executable, "-P", "-m", "granum.index.worker"],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    cwd=package,
                    env={**os.environ, "PYTHONPATH": path},
                )
            except OSError:
                return None
            self._processes.add(process)
            return process

    def _end(self, process: subprocess.Popen[bytes]) -> int:
        """Ends a process that is no longer needed or has ended itself; returns its exit code."""
        with suppress(BrokenPipeError):  # what was not sent any more is sent to another
            cast("BinaryIO", process.stdin).close()
        cast("BinaryIO", process.stdout).close()
        try:
            code = process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            process.kill()
            code = process.wait()
        with self._lock:
            self._processes.discard(process)
        return code
