"""Measures what many changes at once cost, over stdio against the real server: from their end to quiescent.

    python -m tests.bench.storms [WORKSPACE] [--files N] [--places N] [--saves SECONDS] [--json]

- checkout of a branch that changes ``--files`` Python files: a tenth of each file's lines, or every line, as a
  formatter does; there, back, and both again;
- the folder with the most Python files removed, and brought back by git;
- 50 saves a second for ``--saves`` seconds, of one file and of several in turn: from the last one to quiescent.

The clock starts when git ends. Nothing is left to a watcher, whose waiting is not the index's: ``granum/reindex`` is
asked for. Meanwhile identifiers are hovered over, and files that no branch touches are saved. CPU is that of the
server's process and of its workers, memory the highest sum of proportional set sizes (PSS; Linux) between two hovers.
"""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import psutil

from tests.bench import figures
from tests.bench.connection import Connection
from tests.bench.figures import Report, percentile, resident_mb
from tests.bench.workspaces import copied, indexable, spread

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

GRANUM = [sys.executable, "-m", "granum", "serve"]
PATIENCE = 600.0
#: Between two hovers and between two saves, in seconds: people do not ask more often.
HOVER_PAUSE, SAVE_PAUSE = 0.02, 0.5
SAVES_A_SECOND = 50
SAVED_FILES = 8
SEED = 7


class Load(NamedTuple):
    """What is asked of the server while it works: hovers' params, and files to be saved; and the folder that goes."""

    hovers: list[dict[str, Any]]
    saved: list[Path]
    removed: Path


class Cpu(NamedTuple):
    """CPU seconds so far."""

    parent: float
    workers: float


def main() -> int:
    """Prints the table."""
    return figures.run(__doc__, measure, {"files": 1500, "places": 60, "saves": 10})


def measure(workspace: Path, options: argparse.Namespace) -> Report:
    """All figures."""
    with tempfile.TemporaryDirectory() as folder:
        root = copied(workspace, Path(folder).resolve())
        files = indexable(root)
        python = [(path, size) for path, size in files if path.endswith(".py")]
        changed = spread(python, options.files)
        _branch(root, "tenth", changed, _tenth)
        _branch(root, "every", changed, _every)
        rng = random.Random(SEED)
        removed = max((each for each in root.iterdir() if each.is_dir()), key=_python_files)
        free = [root / path for path, _ in files if path.endswith((".txt", ".rst")) and path not in changed]
        saved = rng.sample([file for file in free if removed not in file.parents], SAVED_FILES)
        hovers = [_place(root / path, rng) for path in rng.sample([path for path, _ in python], options.places)]
        with Connection(GRANUM, root, {"GRANUM_CACHE_DIR": f"{folder}/cache"}) as server:
            server.initialize(root)
            for file in saved:
                _open(server, file)
            _wait_idle(server)
            report = _storms(server, root, Load(hovers, saved, removed), len(changed), options.saves)
            server.shut_down()
        cache = next(Path(folder, "cache").rglob("extractions.db")).stat().st_size
    sizes = {"indexed": len(files), "changed": len(changed), "extractions.db, MB": round(cache / 1e6, 1)}
    return {"files": sizes, **report}


def _storms(server: Connection, root: Path, load: Load, changed: int, seconds: int) -> Report:
    report: Report = {}
    for branch in ("tenth", "every"):
        for way, target in (("there", branch), ("back", "main"), ("there again", branch), ("back again", "main")):
            _git(root, "checkout", "-q", target)
            report[f"checkout of {changed} files, {branch} line changed, {way}"] = _after(server, load)
    shutil.rmtree(load.removed)
    report[f"rm -rf {load.removed.name}"] = _after(server, load)
    _git(root, "checkout", "-q", "--", load.removed.name)
    report[f"{load.removed.name} brought back"] = _after(server, load)
    for count in (1, len(load.saved)):
        report[f"{SAVES_A_SECOND} saves a second of {count} files"] = _saving(server, load.saved[:count], seconds)
    return report


def _after(server: Connection, load: Load) -> dict[str, Any]:
    """Asks for the index to be brought up to date, and measures until it is at rest."""
    before, started = _cpu(server), time.perf_counter()
    number = server.begin("granum/reindex", {})
    hovers: list[float] = []
    saves: list[float] = []
    peak = 0.0
    saved_at = started
    while not server.is_answered(number) or not server.request("granum/status", {})["quiescent"]:
        hovers.append(server.timed("textDocument/hover", load.hovers[len(hovers) % len(load.hovers)])[0])
        if time.perf_counter() - saved_at > SAVE_PAUSE:
            saves.append(_save(server, load.saved[len(saves) % len(load.saved)], f"{started} {len(saves)}"))
            peak = max(peak, resident_mb(server.pid))
            saved_at = time.perf_counter()
        if time.perf_counter() - started > PATIENCE:
            raise TimeoutError("the index does not come to rest")
        time.sleep(HOVER_PAUSE)
    wall, after = time.perf_counter() - started, _cpu(server)
    return {
        "wall s": round(wall, 2),
        "CPU s, parent": round(after.parent - before.parent, 2),
        "CPU s, workers": round(after.workers - before.workers, 2),
        "hover p50 ms": round(percentile(hovers, 0.5), 1),
        "hover p99 ms": round(percentile(hovers, 0.99), 1),
        "saves": len(saves),
        "save p50 ms": round(percentile(saves, 0.5)),
        "save max ms": round(max(saves, default=0.0)),
        "peak MB": round(peak),
    }


