"""Measures the extraction of single files, in this process, as a worker does it.

    python -m tests.bench.extraction [WORKSPACE] [--json]

Each indexable file up to the size cap is extracted once, after a small one of each language has loaded what its
extraction needs. CPU milliseconds: the text is decoded already, nothing is stored.
"""

from __future__ import annotations

import gc
import sys
import time
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from granum.extract import extract, language_of
from granum.index.look import prepare
from granum.model.settings import Settings
from granum.text.decode import decode
from tests.bench import figures
from tests.bench.figures import Report, percentile
from tests.bench.workspaces import indexable

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

SLOWEST = 8


def main() -> int:
    """Prints the table."""
    return figures.run(__doc__, measure, {})


def measure(workspace: Path, _options: argparse.Namespace) -> Report:
    """Times by file, and what each language has of the whole."""
    prepare()
    gc.disable()
    gc.freeze()
    taken: list[tuple[float, int, str]] = []
    for path, size in indexable(workspace):
        decoded = decode((workspace / path).read_bytes()) if size <= Settings().max_file_size else None
        if decoded is None:
            continue
        started = time.process_time()
        extract(path, decoded.text)
        taken.append(((time.process_time() - started) * 1e3, size, path))
    gc.enable()
    by_language: defaultdict[str, list[tuple[float, int, str]]] = defaultdict(list)
    for each in taken:
        by_language[language_of(each[2]) or ""].append(each)
    total = sum(milliseconds for milliseconds, _, _ in taken)
    return {
        "CPU ms a file": {"all": _figures(taken, total)}
        | {language: _figures(files, total) for language, files in sorted(by_language.items())},
        "slowest": {
            path: {"ms": round(milliseconds, 1), "KB": size // 1024, "ms_a_KB": _per_kb(milliseconds, size)}
            for milliseconds, size, path in sorted(taken, reverse=True)[:SLOWEST]
        },
    }


def _figures(files: list[tuple[float, int, str]], total: float) -> dict[str, Any]:
    times = [milliseconds for milliseconds, _, _ in files]
    return {
        "files": len(files),
        "share": f"{sum(times) / total:.0%}" if total else "",
        "cpu_s": round(sum(times) / 1e3, 2),
        "p50_ms": round(percentile(times, 0.5), 2),
        "p95_ms": round(percentile(times, 0.95), 2),
        "max_ms": round(max(times, default=0.0), 1),
        "ms_a_KB": _per_kb(sum(times), sum(size for _, size, _ in files)),
    }


def _per_kb(milliseconds: float, size: int) -> float:
    return round(milliseconds * 1024 / max(size, 1), 3)


if __name__ == "__main__":
    sys.exit(main())
