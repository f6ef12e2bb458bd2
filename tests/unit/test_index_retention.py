"""Which stale rows leave the index, when, and what that must never touch."""

from __future__ import annotations

import shutil
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from granum.engine import Workspace
from granum.index.connection import immediate, open_writer
from granum.index.jobs import Cause, Job
from granum.index.reader import Reader
from granum.index.tidying import DAY, LOGGED_PAGES, MOST_ROWS, SPARE_PAGES
from granum.model.settings import RetentionSettings, Settings
from granum.resolve import link
from tests.index_rows import WATCHDOG, Index, indexing, tidying, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from granum.model.answers import DocumentChange

DATED = ("document", "paragraph_row", "proposition_row")
LIVE = {table: f"SELECT * FROM {table} WHERE NOT is_stale ORDER BY id" for table in DATED}
STALE = "SELECT (SELECT count(*) FROM paragraph WHERE is_stale), (SELECT count(*) FROM proposition WHERE is_stale)"


def rule(number: int, name: str = "f") -> str:
    return f'def {name}():\n    """The value of `limit()` must never exceed {number}."""\n    return {number}\n'


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    root = tmp_path / "root"
    root.mkdir()
    with indexing(root, tmp_path / "db" / "index.db", linker=link) as found:
        yield found


def save(index: Index, path: str, text: str | None) -> None:
    index.save(path, text)
    index.settle()


def scan(index: Index) -> None:
    index.writer.submit(Job(cause=Cause.SCAN)).result(WATCHDOG)
    index.settle()


def stale_facts(index: Index) -> list[str]:
    return [text for (text,) in index.query("SELECT text FROM proposition WHERE is_stale ORDER BY stale_since, id")]


def live_rows(index: Index) -> dict[str, list[tuple[Any, ...]]]:
    return {table: index.query(sql) for table, sql in LIVE.items()}


def shift(index: Index, days: float, condition: str = "1", tables: Iterable[str] = DATED) -> None:
    """As if what is stale had gone so many days ago."""
    connection = open_writer(index.path)
    with immediate(connection):
        for table in tables:
            connection.execute(
                f"UPDATE {table} SET stale_since = stale_since - ? WHERE is_stale AND {condition}", (days * DAY,)
            )
    connection.close()


# -- by age


def test_stale_rows_leave_after_their_days_and_live_ones_stay(index: Index) -> None:
    save(index, "a.py", rule(1) + "\n\n" + rule(5, "gone"))
    save(index, "a.py", rule(2))
    assert index.query(STALE) == [(1, 2)]
    before = live_rows(index)
    shift(index, 29)
    index.tidy()
    assert index.query(STALE) == [(1, 2)]
    shift(index, 2)
    index.tidy()
    assert index.query(STALE) == [(0, 0)]
    assert live_rows(index) == before
    index.rows()  # full text is consistent, nothing dangles


def test_a_deleted_file_leaves_no_trace_after_its_days(index: Index) -> None:
    save(index, "lib.py", rule(1, "limit"))
    save(index, "a.py", "from lib import limit\n\n" + rule(2) + "\n\nlimit()\n")
    save(index, "lib.py", None)
    deleted = index.query("SELECT id FROM document WHERE is_stale")[0][0]
    shift(index, 31)
    index.tidy()
    for table in ("document_version", "paragraph", "proposition", "linkage", "linkage_source", "linkage_name"):
        assert index.query(f"SELECT count(*) FROM {table} WHERE document_id = ?", deleted) == [(0,)], table
    assert index.query("SELECT path FROM document") == [("a.py",)]
    index.rows()


def test_a_file_that_returns_after_it_was_forgotten_is_new(index: Index) -> None:
    save(index, "a.py", rule(1))
    used = index.query("SELECT max(id) FROM proposition")[0][0]
    save(index, "a.py", None)
    shift(index, 31)
    index.tidy()
    save(index, "a.py", rule(1))
    assert [row_id > used for (row_id,) in index.query("SELECT id FROM proposition WHERE NOT is_stale")] == [True]
    index.rows()


def test_an_empty_file_that_was_deleted_leaves_too(index: Index) -> None:
    save(index, "pkg/__init__.py", "")
    save(index, "pkg/__init__.py", None)
    index.tidy()
    assert index.query("SELECT path FROM document") == [("pkg/__init__.py",)]
    shift(index, 31)
    index.tidy()
    assert index.query("SELECT path FROM document") == []


