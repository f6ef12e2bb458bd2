"""What benchmarks have in common: percentiles, tables, CPU time and memory of processes, the program's frame."""

from __future__ import annotations

import argparse
import datetime as dt
import json
import math
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

from tests.bench.workspaces import NoWorkspaceError, located

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

#: What a benchmark measured: sections of rows, each a name and its figures.
Report = dict[str, dict[str, Any]]

MISSING = 2


def run(description: str | None, measure: Callable[[Path, argparse.Namespace], Report], options: dict[str, int]) -> int:
    """The frame of a benchmark program: options, workspace, table or JSON.

    Args:
        description: The program's docstring.
        measure: Takes the workspace and the options, returns the figures.
        options: Whole-number options with their defaults.

    Returns:
        The exit status; ``MISSING`` where there is nothing to measure.
    """
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workspace", type=Path, nargs="?")
    parser.add_argument("--json", action="store_true")
    for name, default in options.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    chosen = parser.parse_args()
    try:
        workspace = located(chosen.workspace)
    except NoWorkspaceError as error:
        sys.stderr.write(f"Nothing was measured: {error}.\n")
        return MISSING
    report = {"run": _about(workspace), **measure(workspace, chosen)}
    sys.stdout.write(json.dumps(report) + "\n" if chosen.json else _table(report))
    return 0


def percentile(values: Sequence[float], part: float) -> float:
    """The value that ``part`` (0..1) of the values do not exceed; of fewer than 100, p99 is the highest."""
    ordered = sorted(values)
    return ordered[max(math.ceil(part * len(ordered)) - 1, 0)] if ordered else 0.0


def spread_of(milliseconds: Sequence[float]) -> dict[str, Any]:
    """Median, p95, p99 and highest of some times."""
    figures = {f"p{round(part * 100)}_ms": round(percentile(milliseconds, part), 2) for part in (0.5, 0.95, 0.99)}
    return {"count": len(milliseconds), **figures, "max_ms": round(max(milliseconds, default=0.0), 2)}


def family(pid: int) -> list[psutil.Process]:
    """A process and all that it started."""
    try:
        parent = psutil.Process(pid)
        return [parent, *parent.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def cpu_seconds(processes: Iterable[psutil.Process]) -> float:
    """User and system time that running processes have used."""
    total = 0.0
    for process in processes:
        try:
            times = process.cpu_times()
        except psutil.NoSuchProcess:
            continue
        total += times.user + times.system
    return total


def resident_mb(pid: int) -> float:
    """Memory of a process and all that it started, in MB, shared pages split among their users (PSS; Linux only)."""
    total = 0
    for process in family(pid):
        try:
            full = process.memory_full_info()
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
        total += getattr(full, "pss", full.rss)
    return total / 1e6


def _about(workspace: Path) -> dict[str, Any]:
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    date = dt.datetime.now(dt.UTC).date().isoformat()
    python = ".".join(map(str, sys.version_info[:3]))
    return {
        "workspace": workspace.name,
        "date": date,
        "python": python,
        "cores": os.cpu_count(),
        "load before": round(load, 1),
    }


def _table(report: Report) -> str:
    lines: list[str] = []
    for section, figures in report.items():
        lines.append(section)
        for name, value in figures.items():
            shown = "  ".join(f"{key} {figure}" for key, figure in value.items()) if isinstance(value, dict) else value
            lines.append(f"  {name:<38} {shown}")
    return "\n".join(lines) + "\n"
