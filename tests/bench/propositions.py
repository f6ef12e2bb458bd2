"""Measures the extractor against labelled propositions.

    python -m tests.bench.propositions [--gold DIR] [--sources DIR] [--json] [--misses N] [--false N] [--confusion]
    python -m tests.bench.propositions --rst

The labels live outside this project: a folder with ``open/{files,traps,sentences}.jsonl``, its own scorer and the
program that fetches the labelled files. It is looked for in ``--gold``, in the environment's GRANUM_BENCH, and
beside the checkout. Files of languages that Granum does not read are left out of the labels and named.

``--rst`` measures two reStructuredText pages that this project has labelled itself (``rst_labels.jsonl``); their
text stays out of the repository, and is read from the source archives that pip downloads into the user's cache.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path

from granum.extract import extract, language_of
from granum.extract.classify import classify
from granum.extract.language import load
from granum.extract.statement import Role
from granum.model.layers import SourceKind
from tests.bench import rst_labels

ROOT = Path(__file__).resolve().parents[2]
SPLIT = "open"
CACHE = user_cache_path("granum-bench", appauthor=False)

#: The labels' names of sources -> where a statement of that source stands.
SOURCES: dict[str, tuple[SourceKind, Role]] = {
    "docstring": (SourceKind.DOCSTRING, Role.SUMMARY),
    "comment": (SourceKind.COMMENT, Role.COMMENT),
    "bullet": (SourceKind.BULLET, Role.ITEM),
    "numbered": (SourceKind.NUMBERED, Role.ITEM),
    "prose": (SourceKind.PROSE, Role.BODY),
    "table": (SourceKind.TABLE, Role.TABLE_ROW),
    "raise": (SourceKind.RAISE, Role.RAISE),
    "assert": (SourceKind.ASSERTION, Role.ASSERTION),
    "directive": (SourceKind.DIRECTIVE, Role.NOTE),
}

#: Files of tests in languages that Granum does not read yet.
TEST_PATH = re.compile(
    r"(?:^|/)(?:tests?|testing|testsuite|test_suite)/|(?:^|/)tests?[-_.][^/]*$|[-_.](?:test|spec)\.\w+$|Test\.\w+$"
)


def main(arguments: list[str] | None = None) -> int:
    """Print the table; exit status 2 where the labels are not found."""
    options = _options(arguments)
    with tempfile.TemporaryDirectory() as scratch:
        gold = _gold(options.gold)
        folder = Path(scratch) / "gold"
        folder.mkdir()
        if options.rst:
            sources, left_out = rst_labels.write_gold(folder, CACHE), []
        else:
            sources = _sources(options.sources, gold)
            left_out = _restrict(gold / SPLIT, folder)
        files = _write(folder / "predictions.jsonl", _predictions(folder, sources))
        command = [sys.executable, str(gold / "score.py"), "--gold", str(folder), "--files", str(files)]
        if not options.rst:
            command += ["--sentences", str(_write(folder / "said.jsonl", _said(folder)))]
        for name in ("misses", "false"):
            command += [f"--{name}", str(getattr(options, name))]
        command += [f"--{name}" for name in ("json", "confusion") if getattr(options, name)]
        printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    if options.json:
        sys.stdout.write(json.dumps({**json.loads(printed), "left_out": left_out}, indent=1) + "\n")
    else:
        sys.stdout.write(f"{printed}left out, no language support: {', '.join(left_out) or 'none'}\n")
    return 0


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure the extractor against labelled propositions.")
    parser.add_argument("--gold", type=Path, help="folder of labels and scorer")
    parser.add_argument("--sources", type=Path, help="folder of the labelled files, if they are fetched already")
    parser.add_argument("--rst", action="store_true", help="measure the labelled reStructuredText pages instead")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--confusion", action="store_true")
    parser.add_argument("--misses", type=int, default=0, metavar="N")
    parser.add_argument("--false", type=int, default=0, metavar="N")
    return parser.parse_args(arguments)


def _gold(option: Path | None) -> Path:
    beside = ROOT.parent / "shared" / "bench" / "propositions"
    gold = option or Path(os.environ.get("GRANUM_BENCH") or beside)
    if not (gold / "score.py").is_file() or not (gold / SPLIT / "files.jsonl").is_file():
        sys.stderr.write(f"no labels in {gold}: give their folder with --gold or in GRANUM_BENCH\n")
        raise SystemExit(2)
    return gold.resolve()


def _sources(option: Path | None, gold: Path) -> Path:
    if option is not None:
        return option
    folder = CACHE / f"propositions-{SPLIT}"
    if not folder.is_dir():
        command = [sys.executable, str(gold / "get_sources.py"), str(gold / SPLIT), str(folder)]
        if subprocess.run(command, check=False, stdout=sys.stderr).returncode:
            sys.stderr.write(f"some sources are missing in {folder}; remove it to try again\n")
    return folder


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a JSON lines file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]


def _write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def _restrict(gold: Path, folder: Path) -> list[str]:
    """Copy the labels of the files that Granum reads; the names of the others are returned."""
    left_out: set[str] = set()
    for name in ("files.jsonl", "traps.jsonl"):
        rows = read_rows(gold / name)
        left_out |= {row["file"] for row in rows if language_of(row["file"]) is None}
        _write(folder / name, [row for row in rows if row["file"] not in left_out])
    _write(folder / "sentences.jsonl", read_rows(gold / "sentences.jsonl"))
    return sorted(left_out)


def _predictions(gold: Path, sources: Path) -> list[dict[str, Any]]:
    """One row for each occurrence's first place; a text that stands twice in a file is one proposition."""
    names = sorted({row["file"] for row in read_rows(gold / "files.jsonl")})
    rows = []
    for name in names:
        source = sources / name
        if not source.is_file():
            sys.stderr.write(f"not fetched: {name}\n")
            continue
        _, _, path = name.partition("/")
        text = source.read_bytes().decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
        for proposition in extract(path, text).propositions:
            place = proposition.occurrences[0]
            rows.append(
                {
                    "file": name,
                    "start": place.start_line,
                    "end": place.end_line,
                    "text": proposition.text,
                    "type": proposition.type.value,
                }
            )
    return rows


def _said(gold: Path) -> list[dict[str, Any]]:
    """The type of each single sentence; whether it stands in a test is told by its file's name, as in extraction."""
    rows = []
    for row in read_rows(gold / "sentences.jsonl"):
        source, role = SOURCES[row["source"]]
        kind, _ = classify(row["text"], source, role, is_test=_is_test(row["file"]))
        rows.append({"id": row["id"], "type": kind.value})
    return rows


def _is_test(path: str) -> bool:
    name = language_of(path)
    language = load(name) if name else None
    if language is not None:
        return bool(language.test_path.search(path))
    return name is None and bool(TEST_PATH.search(path))


if __name__ == "__main__":
    raise SystemExit(main())