def test_a_row_that_stays_names_no_successor_that_left(index: Index) -> None:
    for number in (1, 2, 3):
        save(index, "a.py", rule(number))
    first, second = index.query("SELECT id, superseded_by FROM proposition WHERE is_stale ORDER BY id")
    assert first[1] == second[0]
    # by a clock that was set back, the successor went before what it succeeds
    shift(index, 40, f"id = {second[0]}")
    index.tidy()
    assert index.query("SELECT id, superseded_by FROM proposition WHERE is_stale") == [(first[0], None)]
    index.rows()


def test_a_paragraph_stays_while_a_fact_names_it_as_its_place(index: Index) -> None:
    save(index, "a.py", rule(1) + "\n\n" + rule(2, "gone"))
    save(index, "a.py", rule(1))
    # by a clock that was set back, the paragraph went before the fact in it
    shift(index, 40, tables=["paragraph_row"])
    index.tidy()
    assert index.query(STALE) == [(1, 1)]
    index.rows()
    shift(index, 40, tables=["proposition_row"])
    index.tidy()
    assert index.query(STALE) == [(0, 0)]


def test_links_that_were_given_up_leave_with_their_document(index: Index) -> None:
    save(index, "a.py", rule(1))
    save(index, "b.py", rule(1))
    gone, left = (row_id for (row_id,) in index.query("SELECT id FROM document ORDER BY path"))
    save(index, "a.py", None)
    connection = open_writer(index.path)
    with immediate(connection):
        connection.execute("INSERT INTO linkage (document_id) VALUES (?)", (gone,))
        connection.execute("INSERT INTO linkage_source VALUES (?, ?), (?, ?)", (gone, left, left, gone))
        connection.execute("INSERT INTO linkage_name VALUES (1, 0, ?)", (gone,))
    connection.close()
    shift(index, 31)
    index.tidy()
    index.rows()


# -- by count


def test_of_a_document_only_what_its_last_changes_left_stays(index: Index) -> None:
    save(index, "other.py", rule(100))
    save(index, "other.py", rule(101))
    for number in range(1, 7):
        save(index, "a.py", rule(number))
    before = live_rows(index)
    index.tidy(versions=2)
    kept = [f"The value of limit() must never exceed {number}." for number in (100, 4, 5)]
    assert stale_facts(index) == kept
    assert live_rows(index) == before
    index.rows()


def test_all_that_one_change_left_counts_once(index: Index) -> None:
    save(index, "a.py", "\n\n".join(rule(number, f"f{number}") for number in range(10)))
    save(index, "a.py", rule(20, "g"))
    save(index, "a.py", rule(21, "g"))
    index.tidy(versions=2)
    assert len(stale_facts(index)) == 11
    index.tidy(versions=1)
    assert len(stale_facts(index)) == 1


def test_a_version_stays_while_a_row_refers_to_it(index: Index) -> None:
    lasting = rule(0, "lasting")
    for number in range(1, 9):
        save(index, "a.py", lasting + "\n\n" + rule(number))
    versions = [row_id for (row_id,) in index.query("SELECT id FROM document_version ORDER BY id")]
    index.tidy(versions=2)
    kept = [row_id for (row_id,) in index.query("SELECT id FROM document_version ORDER BY id")]
    # the first brought what lasts; the last three hold what is live, and what the last two changes left
    assert kept == [versions[0], *versions[-5:]]
    index.rows()


def test_a_content_that_returns_has_its_first_provenance_again(index: Index) -> None:
    save(index, "a.py", rule(1))
    first = index.query("SELECT version_id FROM document")
    save(index, "a.py", rule(2))
    shift(index, 31)
    index.tidy()
    save(index, "a.py", rule(1))
    assert index.query("SELECT version_id FROM document") == first


def test_rows_that_come_and_go_keep_no_more_than_the_bound(index: Index) -> None:
    for number in range(40):
        save(index, "a.py", rule(number % 7) + "\n\n" + rule(number, "g"))
        index.tidy(versions=3)
        moments = "SELECT stale_since FROM paragraph WHERE is_stale UNION SELECT stale_since FROM proposition"
        assert len(index.query(f"SELECT * FROM ({moments} WHERE is_stale)")) <= 3
    assert index.query("SELECT count(*) < 15 FROM document_version") == [(1,)]
    index.rows()