def _saving(server: Connection, files: list[Path], seconds: int) -> dict[str, Any]:
    """Saves at a fixed rate, without waiting for an answer; then measures until rest."""
    before, started = _cpu(server), time.perf_counter()
    texts = [file.read_text(encoding="utf-8") for file in files]
    server.forget()
    for number in range(seconds * SAVES_A_SECOND):
        at = number % len(files)
        files[at].write_text(f"{texts[at]}\nThe bench value {number} must never exceed {number}.\n", encoding="utf-8")
        server.notify("textDocument/didSave", {"textDocument": {"uri": files[at].as_uri()}})
        time.sleep(max(started + (number + 1) / SAVES_A_SECOND - time.perf_counter(), 0.0))
    last = time.perf_counter()
    _wait_idle(server)
    after = _cpu(server)
    told = server.heard("granum/didReindex")
    return {
        "last save to rest, s": round(time.perf_counter() - last, 2),
        "CPU s, parent": round(after.parent - before.parent, 2),
        "CPU s, workers": round(after.workers - before.workers, 2),
        "notices": told,
    }


def _save(server: Connection, file: Path, mark: str) -> float:
    """Writes a new fact, saves, and returns the milliseconds until the server tells that it is in the index."""
    uri = file.as_uri()
    text = f"{file.read_text(encoding='utf-8')}\nThe bench value {mark} must never be lost.\n"
    file.write_text(text, encoding="utf-8")
    server.forget()
    started = time.perf_counter()
    server.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
    server.wait_for("granum/didReindex", lambda told: any(each["uri"] == uri for each in told["documents"]))
    return (time.perf_counter() - started) * 1e3


def _branch(root: Path, name: str, paths: list[str], change: Callable[[list[str]], list[str]]) -> None:
    """A branch on which the files are changed; the work tree is back on ``main`` afterwards."""
    _git(root, "checkout", "-q", "-b", name)
    for path in paths:
        file = root / path
        lines = file.read_bytes().decode("utf-8", "surrogateescape").split("\n")
        file.write_bytes("\n".join(change(lines)).encode("utf-8", "surrogateescape"))
    _git(root, "commit", "-q", "-a", "-m", name)
    _git(root, "checkout", "-q", "main")


def _tenth(lines: list[str]) -> list[str]:
    """One stretch in the middle, a tenth of the lines, says something else."""
    first, last = len(lines) * 45 // 100, len(lines) * 55 // 100
    return [
        f"{line}  # differs" if first <= number < last and line.strip() and not line.endswith("\\") else line
        for number, line in enumerate(lines)
    ]


def _every(lines: list[str]) -> list[str]:
    """Every line is indented twice as far, or, where it is not indented at all, ends in a blank."""
    return [
        line[: len(line) - len(line.lstrip(" "))] + line if line.startswith(" ") else _blank(line) for line in lines
    ]


def _blank(line: str) -> str:
    return f"{line} " if line and not line.endswith("\\") else line


def _place(file: Path, rng: random.Random) -> dict[str, Any]:
    """A place in a file: near the beginning of a line that defines something, if there is one."""
    lines = file.read_text(encoding="utf-8", errors="replace").split("\n")
    defined = [row for row, line in enumerate(lines) if line.lstrip().startswith(("def ", "class "))]
    row = rng.choice(defined) if defined else 0
    character = lines[row].index(" ", len(lines[row]) - len(lines[row].lstrip())) + 1 if defined else 0
    return {"textDocument": {"uri": file.as_uri()}, "position": {"line": row, "character": character}}


def _open(server: Connection, file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    document = {"uri": file.as_uri(), "languageId": "restructuredtext", "version": 1, "text": text}
    server.notify("textDocument/didOpen", {"textDocument": document})


def _wait_idle(server: Connection) -> None:
    deadline = time.monotonic() + PATIENCE
    while not server.request("granum/status", {})["quiescent"]:
        if time.monotonic() > deadline:
            raise TimeoutError("the index does not come to rest")
        time.sleep(0.02)


def _cpu(server: Connection) -> Cpu:
    process = psutil.Process(server.pid)
    own = process.cpu_times()
    running = sum(sum(child.cpu_times()[:2]) for child in process.children(recursive=True))
    return Cpu(own.user + own.system, own.children_user + own.children_system + running)


def _python_files(folder: Path) -> int:
    return sum(1 for _ in folder.rglob("*.py"))


def _git(root: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=Bench", "-c", "user.email=bench@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True)


if __name__ == "__main__":
    sys.exit(main())
