"""Measures what an editor waits for, over stdio against the real server.

    python -m tests.bench.latency [WORKSPACE] [--files N] [--places N] [--rounds N] [--saves N] [--seed N] [--json]

- start: spawn to the answer of ``initialize``, to the first answered hover, and to the first hover with the opened
  file's own facts, on a workspace without an index and on an unchanged one;
- hover: identifiers drawn at random from opened Python files, each for the first time and again, beside a bare pygls
  server that answers with a constant, in the same run;
- facts: `granum/facts` at the same identifiers, once their files were hovered over and again;
- save: a fact is written into a file (at its end, or at its top, so that every line moves), ``didSave`` is sent, and
  the clock stops at the first answer that holds the fact; over files that stand for the workspace's sizes;
- hovers, facts, saves, and refusals of an unknown request (which the event loop answers by itself) while a full index
  runs.

It works on a copy of the workspace, with an index of its own.
"""

from __future__ import annotations

import random
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from granum.extract import language_of
from granum.extract.identify import Syntax
from granum.extract.language import load
from tests.bench import figures
from tests.bench.connection import Connection
from tests.bench.figures import Report, cpu_seconds, family, spread_of
from tests.bench.workspaces import copied, indexable, spread

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

GRANUM = [sys.executable, "-m", "granum", "serve"]
BARE = [sys.executable, str(Path(__file__).with_name("bare_server.py"))]
HOVER = "textDocument/hover"
FACTS = "granum/facts"
PATIENCE = 600.0
#: Seconds between two saves: what the server tells of its own accord comes at least 50 ms apart.
PAUSE = 0.1

_WORD = re.compile(r"[A-Za-z_]\w*")


class Place(NamedTuple):
    """An identifier, as a position request's params."""

    path: str
    params: dict[str, Any]


class Save(NamedTuple):
    """One save: milliseconds to ``didReindex`` and to the answer, CPU seconds, the file's bytes."""

    told: float
    seen: float
    cpu: float
    size: int


def main() -> int:
    """Prints the table."""
    options = {"files": 40, "places": 5, "rounds": 3, "saves": 60, "seed": 1}
    return figures.run(__doc__, measure, options)


def measure(workspace: Path, options: argparse.Namespace) -> Report:
    """All figures."""
    with tempfile.TemporaryDirectory() as folder:
        root = copied(workspace, Path(folder).resolve())
        files = indexable(root)
        rng = random.Random(options.seed)
        places = list(_places(root, files, options, rng))
        saved = spread(files, options.saves)
        report: Report = {"hover": {"bare pygls server": spread_of(_bare(root, places, options.rounds))}}
        warm, known = _warm(root, Path(folder) / "cache", places, options.rounds, saved)
        report["hover"] |= warm["hover"]
        report |= {name: figures_ for name, figures_ in warm.items() if name != "hover"}
        report["start on an unchanged index"] = _restart(root, Path(folder) / "cache", known)
        cold = _cold(root, Path(folder) / "cold", known, places, saved)
        return report | {"start without an index": cold["start"], "while a full index runs": cold["load"]}


def _bare(root: Path, places: list[Place], rounds: int) -> list[float]:
    with Connection(BARE, root) as bare:
        bare.initialize(root)
        _open_all(bare, root, places)
        _hovers(bare, places)
        times = [each for _ in range(rounds) for each in _hovers(bare, places)]
        bare.shut_down()
    return times


def _warm(
    root: Path, cache: Path, places: list[Place], rounds: int, saved: list[str]
) -> tuple[dict[str, dict[str, Any]], Place]:
    with _granum(root, cache) as server:
        server.initialize(root)
        _wait_idle(server)
        closed = _hovers(server, places)
        facts = {"closed files, first touch": spread_of(_hovers(server, places, FACTS))}
        _open_all(server, root, places)
        before = cpu_seconds(family(server.pid))
        first = _hovers(server, places)
        again = [each for _ in range(rounds) for each in _hovers(server, places)]
        cpu = cpu_seconds(family(server.pid)) - before
        known = next((place for place in places if _is_own(server, place)), None) or next(
            place for place in places if server.request(HOVER, place.params)
        )
        answered = sum(server.request(HOVER, place.params) is not None for place in places)
        hover = {
            "closed files, first touch": spread_of(closed),
            "open files, first touch": spread_of(first),
            "open files, again": spread_of(again),
            "event loop alone": spread_of([server.ping() for _ in range(200)]),
            "CPU ms a hover": round(cpu * 1e3 / (len(first) + len(again)), 2),
            "hovers with facts": f"{answered} of {len(places)}",
        }
        facts["open files, again"] = spread_of(_hovers(server, places, FACTS))
        saves = [
            _save(server, root, path, number) for number, path in enumerate(saved) if _is_indexed(server, root, path)
        ]
        typing = _typing(server, root, places)
        server.shut_down()
    return {"hover": hover, "facts": facts, "save": _saves(saves), "typing in the largest Python file": typing}, known


