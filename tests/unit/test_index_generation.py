"""An index that cannot be used is left under its name, and a new generation is begun."""

from __future__ import annotations

from typing import TYPE_CHECKING

import apsw
import pytest

from granum.index.connection import open_writer
from granum.index.generation import mark_damaged, open_generation, prune
from granum.model.errors import IndexUnavailableError

if TYPE_CHECKING:
    from pathlib import Path


def begin(path: Path, version: int = 1) -> Path:
    generation = open_generation(path, version)
    generation.connection.close()
    return generation.path


def test_a_new_index_is_created_with_its_folders(tmp_path: Path) -> None:
    generation = open_generation(tmp_path / "a" / "b" / "index-1-1.db", 1)
    assert (generation.created, generation.message) == (True, "")
    assert generation.path == tmp_path / "a" / "b" / "index-1-1.db"
    generation.connection.close()


def test_a_good_index_is_opened_again(tmp_path: Path) -> None:
    path = begin(tmp_path / "i.db")
    connection = apsw.Connection(str(path))
    connection.execute("INSERT INTO meta (key, value) VALUES ('mine', 7)")
    connection.close()
    generation = open_generation(path, 1)
    assert (generation.created, generation.path) == (False, path)
    assert generation.connection.execute("SELECT value FROM meta WHERE key = 'mine'").fetchall() == [(7,)]
    generation.connection.close()


@pytest.mark.parametrize("content", [b"this is no database " * 400, b"SQLite format 3\x00" + b"\xff" * 8000])
def test_what_is_no_database_is_left_and_replaced(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "i.db"
    path.write_bytes(content)
    generation = open_generation(path, 1)
    assert generation.created
    assert generation.path != path
    assert "i.db" in generation.message
    assert path.read_bytes() == content
    generation.connection.close()
    again = open_generation(path, 1)
    assert (again.path, again.created, again.message) == (generation.path, False, "")
    again.connection.close()


def test_a_foreign_database_is_left_alone(tmp_path: Path) -> None:
    connection = apsw.Connection(str(tmp_path / "i.db"))
    connection.execute("CREATE TABLE precious (value); INSERT INTO precious VALUES (1)")
    connection.close()
    generation = open_generation(tmp_path / "i.db", 1)
    assert generation.path != tmp_path / "i.db"
    generation.connection.close()
    connection = apsw.Connection(str(tmp_path / "i.db"))
    assert connection.execute("SELECT value FROM precious").fetchall() == [(1,)]


@pytest.mark.parametrize(
    ("key", "value"), [("schema_version", 0), ("schema_version", 10_000), ("extractor_version", 0)]
)
def test_another_version_begins_a_new_generation(tmp_path: Path, key: str, value: int) -> None:
    path = begin(tmp_path / "i.db")
    connection = open_writer(path)
    connection.execute("UPDATE meta SET value = ? WHERE key = ?", (value, key))
    connection.close()
    generation = open_generation(path, 1)
    assert generation.created
    assert "another version" in generation.message
    generation.connection.close()


def test_a_marked_index_is_not_opened_again(tmp_path: Path) -> None:
    path = begin(tmp_path / "i.db")
    mark_damaged(path)
    generation = open_generation(path, 1)
    assert generation.path != path
    assert "damaged" in generation.message
    generation.connection.close()


def test_a_truncated_log_costs_at_most_the_last_commits(tmp_path: Path) -> None:
    path = begin(tmp_path / "i.db")
    connection = open_writer(path)
    for i in range(20):
        connection.execute("INSERT INTO meta (key, value) VALUES (?, ?)", (f"k{i}", i))
    copy = tmp_path / "copy"
    copy.mkdir()
    (copy / "i.db").write_bytes(path.read_bytes())
    log = (tmp_path / "i.db-wal").read_bytes()
    (copy / "i.db-wal").write_bytes(log[: len(log) - 3000])
    connection.close()
    generation = open_generation(copy / "i.db", 1)
    assert (generation.created, generation.path) == (False, copy / "i.db")
    kept = [v for (v,) in generation.connection.execute("SELECT value FROM meta WHERE key LIKE 'k%' ORDER BY value")]
    assert kept == list(range(len(kept)))
    assert 0 < len(kept) < 20
    generation.connection.close()


def test_a_file_that_lost_its_end_is_replaced(tmp_path: Path) -> None:
    path = begin(tmp_path / "i.db")
    with path.open("r+b") as stream:
        stream.truncate(path.stat().st_size - 777)
    generation = open_generation(path, 1)
    assert (generation.created, generation.path == path) == (True, False)
    assert "damaged" in generation.message
    generation.connection.close()


def test_where_nothing_can_be_written_the_message_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(IndexUnavailableError, match=r"granum\.indexPath"):
        open_generation(tmp_path / "file" / "i.db", 1)


def test_of_damaged_generations_the_newest_is_kept_and_what_is_not_ours_is_left(tmp_path: Path) -> None:
    path = tmp_path / "i.db"
    foreign = apsw.Connection(str(path))
    foreign.execute("CREATE TABLE precious (value)")
    foreign.close()
    for _ in range(3):
        mark_damaged(begin(path))
    (tmp_path / "i.3.db-wal").write_bytes(b"left by a process that died")
    (tmp_path / "i.2.db").write_bytes(b"no database any more")
    last = begin(path)
    (tmp_path / "i.9.db.damaged").touch()
    prune(path)
    kept = ["i.3.db", "i.3.db-wal", "i.3.db.damaged", last.name, "i.db"]
    assert sorted(file.name for file in tmp_path.iterdir()) == sorted(kept)
    prune(path)
    assert sorted(file.name for file in tmp_path.iterdir()) == sorted(kept)


def test_a_deleted_index_is_made_again_under_its_name_though_it_was_damaged(tmp_path: Path) -> None:
    path = begin(tmp_path / "i.db")
    mark_damaged(path)
    path.unlink()
    assert begin(tmp_path / "i.db") == path
    assert begin(tmp_path / "i.db") == path
