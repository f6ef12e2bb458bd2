"""Measures how cost grows with the workspace: a thousand, ten thousand, fifty thousand files, as far as ``--largest``.

    python -m tests.bench.scaling [WORKSPACE] [--largest N] [--places N] [--seed N] [--json]

Each size is a synthetic workspace (``synthetic``) of its own, indexed by a process of its own, which then answers
hovers and searches and takes saves in that process, without a protocol. CPU seconds stand beside the floor, which is to
read and parse a thousand of the very files, before and after: so sizes compare on a machine that is not quiet.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import psutil

from granum.engine import Workspace
from granum.extract import language_of
from granum.model.retrieval import SearchRequest
from granum.model.settings import Settings
from tests.bench import figures
from tests.bench.figures import Report, percentile, resident_mb
from tests.bench.indexing import floor
from tests.bench.synthetic import build
from tests.bench.workspaces import indexable, spread

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

MEASURE = "--measure"
SIZES = (1_000, 10_000, 50_000)
QUERIES = ("transaction rollback", "must not be called twice", "ForeignKey", "middleware order", "cache timeout")
PATIENCE = 7_200.0
SAMPLE_SECONDS = 0.2


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """What the measuring process tells."""

    figures: dict[str, float]


def main() -> int:
    """Prints the table; as ``--measure ROOT CACHE PLACES SEED`` it is the process that is measured."""
    if sys.argv[1:2] == [MEASURE]:
        return _measure(Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5]))
    return figures.run(__doc__, measure, {"largest": 10_000, "places": 100, "seed": 1})


def measure(workspace: Path, options: argparse.Namespace) -> Report:
    """A section for each size, and the ratios of the last to the first."""
    files = indexable(workspace)
    report: Report = {}
    sizes = [*(size for size in SIZES if size < options.largest), options.largest]
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder).resolve() / "root"
            source = build(workspace, files, root, size)
            report[f"{size} files"] = _one(root, Path(folder) / "cache", source, options)
    first, last = next(iter(report.values())), report[f"{sizes[-1]} files"]
    compared = [name for name in first if isinstance(first[name], float) and first[name] and name in last]
    report["largest to smallest"] = {name: round(last[name] / first[name], 2) for name in compared}
    return report


def _one(root: Path, cache: Path, source: int, options: argparse.Namespace) -> dict[str, Any]:
    sample = [(path, 0) for path in spread(indexable(root), 1_000)]
    before = floor(root, sample)
    command = [sys.executable, "-m", "tests.bench.scaling", MEASURE, str(root), str(cache)]
    with subprocess.Popen([*command, str(options.places), str(options.seed)], stdout=subprocess.PIPE) as process:
        peak = 0.0
        while process.poll() is None:
            peak = max(peak, resident_mb(process.pid))
            time.sleep(SAMPLE_SECONDS)
        told = process.stdout.read() if process.stdout else b""
    if not told:
        raise RuntimeError("the measuring process ended without a word")
    found = msgspec.json.decode(told, type=Measured).figures
    lowest = min(before, floor(root, sample)) * 1_000 / len(sample)
    return {
        "source MB": round(source / 1e6, 1),
        "index CPU s a 1000 files": round(found.pop("cpu") * 1_000 / found["files"], 2),
        "floor CPU s a 1000 files": round(lowest, 2),
        **{name: round(value, 2) for name, value in found.items()},
        "index bytes / source bytes": round(found["index MB"] * 1e6 / source, 2),
        "peak memory MB": round(peak, 1),
    }


def _measure(root: Path, cache: Path, places: int, seed: int) -> int:
    begun = time.perf_counter()
    workspace = Workspace.open(root, Settings(), index_dir=cache)
    workspace.reindex()
    wall = time.perf_counter() - begun
    own = psutil.Process().cpu_times()
    workers = sum(sum(child.cpu_times()[:2]) for child in psutil.Process().children(recursive=True))
    cpu = own.user + own.system + own.children_user + own.children_system + workers
    status = workspace.status()
    rng = random.Random(seed)
    paths = [path for path, _ in indexable(root)]
    chosen = rng.sample([path for path in paths if path.endswith(".py")], places)
    at = [place for path in chosen for place in _places(workspace, path)[:2]]
    hover = [_timed(lambda p=place: workspace.facts_at(*p)) for _ in range(2) for place in at]
    search = [_timed(lambda q=query: workspace.search(SearchRequest(query=q))) for _ in range(5) for query in QUERIES]
    save = [_save(workspace, root, path, number) for number, path in enumerate(rng.sample(paths, places))]
    counting = [_timed(workspace.status) for _ in range(5)]
    seen = {
        "cpu": cpu,
        "files": float(status.counts.files),
        "wall s": wall,
        "index MB": status.index_bytes / 1e6,
        "hover p50 ms": percentile(hover[len(at) :], 0.5),
        "hover p99 ms": percentile(hover[len(at) :], 0.99),
        "search p50 ms": percentile(search, 0.5),
        "save p50 ms": percentile(save, 0.5),
        "save p99 ms": percentile(save, 0.99),
        "status p50 ms": percentile(counting, 0.5),
    }
    workspace.close()
    sys.stdout.write(msgspec.json.encode(Measured(figures=seen)).decode())
    return 0


def _places(workspace: Workspace, path: str) -> list[tuple[str, int, int]]:
    return [(path, symbol.name_line, symbol.name_column) for symbol in workspace.symbols(path) if symbol.name_line]


def _timed(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return (time.perf_counter() - started) * 1e3


def _save(workspace: Workspace, root: Path, path: str, number: int) -> float:
    fact = f"The bench value {number} must never exceed {number}."
    with (root / path).open("a") as file:
        file.write(f"\n\n# NOTE: {fact}\n" if language_of(path) == "python" else f"\n\n{fact}\n")
    taken = _timed(lambda: workspace.document_saved(root / path).result(PATIENCE))
    workspace.wait_idle(PATIENCE)
    return taken


if __name__ == "__main__":
    sys.exit(main())