def _typing(server: Connection, root: Path, places: list[Place]) -> dict[str, Any]:
    """Edits of a large buffer, each followed by a hover in it; other files are hovered meanwhile."""
    path = max(
        (path for path, _ in indexable(root) if path.endswith(".py")), key=lambda path: (root / path).stat().st_size
    )
    text, uri = (root / path).read_text(encoding="utf-8"), (root / path).as_uri()
    document = {"uri": uri, "languageId": "python", "version": 1, "text": text}
    server.notify("textDocument/didOpen", {"textDocument": document})
    row = next(row for row, line in enumerate(text.split("\n")) if line.startswith("class "))
    own, others, pings, fresh = [], [], [], []
    order = iter(range(10**6))

    def meanwhile() -> None:
        others.append(server.timed(HOVER, places[next(order) % len(places)].params)[0])
        pings.append(server.ping())

    for edit in range(1, 21):
        line = {"line": 0, "character": 0}
        change = {"range": {"start": line, "end": line}, "text": "# a line\n"}
        server.notify(
            "textDocument/didChange",
            {"textDocument": {"uri": uri, "version": 1 + edit}, "contentChanges": [change]},
        )
        at = {"textDocument": {"uri": uri}, "position": {"line": row + edit, "character": 7}}
        own.append(server.beside(HOVER, at, meanwhile))
        started = time.perf_counter()
        while server.request("granum/symbol", at)["freshness"] != "FRESH":
            meanwhile()
        fresh.append((time.perf_counter() - started) * 1e3 + own[-1])
    server.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    return {
        "hover in it after an edit": spread_of(own),
        "edit to a FRESH answer": spread_of(fresh),
        "hover in other files meanwhile": spread_of(others),
        "event loop meanwhile": spread_of(pings),
    }


def _restart(root: Path, cache: Path, known: Place) -> dict[str, Any]:
    with _granum(root, cache) as server:
        figures_ = _start(server, root, known)
        _wait_idle(server)
        figures_["spawn to up to date, ms"] = _since(server)
        server.shut_down()
    return figures_


def _cold(root: Path, cache: Path, known: Place, places: list[Place], saved: list[str]) -> dict[str, dict[str, Any]]:
    with _granum(root, cache) as server:
        start = _start(server, root, known)
        _open_all(server, root, places)
        hovers, facts, pings, saves = [], [], [], []
        order = iter(range(10**6))
        while not _is_idle(server):
            number = next(order)
            for place in places[number % len(places) :][:10]:
                hovers.append(server.timed(HOVER, place.params)[0])
                facts.append(server.timed(FACTS, place.params)[0])
                pings.append(server.ping())
            path = saved[number * 7 % len(saved)]
            if len(saves) < len(saved) and _is_indexed(server, root, path):
                saves.append(_save(server, root, path, 1000 + number))
        server.shut_down()
    load = {"hover": spread_of(hovers), "facts": spread_of(facts), "event loop alone": spread_of(pings)}
    return {"start": start, "load": load | {f"save, {name}": value for name, value in _saves(saves).items()}}


def _start(server: Connection, root: Path, known: Place) -> dict[str, Any]:
    server.initialize(root)
    found = {"spawn to initialize's answer, ms": _since(server)}
    _open(server, root, known.path)
    answer = server.request(HOVER, known.params)
    found["spawn to the first hover, ms"] = _since(server)
    while not answer:
        time.sleep(0.005)
        answer = server.request(HOVER, known.params)
    found["spawn to a hover with facts, ms"] = _since(server)
    return found


def _save(server: Connection, root: Path, path: str, number: int) -> Save:
    """Writes a fact, saves, and waits until an answer holds it."""
    fact = f"The bench value {number} must never exceed {number}."
    file, uri = root / path, (root / path).as_uri()
    text = file.read_bytes().decode("utf-8", "surrogateescape")
    changed, line = _with_fact(text, fact, is_code=path.endswith((".py", ".pyi")), at_end=number % 2 == 0)
    version = 100_000 + 10 * number
    language = language_of(path) or ""
    safe = text.encode("utf-8", "replace").decode()
    document = {"uri": uri, "languageId": language, "version": version, "text": safe}
    server.notify("textDocument/didOpen", {"textDocument": document})
    whole = {"textDocument": {"uri": uri, "version": version + 1}}
    shown = changed.encode("utf-8", "replace").decode()
    server.notify("textDocument/didChange", {**whole, "contentChanges": [{"text": shown}]})
    server.ping()
    time.sleep(PAUSE)
    server.forget()
    span = {"start": {"line": max(line - 3, 0), "character": 0}, "end": {"line": line + 3, "character": 0}}
    asked = {"textDocument": {"uri": uri}, "range": span, "includeText": True}
    before = cpu_seconds(family(server.pid))
    # only now: what didOpen caused would else read the new text
    file.write_bytes(changed.encode("utf-8", "surrogateescape"))
    started = time.perf_counter()
    server.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
    server.wait_for("granum/didReindex", lambda told: any(each["uri"] == uri for each in told["documents"]))
    told = (time.perf_counter() - started) * 1e3
    while not _holds(server.request("granum/layers", asked), fact):
        if time.perf_counter() - started > 30:
            raise RuntimeError(f"{path}: the fact written at line {line} is not found")
    seen = (time.perf_counter() - started) * 1e3
    cpu = cpu_seconds(family(server.pid)) - before
    server.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    return Save(told, seen, cpu, len(text))


