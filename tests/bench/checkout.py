"""Measures a checkout that changes many files: from git's exit until the index holds what is on the disk.

    python -m tests.bench.checkout [WORKSPACE] [--files N] [--seed N] [--json]

Two branches change the same ``--files`` files: one every tenth line of each at most, the other every line. Each is
checked out, and then the first branch again, whose contents the index has seen. The index is told to look at
everything, as after a burst of events that the watcher could not follow.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

from granum.engine import Workspace
from tests.bench import figures
from tests.bench.figures import Report, cpu_seconds, family
from tests.bench.workspaces import copied, indexable

if TYPE_CHECKING:
    import argparse

MAIN = "main"
#: Branch -> the share of each file's lines that it changes.
BRANCHES = {"a tenth of the lines": 10, "every line": 1}


def main() -> int:
    """Prints the table."""
    return figures.run(__doc__, measure, {"files": 1_500, "seed": 1})


def measure(workspace: Path, options: argparse.Namespace) -> Report:
    """Each branch, there and back."""
    with tempfile.TemporaryDirectory() as folder:
        root = copied(workspace, Path(folder).resolve())
        paths = [path for path, size in indexable(root) if size]
        chosen = sorted(random.Random(options.seed).sample(paths, min(options.files, len(paths))))
        for number, part in enumerate(BRANCHES.values()):
            _make_branch(root, f"branch-{number}", chosen, part)
        index = Workspace.open(root, index_dir=Path(folder) / "cache")
        index.reindex()
        report: Report = {}
        for number, name in enumerate(BRANCHES):
            there = _checkout(index, root, f"branch-{number}")
            report[f"{len(chosen)} files, {name}"] = {"there": there, "back": _checkout(index, root, MAIN)}
        index.close()
    return report


def _make_branch(root: Path, branch: str, paths: list[str], part: int) -> None:
    _git(root, "checkout", "-q", "-b", branch)
    for path in paths:
        lines = (root / path).read_bytes().split(b"\n")
        # a remark behind a line changes it and leaves what it says, in prose and in code
        (root / path).write_bytes(
            b"\n".join(line + b"  # changed" if line.strip() and not n % part else line for n, line in enumerate(lines))
        )
    _git(root, "commit", "-q", "-a", "-m", f"Change {len(paths)} files")
    _git(root, "checkout", "-q", MAIN)


def _checkout(index: Workspace, root: Path, branch: str) -> dict[str, Any]:
    _git(root, "checkout", "-q", branch)
    before, started = _spent(), time.perf_counter()
    changed = index.reindex()
    return {
        "s": round(time.perf_counter() - started, 2),
        "CPU s": round(_spent() - before, 2),
        "files": changed.files - changed.unchanged,
    }


def _spent() -> float:
    """CPU seconds of this process and of its workers, also of those that ended."""
    own = psutil.Process().cpu_times()
    return own.children_user + own.children_system + cpu_seconds(family(os.getpid()))


def _git(root: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=Bench", "-c", "user.email=bench@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True)


if __name__ == "__main__":
    sys.exit(main())
