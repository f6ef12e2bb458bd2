"""Compares where references lead with a second opinion: jedi's go-to-definition.

Run ``python -m tests.bench.references [WORKSPACE] [--sample N] [--seed S] [--show K] [--json]``. Identifiers are
drawn at random from the workspace's Python files, definitions and keywords left out. Counted are those that jedi
leads to a module, class, function or variable of the workspace; locals and parameters have no symbol to compare.
"""

from __future__ import annotations

import argparse
import io
import json
import keyword
import random
import re
import sys
import tempfile
import time
import tokenize
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from granum.extract import language_of
from granum.extract.identify import identifier_at
from granum.model.layers import SymbolKind
from granum.resolve import resolve_identifier
from tests.bench.workspaces import NoWorkspaceError, located
from tests.indexed import Indexed

if TYPE_CHECKING:
    from granum.model.answers import SymbolInfo


class Spot(NamedTuple):
    """An identifier in a file: line 1-based, column 0-based."""

    path: str
    line: int
    column: int
    name: str


class Verdict(NamedTuple):
    """How our answer compares; ``ours`` and ``theirs`` are ``path:line``."""

    kind: str
    spot: Spot
    ours: str
    theirs: str


def main() -> int:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workspace", type=Path, nargs="?")
    parser.add_argument("--under", default="", help="only files below this folder are sampled")
    parser.add_argument("--sample", type=int, default=500)
    parser.add_argument("--per-file", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=0, help="print this many disagreements")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    try:
        import jedi
    except ImportError:
        sys.stderr.write("This benchmark compares with jedi: pip install jedi\n")
        return 2
    _without_pytest_plugin()
    try:
        root = located(options.workspace)
    except NoWorkspaceError as error:
        sys.stderr.write(f"Nothing was measured: {error}.\n")
        return 2
    with tempfile.TemporaryDirectory() as folder:
        indexed = Indexed(root, Path(folder) / "index.db")
        ids = indexed.read_all()
        started = time.process_time()
        indexed.link(ids)
        linking = time.process_time() - started
        project = jedi.Project(root, sys_path=[*_source_roots(indexed), *sys.path], smart_sys_path=False)
        verdicts = [_compare(jedi, project, indexed, spot) for spot in _spots(root, options)]
        references = indexed.connection.execute("SELECT count(*) FROM reference").fetchall()[0][0]
        indexed.close()
    _report(options, verdicts, linking, references)
    return 0


def _without_pytest_plugin() -> None:
    """Takes away jedi's knowledge that a test's parameters are fixtures, which no type checker has."""
    from jedi.plugins import plugin_manager, pytest

    plugin_manager._registered_plugins.remove(pytest)
    plugin_manager._build_functions()


def _source_roots(indexed: Indexed) -> list[str]:
    """The folders that Python would import the workspace's modules from."""
    roots = set()
    for path, module in indexed.connection.execute("SELECT path, module FROM document WHERE language = 'python'"):
        stem = path.rpartition(".")[0].removesuffix("/__init__")
        tail = module.replace(".", "/")
        if stem == tail or stem.endswith("/" + tail):
            roots.add(str(indexed.root / stem.removesuffix(tail)))
    return sorted(roots)


def _spots(root: Path, options: argparse.Namespace) -> list[Spot]:
    chance = random.Random(options.seed)
    files = sorted((root / options.under).rglob("*.py"))
    chance.shuffle(files)
    spots: list[Spot] = []
    for file in files:
        found = _identifiers(file, file.relative_to(root).as_posix())
        spots += chance.sample(found, min(len(found), options.per_file))
        if len(spots) >= options.sample:
            break
    return spots[: options.sample]


def _identifiers(file: Path, path: str) -> list[Spot]:
    found = []
    before = ""
    try:
        for token in tokenize.generate_tokens(io.StringIO(file.read_text(encoding="utf-8")).readline):
            if (
                token.type == tokenize.NAME
                and not keyword.iskeyword(token.string)
                and before not in {"def", "class"}
                and not token.string.startswith("__")
            ):
                found.append(Spot(path, *token.start, token.string))
            before = token.string
    except (tokenize.TokenError, SyntaxError, UnicodeDecodeError):
        return []
    return found


def _compare(jedi: Any, project: Any, indexed: Indexed, spot: Spot) -> Verdict:
    file = indexed.root / spot.path
    text = file.read_text(encoding="utf-8")
    theirs, kinds = _second_opinion(jedi, project, file, text, spot, indexed.root)
    found = _ours(indexed, text, spot)
    ours = found[0] if found else ""
    shown = ", ".join(sorted(theirs)) or "-"
    if found is None:
        return Verdict("not counted", spot, "", shown)
    if not kinds:
        return Verdict("no second opinion", spot, ours, shown)
    if not theirs or kinds & {"param", "local"}:
        return Verdict("wrong, leads outside or to a local" if ours else "not counted", spot, ours, shown)
    if not ours:
        return Verdict("unresolved", spot, ours, shown)
    return Verdict("agreed" if theirs.intersection(found) else "wrong", spot, ours, shown)


