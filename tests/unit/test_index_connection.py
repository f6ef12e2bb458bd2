"""What every connection to an index has in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

import apsw
import pytest

from granum.index.connection import open_reader, open_writer
from granum.index.rows import FACT_COLUMNS, FACT_TABLES
from granum.index.schema import create_statements

if TYPE_CHECKING:
    from pathlib import Path

FACTS_OF = f"SELECT {FACT_COLUMNS} FROM {FACT_TABLES} WHERE o.symbol_id = ? AND NOT p.is_stale"


@pytest.mark.parametrize("kind", ["writer", "reader"])
def test_a_statement_is_compiled_once_whatever_values_it_is_given(tmp_path: Path, kind: str) -> None:
    writer = open_writer(tmp_path / "index.db")
    writer.execute(create_statements())
    connection = writer if kind == "writer" else open_reader(tmp_path / "index.db")
    compiled: list[str | None] = []

    def authorize(_action: int, table: str | None, *_: str | None) -> int:
        compiled.append(table)  # asked while a statement is compiled, and only then
        return apsw.SQLITE_OK

    connection.authorizer = authorize
    counts = []
    for value in (1, 2, None, 4):
        connection.execute(FACTS_OF, (value,)).fetchall()
        counts.append(len(compiled))
    assert counts[0] > 0
    assert set(counts) == {counts[0]}
    connection.close()
    writer.close()