def _with_fact(text: str, fact: str, *, is_code: bool, at_end: bool) -> tuple[str, int]:
    """The text with the fact in it, and the fact's line (0-based)."""
    if not at_end:
        return (f"# NOTE: {fact}\n{text}" if is_code else f"{fact}\n\n{text}"), 0
    head = text if text.endswith("\n") else text + "\n"
    added = f'\n\ndef bench_probe():\n    """{fact}"""\n' if is_code else f"\n{fact}\n"
    return head + added, head.count("\n") + (3 if is_code else 1)


def _holds(layers: dict[str, Any], fact: str) -> bool:
    """By a proposition, or a paragraph where it is taken for none (in a licence)."""
    if any(fact in each["text"] and not each["unsaved"] for each in layers["propositions"]):
        return True
    return any(fact in each["text"] for each in layers["paragraphs"])


def _saves(saves: list[Save]) -> dict[str, Any]:
    small = [save for save in saves if save.size <= 100 * 1024]
    return {
        "to didReindex": spread_of([save.told for save in saves]),
        "to the answer": spread_of([save.seen for save in saves]),
        "to the answer, files over 16 KB": spread_of([save.seen for save in saves if save.size > 16 * 1024]),
        "CPU s a save, files up to 100 KB": {
            "mean": round(sum(save.cpu for save in small) / max(len(small), 1), 3),
            "max": round(max((save.cpu for save in small), default=0.0), 2),
        },
    }


def _places(
    root: Path, files: list[tuple[str, int]], options: argparse.Namespace, rng: random.Random
) -> Iterator[Place]:
    """Identifiers of Python files: some in each of some files, in random order."""
    language = load("python")
    paths = [path for path, size in files if path.endswith(".py") and size > 500]
    found = []
    for path in rng.sample(paths, min(options.files, len(paths))):
        text = (root / path).read_text(encoding="utf-8", errors="replace")
        syntax = Syntax(text, language) if language else None
        lines = text.split("\n")
        words = [(row, m.start()) for row, line in enumerate(lines) for m in _WORD.finditer(line)]
        rng.shuffle(words)
        named = ((row, column) for row, column in words if syntax and syntax.identifier_at(row + 1, column))
        for (row, column), _ in zip(named, range(options.places), strict=False):
            at = {"line": row, "character": len(lines[row][:column].encode("utf-16-le")) // 2}
            found.append(Place(path, {"textDocument": {"uri": (root / path).as_uri()}, "position": at}))
    rng.shuffle(found)
    yield from found


def _granum(root: Path, cache: Path) -> Connection:
    return Connection(GRANUM, root, {"GRANUM_CACHE_DIR": str(cache)})


def _hovers(server: Connection, places: list[Place], method: str = HOVER) -> list[float]:
    return [server.timed(method, place.params)[0] for place in places]


def _open_all(server: Connection, root: Path, places: list[Place]) -> None:
    for path in sorted({place.path for place in places}):
        _open(server, root, path)
    server.ping()


def _open(server: Connection, root: Path, path: str) -> None:
    text = (root / path).read_text(encoding="utf-8", errors="replace")
    document = {"uri": (root / path).as_uri(), "languageId": "python", "version": 1, "text": text}
    server.notify("textDocument/didOpen", {"textDocument": document})


def _is_own(server: Connection, place: Place) -> bool:
    """Whether a hover there has facts that stand in the very file, so that they are there once that one is read."""
    asked = place.params | {"includeMentions": False}
    uri = place.params["textDocument"]["uri"]
    facts = server.request("granum/facts", asked)["facts"]
    raised = [fact for fact in facts if fact["source"] == "raise" and fact["location"]["uri"] == uri]
    return bool(raised) and server.request(HOVER, place.params) is not None


def _is_indexed(server: Connection, root: Path, path: str) -> bool:
    """Whether the file has rows by now; what is minified or binary never has any."""
    span = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
    asked = {"textDocument": {"uri": (root / path).as_uri()}, "range": span}
    return server.request("granum/layers", asked)["document"] is not None


def _is_idle(server: Connection) -> bool:
    return bool(server.request("granum/status", {})["quiescent"])


def _wait_idle(server: Connection) -> None:
    """By asking: the status that is told may be a quarter of a second old."""
    deadline = time.monotonic() + PATIENCE
    while not _is_idle(server):
        if time.monotonic() > deadline:
            raise TimeoutError("the index does not come to rest")
        time.sleep(0.05)


def _since(server: Connection) -> float:
    return round((time.perf_counter() - server.spawned) * 1e3, 1)


if __name__ == "__main__":
    sys.exit(main())
