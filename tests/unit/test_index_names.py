"""Fully qualified names are composed when reading: and lead back to the symbol."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from granum.index.jobs import Cause, Job
from granum.index.reader import Reader
from tests.index_rows import WATCHDOG, indexing

if TYPE_CHECKING:
    from pathlib import Path

_FILES = {
    "pkg/__init__.py": "VERSION = 1\n",
    "pkg/a.py": "class A:\n    def run(self):\n        pass\n",
    "src/tool.py": "def main():\n    pass\n",
    ".hidden/x.py": "def f():\n    pass\n",
    "docs/guide.md": "# Guide 1.2\n\nText must stand.\n\n## The part #2\n\nMore text must stand.\n",
}


@pytest.fixture
def names(tmp_path: Path) -> tuple[Reader, list[tuple[str, str]]]:
    for path, text in _FILES.items():
        (tmp_path / "root" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "root" / path).write_text(text)
    with indexing(tmp_path / "root", tmp_path / "index.db") as index:
        index.writer.submit(Job(path="", cause=Cause.FORCED)).result(WATCHDOG)
        index.settle()
        rows = index.query("SELECT s.fqn, d.path FROM symbol s JOIN document d ON d.id = s.document_id")
        return Reader(index.path), rows


def test_a_name_is_the_modules_and_the_local_one(names: tuple[Reader, list[tuple[str, str]]]) -> None:
    _, rows = names
    assert {fqn for fqn, _ in rows} >= {
        "pkg",
        "pkg.VERSION",
        "pkg.a",
        "pkg.a.A.run",
        "tool.main",
        "docs/guide.md#Guide 1.2",
    }


def test_every_symbol_is_found_by_its_whole_name(names: tuple[Reader, list[tuple[str, str]]]) -> None:
    reader, rows = names
    with reader.snapshot() as snapshot:
        for fqn, path in rows:
            assert (fqn, path) in {(symbol.fqn, symbol.path) for symbol in snapshot.symbols_by_fqn(fqn)}
        assert snapshot.symbols_by_fqn("pkg.a.A.walk") == ()
        assert snapshot.symbols_by_fqn("a." * 100_000) == ()
    reader.close()
