"""docs/reliability.md against the tests: what it names as a proof must exist, and every row must name one."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
PAGE = (TESTS.parent / "docs" / "reliability.md").read_text(encoding="utf-8")
PROOF = re.compile(r"`((?:unit|e2e)/test_\w+\.py)(?:::(\w+))?`")
ROWS = [
    line for line in PAGE.split("\n") if line.startswith("|") and not re.match(r"\|(?:-|[^|]*\| what happens)", line)
]


def names_in(file: Path) -> set[str]:
    """The names of a file's tests."""
    module = ast.parse(file.read_text(encoding="utf-8"))
    found = {node.name for node in module.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    return {name for name in found if name.startswith("test_")}


@pytest.mark.parametrize(("path", "name"), sorted(set(PROOF.findall(PAGE))))
def test_a_named_proof_exists(path: str, name: str) -> None:
    found = names_in(TESTS / path)
    assert name in found if name else found


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("|")[1].strip())
def test_a_row_has_three_cells_and_a_proof_in_the_last(row: str) -> None:
    cells = re.split(r"(?<!\\)\|", row)
    assert len(cells) == 5
    assert PROOF.search(cells[3])
    assert not re.sub(r"[\s,]", "", PROOF.sub("", cells[3])), "what is no proof, or one whose name is misspelt"


def test_every_proof_that_this_page_is_for_stands_on_it() -> None:
    """A reliability test that the page does not name proves something that nobody is promised."""
    files = (TESTS / "e2e").glob("test_reliability_*.py")
    written = {(f"e2e/{file.name}", name) for file in files for name in names_in(file)}
    assert written <= set(PROOF.findall(PAGE))