# -- the clock


@pytest.mark.parametrize("days", [-1000, 1000])
def test_a_clock_that_jumps_costs_no_live_row(index: Index, days: int, monkeypatch: pytest.MonkeyPatch) -> None:
    save(index, "a.py", rule(1))
    save(index, "b.py", rule(1))
    save(index, "a.py", rule(2))
    save(index, "b.py", None)
    before = live_rows(index)
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + days * DAY)
    index.tidy()
    assert live_rows(index) == before
    index.rows()


def test_what_went_in_the_future_is_counted_from_now(index: Index) -> None:
    save(index, "a.py", rule(1))
    save(index, "a.py", rule(2))
    shift(index, -1000)
    index.tidy()
    assert index.query("SELECT count(*) FROM proposition WHERE is_stale AND stale_since > ?", time.time()) == [(0,)]
    shift(index, 31)
    index.tidy()
    assert stale_facts(index) == []


# -- in slices, at rest, and without being in the way


def test_each_slice_is_short_and_leaves_a_whole_index(index: Index) -> None:
    for number in range(300):
        (index.root / f"f{number}.py").write_text(rule(number, f"f{number}"))
    scan(index)
    for number in range(300):
        (index.root / f"f{number}.py").unlink()
    scan(index)
    shift(index, 31)
    left = sum(index.query(STALE)[0])
    steps = 0
    with tidying(index.path) as work:
        while work.is_wanted:
            work.step()
            before, left = left, sum(index.query(STALE)[0])
            assert 0 <= before - left <= MOST_ROWS
            steps += 1
            index.rows()
    assert left == 0
    assert steps > 3
    assert index.query("SELECT count(*) FROM document") == [(0,)]


