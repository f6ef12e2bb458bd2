"""What the tables promise to those who query them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from granum.index.connection import immediate, open_reader, open_writer
from granum.index.schema import FTS_COLUMNS, STALE_TWINS, create_statements

if TYPE_CHECKING:
    from pathlib import Path

    import apsw


@pytest.fixture
def connection(tmp_path: Path) -> apsw.Connection:
    made = open_writer(tmp_path / "i.db")
    made.execute(create_statements())
    return made


def test_every_full_text_table_has_the_parts_of_camel_case() -> None:
    assert all("parts" in columns for columns in FTS_COLUMNS.values())
    assert set(STALE_TWINS) == {"paragraph_fts", "proposition_fts"}


@pytest.mark.parametrize("table", [*FTS_COLUMNS, *STALE_TWINS.values()])
def test_full_text_tables_rank_phrases_and_forget_rows(connection: apsw.Connection, table: str) -> None:
    insert = f"INSERT INTO {table} (rowid, text) VALUES (?, ?)"
    connection.executemany(insert, [(1, "must never block"), (2, "never must block"), (3, "other"), (4, "words")])
    ranked = connection.execute(
        f"SELECT rowid, bm25({table}) FROM {table} WHERE {table} MATCH ? ORDER BY rank", ('text : "must never"',)
    ).fetchall()
    assert [row_id for row_id, _ in ranked] == [1]
    assert ranked[0][1] < 0
    connection.execute(f"DELETE FROM {table} WHERE rowid = 1")
    found = connection.execute(f"SELECT rowid FROM {table} WHERE {table} MATCH 'blocking'").fetchall()
    assert found == [(2,)]  # by porter's stem


def test_a_failed_transaction_leaves_nothing(connection: apsw.Connection) -> None:
    def fail() -> None:
        with immediate(connection):
            connection.execute("INSERT INTO meta (key, value) VALUES ('a', 1)")
            raise KeyError("in the middle")

    with pytest.raises(KeyError):
        fail()
    assert connection.get_autocommit()
    assert connection.execute("SELECT count(*) FROM meta").fetchall() == [(0,)]


def test_readers_cannot_write_and_see_what_is_committed(connection: apsw.Connection, tmp_path: Path) -> None:
    import apsw as sqlite

    reader = open_reader(tmp_path / "i.db")
    with immediate(connection):
        connection.execute("INSERT INTO meta (key, value) VALUES ('a', 1)")
        assert reader.execute("SELECT count(*) FROM meta").fetchall() == [(0,)]
    assert reader.execute("SELECT count(*) FROM meta").fetchall() == [(1,)]
    with pytest.raises(sqlite.ReadOnlyError):
        reader.execute("DELETE FROM meta")
    assert connection.execute("PRAGMA journal_mode").fetchall() == [("wal",)]
    assert connection.execute("PRAGMA synchronous").fetchall() == [(1,)]
