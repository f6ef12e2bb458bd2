"""The real server on a package that nobody here wrote: what it says must stand where it says it stands."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from granum.engine import Workspace
from granum.model.layers import SourceKind
from granum.text.decode import decode
from tests.e2e.strict_client import StrictClient

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from granum.model.answers import Fact

PACKAGE = "flask==3.1.3"
WORD = re.compile(r"[^\W\d_]{4,}")
#: Words that Granum adds to what the source says (``Raises X: message when CONDITION``, ``Deprecated since …``).
ADDED = frozenset({"raises", "when", "overridden", "deprecated", "changed", "added", "since", "version", "removed"})


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked source archive."""
    folder = tmp_path_factory.mktemp("package")
    download = ["-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", "--dest", str(folder), PACKAGE]
    subprocess.run([sys.executable, *download], check=True, timeout=300)
    with tarfile.open(next(folder.glob("*.tar.gz"))) as archive:
        archive.extractall(folder / "source", filter="data")
    return next((folder / "source").iterdir())


@pytest.fixture(scope="module")
def workspace(package: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    workspace = Workspace.open(package, index_dir=tmp_path_factory.mktemp("index"))
    workspace.reindex()
    yield workspace
    workspace.close()


def all_facts(workspace: Workspace) -> list[Fact]:
    files = (
        path.relative_to(workspace.root).as_posix() for path in sorted(workspace.root.rglob("*")) if path.is_file()
    )
    return [fact for path in files for fact in workspace.layers(path).propositions]


def own_words(fact: Fact) -> str:
    """The part of a fact that stands on its lines: a raise's condition and a test's name stand above."""
    if fact.source is SourceKind.RAISE:
        return fact.text.partition(" when ")[0]
    return fact.text.partition(": ")[2] if fact.source is SourceKind.ASSERTION else fact.text


def test_every_fact_stands_on_its_lines(workspace: Workspace) -> None:
    texts: dict[str, list[str]] = {}
    missing: Counter[SourceKind] = Counter()
    facts = all_facts(workspace)
    for fact in facts:
        if fact.path not in texts:
            decoded = decode((workspace.root / fact.path).read_bytes())
            assert decoded is not None
            texts[fact.path] = decoded.text.split("\n")
        lines = texts[fact.path][fact.start_line - 1 : fact.end_line]
        words = {word.lower() for word in WORD.findall(own_words(fact))} - ADDED
        held = {word.lower() for word in WORD.findall(" ".join(lines))}
        if len(words - held) > len(words) * 0.2:
            missing[fact.source] += 1
    assert len(facts) > 4000
    assert missing.total() <= len(facts) * 0.01, missing


def test_an_index_made_again_says_the_same(workspace: Workspace, tmp_path: Path) -> None:
    def said(of: Workspace) -> list[tuple[str, int, int, str, str, str]]:
        return [(f.path, f.start_line, f.end_line, f.type.value, f.text, f.symbol) for f in all_facts(of)]

    again = Workspace.open(workspace.root, index_dir=tmp_path)
    try:
        again.reindex()
        assert said(again) == said(workspace)
    finally:
        again.close()


def test_a_session_of_hovers_is_answered_without_a_fault(package: Path, tmp_path: Path) -> None:
    names = re.compile(r"[A-Za-z_]\w{3,}")
    shown = asked = 0
    with StrictClient(tmp_path / "cache") as client:
        client.initialize(package)
        client.request("granum/reindex")
        for file in sorted((package / "src").rglob("*.py")):
            for number, line in enumerate(file.read_text().split("\n")):
                for match in list(names.finditer(line))[::5]:
                    place = {"line": number, "character": match.start() + 1}
                    answer = client.request(
                        "textDocument/hover", {"textDocument": {"uri": file.as_uri()}, "position": place}
                    )
                    asked += 1
                    if answer is not None:
                        shown += 1
                        span = answer["range"]
                        assert span["start"]["character"] <= place["character"] <= span["end"]["character"]
    assert asked > 2000
    assert shown > 300