def test_a_save_goes_before_tidying_and_rest_is_told_before_it(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.py").write_text(rule(1))
    (root / "b.py").write_text(rule(1))
    told: list[tuple[str, int]] = []
    reached, go_on = threading.Event(), threading.Event()

    def note(event: str) -> None:
        told.append((event, sum(index.query(STALE)[0])))

    def changed(changes: Sequence[DocumentChange]) -> None:
        note(changes[0].path)
        reached.set()
        assert go_on.wait(WATCHDOG)

    with indexing(root, tmp_path / "i.db", on_change=changed, on_idle=lambda: note("rest")) as index:
        go_on.set()
        save(index, "a.py", rule(1))
        save(index, "a.py", rule(2))
        shift(index, 31)
        told.clear()
        reached.clear()
        go_on.clear()
        first = index.writer.submit(Job(cause=Cause.SAVED, path="b.py"))
        assert reached.wait(WATCHDOG)
        second = index.writer.submit(Job(cause=Cause.SAVED, path="a.py"))
        (root / "a.py").write_text(rule(3))
        go_on.set()
        first.result(WATCHDOG)
        second.result(WATCHDOG)
        wait_for(lambda: len(stale_facts(index)) == 1)
    # what was due still stood there when the second save was done, and when rest was told
    assert told[:3] == [("b.py", 1), ("a.py", 2), ("rest", 2)]


def test_what_is_due_at_the_start_leaves_without_a_save(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    with indexing(root, tmp_path / "i.db") as index:
        save(index, "a.py", rule(1))
        save(index, "a.py", rule(2))
        shift(index, 31)
    with indexing(root, tmp_path / "i.db") as index:
        index.writer.prepare()
        wait_for(lambda: stale_facts(index) == [])


def test_the_bounds_are_those_of_the_settings_whenever_they_change(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    workspace = Workspace.open(root, Settings(retention=RetentionSettings(versions=4)), index_dir=tmp_path / "index")

    def save_one(number: int) -> None:
        (root / "a.py").write_text(rule(number))
        workspace.document_saved(root / "a.py").result(WATCHDOG)

    def stale() -> int:
        return workspace.status().counts.stale

    try:
        for number in range(8):
            save_one(number)
        wait_for(lambda: stale() == 4)
        workspace.update_settings(Settings(retention=RetentionSettings(versions=2)))
        save_one(8)
        wait_for(lambda: stale() == 2)
    finally:
        workspace.close()


# -- space


def many(index: Index, names: Sequence[str]) -> None:
    for name in names:
        text = "\n\n".join(rule(number, f"{name}_limit_{number}") for number in range(40))
        (index.root / f"{name}.py").write_text(text)
    scan(index)


def test_the_file_shrinks_when_most_of_the_workspace_was_deleted(index: Index) -> None:
    names = [f"m{number}" for number in range(100)]
    many(index, names)
    with tidying(index.path) as work:
        work._committer.empty_log()
    full = index.path.stat().st_size
    for name in names[1:]:
        (index.root / f"{name}.py").unlink()
    scan(index)
    shift(index, 31)
    before = live_rows(index)
    pages = index.query("PRAGMA page_count")[0][0]
    index.tidy()
    free = index.query("PRAGMA freelist_count")[0][0]
    assert index.query("PRAGMA page_count")[0][0] < pages // 2
    assert free <= SPARE_PAGES
    assert index.path.stat().st_size < full // 2
    assert live_rows(index) == before
    assert index.query("PRAGMA integrity_check") == [("ok",)]
    index.rows()


def test_a_reader_keeps_its_view_while_the_file_shrinks(index: Index) -> None:
    names = [f"m{number}" for number in range(60)]
    many(index, names)
    for name in names[1:]:
        (index.root / f"{name}.py").unlink()
    scan(index)
    shift(index, 31)
    reader = Reader(index.path)
    facts = "SELECT id, text FROM proposition ORDER BY id"
    found = "SELECT rowid FROM proposition_fts_stale WHERE proposition_fts_stale MATCH 'exceed' ORDER BY rowid"
    with reader.snapshot() as snapshot:
        before = [snapshot.rows(sql) for sql in (facts, found)]
        index.tidy()
        assert [snapshot.rows(sql) for sql in (facts, found)] == before
    with reader.snapshot() as snapshot:
        assert len(snapshot.rows(facts)) < len(before[0]) // 10
    reader.close()


def test_pages_that_will_be_needed_again_are_kept(index: Index) -> None:
    many(index, ["a", "b"])
    with tidying(index.path) as work:
        work._connection.execute("CREATE TABLE filler (x)").fetchall()
        work._connection.execute(f"INSERT INTO filler VALUES (zeroblob({8192 * (SPARE_PAGES - 20)}))")
        work._connection.execute("DROP TABLE filler")
    free = index.query("PRAGMA freelist_count")
    index.tidy()
    assert index.query("PRAGMA freelist_count") == free


@pytest.mark.parametrize(("pages", "is_copied"), [(LOGGED_PAGES // 2, False), (LOGGED_PAGES, True)])
def test_the_log_is_copied_into_the_file_when_there_is_enough_of_it(index: Index, pages: int, is_copied: bool) -> None:
    with tidying(index.path) as work:
        work._connection.execute("PRAGMA wal_autocheckpoint=0; CREATE TABLE filler (x)").fetchall()
        work._connection.execute(f"INSERT INTO filler VALUES (zeroblob({8192 * pages}))")
        while work.is_wanted:
            work.step()
        alone = shutil.copyfile(index.path, index.path.with_name("alone.db"))
    connection = open_writer(alone)
    assert (("filler",) in connection.execute("SELECT name FROM sqlite_schema").fetchall()) is is_copied
    connection.close()


def test_a_file_that_was_made_without_it_is_left_as_it_is(index: Index) -> None:
    many(index, [f"m{number}" for number in range(30)])
    plain = index.path.with_name("plain.db")
    connection = open_writer(index.path)
    connection.execute("PRAGMA auto_vacuum=NONE")
    connection.execute(f"VACUUM INTO '{plain}'")
    connection.close()
    connection = open_writer(plain)
    connection.execute("DELETE FROM reference_row")
    connection.execute("DELETE FROM paragraph_row")
    free = connection.execute("PRAGMA freelist_count").fetchall()
    connection.close()
    with tidying(plain) as work:
        while work.is_wanted:
            work.step()
        assert work._connection.execute("PRAGMA freelist_count").fetchall() == free
