"""docs/reliability.md against the tests: what it names as a proof must exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
PAGE = (TESTS.parent / "docs" / "reliability.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`((?:unit|e2e)(?:/test_[\w*]+\.py)?)`", PAGE)))


@pytest.mark.parametrize("path", NAMED)
def test_a_named_proof_exists(path: str) -> None:
    assert list(TESTS.glob(path)), path


def test_every_row_of_a_table_has_its_three_cells() -> None:
    rows = [line for line in PAGE.split("\n") if line.startswith("|")]
    assert {len(re.split(r"(?<!\\)\|", row)) for row in rows} == {5}
