"""Measures how the index grows under thousands of saves, with retention and without.

    python -m tests.bench.growth [WORKSPACE] [--files N] [--saves N] [--days N] [--seed N] [--json]

Some hundred files of the workspace are edited, reverted, deleted, brought back and renamed, one save after another, as
if in ``--days`` days (the clock of this process is moved on). For each tenth of the saves: bytes of index.db and of its
log, rows, and the time from the save to its rows. Slices of tidying are timed on their own. At the end the live rows
are compared with those of an index made from nothing.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

from granum.engine import Workspace
from granum.index.connection import open_reader
from granum.index.tidying import DAY, Tidying
from granum.model.settings import RetentionSettings, Settings
from tests.bench import figures
from tests.bench.figures import Report, percentile, spread_of
from tests.bench.history import History
from tests.bench.workspaces import indexable, spread
from tests.index_rows import rows

if TYPE_CHECKING:
    import argparse

PARTS = 10
PATIENCE = 600.0
WITHOUT = RetentionSettings(days=3650, versions=1000)
_COUNTS = """
SELECT
  (SELECT count(*) FROM paragraph_row WHERE NOT is_stale) + (SELECT count(*) FROM proposition_row WHERE NOT is_stale),
  (SELECT count(*) FROM paragraph_row WHERE is_stale) + (SELECT count(*) FROM proposition_row WHERE is_stale),
  (SELECT count(*) FROM document_version), (SELECT count(*) FROM document WHERE is_stale)
"""


def main() -> int:
    """Prints the table."""
    return figures.run(__doc__, measure, {"files": 300, "saves": 10_000, "days": 100, "seed": 1})


def measure(workspace: Path, options: argparse.Namespace) -> Report:
    """The same history twice."""
    report: Report = {}
    for name, kept in (("with retention", RetentionSettings()), ("without", WITHOUT)):
        with tempfile.TemporaryDirectory() as folder:
            report |= _run(workspace, Path(folder).resolve(), options, name, kept)
    return report


def _run(workspace: Path, folder: Path, options: argparse.Namespace, name: str, kept: RetentionSettings) -> Report:
    root = folder / "root"
    paths = spread([file for file in indexable(workspace) if file[1]], options.files)
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(workspace / path, root / path)
    clock = _Clock()
    slices: list[float] = []
    with mock.patch.object(time, "time", clock), mock.patch.object(Tidying, "step", _timed(slices)):
        index = Workspace.open(root, Settings(retention=kept), index_dir=folder / "index")
        index.reindex()
        history = History(root, paths, options.seed)
        parts: dict[str, Any] = {"0": _state(index, [])}
        each = max(options.saves // PARTS, 1)
        for first in range(0, options.saves, each):
            started = time.process_time()
            times = [
                _save(index, root, history) for _ in range(each) if clock.go_on(options.days * DAY / options.saves)
            ]
            _let_tidy(index)
            cpu = (time.process_time() - started) * 1e3 / each
            parts[str(first + each)] = _state(index, times) | {"CPU ms a save": round(cpu, 1)}
        spent = [part["CPU ms a save"] for part in list(parts.values())[1:]]
        differing = _differing(index, root, folder / "fresh")
        index.close()
    return {
        f"{name}, by saves": parts,
        f"{name}, at the end": {
            "slices of tidying": spread_of(slices),
            "CPU of a save, dearest tenth to the first": round(max(spent) / max(spent[0], 1e-3), 2),
            "tables that differ from a fresh index": differing,
        },
    }


class _Clock:
    """The time of day, and a number of seconds more; it is a float to those who ask."""

    def __init__(self) -> None:
        self._real = time.time
        self._more = 0.0

    def go_on(self, seconds: float) -> bool:
        self._more += seconds
        return True

    def __call__(self) -> float:
        return self._real() + self._more


def _timed(slices: list[float]) -> Any:
    step = Tidying.step

    def timed(self: Tidying) -> None:
        started = time.perf_counter()
        step(self)
        slices.append((time.perf_counter() - started) * 1e3)

    return timed


def _save(index: Workspace, root: Path, history: History) -> float:
    """Milliseconds from the save to its rows, of one change."""
    paths = history.step()
    started = time.perf_counter()
    for future in [index.document_saved(root / path) for path in paths]:
        future.result(PATIENCE)
    taken = (time.perf_counter() - started) * 1e3
    index.wait_idle(PATIENCE)
    return taken


def _let_tidy(index: Workspace) -> None:
    deadline = time.monotonic() + PATIENCE
    while index._indexing._role._writer._tidying.is_wanted and time.monotonic() < deadline:
        time.sleep(0.01)


def _state(index: Workspace, times: list[float]) -> dict[str, Any]:
    file = Path(index.status().index_path)
    connection = open_reader(file)
    live, stale, versions, deleted = connection.execute(_COUNTS).fetchall()[0]
    connection.close()
    log = file.with_name(file.name + "-wal")
    return {
        "MB": round(file.stat().st_size / 1e6, 1),
        "log MB": round(log.stat().st_size / 1e6, 1) if log.exists() else 0.0,
        "live": live,
        "stale": stale,
        "versions": versions,
        "deleted files": deleted,
        "save p50_ms": round(percentile(times, 0.5), 1),
        "p99_ms": round(percentile(times, 0.99), 1),
    }


def _differing(index: Workspace, root: Path, cache: Path) -> str:
    fresh = Workspace.open(root, index_dir=cache)
    fresh.reindex()
    both = []
    for each in (index, fresh):
        connection = open_reader(Path(each.status().index_path))
        connection.execute("PRAGMA query_only=0")  # for the temporary tables of terms
        both.append({table: Counter(map(repr, found)) for table, found in rows(connection).items()})
        connection.close()
    fresh.close()
    return ", ".join(table for table in both[0] if both[0][table] != both[1][table]) or "none"


if __name__ == "__main__":
    sys.exit(main())
