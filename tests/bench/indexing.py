"""Measures a full index from nothing against the floor: reading every file and parsing it, in the same run.

    python -m tests.bench.indexing [WORKSPACE] [--interval MS] [--json]

- floor: every indexable file read, decoded and, where it has a grammar, parsed by tree-sitter, in this process; files
  without a grammar (prose) are read and decoded;
- full index: CPU seconds of the indexing process and of its workers, wall time, and the CPU's ratio to the floor, and
  to Universal Ctags where that is installed;
- memory: the sum over all processes of their proportional set sizes (PSS; Linux), the highest of samples taken every
  ``--interval`` milliseconds, and at rest;
- index.db after a checkpoint, by table;
- a second start on the unchanged workspace.

The index is built by a process of its own (``--build`` is how this program starts itself for that).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

import apsw
import msgspec
import psutil

from granum.extract import language_of
from granum.extract.language import load
from granum.index.workers import IDLE_SECONDS
from granum.model.settings import Settings
from granum.text.decode import decode
from tests.bench import figures
from tests.bench.figures import Report, resident_mb
from tests.bench.workspaces import copied, indexable

if TYPE_CHECKING:
    import argparse

BUILD = "--build"
PATIENCE = 900.0
LARGEST_TABLES = 14
#: Seconds after which memory at rest is taken: workers that have nothing to do have ended by then.
REST = IDLE_SECONDS + 3


class Built(msgspec.Struct, frozen=True, kw_only=True):
    """What the indexing process tells when it is at rest: seconds, and the index's path."""

    wall: float
    opening: float
    cpu_parent: float
    cpu_workers: float
    index_path: str
    files: int


def main() -> int:
    """Prints the table; as ``--build ROOT CACHE`` it is the process that is measured."""
    if sys.argv[1:2] == [BUILD]:
        return _build(Path(sys.argv[2]), Path(sys.argv[3]))
    return figures.run(__doc__, measure, {"interval": 50})


def measure(workspace: Path, options: argparse.Namespace) -> Report:
    """All figures."""
    with tempfile.TemporaryDirectory() as folder:
        root = copied(workspace, Path(folder).resolve())
        cache = Path(folder) / "cache"
        files = indexable(root)
        source = sum(size for _, size in files)
        floor_before = floor(root, files)
        first, peak, rest = _run_build(root, cache, options.interval)
        index = Path(first.index_path)
        sizes = _sizes(index)
        again, _, rest_again = _run_build(root, cache, options.interval)
        floor_after = floor(root, files)
        ctags = _ctags(root)
    lowest, spent = min(floor_before, floor_after), first.cpu_parent + first.cpu_workers
    return {
        "workspace": {"files": len(files), "MB": round(source / 1e6, 1)},
        "floor: read and parse": {"CPU s before": round(floor_before, 2), "CPU s after": round(floor_after, 2)},
        "full index": _shown(first) | {"ratio to the floor": round(spent / lowest, 2)},
        "universal-ctags": {"CPU s": round(ctags, 2), "full index in ratio to it": round(spent / ctags, 1)}
        if ctags
        else {"not installed": "no figure"},
        "memory, MB of PSS": {"peak": round(peak), "at rest": round(rest), "at rest, unchanged": round(rest_again)},
        "index.db": {
            "MB": round(sum(sizes.values()) / 1e6, 1),
            "ratio to the source": round(sum(sizes.values()) / source, 2),
        },
        "index.db by table, MB": {
            name: round(size / 1e6, 2) for name, size in sorted(sizes.items(), key=lambda row: -row[1])[:LARGEST_TABLES]
        },
        "start on the unchanged workspace": _shown(again),
    }


def _shown(built: Built) -> dict[str, Any]:
    return {
        "CPU s": round(built.cpu_parent + built.cpu_workers, 2),
        "CPU s, parent": round(built.cpu_parent, 2),
        "CPU s, workers": round(built.cpu_workers, 2),
        "wall s to rest": round(built.wall, 2),
        "wall s to open": round(built.opening, 2),
    }


def _ctags(root: Path) -> float:
    """CPU seconds of Universal Ctags, which keeps names and lines alone, by the better of two runs; 0 without it."""
    program = shutil.which("ctags")
    about = subprocess.run([program, "--version"], capture_output=True, check=False).stdout if program else b""
    if program is None or b"Universal Ctags" not in about:
        return 0.0
    taken = []
    for _ in range(2):
        before = psutil.Process().cpu_times()
        subprocess.run([program, "-R", "-f", os.devnull, "."], cwd=root, check=True, capture_output=True)
        after = psutil.Process().cpu_times()
        taken.append(after.children_user + after.children_system - before.children_user - before.children_system)
    return min(taken)


def floor(root: Path, files: list[tuple[str, int]]) -> float:
    """CPU seconds to read every file and parse what has a grammar."""
    languages = {path: load(language_of(path) or "") for path, _ in files}
    started = time.process_time()
    for path, _ in files:
        decoded = decode((root / path).read_bytes())
        language = languages[path]
        if decoded is not None and language is not None:
            language.parse(decoded.text.encode("utf-8", "replace"))
    return time.process_time() - started


def _run_build(root: Path, cache: Path, interval: int) -> tuple[Built, float, float]:
    """Runs the process to its rest; returns what it tells, the highest memory and that at rest, in MB."""
    command = [sys.executable, "-m", "tests.bench.indexing", BUILD, str(root), str(cache)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        samples: list[float] = []
        ended = threading.Event()

        def sample() -> None:
            while not ended.wait(interval / 1e3):
                samples.append(resident_mb(process.pid))

        sampler = threading.Thread(target=sample)
        sampler.start()
        told = cast("IO[bytes]", process.stdout).readline()
        ended.set()
        sampler.join()
        if not told:
            raise RuntimeError("the indexing process ended without a word")
        time.sleep(REST)
        rest = resident_mb(process.pid)
        cast("IO[bytes]", process.stdin).close()
    return msgspec.json.decode(told, type=Built), max(samples, default=0.0), rest


def _build(root: Path, cache: Path) -> int:
    """Indexes as the server does: from ``start`` to rest; then waits for its stdin's end, at rest."""
    from granum.engine import Workspace

    begun = time.perf_counter()
    workspace = Workspace.open(root, Settings(), index_dir=cache)
    opened = time.perf_counter()
    workspace.start()
    while not (status := workspace.status()).quiescent:
        # before the scan begins there is nothing to wait for; each status asks git, so few are asked for
        time.sleep(0.02)
        if not workspace.wait_idle(PATIENCE):
            return 1
    wall = time.perf_counter() - begun
    workers = sum(sum(child.cpu_times()[:2]) for child in psutil.Process().children(recursive=True))
    own = psutil.Process().cpu_times()
    ended = own.children_user + own.children_system
    built = Built(
        wall=wall,
        opening=opened - begun,
        cpu_parent=own.user + own.system,
        cpu_workers=workers + ended,
        index_path=status.index_path,
        files=status.counts.files,
    )
    sys.stdout.write(msgspec.json.encode(built).decode() + "\n")
    sys.stdout.flush()
    sys.stdin.read()
    workspace.close()
    return 0


def _sizes(index: Path) -> dict[str, int]:
    """Bytes by table and index, after all of the log is copied into the file."""
    connection = apsw.Connection(str(index))
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    rows = connection.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name").fetchall()
    connection.close()
    return {str(name): int(size) for name, size in rows}


if __name__ == "__main__":
    sys.exit(main())