def _second_opinion(
    jedi: Any, project: Any, file: Path, text: str, spot: Spot, root: Path
) -> tuple[set[str], set[str]]:
    places: set[str] = set()
    kinds: set[str] = set()
    try:
        script = jedi.Script(text, path=file, project=project)
        names = script.goto(spot.line, spot.column, follow_imports=True, follow_builtin_imports=True)
    except Exception:  # noqa: BLE001 — whatever fails in the other tool, it has no opinion then
        return places, kinds
    for name in names:
        if (
            name.module_path is None
            or not name.module_path.is_relative_to(root)
            or "/site-packages/" in str(name.module_path)
        ):
            continue
        kinds.add(_kind(name))
        places.add(f"{name.module_path.relative_to(root).as_posix()}:{name.line}")
    return places, kinds


def _kind(name: Any) -> str:
    if name.type == "statement":
        around = name.parent()
        is_attribute = name.get_line_code()[: name.column].rstrip().endswith(".")
        return "local" if around is not None and around.type == "function" and not is_attribute else "statement"
    return str(name.type)


def _ours(indexed: Indexed, text: str, spot: Spot) -> tuple[str, ...] | None:
    """Every place of our answer, none without one; None for a definition or parameter, which is no reference."""
    identifier = identifier_at(text, language_of(spot.path) or "", spot.line, spot.column)
    if identifier is None:
        return ()
    is_parameter = identifier.local_binding == "parameter" and "." not in identifier.name
    if identifier.is_definition or is_parameter:
        return None
    with indexed.reader.snapshot() as snapshot:
        resolution = resolve_identifier(snapshot, spot.path, identifier)
        symbol = resolution.symbol
        if symbol is None:
            return ()
        owner = next(
            (s for s in snapshot.symbols_by_fqn(symbol.fqn.rpartition(".")[0]) if s.kind is SymbolKind.CLASS), None
        )
    # a property's setter, an overload or the other branch of a condition is the same meaning
    same = [c.symbol for c in resolution.candidates if c.symbol.fqn == symbol.fqn]
    places = [f"{s.path}:{s.name_line}" for s in (symbol, *same)]
    if owner is not None:
        places += _assignments(indexed.root / symbol.path, symbol, owner)
    return tuple(places)


def _assignments(file: Path, symbol: SymbolInfo, owner: SymbolInfo) -> list[str]:
    """Every place in its class that assigns an attribute: all of them are its definition, and tools pick one."""
    assigns = re.compile(rf"^\s*(?:self\.|cls\.)?{symbol.name}\b[^=]*=[^=]")
    lines = file.read_text(encoding="utf-8").split("\n")
    return [
        f"{symbol.path}:{number}"
        for number in range(owner.start_line, owner.end_line + 1)
        if assigns.match(lines[number - 1])
    ]


def _say(line: object) -> None:
    sys.stdout.write(f"{line}\n")


def _report(options: argparse.Namespace, verdicts: list[Verdict], linking: float, references: int) -> None:
    counts = Counter(verdict.kind for verdict in verdicts)
    wrong = counts["wrong"] + counts["wrong, leads outside or to a local"]
    counted = counts["agreed"] + counts["unresolved"] + wrong
    figures = {
        "sampled": len(verdicts),
        "counted": counted,
        "agreement": round(counts["agreed"] / max(counted, 1), 4),
        "wrong": round(wrong / max(counted, 1), 4),
        "unresolved": round(counts["unresolved"] / max(counted, 1), 4),
        "references": references,
        "linking_cpu_seconds": round(linking, 2),
    }
    if options.json:
        _say(json.dumps({"figures": figures, "counts": counts}))
        return
    for name, value in figures.items():
        _say(f"{name:22} {value}")
    _say(dict(counts))
    shown = [v for v in verdicts if v.kind in {"wrong", "wrong, leads outside or to a local", "unresolved"}]
    for verdict in shown[: options.show]:
        spot = verdict.spot
        line = (options.workspace / spot.path).read_text(encoding="utf-8").split("\n")[spot.line - 1].strip()
        _say(f"{verdict.kind}: {spot.path}:{spot.line}:{spot.column} {spot.name}")
        _say(f"    ours {verdict.ours or '-'}, jedi {verdict.theirs}")
        _say(f"    {line[:130]}")


if __name__ == "__main__":
    sys.exit(main())
